/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loop of matrix products of f32 or f64, for tiles of up to HEIGHT columns by panels of two vectors
 * of LANES elements. Included once per shape, after lib/lanes.h; NAME(x) appends the shape to a name. Weights
 * are in the address space SPACE.
 */
/* acc[panel][r][v] += column r of src times vector v of a panel of weights, over `depth` steps, each of which
 * also asks for `lines` lines of the cache from `ahead` on if that is not NULL. Callers pass `m`, `panels`
 * and `lines` as constants, so that the loops over them unroll and acc stays in registers. */
INLINE void NAME(gemm_steps)(global const REAL *a, const i64 column, SPACE const REAL *w, const i64 step,
                             const i64 panel, const i64 depth, global const REAL *ahead, const i64 ahead_step,
                             const int lines, const int m, const int panels, VEC *acc) {
#pragma nounroll
    for (i64 i = 0; i < depth; i++, w += step) {
        if (ahead) {
#pragma unroll
            for (int n = 0; n < lines; n++)
                PREFETCH(ahead + 16 * n);
            ahead += ahead_step;
        }
#pragma unroll
        for (int n = 0; n < panels; n++) {
            VEC w0 = VLOAD(0, w + n * panel), w1 = VLOAD(1, w + n * panel);
#pragma unroll
            for (int r = 0; r < m; r++) {
                VEC x = (VEC)(a[r * column + i]);
                VEC *y = acc + 2 * (n * m + r);
                y[0] = fma(x, w0, y[0]);
                y[1] = fma(x, w1, y[1]);
                KEEP(y[0], y[1]);
            }
        }
    }
}

INLINE void NAME(gemm_move)(VEC *to, const VEC *from, const int count) {
#pragma unroll
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* Calls f(m) with the constant that equals `columns`. */
#if HEIGHT > 6
#define EACH_HEIGHT(columns, f)                                                                              \
    switch (columns) {                                                                                       \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;                                                                                     \
    case 3: f(3); break;                                                                                     \
    case 4: f(4); break;                                                                                     \
    case 5: f(5); break;                                                                                     \
    case 6: f(6); break;                                                                                     \
    case 7: f(7); break;                                                                                     \
    case 8: f(8); break;                                                                                     \
    case 9: f(9); break;                                                                                     \
    case 10: f(10); break;                                                                                   \
    case 11: f(11); break;                                                                                   \
    case 12: f(12); break;                                                                                   \
    case 13: f(13); break;                                                                                   \
    case 14: f(14); break;                                                                                   \
    }
#else
#define EACH_HEIGHT(columns, f)                                                                              \
    switch (columns) {                                                                                       \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;                                                                                     \
    case 3: f(3); break;                                                                                     \
    case 4: f(4); break;                                                                                     \
    case 5: f(5); break;                                                                                     \
    case 6: f(6); break;                                                                                     \
    }
#endif
