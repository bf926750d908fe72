/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shuffle, forward and backward: creation, and plans that are reorders. The axis is a matrix of groups, which
 * is transposed.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"

static const char component[] = "shuffle";

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
                            const md_t *src, const md_t *dst, int axis, dnnl_dim_t group_size,
                            const struct dnnl_primitive_desc *hint, const attr_t *attr) {
    REQUIRE(src && dst, "an argument is NULL");
    REQUIRE(!prop_is_forward(prop) || !md_is_any(src), "the layout of src is undefined");
    REQUIRE(axis >= 0 && axis < src->ndims, "there is no dimension %d", axis);
    REQUIRE(group_size > 0 && group_size <= src->dims[axis], "bad group size");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    REQUIRE(src->dims[axis] % group_size == 0, "the group size does not divide the dimension");
    TRY(check_same_dims(component, "src", src, "dst", dst));
    TRY(check_no_attr(component, engine, attr));
    SUPPORT(src->data_type == dst->data_type, "src and dst of different types");
    SUPPORT((md_is_any(src) || md_is_blocked(src)) && (md_is_any(dst) || md_is_blocked(dst)),
            "a layout that is not blocked");

    struct problem problem;
    bool forward = prop_is_forward(prop);
    TRY(problem_init(&problem, dnnl_shuffle, 2));
    problem.prop = prop;
    problem.axis = axis;
    problem.group_size = group_size;
    problem_add(&problem, forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, false, forward ? src : dst);
    problem_add(&problem, forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, true, forward ? dst : src);
    return forward ? create_desc(component, pd, engine, &problem, attr)
                   : create_backward_desc(component, pd, engine, &problem, hint, attr);
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
                                                         const_dnnl_memory_desc_t dst, int axis,
                                                         dnnl_dim_t group_size,
                                                         const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    return create(pd, engine, prop, src, dst, axis, group_size, NULL, attr);
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                          const_dnnl_memory_desc_t diff_src,
                                                          const_dnnl_memory_desc_t diff_dst, int axis,
                                                          dnnl_dim_t group_size,
                                                          const_dnnl_primitive_desc_t hint,
                                                          const_dnnl_primitive_attr_t attr) {
    return create(pd, engine, dnnl_backward_data, diff_src, diff_dst, axis, group_size, hint, attr);
}

/* Plans. */

/* If there is no room for one more dimension: those before and after the axis become one each. */
static dnnl_status_t make_room(md_t *to, const md_t *md, int *axis) {
    dnnl_dims_t dims = {1, md->dims[*axis], 1};
    *to = *md;
    if (md->ndims < DNNL_MAX_NDIMS) return dnnl_success;
    for (int d = 0; d < md->ndims; d++)
        if (d != *axis) dims[d < *axis ? 0 : 2] *= md->dims[d];
    *axis = 1;
    return md_reshape(to, md, 3, dims);
}

/* The axis as two dimensions: `rows` by what is left. */
static dnnl_status_t split_axis(md_t *split, const md_t *user, int axis, dnnl_dim_t rows) {
    md_t roomy, *md = &roomy;
    TRY(make_room(md, user, &axis));
    dnnl_dims_t dims;
    for (int d = 0; d <= md->ndims; d++)
        dims[d] = d < axis        ? md->dims[d]
                  : d == axis     ? rows
                  : d == axis + 1 ? md->dims[axis] / rows
                                  : md->dims[d - 1];
    return md_reshape(split, md, md->ndims + 1, dims);
}

/* The same with the two dimensions exchanged. */
static dnnl_status_t split_axis_transposed(md_t *split, const md_t *md, int axis, dnnl_dim_t rows) {
    int permutation[DNNL_MAX_NDIMS];
    TRY(split_axis(split, md, axis, md->dims[axis] / rows));
    if (md->ndims == DNNL_MAX_NDIMS) axis = 1;
    for (int d = 0; d < split->ndims; d++)
        permutation[d] = d == axis ? axis + 1 : d == axis + 1 ? axis : d;
    return md_permute(split, split, permutation);
}

/* Is the axis without blocks, and is there room for one more dimension? */
static bool can_split(const md_t *md, int axis) {
    dnnl_dims_t block;
    md_blocks(md, block);
    return block[axis] == 1 && md->ndims < DNNL_MAX_NDIMS;
}

/* A dense copy of a tensor in scratchpad. */
static dnnl_status_t scratch_like(struct plan *plan, const md_t *md, md_t *plain) {
    TRY(md_init_by_strides(plain, md->ndims, md->dims, md->data_type, NULL));
    plan_place(plan, plain);
    return dnnl_success;
}

/* A layout whose axis has blocks is copied to one without, before or after. */
static dnnl_status_t build(struct plan *plan) {
    struct problem *problem = &plan->problem;
    const bool forward = prop_is_forward(problem->prop);
    const int axis = problem->axis;
    int from_arg = forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST,
        to_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const int dst_arg = to_arg;
    md_t *src = problem_md(problem, from_arg), *dst = problem_md(problem, to_arg);
    if (md_is_any(src)) TRY(md_set_any_like(src, dst)); /* backward; row-major if both are open */
    TRY(md_set_any_like(dst, src));
    if (md_nelems(dst, true) == 0) return dnnl_success;
    const md_t user_src = *src, user_dst = *dst;
    md_t from = user_src, to = user_dst, split_from, split_to;
    if (!can_split(&from, axis)) {
        TRY(scratch_like(plan, &user_src, &from));
        TRY(append_reorder(plan, from_arg, &user_src, ARG_SCRATCHPAD, &from, NULL));
        from_arg = ARG_SCRATCHPAD;
    }
    if (!can_split(&to, axis)) {
        TRY(scratch_like(plan, &user_dst, &to));
        to_arg = ARG_SCRATCHPAD;
    }
    const dnnl_dim_t groups = problem->group_size, size = user_dst.dims[axis];
    const dnnl_dim_t rows = forward ? groups : size / groups;
    TRY(split_axis_transposed(&split_from, &from, axis, rows));
    TRY(split_axis(&split_to, &to, axis, rows));
    TRY(append_reorder(plan, from_arg, &split_from, to_arg, &split_to, NULL));
    return to_arg == dst_arg ? dnnl_success : append_reorder(plan, to_arg, &to, dst_arg, &user_dst, NULL);
}

const struct implementation shuffle_implementations[] = {
        {"shuffle_reorder", build, NULL},
        {NULL, NULL, NULL},
};
