/* SPDX-License-Identifier: Apache-2.0 */
/* The nested loops of an element-wise program (params_rows.h), cut into blocks of the two innermost ones. */
#ifndef LODE_KERNELS_LIB_ROWS_LOOP_H
#define LODE_KERNELS_LIB_ROWS_LOOP_H

#include "kernels/lib/opencl.h"
#include "kernels/params_rows.h"

/* Where a block begins, and its size: `rows` steps of the last but one loop by `n` of the last. */
struct row_block {
    i64 index[ROW_LOOPS];
    int rows, n;
};

/* The part of loop l, cut into pieces of `most`, that `*rest` tells; `*rest` becomes that of the loops around
 * it. */
INLINE int row_piece(struct row_block *block, constant struct rows_params *p, int l, i64 most, i64 *rest) {
    const i64 size = p->loops[l].size, pieces = (size + most - 1) / most;
    const i64 outer = *rest / pieces;
    block->index[l] = (*rest - outer * pieces) * most;
    *rest = outer;
    return (int)(size - block->index[l] < most ? size - block->index[l] : most);
}

INLINE void row_block_begin(struct row_block *block, constant struct rows_params *p, i64 rest) {
    block->n = row_piece(block, p, p->nloops - 1, p->length, &rest);
    block->rows = row_piece(block, p, p->nloops - 2, p->rows, &rest);
#pragma nounroll
    for (int l = p->nloops - 3; l >= 0; l--)
        row_piece(block, p, l, 1, &rest);
}

/* Moves from a block to the next one, without dividing. */
INLINE void row_block_next(struct row_block *block, constant struct rows_params *p) {
    const int last = p->nloops - 1;
    i64 step = p->length;
#pragma nounroll
    for (int l = last; l >= 0; l--, step = l == last - 1 ? p->rows : 1) {
        block->index[l] += step;
        if (block->index[l] < p->loops[l].size) break;
        block->index[l] = 0;
    }
    const i64 n = p->loops[last].size - block->index[last],
              rows = p->loops[last - 1].size - block->index[last - 1];
    block->n = (int)(n < p->length ? n : p->length);
    block->rows = (int)(rows < p->rows ? rows : p->rows);
}

INLINE void row_block_element(struct row_block *block, constant struct rows_params *p, i64 rest) {
    block->rows = 1, block->n = 1;
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--)
        row_piece(block, p, l, 1, &rest);
}

INLINE i64 row_offset(constant struct rows_params *p, const struct row_block *block,
                      constant struct row_operand *operand) {
    i64 offset = operand->offset;
#pragma nounroll
    for (int l = 0; l < p->nloops; l++)
        offset += block->index[l] * operand->strides[l];
    return offset;
}

/* Are the operand's elements of this block one after the other? */
INLINE int row_is_dense(constant struct rows_params *p, const struct row_block *block,
                        constant struct row_operand *operand) {
    const int last = p->nloops - 1;
    return (block->n == 1 || operand->strides[last] == 1)
           && (block->rows == 1 || operand->strides[last - 1] == block->n);
}

/* The position of the block along a dimension. */
INLINE i64 row_position(constant struct rows_params *p, const struct row_block *block, int dim) {
    i64 position = 0;
#pragma nounroll
    for (int l = 0; l < p->nloops; l++)
        if (p->loops[l].dim == dim) position += block->index[l] * p->loops[l].step;
    return position;
}

/* How many of n steps of the last loop, in the block's first row, are below the ends of all dimensions. */
INLINE int row_end(constant struct rows_params *p, const struct row_block *block, constant i64 *ends, int n) {
    constant struct rows_loop *last = &p->loops[p->nloops - 1];
#pragma nounroll
    for (int i = 0; i < p->ntracked; i++) {
        const int d = p->tracked[i];
        const i64 left = ends[d] - row_position(p, block, d);
        if (left <= 0) return 0;
        const i64 steps = last->dim == d ? (left + last->step - 1) / last->step : n;
        n = steps < n ? (int)steps : n;
    }
    return n;
}

/* Is no part of the block beyond the end of a dimension? */
INLINE int row_block_is_whole(constant struct rows_params *p, const struct row_block *block) {
#pragma nounroll
    for (int i = 0; i < p->ntracked; i++) {
        const int d = p->tracked[i], last = p->nloops - 1;
        i64 most = row_position(p, block, d);
        if (p->loops[last].dim == d) most += (i64)(block->n - 1) * p->loops[last].step;
        if (p->loops[last - 1].dim == d) most += (i64)(block->rows - 1) * p->loops[last - 1].step;
        if (most >= p->limits[d]) return 0;
    }
    return 1;
}

#endif
