/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the elements of a tensor are in memory, and in which order a kernel visits them.
 */
#ifndef LODE_KERNELS_LIB_TENSOR_H
#define LODE_KERNELS_LIB_TENSOR_H

#include "kernels/lib/opencl.h"

/* The offset, in elements, of a logical position. A dimension of size 1 may be indexed with any position. */
INLINE i64 tensor_offset(constant struct tensor *t, const i64 *position) {
    i64 offset = t->offset;
    if (t->nblocks == 0) {
#pragma nounroll
        for (int d = 0; d < t->ndims; d++)
            offset += position[d] * t->strides[d];
        return offset;
    }
    i64 outer[TENSOR_DIMS], inner_stride = 1;
#pragma nounroll
    for (int d = 0; d < t->ndims; d++)
        outer[d] = t->dims[d] == 1 ? 0 : position[d];
#pragma nounroll
    for (int b = t->nblocks - 1; b >= 0; b--) {
        int d = t->block_dim[b];
        i64 size = t->block_size[b], rest = outer[d] / size;
        offset += (outer[d] - rest * size) * inner_stride;
        outer[d] = rest;
        inner_stride *= size;
    }
#pragma nounroll
    for (int d = 0; d < t->ndims; d++)
        offset += outer[d] * t->strides[d];
    return offset;
}

/* The position of the index-th element of an array of these sizes, the last dimension running fastest. */
INLINE void position_of(i64 index, int ndims, constant i64 *dims, i64 *position) {
#pragma nounroll
    for (int d = ndims - 1; d >= 0; d--) {
        i64 rest = index / dims[d];
        position[d] = index - rest * dims[d];
        index = rest;
    }
}

/* Iterates over a work-item's part of a walk:
 *   struct walker w;
 *   for (walk_begin(&w, walk, get_global_id(0)); w.left > 0; walk_next(&w, walk)) …
 * `offset` is the offset of the element; `inside` is 0 in the padding, which must be set to zero. */
struct walker {
    i64 left, offset;
    int inside;
    i64 index[WALK_LOOPS];
    i64 position[TENSOR_DIMS];
};

INLINE int walk_inside(constant struct walk *walk, const i64 *position) {
    int inside = 1;
#pragma nounroll
    for (int d = 0; d < walk->ndims; d++)
        inside &= position[d] < walk->dims[d];
    return inside;
}

INLINE void walk_begin(struct walker *w, constant struct walk *walk, i64 item) {
    i64 rest = item * walk->span;
    w->left = walk->count - rest < walk->span ? walk->count - rest : walk->span;
    w->offset = walk->offset;
#pragma nounroll
    for (int d = 0; d < TENSOR_DIMS; d++)
        w->position[d] = 0;
#pragma nounroll
    for (int l = walk->nloops - 1; l >= 0; l--) {
        i64 outer = rest / walk->loops[l].size;
        w->index[l] = rest - outer * walk->loops[l].size;
        w->position[walk->loops[l].dim] += w->index[l] * walk->loops[l].step;
        w->offset += w->index[l] * walk->loops[l].stride;
        rest = outer;
    }
    w->inside = walk_inside(walk, w->position);
}

INLINE void walk_next(struct walker *w, constant struct walk *walk) {
    if (--w->left <= 0) return;
    for (int l = walk->nloops - 1; l >= 0; l--) {
        constant struct walk_loop *loop = &walk->loops[l];
        w->position[loop->dim] += loop->step;
        w->offset += loop->stride;
        if (++w->index[l] < loop->size) break;
        w->position[loop->dim] -= loop->size * loop->step;
        w->offset -= loop->size * loop->stride;
        w->index[l] = 0;
    }
    w->inside = walk_inside(walk, w->position);
}

#endif
