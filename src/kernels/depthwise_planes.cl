/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of channels-first f32 images: lib/depthwise_planes.h. */
#define DEPTHWISE_PLANES f32_depthwise_planes_16
#include "kernels/lib/depthwise_planes.h"
