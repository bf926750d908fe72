/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of images of any type whose channels are last or in blocks of 16: several vectors of channels at a
 * time, for all outputs of a part of a row. Bytes that need no post-ops are compared and summed as integers.
 * So are maxima of s32, whose bits are in vectors of floats until they are compared: TYPE_S32 as a constant.
 */
#include "kernels/lib/epilogue_block.h"
#include "kernels/lib/lanes.h"
#include "kernels/lib/pooling_load.h"

enum { POOLING_VECTORS = 4 }; /* vectors kept in registers */
enum { POOLING_BLOCK = 8 };   /* outputs of a block that post-ops are applied to */
enum { POOLING_WIDTH = POOLING_VECTORS * LANES };

/* A part of a row of outputs, and some of its channels. */
struct pool_row {
    global const uchar *src;
    global uchar *dst, *workspace;
    i64 from, to;    /* offsets of its channels: tap 0 of output 0, without padding along the row; output 0 */
    i64 first, last; /* outputs */
    struct taps taps; /* except along the row */
    int count;        /* lanes of a single vector that exist */
    float *block;     /* results go here if there are post-ops */
    int streams;      /* they bypass the caches */
    struct lines_ahead *ahead;
};

/* Runs the statement for each tap inside the image; `at_` is its offset, `tap_` its number. */
#define EACH_TAP(p_, t_, start_, at_, tap_, statement_)                                                      \
    _Pragma("nounroll") for (i64 k0 = (t_)->first[0]; k0 < (t_)->last[0]; k0++)                              \
            _Pragma("nounroll") for (i64 k1 = (t_)->first[1]; k1 < (t_)->last[1]; k1++) {                    \
        i64 at_ = (start_) + k0 * (p_)->images.src_step[0] + k1 * (p_)->images.src_step[1]                   \
                  + (t_)->first[2] * (p_)->images.src_step[2];                                               \
        i64 tap_ = (k0 * (p_)->images.window.taps[1] + k1) * (p_)->images.window.taps[2] + (t_)->first[2];   \
        _Pragma("nounroll") for (i64 k2 = (t_)->first[2]; k2 < (t_)->last[2];                                \
                                 k2++, at_ += (p_)->images.src_step[2], tap_++) statement_                   \
    }

INLINE IVEC pool_is_above(VEC y, VEC x, const int type) {
    if (type == TYPE_S32) return AS_IVEC(y) > AS_IVEC(x);
    return y > x;
}

/* The window of one output, for n vectors; in training also the taps of the maxima. */
INLINE void pool_windows(constant struct pooling_dense_params *p, const struct pool_row *r,
                         const struct taps *t, i64 start, const int n, const bool max, const int type,
                         const bool trains, VEC *out, IVEC *taps) {
    const int loaded = type == TYPE_S32 ? TYPE_F32 : type ? type : p->src_type;
    VEC x[POOLING_VECTORS], y[POOLING_VECTORS];
    IVEC most[POOLING_VECTORS];
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = V(max ? p->lowest : 0.0f), most[i] = (IVEC)(0);
    EACH_TAP(p, t, start, at, tap, {
        pool_load(y, r->src, loaded, at, p->src_pitch, n, r->count, p->src_end);
        _Pragma("unroll") for (int i = 0; i < n; i++) {
            const IVEC above = pool_is_above(y[i], x[i], type);
            if (trains) most[i] = above ? (IVEC)((int)tap) : most[i];
            x[i] = max ? (above ? y[i] : x[i]) : x[i] + y[i];
        }
    })
    const VEC divisor = V(max ? 1.0f : pooling_divisor(p->alg, p->taps, t));
#pragma unroll
    for (int i = 0; i < n; i++) {
        out[i] = max ? x[i] : f32_div(x[i], divisor);
        if (trains) taps[i] = most[i];
    }
}

INLINE void pool_store_taps(IVEC taps, global uchar *workspace, int type, i64 offset, int count) {
    if (count == LANES && type == TYPE_U8)
        VSTORE(TO_BYTES(AS_UVEC(taps)), 0, workspace + offset);
    else if (type == TYPE_U8)
        store_uchars(TO_BYTES(AS_UVEC(taps)), workspace + offset, count);
    else
        store_lanes((global int *)workspace, offset, taps, count);
}

/* Stores n vectors of an output, or keeps them for post-ops. `exact`: bf16 needs no rounding. */
INLINE void pool_keep(constant struct pooling_dense_params *p, const struct pool_row *r, i64 place,
                      const VEC *x, const int n, const int type, const bool exact) {
    const i64 to = r->to + place * p->images.dst_stride[2];
#pragma unroll
    for (int i = 0; i < n; i++) {
        if (r->block)
            VSTORE(x[i], 0, r->block + (place - r->first) * POOLING_WIDTH + i * LANES);
        else
            pool_store_past(r->dst, type, to + i * p->dst_pitch, x[i], r->count, r->streams, exact);
    }
}

/* Do windows share columns: three of them along the row, one apart? */
INLINE bool pool_slides(constant struct pooling_dense_params *p) {
    constant struct window *w = &p->images.window;
    return w->taps[2] == 3 && w->stride[2] == 1 && w->step[2] == 1;
}

/* Runs the statement for each tap of the column at position `q_` of the row; `at_` is its offset. */
#define EACH_OF_COLUMN(p_, r_, q_, at_, statement_)                                                          \
    if ((q_) >= 0 && (q_) < (p_)->images.window.size[2]) {                                                   \
        const struct taps *t_ = &(r_)->taps;                                                                 \
        _Pragma("nounroll") for (i64 k0 = t_->first[0]; k0 < t_->last[0]; k0++) {                            \
            i64 at_ = (r_)->from + (q_) * (p_)->images.src_stride[2] + k0 * (p_)->images.src_step[0]         \
                      + t_->first[1] * (p_)->images.src_step[1];                                             \
            _Pragma("nounroll") for (i64 k1 = t_->first[1]; k1 < t_->last[1];                                \
                                     k1++, at_ += (p_)->images.src_step[1]) statement_                       \
        }                                                                                                    \
    }

/* The maxima of the column at position q, for n vectors. */
INLINE void pool_column(constant struct pooling_dense_params *p, const struct pool_row *r, i64 q, const int n,
                        const int type, VEC *x) {
    VEC y[POOLING_VECTORS];
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = V(p->lowest);
    EACH_OF_COLUMN(p, r, q, at, {
        pool_load(y, r->src, type, at, p->src_pitch, n, r->count, p->src_end);
        _Pragma("unroll") for (int i = 0; i < n; i++) x[i] = y[i] > x[i] ? y[i] : x[i];
    })
}

/* The maxima of all outputs whose windows share columns, which stay in registers. */
INLINE void pool_slide(constant struct pooling_dense_params *p, const struct pool_row *r, const int n,
                       const int type) {
    VEC a[POOLING_VECTORS], b[POOLING_VECTORS], c[POOLING_VECTORS];
    i64 q = r->first - p->images.window.padding[2];
    pool_column(p, r, q, n, type, a);
    pool_column(p, r, q + 1, n, type, b);
#pragma nounroll
    for (i64 place = r->first; place < r->last; place++, q++) {
        pool_column(p, r, q + 2, n, type, c);
        ask_ahead(r->ahead, n * p->lines_ahead / POOLING_VECTORS);
#pragma unroll
        for (int i = 0; i < n; i++) {
            a[i] = b[i] > a[i] ? b[i] : a[i];
            a[i] = c[i] > a[i] ? c[i] : a[i];
        }
        pool_keep(p, r, place, a, n, p->epilogue.type, type == TYPE_BF16);
#pragma unroll
        for (int i = 0; i < n; i++)
            a[i] = b[i], b[i] = c[i];
    }
}

/* n vectors of all outputs. `type` is that of src, or 0: any. Callers pass the last four as constants. */
INLINE void pool_outputs(constant struct pooling_dense_params *p, const struct pool_row *r, const int n,
                         const bool max, const int type, const bool trains) {
    struct taps t = r->taps;
    if (max && !trains && (type == TYPE_F32 || type == TYPE_BF16) && pool_slides(p)) {
        pool_slide(p, r, n, type);
        return;
    }
#pragma nounroll
    for (i64 place = r->first; place < r->last; place++) {
        VEC x[POOLING_VECTORS];
        IVEC taps[POOLING_VECTORS];
        window_taps_along(&t, &p->images.window, 2, place);
        pool_windows(p, r, &t, r->from + t.start[2] * p->images.src_stride[2], n, max, type, trains, x, taps);
        const i64 to = r->to + place * p->images.dst_stride[2];
        ask_ahead(r->ahead, n * p->lines_ahead / POOLING_VECTORS);
#pragma unroll
        for (int i = 0; trains && i < n; i++)
            pool_store_taps(taps[i], r->workspace, p->workspace_type,
                            to + i * p->dst_pitch + p->workspace_offset, r->count);
        pool_keep(p, r, place, x, n, type == TYPE_S32 ? TYPE_F32 : p->epilogue.type,
                  max && type == TYPE_BF16);
    }
}

/* Separate functions, so that each has all registers to itself. */
#define POOL_OF(name_, n_, type_, trains_)                                                                   \
    OUTLINE void name_##n_(constant struct pooling_dense_params *p, const struct pool_row *r) {              \
        if (trains_ || type_ == TYPE_S32 || p->alg == POOLING_MAX)                                           \
            pool_outputs(p, r, n_, true, type_, trains_);                                                    \
        else                                                                                                 \
            pool_outputs(p, r, n_, false, type_, false);                                                     \
    }
POOL_OF(pool_f32_, 1, TYPE_F32, false)
POOL_OF(pool_f32_, 2, TYPE_F32, false)
POOL_OF(pool_f32_, 4, TYPE_F32, false)
POOL_OF(pool_bf16_, 4, TYPE_BF16, false)
POOL_OF(pool_s32_, 1, TYPE_S32, false)
POOL_OF(pool_any_, 1, 0, false)
POOL_OF(pool_any_, 4, 0, false)
POOL_OF(pool_training_f32_, 1, TYPE_F32, true)
POOL_OF(pool_training_f32_, 2, TYPE_F32, true)
POOL_OF(pool_training_f32_, 4, TYPE_F32, true)
POOL_OF(pool_training_bf16_, 4, TYPE_BF16, true)
POOL_OF(pool_training_s32_, 1, TYPE_S32, true)
POOL_OF(pool_training_any_, 1, 0, true)

/* Averages of bytes, rounded: they need no saturation. */
INLINE uchar16 pool_average(ushort16 sum, VEC added, VEC divisor) {
    const VEC x = f32_div(TO_VEC(AS_IVEC(convert_uint16(sum))) - added, divisor);
    return TO_BYTES((AS_UVEC(x + V(0x1.8p23f)) - as_uint(0x1.8p23f)) & 0xffu);
}

/* The maxima or averages of bytes. Those of s8 become unsigned by `flip`: 128 is added to each. */
INLINE void pool_bytes(constant struct pooling_dense_params *p, const struct pool_row *r, const int n,
                       const bool max) {
    const bool is_signed = p->src_type == TYPE_S8;
    const uchar16 flip = (uchar16)((uchar)(is_signed ? 0x80 : 0));
    const i64 pitch = p->src_pitch;
    struct taps t = r->taps;
#pragma nounroll
    for (i64 place = r->first; place < r->last; place++) {
        uchar16 most[POOLING_VECTORS];
        ushort16 sum[POOLING_VECTORS];
#pragma unroll
        for (int i = 0; i < n; i++)
            most[i] = (uchar16)((uchar)0), sum[i] = (ushort16)((ushort)0);
        window_taps_along(&t, &p->images.window, 2, place);
        const i64 start = r->from + t.start[2] * p->images.src_stride[2];
        EACH_TAP(p, &t, start, at, tap, {
            _Pragma("unroll") for (int i = 0; i < n; i++) {
                const uchar16 y = vload16(0, r->src + at + i * pitch) ^ flip;
                if (max)
                    most[i] = y > most[i] ? y : most[i];
                else
                    sum[i] += convert_ushort16(y);
            }
        })
        const i64 to = r->to + place * p->images.dst_stride[2];
        ask_ahead(r->ahead, n * p->lines_ahead / POOLING_VECTORS);
        const float inside = pooling_divisor(POOLING_AVG_EXCLUDE_PADDING, 0, &t);
        const VEC added = V(is_signed ? 128.0f * inside : 0.0f),
                  divisor = V(p->alg == POOLING_AVG_EXCLUDE_PADDING ? inside : (float)p->taps);
#pragma unroll
        for (int i = 0; i < n; i++) {
            uchar16 result = most[i] ^ flip;
            if (!max) result = pool_average(sum[i], added, divisor);
            STREAM_OR_STORE(result, r->dst + to + i * p->dst_pitch, r->streams);
        }
    }
}

#define POOL_BYTES_OF(n_)                                                                                    \
    OUTLINE void pool_bytes_##n_(constant struct pooling_dense_params *p, const struct pool_row *r) {        \
        if (p->alg == POOLING_MAX)                                                                           \
            pool_bytes(p, r, n_, true);                                                                      \
        else                                                                                                 \
            pool_bytes(p, r, n_, false);                                                                     \
    }
POOL_BYTES_OF(1)
POOL_BYTES_OF(4)

/* Maxima of bytes, whole lines of channels at a time. */
#ifdef __OPENCL_C_VERSION__
#define POOLS_LINES 0
#else
#define POOLS_LINES 1
typedef uchar pool_line __attribute__((ext_vector_type(64)));
INLINE pool_line pool_line_column(constant struct pooling_dense_params *p, const struct pool_row *r, i64 q,
                                  pool_line flip) {
    pool_line most = (pool_line)((uchar)0), y;
    EACH_OF_COLUMN(p, r, q, at, {
        __builtin_memcpy(&y, r->src + at, sizeof y);
        y ^= flip;
        most = y > most ? y : most;
    })
    return most;
}

INLINE void pool_line_keep(constant struct pooling_dense_params *p, const struct pool_row *r, i64 place,
                           pool_line x) {
    global uchar *to = r->dst + r->to + place * p->images.dst_stride[2];
    ask_ahead(r->ahead, p->lines_ahead);
    if (!STREAMS_LINE(x, to, r->streams)) __builtin_memcpy(to, &x, sizeof x);
}

INLINE void pool_slide_lines(constant struct pooling_dense_params *p, const struct pool_row *r,
                             pool_line flip) {
    i64 q = r->first - p->images.window.padding[2];
    pool_line a = pool_line_column(p, r, q, flip), b = pool_line_column(p, r, q + 1, flip);
#pragma nounroll
    for (i64 place = r->first; place < r->last; place++, q++) {
        const pool_line c = pool_line_column(p, r, q + 2, flip);
        a = b > a ? b : a;
        a = c > a ? c : a;
        pool_line_keep(p, r, place, a ^ flip);
        a = b, b = c;
    }
}

OUTLINE void pool_lines_4(constant struct pooling_dense_params *p, const struct pool_row *r) {
    const pool_line flip = (pool_line)((uchar)(p->src_type == TYPE_S8 ? 0x80 : 0));
    struct taps t = r->taps;
    if (pool_slides(p)) {
        pool_slide_lines(p, r, flip);
        return;
    }
#pragma nounroll
    for (i64 place = r->first; place < r->last; place++) {
        pool_line most = (pool_line)((uchar)0), y;
        window_taps_along(&t, &p->images.window, 2, place);
        const i64 start = r->from + t.start[2] * p->images.src_stride[2];
        EACH_TAP(p, &t, start, at, tap, {
            __builtin_memcpy(&y, r->src + at, sizeof y);
            y ^= flip;
            most = y > most ? y : most;
        })
        pool_line_keep(p, r, place, most ^ flip);
    }
}
#endif

/* Return the number of vectors of which `left` channels remain. */
#define POOL_CALL(condition_, f_, n_)                                                                        \
    if (condition_) {                                                                                        \
        f_##n_(p, r);                                                                                        \
        return n_;                                                                                           \
    }
INLINE int pool_some(constant struct pooling_dense_params *p, const struct pool_row *r, i64 left) {
    const bool f32 = p->src_type == TYPE_F32, bf16 = p->src_type == TYPE_BF16,
               bytes = p->bytes && r->count == LANES;
#if POOLS_LINES
    const bool lines = p->alg == POOLING_MAX && p->src_pitch == LANES && p->dst_pitch == LANES;
    POOL_CALL(bytes && lines && left >= 4 * LANES, pool_lines_, 4)
#endif
    POOL_CALL(bytes && left >= 4 * LANES, pool_bytes_, 4)
    POOL_CALL(bytes, pool_bytes_, 1)
    POOL_CALL(p->exact, pool_s32_, 1)
    POOL_CALL(f32 && left >= 4 * LANES, pool_f32_, 4)
    POOL_CALL(f32 && left >= 2 * LANES, pool_f32_, 2)
    POOL_CALL(f32, pool_f32_, 1)
    POOL_CALL(bf16 && left >= 4 * LANES, pool_bf16_, 4)
    POOL_CALL(left >= 4 * LANES, pool_any_, 4)
    pool_any_1(p, r);
    return 1;
}

INLINE int pool_training_some(constant struct pooling_dense_params *p, const struct pool_row *r, i64 left) {
    const bool f32 = p->src_type == TYPE_F32, bf16 = p->src_type == TYPE_BF16;
    POOL_CALL(p->exact, pool_training_s32_, 1)
    POOL_CALL(f32 && left >= 4 * LANES, pool_training_f32_, 4)
    POOL_CALL(f32 && left >= 2 * LANES, pool_training_f32_, 2)
    POOL_CALL(f32, pool_training_f32_, 1)
    POOL_CALL(bf16 && left >= 4 * LANES, pool_training_bf16_, 4)
    pool_training_any_1(p, r);
    return 1;
}
#undef POOL_CALL

/* Applies post-ops to a block and stores it. */
INLINE void pool_finish(constant struct pooling_dense_params *p, EPILOGUE_ARGS, const struct window_row *row,
                        const struct pool_row *r, i64 channel, int n) {
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const i64 place[WINDOW_DIMS] = {row->place[0], row->place[1], r->first};
    struct result_block b = {.x = r->block,
                             .rows = (int)(r->last - r->first),
                             .count = n > 1 ? BLOCK_WIDTH : r->count,
                             .pitch = POOLING_WIDTH,
                             .row_dim = 1 + WINDOW_DIMS - (int)p->images.missing,
                             .lanes = 1,
                             .row_step = 1};
    window_position(&p->images, row->batch, channel, place, b.position);
    for (int i = 0; i < n * LANES; i += BLOCK_WIDTH, b.x += BLOCK_WIDTH, b.position[1] += BLOCK_WIDTH)
        block_finish(&e, &b);
    for (int k = 0; k < b.rows; k++)
        for (int i = 0; i < n; i++)
            pool_store(r->dst, p->epilogue.type,
                       r->to + (r->first + k) * p->images.dst_stride[2] + i * p->dst_pitch,
                       VLOAD(0, r->block + k * POOLING_WIDTH + i * LANES), r->count);
}

/* All channels of a part of a row. */
INLINE void pool_channels(constant struct pooling_dense_params *p, EPILOGUE_ARGS,
                          const struct window_row *row, struct pool_row *r, const bool trains) {
    float block[POOLING_BLOCK * POOLING_WIDTH];
    r->taps = row->taps;
    r->count = p->images.channels < LANES ? (int)p->images.channels : LANES;
    r->block = p->finished ? block : 0;
    for (i64 c = 0; c < p->images.channels;) {
        int n = 1;
        /* The last vector starts early if it can: some channels are computed twice, with the same bits. */
        if (c + r->count > p->images.channels) c = p->images.channels - r->count;
        const i64 left = p->images.channels - c;
        r->from = row->from + pool_channel(c, p->src_pitch);
        r->to = row->to + pool_channel(c, p->dst_pitch);
        for (r->first = row->first; r->first < row->last; r->first = r->last) {
            r->last = p->finished && r->first + POOLING_BLOCK < row->last ? r->first + POOLING_BLOCK
                                                                          : row->last;
            n = trains ? pool_training_some(p, r, left) : pool_some(p, r, left);
            if (p->finished) pool_finish(p, EPILOGUE_PASS, row, r, c, n);
        }
        c += n * LANES;
    }
}

/* The rows of src that the windows below a part of a row begin with. */
INLINE struct lines_ahead pool_rows_below(constant struct pooling_dense_params *p,
                                          const struct window_row *row, global const uchar *src) {
    constant struct window_images *w = &p->images;
    const i64 bytes = type_bytes(p->src_type), pixel = w->window.stride[2] * w->src_stride[2];
    const i64 at =
            row->from + (w->window.taps[1] - 1) * w->src_step[1] + w->src_stride[1] + row->first * pixel;
    struct lines_ahead below = {p->lines_ahead ? src + at * bytes : 0, w->src_stride[1] * bytes,
                                (int)((row->last - row->first) * pixel * bytes / LINE_BYTES), 0};
    return below;
}

/* Ranges: parts of rows of outputs, groups of rows, batches. */
INLINE void pool_item(constant struct pooling_dense_params *p, global const uchar *src,
                      global uchar *workspace, global uchar *dst, EPILOGUE_ARGS, i64 part, i64 group,
                      i64 batch, const bool trains) {
    const i64 rows = p->images.places[0] * p->images.places[1];
    struct pool_row r;
    struct lines_ahead below;
    r.src = src, r.dst = dst, r.workspace = workspace, r.ahead = &below;
    r.streams = p->streams && STREAMS_ROW(dst, p->epilogue.type, p->images.dst_offset);
    for (i64 i = group * p->rows; i < (group + 1) * p->rows && i < rows; i++) {
        const struct window_row row = window_row(&p->images, part, p->span, i, batch);
        below = pool_rows_below(p, &row, src);
        pool_channels(p, EPILOGUE_PASS, &row, &r, trains);
    }
    if (STREAMED(p->streams)) STREAM_END();
}

#if WANTED(pooling_16)
kernel void pooling_16(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                       constant struct pooling_dense_params *p) {
    pool_item(p, src, 0, dst, EPILOGUE_PASS, get_global_id(0), get_global_id(1), get_global_id(2), false);
}
#endif

#if WANTED(pooling_training_16)
kernel void pooling_training_16(ITEM global const uchar *src, global uchar *workspace, global uchar *dst,
                                EPILOGUE_ARGS, constant struct pooling_dense_params *p) {
    pool_item(p, src, workspace, dst, EPILOGUE_PASS, get_global_id(0), get_global_id(1), get_global_id(2),
              true);
}
#endif
