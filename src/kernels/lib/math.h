/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Math functions for float, float8 and float16: the same operations in the same order for each width, so that
 * a value does not depend on its lane. tests/kernels/math.c checks the stated accuracies.
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
