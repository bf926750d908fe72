/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation: creation, and plans: rows of all sources side by side, or a reorder of each source into its
 * part of dst. */
#include "base/round.h"
#include "kernels/params_reorder.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/epilogue.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

static const char component[] = "concat";

static dnnl_status_t check_scales(const attr_t *attr, int n) {
    for (int i = 0; attr && i < attr->scales.count; i++) {
        const struct quant *scale = &attr->scales.entries[i];
        bool source = scale->arg >= DNNL_ARG_MULTIPLE_SRC && scale->arg < DNNL_ARG_MULTIPLE_SRC + n;
        SUPPORT(source && scale->mask == 0, "scales other than one value per source");
    }
    return dnnl_success;
}

/* Adds the size of a source along the axis; all other dimensions must be those of the first source. */
static dnnl_status_t check_source(const md_t *first, const md_t *src, int axis, dnnl_dim_t *extent) {
    REQUIRE(src->ndims == first->ndims, "sources have %d and %d dimensions", first->ndims, src->ndims);
    REQUIRE(!md_is_any(src), "the layout of a source is undefined");
    TRY(check_sizes_known(component, MDS(src)));
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(d == axis || src->dims[d] == first->dims[d], "sources differ in dimension %d", d);
    REQUIRE(src->data_type == first->data_type, "sources differ in type");
    REQUIRE(!__builtin_add_overflow(*extent, src->dims[axis], extent), "sources are too long");
    return dnnl_success;
}

static dnnl_status_t check_dst(const md_t *first, const md_t *dst, int axis, dnnl_dim_t extent) {
    REQUIRE(dst->ndims == first->ndims, "sources have %d dimensions, dst %d", first->ndims, dst->ndims);
    REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
    for (int d = 0; d < dst->ndims; d++)
        REQUIRE(dst->dims[d] == (d == axis ? extent : first->dims[d]), "dst differs in dimension %d", d);
    return dnnl_success;
}

/* Without a dst, it has the type of the sources and an open layout. */
static dnnl_status_t open_dst(md_t *dst, const md_t *first, int axis, dnnl_dim_t extent) {
    dnnl_dims_t dims;
    for (int d = 0; d < first->ndims; d++)
        dims[d] = d == axis ? extent : first->dims[d];
    return md_init(dst, first->ndims, dims, first->data_type, dnnl_format_kind_any);
}

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                const_dnnl_memory_desc_t dst, int n, int axis,
                                                const_dnnl_memory_desc_t const *srcs,
                                                const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {.parts = ATTR_SCALES};
    REQUIRE(pd && srcs && n > 0, "an argument is NULL");
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_scales(attr, n));
    for (int i = 0; i < n; i++)
        REQUIRE(srcs[i], "a source is NULL");
    TRY(check_sizes_known(component, MDS(srcs[0])));
    REQUIRE(axis >= 0 && axis < srcs[0]->ndims, "there is no dimension %d", axis);
    dnnl_dim_t extent = 0;
    for (int i = 0; i < n; i++)
        TRY(check_source(srcs[0], srcs[i], axis, &extent));
    if (dst) TRY(check_dst(srcs[0], dst, axis, extent));
    for (int i = 0; i < n; i++)
        SUPPORT(md_is_blocked(srcs[i]), "a layout that is not blocked");
    SUPPORT(!dst || md_is_any(dst) || md_is_blocked(dst), "a layout that is not blocked");
    md_t open;
    TRY(open_dst(&open, srcs[0], axis, extent));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_concat, n + 1));
    problem.axis = axis;
    for (int i = 0; i < n; i++)
        problem_add(&problem, DNNL_ARG_MULTIPLE_SRC + i, false, srcs[i]);
    problem_add(&problem, DNNL_ARG_DST, true, dst ? dst : &open);
    return create_desc(component, pd, engine, &problem, attr);
}

/* Plans. */

static const md_t *source(const struct problem *problem, int i) {
    return problem_md(problem, DNNL_ARG_MULTIPLE_SRC + i);
}

static int source_count(const struct problem *problem) {
    int count = 0;
    while (source(problem, count))
        count++;
    return count;
}

/* The part of dst that source i becomes, `at` along the axis. */
static dnnl_status_t part_of(md_t *part, const md_t *dst, const md_t *src, int axis, dnnl_dim_t at) {
    dnnl_dims_t offsets = {0};
    offsets[axis] = at;
    return md_submemory(part, dst, src->dims, offsets);
}

/* Can every source be written to its part of dst? A part must not begin or end within a block. */
static bool parts_exist(const struct problem *problem, const md_t *dst) {
    const int axis = problem->axis;
    dnnl_dims_t block;
    dnnl_dim_t at = 0;
    md_blocks(dst, block);
    for (int i = 0; source(problem, i); i++) {
        const dnnl_dim_t size = source(problem, i)->dims[axis], end = at + size;
        if (size > 0 && (at % block[axis] != 0 || (end % block[axis] != 0 && end != dst->dims[axis])))
            return false;
        at = end;
    }
    return dst->padded_offsets[axis] == 0;
}

/* An open layout of dst becomes that of the first source with blocks, if they allow it, or else of the first
 * source; row-major if neither does. */
static dnnl_status_t decide_layout(struct problem *problem) {
    md_t *dst = problem_md(problem, DNNL_ARG_DST);
    if (!md_is_any(dst)) return dnnl_success;
    const int count = source_count(problem);
    for (int blocked = 1; blocked >= 0; blocked--)
        for (int i = 0; i < count; i++) {
            md_t like = *dst;
            if (blocked && md_is_plain(source(problem, i))) continue;
            TRY(md_set_any_like(&like, source(problem, i)));
            if (!parts_exist(problem, &like)) continue;
            *dst = like;
            return dnnl_success;
        }
    return md_init_by_strides(dst, dst->ndims, dst->dims, dst->data_type, NULL);
}

/* The scale of source i alone, as a reorder takes it. */
static dnnl_status_t part_attr(attr_t *attr, const attr_t *whole, int i) {
    const struct quant *scale = quants_find(&whole->scales, DNNL_ARG_MULTIPLE_SRC + i);
    attr_init(attr);
    if (!scale) return dnnl_success;
    struct quant of_src = *scale;
    of_src.arg = DNNL_ARG_SRC;
    return quants_set(&attr->scales, &of_src);
}

static dnnl_status_t append_source(struct plan *plan, int i, int to_arg, const md_t *to) {
    const md_t src = *source(&plan->problem, i);
    attr_t attr;
    dnnl_status_t status = part_attr(&attr, &plan->attr, i);
    if (status == dnnl_success)
        status = append_reorder(plan, DNNL_ARG_MULTIPLE_SRC + i, &src, to_arg, to, &attr);
    attr_clear(&attr);
    return status;
}

/* Sources whose parts do not exist in the layout of dst meet in scratchpad. */
static dnnl_status_t build(struct plan *plan) {
    struct problem *problem = &plan->problem;
    TRY(decide_layout(problem));
    TRY(epilogue_add_arguments(plan, problem_md(problem, DNNL_ARG_DST)));
    const md_t dst = *problem_md(problem, DNNL_ARG_DST);
    const int axis = problem->axis, count = source_count(problem);
    md_t whole = dst, part;
    bool direct = parts_exist(problem, &dst);
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    if (!direct) {
        TRY(md_init_by_strides(&whole, dst.ndims, dst.dims, dst.data_type, NULL));
        plan_place(plan, &whole);
    }
    dnnl_dim_t at = 0;
    for (int i = 0; i < count; i++) {
        const md_t *src = source(problem, i);
        const dnnl_dim_t size = src->dims[axis];
        if (size == 0) continue;
        TRY(part_of(&part, &whole, src, axis, at));
        TRY(append_source(plan, i, direct ? DNNL_ARG_DST : ARG_SCRATCHPAD, &part));
        at += size;
    }
    return direct ? dnnl_success : append_reorder(plan, ARG_SCRATCHPAD, &whole, DNNL_ARG_DST, &dst, NULL);
}

/* Short rows, side by side in dst: several sources per launch, because a launch for each would go through all
 * of dst as often. */

/* NULL: there is none for elements of that size. */
static const struct kernel *rows_kernel(const md_t *dst) {
    switch (dt_bits(dst->data_type)) {
    case 8: return &kernel_x8_concat_rows;
    case 16: return &kernel_x16_concat_rows;
    case 32: return &kernel_x32_concat_rows;
    default: return NULL;
    }
}

/* Adds source i, which begins `at` along the axis. All sources have as many rows, as far apart in dst. */
static dnnl_status_t add_rows(struct plan *plan, struct concat_rows_params *p, int i, dnnl_dim_t at) {
    const md_t *src = source(&plan->problem, i), *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    struct copied_rows copied;
    md_t part;
    TRY(part_of(&part, dst, src, plan->problem.axis, at));
    if (!copies_rows(src, &part, &copied)) return plan_skip(plan, "a source is not made of rows");
    if (p->rows != 0 && (p->rows != copied.rows || p->dst_stride != copied.to_stride))
        return plan_skip(plan, "rows differ");
    p->rows = copied.rows;
    p->dst_stride = copied.to_stride;
    p->sources[p->count++] =
            (struct concat_source){src->offset0, copied.from_stride, part.offset0, copied.run};
    return dnnl_success;
}

static dnnl_status_t launch_rows(struct plan *plan, struct concat_rows_params *made, const int *args) {
    const struct kernel *kernel = rows_kernel(problem_md(&plan->problem, DNNL_ARG_DST));
    struct launch *launch;
    made->span = divide_up(work_of_item(plan->device, made->rows * made->dst_stride), made->dst_stride);
    const struct range range = {.groups = {(size_t)divide_up(made->rows, made->span), 1, 1},
                                .group_size = {1, 1, 1}};
    struct concat_rows_params *p = plan_launch(plan, kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    for (int i = 0; i < CONCAT_SOURCES; i++)
        launch_bind(launch, i < made->count ? args[i] : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    launch_may_stream_to(launch, DNNL_ARG_DST, &p->streams);
    made->count = 0;
    return dnnl_success;
}

static dnnl_status_t build_rows(struct plan *plan) {
    enum { SHORT = 16384 }; /* bytes */
    struct problem *problem = &plan->problem;
    struct concat_rows_params made = {0};
    int args[CONCAT_SOURCES];
    TRY(decide_layout(problem));
    const md_t *dst = problem_md(problem, DNNL_ARG_DST);
    const struct kernel *kernel = rows_kernel(dst);
    if (!kernel || !attr_is_default(&plan->attr)) return plan_skip(plan, "elements of that size, or scales");
    TRY(plan_takes(plan, kernel));
    if (md_nelems(dst, true) == 0 || !parts_exist(problem, dst)) return plan_skip(plan, "no parts of dst");
    dnnl_dim_t at = 0;
    for (int i = 0; source(problem, i); i++) {
        const dnnl_dim_t size = source(problem, i)->dims[problem->axis];
        if (size == 0) continue;
        if (made.count == CONCAT_SOURCES) TRY(launch_rows(plan, &made, args));
        args[made.count] = DNNL_ARG_MULTIPLE_SRC + i;
        TRY(add_rows(plan, &made, i, at));
        if (made.dst_stride > SHORT / (dnnl_dim_t)dt_size(dst->data_type))
            return plan_skip(plan, "rows are long");
        at += size;
    }
    return launch_rows(plan, &made, args);
}

const struct implementation concat_implementations[] = {
        {"concat_rows", build_rows, NULL},
        {"concat_parts", build, NULL},
        {NULL, NULL, NULL},
};
