/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few columns by weights that are dense along the reduction: a vector of weights, converted in registers, is
 * multiplied by one of src. Like lib/widening_few.h, it is bound by reading weights. A word of 4-bit weights
 * has eight steps of the reduction, so that src is copied in that order, a piece at a time. Sums are
 * multiplied by scales when a group ends; zero points are subtracted from elements.
 */
enum {
    ALONG_CHANNELS = 4,  /* rows of weights at a time */
    ALONG_STEPS = 32,    /* a multiple of which groups are */
    ALONG_NIBBLES = 128, /* steps of 4 bits that are multiplied at a time */
    ALONG_PIECE = 1024,  /* steps at a time of several columns, which then stay in the L1 cache */
    ALONG_AHEAD = 1024,  /* bytes */
};

/* Scales and zero points of the rows of a work-item, for each lane, and their sums. */
struct along_sums {
    float16 table;
    global const uchar *row[WIDENING_ALONG]; /* of weights; those beyond the last channel repeat it */
    float16 scale[WIDENING_ALONG], less[WIDENING_ALONG];
    float16 acc[WIDENING_ALONG_COLUMNS * WIDENING_ALONG];
    float x[WIDENING_ALONG_COLUMNS * ALONG_NIBBLES]; /* src, in the order of nibbles */
};

/* Rows of weights from a channel on. */
struct along_rows {
    global const uchar *row[ALONG_CHANNELS];
    int channel;
};

/* Columns of src from one on, so far apart. */
struct along_columns {
    global const float *x;
    i64 column;
};

/* sum[r][c] += row c times column r, for 32 steps and m columns. Callers pass m as a constant. */
INLINE void along_bytes(const int type, const bool zeros, const struct along_rows *w, i64 k,
                        const struct along_columns *x, const int m, const float16 *less, float16 *sum) {
    FEW_UNROLL
    for (int i = 0; i < ALONG_STEPS / 16; i++)
        FEW_UNROLL
    for (int c = 0; c < ALONG_CHANNELS; c++) {
        global const uchar *row = w->row[c] + k * few_bytes(type);
        float16 v = few_value(type, row, (uint16)(0u), less[c], i);
        if (i == 0 || type == TYPE_F32) PREFETCH_FAR(row + i * FEW_LINE + ALONG_AHEAD);
        if (zeros) v -= less[c];
        FEW_UNROLL
        for (int r = 0; r < m; r++)
            sum[r * ALONG_CHANNELS + c] =
                    fma(v, vload16(i, x->x + r * x->column + k), sum[r * ALONG_CHANNELS + c]);
    }
}

/* The same of 4 bits, for 128 steps. */
INLINE void along_nibbles(const int type, const bool zeros, const struct along_rows *w, i64 k, const float *x,
                          const int m, float16 table, const float16 *less, float16 *sum) {
    uint16 words[ALONG_CHANNELS];
#pragma unroll
    for (int c = 0; c < ALONG_CHANNELS; c++) {
        words[c] = vload16(0, (global const uint *)(w->row[c] + k / 2));
        PREFETCH_FAR(w->row[c] + k / 2 + ALONG_AHEAD);
    }
#pragma nounroll
    for (int i = 0; i < 8; i++)
        FEW_UNROLL
    for (int c = 0; c < ALONG_CHANNELS; c++) {
        float16 v = few_nibble(type, words[c], table, i);
        if (zeros) v -= less[c];
        FEW_UNROLL
        for (int r = 0; r < m; r++)
            sum[r * ALONG_CHANNELS + c] =
                    fma(v, vload16(i, x + r * ALONG_NIBBLES), sum[r * ALONG_CHANNELS + c]);
    }
}

/* Steps `begin` to `end` - 1 of ALONG_CHANNELS rows by m columns from r on. */
INLINE void along_multiply(const int type, const bool zeros, const struct along_rows *w, i64 begin, i64 end,
                           int r, const int m, const struct along_columns *x, struct along_sums *s) {
    float16 sum[4 * ALONG_CHANNELS], *acc = s->acc + r * WIDENING_ALONG + w->channel;
#pragma unroll
    for (int i = 0; i < m * ALONG_CHANNELS; i++)
        sum[i] = (float16)(0.0f);
    if (few_is_nibbles(type))
        along_nibbles(type, zeros, w, begin, s->x + r * ALONG_NIBBLES, m, s->table, s->less + w->channel,
                      sum);
    else
#pragma nounroll
        for (i64 k = begin; k < end; k += ALONG_STEPS)
            along_bytes(type, zeros, w, k, x, m, s->less + w->channel, sum);
#pragma unroll
    for (int i = 0; i < m; i++)
#pragma unroll
        for (int c = 0; c < ALONG_CHANNELS; c++)
            acc[i * WIDENING_ALONG + c] =
                    fma(sum[i * ALONG_CHANNELS + c], s->scale[w->channel + c], acc[i * WIDENING_ALONG + c]);
}

/* All rows and columns of a work-item: as many columns at a time as registers hold the sums of. */
INLINE void along_group(const int type, const bool zeros, constant struct widening_params *p,
                        const struct widening_tile *t, i64 begin, i64 end, struct along_sums *s) {
    for (int n = 0; n < t->channels; n += ALONG_CHANNELS) {
        struct along_rows w = {.channel = n};
        struct along_columns x = {t->src + t->at.src, p->gemm.src_column};
        for (int c = 0; c < ALONG_CHANNELS; c++)
            w.row[c] = s->row[n + c];
        int r = 0;
#if FEW_SUMS >= 16
        for (; r + 4 <= t->columns; r += 4, x.x += 4 * x.column)
            along_multiply(type, zeros, &w, begin, end, r, 4, &x, s);
        for (; r + 2 <= t->columns; r += 2, x.x += 2 * x.column)
            along_multiply(type, zeros, &w, begin, end, r, 2, &x, s);
#endif
#pragma nounroll
        for (; r < t->columns; r++, x.x += x.column)
            along_multiply(type, zeros, &w, begin, end, r, 1, &x, s);
    }
}

/* 128 steps of src in the order of nibbles. */
INLINE void along_turn(constant struct widening_params *p, const struct widening_tile *t, i64 k,
                       struct along_sums *s) {
    float16 v[8];
    for (int r = 0; r < t->columns; r++) {
        global const float *x = t->src + t->at.src + r * p->gemm.src_column + k;
#pragma unroll
        for (int i = 0; i < 8; i++)
            v[i] = vload16(i, x);
        few_turn(v, 4);
#pragma unroll
        for (int i = 0; i < 8; i++)
            vstore16(v[i], r * 8 + i, s->x);
    }
}

/* Four numbers, each in four lanes. */
INLINE float16 along_lanes(float a, float b, float c, float d) {
    float16 v;
    v.s0123 = (float4)(a);
    v.s4567 = (float4)(b);
    v.s89ab = (float4)(c);
    v.scdef = (float4)(d);
    return v;
}

/* Parameters of all rows from step k on: a quarter of the lanes of a vector of nibbles is 32 steps. Returns
 * the first step that has others. */
INLINE i64 along_quants(constant struct widening_params *p, const struct widening_tile *t,
                        const struct epilogue_state *e, i64 k, struct widening_quants *q,
                        struct along_sums *s) {
    float scale[4][WIDENING_ALONG], zero[4][WIDENING_ALONG];
    const bool nibbles = few_is_nibbles(p->weights_type);
    i64 next = widening_quants_next(p, t, e, k, q);
    for (int i = 0; i < 4; i++) {
        if (nibbles && k + i * ALONG_STEPS >= next)
            next = widening_quants_next(p, t, e, k + i * ALONG_STEPS, q);
        for (int n = 0; n < WIDENING_ALONG; n += 16) {
            vstore16(vload16(0, q->scale + n) * few_times(p->weights_type), 0, scale[i] + n);
            vstore16(vload16(0, q->zero + n), 0, zero[i] + n);
        }
    }
#pragma nounroll
    for (int n = 0; n < WIDENING_ALONG; n++) {
        s->scale[n] = along_lanes(scale[0][n], scale[1][n], scale[2][n], scale[3][n]);
        s->less[n] = along_lanes(zero[0][n], zero[1][n], zero[2][n], zero[3][n]);
    }
    return next;
}

INLINE void along_any(constant struct widening_params *p, const struct widening_tile *t, i64 begin, i64 end,
                      struct along_sums *s) {
    const bool zeros = p->weights_zero_point.from != QUANT_NONE;
#define ALONG_GROUP(type, zeros_) along_group(type, zeros_, p, t, begin, end, s)
    ALONG_EACH_TYPE(ALONG_GROUP)
#undef ALONG_GROUP
}

INLINE void along_find_rows(constant struct widening_params *p, const struct widening_tile *t,
                            struct along_sums *s) {
#pragma nounroll
    for (int n = 0; n < WIDENING_ALONG; n++) {
        const int channel = n < t->channels ? n : t->channels - 1;
        s->row[n] = t->weights + (t->at.weights + channel * p->weights_channel) * p->weights_bits / 8;
    }
}

/* Computes and stores a tile. */
INLINE void widening_along(constant struct widening_params *p, const struct widening_tile *t,
                           const struct epilogue_state *e) {
    struct widening_quants q;
    struct along_sums s;
    float sums[WIDENING_ALONG_COLUMNS * 16];
    const bool nibbles = few_is_nibbles(p->weights_type);
    const i64 piece = t->columns > 2 ? ALONG_PIECE : p->gemm.depth;
    s.table = few_table(p->weights_type);
    along_find_rows(p, t, &s);
    widening_quants_begin(p, t, 0, p->gemm.depth, &q);
    row_fill(q.zero, 0.0f, WIDENING_WIDTH);
    row_fill(q.scale, 0.0f, WIDENING_WIDTH);
    for (int i = 0; i < t->columns * WIDENING_ALONG; i++)
        s.acc[i] = (float16)(0.0f);
    for (i64 k = 0, next = 0, end; k < p->gemm.depth; k = end) {
        if (k >= next) next = along_quants(p, t, e, k, &q, &s);
        if (nibbles) along_turn(p, t, k, &s);
        end = nibbles ? k + ALONG_NIBBLES : next - k < piece ? next : k + piece;
        along_any(p, t, k, end, &s);
    }
    for (int channel = 0; channel < t->channels; channel += 16) {
        for (int m = 0; m < t->columns; m++)
            vstore16(widening_totals(p, (const float *)(s.acc + m * WIDENING_ALONG + channel)), m, sums);
        widening_finish(p, t, e, channel, 16, 0, sums);
    }
}
