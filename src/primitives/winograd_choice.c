/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of Winograd's algorithm is fastest for a convolution, if any: an estimate. */
#include "base/round.h"
#include "primitives/winograd.h"

/* What an execution costs, in multiply-adds of the matrix-product kernels. Measured on 2026-11-17 with two
 * cores of an AMD EPYC (Zen 4, 1 MB of L2 cache each, 32 MB of L3), AVX-512: 8.6 ps each. With AVX2,
 * transforms of weights cost up to half more. */
enum {
    LAUNCHES = 700000,   /* two more launches than the direct algorithm has */
    TILE_ELEMENT = 24,   /* a number of a transformed tile of src or dst, written and read */
    WEIGHT_FROM_L3 = 4,  /* a transformed weight, if not all of them stay in the L2 cache */
    WEIGHT_FROM_RAM = 7, /* the same for the L3 cache */
    WEIGHT_TRANSFORM = 37,
    WEIGHT_PACKING = 32, /* of a weight of the direct algorithm */
};
static const double l2_weights = 1 << 18, l3_weights = 6 << 20;

/* Winograd's algorithm must take at most so much of the estimated time of the direct one: then none of 25
 * shapes, from 1x64x5x5 to 8x64x56x56 and 1x1024x7x7, with or without transformed weights, took longer. */
static const double enough = 0.8;

static double multiply_adds(const struct winograd_shape *s, double each) {
    return each * (double)s->inputs * (double)s->outputs;
}

static double direct_cost(const struct winograd_shape *s) {
    const double places = (double)s->batch * (double)s->height * (double)s->width;
    return multiply_adds(s, 9 * places) + (s->transforms ? multiply_adds(s, 9 * WEIGHT_PACKING) : 0);
}

static double weight_cost(double weights) {
    return weights > l3_weights ? WEIGHT_FROM_RAM : weights > l2_weights ? WEIGHT_FROM_L3 : 0;
}

static double cost(const struct winograd_shape *s, int side) {
    const double tiles = (double)(s->batch * divide_up(s->height, side) * divide_up(s->width, side));
    const double positions = (side + 2) * (side + 2), weights = multiply_adds(s, positions);
    const double channels = (double)((divide_up(s->inputs, 16) + divide_up(s->outputs, 16)) * 16);
    return LAUNCHES + tiles * weights + TILE_ELEMENT * tiles * positions * channels
           + weights * (weight_cost(weights) + (s->transforms ? WEIGHT_TRANSFORM : 0));
}

int winograd_choose(const struct winograd_shape *shape, bool direct) {
    const double of_2 = cost(shape, 2), of_4 = cost(shape, 4), least = of_2 < of_4 ? of_2 : of_4;
    if (direct && least > enough * direct_cost(shape)) return 0;
    return of_2 < of_4 ? 2 : 4;
}
