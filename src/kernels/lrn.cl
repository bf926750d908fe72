/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation. The universal kernel takes any layout and type; the dense ones take
 * channels-last f32 images, a vector of channels at a time. Squares are summed in the order of positions, so
 * the bits are the same in every run and for any number of threads.
 *
 * Ranges: parts of dst; parts of rows of dst, rows, batches.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/math.h"
#include "kernels/lib/tensor.h"
#include "kernels/params_lrn.h"

#define LANES 1
#include "kernels/lib/lrn_lanes.h"
#undef LANES

/* The part of [at - reach, at + reach] that is in [0, size). */
INLINE i64 lrn_first(i64 at, i64 reach) {
    return at > reach ? at - reach : 0;
}
INLINE i64 lrn_last(i64 at, i64 reach, i64 size) {
    return at + reach < size ? at + reach + 1 : size;
}

INLINE float lrn_square(constant struct lrn_params *p, global const uchar *src, const i64 *position,
                        float sum) {
    float x = load_f32(src, p->src.type, tensor_offset(&p->src, position));
    return fma(x, x, sum);
}

INLINE float lrn_sum(constant struct lrn_params *p, global const uchar *src, const i64 *center) {
    i64 at[TENSOR_DIMS], *s = at + 2, first[WINDOW_DIMS], last[WINDOW_DIMS];
    float sum = 0.0f;
#pragma nounroll
    for (int d = 0; d < TENSOR_DIMS; d++)
        at[d] = center[d];
    if (p->lrn.across) {
        for (at[1] = lrn_first(center[1], p->lrn.reach);
             at[1] < lrn_last(center[1], p->lrn.reach, p->src.dims[1]); at[1]++)
            sum = lrn_square(p, src, at, sum);
        return sum;
    }
    for (int d = 0; d < WINDOW_DIMS; d++) {
        bool there = d + 2 < p->src.ndims;
        first[d] = there ? lrn_first(center[d + 2], p->lrn.reach) : 0;
        last[d] = there ? lrn_last(center[d + 2], p->lrn.reach, p->src.dims[d + 2]) : 1;
    }
    for (s[0] = first[0]; s[0] < last[0]; s[0]++)
        for (s[1] = first[1]; s[1] < last[1]; s[1]++)
            for (s[2] = first[2]; s[2] < last[2]; s[2]++)
                sum = lrn_square(p, src, at, sum);
    return sum;
}

#if WANTED(lrn_universal)
kernel void lrn_universal(ITEM global const uchar *src, global uchar *dst, constant struct lrn_params *p) {
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        float y = 0.0f;
        if (out.inside) {
            float x = load_f32(src, p->src.type, tensor_offset(&p->src, out.position));
            y = lrn_result(x, lrn_sum(p, src, out.position), &p->lrn);
        }
        store_f32(dst, p->src.type, out.offset, y);
    }
}
#endif

enum { LRN_VECTORS = 4 }; /* vectors kept in registers */

#define LANES 16
#define NAME f32_lrn_x16
#include "kernels/lib/lrn_lanes.h"
#undef LANES
#undef NAME
#define LANES 8
#define NAME f32_lrn_x8
#include "kernels/lib/lrn_lanes.h"
#undef LANES
#undef NAME
