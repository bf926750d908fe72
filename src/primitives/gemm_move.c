/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves tensors of convolutions between the user's types and layouts and those of the matrix-product kernels:
 * see gemm.h. A move is a reorder, planned as a part.
 */
#include "base/verbose.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"

dnnl_status_t gemm_scratch_md(struct plan *plan, const md_t *like, dnnl_data_type_t type, const char *tag,
                              md_t *md) {
    TRY(md_init_by_string(md, like->ndims, like->dims, type, tag));
    plan_place(plan, md);
    return dnnl_success;
}

/* The part of an image that begins at `front`, with the sizes of `like`. */
static dnnl_status_t inner_md(const struct image *image, const dnnl_dim_t front[3], const md_t *like,
                              dnnl_data_type_t type, md_t *md) {
    const int spatial = like->ndims - 2;
    dnnl_dims_t strides = {image->batch_stride, image->channel_stride};
    for (int i = 0; i < spatial; i++)
        strides[2 + i] = image->stride[3 - spatial + i];
    TRY(md_init_by_strides(md, like->ndims, like->dims, type, strides));
    md->offset0 = image->offset;
    for (int i = 0; i < 3; i++)
        md->offset0 += front[i] * image->stride[i];
    return dnnl_success;
}

dnnl_status_t gemm_move_image(struct plan *plan, int arg, const md_t *md, const dnnl_dim_t front[3],
                              const dnnl_dim_t size[3], struct image *moved) {
    dnnl_dim_t all[3] = {1, 1, 1};
    bool padded = false;
    for (int i = 0; i < 3; i++) {
        int d = i + md->ndims - 3;
        dnnl_dim_t own = d >= 2 ? md->dims[d] : 1;
        all[i] = size[i] > front[i] + own ? size[i] : front[i] + own;
        padded = padded || all[i] > own;
    }
    md_t inside, user = *md;
    *moved = gemm_scratch_image(plan, md->dims[0], all, md->dims[1]);
    TRY(inner_md(moved, front, &user, gemm_tile_of(plan)->type->reads, &inside));
    if (padded) TRY(gemm_clear_border(plan, moved, front, &user));
    return append_reorder(plan, arg, &user, moved->arg, &inside, NULL);
}

dnnl_status_t gemm_move_padded(struct plan *plan, int arg, const dnnl_dim_t front[3],
                               const dnnl_dim_t size[3], struct image *moved) {
    return gemm_move_image(plan, arg, problem_md(&plan->problem, arg), front, size, moved);
}

dnnl_status_t gemm_move_results(struct epilogue_build *ep, struct gemm_results *results) {
    const md_t *dst = &ep->dst;
    *results = (struct gemm_results){.arg = ep->dst_arg, .md = *dst};
    if (md_is_plain(dst) && (dst->blocking.strides[1] == 1 || dst->dims[1] == 1)) return dnnl_success;
    results->moved = true;
    ep->dst_arg = ARG_SCRATCHPAD;
    return gemm_scratch_md(ep->plan, &results->md, dst->data_type, channels_last(dst->ndims), &ep->dst);
}

/* Launches that follow the product move its results themselves. */
dnnl_status_t gemm_deliver_results(struct epilogue_build *ep, const struct gemm_results *results) {
    if (!results->moved || !ep->direct) return dnnl_success;
    return append_reorder(ep->plan, ARG_SCRATCHPAD, &ep->dst, results->arg, &results->md, NULL);
}
