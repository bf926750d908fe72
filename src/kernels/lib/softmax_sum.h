/* SPDX-License-Identifier: Apache-2.0 */
/* The end of softmax's sums, forward and backward: 16 parts, added as a tree. */
#ifndef LODE_KERNELS_LIB_SOFTMAX_SUM_H
#define LODE_KERNELS_LIB_SOFTMAX_SUM_H

#include "kernels/lib/opencl.h"
#include "kernels/params_softmax.h"

INLINE float sum_parts(const float *parts) {
    float s[SOFTMAX_PARTS];
#pragma nounroll
    for (int i = 0; i < SOFTMAX_PARTS; i++)
        s[i] = parts[i];
#pragma nounroll
    for (int step = SOFTMAX_PARTS / 2; step > 0; step /= 2)
#pragma nounroll
        for (int i = 0; i < step; i++)
            s[i] += s[i + step];
    return s[0];
}

/* The sum of all lanes, in the order of sum_parts. */
INLINE float sum_lanes(float16 v) {
    const float8 eight = v.lo + v.hi;
    const float4 four = eight.lo + eight.hi;
    const float2 two = four.lo + four.hi;
    return two.x + two.y;
}

#endif
