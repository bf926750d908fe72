/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The universal convolution, deconvolution, inner product and matrix product in f64; see convolution.cl and
 * matmul.cl. A separate family, because devices without doubles cannot use a module with doubles.
 *
 * Range: parts of dst.
 */
#include "kernels/lib/convolution.h"
#include "kernels/lib/product_f64.h"
#include "kernels/params_matmul.h"

INLINE double convolution_sum_f64(constant struct convolution_params *p, struct operands *o, const i64 *place,
                                  i64 first_input) {
    double sum = 0.0;
    struct taps t;
    convolution_taps(p, &t, place);
    for (i64 k0 = t.first[0]; k0 < t.last[0]; k0++)
        for (i64 k1 = t.first[1]; k1 < t.last[1]; k1++)
            for (i64 k2 = t.first[2]; k2 < t.last[2]; k2++) {
                if (!convolution_tap(p, o, &t, k0, k1, k2)) continue;
                sum = product_f64(&p->product, o, first_input, 0, p->inputs, sum);
            }
    return sum;
}

#if WANTED(convolution_universal_f64)
kernel void convolution_universal_f64(ITEM global const uchar *src, global const uchar *weights,
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
        double x = convolution_sum_f64(p, &o, out.position + 2, first_input);
        x = product_scale_f64(&p->product, &e, &o, x);
        product_store_f64(&p->product, &e, bias, &out.position[1], dst, out.offset, out.position, x);
    }
}
#endif

#if WANTED(matmul_universal_f64)
kernel void matmul_universal_f64(ITEM global const uchar *src, global const uchar *weights,
                                 global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                 constant struct matmul_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->product.epilogue);
    struct operands o = {.src = src, .weights = weights};
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        if (!out.inside) {
            store_f32(dst, p->product.epilogue.type, out.offset, 0.0f);
            continue;
        }
        operands_at(&o, out.position, p->walk.ndims);
        double x = product_f64(&p->product, &o, 0, 0, p->depth, 0.0);
        x = product_scale_f64(&p->product, &e, &o, x);
        product_store_f64(&p->product, &e, bias, out.position, dst, out.offset, out.position, x);
    }
}
#endif
