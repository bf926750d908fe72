/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parametric ReLU: creation and plans, which are element-wise programs. Backward, what each element adds to
 * the gradient of its weight is summed up if weights are broadcast.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/rows.h"

static const char component[] = "prelu";

/* Checks for both directions; `images` are the other tensors that have the shape of src; the sizes of `known`
 * must not be run-time values. */
static dnnl_status_t check(const md_t *src, const md_t *weights, struct md_list images, struct md_list known,
                           bool forward) {
    REQUIRE(src && weights, "an argument is NULL");
    for (int i = 0; i < images.count; i++)
        REQUIRE(images.mds[i], "an argument is NULL");
    REQUIRE(!forward || !md_is_any(src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(src, weights)));
    TRY(check_no_host_scalars(component, images));
    TRY(check_sizes_known(component, known));
    REQUIRE(src->ndims <= 5 && src->ndims == weights->ndims, "src has %d dimensions, weights %d", src->ndims,
            weights->ndims);
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(weights->dims[d] == 1 || weights->dims[d] == src->dims[d],
                "dimension %d of weights does not broadcast", d);
    for (int i = 0; i < images.count; i++)
        TRY(check_same_dims(component, "src", src, "another tensor", images.mds[i]));
    return dnnl_success;
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                       dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
                                                       const_dnnl_memory_desc_t weights,
                                                       const_dnnl_memory_desc_t dst,
                                                       const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(check(src, weights, MDS(dst), MDS(src, weights), true));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_rows_format(component, src));
    TRY(check_rows_format(component, weights));
    TRY(check_rows_format(component, dst));
    struct problem problem;
    TRY(problem_init(&problem, dnnl_prelu, 3));
    problem.prop = prop;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

static dnnl_status_t check_backward_formats(struct md_list list) {
    for (int i = 0; i < list.count; i++)
        TRY(check_rows_format(component, list.mds[i]));
    return dnnl_success;
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t diff_src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_dst,
        const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    REQUIRE(diff_weights, "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(diff_weights)));
    TRY(check(src, weights, MDS(diff_src, diff_dst), MDS(src, weights, diff_src, diff_weights), false));
    TRY(check_no_attr(component, engine, attr));
    SUPPORT(md_same_dims(weights, diff_weights), "diff_weights of another shape than weights");
    TRY(check_backward_formats(MDS(src, weights, diff_src, diff_weights, diff_dst)));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_prelu, 5));
    problem.prop = dnnl_backward;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    problem_add(&problem, DNNL_ARG_DIFF_WEIGHTS, true, diff_weights);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

static dnnl_status_t build_forward(struct plan *plan) {
    struct rows rows;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_WEIGHTS), src));
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), src));
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC), ROW_NONE);
    rows_prelu(&rows, rows_operand(&rows, DNNL_ARG_WEIGHTS));
    return rows_end(&rows);
}

const struct implementation prelu_forward[] = {
        {"prelu_rows", build_forward, NULL},
        {NULL, NULL, NULL},
};

/* Open layouts become that of src, or of diff_dst if src has none. */
static dnnl_status_t decide_backward(struct plan *plan) {
    static const int others[] = {DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC,
                                 DNNL_ARG_DIFF_WEIGHTS};
    md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(src, problem_md(&plan->problem, DNNL_ARG_DIFF_DST)));
    for (int i = 0; i < 4; i++)
        TRY(md_set_any_like(problem_md(&plan->problem, others[i]), src));
    return dnnl_success;
}

/* What each element adds to the gradient of its weight: src * diff_dst where src is not positive, else 0. */
static dnnl_status_t append_terms(struct plan *plan, int arg, const md_t *to) {
    struct rows rows;
    rows_begin_at(&rows, plan, arg, to);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_DIFF_DST), ROW_NONE);
    const int src = rows_operand(&rows, DNNL_ARG_SRC);
    rows_prelu_backward(&rows, src, src, true);
    return rows_end(&rows);
}

static dnnl_status_t append_diff_src(struct plan *plan) {
    struct rows rows;
    rows_begin(&rows, plan, DNNL_ARG_DIFF_SRC);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_DIFF_DST), ROW_NONE);
    const int src = rows_operand(&rows, DNNL_ARG_SRC);
    rows_prelu_backward(&rows, src, rows_operand(&rows, DNNL_ARG_WEIGHTS), false);
    return rows_end(&rows);
}

/* Sums the terms up over the dimensions along which weights are broadcast. */
static dnnl_status_t append_sums(struct plan *plan, const md_t *terms) {
    const md_t *diff_weights = problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS);
    struct reduce_request request = {.alg = REDUCE_SUM,
                                     .finish = REDUCE_FINISH_NONE,
                                     .src_arg = ARG_SCRATCHPAD,
                                     .src = terms,
                                     .dst_arg = DNNL_ARG_DIFF_WEIGHTS,
                                     .dst = diff_weights};
    for (int d = 0; d < terms->ndims; d++)
        if (diff_weights->dims[d] == terms->dims[d]) request.kept |= 1u << d;
    if (diff_weights->data_type == dnnl_f32 && reduce_writes(&request)) return reduce_append(plan, &request);
    md_t sums;
    TRY(scratch_tensor(plan, &sums, terms, diff_weights->dims));
    request.dst_arg = ARG_SCRATCHPAD;
    request.dst = &sums;
    TRY(reduce_append(plan, &request));
    return append_reorder(plan, ARG_SCRATCHPAD, &sums, DNNL_ARG_DIFF_WEIGHTS, diff_weights, NULL);
}

static dnnl_status_t build_backward(struct plan *plan) {
    md_t terms;
    TRY(decide_backward(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *diff_weights = problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS);
    if (md_nelems(src, true) == 0) return dnnl_success;
    if (md_same_dims(src, diff_weights)) {
        TRY(append_terms(plan, DNNL_ARG_DIFF_WEIGHTS, diff_weights));
        return append_diff_src(plan);
    }
    TRY(scratch_tensor(plan, &terms, src, src->dims));
    TRY(append_terms(plan, ARG_SCRATCHPAD, &terms));
    TRY(append_sums(plan, &terms));
    return append_diff_src(plan);
}

const struct implementation prelu_backward[] = {
        {"prelu_backward_rows", build_backward, NULL},
        {NULL, NULL, NULL},
};
