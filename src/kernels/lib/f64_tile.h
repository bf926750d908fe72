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

/* The end of a tile of whole vectors. */
INLINE void NAME(f64_store_whole)(constant struct gemm_params *p, const struct f64_tile *t,
                                  const struct epilogue_state *e, global const uchar *bias, global uchar *dst,
                                  int columns, const VEC *out) {
    global double *to = (global double *)dst + t->at.dst;
    VEC b0 = V(-0.0), b1 = V(-0.0), s0 = V(1.0), s1 = V(1.0); /* change nothing */
    if (p->has_bias) {
        global const double *with = (global const double *)bias + t->at.bias;
        b0 = VLOAD(0, with), b1 = VLOAD(1, with);
    }
    if (p->scaled) {
        double scales[2 * LANES];
        f64_scales(p, t, e, scales);
        s0 = VLOAD(0, scales), s1 = VLOAD(1, scales);
    }
#pragma nounroll
    for (int r = 0; r < columns; r++, to += p->dst_column) {
        VSTORE(out[2 * r] * s0 + b0, 0, to);
        VSTORE(out[2 * r + 1] * s1 + b1, 1, to);
    }
}

INLINE void NAME(f64_store)(constant struct gemm_params *p, const struct f64_tile *t,
                            const struct epilogue_state *e, global const uchar *bias, global uchar *dst,
                            int columns, const VEC *out) {
    if (t->count == 2 * LANES)
        NAME(f64_store_whole)(p, t, e, bias, dst, columns, out);
    else
        f64_store_tile(p, t, e, bias, dst, columns, 2 * LANES, (private const double *)out);
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
    NAME(f64_store)(p, &t, &e, bias, dst, columns, out);
}
#endif

#undef EACH_HEIGHT
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
