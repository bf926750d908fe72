/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling. The universal kernel takes any layout and type; the dense ones take images whose channels are last
 * or in blocks of 16, a vector of channels at a time; f32_pooling_planes_16 takes f32 images with dense rows,
 * pooling_folded_16 those of any type. The order of a sum is fixed by the kernel, so the bits are the same in
 * every run and for any number of threads.
 *
 * Ranges: parts of dst; parts of rows of dst, groups of rows, batches.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/window.h"
#include "kernels/params_pooling.h"

/* The divisor of a sum. */
INLINE float pooling_divisor(int alg, i64 all, const struct taps *t) {
    i64 inside = 1;
    for (int d = 0; d < WINDOW_DIMS; d++)
        inside *= t->last[d] > t->first[d] ? t->last[d] - t->first[d] : 0;
    return (float)(alg == POOLING_AVG_EXCLUDE_PADDING ? inside : all);
}

/* The state of one window. */
struct pool {
    float value;
    int exact; /* the maximum, if params->exact */
    int tap;   /* the tap of the maximum */
};

INLINE void pool_element(constant struct pooling_params *p, struct pool *pool, global const uchar *src,
                         i64 offset, int tap) {
    if (p->exact) {
        int x = load_s32(src, p->src.type, offset);
        if (x > pool->exact) pool->exact = x, pool->tap = tap;
        return;
    }
    float x = load_f32(src, p->src.type, offset);
    if (p->alg != POOLING_MAX)
        pool->value += x;
    else if (x > pool->value)
        pool->value = x, pool->tap = tap;
}

INLINE struct pool pool_window(constant struct pooling_params *p, global const uchar *src, i64 *position) {
    struct pool pool = {p->alg == POOLING_MAX ? p->lowest : 0.0f, -0x7fffffff - 1, 0};
    struct taps t;
    i64 *s = position + 2;
    window_taps(&t, &p->window, s);
    for (i64 k0 = t.first[0]; k0 < t.last[0]; k0++)
        for (i64 k1 = t.first[1]; k1 < t.last[1]; k1++)
            for (i64 k2 = t.first[2]; k2 < t.last[2]; k2++) {
                s[0] = t.start[0] + k0 * p->window.step[0];
                s[1] = t.start[1] + k1 * p->window.step[1];
                s[2] = t.start[2] + k2 * p->window.step[2];
                i64 tap = (k0 * p->window.taps[1] + k1) * p->window.taps[2] + k2;
                pool_element(p, &pool, src, tensor_offset(&p->src, position), (int)tap);
            }
    if (p->alg != POOLING_MAX) pool.value = f32_div(pool.value, pooling_divisor(p->alg, p->taps, &t));
    return pool;
}

#if WANTED(pooling_universal)
kernel void pooling_universal(ITEM global const uchar *src, global uchar *workspace, global uchar *dst,
                              EPILOGUE_ARGS, constant struct pooling_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        struct pool pool = {0.0f, 0, 0};
        i64 position[TENSOR_DIMS];
#pragma nounroll
        for (int d = 0; d < TENSOR_DIMS; d++)
            position[d] = out.position[d];
        if (out.inside) pool = pool_window(p, src, position);
        if (p->workspace_type)
            store_s32(workspace, p->workspace_type, out.offset + p->workspace_offset, pool.tap);
        if (p->exact) {
            store_s32(dst, p->epilogue.type, out.offset, pool.exact);
            continue;
        }
        if (out.inside) pool.value = epilogue_finish(&e, pool.value, out.position);
        store_f32(dst, p->epilogue.type, out.offset, pool.value);
    }
}
#endif

#include "kernels/lib/rows.h"
#define LANES 16
#include "kernels/lib/pooling_dense.h"
#include "kernels/lib/pooling_planes.h"
#include "kernels/lib/pooling_folded.h"
