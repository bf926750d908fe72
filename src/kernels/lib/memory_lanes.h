/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors from and to memory at the end of a row, where only the first `count` elements may exist: nothing
 * beyond is read or written, and the other lanes are `none`. For code that is included once for each vector
 * width, after lib/convert.h and lib/lanes.h; a second inclusion for the same width adds nothing.
 */
#if (LANES == 16 && !defined(MEMORY_LANES_16)) || (LANES == 8 && !defined(MEMORY_LANES_8))
#if LANES == 16
#define MEMORY_LANES_16
#else
#define MEMORY_LANES_8
#endif

INLINE OVERLOAD void load_lanes(VEC *to, global const float *from, i64 count, float none) {
    if (count >= LANES) {
        *to = VLOAD(0, from);
        return;
    }
    float values[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        values[i] = i < count ? from[i] : none;
    *to = VLOAD(0, values);
}

INLINE OVERLOAD void store_lanes(VEC from, global float *to, i64 count) {
    if (count >= LANES) {
        VSTORE(from, 0, to);
        return;
    }
#if LANES == 16
    float8 rest = from.lo;
    if (count & 8) {
        vstore8(from.lo, 0, to);
        rest = from.hi;
    }
    to += count & 8;
#else
    float8 rest = from;
#endif
    store_some(rest, to, count);
}

#endif
