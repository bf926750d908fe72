/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors from and to memory of which only `count` lanes exist; the others are 0. For code that is included
 * once for each vector width, after lib/lanes.h.
 */
INLINE OVERLOAD void load_lanes(VEC *to, global const float *from, int count) {
    if (count == LANES) {
        *to = VLOAD(0, from);
        return;
    }
    float values[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        values[i] = i < count ? from[i] : 0.0f;
    *to = VLOAD(0, values);
}

INLINE OVERLOAD void store_lanes(VEC from, global float *to, int count) {
    if (count == LANES) {
        VSTORE(from, 0, to);
        return;
    }
    float values[LANES];
    VSTORE(from, 0, values);
#pragma nounroll
    for (int i = 0; i < count; i++)
        to[i] = values[i];
}
