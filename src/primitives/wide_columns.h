/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide columns of matrix products: a transposed convolution (deconvolution forward, convolution backward by
 * data) with few output channels would leave most lanes of a panel empty. Its outputs of several adjacent
 * positions of a row are as dense as channels are, so that a column computes all of them: fewer lanes are
 * empty, and a row takes one launch instead of one for each remainder of the stride. In return, weights have
 * zeros where a position does not use a position of src that others do.
 */
#ifndef LODE_PRIMITIVES_WIDE_COLUMNS_H
#define LODE_PRIMITIVES_WIDE_COLUMNS_H

#include "primitives/gemm.h"

/* The number of positions of a column that costs least, a multiple of the stride; 1: columns are ordinary.
 * Call it before layouts are chosen. */
dnnl_dim_t wide_columns_count(const struct plan *plan, const struct gemm_conv *conv);
/* Are they faster, with operands widened to f32, than ordinary columns with dot products of pairs of bf16? */
bool wide_columns_beat_pairs(const struct plan *plan, const struct gemm_conv *conv);
/* The layout that weights are packed from without a copy, unless they need zeros around their rows. */
const char *wide_columns_tag(int ndims);
/* Packs weights for columns of conv->wide positions. */
dnnl_status_t wide_columns_pack(struct plan *plan, const struct gemm_conv *conv, struct gemm_view *view);

#endif
