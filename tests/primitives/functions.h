/* SPDX-License-Identifier: Apache-2.0 */
/* The element-wise and binary algorithms of oneDNN by their definitions, in f64, with their error bounds.
 */
#ifndef LODE_TESTS_PRIMITIVES_FUNCTIONS_H
#define LODE_TESTS_PRIMITIVES_FUNCTIONS_H

#include "primitives/bounds.h"

/* Accuracies in units in the last place: kernels/lib/math_lanes.h states them, tests/kernels/math.c holds the
 * kernels to them. */
#define ULPS_SQRT 0.5
#define ULPS_EXP 1.0
#define ULPS_EXPM1 2.0
#define ULPS_LOG 1.0
#define ULPS_LOG1P 2.0
#define ULPS_LOGISTIC 2.5
#define ULPS_TANH 2.0
#define ULPS_ERF 2.0
#define ULPS_POW 2.5

/* Aborts if `alg` is not an element-wise algorithm. */
struct bounded eltwise_forward(dnnl_alg_kind_t alg, float alpha, float beta, struct bounded x);
/* The derivative at x, which is src, or dst for the algorithms that take that. */
struct bounded eltwise_gradient(dnnl_alg_kind_t alg, float alpha, float beta, struct bounded x);
/* Comparisons are defined for exact operands only; `condition` is that of a select. */
struct bounded binary_forward(dnnl_alg_kind_t alg, struct bounded x, struct bounded y, double condition);
/* x where it is positive, else x times the slope: relu and prelu. With a slope of 0, -inf and NaN become 0.
 */
struct bounded leaky_relu(struct bounded x, double slope);

#endif
