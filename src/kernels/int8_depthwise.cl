/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-last images of bytes for CPU-class devices. A block of adjacent outputs
 * in a row by a vector of channels is computed at once, in registers. Sums are exact, so their order does not
 * matter; scales, bias and post-ops follow in a fixed order.
 */
#include "kernels/lib/depthwise_block.h"
#include "kernels/lib/epilogue.h"

#define LANES 16
#include "kernels/lib/store_lanes.h"

#if defined(__AVX512F__)
#define MANY_REGISTERS 1
#else
#define MANY_REGISTERS 0
#endif

/* Native code finishes panels with fewer channels than lanes as whole vectors, in memory of its own; OpenCL C
 * has no pointers that are either to that or to dst. */
#if defined(__OPENCL_C_VERSION__)
#define PARTIAL_BYTES 0
#define BYTES_OF(count_, dst_, own_) ((count_) == LANES ? (dst_) : 0)
#else
#define PARTIAL_BYTES 1
#define BYTES_OF(count_, dst_, own_) ((count_) == LANES ? (dst_) : (own_))
#endif

struct int8_buffers {
    global const uchar *src;
    global const char *weights;
    global const uchar *bias;
    global uchar *dst;
};

/* What all outputs of a panel share, and what all panels do. */
struct int8_panel {
    VEC scale, bias; /* of folded results: including the scales of src and dst and the zero point of dst */
    IVEC column[10]; /* weights of a window of 3x3 or 5x5 taps, and where its sums start */
    IVEC start;
};
struct int8_common {
    int zero;      /* of src */
    int quick;     /* results may be divided with the help of `inverse`, of dst_scale */
    int folded;    /* and are limited to low and high, so that one multiplication does it all */
    int low_first; /* the lower limit comes first: that is what becomes of NaN */
    VEC low, high;
    VEC src_scale, dst_scale, inverse, dst_zero;
};

/* Sixteen bytes as integers. Products of widened bytes fit 16-bit instructions, which compilers choose. */
INLINE IVEC int8_load(global const uchar *from, const bool sign) {
    return sign ? convert_int16(vload16(0, (global const char *)from)) : convert_int16(vload16(0, from));
}

/* A row of a window of three adjacent taps at adjacent positions: what several outputs read is loaded once.
 */
INLINE void int8_row_of_3(const struct depthwise_block *b, global const uchar *a, global const char *w,
                          const int m, const bool sign, IVEC *acc) {
    IVEC x[DEPTHWISE_BLOCK + 2];
#pragma unroll
    for (int r = 0; r < m + 2; r++)
        x[r] = int8_load(a + r * b->column, sign);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const IVEC y = convert_int16(vload16(0, w + k * b->weights_step[2]));
        acc[m] += y;
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[r] += x[r + k] * y;
    }
}

INLINE void int8_row(const struct depthwise_block *b, global const uchar *a, global const char *w,
                     const int m, const bool sign, IVEC *acc) {
#pragma nounroll
    for (i64 k = 0; k < b->taps[2]; k++, a += b->step[2], w += b->weights_step[2]) {
        const IVEC y = convert_int16(vload16(0, w));
        acc[m] += y;
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[r] += int8_load(a + r * b->column, sign) * y;
    }
}

/* acc[r] = the sum of the window at output r of m; acc[m] = the sum of its weights. Callers pass m and `sign`
 * as constants. */
INLINE void int8_sums(const struct depthwise_block *b, global const uchar *src, global const char *weights,
                      const int m, const bool sign, IVEC *acc) {
    const bool of_3 = MANY_REGISTERS && b->taps[2] == 3 && b->column == b->step[2];
#pragma unroll
    for (int r = 0; r <= m; r++)
        acc[r] = (IVEC)(0);
#pragma nounroll
    for (i64 k0 = 0; k0 < b->taps[0]; k0++)
#pragma nounroll
        for (i64 k1 = 0; k1 < b->taps[1]; k1++) {
            global const uchar *a = src + k0 * b->step[0] + k1 * b->step[1];
            global const char *w = weights + k0 * b->weights_step[0] + k1 * b->weights_step[1];
            if (of_3)
                int8_row_of_3(b, a, w, m, sign, acc);
            else
                int8_row(b, a, w, m, sign, acc);
        }
}

/* The same for `count` channels, one at a time: nothing beyond them is read. */
OUTLINE void int8_sums_each(const struct depthwise_block *b, global const uchar *src,
                            global const char *weights, int sign, int count, IVEC *out) {
    for (int r = 0; r <= b->count; r++) {
        int sums[LANES] = {0};
        for (int c = 0; c < count; c++)
            for (i64 k0 = 0; k0 < b->taps[0]; k0++)
                for (i64 k1 = 0; k1 < b->taps[1]; k1++)
#pragma nounroll
                    for (i64 k2 = 0; k2 < b->taps[2]; k2++) {
                        i64 at = k0 * b->step[0] + k1 * b->step[1] + k2 * b->step[2] + r * b->column + c;
                        i64 w = k0 * b->weights_step[0] + k1 * b->weights_step[1] + k2 * b->weights_step[2];
                        int x = r == b->count ? 1 : sign ? ((global const char *)src)[at] : src[at];
                        sums[c] += x * weights[w + c];
                    }
        out[r] = VLOAD(0, sums);
    }
}

/* Takes the zero point of src from m sums; the sum of weights follows them. */
INLINE void int8_compensate(const struct int8_common *c, int m, IVEC *sums) {
    const UVEC less = AS_UVEC(sums[m]) * (UVEC)((uint)c->zero);
#pragma unroll
    for (int r = 0; r < m; r++)
        sums[r] = AS_IVEC(AS_UVEC(sums[r]) - less);
}

/* Limits of stored bytes. */
INLINE void int8_limits(constant struct int8_depthwise_params *q, float inverse, float zero,
                        struct int8_common *c) {
    const bool clip = q->depthwise.activation.alg != 0;
    const float low = q->low * inverse + zero, high = q->high * inverse + zero;
    c->folded = c->quick && q->limited;
    c->low_first = clip || q->nan == q->least;
    c->low = V(!clip || low < q->least ? q->least : low > q->most ? q->most : low);
    c->high = V(!clip || high > q->most ? q->most : high < q->least ? q->least : high);
}

INLINE void int8_common(constant struct int8_depthwise_params *q, const struct epilogue_state *e,
                        struct int8_common *c) {
    constant struct epilogue *ep = e->epilogue;
    i64 position[TENSOR_DIMS];
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
    c->zero = quant_integer(e, &q->src_zero_point, position);
    c->src_scale = V(quant_value(e, &ep->src_scale, position, 1.0f));
    c->dst_scale = V(quant_value(e, &ep->dst_scale, position, 1.0f));
    c->inverse = V(f32_div(1.0f, c->dst_scale.x));
    c->quick = q->bytes && c->dst_scale.x > 0x1p-60f && c->dst_scale.x < 0x1p60f;
    c->dst_zero = V(quant_value(e, &ep->dst_zero_point, position, 0.0f));
    int8_limits(q, c->inverse.x, c->dst_zero.x, c);
}

/* Zero times a scale is zero, even where a product of scales overflows. */
INLINE VEC int8_finite(VEC x) {
    const VEC most = V(0x1.fffffep127f), y = x > most ? most : x;
    return y < -most ? -most : y;
}

/* Scales and biases of panels `first` to `last` - 1. */
INLINE void int8_panels(constant struct depthwise_params *p, const struct epilogue_state *e,
                        const struct int8_common *c, global const uchar *bias, i64 first, i64 last,
                        struct int8_panel *panels) {
    i64 position[TENSOR_DIMS];
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
#pragma nounroll
    for (i64 panel = first; panel < last; panel++, panels++) {
        const i64 channel = panel * LANES, left = p->images.channels - channel;
        const int count = left < LANES ? (int)left : LANES;
        position[1] = channel;
        epilogue_quant(&panels->scale, e, &p->epilogue.weights_scale, position, 1, count, 1.0f);
        panels->bias = V(-0.0f); /* changes nothing */
        if (p->has_bias) epilogue_bias(&panels->bias, bias, p->bias_type, p->bias_offset + channel, count);
        if (!c->folded || (count < LANES && !PARTIAL_BYTES)) continue; /* folded results are whole vectors */
        panels->scale = int8_finite(panels->scale * (c->src_scale * c->inverse));
        panels->bias = panels->bias * c->inverse + c->dst_zero;
    }
}

/* Everything after the sum; what depends on the position, only where something does. */
INLINE VEC int8_finish(constant struct int8_depthwise_params *q, const struct epilogue_state *e,
                       const struct int8_common *c, const struct int8_panel *panel,
                       const struct depthwise_block *b, VEC x, int r, i64 channel, int count) {
    constant struct depthwise_params *p = &q->depthwise;
    x = x * c->src_scale * panel->scale + panel->bias;
    x = activation_apply(&p->activation, x);
    if (q->by_position) {
        i64 position[TENSOR_DIMS];
        depthwise_position(p, b, r, channel, position);
        epilogue_apply(e, &x, position, 1, count);
        return x;
    }
    if (p->epilogue.dst_scale.from != QUANT_NONE) x = f32_div(x, c->dst_scale);
    if (p->epilogue.dst_zero_point.from != QUANT_NONE) x += c->dst_zero;
    return x;
}

/* All outputs of a block of m, where results are bytes and depend only on the channel. Bytes have no negative
 * zero: absent terms are 0 and can simply be added. A quotient is the product with the inverse, corrected
 * once: divisions would take longer than the sums. */
INLINE void int8_store_bytes(constant struct int8_depthwise_params *q, const struct int8_common *c,
                             const struct int8_panel *panel, const IVEC *sums, const int m, i64 column,
                             global uchar *dst) {
    const VEC scale = c->src_scale * panel->scale, bias = panel->bias, inverse = c->inverse;
    VEC x[DEPTHWISE_BLOCK];
#pragma unroll
    for (int r = 0; r < m; r++)
        x[r] = activation_apply(&q->depthwise.activation, TO_VEC(sums[r]) * scale + bias);
#pragma unroll
    for (int r = 0; r < m; r++) {
        const VEC quotient = x[r] * inverse;
        x[r] = fma(fma(-quotient, c->dst_scale, x[r]), inverse, quotient) + c->dst_zero;
    }
#pragma unroll
    for (int r = 0; r < m; r++)
        VSTORE(TO_BYTES(lanes_byte(x[r], q->least, q->most, q->nan)), 0, dst + r * column);
}

/* The same where results are folded. */
INLINE void int8_store_folded(const struct int8_common *c, const struct int8_panel *panel, const IVEC *sums,
                              const int m, i64 column, global uchar *dst) {
    const VEC scale = panel->scale, bias = panel->bias, low = c->low, high = c->high;
    VEC x[DEPTHWISE_BLOCK];
#pragma unroll
    for (int r = 0; r < m; r++)
        x[r] = TO_VEC(sums[r]) * scale + bias;
    if (c->low_first)
#pragma unroll
        for (int r = 0; r < m; r++)
            x[r] = x[r] > low ? x[r] : low;
#pragma unroll
    for (int r = 0; r < m; r++) {
        x[r] = x[r] < high ? x[r] : high;
        x[r] = x[r] > low ? x[r] : low;
        VSTORE(TO_BYTES(AS_UVEC(x[r] + V(0x1.8p23f)) & 0xffu), 0, dst + r * column);
    }
}

/* Stores bytes to `dst`, or sums to `out`. */
INLINE void int8_deliver(constant struct int8_depthwise_params *q, const struct int8_common *c,
                         const struct int8_panel *panel, const IVEC *sums, const int m, i64 column,
                         global uchar *dst, IVEC *out) {
    if (dst && c->folded)
        int8_store_folded(c, panel, sums, m, column, dst);
    else if (dst)
        int8_store_bytes(q, c, panel, sums, m, column, dst);
    else
        for (int r = 0; r < m; r++)
            out[r] = sums[r];
}

/* The same for sums of any number of outputs. */
OUTLINE void int8_deliver_each(constant struct int8_depthwise_params *q, const struct int8_common *c,
                               const struct int8_panel *panel, const IVEC *sums, int m, i64 column,
                               global uchar *dst) {
#pragma nounroll
    for (int r = 0; r < m; r++)
        int8_deliver(q, c, panel, sums + r, 1, column, dst + r * column, 0);
}

/* The first `count` bytes of each vector of a block. */
OUTLINE void int8_copy_partial(const uchar *from, int m, int count, global uchar *dst, i64 column) {
    for (int r = 0; r < m; r++, from += LANES, dst += column)
#pragma nounroll
        for (int k = 0; k < count; k++)
            dst[k] = from[k];
}

/* Separate functions, so that each has all registers to itself. */
#define INT8_SUMS(m)                                                                                         \
    OUTLINE void int8_sums_##m(constant struct int8_depthwise_params *q, const struct int8_common *c,        \
                               const struct int8_panel *panel, const struct depthwise_block *b,              \
                               global const uchar *src, global const char *weights, global uchar *dst,       \
                               IVEC *out) {                                                                  \
        IVEC acc[m + 1];                                                                                     \
        if (q->is_signed)                                                                                    \
            int8_sums(b, src, weights, m, true, acc);                                                        \
        else                                                                                                 \
            int8_sums(b, src, weights, m, false, acc);                                                       \
        int8_compensate(c, m, acc);                                                                          \
        int8_deliver(q, c, panel, acc, m, b->dst_column, dst, out);                                          \
    }
INT8_SUMS(1)
INT8_SUMS(2)
INT8_SUMS(3)
INT8_SUMS(4)
INT8_SUMS(6)

#if defined(__AVX512VNNI__)
#include "kernels/lib/int8_square.h"
#else
struct int8_square {
    int taps;
};
#define square_begin(n, q, f, c, item, panels)
#define square_row(n, p, f, item)
#define square_move(n, b, p, row, place)
#define square_block(n, q, c, panel, b, channel, bytes, sums)
#endif

/* A block of one panel. Reading past its channels gives those of the next pixel, which is harmless except at
 * the very end of src. */
INLINE void int8_block(constant struct int8_depthwise_params *q, const struct int8_buffers *f,
                       const struct epilogue_state *e, const struct int8_common *c,
                       const struct int8_panel *panel, const struct int8_square *square,
                       struct depthwise_block *b, i64 index) {
    constant struct depthwise_params *p = &q->depthwise;
    const i64 channel = index * LANES, left = p->images.channels - channel;
    const int count = left < LANES ? (int)left : LANES;
    global const uchar *src = f->src + b->src + channel;
    global const char *weights = f->weights + b->weights + index * p->weights_panel;
    i64 dst = b->dst + channel;
    const i64 column = b->dst_column;
    uchar own[DEPTHWISE_BLOCK * LANES];
    global uchar *bytes = c->quick ? BYTES_OF(count, f->dst + dst, own) : 0;
    if (bytes && count < LANES) b->dst_column = LANES;
    IVEC sums[DEPTHWISE_BLOCK + 1];
    if (square->taps) {
        square_block(square, q, c, panel, b, channel, bytes, sums);
    } else if (count < LANES && b->src_end + channel > p->src_end) {
        int8_sums_each(b, src, weights, q->is_signed, count, sums);
        int8_compensate(c, b->count, sums);
        if (bytes) int8_deliver_each(q, c, panel, sums, b->count, b->dst_column, bytes);
    } else {
        switch (b->count) {
        case 1: int8_sums_1(q, c, panel, b, src, weights, bytes, sums); break;
        case 2: int8_sums_2(q, c, panel, b, src, weights, bytes, sums); break;
        case 3: int8_sums_3(q, c, panel, b, src, weights, bytes, sums); break;
        case 4: int8_sums_4(q, c, panel, b, src, weights, bytes, sums); break;
        case 6: int8_sums_6(q, c, panel, b, src, weights, bytes, sums); break;
        }
    }
    b->dst_column = column;
    if (bytes && count < LANES) int8_copy_partial(own, b->count, count, f->dst + dst, column);
    if (bytes) return;
#pragma nounroll
    for (int r = 0; r < b->count; r++, dst += b->dst_column) {
        const IVEC sum = sums[r];
        if (q->bare)
            store_lanes((global int *)f->dst, dst, sum, count);
        else
            store_lanes(f->dst, p->epilogue.type, dst,
                        int8_finish(q, e, c, panel, b, TO_VEC(sum), r, channel, count), count);
    }
}

/* A row of outputs. */
INLINE void int8_outputs(constant struct int8_depthwise_params *q, const struct int8_buffers *f,
                         const struct epilogue_state *e, const struct int8_common *c,
                         const struct int8_panel *panels, struct int8_square *square,
                         const struct depthwise_item *item) {
    constant struct depthwise_params *p = &q->depthwise;
    struct depthwise_block b = depthwise_begin(p, &item->row);
    square_row(square, p, f, item);
    for (i64 place = item->row.first; place < item->row.last; place += b.count) {
        if (square->taps)
            square_move(square, &b, p, &item->row, place);
        else
            depthwise_move(&b, p, &item->row, place);
        for (i64 panel = item->first; panel < item->last; panel++)
            int8_block(q, f, e, c, &panels[panel - item->first], square, &b, panel);
    }
}

/* Range: parts of rows, groups of rows, batches x pieces of channels. */
#if WANTED(int8_depthwise_6x16)
kernel void int8_depthwise_6x16(ITEM global const uchar *src, global const char *weights,
                                global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                constant struct int8_depthwise_params *q) {
    constant struct depthwise_params *p = &q->depthwise;
    const struct int8_buffers f = {src, weights + p->weights_offset, bias, dst};
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const i64 all = p->images.places[0] * p->images.places[1], row = (i64)get_global_id(1) * p->rows;
    const i64 last = row + p->rows < all ? row + p->rows : all;
    struct depthwise_item part = depthwise_item(p, get_global_id(0), row, get_global_id(2));
    struct int8_common common;
    struct int8_panel panels[DEPTHWISE_PANELS];
    struct int8_square square = {.taps = 0};
    int8_common(q, &e, &common);
    int8_panels(p, &e, &common, bias, part.first, part.last, panels);
    square_begin(&square, q, &f, &common, &part, panels);
    for (i64 i = row; i < last; i++) {
        part = depthwise_item(p, get_global_id(0), i, get_global_id(2));
        int8_outputs(q, &f, &e, &common, panels, &square, &part);
    }
}
#endif
