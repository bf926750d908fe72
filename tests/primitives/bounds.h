/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a result may be from the reference. The reference is computed in f64; each of its numbers carries a
 * bound on the error that the same computation has in f32, for any order of additions, fused or not. No test
 * has a tolerance of its own.
 *
 * - A rounding is off by half a unit in the last place: by u = 2^-24 of the result at most, or by 2^-150 if
 *   that is more.
 * - A sum is off by gamma_m = m u / (1 - m u) of the sum of its terms' magnitudes, where m is the largest
 *   number of roundings that a term goes through.
 * - Instructions for products of bf16, by vectors or tiles, take denormal numbers as 0 and give 0 instead of
 *   them: each of their operations may be off by 2^-126 more.
 * - A division counts as two roundings, so that an implementation may multiply by an inverse.
 * - A function is off by the units in the last place that tests/kernels/math.c holds the kernels to.
 * - Every operation passes the errors of its operands on.
 * - Storing is monotone: a computed number between x - e and x + e is stored as a number between what these
 *   two are stored as.
 *
 * The f64 loop has 2^-29 of these errors, which is neglected except where the result itself is f64.
 */
#ifndef LODE_TESTS_PRIMITIVES_BOUNDS_H
#define LODE_TESTS_PRIMITIVES_BOUNDS_H

#include "primitives/array.h"

/* A number of the reference and the bound on its error in an implementation. */
struct bounded {
    double value, error;
};

struct bounded exactly(double value);
/* A constant that is not an f32: implementations have the nearest one. */
struct bounded constant(double value);
/* A number that was computed with this error, plus a rounding of so many units in the last place. */
struct bounded rounded(double value, double error, double ulps);

struct bounded bounded_add(struct bounded a, struct bounded b);
struct bounded bounded_sub(struct bounded a, struct bounded b);
struct bounded bounded_mul(struct bounded a, struct bounded b);
struct bounded bounded_div(struct bounded a, struct bounded b);
struct bounded bounded_max(struct bounded a, struct bounded b);
struct bounded bounded_min(struct bounded a, struct bounded b);
/* A function that is monotone near x, or has an extremum there. */
struct bounded bounded_function(double (*function)(double), struct bounded x, double ulps);
struct bounded bounded_pow(struct bounded x, double exponent, double ulps);

/* A sum that is being added up. */
struct sum {
    double value, magnitude; /* the magnitude is the sum of absolute values */
    double error;            /* of the terms */
    int64_t terms;
};
void sum_add(struct sum *sum, double term);
void sum_add_bounded(struct sum *sum, struct bounded term);
/* A sum of products; those of integers are exact. `start` is a number that an implementation may begin to add
 * with (the bias), but is not part of the result. */
struct bounded sum_of_products(const struct sum *sum, bool integers, double start);
/* The same where implementations may round both factors to bf16, by 2^-9 of each. */
struct bounded sum_of_rounded_products(const struct sum *sum, double start);
/* The same for bf16, whose products and sums may be flushed to 0. Factors are not denormal.
 */
struct bounded sum_of_bf16_products(const struct sum *sum, double start);
/* The same in f64, including `start` and the error of the reference. */
struct bounded sum_of_products_f64(const struct sum *sum, double start);
/* A plain sum of floats. */
struct bounded sum_of_terms(const struct sum *sum);

/* May this be the stored result? If the error is 0 it must be the rounded number itself. */
bool within_bound(struct bounded expected, dnnl_data_type_t type, double actual);

#endif
