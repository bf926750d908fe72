/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of windows, and the checks of everything that is a convolution. */
#include "primitives/window.h"

bool window_extent(const struct window_axis *axis, dnnl_dim_t *extent) {
    dnnl_dim_t step, steps, reach;
    return !__builtin_add_overflow(axis->dilation, 1, &step)
           && !__builtin_sub_overflow(axis->kernel, 1, &steps) && !__builtin_mul_overflow(steps, step, &reach)
           && !__builtin_add_overflow(reach, 1, extent);
}

bool window_places(const struct window_axis *axis, dnnl_dim_t *places) {
    dnnl_dim_t extent, room;
    if (!window_extent(axis, &extent) || __builtin_sub_overflow(axis->src, extent, &room)
        || __builtin_add_overflow(room, axis->padding_l, &room)
        || __builtin_add_overflow(room, axis->padding_r, &room))
        return false;
    *places = room / axis->stride + 1;
    return true;
}

struct window_axis window_axis(const struct window_vectors *window, int i, dnnl_dim_t src, dnnl_dim_t dst) {
    return (struct window_axis){
            .src = src,
            .dst = dst,
            .kernel = window->kernel ? window->kernel[i] : 0,
            .stride = window->strides[i],
            .dilation = window->dilates ? window->dilates[i] : 0,
            .padding_l = window->padding_l[i],
            .padding_r = (window->padding_r ? window->padding_r : window->padding_l)[i],
    };
}

void problem_set_window(struct problem *problem, const struct window_vectors *window, int nspatial) {
    for (int i = 0; i < nspatial; i++) {
        struct window_axis axis = window_axis(window, i, 0, 0);
        problem->kernel[i] = axis.kernel;
        problem->strides[i] = axis.stride;
        problem->dilates[i] = axis.dilation;
        problem->padding_l[i] = axis.padding_l;
        problem->padding_r[i] = axis.padding_r;
    }
}

void window_init(struct window *window, const struct problem *problem, const md_t *src) {
    for (int i = 0; i < WINDOW_DIMS; i++) {
        bool there = i + 2 < src->ndims;
        window->size[i] = there ? src->dims[i + 2] : 1;
        window->taps[i] = there ? problem->kernel[i] : 1;
        window->stride[i] = there ? problem->strides[i] : 1;
        window->step[i] = there ? problem->dilates[i] + 1 : 1;
        window->padding[i] = there ? problem->padding_l[i] : 0;
    }
}

/* The same window with the dimensions that are not there in front instead of behind. */
static struct window window_from_last(const struct window *window, int nspatial) {
    struct window moved;
    for (int i = 0; i < WINDOW_DIMS; i++) {
        int from = (i + nspatial) % WINDOW_DIMS;
        moved.size[i] = window->size[from];
        moved.taps[i] = window->taps[from];
        moved.stride[i] = window->stride[from];
        moved.step[i] = window->step[from];
        moved.padding[i] = window->padding[from];
    }
    return moved;
}

void window_images_init(struct window_images *images, const struct problem *problem,
                        const struct gemm_image *src, const struct gemm_image *dst) {
    const md_t *md = problem_md(problem, DNNL_ARG_SRC);
    struct window window;
    window_init(&window, problem, md);
    *images = (struct window_images){
            .window = window_from_last(&window, md->ndims - 2),
            .channels = dst->channels,
            .missing = WINDOW_DIMS + 2 - md->ndims,
            .src_offset = src->offset,
            .dst_offset = dst->offset,
            .src_batch = src->batch_stride,
            .dst_batch = dst->batch_stride,
    };
    for (int i = 0; i < WINDOW_DIMS; i++) {
        images->places[i] = dst->size[i];
        images->src_stride[i] = src->stride[i];
        images->dst_stride[i] = dst->stride[i];
        images->src_step[i] = src->stride[i] * images->window.step[i];
    }
}

struct range window_images_range(const struct window_images *images, dnnl_dim_t length, dnnl_dim_t batches) {
    return gemm_range((images->places[2] + length - 1) / length, images->places[0] * images->places[1],
                      batches);
}

const char *channels_last(int ndims) {
    static const char *const tags[] = {[2] = "ab", [3] = "acb", [4] = "acdb", [5] = "acdeb"};
    return tags[ndims];
}

static bool alg_is_known(const struct convolution_request *r) {
    if (r->kind == dnnl_deconvolution)
        return r->alg == dnnl_deconvolution_direct || r->alg == dnnl_deconvolution_winograd;
    return r->alg == dnnl_convolution_auto || r->alg == dnnl_convolution_direct
           || r->alg == dnnl_convolution_winograd;
}

/* Two elements share a byte: channels come in pairs. */
static bool channels_fill_bytes(const md_t *md, int channel_dim) {
    return dt_bits(md->data_type) != 4 || md->dims[channel_dim] % 2 == 0;
}

static dnnl_status_t check_channels(const struct convolution_request *r, int grouped) {
    const char *component = r->component;
    const md_t *src = r->src, *weights = r->weights, *bias = r->bias, *dst = r->dst;
    dnnl_dim_t groups = grouped ? weights->dims[0] : 1, ic, oc;
    bool fits = !__builtin_mul_overflow(groups, weights->dims[grouped + 1], &ic)
                && !__builtin_mul_overflow(groups, weights->dims[grouped], &oc);
    REQUIRE(fits && src->dims[1] == ic, "channels of src differ from the input channels of weights");
    REQUIRE(dst->dims[1] == oc, "channels of dst differ from the output channels of weights");
    bool biased = bias && bias->format_kind != dnnl_format_kind_undef;
    REQUIRE(!biased || (bias->ndims == 1 && bias->dims[0] == dst->dims[1]),
            "bias is not a vector with one element for each output channel");
    REQUIRE(src->dims[0] == dst->dims[0], "batch of src differs from that of dst");
    if (r->kind == dnnl_deconvolution) return dnnl_success;
    REQUIRE(md_nelems(weights, false) > 0, "weights are empty");
    REQUIRE(channels_fill_bytes(weights, grouped + 1), "an odd number of 4-bit channels in weights");
    REQUIRE(channels_fill_bytes(src, 1), "an odd number of 4-bit channels in src");
    return dnnl_success;
}

static dnnl_status_t check_axis(const struct convolution_request *r, int i, dnnl_dim_t kernel) {
    const char *component = r->component;
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
            "spatial dimension %d does not follow from the window", i);
    return dnnl_success;
}

dnnl_status_t check_convolution(const struct convolution_request *r) {
    const char *component = r->component;
    const md_t *src = r->src, *weights = r->weights, *dst = r->dst;
    REQUIRE(src && weights && dst && r->window.strides && r->window.padding_l, "an argument is NULL");
    REQUIRE(alg_is_known(r), "unknown algorithm");
    TRY(check_no_host_scalars(component, MDS(src, weights, r->bias, dst)));
    TRY(check_sizes_known(component, MDS(src, weights, r->bias, dst)));
    REQUIRE(accumulation_type(src, weights, dst, r->prop) != dnnl_data_type_undef,
            "types of src, weights and dst do not go together");
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    int grouped = weights->ndims - src->ndims;
    REQUIRE(grouped == 0 || grouped == 1, "src has %d dimensions, weights %d", src->ndims, weights->ndims);
    TRY(check_channels(r, grouped));
    for (int i = 0; i < src->ndims - 2; i++)
        TRY(check_axis(r, i, weights->dims[grouped + 2 + i]));
    return dnnl_success;
}

/* Quantisation is for integers and 8-bit floats. GPU engines look at dst, too. */
static bool quantised(const struct convolution_request *r, const struct dnnl_engine *engine, uint64_t src,
                      uint64_t dst) {
    return in_set(src, r->src->data_type) || (engine->kind == dnnl_gpu && in_set(dst, r->dst->data_type));
}

static dnnl_status_t check_masks(const struct convolution_request *r, const attr_t *attr) {
    const char *component = r->component;
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
    const char *component = r->component;
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
