/* SPDX-License-Identifier: Apache-2.0 */
/* The dense kernel of pooling.cl for one vector width: LANES lanes, called NAME. */
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

/* One vector of channels of the window; `src` points to where tap 0 would read. */
INLINE OVERLOAD void pool_vector(VEC *result, constant struct pooling_dense_params *p, const struct taps *t,
                                 global const float *src, i64 start, int count) {
    bool max = p->alg == POOLING_MAX;
    VEC x = V(max ? p->lowest : 0.0f), y;
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            i64 row = start + k0 * p->src_step[0] + k1 * p->src_step[1];
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++) {
                load_lanes(&y, src + row + k2 * p->src_step[2], count, 0.0f);
                x = max ? (y > x ? y : x) : x + y;
            }
        }
    *result = max ? x : f32_div(x, V(pooling_divisor(p->alg, p->taps, t)));
}

kernel void NAME(ITEM global const float *src, global float *dst, EPILOGUE_ARGS,
                 constant struct pooling_dense_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    i64 index = get_global_id(0), batch = get_global_id(1), position[TENSOR_DIMS];
    if (index >= p->places[0] * p->places[1] * p->places[2]) return;
    position[0] = batch;
    position_of(index, WINDOW_DIMS, p->places, position + 2);
    struct taps t;
    window_taps(&t, &p->window, position + 2);
    i64 from = p->src_offset + batch * p->src_batch, to = p->dst_offset + batch * p->dst_batch;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        from += t.start[d] * p->src_stride[d];
        to += position[2 + d] * p->dst_stride[d];
    }
    for (i64 c = 0; c < p->channels; c += LANES) {
        /* The last vector begins earlier if it can: some channels are then computed twice, to the same bits.
         */
        if (c > p->channels - LANES && p->channels >= LANES) c = p->channels - LANES;
        int count = p->channels < LANES ? (int)p->channels : LANES;
        VEC x;
        pool_vector(&x, p, &t, src, from + c, count);
        position[1] = c;
        if (p->epilogue.nops) epilogue_apply(&e, &x, position, 1, count);
        store_lanes(x, dst + to + c, count);
    }
}
