/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products of operands of any type for CPU-class devices, computed in f32. A work-item computes some
 * columns by one panel of output channels. It converts weights to f32 a piece of the reduction at a time,
 * into memory that stays in the L1 cache, and multiplies all its columns by each piece. Zero points of
 * weights, and scales that change along the reduction, are applied while they are converted. Every output is
 * one chain of fma over the reduction, so the bits are the same in every run and for any number of threads.
 */
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/lib/widen_block.h"
#include "kernels/params_widening.h"

/* A work-item's tile. */
struct widening_tile {
    global const float *src;
    global const uchar *weights, *bias;
    global uchar *dst;
    int columns, channels;
    struct gemm_place at;
};

/* The groups of a parameter along one dimension: the number of the group that step `k` is in, and the first
 * step of the next one. */
struct group_cursor {
    i64 group, next;
};

INLINE struct group_cursor group_begin(constant struct quant_source *q, int dim, i64 k, i64 end) {
    struct group_cursor c = {.group = 0, .next = end};
    if (q->from != QUANT_BUFFER || q->stride[dim] == 0) return c;
    c.group = k / q->group[dim];
    c.next = (c.group + 1) * q->group[dim];
    return c;
}

INLINE void group_follow(struct group_cursor *c, constant struct quant_source *q, int dim, i64 k) {
    if (k != c->next) return;
    c->group++;
    c->next += q->group[dim];
}

/* Asks for the parameters of a later group. */
INLINE void widening_quant_ahead(const struct widening_tile *t, const struct epilogue_state *e,
                                 constant struct quant_source *q, i64 offset) {
    enum { LINE = 64 };
    i64 bytes = q->type == TYPE_F32 || q->type == TYPE_S32    ? 4
                : q->type == TYPE_F16 || q->type == TYPE_BF16 ? 2
                                                              : 1;
    for (i64 n = 0; n < t->channels * bytes; n += LINE)
        PREFETCH(e->buffers[q->index] + offset * bytes + n);
}

/* A parameter of all channels, which does not change along the reduction until the next group. */
INLINE void widening_quant(const struct widening_tile *t, const struct epilogue_state *e,
                           constant struct quant_source *q, const i64 *position, int dim, i64 offset,
                           i64 step, float none, float *to) {
    enum { AHEAD = 4 };
    if (q->from != QUANT_BUFFER) {
        row_fill(to, quant_value(e, q, position, none), t->channels);
        return;
    }
    i64 group = q->group[dim], stride = q->stride[dim];
    if (group == 1 || stride == 0) {
        if (step != 0) widening_quant_ahead(t, e, q, offset + AHEAD * step);
        row_load(to, e->buffers[q->index], q->type, offset, stride, t->channels);
        return;
    }
    int start = (int)(position[dim] % group);
#pragma nounroll
    for (int n = 0; n < t->channels; n++)
        to[n] = load_f32(e->buffers[q->index], q->type, offset + (start + n) / (int)group * stride);
}

/* Zero points and scales of the channels of a tile, along the reduction. */
struct widening_quants {
    struct group_cursor zeros, scales;
    i64 zero_offset, scale_offset, end;
    i64 position[TENSOR_DIMS];
    float zero[WIDENING_WIDTH], scale[WIDENING_WIDTH];
};

INLINE void widening_quants_begin(constant struct widening_params *p, const struct widening_tile *t,
                                  i64 begin, i64 end, struct widening_quants *q) {
    gemm_position(&p->gemm, &t->at, 0, t->at.channel, q->position);
    q->position[p->depth_dim] = 0;
    q->end = end;
    q->zero_offset = quant_offset(&p->weights_zero_point, q->position);
    q->scale_offset = quant_offset(&p->weights_scale, q->position);
    q->zeros = group_begin(&p->weights_zero_point, p->depth_dim, begin, end);
    q->scales = group_begin(&p->weights_scale, p->depth_dim, begin, end);
}

/* Those of step k; returns the first step that has others. */
OUTLINE i64 widening_quants_next(constant struct widening_params *p, const struct widening_tile *t,
                                 const struct epilogue_state *e, i64 k, struct widening_quants *q) {
    constant struct quant_source *zeros = &p->weights_zero_point, *scales = &p->weights_scale;
    const int dim = p->depth_dim, channels = p->gemm.channel_dim;
    group_follow(&q->zeros, zeros, dim, k);
    group_follow(&q->scales, scales, dim, k);
    widening_quant(t, e, zeros, q->position, channels, q->zero_offset + q->zeros.group * zeros->stride[dim],
                   zeros->stride[dim], 0.0f, q->zero);
    widening_quant(t, e, scales, q->position, channels,
                   q->scale_offset + q->scales.group * scales->stride[dim], scales->stride[dim], 1.0f,
                   q->scale);
    i64 next = q->zeros.next < q->scales.next ? q->zeros.next : q->scales.next;
    return next < q->end ? next : q->end;
}

/* Zero points and scales of a piece. */
INLINE void widening_decompress(constant struct widening_params *p, const struct widening_tile *t,
                                const struct epilogue_state *e, i64 begin, i64 depth, i64 width,
                                float *piece) {
    struct widening_quants q;
    widening_quants_begin(p, t, begin, begin + depth, &q);
    for (i64 k = begin, next; k < begin + depth; k = next) {
        next = widening_quants_next(p, t, e, k, &q);
        for (i64 n = 0; n < t->channels; n += 16) {
            float16 less = vload16(0, q.zero + n), times = vload16(0, q.scale + n);
            for (i64 r = k - begin; r < next - begin; r++)
                vstore16((vload16(0, piece + r * width + n) - less) * times, 0, piece + r * width + n);
        }
    }
}

/* Asks for the next piece, which rows far apart hide from the hardware. */
INLINE void widening_ahead(constant struct widening_params *p, const struct widening_tile *t, i64 begin) {
    enum { LINE_BITS = 512 };
    bool dense = p->weights_channel == 1;
    i64 rows = dense ? p->piece : t->channels, row = dense ? t->channels : p->piece;
    i64 step = dense ? p->gemm.weights_depth : p->weights_channel;
    i64 first = t->at.weights + (begin + p->piece) * p->gemm.weights_depth;
    if (step <= row) return;
    for (i64 r = 0; r < rows; r++)
        for (i64 k = 0; k < row * p->weights_bits; k += LINE_BITS)
            PREFETCH(t->weights + ((first + r * step) * p->weights_bits + k) / 8);
}

/* Sixteen rows of f32 that are whole vectors need not be copied first. */
INLINE bool widening_turn_floats(constant struct widening_params *p, const struct widening_tile *t, i64 first,
                                 i64 depth, int count, i64 width, float *piece) {
#ifdef __OPENCL_C_VERSION__
    return false; /* weights have an address space of their own */
#else
    if (p->weights_type != TYPE_F32 || p->gemm.weights_depth != 1 || count < 16 || depth % 16 != 0)
        return false;
    for (i64 k = 0; k < depth; k += 16)
        widen_transpose(piece + k * width, width, (const float *)t->weights + first + k, p->weights_channel);
    return true;
#endif
}

/* Weights whose channels are not dense: sixteen rows along the reduction at a time become columns. */
INLINE void widening_turn(constant struct widening_params *p, const struct widening_tile *t, i64 offset,
                          i64 depth, i64 width, float *piece) {
    float along[16 * WIDENING_PIECE];
    for (int n = 0; n < t->channels; n += 16) {
        int count = t->channels - n < 16 ? t->channels - n : 16;
        i64 first = offset + n * p->weights_channel;
        if (widening_turn_floats(p, t, first, depth, count, width, piece + n)) continue;
        if (p->gemm.weights_depth == 1)
            widen_block(along, WIDENING_PIECE, t->weights, p->weights_type, first, p->weights_channel, count,
                        depth);
        else
            for (int r = 0; r < count; r++)
                widen_each(along + r * WIDENING_PIECE, t->weights, p->weights_type,
                           first + r * p->weights_channel, p->gemm.weights_depth, depth);
        for (i64 k = 0; k < depth; k += 16)
            widen_transpose(piece + k * width + n, width, along + k, WIDENING_PIECE);
    }
}

/* Integers: the sums of rows of src, sixteen for each, and of columns of weights, which zero points need. */
struct widening_sums {
    int16 rows[WIDENING_FEW];
    int columns[WIDENING_WIDTH];
};

INLINE void widening_count_begin(struct widening_sums *sums) {
    for (int i = 0; i < WIDENING_FEW; i++)
        sums->rows[i] = (int16)(0);
    for (int i = 0; i < WIDENING_WIDTH; i++)
        sums->columns[i] = 0;
}

/* Adds a piece. */
INLINE void widening_count(constant struct widening_params *p, const struct widening_tile *t, i64 begin,
                           i64 depth, i64 width, const float *piece, struct widening_sums *sums) {
    float row[WIDENING_PIECE];
    for (int n = 0; n < t->channels && p->src_zero_point.from != QUANT_NONE; n += 16) {
        int16 sum = vload16(0, sums->columns + n);
        for (i64 k = 0; k < depth; k++)
            sum += convert_int16(vload16(0, piece + k * width + n));
        vstore16(sum, 0, sums->columns + n);
    }
    for (int r = 0; r < t->columns && p->weights_zero_point.from != QUANT_NONE; r++) {
        row_load(row, (global const uchar *)t->src, TYPE_F32, t->at.src + r * p->gemm.src_column + begin, 1,
                 (int)depth);
        for (i64 k = 0; k < depth; k += 16)
            sums->rows[r] += convert_int16(vload16(0, row + k));
    }
}

INLINE int widening_total(int16 v) {
    int8 a = v.lo + v.hi;
    int4 b = a.lo + a.hi;
    return b.x + b.y + b.z + b.w;
}

/* The sums of (src - a) * (weights - b), from those of src * weights: overflow wraps. */
INLINE void widening_restore(constant struct widening_params *p, const struct widening_tile *t,
                             const struct epilogue_state *e, int channel, const struct widening_sums *sums,
                             const struct result_block *b) {
    constant struct quant_source *zeros = &p->weights_zero_point;
    i64 at[TENSOR_DIMS];
    for (int r = 0; r < b->rows; r++) {
        float *x = b->x + r * b->pitch;
        block_position(b, r, at);
        uint src_zero = (uint)quant_integer(e, &p->src_zero_point, at);
        uint row = (uint)widening_total(sums->rows[r]) - (uint)p->gemm.depth * src_zero;
        for (int n = 0; n < b->count; n++, at[b->lanes]++) {
            uint sum = as_uint(x[n]) - src_zero * (uint)sums->columns[channel + n];
            if (zeros->from != QUANT_NONE) sum -= row * (uint)quant_integer(e, zeros, at);
            x[n] = p->bare ? as_float(sum) : (float)(int)sum;
        }
    }
}

/* Finishes and stores the sums of one panel, which begins at this channel of the tile. */
OUTLINE void widening_finish(constant struct widening_params *p, const struct widening_tile *t,
                             const struct epilogue_state *e, int channel, int width,
                             const struct widening_sums *counted, float *sums) {
    constant struct gemm_params *g = &p->gemm;
    int count = t->channels - channel < width ? t->channels - channel : width;
    struct result_block b = {sums, t->columns, count, width, g->column_dim, g->channel_dim, 1, {0}};
    const struct gemm_end end = {
            t->bias,   t->dst,      t->at.bias + channel, t->at.dst + channel,
            p->scaled, p->finished, p->bias_type,         p->bare ? TYPE_F32 : g->epilogue.type};
    if (p->scaled || p->finished) gemm_position(g, &t->at, t->at.column, t->at.channel + channel, b.position);
    if (p->integers) widening_restore(p, t, e, channel, counted, &b);
    gemm_end_block(g, e, &end, &b);
}

#define SPACE private
#define LANES 16
#define NAME(name) name##_14x32
#define HEIGHT 14
#define KEEP KEEP_ORDER_64
#include "kernels/lib/widening_tile.h"

#define LANES 8
#define NAME(name) name##_6x16
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/widening_tile.h"

/* Zero points and scales of weights whose rows run along the reduction. */
INLINE void widening_decompress_rows(constant struct widening_params *p, const struct widening_tile *t,
                                     const struct epilogue_state *e, i64 begin, i64 depth, float *along) {
    struct widening_quants q;
    widening_quants_begin(p, t, begin, begin + depth, &q);
    for (i64 k = begin, next; k < begin + depth; k = next) {
        next = widening_quants_next(p, t, e, k, &q);
        for (int n = 0; n < t->channels; n++)
            for (i64 i = n * WIDENING_PIECE + k - begin; i < n * WIDENING_PIECE + next - begin; i++)
                along[i] = (along[i] - q.zero[n]) * q.scale[n];
    }
}

/* A piece of some rows of weights, and of the columns of src; zeros follow the last step. */
INLINE void widening_rows(constant struct widening_params *p, const struct widening_tile *t,
                          const struct epilogue_state *e, i64 begin, i64 depth, float *along, float *x) {
    widen_block(along, WIDENING_PIECE, t->weights, p->weights_type, t->at.weights + begin, p->weights_channel,
                t->channels, depth);
    widening_ahead(p, t, begin);
    if (p->compressed) widening_decompress_rows(p, t, e, begin, depth, along);
    for (int n = 0; n < t->channels; n++)
        for (i64 k = depth; k < WIDENING_PIECE; k++)
            along[n * WIDENING_PIECE + k] = 0.0f;
    for (int m = 0; m < t->columns; m++)
        row_load(x + m * WIDENING_PIECE, (global const uchar *)t->src, TYPE_F32,
                 t->at.src + m * p->gemm.src_column + begin, 1, (int)depth);
}

/* Adds the products of a column and a row to sixteen sums. */
INLINE float16 widening_dot(const float *x, const float *along, i64 depth, float16 sum) {
    for (i64 k = 0; k < depth; k += 16)
        sum = fma(vload16(0, x + k), vload16(0, along + k), sum);
    return sum;
}

/* acc[m][n]: those of column m and row n; of integers as integers. */
INLINE void widening_dots(constant struct widening_params *p, const struct widening_tile *t, i64 depth,
                          const float *along, const float *x, float16 *acc) {
    for (int m = 0; m < t->columns; m++)
        for (int n = 0; n < t->channels; n++) {
            const float *column = x + m * WIDENING_PIECE, *row = along + n * WIDENING_PIECE;
            float16 *sum = &acc[m * 16 + n];
            if (p->integers)
                *sum = as_float16(as_int16(*sum)
                                  + convert_int16(widening_dot(column, row, depth, (float16)(0.0f))));
            else
                *sum = widening_dot(column, row, depth, *sum);
        }
}

/* The totals of sixteen vectors. */
INLINE float16 widening_totals(constant struct widening_params *p, const float *vectors) {
    float turned[256];
    widen_transpose(turned, 16, vectors, 16);
    float16 total = vload16(0, turned);
    if (p->integers)
        for (int i = 1; i < 16; i++)
            total = as_float16(as_int16(total) + as_int16(vload16(i, turned)));
    else
        for (int i = 1; i < 16; i++)
            total += vload16(i, turned);
    return total;
}

#include "kernels/lib/widening_few.h"
#include "kernels/lib/widening_along.h"

/* For few columns and weights that are dense along the reduction: products of rows, which become floats in
 * memory. */
INLINE void widening_dot_rows(constant struct widening_params *p, const struct widening_tile *t,
                              const struct epilogue_state *e) {
    struct widening_sums nothing;
    float along[16 * WIDENING_PIECE], x[WIDENING_DOTS * WIDENING_PIECE], sums[WIDENING_DOTS * 16];
    float16 acc[WIDENING_DOTS * 16];
    if (p->integers) widening_count_begin(&nothing);
    for (int i = 0; i < WIDENING_DOTS * 16; i++)
        acc[i] = (float16)(0.0f);
    for (i64 begin = 0; begin < p->gemm.depth; begin += WIDENING_PIECE) {
        i64 depth = p->gemm.depth - begin < WIDENING_PIECE ? p->gemm.depth - begin : WIDENING_PIECE;
        widening_rows(p, t, e, begin, depth, along, x);
        widening_dots(p, t, depth, along, x, acc);
    }
    for (int m = 0; m < t->columns; m++)
        vstore16(widening_totals(p, (const float *)(acc + m * 16)), m, sums);
    widening_finish(p, t, e, 0, 16, &nothing, sums);
}

/* Few columns. Range: 1, blocks of `panels` panels of `width` channels, batches. */
#if WANTED(widening_dot_16)
kernel void widening_dot_16(ITEM global const float *src, global const uchar *weights,
                            global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                            constant struct widening_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&g->epilogue);
    struct widening_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    const int width = (int)p->panels * p->width;
    t.at = gemm_place(g, scalars.step, 0, get_global_id(1) * p->panels, get_global_id(2), p->width);
    t.columns = (int)g->columns;
    t.channels = (int)(g->channels - t.at.channel < width ? g->channels - t.at.channel : width);
    if (p->way == WIDENING_BY_UNITS)
        widening_few(p, &t, &e);
    else if (p->way == WIDENING_BY_VECTORS)
        widening_along(p, &t, &e);
    else
        widening_dot_rows(p, &t, &e);
}
#endif

/* The position of a row in src. */
INLINE i64 widen_place(constant struct widen_params *p, i64 batch, i64 row, i64 *position) {
    i64 offset = p->src_offset + row * p->src_row;
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        if (p->batch[d] == 1) continue;
        i64 rest = batch / p->batch[d], index = batch - rest * p->batch[d];
        position[p->batch_dim[d]] += index;
        offset += index * p->src_batch[d];
        batch = rest;
    }
    position[p->row_dim] += row;
    return offset;
}

/* `count` steps of some rows, WIDEN_STEPS apart. */
INLINE void widen_load(constant struct widen_params *p, global const uchar *src, i64 offset, i64 rows,
                       i64 count, float *to) {
    if (p->src_depth == 1) {
        widen_block(to, WIDEN_STEPS, src, p->type, offset, p->src_row, rows, count);
        return;
    }
    if (p->src_row != 1) {
        for (i64 r = 0; r < rows; r++)
            widen_each(to + r * WIDEN_STEPS, src, p->type, offset + r * p->src_row, p->src_depth, count);
        return;
    }
    float across[16 * WIDEN_ROWS];
    for (i64 k = 0; k < count; k += 16) {
        i64 steps = count - k < 16 ? count - k : 16;
        widen_block(across, WIDEN_ROWS, src, p->type, offset + k * p->src_depth, p->src_depth, steps, rows);
        widen_transpose(to + k, WIDEN_STEPS, across, WIDEN_ROWS);
    }
}

/* Zero points and scales of one row. */
INLINE void widen_quantised(constant struct widen_params *p, const struct epilogue_state *e, i64 *position,
                            i64 first, i64 count, float *row) {
    const int dim = p->depth_dim;
    const i64 end = first + count;
    struct group_cursor z = group_begin(&p->zero_point, dim, first, end),
                        s = group_begin(&p->scale, dim, first, end);
    for (i64 k = first, next; k < end; k = next) {
        position[dim] = k;
        group_follow(&z, &p->zero_point, dim, k);
        group_follow(&s, &p->scale, dim, k);
        next = z.next < s.next ? z.next : s.next;
        next = next < end ? next : end;
        float zero = quant_value(e, &p->zero_point, position, 0.0f);
        float scale = quant_value(e, &p->scale, position, 1.0f);
        for (i64 i = k - first; i < next - first; i++)
            row[i] = (row[i] - zero) * scale;
    }
}

/* Range: blocks of rows, blocks of steps, batches. */
#if WANTED(widen_rows)
kernel void widen_rows(ITEM global const uchar *src, global float *dst, EPILOGUE_ARGS,
                       constant struct widen_params *p) {
    struct epilogue_state e = EPILOGUE_STATE((constant struct epilogue *)0);
    i64 row = get_global_id(0) * WIDEN_ROWS, first = get_global_id(1) * WIDEN_STEPS;
    i64 rows = p->rows - row < WIDEN_ROWS ? p->rows - row : WIDEN_ROWS;
    i64 count = p->depth - first < WIDEN_STEPS ? p->depth - first : WIDEN_STEPS;
    i64 position[TENSOR_DIMS];
    float values[WIDEN_ROWS * WIDEN_STEPS];
    i64 offset = widen_place(p, get_global_id(2), row, position);
    widen_load(p, src, offset + first * p->src_depth, rows, count, values);
    dst += p->dst_offset + (get_global_id(2) * p->rows + row) * p->dst_row + first;
    for (i64 r = 0; r < rows; r++, position[p->row_dim]++, dst += p->dst_row) {
        if (p->quantised) widen_quantised(p, &e, position, first, count, values + r * WIDEN_STEPS);
        for (i64 k = 0; k < count; k++)
            dst[k] = values[r * WIDEN_STEPS + k];
    }
}
#endif
