/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise_planes.cl for doubles. */
#include "kernels/lib/epilogue.h"

#define DOUBLES
#define DEPTHWISE_PLANES f64_depthwise_planes_8
#include "kernels/lib/depthwise_planes.h"
#undef DOUBLES
