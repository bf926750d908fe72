/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of reductions. A layout is cut into nested loops, some of which are kept and some reduced; loops
 * are listed outermost first. The innermost loop in memory is that of the lanes: if it is kept, a tile of
 * neighbours is computed at once (reduce_across); if it is reduced, it is a run that is read in vectors
 * (reduce_along).
 *
 * The reduced elements are divided into chunks. If there are several, each leaves a partial result in
 * scratchpad, and another launch combines them.
 */
#ifndef LODE_KERNELS_PARAMS_REDUCTION_H
#define LODE_KERNELS_PARAMS_REDUCTION_H

#include "kernels/params.h"

enum {
    REDUCE_LOOPS = 8,
    REDUCE_VECTORS = 4,                /* of a tile */
    REDUCE_TILE = 16 * REDUCE_VECTORS, /* elements */
};

/* How elements are combined. MOMENTS has two results: the mean, and the sum of the squared distances from it.
 */
enum { REDUCE_MAX, REDUCE_MIN, REDUCE_SUM, REDUCE_MUL, REDUCE_POWER, REDUCE_MOMENTS };
/* What becomes of a combined result. MEAN divides it by the number of elements; the others are the norms. */
enum {
    REDUCE_FINISH_NONE,
    REDUCE_FINISH_MEAN,
    REDUCE_FINISH_LP_MAX,
    REDUCE_FINISH_LP_SUM,
    REDUCE_FINISH_POWER_MAX,
    REDUCE_FINISH_POWER_SUM,
};

/* Index i of a kept loop adds i * step to the position along the dimension that has padding. */
struct reduce_loop {
    i64 size, src, dst, step;
};

struct reduction_params {
    i32 alg, finish, type; /* REDUCE_*, REDUCE_FINISH_*, type of src */
    i32 about_zero;        /* moments: squares are of the elements themselves */
    i32 nkept, nreduced;   /* loops, without that of the lanes */
    f32 p, eps;
    i64 count; /* elements of a result, without padding */
    i64 limit; /* positions from here on are padding, and have no result */
    i64 src_offset, dst_offset, second_offset;
    i64 dst_chunk;            /* from the results of a chunk to those of the next */
    struct reduce_loop lanes; /* reduce_along: dst is not used */
    i64 units;                /* tiles, or results of reduce_along */
    i64 span;                 /* units of a work-item */
    i64 total;                /* reduced lines, or elements of reduce_along */
    i64 chunk, chunks;        /* size and number of chunks */
    struct reduce_loop kept[REDUCE_LOOPS], reduced[REDUCE_LOOPS];
};
PARAMS_SIZE(reduction_params, 32 + 8 * 6 + 32 + 8 * 5 + 2 * 8 * 32);

/* Combines the moments of chunks: those of result i and chunk k are at i * result_stride + k * chunk_stride.
 * A chunk has `chunk` elements, the last one what is left of `count`. */
struct moments_params {
    i64 mean_offset, second_offset; /* of the chunks' moments */
    i64 result_stride, chunk_stride;
    i64 results, chunks, chunk, count;
    i64 limit;
    i64 dst_offset, variance_offset;
    i32 nkept;
    i32 about_zero; /* means are 0, and are not stored */
    i32 variances;  /* chunks have variances, not sums of squares */
    i32 pad;
    struct reduce_loop lanes;
    struct reduce_loop kept[REDUCE_LOOPS];
};
PARAMS_SIZE(moments_params, 8 * 11 + 16 + 32 + 8 * 32);

#endif
