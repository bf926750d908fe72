/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by local response normalisation, forward and backward. */
#ifndef LODE_PRIMITIVES_LRN_H
#define LODE_PRIMITIVES_LRN_H

#include "kernels/params_lrn.h"
#include "primitives/check.h"
#include "primitives/image.h"
#include "program/program.h"

/* Checks for both directions; `others` are the tensors that must have the shape of src. */
dnnl_status_t lrn_check(dnnl_alg_kind_t alg, const md_t *src, dnnl_dim_t local_size, struct md_list others,
                        bool forward);

/* The formula of a problem. */
struct lrn lrn_of(const struct problem *problem, const md_t *src);

/* Across channels: adds a launch over src, dst or src, diff_dst, diff_src; or says why not. Buffers are for
 * the caller to bind. */
dnnl_status_t lrn_launch_across(struct plan *plan, const struct kernel *kernel, struct md_list tensors,
                                struct launch **launch);
/* Would that take channels-last tensors? */
bool lrn_lines_fit(const struct problem *problem, const md_t *src);

/* Within channels: a channels-last tensor, the space that all tensors share, and the range. */
struct lrn_image lrn_image_of(const md_t *md);
struct lrn_space lrn_space_of(const struct problem *problem, const md_t *src);
struct range lrn_range(const struct lrn_space *space, dnnl_dim_t batch);

#endif
