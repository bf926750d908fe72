/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematics for float, float8 and float16: the same operations in the same order for each width, so that a
 * value does not depend on the lane or the runtime that computed it. Accuracies are those that
 * tests/kernels/math.c holds them to.
 */
#ifndef LODE_KERNELS_LIB_MATH_H
#define LODE_KERNELS_LIB_MATH_H

#include "kernels/lib/opencl.h"

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
