/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of channels-last f32 images, a vector of channels at a time. */
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

enum { POOLING_VECTORS = 4 }; /* vectors kept in registers */

/* Pools n vectors of channels over the window; tap 0 would read at `start`. `count` lanes of the last vector
 * exist. Callers pass `n` and `max` as constants. */
INLINE void pool_vectors(VEC *out, constant struct pooling_dense_params *p, const struct taps *t,
                         global const float *src, i64 start, const int n, const bool max, int count) {
    VEC x[POOLING_VECTORS], y;
    for (int i = 0; i < n; i++)
        x[i] = V(max ? p->lowest : 0.0f);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            global const float *row = src + start + k0 * p->images.src_step[0] + k1 * p->images.src_step[1];
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++)
#pragma unroll
                for (int i = 0; i < n; i++) {
                    load_lanes(&y, row + k2 * p->images.src_step[2] + i * LANES, n == 1 ? count : LANES,
                               0.0f);
                    x[i] = max ? (y > x[i] ? y : x[i]) : x[i] + y;
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
                     global const float *src, i64 start, int n, int count) {
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
                       global const float *src, i64 from, global float *dst, i64 to, EPILOGUE_ARGS, i64 batch,
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
            if (p->epilogue.nops) pool_finish(&x[i], p, EPILOGUE_PASS, batch, c, place, count);
            store_lanes(x[i], dst + to + c, count);
        }
    }
}

#if WANTED(f32_pooling_16)
kernel void f32_pooling_16(ITEM global const float *src, global float *dst, EPILOGUE_ARGS,
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
                        global const float *src, int count) {
    VEC x = V(p->lowest), y;
    IVEC tap = (IVEC)(0);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            global const float *row = src + k0 * p->images.src_step[0] + k1 * p->images.src_step[1];
            i64 before = (k0 * p->images.window.taps[1] + k1) * p->images.window.taps[2];
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++) {
                load_lanes(&y, row + k2 * p->images.src_step[2], count, 0.0f);
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

#if WANTED(f32_pooling_training_16)
kernel void f32_pooling_training_16(ITEM global const float *src, global uchar *workspace, global float *dst,
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
            pool_maxima(&x, &taps, p, &r.taps, src + from + c, count);
            if (p->epilogue.nops) pool_finish(&x, p, EPILOGUE_PASS, r.batch, c, r.place, count);
            store_lanes(x, dst + to + c, count);
            pool_store_taps(taps, workspace, p->workspace_type, to + c, count);
        }
    }
}
#endif
