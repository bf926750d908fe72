/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels with AVX-512 share: parts of powers of 2, and the rounding of words to bf16. */
#ifndef LODE_KERNELS_LIB_LANES_AVX512_H
#define LODE_KERNELS_LIB_LANES_AVX512_H

#include "kernels/lib/opencl.h"

#ifdef NATIVE_AVX512
/* 2^r for 0 <= r <= 1, within 2^-28. */
INLINE float16 power_of_fraction(float16 r) {
    float16 p = (float16)(0x1.c4458p-13f);
    p = fma(p, r, (float16)(0x1.473738p-10f));
    p = fma(p, r, (float16)(0x1.3cfd82p-7f));
    p = fma(p, r, (float16)(0x1.c68af6p-5f));
    p = fma(p, r, (float16)(0x1.ebfd3ap-3f));
    p = fma(p, r, (float16)(0x1.62e42cp-1f));
    return fma(p, r, (float16)(1.0f));
}

/* The nearest bf16, in the upper halves; a NaN may become a number. */
INLINE uint16 rounded_to_bf16(float16 x) {
    const uint16 bits = as_uint16(x);
    return bits + ((bits & 0x10000u) == 0u ? (uint16)(0x7fffu) : (uint16)(0x8000u));
}
#endif

#endif
