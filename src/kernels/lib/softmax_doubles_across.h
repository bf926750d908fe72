/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax of lines of doubles that lie side by side, forward and backward: a vector has an element of each of
 * eight lines. As many lines at once as stay in the L2 cache. Included by doubles.cl.
 */
enum { ACROSS_ELEMENTS = 1 << 15, ACROSS_LEAST = 32 };

/* How many of the lines of a unit are computed at once. */
INLINE int across_lines(constant struct softmax_lines_params *p) {
    const i64 most = ACROSS_ELEMENTS / p->length / 8 * 8;
    return most < ACROSS_LEAST ? ACROSS_LEAST : most < SOFTMAX_BLOCK ? (int)most : SOFTMAX_BLOCK;
}

INLINE void across_fill(double *to, double value, int n) {
#pragma nounroll
    for (int c = 0; c < n; c += 8)
        vstore8(V(value), 0, to + c);
}

/* Element 0 of n lines is at x and y. dst may be src. */
INLINE void softmax_lines(constant struct softmax_lines_params *p, global const double *x, global double *y,
                          int n) {
    double most[SOFTMAX_BLOCK], sum[SOFTMAX_BLOCK];
    const i64 from = p->steps[0], to = p->steps[1];
    across_fill(most, -INFINITY, n);
    across_fill(sum, 0.0, n);
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
#pragma nounroll
        for (int c = 0; c < n; c += 8) {
            const double8 a = load_doubles(x + i * from + c, n - c, 0.0), b = vload8(0, most + c);
            vstore8(a > b ? a : b, 0, most + c);
        }
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
#pragma nounroll
        for (int c = 0; c < n; c += 8) {
            const double8 a = load_doubles(x + i * from + c, n - c, 0.0);
            const double8 e = f64_exp_below(a - vload8(0, most + c));
            vstore8(vload8(0, sum + c) + e, 0, sum + c);
            if (!p->log) store_doubles(e, y + i * to + c, n - c);
        }
#pragma nounroll
    for (int c = 0; c < n; c += 8) {
        const double8 all = vload8(0, sum + c);
        vstore8(p->log ? vload8(0, most + c) + f32_log(all) : V(1.0) / all, 0, sum + c);
    }
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
#pragma nounroll
        for (int c = 0; c < n; c += 8) {
            const double8 last = vload8(0, sum + c);
            const double8 r = p->log ? load_doubles(x + i * from + c, n - c, 0.0) - last
                                     : load_doubles(y + i * to + c, n - c, 0.0) * last;
            store_doubles(r, y + i * to + c, n - c);
        }
}

INLINE void softmax_gradient_lines(constant struct softmax_lines_params *p, global const double *y,
                                   global const double *d, global double *to, int n) {
    double sum[SOFTMAX_BLOCK];
    across_fill(sum, 0.0, n);
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
#pragma nounroll
        for (int c = 0; c < n; c += 8) {
            const double8 b = load_doubles(d + i * p->steps[1] + c, n - c, 0.0), all = vload8(0, sum + c);
            const double8 next =
                    p->log ? all + b : fma(load_doubles(y + i * p->steps[0] + c, n - c, 0.0), b, all);
            vstore8(next, 0, sum + c);
        }
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
#pragma nounroll
        for (int c = 0; c < n; c += 8) {
            const double8 a = load_doubles(y + i * p->steps[0] + c, n - c, 0.0);
            const double8 b = load_doubles(d + i * p->steps[1] + c, n - c, 0.0), all = vload8(0, sum + c);
            store_doubles(p->log ? b - f32_exp(a) * all : a * (b - all), to + i * p->steps[2] + c, n - c);
        }
}

/* All lines of a unit. */
INLINE void softmax_across(constant struct softmax_lines_params *p, const struct softmax_unit *u,
                           global const double *src, global double *dst) {
    const int most = across_lines(p);
#pragma nounroll
    for (int c = 0; c < u->width; c += most)
        softmax_lines(p, src + u->offsets[0] + c, dst + u->offsets[1] + c,
                      u->width - c < most ? u->width - c : most);
}

INLINE void softmax_gradient_across(constant struct softmax_lines_params *p, const struct softmax_unit *u,
                                    global const double *dst, global const double *diff_dst,
                                    global double *diff_src) {
    const int most = across_lines(p);
#pragma nounroll
    for (int c = 0; c < u->width; c += most)
        softmax_gradient_lines(p, dst + u->offsets[0] + c, diff_dst + u->offsets[1] + c,
                               diff_src + u->offsets[2] + c, u->width - c < most ? u->width - c : most);
}
