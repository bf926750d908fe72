/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The universal convolution, deconvolution and inner product: any layout, any types except f64, any
 * attributes. A work-item computes the outputs in its part of dst's memory, one after the other. Every output
 * is summed in the order (depth, height, width, input channel); taps in the padding are skipped.
 *
 * Range: parts of dst.
 */
#include "kernels/lib/convolution.h"

struct sums {
    float f32;
    int s32;
};

/* The whole window over one group of channels. */
INLINE struct sums convolution_sum(constant struct convolution_params *p, const struct epilogue_state *e,
                                   struct operands *o, const i64 *place, i64 first_input) {
    struct sums sums = {0.0f, 0};
    struct taps t;
    convolution_taps(p, &t, place);
    for (i64 k0 = t.first[0]; k0 < t.last[0]; k0++)
        for (i64 k1 = t.first[1]; k1 < t.last[1]; k1++)
            for (i64 k2 = t.first[2]; k2 < t.last[2]; k2++) {
                if (!convolution_tap(p, o, &t, k0, k1, k2)) continue;
                if (p->product.sum == SUM_S32)
                    sums.s32 = product_s32(&p->product, e, o, first_input, 0, p->inputs, sums.s32);
                else
                    sums.f32 = product_f32(&p->product, e, o, first_input, 0, p->inputs, sums.f32);
            }
    return sums;
}

#if WANTED(convolution_universal)
kernel void convolution_universal(ITEM global const uchar *src, global const uchar *weights,
                                  global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                  constant struct convolution_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->product.epilogue);
    struct operands o = {.src = src, .weights = weights};
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        if (!out.inside) {
            store_f32(dst, p->product.epilogue.type, out.offset, 0.0f);
            continue;
        }
        i64 first_input = convolution_begin(p, &o, out.position);
        struct sums sums = convolution_sum(p, &e, &o, out.position + 2, first_input);
        if (p->product.bare) {
            store_s32(dst, p->product.epilogue.type, out.offset, sums.s32);
            continue;
        }
        float x = p->product.sum == SUM_S32 ? (float)sums.s32 : sums.f32;
        x = product_scale(&p->product, &e, &o, x);
        product_store(&p->product, &e, bias, &out.position[1], dst, out.offset, out.position, x);
    }
}
#endif
