/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of doubles for CPU-class devices: gemm.cl with tiles of half as many
 * elements, and without post-ops, which are launches that follow, except an activation after a depthwise
 * convolution. A panel that ends behind the last channel of weights that are not packed begins earlier, and
 * the channels before its own are left out.
 *
 * Range: as in gemm.cl.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/params_f64.h"

/* Where a work-item's tile begins. */
struct f64_tile {
    global const double *src, *weights;
    struct gemm_place at;
    int first, count; /* channels that are left out, and channels that exist */
};

INLINE struct f64_tile f64_locate(constant struct gemm_params *p, u32 step, global const double *src,
                                  global const double *weights, i64 tile, i64 panel, i64 batch, int width) {
    struct f64_tile t = {.at = gemm_place(p, step, tile, panel, batch, width)};
    const i64 left = p->channels - t.at.channel;
    t.count = (int)(left < width ? left : width);
    t.first = t.count < width && p->weights_depth > width ? width - t.count : 0;
    t.src = src + t.at.src;
    t.weights = weights + t.at.weights - t.first;
    return t;
}

/* The columns of a tile that exist. */
INLINE int f64_columns(constant struct gemm_params *p, const struct f64_tile *t) {
    const i64 left = p->columns - t->at.column;
    return (int)(left < p->tile ? left : p->tile);
}

/* The bias of `count` channels, or zeros that change nothing. */
INLINE void f64_bias(global const uchar *bias, i64 offset, int count, bool exists, double *to) {
    for (int n = 0; n < count; n++)
        to[n] = exists ? ((global const double *)bias)[offset + n] : -0.0;
}

/* quant_value of a scale that is f32. */
INLINE float f64_scale(const struct epilogue_state *e, constant struct quant_source *q, const i64 *position) {
    if (q->from == QUANT_NONE) return 1.0f;
    if (q->from == QUANT_SCALAR) return as_float(e->scalars.values[q->index]);
    return ((global const float *)e->buffers[q->index])[quant_offset(q, position)];
}

/* The scales of src and weights, which are the same for all rows. That of src is one number. */
INLINE void f64_scales(constant struct gemm_params *p, const struct f64_tile *t,
                       const struct epilogue_state *e, double *to) {
    constant struct quant_source *q = &p->epilogue.weights_scale;
    i64 position[TENSOR_DIMS];
    gemm_position(p, &t->at, t->at.column, t->at.channel, position);
    const double all = (double)f64_scale(e, &p->epilogue.src_scale, position);
    const i64 step = q->from == QUANT_BUFFER ? q->stride[p->channel_dim] : 0;
    double scale = all * (double)f64_scale(e, q, position);
#pragma nounroll
    for (int n = 0; n < t->count; n++) {
        if (step && n > 0) {
            position[p->channel_dim]++;
            scale = all * (double)f64_scale(e, q, position);
        }
        to[n] = scale;
    }
}

/* Scales, bias and stores of a tile, whose rows are `width` doubles apart. */
OUTLINE void f64_store_tile(constant struct gemm_params *p, const struct f64_tile *t,
                            const struct epilogue_state *e, global const uchar *bias, global uchar *dst,
                            int columns, int width, const double *out) {
    global double *to = (global double *)dst + t->at.dst;
    double added[F64_WIDEST], scale[F64_WIDEST];
    f64_bias(bias, t->at.bias, t->count, p->has_bias, added);
    if (p->scaled) f64_scales(p, t, e, scale);
    out += t->first;
    for (int r = 0; r < columns; r++, out += width, to += p->dst_column)
        for (int n = 0; n < t->count; n++)
            to[n] = (p->scaled ? out[n] * scale[n] : out[n]) + added[n];
}

/* Few rows by weights that are dense along the reduction: each output is a sum of eight chains. */
enum { DOT_OUTPUTS = 4 };

/* acc[row][output] += `steps` vectors of the reduction, for a few rows. Callers pass `rows` as a constant. */
INLINE void f64_dot_steps(global const double *a, i64 a_row, global const double *w, const i64 *w_output,
                          i64 steps, const int rows, double8 *to) {
    double8 acc[4 * DOT_OUTPUTS];
#pragma unroll
    for (int i = 0; i < rows * DOT_OUTPUTS; i++)
        acc[i] = to[i];
#pragma nounroll
    for (i64 k = 0; k < steps; k++) {
        double8 y[DOT_OUTPUTS];
#pragma unroll
        for (int n = 0; n < DOT_OUTPUTS; n++)
            y[n] = vload8(k, w + w_output[n]);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const double8 x = vload8(k, a + r * a_row);
#pragma unroll
            for (int n = 0; n < DOT_OUTPUTS; n++)
                acc[r * DOT_OUTPUTS + n] = fma(x, y[n], acc[r * DOT_OUTPUTS + n]);
        }
    }
#pragma unroll
    for (int i = 0; i < rows * DOT_OUTPUTS; i++)
        to[i] = acc[i];
}

/* The sum of the chains, and of the last elements of the reduction. */
INLINE double f64_dot_end(double8 chains, global const double *a, global const double *w, i64 first,
                          i64 last) {
    const double4 four = chains.lo + chains.hi;
    const double2 two = four.lo + four.hi;
    double sum = two.x + two.y;
#pragma nounroll
    for (i64 k = first; k < last; k++)
        sum = fma(a[k], w[k], sum);
    return sum;
}

/* A few outputs of all rows: out[row][output]. A piece of the weights is in the L1 cache for all rows. */
INLINE void f64_dots(constant struct gemm_params *p, const struct f64_tile *t, const int rows, int output,
                     double *out) {
    enum { PIECE = 64 }; /* vectors */
    const i64 step = p->weights_panel / F64_DOT_WIDTH, steps = p->depth / 8;
    double8 acc[F64_DOT_HEIGHT * DOT_OUTPUTS];
    i64 at[DOT_OUTPUTS];
    for (int n = 0; n < DOT_OUTPUTS; n++)
        at[n] = (output + n < t->count ? output + n : t->count - 1) * step;
    for (int i = 0; i < rows * DOT_OUTPUTS; i++)
        acc[i] = (double8)(0.0);
    for (i64 first = 0; first < steps; first += PIECE) {
        const i64 count = steps - first < PIECE ? steps - first : PIECE;
        global const double *a = t->src + 8 * first, *w = t->weights + 8 * first;
        int r = 0;
#if defined(__AVX512F__) /* and 32 registers */
        for (; r + 4 <= rows; r += 4)
            f64_dot_steps(a + r * p->src_column, p->src_column, w, at, count, 4, acc + r * DOT_OUTPUTS);
#endif
        for (; r < rows; r++)
            f64_dot_steps(a + r * p->src_column, p->src_column, w, at, count, 1, acc + r * DOT_OUTPUTS);
    }
    for (int i = 0; i < rows * DOT_OUTPUTS; i++) {
        const int r = i / DOT_OUTPUTS, n = i % DOT_OUTPUTS;
        out[r * F64_DOT_WIDTH + output + n] =
                f64_dot_end(acc[i], t->src + r * p->src_column, t->weights + at[n], 8 * steps, p->depth);
    }
}

#if WANTED(f64_dot_16x8)
kernel void f64_dot_16x8(ITEM global const double *src, global const double *weights,
                         global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                         constant struct gemm_params *p) {
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const struct f64_tile t = f64_locate(p, scalars.step, src, weights, GEMM_TILE(p), GEMM_PANEL(p),
                                         get_global_id(2), F64_DOT_WIDTH);
    const int columns = f64_columns(p, &t);
    double out[F64_DOT_HEIGHT * F64_DOT_WIDTH];
    for (int output = 0; output < F64_DOT_WIDTH; output += DOT_OUTPUTS)
        f64_dots(p, &t, columns, output, out);
    f64_store_tile(p, &t, &e, bias, dst, columns, F64_DOT_WIDTH, out);
}
#endif

#define DOUBLES
#include "kernels/lib/depthwise_lines.h"

/* acc[r] = the sum of the window at output r of m for half a panel. Callers pass m as a constant. */
INLINE void f64_depthwise_sums(const struct depthwise_block *b, global const double *src,
                               global const double *weights, const int m, double8 *acc) {
#pragma unroll
    for (int r = 0; r < m; r++)
        acc[r] = (double8)(0.0);
#pragma nounroll
    for (i64 k0 = 0; k0 < b->taps[0]; k0++)
#pragma nounroll
        for (i64 k1 = 0; k1 < b->taps[1]; k1++) {
            global const double *a = src + k0 * b->step[0] + k1 * b->step[1];
            global const double *w = weights + k0 * b->weights_step[0] + k1 * b->weights_step[1];
#pragma nounroll
            for (i64 k2 = 0; k2 < b->taps[2]; k2++, a += b->step[2], w += b->weights_step[2]) {
                const double8 y = vload8(0, w);
#pragma unroll
                for (int r = 0; r < m; r++)
                    acc[r] = fma(vload8(0, a + r * b->column), y, acc[r]);
            }
        }
}

/* The same for `count` channels of one output, which may be the last of src. */
OUTLINE void f64_depthwise_each(const struct depthwise_block *b, global const double *src,
                                global const double *weights, int count, double *out) {
    for (int c = 0; c < count; c++) {
        double sum = 0.0;
        for (i64 k0 = 0; k0 < b->taps[0]; k0++)
            for (i64 k1 = 0; k1 < b->taps[1]; k1++)
#pragma nounroll
                for (i64 k2 = 0; k2 < b->taps[2]; k2++) {
                    const i64 at = k0 * b->step[0] + k1 * b->step[1] + k2 * b->step[2];
                    const i64 w = k0 * b->weights_step[0] + k1 * b->weights_step[1] + k2 * b->weights_step[2];
                    sum = fma(src[at + c], weights[w + c], sum);
                }
        out[c] = sum;
    }
}

/* Half a panel of a block of outputs: out[output][channel]. */
INLINE void f64_depthwise_half(const struct depthwise_block *b, global const double *src,
                               global const double *weights, int count, double *out) {
    double8 *acc = (double8 *)out;
    if (count < 8)
        for (int r = 0; r < b->count; r++)
            f64_depthwise_each(b, src + r * b->column, weights, count, out + 8 * r);
    else if (b->count == DEPTHWISE_BLOCK)
        f64_depthwise_sums(b, src, weights, DEPTHWISE_BLOCK, acc);
    else
        for (int r = 0; r < b->count; r++)
            f64_depthwise_sums(b, src + r * b->column, weights, 1, acc + r);
}

/* The end of half a panel that begins at `channel`. */
INLINE void f64_depthwise_store(constant struct depthwise_params *p, const struct depthwise_block *b,
                                global const uchar *bias, global uchar *dst, i64 channel, int count,
                                const double *out) {
    global double *to = (global double *)dst + b->dst + channel;
    double added[8];
    f64_bias(bias, p->bias_offset + channel, count, p->has_bias, added);
    for (int r = 0; r < b->count; r++, out += 8, to += b->dst_column) {
        const double8 x = activation_apply(&p->activation, vload8(0, out) + vload8(0, added));
        if (count == 8) {
            vstore8(x, 0, to);
            continue;
        }
        double each[8];
        vstore8(x, 0, each);
        for (int c = 0; c < count; c++)
            to[c] = each[c];
    }
}

INLINE void f64_depthwise_row(constant struct depthwise_params *p, const struct depthwise_item *item,
                              const struct depthwise_buffers *f) {
    struct depthwise_block b = depthwise_begin(p, &item->row);
    const i64 end = item->last * DEPTHWISE_PANEL;
    const i64 channels = end < p->images.channels ? end : p->images.channels;
    for (i64 place = item->row.first; place < item->row.last; place += b.count) {
        depthwise_move(&b, p, &item->row, place);
        for (i64 channel = item->first * DEPTHWISE_PANEL; channel < channels; channel += 8) {
            const i64 panel = channel / DEPTHWISE_PANEL, within = channel - panel * DEPTHWISE_PANEL;
            const int count = (int)(channels - channel < 8 ? channels - channel : 8);
            double8 out[DEPTHWISE_BLOCK];
            f64_depthwise_half(&b, f->src + b.src + channel,
                               f->weights + b.weights + panel * p->weights_panel + within, count,
                               (double *)out);
            f64_depthwise_store(p, &b, f->bias, f->dst, channel, count, (double *)out);
        }
    }
}

/* Row number `row` of the outputs, or two of them at once. Returns the number. */
INLINE int f64_depthwise_rows(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                              i64 part, i64 row, i64 last, i64 index) {
    bool whole = false;
    const int rows = p->lines ? depthwise_some_lines(p, f, part, row, last, index, &whole) : 1;
    for (int i = 0; i < rows && !whole; i++) {
        struct depthwise_item item = depthwise_item(p, part, row + i, index);
        if (p->lines) item.first = item.last - 1;
        f64_depthwise_row(p, &item, f);
    }
    return rows;
}

/* Range: as in lib/depthwise.h. */
#if WANTED(f64_depthwise_6x16)
kernel void f64_depthwise_6x16(ITEM global const double *src, global const double *weights,
                               global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                               constant struct depthwise_params *p) {
    const struct depthwise_buffers f = {src, weights + p->weights_offset, bias, dst};
    const i64 rows = p->images.places[0] * p->images.places[1], row = get_global_id(1) * p->rows;
    const i64 last = row + p->rows < rows ? row + p->rows : rows;
    for (i64 i = row; i < last;)
        i += f64_depthwise_rows(p, &f, get_global_id(0), i, last, get_global_id(2));
}
#endif

/* Range: blocks of eight columns x parts. */
#if WANTED(f64_sums)
kernel void f64_sums(ITEM global const double *src, global double *dst, constant struct f64_sums_params *p) {
    const i64 blocks = (p->columns + 7) / 8, index = get_global_id(0), part = index / blocks;
    const i64 column = (index - part * blocks) * 8, left = p->columns - column, first = part * p->part;
    const i64 last = first + p->part < p->rows ? first + p->part : p->rows;
    if (part >= p->parts) return;
    global const double *from = src + p->src_offset + column;
    global double *to = dst + p->dst_offset + part * p->columns + column;
    if (left >= 8) {
        double8 sum = (double8)(0.0);
#pragma nounroll
        for (i64 r = first; r < last; r++)
            sum += vload8(0, from + r * p->src_row);
        vstore8(sum, 0, to);
        return;
    }
    for (i64 c = 0; c < left; c++) {
        double sum = 0.0;
#pragma nounroll
        for (i64 r = first; r < last; r++)
            sum += from[r * p->src_row + c];
        to[c] = sum;
    }
}
#endif

#define SPACE global

#define LANES 8
#define NAME(name) name##_14x16
#define HEIGHT 14
#define KEEP KEEP_ORDER_64
#include "kernels/lib/f64_tile.h"

#define LANES 4
#define NAME(name) name##_6x8
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/f64_tile.h"
#undef SPACE
#undef DOUBLES
