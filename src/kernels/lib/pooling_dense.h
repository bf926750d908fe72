/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of channels-last images of any type, a vector of channels at a time. */
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

enum { POOLING_VECTORS = 4 }; /* vectors kept in registers */

/* n vectors of channels, from element `at` on; of a single one `count` lanes exist. */
INLINE void pool_load(VEC *y, global const uchar *src, int type, i64 at, const int n, int count) {
    if (n == 1 && count < LANES) {
        float each[LANES + 16];
        row_load_any(each, src, type, at, 1, count);
        y[0] = VLOAD(0, each);
        return;
    }
#define POOL_LOAD(type_, bits_, WIDEN_)                                                                      \
    case type_:                                                                                              \
        _Pragma("unroll") for (int i = 0; i < n; i++) y[i] = WIDEN_(ROW_BITS_##bits_(src, at + i * LANES));  \
        return;
    switch (type) {
        POOL_LOAD(TYPE_F32, 32, as_float16)
        POOL_LOAD(TYPE_BF16, 16, widen_bf16)
        POOL_LOAD(TYPE_F16, 16, widen_f16)
        POOL_LOAD(TYPE_S8, 8, widen_s8)
        POOL_LOAD(TYPE_U8, 8, widen_unsigned)
        POOL_LOAD(TYPE_F8_E5M2, 8, widen_f8_e5m2)
        POOL_LOAD(TYPE_F8_E4M3, 8, widen_f8_e4m3)
    }
#undef POOL_LOAD
}

/* Pools n vectors of channels over the window; tap 0 would read at `start`. `count` lanes of the last vector
 * exist. Callers pass `n` and `max` as constants. */
INLINE void pool_vectors(VEC *out, constant struct pooling_dense_params *p, const struct taps *t,
                         global const uchar *src, i64 start, const int n, const bool max, int count) {
    VEC x[POOLING_VECTORS], y[POOLING_VECTORS];
    for (int i = 0; i < n; i++)
        x[i] = V(max ? p->lowest : 0.0f);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            const i64 row = start + k0 * p->images.src_step[0] + k1 * p->images.src_step[1];
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++) {
                pool_load(y, src, p->src_type, row + k2 * p->images.src_step[2], n, count);
#pragma unroll
                for (int i = 0; i < n; i++)
                    x[i] = max ? (y[i] > x[i] ? y[i] : x[i]) : x[i] + y[i];
            }
        }
    VEC divisor = V(pooling_divisor(p->alg, p->taps, t));
    for (int i = 0; i < n; i++)
        out[i] = max ? x[i] : f32_div(x[i], divisor);
}

OUTLINE void pool_finish(VEC *x, constant struct pooling_dense_params *p, EPILOGUE_ARGS, i64 batch,
                         i64 channel, const i64 *place, int count) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    i64 position[TENSOR_DIMS];
    window_position(&p->images, batch, channel, place, position);
    epilogue_apply(&e, x, position, 1, count);
}

INLINE void pool_any(VEC *out, constant struct pooling_dense_params *p, const struct taps *t,
                     global const uchar *src, i64 start, int n, int count) {
    bool max = p->alg == POOLING_MAX;
    switch (max ? n : n + POOLING_VECTORS) {
    case 1: pool_vectors(out, p, t, src, start, 1, true, count); break;
    case 2: pool_vectors(out, p, t, src, start, 2, true, LANES); break;
    case 3: pool_vectors(out, p, t, src, start, 3, true, LANES); break;
    case 4: pool_vectors(out, p, t, src, start, 4, true, LANES); break;
    case POOLING_VECTORS + 1: pool_vectors(out, p, t, src, start, 1, false, count); break;
    case POOLING_VECTORS + 2: pool_vectors(out, p, t, src, start, 2, false, LANES); break;
    case POOLING_VECTORS + 3: pool_vectors(out, p, t, src, start, 3, false, LANES); break;
    case POOLING_VECTORS + 4: pool_vectors(out, p, t, src, start, 4, false, LANES); break;
    }
}

/* All channels of one output: `from` is where tap 0 reads the first channel, `to` its offset in dst. */
INLINE void pool_place(VEC *x, constant struct pooling_dense_params *p, const struct taps *t,
                       global const uchar *src, i64 from, global uchar *dst, i64 to, EPILOGUE_ARGS, i64 batch,
                       const i64 *place) {
    for (i64 c = 0; c < p->images.channels;) {
        i64 left = p->images.channels - c,
            n = left / LANES < POOLING_VECTORS ? left / LANES : POOLING_VECTORS;
        int count = p->images.channels < LANES ? (int)p->images.channels : LANES;
        if (n == 0) {
            /* The last vector starts early if it can: some channels are computed twice, with the same bits.
             */
            n = 1;
            c = p->images.channels - count;
        }
        pool_any(x, p, t, src, from + c, (int)n, count);
        for (int i = 0; i < n; i++, c += LANES) {
            if (p->finished) pool_finish(&x[i], p, EPILOGUE_PASS, batch, c, place, count);
            store_lanes(dst, p->epilogue.type, to + c, x[i], count);
        }
    }
}

#if WANTED(pooling_16)
kernel void pooling_16(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                       constant struct pooling_dense_params *p) {
    struct window_row r =
            window_row(&p->images, get_global_id(0), POOLING_PLACES, get_global_id(1), get_global_id(2));
    for (r.place[2] = r.first; r.place[2] < r.last; r.place[2]++) {
        VEC x[POOLING_VECTORS];
        window_taps_along(&r.taps, &p->images.window, 2, r.place[2]);
        pool_place(x, p, &r.taps, src, r.from + r.taps.start[2] * p->images.src_stride[2], dst,
                   r.to + r.place[2] * p->images.dst_stride[2], EPILOGUE_PASS, r.batch, r.place);
    }
}
#endif

/* The maxima of a vector of channels, and the taps where they are. */
INLINE void pool_maxima(VEC *most, IVEC *at, constant struct pooling_dense_params *p, const struct taps *t,
                        global const uchar *src, i64 start, int count) {
    VEC x = V(p->lowest), y;
    IVEC tap = (IVEC)(0);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            const i64 row = start + k0 * p->images.src_step[0] + k1 * p->images.src_step[1];
            i64 before = (k0 * p->images.window.taps[1] + k1) * p->images.window.taps[2];
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++) {
                pool_load(&y, src, p->src_type, row + k2 * p->images.src_step[2], 1, count);
                tap = y > x ? (IVEC)((int)(before + k2)) : tap;
                x = y > x ? y : x;
            }
        }
    *most = x;
    *at = tap;
}

INLINE void pool_store_taps(IVEC taps, global uchar *workspace, int type, i64 offset, int count) {
    if (count == LANES && type == TYPE_U8) {
        VSTORE(TO_BYTES(AS_UVEC(taps)), 0, workspace + offset);
        return;
    }
    int values[LANES];
    VSTORE(taps, 0, values);
#pragma nounroll
    for (int i = 0; i < count; i++)
        if (type == TYPE_U8)
            workspace[offset + i] = (uchar)values[i];
        else
            ((global int *)workspace)[offset + i] = values[i];
}

#if WANTED(pooling_training_16)
kernel void pooling_training_16(ITEM global const uchar *src, global uchar *workspace, global uchar *dst,
                                EPILOGUE_ARGS, constant struct pooling_dense_params *p) {
    struct window_row r =
            window_row(&p->images, get_global_id(0), POOLING_PLACES, get_global_id(1), get_global_id(2));
    for (r.place[2] = r.first; r.place[2] < r.last; r.place[2]++) {
        window_taps_along(&r.taps, &p->images.window, 2, r.place[2]);
        i64 from = r.from + r.taps.start[2] * p->images.src_stride[2],
            to = r.to + r.place[2] * p->images.dst_stride[2];
#pragma nounroll
        for (i64 c = 0; c < p->images.channels; c += LANES) {
            int count = p->images.channels - c < LANES ? (int)(p->images.channels - c) : LANES;
            VEC x;
            IVEC taps;
            pool_maxima(&x, &taps, p, &r.taps, src, from + c, count);
            if (p->finished) pool_finish(&x, p, EPILOGUE_PASS, r.batch, c, r.place, count);
            store_lanes(dst, p->epilogue.type, to + c, x, count);
            pool_store_taps(taps, workspace, p->workspace_type, to + p->workspace_offset + c, count);
        }
    }
}
#endif
