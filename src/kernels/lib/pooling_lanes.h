/* SPDX-License-Identifier: Apache-2.0 */
/* The dense kernel of pooling.cl for one vector width: LANES lanes, called NAME. */
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

/* n vectors of channels of the window, from where tap 0 would read `start`; of the last vector `count` lanes
 * exist. `n` and `max` are constants where this is called. */
INLINE OVERLOAD void pool_vectors(VEC *out, constant struct pooling_dense_params *p, const struct taps *t,
                                  global const float *src, i64 start, const int n, const bool max,
                                  int count) {
    VEC x[POOLING_VECTORS], y;
    for (int i = 0; i < n; i++)
        x[i] = V(max ? p->lowest : 0.0f);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            global const float *row = src + start + k0 * p->src_step[0] + k1 * p->src_step[1];
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++)
#pragma unroll
                for (int i = 0; i < n; i++) {
                    load_lanes(&y, row + k2 * p->src_step[2] + i * LANES, n == 1 ? count : LANES, 0.0f);
                    x[i] = max ? (y > x[i] ? y : x[i]) : x[i] + y;
                }
        }
    VEC divisor = V(pooling_divisor(p->alg, p->taps, t));
    for (int i = 0; i < n; i++)
        out[i] = max ? x[i] : f32_div(x[i], divisor);
}

OUTLINE OVERLOAD void pool_finish(VEC *x, constant struct pooling_dense_params *p, EPILOGUE_ARGS, i64 batch,
                                  i64 channel, const i64 *place, int count) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    i64 position[TENSOR_DIMS] = {batch, channel};
    for (i64 d = p->missing; d < WINDOW_DIMS; d++)
        position[2 + d - p->missing] = place[d];
    epilogue_apply(&e, x, position, 1, count);
}

INLINE OVERLOAD void pool_any(VEC *out, constant struct pooling_dense_params *p, const struct taps *t,
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

/* All channels at one place: `from` is where tap 0 reads the first one, `to` where it goes. */
INLINE OVERLOAD void pool_place(VEC *x, constant struct pooling_dense_params *p, const struct taps *t,
                                global const float *src, i64 from, global float *dst, i64 to, EPILOGUE_ARGS,
                                i64 batch, const i64 *place) {
    for (i64 c = 0; c < p->channels;) {
        i64 left = p->channels - c, n = left / LANES < POOLING_VECTORS ? left / LANES : POOLING_VECTORS;
        int count = p->channels < LANES ? (int)p->channels : LANES;
        if (n == 0) {
            /* The last vector begins earlier if it can: some channels are computed twice, to the same bits.
             */
            n = 1;
            c = p->channels - count;
        }
        pool_any(x, p, t, src, from + c, (int)n, count);
        for (int i = 0; i < n; i++, c += LANES) {
            if (p->epilogue.nops) pool_finish(&x[i], p, EPILOGUE_PASS, batch, c, place, count);
            store_lanes(x[i], dst + to + c, count);
        }
    }
}

#if WANTED(NAME)
kernel void NAME(ITEM global const float *src, global float *dst, EPILOGUE_ARGS,
                 constant struct pooling_dense_params *p) {
    i64 first = get_global_id(0) * POOLING_PLACES, row = get_global_id(1), batch = get_global_id(2);
    i64 from = p->src_offset + batch * p->src_batch, to = p->dst_offset + batch * p->dst_batch;
    i64 last = first + POOLING_PLACES < p->places[2] ? first + POOLING_PLACES : p->places[2];
    i64 place[WINDOW_DIMS];
    struct taps t;
    place[0] = p->places[0] == 1 ? 0 : row / p->places[1];
    place[1] = row - place[0] * p->places[1];
    for (int d = 0; d < 2; d++) {
        window_taps_along(&t, &p->window, d, place[d]);
        from += t.start[d] * p->src_stride[d];
        to += place[d] * p->dst_stride[d];
    }
    for (place[2] = first; place[2] < last; place[2]++) {
        VEC x[POOLING_VECTORS];
        window_taps_along(&t, &p->window, 2, place[2]);
        pool_place(x, p, &t, src, from + t.start[2] * p->src_stride[2], dst, to + place[2] * p->dst_stride[2],
                   EPILOGUE_PASS, batch, place);
    }
}
#endif
