/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products in which src or weights are sparse, for CPU-class devices. Vectors run along the columns of
 * dst if src is sparse, and along its rows if weights are. Every output is one chain of fma in the order of
 * the sparse matrix. Values whose index is outside the matrix are left out.
 */
#include "kernels/lib/widen_block.h"
#include "kernels/params_sparse.h"

INLINE float sparse_value(global const uchar *values, int type, i64 i) {
    if (type == TYPE_F32) return ((global const float *)values)[i];
    return f16_to_f32(((global const ushort *)values)[i]);
}

/* The first and the last value of a row. */
struct sparse_run {
    i64 first, last;
};

INLINE struct sparse_run sparse_run(constant struct sparse_params *p, global const int *pointers, i64 row) {
    struct sparse_run run = {pointers[row], pointers[row + 1]};
    run.first = run.first < 0 ? 0 : run.first;
    run.last = run.last > p->count ? p->count : run.last;
    return run;
}

/* Counts the values of each row, then puts each where its row begins: the order within a row stays. One
 * work-item. */
#if WANTED(sparse_compress)
kernel void sparse_compress(ITEM global const uchar *values, global const int *rows,
                            global const int *columns, global float *to_values, global int *to_indices,
                            global int *to_pointers, constant struct sparse_compress_params *p) {
    to_values += p->values;
    to_indices += p->indices;
    to_pointers += p->pointers;
    for (i64 r = 0; r < p->rows + 2; r++)
        to_pointers[r] = 0;
    /* Two places further, so that the pointers are right once all values are placed. */
    for (i64 i = 0; i < p->count; i++)
        if (rows[i] >= 0 && rows[i] < p->rows) to_pointers[rows[i] + 2]++;
    for (i64 r = 0; r < p->rows; r++)
        to_pointers[r + 2] += to_pointers[r + 1];
    for (i64 i = 0; i < p->count; i++) {
        if (rows[i] < 0 || rows[i] >= p->rows) continue;
        int place = to_pointers[rows[i] + 1]++;
        to_values[place] = sparse_value(values, p->type, i);
        to_indices[place] = columns[i];
    }
}
#endif

/* Asks for some rows of weights. */
INLINE void sparse_ahead(constant struct sparse_params *p, global const uchar *weights, i64 first, i64 column,
                         int count) {
    enum { LINE = 64 };
    i64 bytes = p->dense_type == TYPE_F32 ? 4 : 2, last = first + SPARSE_STEPS;
    for (i64 k = first; k < last && k < p->depth; k++)
        for (i64 n = 0; n < count * bytes; n += LINE)
            PREFETCH(weights + (p->dense_offset + k * p->dense_row + column) * bytes + n);
}

/* A row of dst: sums of rows of weights, up to the first index that is not below `end`. Returns the place of
 * that one. */
INLINE i64 sparse_row(constant struct sparse_params *p, global const uchar *values, global const int *indices,
                      global const uchar *weights, struct sparse_run run, i64 end, i64 column, int count,
                      float *sums) {
    float row[SPARSE_WIDTH];
    float16 acc[SPARSE_WIDTH / 16];
    bool whole = count == SPARSE_WIDTH && p->dense_type == TYPE_F32;
    i64 i = run.first;
    for (int v = 0; v < SPARSE_WIDTH / 16; v++)
        acc[v] = vload16(v, sums);
    for (; i < run.last && indices[i] < end; i++) {
        i64 k = indices[i];
        if (k < 0 || k >= p->depth) continue;
        float16 x = (float16)(sparse_value(values, p->values_type, p->values + i));
        i64 offset = p->dense_offset + k * p->dense_row + column;
        if (!whole) row_load(row, weights, p->dense_type, offset, 1, count);
        for (int v = 0; v < SPARSE_WIDTH / 16; v++)
            acc[v] = fma(x, whole ? vload16(v, (global const float *)weights + offset) : vload16(v, row),
                         acc[v]);
    }
    for (int v = 0; v < SPARSE_WIDTH / 16; v++)
        vstore16(acc[v], v, sums);
    return i;
}

/* Indices need not be sorted: whatever is left when all steps are done follows then.
 * Range: blocks of columns, blocks of rows. */
#if WANTED(sparse_by_dense)
kernel void sparse_by_dense(ITEM global const uchar *values, global const int *indices,
                            global const int *pointers, global const uchar *weights, global uchar *dst,
                            constant struct sparse_params *p) {
    i64 column = get_global_id(0) * SPARSE_WIDTH, first = get_global_id(1) * SPARSE_ROWS;
    int rows = (int)(p->rows - first < SPARSE_ROWS ? p->rows - first : SPARSE_ROWS);
    int count = (int)(p->columns - column < SPARSE_WIDTH ? p->columns - column : SPARSE_WIDTH);
    float sums[SPARSE_ROWS * SPARSE_WIDTH];
    struct sparse_run runs[SPARSE_ROWS];
    row_fill(sums, 0.0f, SPARSE_ROWS * SPARSE_WIDTH);
    for (int r = 0; r < rows; r++)
        runs[r] = sparse_run(p, pointers + p->pointers, first + r);
    for (i64 k = 0; k < p->depth + SPARSE_STEPS; k += SPARSE_STEPS) {
        i64 end = k < p->depth ? k + SPARSE_STEPS : 0x7fffffff;
        if (rows > 1) sparse_ahead(p, weights, end, column, count);
        for (int r = 0; r < rows; r++)
            runs[r].first = sparse_row(p, values, indices + p->indices, weights, runs[r], end, column, count,
                                       sums + r * SPARSE_WIDTH);
    }
    for (int r = 0; r < rows; r++)
        row_store(dst, p->dst_type, p->dst_offset + (first + r) * p->dst_row + column, 1,
                  sums + r * SPARSE_WIDTH, count);
}
#endif

/* Some steps of all rows of a block: x[k] has one value for each row. */
INLINE void sparse_turn(constant struct sparse_params *p, global const uchar *src, i64 row, int rows,
                        i64 first, int steps, float *x) {
    float along[SPARSE_LANES * 16];
    row_fill(along, 0.0f, SPARSE_LANES * 16);
    for (int r = 0; r < rows; r++)
        row_load(along + r * 16, src, p->dense_type, p->dense_offset + (row + r) * p->dense_row + first, 1,
                 steps);
    widen_transpose(x, 16, along, 16);
}

/* The sums of a block, one vector of rows for each column, as rows of dst. */
INLINE void sparse_store(constant struct sparse_params *p, global const float *sums, global uchar *dst,
                         i64 row, int rows) {
    float across[16 * SPARSE_LANES], along[SPARSE_LANES * 16];
    for (i64 column = 0; column < p->columns; column += 16) {
        int count = (int)(p->columns - column < 16 ? p->columns - column : 16);
        for (int n = 0; n < 16; n++)
            vstore16(n < count ? vload16(0, sums + (column + n) * SPARSE_LANES) : (float16)(0.0f), n, across);
        widen_transpose(along, 16, across, 16);
        for (int r = 0; r < rows; r++)
            row_store(dst, p->dst_type, p->dst_offset + (row + r) * p->dst_row + column, 1, along + r * 16,
                      count);
    }
}

/* Range: blocks of rows. */
#if WANTED(dense_by_sparse)
kernel void dense_by_sparse(ITEM global const uchar *values, global const int *indices,
                            global const int *pointers, global const uchar *src, global uchar *dst,
                            global float *sums, constant struct sparse_params *p) {
    i64 block = get_global_id(0), row = block * SPARSE_LANES;
    int rows = (int)(p->rows - row < SPARSE_LANES ? p->rows - row : SPARSE_LANES);
    float x[16 * SPARSE_LANES];
    sums += p->sums + block * p->columns * SPARSE_LANES;
    indices += p->indices;
    pointers += p->pointers;
    for (i64 n = 0; n < p->columns; n++)
        vstore16((float16)(0.0f), n, sums);
    for (i64 k = 0; k < p->depth; k++) {
        int steps = (int)(p->depth - k < 16 ? p->depth - k : 16);
        if (k % 16 == 0) sparse_turn(p, src, row, rows, k, steps, x);
        float16 y = vload16(k % 16, x);
        struct sparse_run run = sparse_run(p, pointers, k);
        for (i64 i = run.first; i < run.last; i++) {
            i64 n = indices[i];
            if (n < 0 || n >= p->columns) continue;
            float16 value = (float16)(sparse_value(values, p->values_type, p->values + i));
            vstore16(fma(y, value, vload16(n, sums)), n, sums);
        }
    }
    sparse_store(p, sums, dst, row, rows);
}
#endif
