/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of f64_gemm.cl for one register file: HEIGHT columns by two vectors of LANES doubles. Included
 * once per shape; NAME(x) appends the shape to a name.
 */
#include "kernels/lib/lanes.h"

#include "kernels/lib/gemm_steps.h"

/* out[r][v]: the whole reduction, tap by tap of the window. */
INLINE void NAME(f64_reduce)(constant struct gemm_params *p, const struct f64_tile *t, const int m,
                             VEC *out) {
    const struct gemm_taps taps = gemm_taps(p, &t->at);
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = V(0.0);
    EACH_TAP(p, &taps)
    NAME(gemm_steps)(t->src + from, p->src_column, t->weights + by, p->weights_depth, 0, p->depth, 0, 0, 0, m,
                     1, acc);
    NAME(gemm_move)(out, acc, 2 * m);
}

/* Whole vectors that only a bias is added to. */
INLINE void NAME(f64_store_plain)(constant struct gemm_params *p, const struct f64_tile *t,
                                  global const uchar *bias, global uchar *dst, int columns, const VEC *out) {
    global double *to = (global double *)dst + t->at.dst;
    VEC b0 = V(-0.0), b1 = V(-0.0); /* change nothing */
    if (p->has_bias) {
        global const double *with = (global const double *)bias + t->at.bias;
        b0 = VLOAD(0, with), b1 = VLOAD(1, with);
    }
#pragma nounroll
    for (int r = 0; r < columns; r++, to += p->dst_column) {
        VSTORE(out[2 * r] + b0, 0, to);
        VSTORE(out[2 * r + 1] + b1, 1, to);
    }
}

#if WANTED(NAME(f64_gemm))
kernel void NAME(f64_gemm)(ITEM global const double *src, global const double *weights,
                           global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                           constant struct gemm_params *p) {
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const struct f64_tile t = f64_locate(p, scalars.step, src, weights, GEMM_TILE(p), GEMM_PANEL(p),
                                         get_global_id(2), 2 * LANES);
    const int columns = f64_columns(p, &t);
    VEC out[2 * HEIGHT];
#define WHOLE_TILE(m) NAME(f64_reduce)(p, &t, m, out)
    EACH_HEIGHT(columns, WHOLE_TILE)
#undef WHOLE_TILE
    if (p->plain && t.count == 2 * LANES)
        NAME(f64_store_plain)(p, &t, bias, dst, columns, out);
    else
        f64_store_tile(p, &t, &e, bias, dst, columns, 2 * LANES, (private const double *)out);
}
#endif

#undef EACH_HEIGHT
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
