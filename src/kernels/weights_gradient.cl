/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the weights of convolutions for CPU-class devices. A work-item copies a panel of outputs of
 * some positions to where it stays in the L1 cache, and multiplies it by all inputs and taps before it goes
 * on to the next positions: a tile of inputs by one panel at a time, in registers. Taps outside the image are
 * left out, so that nothing needs padding. The order of every sum depends on the parameters alone.
 */
#include "kernels/lib/stream.h"
#include "kernels/lib/weights_gradient.h"

#define DEPTHWISE_GRADIENT f32_depthwise_gradient_4x32
#include "kernels/lib/depthwise_gradient.h"

#define LANES 16
#define NAME(name) name##_14x32
#define GRADIENT f32_weights_gradient_14x32
#define HEIGHT 14
#define KEEP KEEP_ORDER_64
#include "kernels/lib/weights_gradient_tile.h"

#define LANES 8
#define NAME(name) name##_6x16
#define GRADIENT f32_weights_gradient_6x16
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/weights_gradient_tile.h"
