/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of weights_gradient.cl for one register file: HEIGHT inputs by two vectors of LANES outputs.
 * Included once per shape; NAME(x) appends the shape to a name, and GRADIENT is the kernel. Of f32, or f64
 * with DOUBLES.
 */
#include "kernels/lib/lanes.h"

#define SPACE global
#include "kernels/lib/gemm_steps.h"

/* Less than a panel of one position, and zeros. */
INLINE void NAME(gradient_pack_some)(global const REAL *from, i64 outputs, VEC *packed) {
    REAL each[2 * LANES];
#pragma nounroll
    for (int o = 0; o < 2 * LANES; o++)
        each[o] = o < outputs ? from[o] : 0.0f;
    packed[0] = VLOAD(0, each);
    packed[1] = VLOAD(1, each);
}

/* Copies a panel of the positions of a chunk, one after the other; zeros where there are no outputs, except
 * that the second vector may be left out if it has none. */
INLINE void NAME(gradient_pack)(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                                global const REAL *places, const struct gradient_item *own, VEC *packed) {
    const i64 column = p->places_stride[2], outputs = own->outputs;
    for (int r = 0; r < c->rows; r++) {
        global const REAL *from = places + (own->places + c->places[r]);
#pragma nounroll
        for (i64 i = 0; i < c->columns; i++, from += column, packed += 2) {
            if (outputs >= 2 * LANES) {
                packed[0] = VLOAD(0, from);
                packed[1] = VLOAD(1, from);
            } else if (outputs == LANES) {
                packed[0] = VLOAD(0, from);
            } else {
                NAME(gradient_pack_some)(from, outputs, packed);
            }
        }
    }
}

/* The sums of a chunk for m inputs: stored if it is the first of its part, otherwise added to what is there.
 * Callers pass m and `one` as constants, so that the sums stay in registers. `one`: there is only one
 * vector of outputs; results of the other are zeros. */
INLINE void NAME(gradient_sums)(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                                const struct gradient_job *job, global const REAL *image, const VEC *packed,
                                bool first, const int m, const bool one, global REAL *dst) {
    const i64 column = p->window.stride[2] * p->image_stride[2];
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = V(0.0f);
    if (!first)
#pragma unroll
        for (int r = 0; r < 2 * m; r++)
            acc[r] = VLOAD(r, dst);
    for (int row = 0; row < c->rows; row++) {
        if (!gradient_row_is_inside(p, c, job->reach, row)) continue;
        global const REAL *a = image + (c->image[row] + job->image);
        const VEC *w = packed + 2 * (row * c->columns + job->first);
#pragma nounroll
        for (i64 i = job->first; i < job->last; i++, a += column, w += 2) {
            const VEC w0 = w[0], w1 = w[one ? 0 : 1];
#pragma unroll
            for (int r = 0; r < m; r++) {
                VEC x = (VEC)(a[r]);
                VEC *y = acc + 2 * r;
                y[0] = fma(x, w0, y[0]);
                if (one) continue;
                y[1] = fma(x, w1, y[1]);
                KEEP(y[0], y[1]);
            }
        }
    }
    if (p->streams && STREAMS_TO(dst, acc[0])) {
#pragma unroll
        for (int r = 0; r < 2 * m; r++)
            STREAM(acc[r], r, dst);
        return;
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        VSTORE(acc[r], r, dst);
}

/* Range: groups of jobs, panels, groups x parts. */
#if WANTED(GRADIENT)
kernel void GRADIENT(ITEM global const REAL *image, global const REAL *places, global REAL *dst,
                     constant struct weights_gradient_params *p) {
    const struct gradient_item own =
            gradient_item(p, get_global_id(0), get_global_id(1), get_global_id(2), 2 * LANES);
    struct gradient_chunk c;
    VEC packed[2 * GRADIENT_POSITIONS];
    for (i64 chunk = own.first_chunk; chunk < own.last_chunk; chunk++) {
        gradient_locate(&c, p, chunk);
        NAME(gradient_pack)(p, &c, places, &own, packed);
        for (i64 j = own.first_job; j < own.last_job; j++) {
            const struct gradient_job job = gradient_job(p, &own, &c, j);
            global REAL *to = dst + own.dst + job.dst * 2 * LANES;
#define ALL_SUMS(m) NAME(gradient_sums)(p, &c, &job, image, packed, chunk == own.first_chunk, m, false, to)
#define HALF_SUMS(m) NAME(gradient_sums)(p, &c, &job, image, packed, chunk == own.first_chunk, m, true, to)
            if (own.outputs > LANES)
                EACH_HEIGHT(job.inputs, ALL_SUMS)
            else
                EACH_HEIGHT(job.inputs, HALF_SUMS)
#undef HALF_SUMS
#undef ALL_SUMS
        }
    }
    STREAM_END();
}
#endif

#undef EACH_HEIGHT
#undef SPACE
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
#undef GRADIENT
