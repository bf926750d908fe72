/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Winograd's convolution of f32 with a window of 3x3 and stride 1, for CPU-class devices: transforms of tiles
 * of src, of weights, and of products back into dst. Between them, src and weights are multiplied position by
 * position by the matrix-product kernels. With n x n results per tile, src d and weights g,
 *
 *   dst = A' [(G g G') . (B' d B)] A
 *
 * where the matrices are those of Toom and Cook for the points 0, P, -P, infinity (n = 2, P = 1) and 0, P,
 * -P, Q, -Q, infinity (n = 4, P = 5/8, Q = 3/2). These two have nearly the least error of all pairs; all
 * numbers of A and B are exact.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/params_winograd.h"

/* Two registers per value are too many for the transforms. Compilers of devices decide for themselves. */
#if defined(__OPENCL_C_VERSION__) || defined(NATIVE_AVX512)
#define LANES 16
#else
#define LANES 8
#endif
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

#define P 0.625f
#define Q 1.5f
#define PP (P * P)
#define QQ (Q * Q)

/* B' x, where x has n + 2 vectors. */
INLINE void transform_src_4(const VEC *x, VEC *y, const int step) {
    const VEC even_p = fma(V(-QQ), x[2], x[4]), odd_p = V(P) * fma(V(-QQ), x[1], x[3]);
    const VEC even_q = fma(V(-PP), x[2], x[4]), odd_q = V(Q) * fma(V(-PP), x[1], x[3]);
    y[0 * step] = fma(V(PP * QQ), x[0], fma(V(-PP - QQ), x[2], x[4]));
    y[1 * step] = even_p + odd_p;
    y[2 * step] = even_p - odd_p;
    y[3 * step] = even_q + odd_q;
    y[4 * step] = even_q - odd_q;
    y[5 * step] = fma(V(PP * QQ), x[1], fma(V(-PP - QQ), x[3], x[5]));
}

INLINE void transform_src_2(const VEC *x, VEC *y, const int step) {
    y[0 * step] = x[2] - x[0];
    y[1 * step] = x[2] + x[1];
    y[2 * step] = x[2] - x[1];
    y[3 * step] = x[3] - x[1];
}

/* A' x. */
INLINE void transform_dst_4(const VEC *x, VEC *y, const int step) {
    const VEC even_p = x[1] + x[2], odd_p = x[1] - x[2], even_q = x[3] + x[4], odd_q = x[3] - x[4];
    y[0 * step] = x[0] + (even_p + even_q);
    y[1 * step] = fma(V(Q), odd_q, V(P) * odd_p);
    y[2 * step] = fma(V(QQ), even_q, V(PP) * even_p);
    y[3 * step] = fma(V(Q * QQ), odd_q, fma(V(P * PP), odd_p, x[5]));
}

INLINE void transform_dst_2(const VEC *x, VEC *y, const int step) {
    y[0 * step] = x[0] + (x[1] + x[2]);
    y[1 * step] = (x[1] - x[2]) + x[3];
}

/* G x, where x has three vectors. */
INLINE void transform_weights_4(const VEC *x, VEC *y, const int step) {
    const VEC even_p = V(0.5f / (PP * (PP - QQ))) * fma(V(PP), x[2], x[0]);
    const VEC odd_p = V(0.5f / (P * (PP - QQ))) * x[1];
    const VEC even_q = V(0.5f / (QQ * (QQ - PP))) * fma(V(QQ), x[2], x[0]);
    const VEC odd_q = V(0.5f / (Q * (QQ - PP))) * x[1];
    y[0 * step] = V(1.0f / (PP * QQ)) * x[0];
    y[1 * step] = even_p + odd_p;
    y[2 * step] = even_p - odd_p;
    y[3 * step] = even_q + odd_q;
    y[4 * step] = even_q - odd_q;
    y[5 * step] = x[2];
}

INLINE void transform_weights_2(const VEC *x, VEC *y, const int step) {
    const VEC even = V(0.5f) * (x[0] + x[2]), odd = V(0.5f) * x[1];
    y[0 * step] = -x[0];
    y[1 * step] = even + odd;
    y[2 * step] = even - odd;
    y[3 * step] = x[2];
}

/* The tile of a work-item. */
struct tile {
    i64 batch, row, column; /* of its first result */
    i64 part;               /* its number among those of the iteration */
    bool exists;
};

INLINE struct tile locate_tile(constant struct winograd_tiles *tiles, u32 step, i64 part, const int n) {
    const i64 index = step * tiles->each + part, line = index / tiles->columns, batch = line / tiles->rows;
    const struct tile tile = {.batch = batch,
                              .row = (line - batch * tiles->rows) * n,
                              .column = (index - line * tiles->columns) * n,
                              .part = part,
                              .exists = index < tiles->count};
    return tile;
}

/* The offset of a pixel of an image. */
INLINE i64 pixel(constant struct winograd_image *image, i64 batch, i64 row, i64 column) {
    return image->offset + batch * image->batch + row * image->row + column * image->column;
}

/* A work-item transforms channels `first` to `last` - 1. */
INLINE i64 last_channel(i64 first, i64 channels) {
    return first + WINOGRAD_CHANNELS < channels ? first + WINOGRAD_CHANNELS : channels;
}

/* Activation, sum, store. */
INLINE void store_result(constant struct winograd_dst_params *p, global float *to, VEC x, i64 left) {
    VEC before;
    x = activation_apply(&p->activation, x);
    if (p->adds) {
        load_lanes(&before, to, left, 0.0f);
        x = activation_apply(&p->after, x + before);
    }
    store_lanes(x, to, left);
}

/* The nine weights of one input channel and `left` output channels; those that do not exist are 0. */
INLINE void load_weights(constant struct winograd_weights_params *p, global const float *from, i64 left,
                         VEC *x) {
#pragma nounroll
    for (int i = 0; i < 3; i++)
#pragma nounroll
        for (int j = 0; j < 3; j++) {
            const i64 at = i * p->tap[0] + j * p->tap[1];
            if (p->output == 1) {
                load_lanes(&x[3 * i + j], from + at, left, 0.0f);
                continue;
            }
            float values[LANES];
#pragma nounroll
            for (int o = 0; o < LANES; o++)
                values[o] = o < left ? from[at + o * p->output] : 0.0f;
            x[3 * i + j] = VLOAD(0, values);
        }
}

#define N 4
#define NAME(name) name##_4
#include "kernels/lib/winograd_tile.h"

#define N 2
#define NAME(name) name##_2
#include "kernels/lib/winograd_tile.h"
