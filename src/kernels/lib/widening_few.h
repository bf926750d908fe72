/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few columns by weights whose channels are dense: bound by reading weights, which are converted in registers
 * and used at once. Weights come in units of whole lines: 64 channels, or 128 of 4 bits. Each word of a line
 * of 4-bit weights has eight consecutive channels, of which vector i of a unit has the i-th: sums of a unit
 * are put in order when a group of scales ends, and are multiplied by these then. Zero points are subtracted
 * from elements.
 */
enum {
    FEW_STEPS = 64, /* rows of a unit, before those of the next one */
    FEW_AHEAD = 64, /* rows */
    FEW_LINE = 64,  /* bytes */
    WIDE_VECTORS = 16,
};

INLINE bool few_is_nibbles(const int type) {
    return type == TYPE_S4 || type == TYPE_U4 || type == TYPE_F4_E2M1 || type == TYPE_F4_E3M0;
}

/* Vectors of a unit. */
INLINE int few_vectors(const int type) {
    return few_is_nibbles(type) ? 8 : 4;
}

/* All values of a type of 4 bits, where they are looked up: one kernel serves all such types. */
INLINE float16 few_table(int type) {
    float values[16] = {0};
#ifdef NATIVE_AVX512
    for (int i = 0; i < 16 && few_is_nibbles(type); i++) {
        const uchar v = (uchar)i;
        values[i] = load_f32(&v, type, 0);
    }
#endif
    return vload16(0, values);
}

/* Nibble i of each word. */
INLINE float16 few_nibble(const int type, uint16 words, float16 table, const int i) {
    const uint16 v = words >> (uint)(4 * i);
#ifdef NATIVE_AVX512
    return __builtin_ia32_permvarsf512(table, as_int16(v));
#else
    switch (type) {
    case TYPE_S4: return widen_s4(v);
    case TYPE_U4: return widen_unsigned(v & 15u);
    case TYPE_F4_E2M1: return widen_f4_e2m1(v & 15u);
    default: return widen_f4_e3m0(v & 15u);
    }
#endif
}

/* f8_e4m3 as f16, which is 2^-8 of it: the exponents differ by 8. */
INLINE float16 few_e4m3(uchar16 bytes) {
#ifdef HAVE_F16_VECTORS
    const ushort16 v = convert_ushort16(bytes), magnitude = (v & (ushort)0x7f) << (ushort)7;
    const ushort16 nan = __builtin_bit_cast(ushort16, magnitude == (ushort)0x3f80) & (ushort)0x4000;
    const ushort16 halves = magnitude | nan | (v & (ushort)0x80) << (ushort)8;
    return __builtin_convertvector(__builtin_bit_cast(native_half16, halves), float16);
#else
    return widen_f8_e4m3(convert_uint16(bytes)) * (1.0f / 256);
#endif
}

INLINE float16 few_e5m2(uchar16 bytes) {
#ifdef HAVE_F16_VECTORS
    const ushort16 halves = convert_ushort16(bytes) << (ushort)8;
    return __builtin_convertvector(__builtin_bit_cast(native_half16, halves), float16);
#else
    return widen_f8_e5m2(convert_uint16(bytes));
#endif
}

INLINE int few_bytes(const int type) {
    return type == TYPE_F32 ? 4 : type == TYPE_BF16 || type == TYPE_F16 ? 2 : 1;
}

/* few_value is so many times too small. */
INLINE float few_times(int type) {
    return type == TYPE_F8_E4M3 ? 256.0f : 1.0f;
}

/* Vector i of a unit: of a row or, for nibbles, of its words. */
INLINE float16 few_value(const int type, global const uchar *row, uint16 words, float16 table, const int i) {
    switch (type) {
    case TYPE_F32: return vload16(i, (global const float *)row);
    case TYPE_BF16: return widen_bf16(convert_uint16(vload16(i, (global const ushort *)row)));
    case TYPE_F16: return widen_f16(convert_uint16(vload16(i, (global const ushort *)row)));
    case TYPE_F8_E5M2: return few_e5m2(vload16(i, row));
    case TYPE_F8_E4M3: return few_e4m3(vload16(i, row));
    case TYPE_S8: return widen_s8(convert_uint16(vload16(i, row)));
    case TYPE_U8: return widen_unsigned(convert_uint16(vload16(i, row)));
    default: return few_nibble(type, words, table, i);
    }
}

/* Some rows of a unit. */
struct few_rows {
    global const uchar *row;
    i64 step; /* bytes between rows */
    global const float *x;
    i64 column; /* of x */
    int rows;
    float16 table;
};

/* acc[i][r] += vector i, minus less[i] if `zeros`, times column r, for `v` vectors from `first` on and `m`
 * columns. */
INLINE void few_multiply(const int type, const bool zeros, const struct few_rows *w, const int first,
                         const int v, const int m, const float16 *less, float16 *acc) {
    float16 sum[16];
    global const uchar *row = w->row;
#pragma unroll
    for (int i = 0; i < v; i++)
#pragma unroll
        for (int r = 0; r < m; r++)
            sum[i * m + r] = acc[(first + i) * WIDENING_FEW_COLUMNS + r];
#pragma nounroll
    for (int k = 0; k < w->rows; k++, row += w->step) {
        uint16 words = (uint16)(0u);
        if (few_is_nibbles(type)) words = vload16(0, (global const uint *)row);
        const int lines = (v == WIDE_VECTORS ? WIDE_VECTORS : 4) * few_bytes(type) * 16 / FEW_LINE;
#pragma unroll
        for (int l = 0; l < lines; l++)
            PREFETCH_FAR(row + FEW_AHEAD * w->step + l * FEW_LINE);
#pragma unroll
        for (int i = 0; i < v; i++) {
            float16 x = few_value(type, row, words, w->table, first + i);
            if (zeros) x -= less[first + i];
#pragma unroll
            for (int r = 0; r < m; r++)
                sum[i * m + r] = fma(x, (float16)(w->x[r * w->column + k]), sum[i * m + r]);
        }
    }
#pragma unroll
    for (int i = 0; i < v; i++)
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[(first + i) * WIDENING_FEW_COLUMNS + r] = sum[i * m + r];
}

/* As many vectors at a time as registers hold the sums of. */
#if defined(NATIVE_AVX512)
#define FEW_SUMS 16
#elif defined(NATIVE_AVX2)
#define FEW_SUMS 4
#else
#define FEW_SUMS 1
#endif

/* Is there code for every type and for several columns? Elsewhere one loop is for all, to save space. */
#ifdef NATIVE_AVX2
#define FEW_SPECIAL 1
#define FEW_UNROLL _Pragma("unroll")
#else
#define FEW_SPECIAL 0
#define FEW_UNROLL _Pragma("nounroll")
#endif

INLINE void few_tile(const int type, const bool zeros, const struct few_rows *w, const int m,
                     const float16 *less, float16 *acc) {
    const int vectors = few_vectors(type), v = FEW_SUMS / m < vectors ? FEW_SUMS / m : vectors;
    FEW_UNROLL
    for (int first = 0; first < vectors; first += v)
        few_multiply(type, zeros, w, first, v, m, less, acc);
}

/* All columns. */
INLINE void few_columns(const int type, const bool zeros, struct few_rows *w, int columns,
                        const float16 *less, float16 *acc) {
    for (int r = 0, m; r < columns; r += m, acc += m, w->x += m * w->column) {
        m = FEW_SUMS >= 16 && columns - r >= 4 ? 4 : columns - r >= 2 ? 2 : 1;
        if (!FEW_SPECIAL) m = 1;
        if (FEW_SPECIAL && FEW_SUMS >= 16 && m == 4)
            few_tile(type, zeros, w, 4, less, acc);
        else if (FEW_SPECIAL && m == 2)
            few_tile(type, zeros, w, 2, less, acc);
        else
            few_tile(type, zeros, w, 1, less, acc);
    }
}

/* Puts vectors of a unit of nibbles in order: a vector's number and its lane are seven bits, which each step
 * turns by one. */
INLINE void few_turn(float16 *v, const int steps) {
    float16 w[8];
#pragma unroll
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            w[2 * i] = widen_zip(v[i].lo, v[i + 4].lo);
            w[2 * i + 1] = widen_zip(v[i].hi, v[i + 4].hi);
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            v[i] = w[i];
    }
}

/* Sums of a work-item. */
struct few_sums {
    float16 table;
    float16 less[WIDENING_WIDTH / 16];
    float16 acc[WIDENING_WIDTH / 16 * WIDENING_FEW_COLUMNS]; /* since the last group began */
    float total[WIDENING_WIDTH * WIDENING_FEW_COLUMNS]; /* blocks of BLOCK_WIDTH channels of each column */
};

/* What is subtracted from the vectors of a unit until the next group begins. */
INLINE void few_less(const float *zero, const int unit, float16 *less) {
    float16 v[8];
#pragma unroll
    for (int i = 0; i < unit; i++)
        v[i] = vload16(i, zero);
    if (unit == 8) few_turn(v, 4);
#pragma unroll
    for (int i = 0; i < unit; i++)
        less[i] = v[i];
}

OUTLINE void few_begin_group(int type, const struct widening_tile *t, const float *zero, bool zeros,
                             struct few_sums *s) {
    const int unit = few_vectors(type);
#pragma nounroll
    for (int n = 0; n * 16 < t->channels; n += unit) {
        if (zeros && unit == 8) few_less(zero + 16 * n, 8, s->less + n);
        if (zeros && unit != 8) few_less(zero + 16 * n, 4, s->less + n);
#pragma nounroll
        for (int i = n; i < n + unit; i++)
#pragma nounroll
            for (int r = 0; r < t->columns; r++)
                s->acc[i * WIDENING_FEW_COLUMNS + r] = (float16)(0.0f);
    }
}

/* total += scale * acc, for a unit of one column. */
INLINE void few_add(int type, const float *scale, const int unit, int columns, const float16 *acc,
                    float *total) {
    float16 v[8];
#pragma unroll
    for (int i = 0; i < unit; i++)
        v[i] = acc[i * WIDENING_FEW_COLUMNS] * few_times(type);
    if (unit == 8) few_turn(v, 3);
#pragma unroll
    for (int i = 0; i < unit; i++) {
        float *to = total + i * 16 / BLOCK_WIDTH * columns * BLOCK_WIDTH + i * 16 % BLOCK_WIDTH;
        vstore16(fma(v[i], vload16(i, scale), vload16(0, to)), 0, to);
    }
}

OUTLINE void few_end_group(int type, const struct widening_tile *t, const float *scale, struct few_sums *s) {
    const int unit = few_vectors(type);
#pragma nounroll
    for (int n = 0; n * 16 < t->channels; n += unit)
#pragma nounroll
        for (int r = 0; r < t->columns; r++) {
            const float16 *acc = s->acc + n * WIDENING_FEW_COLUMNS + r;
            float *total = s->total + n * 16 * t->columns + r * BLOCK_WIDTH;
            if (unit == 8)
                few_add(type, scale + 16 * n, 8, t->columns, acc, total);
            else
                few_add(type, scale + 16 * n, 4, t->columns, acc, total);
        }
}

/* Steps `begin` to `end` - 1 of the reduction, all of one group. */
INLINE void few_group(const int type, const bool zeros, constant struct widening_params *p,
                      const struct widening_tile *t, i64 begin, i64 end, struct few_sums *s) {
    constant struct gemm_params *g = &p->gemm;
    const int unit = 16 * few_vectors(type);
    const bool wide = FEW_SUMS == WIDE_VECTORS && !few_is_nibbles(type) && t->columns == 1
                      && g->weights_panel == unit && t->channels == 16 * WIDE_VECTORS;
    struct few_rows w = {
            .step = g->weights_depth * p->weights_bits / 8, .column = g->src_column, .table = s->table};
    for (i64 k = begin; k < end; k += FEW_STEPS) {
        i64 at = t->at.weights + k * g->weights_depth;
        if (wide) {
            w.rows = (int)(end - k < FEW_STEPS ? end - k : FEW_STEPS);
            w.row = t->weights + at * p->weights_bits / 8;
            w.x = t->src + t->at.src + k;
            few_multiply(type, zeros, &w, 0, WIDE_VECTORS, 1, s->less, s->acc);
            continue;
        }
        for (int n = 0; n < t->channels; n += unit, at += g->weights_panel) {
            w.rows = (int)(end - k < FEW_STEPS ? end - k : FEW_STEPS);
            w.row = t->weights + at * p->weights_bits / 8;
            w.x = t->src + t->at.src + k;
            few_columns(type, zeros, &w, t->columns, s->less + n / 16,
                        s->acc + n / 16 * WIDENING_FEW_COLUMNS);
        }
    }
}

/* Calls f(type, zeros) with constants that equal p->weights_type and the variable `zeros`. */
#define FEW_TYPE(f, type)                                                                                    \
    case type: f(type, false); break;
#define FEW_INTEGERS(f, type)                                                                                \
    case type:                                                                                               \
        if (zeros)                                                                                           \
            f(type, true);                                                                                   \
        else                                                                                                 \
            f(type, false);                                                                                  \
        break;
#ifdef NATIVE_AVX512
#define FEW_OTHER_NIBBLES(f)                                                                                 \
    case TYPE_S4:                                                                                            \
    case TYPE_F4_E2M1:                                                                                       \
    case TYPE_F4_E3M0:
#else
#define FEW_OTHER_NIBBLES(f)                                                                                 \
    FEW_INTEGERS(f, TYPE_S4)                                                                                 \
    FEW_TYPE(f, TYPE_F4_E2M1)                                                                                \
    FEW_TYPE(f, TYPE_F4_E3M0)
#endif
#if FEW_SPECIAL
#define FEW_COMMON_TYPES(f)                                                                                  \
    FEW_TYPE(f, TYPE_BF16)                                                                                   \
    FEW_TYPE(f, TYPE_F16)                                                                                    \
    FEW_INTEGERS(f, TYPE_S8)                                                                                 \
    FEW_INTEGERS(f, TYPE_U8)                                                                                 \
    FEW_OTHER_NIBBLES(f)                                                                                     \
    FEW_INTEGERS(f, TYPE_U4)
#define FEW_EACH_TYPE(f)                                                                                     \
    switch (p->weights_type) {                                                                               \
        FEW_TYPE(f, TYPE_F8_E5M2)                                                                            \
        FEW_TYPE(f, TYPE_F8_E4M3)                                                                            \
        FEW_COMMON_TYPES(f)                                                                                  \
    }
#define ALONG_EACH_TYPE(f)                                                                                   \
    switch (p->weights_type) {                                                                               \
        FEW_TYPE(f, TYPE_F32)                                                                                \
        FEW_COMMON_TYPES(f)                                                                                  \
    }
#else
#define FEW_EACH_TYPE(f) f(p->weights_type, zeros);
#define ALONG_EACH_TYPE(f) f(p->weights_type, zeros);
#endif

INLINE void few_any(constant struct widening_params *p, const struct widening_tile *t, i64 begin, i64 end,
                    struct few_sums *s) {
    const bool zeros = p->weights_zero_point.from != QUANT_NONE;
#define FEW_GROUP(type, zeros_) few_group(type, zeros_, p, t, begin, end, s)
    FEW_EACH_TYPE(FEW_GROUP)
#undef FEW_GROUP
}

/* Computes and stores a tile. */
INLINE void widening_few(constant struct widening_params *p, const struct widening_tile *t,
                         const struct epilogue_state *e) {
    struct widening_quants q;
    struct few_sums s;
    s.table = few_table(p->weights_type);
    widening_quants_begin(p, t, 0, p->gemm.depth, &q);
    row_fill(q.zero, 0.0f, WIDENING_WIDTH);
    row_fill(q.scale, 0.0f, WIDENING_WIDTH);
    row_fill(s.total, 0.0f, WIDENING_WIDTH * WIDENING_FEW_COLUMNS);
    for (i64 k = 0, next; k < p->gemm.depth; k = next) {
        next = widening_quants_next(p, t, e, k, &q);
        few_begin_group(p->weights_type, t, q.zero, p->weights_zero_point.from != QUANT_NONE, &s);
        few_any(p, t, k, next, &s);
        few_end_group(p->weights_type, t, q.scale, &s);
    }
    for (int channel = 0; channel < t->channels; channel += BLOCK_WIDTH)
        widening_finish(p, t, e, channel, BLOCK_WIDTH, 0, s.total + channel * t->columns);
}
