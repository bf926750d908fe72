/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of elements of any type as floats, a vector of LANES at a time, exactly as load_f32 converts them.
 * Included once per width, after lib/convert.h and lib/lanes.h; NAME(x) appends the width to a name.
 */

INLINE VEC NAME(widen_f16)(UVEC v) {
    UVEC sign = (v & 0x8000u) << 16, magnitude = v & 0x7fffu;
    UVEC normal = (magnitude << 13) + (112u << 23), special = (magnitude << 13) | 0x7f800000u;
    UVEC small = AS_UVEC(TO_VEC(AS_IVEC(magnitude)) * V(0x1p-24f));
    UVEC bits = magnitude < 0x400u ? small : magnitude < 0x7c00u ? normal : special;
    return AS_VEC(sign | bits);
}

INLINE VEC NAME(widen_f8_e4m3)(UVEC v) {
    UVEC sign = (v & 0x80u) << 24, magnitude = v & 0x7fu;
    UVEC small = AS_UVEC(TO_VEC(AS_IVEC(magnitude)) * V(0x1p-9f));
    UVEC bits = magnitude < 8u ? small : (magnitude << 20) + (120u << 23);
    return AS_VEC(sign | (magnitude == 0x7fu ? (UVEC)(0x7fc00000u) : bits));
}

INLINE VEC NAME(widen_f4_e2m1)(UVEC v) {
    UVEC sign = (v & 8u) << 28, magnitude = v & 7u;
    UVEC small = AS_UVEC(TO_VEC(AS_IVEC(magnitude)) * V(0.5f));
    return AS_VEC(sign | (magnitude < 2u ? small : (magnitude << 22) + (126u << 23)));
}

INLINE VEC NAME(widen_f4_e3m0)(UVEC v) {
    UVEC sign = (v & 8u) << 28, magnitude = v & 7u;
    return AS_VEC(sign | (magnitude == 0u ? (UVEC)(0u) : (magnitude + 124u) << 23));
}

/* LANES bytes, shorts or halves of bytes, starting at element i, which is even for the last. */
INLINE UVEC NAME(widen_bytes)(global const uchar *from, i64 i) {
    return TO_UVEC(VLOAD(0, from + i));
}

INLINE UVEC NAME(widen_shorts)(global const uchar *from, i64 i) {
    return TO_UVEC(VLOAD(0, (global const ushort *)from + i));
}

INLINE UVEC NAME(widen_nibbles)(global const uchar *from, i64 i) {
    HALF_BYTES both = HALF_LOAD(0, from + (i >> 1));
    BYTES each;
    each.even = both & (uchar)15;
    each.odd = both >> (uchar)4;
    return TO_UVEC(each);
}

/* One by one: for types without vectors, and for the end of a row. */
INLINE void NAME(widen_each)(float *to, global const uchar *from, int type, i64 i, i64 step, i64 first,
                             i64 count) {
#pragma nounroll
    for (i64 k = first; k < count; k++)
        to[k] = load_f32(from, type, i + k * step);
}

/* `rows` rows of `count` consecutive elements. The first row starts at element i; rows are `step` elements
 * apart, and to_step in `to`. */
OUTLINE void NAME(widen_block)(float *to, i64 to_step, global const uchar *from, int type, i64 i, i64 step,
                               i64 rows, i64 count) {
    i64 whole = count & ~(i64)(LANES - 1);
#define EACH_VECTOR(value)                                                                                   \
    for (i64 r = 0; r < rows; r++)                                                                           \
        for (i64 k = 0; k < whole; k += LANES) {                                                             \
            i64 at = i + r * step + k;                                                                       \
            VSTORE(value, 0, to + r * to_step + k);                                                          \
        }                                                                                                    \
    break
    bool halves = type == TYPE_S4 || type == TYPE_U4 || type == TYPE_F4_E2M1 || type == TYPE_F4_E3M0;
    switch (halves && ((i | step) & 1) != 0 ? 0 : type) {
    case TYPE_F32: EACH_VECTOR(VLOAD(0, (global const float *)from + at));
    case TYPE_BF16: EACH_VECTOR(AS_VEC(NAME(widen_shorts)(from, at) << 16));
    case TYPE_F16: EACH_VECTOR(NAME(widen_f16)(NAME(widen_shorts)(from, at)));
    case TYPE_F8_E5M2: EACH_VECTOR(NAME(widen_f16)(NAME(widen_bytes)(from, at) << 8));
    case TYPE_F8_E4M3: EACH_VECTOR(NAME(widen_f8_e4m3)(NAME(widen_bytes)(from, at)));
    case TYPE_S8: EACH_VECTOR(TO_VEC(AS_IVEC(NAME(widen_bytes)(from, at) ^ 0x80u) - 128));
    case TYPE_U8: EACH_VECTOR(TO_VEC(AS_IVEC(NAME(widen_bytes)(from, at))));
    case TYPE_S4: EACH_VECTOR(TO_VEC(AS_IVEC(NAME(widen_nibbles)(from, at) ^ 8u) - 8));
    case TYPE_U4: EACH_VECTOR(TO_VEC(AS_IVEC(NAME(widen_nibbles)(from, at))));
    case TYPE_F4_E2M1: EACH_VECTOR(NAME(widen_f4_e2m1)(NAME(widen_nibbles)(from, at)));
    case TYPE_F4_E3M0: EACH_VECTOR(NAME(widen_f4_e3m0)(NAME(widen_nibbles)(from, at)));
    default: whole = 0;
    }
#undef EACH_VECTOR
#pragma nounroll
    for (i64 r = 0; r < rows && whole < count; r++)
        NAME(widen_each)(to + r * to_step, from, type, i + r * step, 1, whole, count);
}
