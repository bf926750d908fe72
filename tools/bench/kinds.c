/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors of requests, one function per kind for both directions. Tensors have the names of
 * verbose lines, where backward lines print their differentials under the names of forward tensors.
 */
#include "kinds.h"

static dnnl_memory_desc_t first_md(const struct call *c, const char *name, const char *otherwise) {
    dnnl_memory_desc_t md = MD(name);
    return md ? md : MD(otherwise);
}

static dnnl_status_t make_reorder(const struct call *c) {
    return lib_reorder_primitive_desc_create(c->pd, MD("src"), c->engine, MD("dst"), c->engine, c->attr);
}

/* The sources of a concat or sum; returns how many. */
static int source_mds(const struct call *c, const_dnnl_memory_desc_t *sources) {
    int count = 0;
    for (int i = 0; i < c->r->tensor_count; i++)
        if (c->r->tensors[i].name[0] == 's') sources[count++] = MD(c->r->tensors[i].name);
    return count;
}

static dnnl_status_t make_concat(const struct call *c) {
    const_dnnl_memory_desc_t sources[MAX_TENSORS];
    int count = source_mds(c, sources);
    return lib_concat_primitive_desc_create(c->pd, c->engine, MD("dst"), count, c->r->axis, sources, c->attr);
}

static dnnl_status_t make_sum(const struct call *c) {
    const_dnnl_memory_desc_t sources[MAX_TENSORS];
    float scales[MAX_TENSORS];
    int count = source_mds(c, sources);
    for (int i = 0; i < count; i++)
        scales[i] = i % 2 ? 0.5f : 1;
    return lib_sum_primitive_desc_create(c->pd, c->engine, MD("dst"), count, scales, sources, c->attr);
}

static dnnl_status_t make_binary(const struct call *c) {
    if (!MD("src2"))
        return lib_binary_primitive_desc_create(c->pd, c->engine, c->r->alg, MD("src"), MD("src1"), MD("dst"),
                                                c->attr);
    if (!lib_binary_primitive_desc_create_v2) return dnnl_unimplemented;
    return lib_binary_primitive_desc_create_v2(c->pd, c->engine, c->r->alg, MD("src"), MD("src1"), MD("src2"),
                                               MD("dst"), c->attr);
}

static dnnl_status_t make_convolution(const struct call *c) {
    const struct request *r = c->r;
    if (!c->backward)
        return lib_convolution_forward_primitive_desc_create(
                c->pd, c->engine, c->direction, r->alg, MD("src"), MD("wei"), MD("bia"), MD("dst"),
                r->strides, r->dilates, r->padding_l, r->padding_r, c->attr);
    if (c->direction == dnnl_backward_data)
        return lib_convolution_backward_data_primitive_desc_create(
                c->pd, c->engine, r->alg, MD("src"), MD("wei"), MD("dst"), r->strides, r->dilates,
                r->padding_l, r->padding_r, c->hint, c->attr);
    return lib_convolution_backward_weights_primitive_desc_create(
            c->pd, c->engine, r->alg, MD("src"), MD("wei"), MD("bia"), MD("dst"), r->strides, r->dilates,
            r->padding_l, r->padding_r, c->hint, c->attr);
}

static dnnl_status_t make_deconvolution(const struct call *c) {
    const struct request *r = c->r;
    if (!c->backward)
        return lib_deconvolution_forward_primitive_desc_create(
                c->pd, c->engine, c->direction, r->alg, MD("src"), MD("wei"), MD("bia"), MD("dst"),
                r->strides, r->dilates, r->padding_l, r->padding_r, c->attr);
    if (c->direction == dnnl_backward_data)
        return lib_deconvolution_backward_data_primitive_desc_create(
                c->pd, c->engine, r->alg, MD("src"), MD("wei"), MD("dst"), r->strides, r->dilates,
                r->padding_l, r->padding_r, c->hint, c->attr);
    return lib_deconvolution_backward_weights_primitive_desc_create(
            c->pd, c->engine, r->alg, MD("src"), MD("wei"), MD("bia"), MD("dst"), r->strides, r->dilates,
            r->padding_l, r->padding_r, c->hint, c->attr);
}

static dnnl_status_t make_inner_product(const struct call *c) {
    if (!c->backward)
        return lib_inner_product_forward_primitive_desc_create(c->pd, c->engine, c->direction, MD("src"),
                                                               MD("wei"), MD("bia"), MD("dst"), c->attr);
    if (c->direction == dnnl_backward_data)
        return lib_inner_product_backward_data_primitive_desc_create(c->pd, c->engine, MD("src"), MD("wei"),
                                                                     MD("dst"), c->hint, c->attr);
    return lib_inner_product_backward_weights_primitive_desc_create(c->pd, c->engine, MD("src"), MD("wei"),
                                                                    MD("bia"), MD("dst"), c->hint, c->attr);
}

static dnnl_status_t make_matmul(const struct call *c) {
    return lib_matmul_primitive_desc_create(c->pd, c->engine, MD("src"), MD("wei"), MD("bia"), MD("dst"),
                                            c->attr);
}

static dnnl_status_t make_shuffle(const struct call *c) {
    dnnl_memory_desc_t data = first_md(c, "data", "src");
    if (c->backward)
        return lib_shuffle_backward_primitive_desc_create(c->pd, c->engine, data, data, c->r->axis,
                                                          c->r->group, c->hint, c->attr);
    return lib_shuffle_forward_primitive_desc_create(c->pd, c->engine, c->direction, data, data, c->r->axis,
                                                     c->r->group, c->attr);
}

static dnnl_status_t make_eltwise(const struct call *c) {
    const struct request *r = c->r;
    dnnl_memory_desc_t data = first_md(c, "data", "src"), dst = first_md(c, "dst", "data");
    if (c->backward)
        return lib_eltwise_backward_primitive_desc_create(c->pd, c->engine, r->alg, MD("diff"), MD("diff"),
                                                          data, r->alpha, r->beta, c->hint, c->attr);
    return lib_eltwise_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->alg, data, dst,
                                                     r->alpha, r->beta, c->attr);
}

static dnnl_status_t make_softmax(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_softmax_backward_primitive_desc_create(c->pd, c->engine, r->alg, MD("src"),
                                                          first_md(c, "diff_dst", "dst"), MD("dst"), r->axis,
                                                          c->hint, c->attr);
    return lib_softmax_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->alg, MD("src"),
                                                     MD("dst"), r->axis, c->attr);
}

static dnnl_status_t make_pooling(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_pooling_backward_primitive_desc_create(c->pd, c->engine, r->alg, MD("src"), MD("dst"),
                                                          r->strides, r->kernel, r->dilates, r->padding_l,
                                                          r->padding_r, c->hint, c->attr);
    return lib_pooling_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->alg, MD("src"),
                                                     MD("dst"), r->strides, r->kernel, r->dilates,
                                                     r->padding_l, r->padding_r, c->attr);
}

static dnnl_status_t make_prelu(const struct call *c) {
    dnnl_memory_desc_t data = first_md(c, "data", "src");
    if (c->backward)
        return lib_prelu_backward_primitive_desc_create(c->pd, c->engine, data, MD("wei"), MD("diff"),
                                                        MD("diff_wei"), MD("diff"), c->hint, c->attr);
    return lib_prelu_forward_primitive_desc_create(c->pd, c->engine, c->direction, data, MD("wei"),
                                                   first_md(c, "dst", "data"), c->attr);
}

static dnnl_status_t make_lrn(const struct call *c) {
    const struct request *r = c->r;
    const float alpha = 1e-4f, k = 1; /* lines do not tell them */
    dnnl_memory_desc_t data = first_md(c, "data", "src");
    if (c->backward)
        return lib_lrn_backward_primitive_desc_create(c->pd, c->engine, r->alg, MD("diff"), MD("diff"), data,
                                                      r->local_size, alpha, r->beta, k, c->hint, c->attr);
    return lib_lrn_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->alg, data,
                                                 first_md(c, "dst", "data"), r->local_size, alpha, r->beta, k,
                                                 c->attr);
}

static const float epsilon = 0x1p-10f; /* of normalizations: lines do not tell it */

static dnnl_status_t make_batch_normalization(const struct call *c) {
    dnnl_memory_desc_t data = first_md(c, "data", "src");
    if (c->backward)
        return lib_batch_normalization_backward_primitive_desc_create(c->pd, c->engine, c->direction,
                                                                      MD("diff"), MD("diff"), data, epsilon,
                                                                      c->r->flags, c->hint, c->attr);
    return lib_batch_normalization_forward_primitive_desc_create(
            c->pd, c->engine, c->direction, data, first_md(c, "dst", "data"), epsilon, c->r->flags, c->attr);
}

static dnnl_status_t make_group_normalization(const struct call *c) {
    if (!lib_group_normalization_forward_primitive_desc_create
        || !lib_group_normalization_backward_primitive_desc_create)
        return dnnl_unimplemented;
    if (c->backward)
        return lib_group_normalization_backward_primitive_desc_create(
                c->pd, c->engine, c->direction, MD("diff_src"), MD("dst"), MD("src"), c->r->group, epsilon,
                c->r->flags, c->hint, c->attr);
    return lib_group_normalization_forward_primitive_desc_create(
            c->pd, c->engine, c->direction, MD("src"), MD("dst"), c->r->group, epsilon, c->r->flags, c->attr);
}

/* Scale and shift of another type than f32 need a newer function. */
static dnnl_status_t make_typed_layer_normalization(const struct call *c, dnnl_data_type_t type) {
    const struct tensor *diff = request_tensor(c->r, "diff_scale");
    if (!lib_layer_normalization_forward_primitive_desc_create_v2
        || !lib_layer_normalization_backward_primitive_desc_create_v2)
        return dnnl_unimplemented;
    if (c->backward)
        return lib_layer_normalization_backward_primitive_desc_create_v2(
                c->pd, c->engine, c->direction, MD("diff_src"), MD("dst"), MD("src"), MD("stats"),
                diff ? diff->type : dnnl_f32, type, epsilon, c->r->flags, c->hint, c->attr);
    return lib_layer_normalization_forward_primitive_desc_create_v2(c->pd, c->engine, c->direction, MD("src"),
                                                                    MD("dst"), MD("stats"), type, epsilon,
                                                                    c->r->flags, c->attr);
}

static dnnl_status_t make_layer_normalization(const struct call *c) {
    const struct tensor *scale = request_tensor(c->r, "scale"), *shift = request_tensor(c->r, "shift");
    const struct tensor *vector = scale ? scale : shift;
    if (vector && vector->type != dnnl_f32) return make_typed_layer_normalization(c, vector->type);
    if (c->backward)
        return lib_layer_normalization_backward_primitive_desc_create(
                c->pd, c->engine, c->direction, MD("diff_src"), MD("dst"), MD("src"), MD("stats"), epsilon,
                c->r->flags, c->hint, c->attr);
    return lib_layer_normalization_forward_primitive_desc_create(
            c->pd, c->engine, c->direction, MD("src"), MD("dst"), MD("stats"), epsilon, c->r->flags, c->attr);
}

static dnnl_status_t make_resampling(const struct call *c) {
    if (c->backward)
        return lib_resampling_backward_primitive_desc_create(c->pd, c->engine, c->r->alg, NULL, MD("src"),
                                                             MD("dst"), c->hint, c->attr);
    return lib_resampling_forward_primitive_desc_create(c->pd, c->engine, c->direction, c->r->alg, NULL,
                                                        MD("src"), MD("dst"), c->attr);
}

static dnnl_status_t make_reduction(const struct call *c) {
    return lib_reduction_primitive_desc_create(c->pd, c->engine, c->r->alg, MD("src"), MD("dst"), c->r->p,
                                               c->r->eps, c->attr);
}

static const struct {
    dnnl_primitive_kind_t kind;
    dnnl_status_t (*make)(const struct call *c);
} makers[] = {
        {dnnl_reorder, make_reorder},
        {dnnl_concat, make_concat},
        {dnnl_sum, make_sum},
        {dnnl_binary, make_binary},
        {dnnl_convolution, make_convolution},
        {dnnl_deconvolution, make_deconvolution},
        {dnnl_inner_product, make_inner_product},
        {dnnl_matmul, make_matmul},
        {dnnl_shuffle, make_shuffle},
        {dnnl_eltwise, make_eltwise},
        {dnnl_softmax, make_softmax},
        {dnnl_pooling, make_pooling},
        {dnnl_prelu, make_prelu},
        {dnnl_lrn, make_lrn},
        {dnnl_batch_normalization, make_batch_normalization},
        {dnnl_group_normalization, make_group_normalization},
        {dnnl_layer_normalization, make_layer_normalization},
        {dnnl_resampling, make_resampling},
        {dnnl_reduction, make_reduction},
        {dnnl_rnn, make_rnn},
};

/* Makes all descriptors of a request, so that one that cannot be made is not taken for one that is absent. */
static bool mds_are_made(struct build *build) {
    for (int i = 0; i < build->request->tensor_count; i++) {
        const struct tensor *tensor = &build->request->tensors[i];
        if (tensor->type != dnnl_data_type_undef && tensor->ndims && !build_md(build, tensor->name))
            return false;
    }
    return true;
}

dnnl_status_t build_primitive_desc(struct build *build, dnnl_prop_kind_t direction,
                                   const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd) {
    bool backward = direction != build->request->direction ? false : request_is_backward(build->request);
    struct call call = {build, build->request, build->engine, direction, backward, hint, build->attr, pd};
    if (!mds_are_made(build)) return dnnl_invalid_arguments;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        if (makers[i].kind == build->request->kind) return makers[i].make(&call);
    return dnnl_unimplemented;
}
