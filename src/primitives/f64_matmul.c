/* SPDX-License-Identifier: Apache-2.0 */
/* matmul of doubles without attributes: see kernels/f64_gemm.cl. Other layouts are copied first. */
#include "base/round.h"
#include "kernels/params_f64_gemm.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

#include <stdio.h>

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

static bool has_rows(const md_t *md) {
    int n = md->ndims - 1;
    return md_is_plain(md) && (md->dims[n] == 1 || md->blocking.strides[n] == 1);
}

static dnnl_status_t accepts(const struct plan *plan) {
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    if (tensor(plan, DNNL_ARG_SRC)->data_type != dnnl_f64
        || tensor(plan, DNNL_ARG_WEIGHTS)->data_type != dnnl_f64
        || tensor(plan, DNNL_ARG_DST)->data_type != dnnl_f64 || (bias && bias->data_type != dnnl_f64))
        return plan_skip(plan, "a tensor is not f64");
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    return dnnl_success;
}

static dnnl_status_t set_layouts(struct plan *plan, const char *plain) {
    for (int i = 0; i < plan->problem.ntensors; i++)
        TRY(md_set_any(&plan->problem.tensors[i].md, plain));
    if (!md_is_plain(tensor(plan, DNNL_ARG_SRC)) || !md_is_blocked(tensor(plan, DNNL_ARG_WEIGHTS))
        || !has_rows(tensor(plan, DNNL_ARG_DST)))
        return plan_skip(plan, "the layout of src or dst");
    if (!gemm_bias_is_row(plan)) return plan_skip(plan, "bias varies along rows");
    return dnnl_success;
}

/* Weights with dense rows: the user's, or a copy in scratchpad. */
static dnnl_status_t find_weights(struct plan *plan, const char *plain, md_t *weights, int *arg) {
    const md_t user = *tensor(plan, DNNL_ARG_WEIGHTS);
    *weights = user;
    *arg = DNNL_ARG_WEIGHTS;
    if (has_rows(&user)) return dnnl_success;
    *arg = ARG_SCRATCHPAD;
    TRY(md_init_by_string(weights, user.ndims, user.dims, dnnl_f64, plain));
    weights->offset0 = (dnnl_dim_t)(plan_scratchpad(plan, md_size(weights, 0)) / sizeof(double));
    return append_reorder(plan, DNNL_ARG_WEIGHTS, &user, ARG_SCRATCHPAD, weights, NULL);
}

static void fill(struct f64_gemm_params *p, const md_t *src, const md_t *weights, const md_t *bias,
                 const md_t *dst, const struct gemm_batches *b) {
    int m = dst->ndims - 2, n = dst->ndims - 1;
    for (int i = 0; i < GEMM_BATCHES; i++)
        p->batch[i] = 1;
    for (int i = 0; i < b->count; i++) {
        p->batch[i] = b->size[i];
        p->src_batch[i] = b->src[i], p->weights_batch[i] = b->weights[i], p->dst_batch[i] = b->dst[i];
    }
    p->src_offset = src->offset0, p->weights_offset = weights->offset0, p->dst_offset = dst->offset0;
    p->rows = dst->dims[m], p->columns = dst->dims[n], p->depth = src->dims[n];
    p->src_row = src->blocking.strides[m], p->src_depth = src->blocking.strides[n];
    p->weights_depth = weights->blocking.strides[m], p->dst_row = dst->blocking.strides[m];
    p->has_bias = bias != NULL;
    p->bias_offset = bias ? bias->offset0 : 0;
}

dnnl_status_t f64_build_matmul(struct plan *plan) {
    const md_t *src = tensor(plan, DNNL_ARG_SRC), *dst = tensor(plan, DNNL_ARG_DST);
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    char plain[DNNL_MAX_NDIMS + 1];
    md_t weights;
    int arg;
    TRY(plan_takes(plan, &kernel_f64_gemm_6x16));
    TRY(accepts(plan));
    snprintf(plain, sizeof plain, "%.*s", dst->ndims, "abcdefghijkl");
    TRY(set_layouts(plan, plain));
    if (md_nelems(dst, false) == 0) return dnnl_success;
    TRY(find_weights(plan, plain, &weights, &arg));
    struct gemm_batches b = gemm_merge_batches(src, &weights, dst, false);
    if (b.count > GEMM_BATCHES) return plan_skip(plan, "too many batch dimensions");
    struct launch *launch;
    struct f64_gemm_params *p = plan_launch(plan, &kernel_f64_gemm_6x16, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    fill(p, src, &weights, bias, dst, &b);
    launch->range =
            range_of_groups(divide_up(p->columns, F64_GEMM_WIDTH), divide_up(p->rows, F64_GEMM_HEIGHT),
                            gemm_product(p->batch, GEMM_BATCHES));
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, arg);
    launch_bind(launch, bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}
