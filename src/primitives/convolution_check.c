/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the arguments of a convolution, and of a deconvolution, where src and dst of a window are
 * exchanged; and the creation of both after them. */
#include "primitives/convolution.h"

static const char *name_of(const struct convolution_request *r) {
    return r->kind == dnnl_deconvolution ? "deconvolution" : "convolution";
}

static bool alg_is_known(const struct convolution_request *r) {
    if (r->kind == dnnl_deconvolution)
        return r->alg == dnnl_deconvolution_direct || r->alg == dnnl_deconvolution_winograd;
    return r->alg == dnnl_convolution_auto || r->alg == dnnl_convolution_direct
           || r->alg == dnnl_convolution_winograd;
}

/* Two 4-bit elements share a byte, so the number of channels must be even. */
static bool channels_fill_bytes(const md_t *md, int channel_dim) {
    return dt_bits(md->data_type) != 4 || md->dims[channel_dim] % 2 == 0;
}

static dnnl_status_t check_channels(const struct convolution_request *r, int grouped) {
    const char *component = name_of(r);
    const md_t *src = r->src, *weights = r->weights, *bias = r->bias, *dst = r->dst;
    dnnl_dim_t groups = grouped ? weights->dims[0] : 1, ic, oc;
    bool fits = !__builtin_mul_overflow(groups, weights->dims[grouped + 1], &ic)
                && !__builtin_mul_overflow(groups, weights->dims[grouped], &oc);
    REQUIRE(fits && src->dims[1] == ic, "channels of src differ from the input channels of weights");
    REQUIRE(dst->dims[1] == oc, "channels of dst differ from the output channels of weights");
    bool biased = bias && bias->format_kind != dnnl_format_kind_undef;
    REQUIRE(!biased || (bias->ndims == 1 && bias->dims[0] == dst->dims[1]),
            "bias is not a vector with one element per output channel");
    REQUIRE(src->dims[0] == dst->dims[0], "batch of src differs from that of dst");
    if (r->kind == dnnl_deconvolution) return dnnl_success;
    REQUIRE(md_nelems(weights, false) > 0, "weights are empty");
    REQUIRE(channels_fill_bytes(weights, grouped + 1), "an odd number of 4-bit channels in weights");
    REQUIRE(channels_fill_bytes(src, 1), "an odd number of 4-bit channels in src");
    return dnnl_success;
}

static dnnl_status_t check_axis(const struct convolution_request *r, int i, dnnl_dim_t kernel) {
    const char *component = name_of(r);
    bool inverse = r->kind == dnnl_deconvolution;
    dnnl_dim_t from = (inverse ? r->dst : r->src)->dims[i + 2], to = (inverse ? r->src : r->dst)->dims[i + 2];
    struct window_axis axis = window_axis(&r->window, i, from, to);
    axis.kernel = kernel;
    REQUIRE(axis.stride > 0, "stride %d is not positive", i);
    REQUIRE(axis.dilation >= 0, "dilation %d is negative", i);
    REQUIRE(axis.padding_l >= 0, "left padding %d is negative", i);
    REQUIRE(axis.padding_r > -axis.stride, "right padding %d is not above minus the stride", i);
    dnnl_dim_t places;
    REQUIRE(window_places(&axis, &places) && places == axis.dst,
            "spatial dimension %d does not match the window", i);
    return dnnl_success;
}

dnnl_status_t check_convolution(const struct convolution_request *r) {
    const char *component = name_of(r);
    const md_t *src = r->src, *weights = r->weights, *dst = r->dst;
    REQUIRE(src && weights && dst && r->window.strides && r->window.padding_l, "an argument is NULL");
    REQUIRE(alg_is_known(r), "unknown algorithm");
    TRY(check_no_host_scalars(component, MDS(src, weights, r->bias, dst)));
    TRY(check_sizes_known(component, MDS(src, weights, r->bias, dst)));
    REQUIRE(accumulation_type(src, weights, dst, r->prop) != dnnl_data_type_undef,
            "bad combination of the types of src, weights and dst");
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    int grouped = weights->ndims - src->ndims;
    REQUIRE(grouped == 0 || grouped == 1, "src has %d dimensions, weights %d", src->ndims, weights->ndims);
    TRY(check_channels(r, grouped));
    for (int i = 0; i < src->ndims - 2; i++)
        TRY(check_axis(r, i, weights->dims[grouped + 2 + i]));
    return dnnl_success;
}

/* Quantisation is for integers and 8-bit floats. GPU engines check dst too. */
static bool quantised(const struct convolution_request *r, const struct dnnl_engine *engine, uint64_t src,
                      uint64_t dst) {
    return in_set(src, r->src->data_type) || (engine->kind == dnnl_gpu && in_set(dst, r->dst->data_type));
}

static dnnl_status_t check_masks(const struct convolution_request *r, const attr_t *attr) {
    const char *component = name_of(r);
    const struct quants *scales = &attr->scales, *zps = &attr->zero_points;
    int per_oc = r->weights->ndims == r->src->ndims ? 1 : 3;
    bool inverse = r->kind == dnnl_deconvolution;
    SUPPORT(MASK_IN(scales, DNNL_ARG_SRC, 0), "a mask of the scales of src");
    SUPPORT(MASK_IN(scales, DNNL_ARG_WEIGHTS, 0, per_oc), "a mask of the scales of weights");
    SUPPORT(MASK_IN(scales, DNNL_ARG_DST, 0, inverse ? 0 : 2), "a mask of the scales of dst");
    SUPPORT(MASK_IN(zps, DNNL_ARG_SRC, 0, 2), "a mask of the zero points of src");
    SUPPORT(inverse ? !quants_find(zps, DNNL_ARG_WEIGHTS) : MASK_IN(zps, DNNL_ARG_WEIGHTS, 0),
            "zero points of weights");
    SUPPORT(MASK_IN(zps, DNNL_ARG_DST, 0, 2), "a mask of the zero points of dst");
    return dnnl_success;
}

dnnl_status_t check_convolution_attr(const struct convolution_request *r, const struct dnnl_engine *engine,
                                     const attr_t *attr) {
    const char *component = name_of(r);
    REQUIRE(engine, "the engine is NULL");
    bool inverse = r->kind == dnnl_deconvolution;
    if (!prop_is_forward(r->prop)) {
        struct attr_rules backward = {.parts = ATTR_FPMATH | (inverse ? 0 : ATTR_ACCUMULATION)};
        return check_attr(component, engine, attr, &backward);
    }
    bool int8 = quantised(r, engine, TYPES_INT8, TYPES_INT8 | BIT(dnnl_s32));
    bool fp8 = !inverse && quantised(r, engine, TYPES_FP8, TYPES_FP8);
    struct attr_rules rules = {
            .parts = ATTR_POST_OPS | ATTR_FPMATH | (inverse ? 0 : ATTR_ROUNDING)
                     | (int8 || fp8 ? ATTR_SCALES | ATTR_ZERO_POINTS : 0),
            .quant_types = !inverse,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_prelu) | BIT(dnnl_sum)
                        | (inverse ? 0 : BIT(dnnl_convolution)),
            .sum_types = true,
            .int8 = int8,
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (attr) TRY(check_masks(r, attr));
    return check_post_ops(component, engine, attr, &rules, r->dst);
}

/* A problem without tensors. */
static dnnl_status_t begin_problem(struct problem *problem, struct convolution_request *r) {
    TRY(problem_init(problem, r->kind, 4));
    problem->prop = r->prop;
    problem->alg = r->alg;
    int grouped = r->weights->ndims - r->src->ndims;
    r->window.kernel = &r->weights->dims[grouped + 2];
    problem_set_window(problem, &r->window, r->src->ndims - 2);
    return dnnl_success;
}

dnnl_status_t create_convolution_forward(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                         struct convolution_request *r, const attr_t *attr) {
    struct problem problem;
    TRY(check_convolution(r));
    TRY(check_convolution_attr(r, engine, attr));
    TRY(begin_problem(&problem, r));
    problem_add(&problem, DNNL_ARG_SRC, false, r->src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, r->weights);
    problem_add(&problem, DNNL_ARG_BIAS, false, r->bias);
    problem_add(&problem, DNNL_ARG_DST, true, r->dst);
    return create_desc(name_of(r), pd, engine, &problem, attr);
}

dnnl_status_t create_convolution_backward_data(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                               struct convolution_request *r,
                                               const struct dnnl_primitive_desc *hint, const attr_t *attr) {
    struct problem problem;
    TRY(check_convolution(r));
    TRY(check_convolution_attr(r, engine, attr));
    TRY(begin_problem(&problem, r));
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, r->dst);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, r->weights);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, r->src);
    return create_backward_desc(name_of(r), pd, engine, &problem, hint, attr);
}

dnnl_status_t create_convolution_backward_weights(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                                  struct convolution_request *r,
                                                  const struct dnnl_primitive_desc *hint,
                                                  const attr_t *attr) {
    struct problem problem;
    TRY(check_convolution(r));
    TRY(check_convolution_attr(r, engine, attr));
    TRY(begin_problem(&problem, r));
    problem_add(&problem, DNNL_ARG_SRC, false, r->src);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, r->dst);
    problem_add(&problem, DNNL_ARG_DIFF_WEIGHTS, true, r->weights);
    problem_add(&problem, DNNL_ARG_DIFF_BIAS, true, r->bias);
    return create_backward_desc(name_of(r), pd, engine, &problem, hint, attr);
}
