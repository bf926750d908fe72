/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-last f32 images. A block of adjacent outputs in a row by a vector of
 * channels is computed at once, in registers. Every output is one chain of fma over the taps inside the
 * image. 16 lanes suit AVX2 too: there they are two independent chains.
 */
#include "kernels/lib/depthwise_lines.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

/* acc[r] = the sum of the window at output r of m. Callers pass m as a constant. */
INLINE void depthwise_sums(const struct depthwise_block *b, global const float *src,
                           global const float *weights, const int m, VEC *acc) {
#pragma unroll
    for (int r = 0; r < m; r++)
        acc[r] = V(0.0f);
#pragma nounroll
    for (i64 k0 = 0; k0 < b->taps[0]; k0++)
#pragma nounroll
        for (i64 k1 = 0; k1 < b->taps[1]; k1++) {
            global const float *a = src + k0 * b->step[0] + k1 * b->step[1];
            global const float *w = weights + k0 * b->weights_step[0] + k1 * b->weights_step[1];
#pragma nounroll
            for (i64 k2 = 0; k2 < b->taps[2]; k2++, a += b->step[2], w += b->weights_step[2]) {
                VEC y = VLOAD(0, w);
#pragma unroll
                for (int r = 0; r < m; r++)
                    acc[r] = fma(VLOAD(0, a + r * b->column), y, acc[r]);
            }
        }
}

/* Adds bias, applies the activation and stores m results; `lanes` channels exist. */
INLINE void depthwise_end(constant struct depthwise_params *p, VEC *acc, VEC bias, global float *dst,
                          i64 column, const int m, int lanes) {
    if (p->has_bias)
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[r] += bias;
    if (p->activation.alg == ELTWISE_RELU && p->activation.alpha == 0.0f)
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[r] = acc[r] > V(0.0f) ? acc[r] : V(0.0f);
    else if (p->activation.alg)
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[r] = activation_apply(&p->activation, acc[r]);
    if (lanes == LANES) {
#pragma unroll
        for (int r = 0; r < m; r++)
            VSTORE(acc[r], 0, dst + r * column);
        return;
    }
#pragma unroll
    for (int r = 0; r < m; r++)
        store_lanes(acc[r], dst + r * column, lanes);
}

/* What a block of some panels reads and writes. */
struct depthwise_place {
    global const float *src, *bias, *weights;
    global float *dst;
};

INLINE struct depthwise_place depthwise_place(constant struct depthwise_params *p,
                                              const struct depthwise_buffers *f,
                                              const struct depthwise_block *b, i64 panel) {
    struct depthwise_place at;
    at.src = f->src + b->src + panel * LANES;
    at.bias = (global const float *)f->bias;
    if (p->has_bias) at.bias += p->bias_offset + panel * LANES;
    at.weights = f->weights + b->weights + panel * p->weights_panel;
    at.dst = (global float *)f->dst + b->dst + panel * LANES;
    return at;
}

/* Full panels, or a last one with fewer lanes, of a block of m outputs, with bias and activation; or only the
 * sums of the first panel, in `sums`. */
INLINE void depthwise_panels(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                             const struct depthwise_block *b, i64 first, i64 last, int lanes, const int m,
                             VEC *sums) {
#pragma nounroll
    for (i64 panel = first; panel < last; panel++) {
        const struct depthwise_place at = depthwise_place(p, f, b, panel);
        VEC acc[DEPTHWISE_BLOCK], bias = V(0.0f);
        depthwise_sums(b, at.src, at.weights, m, acc);
        if (sums) {
#pragma unroll
            for (int r = 0; r < m; r++)
                sums[r] = acc[r];
            return;
        }
        if (p->has_bias) load_lanes(&bias, at.bias, lanes, 0.0f);
        depthwise_end(p, acc, bias, at.dst, b->dst_column, m, lanes);
    }
}

/* The pixels that the next row of outputs reads for the first time. */
INLINE void depthwise_prefetch(const struct depthwise_block *b, global const float *src) {
    global const float *next = src + b->taps[1] * b->step[1];
#pragma unroll
    for (int r = 0; r < DEPTHWISE_BLOCK; r++)
        PREFETCH(next + r * b->column);
}

/* The same for `length` adjacent outputs, at least a block. The last block starts early: some outputs are
 * computed twice, with the same bits. */
OUTLINE void depthwise_run(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                           const struct depthwise_block *b, i64 first, i64 last, int lanes, i64 length) {
#pragma nounroll
    for (i64 panel = first; panel < last; panel++) {
        const struct depthwise_place at = depthwise_place(p, f, b, panel);
        VEC bias = V(0.0f);
        if (p->has_bias) load_lanes(&bias, at.bias, lanes, 0.0f);
#pragma nounroll
        for (i64 i = 0; i < length; i += DEPTHWISE_BLOCK) {
            const i64 place = i + DEPTHWISE_BLOCK < length ? i : length - DEPTHWISE_BLOCK;
            VEC acc[DEPTHWISE_BLOCK];
            if (p->large) depthwise_prefetch(b, at.src + place * b->column);
            depthwise_sums(b, at.src + place * b->column, at.weights, DEPTHWISE_BLOCK, acc);
            depthwise_end(p, acc, bias, at.dst + place * b->dst_column, b->dst_column, DEPTHWISE_BLOCK,
                          lanes);
        }
    }
}

/* Separate functions, so that each has all registers to itself. */
#define DEPTHWISE_PANELS_OF(m)                                                                               \
    OUTLINE void depthwise_##m(constant struct depthwise_params *p, const struct depthwise_buffers *f,       \
                               const struct depthwise_block *b, i64 first, i64 last, int lanes, VEC *sums) { \
        depthwise_panels(p, f, b, first, last, lanes, m, sums);                                              \
    }
DEPTHWISE_PANELS_OF(1)
DEPTHWISE_PANELS_OF(2)
DEPTHWISE_PANELS_OF(3)
DEPTHWISE_PANELS_OF(4)
DEPTHWISE_PANELS_OF(6)
INLINE void depthwise_any(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                          const struct depthwise_block *b, i64 first, i64 last, int lanes, VEC *sums) {
    switch (b->count) {
    case 1: depthwise_1(p, f, b, first, last, lanes, sums); break;
    case 2: depthwise_2(p, f, b, first, last, lanes, sums); break;
    case 3: depthwise_3(p, f, b, first, last, lanes, sums); break;
    case 4: depthwise_4(p, f, b, first, last, lanes, sums); break;
    case 6: depthwise_6(p, f, b, first, last, lanes, sums); break;
    }
}

/* Plain results of a block, or of a run that begins with it. */
INLINE void depthwise_plain(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                            const struct depthwise_block *b, i64 first, i64 last, int lanes, i64 length) {
    if (length <= b->count)
        depthwise_any(p, f, b, first, last, lanes, 0);
    else
        depthwise_run(p, f, b, first, last, lanes, length);
}

/* The sums of a block for `count` channels, one channel at a time. */
OUTLINE void depthwise_each(const struct depthwise_block *b, global const float *src,
                            global const float *weights, int count, VEC *out) {
    for (int r = 0; r < b->count; r++, src += b->column) {
        float sums[LANES] = {0.0f};
        for (int c = 0; c < count; c++)
            for (i64 k0 = 0; k0 < b->taps[0]; k0++)
                for (i64 k1 = 0; k1 < b->taps[1]; k1++)
#pragma nounroll
                    for (i64 k2 = 0; k2 < b->taps[2]; k2++) {
                        i64 at = k0 * b->step[0] + k1 * b->step[1] + k2 * b->step[2];
                        i64 w = k0 * b->weights_step[0] + k1 * b->weights_step[1] + k2 * b->weights_step[2];
                        sums[c] = fma(src[at + c], weights[w + c], sums[c]);
                    }
        out[r] = VLOAD(0, sums);
    }
}

/* Finishes a block: scales, bias, post-ops, and the store of the channels that exist. */
INLINE void depthwise_store(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                            EPILOGUE_ARGS, const struct depthwise_block *b, i64 channel, int count,
                            VEC *sums) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    i64 dst = b->dst + channel, position[TENSOR_DIMS];
    VEC bias = V(-0.0f); /* changes nothing */
    if (p->has_bias) epilogue_bias(&bias, f->bias, p->bias_type, p->bias_offset + channel, count);
#pragma nounroll
    for (int r = 0; r < b->count; r++, dst += b->dst_column) {
        VEC x = sums[r];
        if (p->scaled | p->finished) depthwise_position(p, b, r, channel, position);
        if (p->scaled) epilogue_scale(&e, &x, position, 1, count);
        x = activation_apply(&p->activation, x + bias);
        if (p->finished) epilogue_apply(&e, &x, position, 1, count);
        store_any(f->dst, p->epilogue.type, dst, x, count);
    }
}

/* A block of one panel. If the panel has fewer channels than lanes, reading past them gives the next pixel's
 * channels, which is harmless except at the very end of src. */
INLINE void depthwise_panel(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                            EPILOGUE_ARGS, const struct depthwise_block *b, i64 panel) {
    const i64 channel = panel * LANES, left = p->images.channels - channel;
    const int count = left < LANES ? (int)left : LANES;
    VEC sums[DEPTHWISE_BLOCK];
    if (count < LANES && b->src_end + channel > p->src_end)
        depthwise_each(b, f->src + b->src + channel, f->weights + b->weights + panel * p->weights_panel,
                       count, sums);
    else
        depthwise_any(p, f, b, panel, panel + 1, LANES, sums);
    depthwise_store(p, f, EPILOGUE_PASS, b, channel, count, sums);
}

/* How many outputs from `place` on have whole windows and are computed in one run. */
INLINE i64 depthwise_length(constant struct depthwise_params *p, const struct depthwise_block *b,
                            const struct window_row *row, i64 place) {
    const i64 end = row->last < p->whole_last ? row->last : p->whole_last;
    return b->count == DEPTHWISE_BLOCK ? end - place : b->count;
}

/* Panels of a run that are not plain, or that end where src ends: block after block. */
INLINE void depthwise_rest(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                           EPILOGUE_ARGS, struct depthwise_block *b, i64 first, i64 last,
                           const struct window_row *row, i64 length) {
    const i64 end = b->place[2] + length;
    for (i64 place = b->place[2]; place < end; place += b->count) {
        depthwise_move(b, p, row, place);
        for (i64 panel = first; panel < last; panel++)
            depthwise_panel(p, f, EPILOGUE_PASS, b, panel);
    }
}

/* A part of one row. */
INLINE void depthwise_row(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                          EPILOGUE_ARGS, const struct depthwise_item *item) {
    const struct window_row *row = &item->row;
    const i64 first = item->first, last = item->last, full = p->images.channels / LANES;
    const i64 whole = !p->plain ? first : last < full ? last : full;
    const int rest = (int)(p->images.channels - whole * LANES);
    struct depthwise_block b = depthwise_begin(p, row);
    for (i64 place = row->first, length; place < row->last; place += length) {
        depthwise_move(&b, p, row, place);
        length = depthwise_length(p, &b, row, place);
        if (first < whole) depthwise_plain(p, f, &b, first, whole, LANES, length);
        if (whole == last) continue;
        const i64 end = b.src_end + (length - b.count) * b.column + whole * LANES;
        if (p->plain && end <= p->src_end)
            depthwise_plain(p, f, &b, whole, last, rest, length);
        else
            depthwise_rest(p, f, EPILOGUE_PASS, &b, whole, last, row, length);
    }
}

#undef LANES

/* Row number `row` of the outputs, or two of them at once. Returns the number. */
INLINE int depthwise_rows(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                          EPILOGUE_ARGS, i64 part, i64 row, i64 last, i64 index) {
    bool whole = false;
    const int rows = p->lines ? depthwise_some_lines(p, f, part, row, last, index, &whole) : 1;
    for (int i = 0; i < rows && !whole; i++) {
        struct depthwise_item item = depthwise_item(p, part, row + i, index);
        if (p->lines) item.first = item.last - 1;
        depthwise_row(p, f, EPILOGUE_PASS, &item);
    }
    return rows;
}

/* Range: parts of rows, groups of rows, batches x pieces of channels. Rows of a group share pixels, which
 * stay in the cache. */
#if WANTED(f32_depthwise_6x16)
kernel void f32_depthwise_6x16(ITEM global const float *src, global const float *weights,
                               global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                               constant struct depthwise_params *p) {
    const struct depthwise_buffers f = {src, weights + p->weights_offset, bias, dst};
    const i64 rows = p->images.places[0] * p->images.places[1], row = get_global_id(1) * p->rows;
    const i64 last = row + p->rows < rows ? row + p->rows : rows;
    for (i64 i = row; i < last;)
        i += depthwise_rows(p, &f, EPILOGUE_PASS, get_global_id(0), i, last, get_global_id(2));
}
#endif
