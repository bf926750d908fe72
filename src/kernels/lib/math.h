/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Math functions for float, float8 and float16: the same operations in the same order for each width, so that
 * a value does not depend on its lane. tests/kernels/math.c checks the stated accuracies.
 */
#ifndef LODE_KERNELS_LIB_MATH_H
#define LODE_KERNELS_LIB_MATH_H

#include "kernels/lib/opencl.h"

#ifdef NATIVE_AVX2
/* The normal distribution function minus 1/2, for x >= 0: near 0.75 n, a polynomial in x - 0.75 n, whose
 * coefficients are the n-th column, the last one first. */
enum { NORMAL_TERMS = 7 };
static const float normal_table[NORMAL_TERMS][8] __attribute__((aligned(32))) = {
        {-0x1.850ec6p-10f, -0x1.851e6ap-9f, 0x1.42ad2p-11f, 0x1.01c9f8p-10f, -0x1.a42594p-14f,
         -0x1.15aef6p-13f, -0x1.81a22p-16f, -0x1.af6da6p-20f},
        {0x1.5f492p-7f, -0x1.10c6dcp-14f, -0x1.77b114p-8f, -0x1.136736p-11f, 0x1.1cee1ep-10f, 0x1.6e3d1p-12f,
         0x1.59f2d2p-15f, 0x1.31e15p-19f},
        {-0x1.8ade56p-13f, 0x1.77bcdap-6f, 0x1.8e1254p-8f, -0x1.922ad6p-8f, -0x1.b3c42p-9f, -0x1.3f89e8p-11f,
         -0x1.b139d6p-15f, -0x1.28bbacp-19f},
        {-0x1.103e86p-4f, -0x1.67da3cp-6f, 0x1.b9ee24p-6f, 0x1.602bdp-6f, 0x1.835baep-8f, 0x1.9230e6p-11f,
         0x1.acc13cp-15f, 0x1.e65ae6p-20f},
        {-0x1.98f76p-20f, -0x1.ce8bf6p-4f, -0x1.8de0d6p-4f, -0x1.248342p-5f, -0x1.b3aae6p-8f,
         -0x1.5a9d98p-11f, -0x1.2db0d8p-15f, -0x1.22f1e4p-20f},
        {0x1.988456p-2f, 0x1.345d66p-2f, 0x1.09409cp-3f, 0x1.0402b6p-5f, 0x1.2271a4p-8f, 0x1.71bb98p-12f,
         0x1.0c3676p-16f, 0x1.bb9796p-22f},
        {-0x1.2b837cp-33f, 0x1.17efp-2f, 0x1.bb96e4p-2f, 0x1.f37b6ep-2f, 0x1.fe9e22p-2f, 0x1.ffe8d2p-2f,
         0x1.ffff1cp-2f, 0x1.fffffap-2f},
};
#endif

#define LANES 1
#include "kernels/lib/math_lanes.h"
#undef LANES
#define LANES 8
#include "kernels/lib/math_lanes.h"
#undef LANES
#define LANES 16
#include "kernels/lib/math_lanes.h"
#undef LANES

#endif
