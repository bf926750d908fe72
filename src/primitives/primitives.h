/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which implementations each kind of primitive has, for each direction of propagation. A table runs from best
 * to plainest and ends with a row without a name. To add a primitive or a direction: one file, one line here,
 * one row in primitives.c.
 */
#ifndef LODE_PRIMITIVES_PRIMITIVES_H
#define LODE_PRIMITIVES_PRIMITIVES_H

#include "core/plan.h"

extern const struct implementation batch_normalization_backward[];
extern const struct implementation batch_normalization_forward[];
extern const struct implementation binary_implementations[];
extern const struct implementation concat_implementations[];
extern const struct implementation convolution_backward_data[];
extern const struct implementation convolution_backward_weights[];
extern const struct implementation convolution_forward[];
extern const struct implementation deconvolution_backward_data[];
extern const struct implementation deconvolution_forward[];
extern const struct implementation eltwise_backward[];
extern const struct implementation eltwise_forward[];
extern const struct implementation group_normalization_backward[];
extern const struct implementation group_normalization_forward[];
extern const struct implementation inner_product_backward_data[];
extern const struct implementation inner_product_backward_weights[];
extern const struct implementation inner_product_forward[];
extern const struct implementation layer_normalization_backward[];
extern const struct implementation layer_normalization_forward[];
extern const struct implementation lrn_backward[];
extern const struct implementation lrn_forward[];
extern const struct implementation matmul_implementations[];
extern const struct implementation pooling_backward[];
extern const struct implementation pooling_forward[];
extern const struct implementation prelu_backward[];
extern const struct implementation prelu_forward[];
extern const struct implementation reduction_implementations[];
extern const struct implementation reorder_implementations[];
extern const struct implementation resampling_backward[];
extern const struct implementation resampling_forward[];
extern const struct implementation rnn_backward[];
extern const struct implementation rnn_forward[];
extern const struct implementation shuffle_implementations[];
extern const struct implementation softmax_backward[];
extern const struct implementation softmax_forward[];
extern const struct implementation sum_implementations[];

/* The table for a problem's kind and propagation; an empty one if there is no implementation. */
const struct implementation *primitive_implementations(const struct problem *problem);

/* Adds a copy to another layout or type. Arguments as launch_bind takes them; tensors in scratchpad lie at
 * their offset0. The scales and zero points in `attr` (NULL: none) are those of the two tensors. */
dnnl_status_t append_reorder(struct plan *plan, int from_arg, const md_t *from, int to_arg, const md_t *to,
                             const attr_t *attr);

/* A copy between tensors of one type that is one of rows: `run` adjacent elements, `rows` times. */
struct copied_rows {
    dnnl_dim_t rows, run, from_stride, to_stride;
};
/* False: it is not, or it is one of a single row. */
bool copies_rows(const md_t *from, const md_t *to, struct copied_rows *copied);

#endif
