/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds element-wise programs (kernels/rows.cl): mostly one launch that computes dst from operands of any
 * type and layout, each broadcast to the dimensions of dst. A builder lists operations on an accumulator:
 *
 *   struct rows rows;
 *   rows_begin(&rows, plan, DNNL_ARG_DST);
 *   rows_load(&rows, DNNL_ARG_SRC_0, scale of src0);
 *   rows_binary(&rows, dnnl_binary_add, rows_operand(&rows, DNNL_ARG_SRC_1), …);
 *   rows_post_ops(&rows);
 *   return rows_end(&rows);
 *
 * Errors are kept until rows_end, which returns the first one. Operands whose blocks do not nest with those
 * of the others are reordered first.
 */
#ifndef LODE_PRIMITIVES_ROWS_H
#define LODE_PRIMITIVES_ROWS_H

#include "core/plan.h"
#include "kernels/params_rows.h"

/* A piece of a dimension of a layout, innermost first: `size` steps of `stride` elements. */
struct row_part {
    dnnl_dim_t size, stride;
};
enum { ROW_PARTS = 6 };
struct row_layout {
    int count[DNNL_MAX_NDIMS]; /* 0: broadcast */
    struct row_part parts[DNNL_MAX_NDIMS][ROW_PARTS];
};

struct rows {
    struct plan *plan;
    dnnl_status_t status;
    int dst_arg;
    md_t dst;
    int nbuffers, buffers[ROW_BUFFERS]; /* execution arguments */
    int nscalars, scalars[EPILOGUE_SCALARS];
    struct row_layout layouts[ROW_OPERANDS];
    struct rows_params params;
};

enum { ROW_NONE = -1 };

/* dst is the tensor of this argument; its layout must be known. */
void rows_begin(struct rows *rows, struct plan *plan, int dst_arg);
/* The same for a dst that is a part of the argument, or lies in scratchpad at its offset0. */
void rows_begin_at(struct rows *rows, struct plan *plan, int dst_arg, const md_t *dst);

/* Operands: their numbers, for the operations. */
int rows_operand(struct rows *rows, int arg); /* a tensor of the problem */
int rows_operand_at(struct rows *rows, int arg, const md_t *md);
/* The scale or zero point of an argument; dims as in epilogue_scale. ROW_NONE: there is none. */
int rows_scale(struct rows *rows, int arg, const int *dims);
int rows_zero_point(struct rows *rows, int arg, const int *dims);

/* Operations; `scale` may be ROW_NONE. */
void rows_load(struct rows *rows, int operand, int scale);
void rows_eltwise(struct rows *rows, dnnl_alg_kind_t alg, float alpha, float beta);
void rows_binary(struct rows *rows, dnnl_alg_kind_t alg, int operand, int scale, int condition);
void rows_sum(struct rows *rows, int operand, float scale, float zero_point);
void rows_prelu(struct rows *rows, int operand);
/* The gradient of prelu: x is multiplied by `operand` where src is not positive. Elsewhere it stays as it is,
 * or, if `clear`, becomes 0. */
void rows_prelu_backward(struct rows *rows, int src, int operand, bool clear);
/* x = (x - mean) * factor + shift; mean and shift may be ROW_NONE. */
void rows_normalize(struct rows *rows, int mean, int factor, int shift);
/* x stays where `operand` is positive, and becomes 0 elsewhere. */
void rows_keep(struct rows *rows, int operand);
/* x = x > 0 ? 1 : 0 */
void rows_is_positive(struct rows *rows);
/* Makes room for an operation with so many operands: if there is none left, what follows is another launch.
 */
void rows_reserve(struct rows *rows, int operands);
/* The post-ops of the attributes, then the scale and the zero point of dst. */
void rows_post_ops(struct rows *rows);

/* Can this be an operand or dst of a primitive that is an element-wise program? */
dnnl_status_t check_rows_format(const char *component, const md_t *md);

/* Adds the launch. */
dnnl_status_t rows_end(struct rows *rows);

#endif
