/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-last f32 images. A block of adjacent outputs in a row by a vector of
 * channels is computed at once, in registers. Every output is one chain of fma over the taps inside the
 * image. 16 lanes suit AVX2 too: there they are two independent chains.
 */
#include "kernels/lib/depthwise_block.h"

#define LANES 16
#include "kernels/lib/lanes.h"

struct depthwise_buffers {
    global const float *src, *weights;
    global const uchar *bias;
    global uchar *dst;
};

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

/* The full panels of a block of m outputs, with bias and activation; or only the sums of the first panel, in
 * `sums`. */
INLINE void depthwise_panels(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                             const struct depthwise_block *b, i64 first, i64 last, const int m, VEC *sums) {
    i64 bias_step = p->has_bias ? LANES : 0;
    global const float *src = f->src + b->src + first * LANES;
    global const float *bias = (global const float *)f->bias + p->bias_offset + first * bias_step;
    global const float *weights = f->weights + b->weights + first * p->weights_panel;
    global float *dst = (global float *)f->dst + b->dst + first * LANES;
#pragma nounroll
    for (i64 panel = first; panel < last; panel++) {
        VEC acc[DEPTHWISE_BLOCK];
        depthwise_sums(b, src, weights, m, acc);
        if (sums) {
#pragma unroll
            for (int r = 0; r < m; r++)
                sums[r] = acc[r];
            return;
        }
        if (p->has_bias)
#pragma unroll
            for (int r = 0; r < m; r++)
                acc[r] += VLOAD(0, bias);
        if (p->activation.alg)
#pragma unroll
            for (int r = 0; r < m; r++)
                acc[r] = activation_apply(&p->activation, acc[r]);
#pragma unroll
        for (int r = 0; r < m; r++)
            VSTORE(acc[r], 0, dst + r * b->dst_column);
        src += LANES, bias += bias_step, dst += LANES, weights += p->weights_panel;
    }
}

/* Separate functions, so that each has all registers to itself. */
#define DEPTHWISE_PANELS_OF(m)                                                                               \
    OUTLINE void depthwise_##m(constant struct depthwise_params *p, const struct depthwise_buffers *f,       \
                               const struct depthwise_block *b, i64 first, i64 last, VEC *sums) {            \
        depthwise_panels(p, f, b, first, last, m, sums);                                                     \
    }
DEPTHWISE_PANELS_OF(1)
DEPTHWISE_PANELS_OF(2)
DEPTHWISE_PANELS_OF(3)
DEPTHWISE_PANELS_OF(4)
DEPTHWISE_PANELS_OF(6)
INLINE void depthwise_any(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                          const struct depthwise_block *b, i64 first, i64 last, VEC *sums) {
    switch (b->count) {
    case 1: depthwise_1(p, f, b, first, last, sums); break;
    case 2: depthwise_2(p, f, b, first, last, sums); break;
    case 3: depthwise_3(p, f, b, first, last, sums); break;
    case 4: depthwise_4(p, f, b, first, last, sums); break;
    case 6: depthwise_6(p, f, b, first, last, sums); break;
    }
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
        depthwise_any(p, f, b, panel, panel + 1, sums);
    depthwise_store(p, f, EPILOGUE_PASS, b, channel, count, sums);
}

/* Range: parts of rows, rows, batches x pieces of channels. */
#if WANTED(f32_depthwise_6x16)
kernel void f32_depthwise_6x16(ITEM global const float *src, global const float *weights,
                               global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                               constant struct depthwise_params *p) {
    const struct depthwise_buffers f = {src, weights + p->weights_offset, bias, dst};
    const struct depthwise_item part =
            depthwise_item(p, get_global_id(0), get_global_id(1), get_global_id(2));
    const struct window_row row = part.row;
    const i64 first = part.first, last = part.last, full = p->images.channels / LANES;
    const i64 whole = !p->plain ? first : last < full ? last : full;
    struct depthwise_block b = depthwise_begin(p, &row);
    for (i64 place = row.first; place < row.last; place += b.count) {
        depthwise_move(&b, p, &row, place);
        depthwise_any(p, &f, &b, first, whole, 0);
        for (i64 panel = whole; panel < last; panel++)
            depthwise_panel(p, &f, EPILOGUE_PASS, &b, panel);
    }
}
#endif
#undef LANES
