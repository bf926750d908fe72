/* SPDX-License-Identifier: Apache-2.0 */
/* weights_gradient.cl for doubles. */
#include "kernels/lib/stream.h"
#include "kernels/lib/weights_gradient.h"

#define DOUBLES
#define DEPTHWISE_GRADIENT f64_depthwise_gradient_2x32
#include "kernels/lib/depthwise_gradient.h"

#define LANES 8
#define NAME(name) name##_6x16
#define GRADIENT f64_weights_gradient_6x16
#define HEIGHT 6
#define KEEP KEEP_ORDER_64
#include "kernels/lib/weights_gradient_tile.h"

#define LANES 4
#define NAME(name) name##_6x8
#define GRADIENT f64_weights_gradient_6x8
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/weights_gradient_tile.h"
#undef DOUBLES
