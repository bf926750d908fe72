/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of tensors: creation, and plans that are element-wise programs, or a launch for each source in
 * doubles. */
#include "base/round.h"
#include "kernels/params_doubles.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"

#include <stdlib.h>
#include <string.h>

static const char component[] = "sum";

static dnnl_status_t check_source(const md_t *first, const md_t *src) {
    REQUIRE(src, "a source is NULL");
    TRY(check_no_host_scalars(component, MDS(src)));
    TRY(check_sizes_known(component, MDS(src)));
    REQUIRE(!md_is_any(src), "the layout of a source is undefined");
    TRY(check_same_dims(component, "the first source", first, "another one", src));
    return src->data_type == dnnl_f64 ? dnnl_success : check_rows_format(component, src);
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
        if (dst->data_type != dnnl_f64) TRY(check_rows_format(component, dst));
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

/* In doubles. */

static bool has_doubles(const struct problem *problem) {
    for (int i = 0; i < problem->ntensors; i++)
        if (problem->tensors[i].md.data_type == dnnl_f64) return true;
    return false;
}

/* A tensor in memory, and what it is multiplied by. */
struct term {
    int arg;
    md_t md;
    float scale;
};

/* sum = a + b, or a alone. */
static dnnl_status_t append_sum(struct plan *plan, const struct term *a, const struct term *b,
                                const struct term *sum) {
    enum { SPAN = 4096 };
    struct launch *launch;
    const dnnl_dim_t count = md_nelems(&sum->md, true);
    const struct range range = range_of_items(divide_up(count, SPAN), full_group(plan->device));
    struct f64_add_params *p = plan_launch(plan, &kernel_f64_add, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = (struct f64_add_params){.scales = {a->scale, b ? b->scale : 0},
                                 .both = b != NULL,
                                 .first_offset = a->md.offset0,
                                 .second_offset = b ? b->md.offset0 : 0,
                                 .dst_offset = sum->md.offset0,
                                 .count = count,
                                 .span = SPAN};
    launch_bind(launch, a->arg);
    launch_bind(launch, b ? b->arg : ARG_NOTHING);
    launch_bind(launch, sum->arg);
    return dnnl_success;
}

/* A source as dense doubles in the layout of the sum: itself, or a copy: of the first one where the sum will
 * be, of others in scratchpad. */
static dnnl_status_t prepare(struct plan *plan, int i, const struct term *sum, struct term *term) {
    *term = (struct term){.arg = DNNL_ARG_MULTIPLE_SRC + i, .scale = plan->problem.scales[i]};
    const md_t src = *problem_md(&plan->problem, term->arg);
    md_t like = sum->md;
    like.offset0 = src.offset0;
    term->md = src;
    if (src.data_type == dnnl_f64 && md_same_layout(&like, &src)) return dnnl_success;
    /* No source that follows can be in the same memory as dst. */
    const int to = i == 0 ? sum->arg : ARG_SCRATCHPAD;
    term->md = sum->md;
    if (i > 0) plan_place(plan, &term->md);
    TRY(append_reorder(plan, term->arg, &src, to, &term->md, NULL));
    term->arg = to;
    return dnnl_success;
}

static dnnl_status_t build_doubles(struct plan *plan) {
    const int sources = plan->problem.ntensors - 1;
    TRY(plan_takes(plan, &kernel_f64_add));
    if (!has_doubles(&plan->problem)) return plan_skip(plan, "no tensor is f64");
    TRY(decide_layout(&plan->problem, sources));
    const md_t dst = *problem_md(&plan->problem, DNNL_ARG_DST);
    if (!md_is_blocked(&dst)) return plan_skip(plan, "a layout is not blocked");
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    const bool direct = dst.data_type == dnnl_f64 && md_is_dense(&dst, true) && !md_has_padding(&dst);
    struct term sum = {.arg = direct ? DNNL_ARG_DST : ARG_SCRATCHPAD, .md = dst, .scale = 1};
    if (!direct) TRY(md_init_by_strides(&sum.md, dst.ndims, dst.dims, dnnl_f64, NULL));
    if (!direct) plan_place(plan, &sum.md);
    struct term first, next;
    TRY(prepare(plan, 0, &sum, &first));
    for (int i = 1; i < sources; i++) {
        TRY(prepare(plan, i, &sum, &next));
        TRY(append_sum(plan, i == 1 ? &first : &sum, &next, &sum));
    }
    if (sources == 1) TRY(append_sum(plan, &first, NULL, &sum));
    return direct ? dnnl_success : append_reorder(plan, ARG_SCRATCHPAD, &sum.md, DNNL_ARG_DST, &dst, NULL);
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
        {"f64_sum", build_doubles, NULL},
        {"sum_rows", build, NULL},
        {NULL, NULL, NULL},
};
