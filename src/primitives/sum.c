/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of tensors: creation, and plans that are element-wise programs. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"

#include <stdlib.h>
#include <string.h>

static const char component[] = "sum";

static dnnl_status_t check_source(const md_t *first, const md_t *src) {
    REQUIRE(src, "a source is NULL");
    TRY(check_no_host_scalars(component, MDS(src)));
    TRY(check_sizes_known(component, MDS(src)));
    REQUIRE(!md_is_any(src), "the layout of a source is undefined");
    TRY(check_same_dims(component, "the first source", first, "another one", src));
    return check_rows_format(component, src);
}

/* Without a dst, it has the type of the first source and an open layout. */
static dnnl_status_t fill_problem(struct problem *problem, const md_t *dst, int n, const float *scales,
                                  const md_t *const *srcs) {
    md_t open;
    TRY(md_init(&open, srcs[0]->ndims, srcs[0]->dims, srcs[0]->data_type, dnnl_format_kind_any));
    problem->scales = malloc((size_t)n * sizeof *scales);
    if (!problem->scales) return dnnl_out_of_memory;
    memcpy(problem->scales, scales, (size_t)n * sizeof *scales);
    for (int i = 0; i < n; i++)
        problem_add(problem, DNNL_ARG_MULTIPLE_SRC + i, false, srcs[i]);
    problem_add(problem, DNNL_ARG_DST, true, dst ? dst : &open);
    return dnnl_success;
}

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                             const_dnnl_memory_desc_t dst, int n, const float *scales,
                                             const_dnnl_memory_desc_t const *srcs,
                                             const_dnnl_primitive_attr_t attr) {
    REQUIRE(pd && srcs && scales && n > 0, "an argument is NULL");
    TRY(check_no_attr(component, engine, attr));
    for (int i = 0; i < n; i++)
        TRY(check_source(srcs[0], srcs[i]));
    if (dst) {
        TRY(check_no_host_scalars(component, MDS(dst)));
        TRY(check_same_dims(component, "src", srcs[0], "dst", dst));
        REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
        TRY(check_rows_format(component, dst));
    }
    struct problem problem;
    TRY(problem_init(&problem, dnnl_sum, n + 1));
    dnnl_status_t status = fill_problem(&problem, dst, n, scales, srcs);
    if (status != dnnl_success) problem_clear(&problem);
    TRY(status);
    return create_desc(component, pd, engine, &problem, attr);
}

/* An open layout of dst becomes that of the first source with blocks, or else of the first source. */
static dnnl_status_t decide_layout(struct problem *problem, int sources) {
    const md_t *like = problem_md(problem, DNNL_ARG_MULTIPLE_SRC);
    for (int i = 1; i < sources && md_is_plain(like); i++) {
        const md_t *src = problem_md(problem, DNNL_ARG_MULTIPLE_SRC + i);
        if (!md_is_plain(src)) like = src;
    }
    return md_set_any_like(problem_md(problem, DNNL_ARG_DST), like);
}

static dnnl_status_t build(struct plan *plan) {
    struct rows rows;
    const float *scales = plan->problem.scales;
    int sources = plan->problem.ntensors - 1;
    TRY(decide_layout(&plan->problem, sources));
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_MULTIPLE_SRC), ROW_NONE);
    if (scales[0] != 1) rows_eltwise(&rows, dnnl_eltwise_linear, scales[0], 0);
    for (int i = 1; i < sources; i++) {
        rows_reserve(&rows, 1);
        rows_sum(&rows, rows_operand(&rows, DNNL_ARG_MULTIPLE_SRC + i), scales[i], 0);
    }
    return rows_end(&rows);
}

const struct implementation sum_implementations[] = {
        {"sum_rows", build, NULL},
        {NULL, NULL, NULL},
};
