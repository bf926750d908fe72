/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, forward. dst may be src: every element is read before it is written, by the same
 * work-item.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/params_eltwise.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

/* Range: parts of dst. */
#if WANTED(eltwise_universal)
kernel void eltwise_universal(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                              constant struct eltwise_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct walker w;
    for (walk_begin(&w, &p->walk, get_global_id(0)); w.left > 0; walk_next(&w, &p->walk)) {
        float x = 0.0f;
        if (w.inside) {
            x = load_f32(src, p->src.type, tensor_offset(&p->src, w.position));
            x = epilogue_finish(&e, eltwise_f32(p->alg, x, p->alpha, p->beta), w.position);
        }
        store_f32(dst, p->epilogue.type, w.offset, x);
    }
}
#endif

/* Range: count / span. */
#if WANTED(f32_eltwise_16)
kernel void f32_eltwise_16(ITEM global const float *src, global float *dst,
                           constant struct eltwise_dense_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span;
    i64 left = p->count - begin < p->span ? p->count - begin : p->span;
    const float alpha = p->alpha, beta = p->beta;
    float16 x;
    src += p->src_offset + begin;
    dst += p->dst_offset + begin;
#define ELTWISE_LOOP(name, expression)                                                                       \
    case name:                                                                                               \
        for (; left > 0; left -= 16, src += 16, dst += 16) {                                                 \
            load_lanes(&x, src, left, 0.0f);                                                                 \
            store_lanes(expression, dst, left);                                                              \
        }                                                                                                    \
        break;
    switch (p->alg) { ELTWISE_EACH(ELTWISE_LOOP) }
#undef ELTWISE_LOOP
}
#endif

/* Range: count / span. Adjacent work-items take adjacent elements: the elements of one work-item are as far
 * apart as there are work-items. */
#if WANTED(eltwise_items)
kernel void eltwise_items(ITEM global const uchar *src, global uchar *dst,
                          constant struct eltwise_dense_params *p) {
    const i64 step = get_global_size(0);
    for (i64 i = get_global_id(0); i < p->count; i += step) {
        float x = load_f32(src, p->src_type, p->src_offset + i);
        store_f32(dst, p->dst_type, p->dst_offset + i, eltwise_f32(p->alg, x, p->alpha, p->beta));
    }
}
#endif
