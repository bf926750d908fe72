/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops in a launch of their own: apart.h. */
#include "primitives/apart.h"

#include "base/verbose.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"

int apart_place(struct plan *plan, md_t *md) {
    const bool doubles = md->data_type == dnnl_f64;
    if ((md->data_type == dnnl_f32 || doubles) && !attr_has_sum(&plan->attr)) return DNNL_ARG_DST;
    if (!doubles) md->data_type = dnnl_f32;
    plan_place(plan, md);
    return ARG_SCRATCHPAD;
}

static dnnl_status_t finish(struct plan *plan, int arg, const md_t *results, int scaled, bool by_weights) {
    struct rows rows;
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand_at(&rows, arg, results),
              scaled ? rows_scale(&rows, scaled, NULL) : ROW_NONE);
    const int factor =
            by_weights ? rows_scale(&rows, DNNL_ARG_WEIGHTS, gemm_dims_of(plan).weights) : ROW_NONE;
    if (factor != ROW_NONE) rows_binary(&rows, dnnl_binary_mul, factor, ROW_NONE, ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

dnnl_status_t apart_finish(struct plan *plan, int arg, const md_t *results, int scaled) {
    return finish(plan, arg, results, scaled, false);
}

/* Only scales of products of floats, which kernels apply to each result on its own, and no bias follows. */
bool apart_takes_scales(const struct plan *plan) {
    const struct quants *scales = &plan->attr.scales;
    return problem_md(&plan->problem, DNNL_ARG_WEIGHTS) && !problem_md(&plan->problem, DNNL_ARG_BIAS)
           && in_set(TYPES_FLOAT, problem_md(&plan->problem, DNNL_ARG_SRC)->data_type)
           && (quants_find(scales, DNNL_ARG_SRC) || quants_find(scales, DNNL_ARG_WEIGHTS));
}

static int whole_arg(int arg, const void *data) {
    return arg == DNNL_ARG_DST ? *(const int *)data : arg;
}

static dnnl_status_t append_bare(struct plan *plan, const struct implementation *implementations, int arg,
                                 const md_t *results) {
    struct problem part;
    attr_t attr;
    TRY(problem_copy(&part, &plan->problem));
    dnnl_status_t status = attr_copy(&attr, &plan->attr);
    if (status == dnnl_success) {
        *problem_md(&part, DNNL_ARG_DST) = *results;
        attr.post_ops.len = 0;
        quants_drop(&attr.scales, DNNL_ARG_DST);
        quants_drop(&attr.zero_points, DNNL_ARG_DST);
        if (apart_takes_scales(plan)) {
            quants_drop(&attr.scales, DNNL_ARG_SRC);
            quants_drop(&attr.scales, DNNL_ARG_WEIGHTS);
        }
        status = plan_append(plan, implementations, &part, &attr, whole_arg, &arg);
        attr_clear(&attr);
    }
    problem_clear(&part);
    return status;
}

bool apart_has_rest(const attr_t *attr) {
    return attr->post_ops.len > 0 || quants_find(&attr->scales, DNNL_ARG_DST)
           || quants_find(&attr->zero_points, DNNL_ARG_DST);
}

/* Kernels of convolutions compute channels-last images: where dst is none, the last launch moves them too. */
static dnnl_status_t place_results(struct plan *plan, md_t *results, int *arg) {
    const bool images = plan->problem.kind == dnnl_convolution || plan->problem.kind == dnnl_deconvolution;
    const bool last = md_is_plain(results) && (results->blocking.strides[1] == 1 || results->dims[1] == 1);
    if (!images || last) {
        *arg = apart_place(plan, results);
        return dnnl_success;
    }
    const md_t dst = *results;
    *arg = ARG_SCRATCHPAD;
    return gemm_scratch_md(plan, &dst, dst.data_type == dnnl_f64 ? dnnl_f64 : dnnl_f32,
                           channels_last(dst.ndims), results);
}

dnnl_status_t apart_build(struct plan *plan, const struct implementation *implementations) {
    md_t results = *problem_md(&plan->problem, DNNL_ARG_DST);
    int arg;
    TRY(place_results(plan, &results, &arg));
    TRY(append_bare(plan, implementations, arg, &results));
    const bool last = apart_takes_scales(plan);
    return finish(plan, arg, &results, last ? DNNL_ARG_SRC : 0, last);
}
