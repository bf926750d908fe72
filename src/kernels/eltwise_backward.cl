/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, backward. diff_src may be diff_dst or the data: every element is read before it is
 * written, by the same work-item.
 */
#include "kernels/lib/stream.h"
#include "kernels/lib/convert.h"
#include "kernels/lib/gradient.h"
#include "kernels/lib/tensor.h"
#include "kernels/params_eltwise.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

/* Range: parts of diff_src. */
#if WANTED(eltwise_backward_universal)
kernel void eltwise_backward_universal(ITEM global const uchar *data, global const uchar *diff_dst,
                                       global uchar *diff_src, constant struct eltwise_backward_params *p) {
    struct walker w;
    for (walk_begin(&w, &p->walk, get_global_id(0)); w.left > 0; walk_next(&w, &p->walk)) {
        float x = 0.0f;
        if (w.inside) {
            float d = load_f32(diff_dst, p->diff_dst.type, tensor_offset(&p->diff_dst, w.position));
            x = load_f32(data, p->data.type, tensor_offset(&p->data, w.position));
            x = d * gradient_f32(p->alg, x, p->alpha, p->beta);
        }
        store_f32(diff_src, p->diff_src_type, w.offset, x);
    }
}
#endif

/* Range: count / span. */
#if WANTED(f32_eltwise_backward_16)
kernel void f32_eltwise_backward_16(ITEM global const float *data, global const float *diff_dst,
                                    global float *diff_src,
                                    constant struct eltwise_backward_dense_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span;
    i64 left = p->count - begin < p->span ? p->count - begin : p->span;
    const float alpha = p->alpha, beta = p->beta;
    float16 x, d;
    data += p->data_offset + begin;
    diff_dst += p->diff_dst_offset + begin;
    diff_src += p->diff_src_offset + begin;
    const int streams = p->streams && STREAMS_ROW((global uchar *)diff_src, TYPE_F32, 0);
#define GRADIENT_LOOP(name, expression)                                                                      \
    case name:                                                                                               \
        for (; left > 0; left -= 16, data += 16, diff_dst += 16, diff_src += 16) {                           \
            load_lanes(&x, data, left, 0.0f);                                                                \
            load_lanes(&d, diff_dst, left, 0.0f);                                                            \
            d *= (expression);                                                                               \
            if (left < 16 || !STREAMS_LINE(d, diff_src, streams)) store_lanes(d, diff_src, left);            \
        }                                                                                                    \
        break;
    switch (p->alg) { GRADIENT_EACH(GRADIENT_LOOP) }
#undef GRADIENT_LOOP
    if (STREAMED(streams)) STREAM_END();
}
#endif
