/* SPDX-License-Identifier: Apache-2.0 */
/* LANES_AFTER(a, b, n): the lanes n to n + 15 of two vectors of 16 floats, one after the other; n is a
 * constant. */
#ifndef LODE_KERNELS_LIB_LANES_AFTER_H
#define LODE_KERNELS_LIB_LANES_AFTER_H

#include "kernels/lib/opencl.h"

#if defined(NATIVE_AVX512)
/* (The compiler would make permutations of the intrinsic, with indices in memory.) */
#define LANES_AFTER(low_, high_, n_)                                                                         \
    ({                                                                                                       \
        float16 lanes_;                                                                                      \
        __asm__("valignd %3, %2, %1, %0" : "=v"(lanes_) : "v"(high_), "v"(low_), "i"(n_));                   \
        lanes_;                                                                                              \
    })
#else
INLINE float16 lanes_after_1(float16 a, float16 b) {
    float16 x;
    x.s01234567 = a.s12345678, x.s89ab = a.s9abc, x.scd = a.sde, x.se = a.sf, x.sf = b.s0;
    return x;
}
INLINE float16 lanes_after_2(float16 a, float16 b) {
    float16 x;
    x.s01234567 = a.s23456789, x.s89ab = a.sabcd, x.scd = a.sef, x.sef = b.s01;
    return x;
}
INLINE float16 lanes_after_14(float16 a, float16 b) {
    float16 x;
    x.s01 = a.sef, x.s23456789 = b.s01234567, x.sabcd = b.s89ab, x.sef = b.scd;
    return x;
}
INLINE float16 lanes_after_15(float16 a, float16 b) {
    float16 x;
    x.s0 = a.sf, x.s12345678 = b.s01234567, x.s9abc = b.s89ab, x.sde = b.scd, x.sf = b.se;
    return x;
}
#define LANES_AFTER(low_, high_, n_) lanes_after_##n_(low_, high_)
#endif

#endif
