/* SPDX-License-Identifier: Apache-2.0 */
/* Parametric ReLU: creation, and forward plans that are element-wise programs. Not implemented yet: backward.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
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

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t diff_src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_dst,
        const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    (void)hint;
    REQUIRE(diff_weights, "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(diff_weights)));
    TRY(check(src, weights, MDS(diff_src, diff_dst), MDS(src, weights, diff_src, diff_weights), false));
    TRY(check_no_attr(component, engine, attr));
    return create_nothing(component, pd);
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
