/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of tiles whose elements are moved without being changed: see reorder.cl. Included once per size of an
 * element, which is a WORD; NAME(x) appends the size to a name. TURN transposes SIDE x SIDE elements, and
 * RUN_LOAD and RUN_STORE move RUN_LENGTH of them.
 */

/* y is dense in src, x in dst. What is left at the end of a tile is moved with some that comes before it. */
INLINE void NAME(transpose_part)(const struct tile_part *t, global const WORD *src, i64 src_x,
                                 global WORD *dst, i64 dst_y) {
    const i64 x_last = t->x_valid - SIDE, y_last = t->y_valid - SIDE;
    if (x_last >= t->x0 && y_last >= t->y0) {
        for (i64 y = t->y0; y < t->y_valid; y += SIDE)
            for (i64 x = t->x0; x < t->x_valid; x += SIDE) {
                const i64 at_x = x < x_last ? x : x_last, at_y = y < y_last ? y : y_last;
                TURN(src + at_x * src_x + at_y, src_x, dst + at_y * dst_y + at_x, dst_y)
            }
        return;
    }
    for (i64 y = t->y0; y < t->y_valid; y += SIDE)
        for (i64 x = t->x0; x < t->x_valid; x++)
            for (i64 k = y; k < y + SIDE && k < t->y_valid; k++)
                dst[k * dst_y + x] = src[x * src_x + k];
}

/* A short run, without the call that compilers make of a plain loop. */
INLINE void NAME(copy_run)(global const WORD *from, global WORD *to, i64 x, i64 end) {
    enum { LONG = 128 };
    if (end - x < LONG) {
#pragma nounroll
        for (; x + RUN_LENGTH <= end; x += RUN_LENGTH)
            RUN_STORE(RUN_LOAD(0, from + x), 0, to + x);
#if RUN_LENGTH > 8
#pragma nounroll
        for (; x + 8 <= end; x += 8)
            vstore8(vload8(0, from + x), 0, to + x);
#endif
#pragma nounroll
        for (; x + 4 <= end; x += 4)
            vstore4(vload4(0, from + x), 0, to + x);
    }
    for (; x < end; x++)
        to[x] = from[x];
}

/* x is dense in both, or nothing is dense in src. */
INLINE void NAME(copy_part)(const struct tile_part *t, global const WORD *src, i64 src_x, i64 src_y,
                            global WORD *dst, i64 dst_y) {
    if (src_x == 1 && t->x_valid - t->x0 == RUN_LENGTH) {
        for (i64 y = t->y0; y < t->y_valid; y++)
            RUN_STORE(RUN_LOAD(0, src + y * src_y + t->x0), 0, dst + y * dst_y + t->x0);
        return;
    }
    for (i64 y = t->y0; y < t->y_valid; y++) {
        global const WORD *from = src + y * src_y;
        global WORD *to = dst + y * dst_y;
        if (src_x == 1)
            NAME(copy_run)(from, to, t->x0, t->x_valid);
        else
            for (i64 x = t->x0; x < t->x_valid; x++)
                to[x] = from[x * src_x];
    }
}

INLINE void NAME(zero_padding)(const struct tile_part *t, global WORD *dst, i64 dst_y) {
#pragma nounroll
    for (i64 y = t->y0; y < t->y1; y++)
#pragma nounroll
        for (i64 x = y < t->y_valid ? t->x_valid : t->x0; x < t->x1; x++)
            dst[y * dst_y + x] = 0;
}

INLINE void NAME(reorder_part)(constant struct reorder_tiles_params *p, const struct tile_part *t,
                               global const WORD *src, global WORD *dst) {
    src += t->src;
    dst += t->dst;
    if (p->transpose)
        NAME(transpose_part)(t, src, p->x.src_stride, dst, p->y.dst_stride);
    else
        NAME(copy_part)(t, src, p->x.src_stride, p->y.src_stride, dst, p->y.dst_stride);
    if (t->x_valid < t->x1 || t->y_valid < t->y1) NAME(zero_padding)(t, dst, p->y.dst_stride);
}

#undef WORD
#undef NAME
#undef SIDE
#undef TURN
#undef RUN_LOAD
#undef RUN_STORE
#undef RUN_LENGTH
