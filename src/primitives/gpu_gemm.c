/* SPDX-License-Identifier: Apache-2.0 */
/* Planning for the matrix-product kernels of GPU-class devices: see gpu_gemm.h. */
#include "primitives/gpu_gemm.h"
#include "base/round.h"
#include "base/verbose.h"
#include "kernels/params_gpu_gemm.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/product.h"

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

/* Which problems these kernels take. */

static dnnl_data_type_t type_of(const struct plan *plan) {
    return gemm_tile_of(plan) == &gpu_gemm_f16 ? dnnl_f16 : dnnl_f32;
}

/* Results of other types are converted by a launch that follows; that is for those that the universal kernels
 * have, too. */
static bool dst_fits(const struct plan *plan, dnnl_data_type_t type) {
    dnnl_data_type_t dst = tensor(plan, DNNL_ARG_DST)->data_type;
    if (plan->problem.kind == dnnl_matmul || dst == dnnl_f32 || dst == type) return true;
    return plan->problem.kind == dnnl_convolution && in_set(TYPES_INT8, dst);
}

/* Scales in buffers of f32: one for all, or, with `by_channel`, one for each channel of dst. */
static bool scale_fits(const struct plan *plan, int arg, bool by_channel) {
    const struct quant *scale = quants_find(&plan->attr.scales, arg);
    if (!scale) return true;
    int channel = 1 << (tensor(plan, DNNL_ARG_DST)->ndims - 1);
    return plan->problem.kind == dnnl_matmul && scale->data_type == dnnl_f32 && !scale->host_scalar
           && scale->group_ndims == 0 && scale->mode == dnnl_quantization_mode_static_sazp
           && (scale->mask == 0 || (by_channel && scale->mask == channel));
}

static dnnl_status_t accepts(const struct plan *plan) {
    const dnnl_data_type_t type = type_of(plan);
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    enum {
        PARTS = ATTR_POST_OPS | ATTR_DROPOUT | ATTR_ROUNDING | ATTR_SCALES | ATTR_FPMATH | ATTR_ACCUMULATION
    };
    if (tensor(plan, DNNL_ARG_SRC)->data_type != type || tensor(plan, DNNL_ARG_WEIGHTS)->data_type != type)
        return plan_skip(plan, "the type of src or weights");
    if (!dst_fits(plan, type) || (bias && bias->data_type != dnnl_f32 && bias->data_type != type))
        return plan_skip(plan, "the type of dst or bias");
    if (!attr_only_has(&plan->attr, PARTS))
        return plan_skip(plan, "attributes other than post-ops, dropout, rounding and scales");
    if (!scale_fits(plan, DNNL_ARG_SRC, false) || !scale_fits(plan, DNNL_ARG_WEIGHTS, true))
        return plan_skip(plan, "scales of src or weights");
    return dnnl_success;
}

static const struct gemm_type of_f32 = {.bytes = 4, .quad = 1, .accepts = accepts};
static const struct gemm_type of_f16 = {.bytes = 2, .quad = 1, .accepts = accepts};
const struct gemm_tile_shape gpu_gemm_f32 = {
        &of_f32, GPU_GEMM_HEIGHT, GPU_GEMM_PANEL, &kernel_f32_gpu_gemm_16x32, NULL, NULL};
const struct gemm_tile_shape gpu_gemm_f16 = {
        &of_f16, GPU_GEMM_HEIGHT, GPU_GEMM_PANEL, &kernel_f16_gpu_gemm_16x32, NULL, NULL};

/* Once layouts are decided: results go where ep->dst says. */
static dnnl_status_t begin(struct epilogue_build *ep, struct plan *plan) {
    bool f32_only = type_of(plan) == dnnl_f32 || tensor(plan, DNNL_ARG_DST)->data_type != dnnl_f16;
    TRY(product_accepts(plan));
    return epilogue_begin(ep, plan,
                          &(struct epilogue_spec){.lanes = -1, .f32_only = f32_only, .plain = true});
}

/* A product while it is put together: the parameter block with room for any number. */

struct axis {
    dnnl_dim_t taps, src, weights, size, stride, step, padding;
};

struct batch {
    dnnl_dim_t size, src, weights, bias, dst, step;
};

struct view {
    int weights_arg;
    dnnl_dim_t src_offset, dst_offset, weights_offset;
    struct batch batch[GPU_GEMM_BATCHES];
    struct axis axis[3];
    dnnl_dim_t rows, columns, channels, depth;
    dnnl_dim_t src_row, src_column, src_channel;
    dnnl_dim_t dst_row, dst_column, dst_channel;
    dnnl_dim_t weights_panel, weights_depth, weights_channel;
    bool padded, clipped;
};

/* Weights whose sums run along dimension `input`: as they lie, plain or in panels along `output`. */
static void set_weights(struct view *v, const md_t *md, int output, int input) {
    const dnnl_dim_t *strides = md->blocking.strides;
    v->padded = !md_is_plain(md);
    v->weights_offset = md->offset0;
    v->weights_depth = strides[input];
    v->weights_channel = v->padded ? 1 : strides[output];
    v->weights_panel = v->padded ? strides[output] : GPU_GEMM_PANEL * strides[output];
}

/* Adds a reorder of the weights into panels in scratchpad. */
static dnnl_status_t pack_weights(struct plan *plan, const char *panels, md_t *packed) {
    const md_t weights = *tensor(plan, DNNL_ARG_WEIGHTS);
    TRY(md_init_by_string(packed, weights.ndims, weights.dims, weights.data_type, panels));
    packed->offset0 = (dnnl_dim_t)(plan_scratchpad(plan, md_size(packed, 0)) / dt_size(weights.data_type));
    return append_reorder(plan, DNNL_ARG_WEIGHTS, &weights, ARG_SCRATCHPAD, packed, NULL);
}

/* The weights that the kernel reads: the user's, or packed ones where channels along `output` lie apart and
 * are read for enough results to pay for it. */
static dnnl_status_t find_weights(struct plan *plan, const char *panels, int output, dnnl_dim_t results,
                                  struct view *v, md_t *weights) {
    enum { ENOUGH = 64 };
    *weights = *tensor(plan, DNNL_ARG_WEIGHTS);
    v->weights_arg = DNNL_ARG_WEIGHTS;
    if (!md_is_plain(weights) || weights->blocking.strides[output] == 1 || results < ENOUGH)
        return dnnl_success;
    v->weights_arg = ARG_SCRATCHPAD;
    return pack_weights(plan, panels, weights);
}

/* Rows that follow each other in src and dst are one long row. */
static void merge_rows(struct view *v) {
    if (v->clipped || v->src_row != v->columns * v->src_column || v->dst_row != v->columns * v->dst_column)
        return;
    v->columns *= v->rows;
    v->rows = 1;
}

/* A batch with the same weights is more rows, if there is only one. */
static void merge_batch(struct view *v, struct batch *batch) {
    if (v->clipped || v->rows != 1 || batch->weights != 0 || batch->bias != 0) return;
    v->rows = batch->size;
    v->src_row = batch->src, v->dst_row = batch->dst;
    *batch = (struct batch){.size = 1};
    merge_rows(v);
}

/* Taps that lie in one piece are one long reduction. */
static void merge_taps(struct view *v) {
    for (int i = 2; i >= 0 && !v->clipped; i--) {
        struct axis *a = &v->axis[i];
        bool follows = a->src == v->depth * v->src_channel && a->weights == v->depth * v->weights_depth;
        if (a->taps != 1 && !follows) return;
        v->depth *= a->taps;
        a->taps = 1;
    }
}

/* Offsets within a batch are 32-bit numbers in the kernel. */
static bool fits_32_bits(const struct view *v) {
    dnnl_dim_t src = v->rows * v->src_row + v->columns * v->src_column + v->depth * v->src_channel;
    dnnl_dim_t dst = v->rows * v->dst_row + v->columns * v->dst_column + GPU_GEMM_PANEL * v->dst_channel;
    dnnl_dim_t weights = v->depth * v->weights_depth + GPU_GEMM_PANEL * v->weights_channel;
    for (int i = 0; i < 3; i++) {
        const struct axis *a = &v->axis[i];
        src += a->taps * a->src;
        weights += a->taps * a->weights;
        if (a->size + a->padding + a->taps * a->step > INT32_MAX / 2) return false;
    }
    return src <= INT32_MAX && dst <= INT32_MAX && weights <= INT32_MAX && v->weights_panel <= INT32_MAX
           && v->rows * v->columns <= INT32_MAX - GPU_GEMM_HEIGHT * GPU_GEMM_SUBGROUPS
           && v->channels <= INT32_MAX - GPU_GEMM_PANEL;
}

/* Pairs of f16 are loaded at once where all of them begin at even elements. */
static bool src_is_dense(const struct view *v, bool pairs) {
    dnnl_dim_t odd = v->src_offset | v->src_row | v->src_column;
    for (int i = 0; i < 3; i++)
        odd |= v->axis[i].src;
    for (int i = 0; i < GPU_GEMM_BATCHES; i++)
        odd |= v->batch[i].src;
    return v->src_channel == 1 && (!pairs || (odd & 1) == 0);
}

static bool weights_are_blocks(const struct view *v, bool pairs) {
    dnnl_dim_t odd = v->weights_offset | v->weights_depth | v->weights_panel;
    for (int i = 0; i < 3; i++)
        odd |= v->axis[i].weights;
    for (int i = 0; i < GPU_GEMM_BATCHES; i++)
        odd |= v->batch[i].weights;
    return v->weights_channel == 1 && (!pairs || (odd & 1) == 0);
}

static void fill_loops(struct gpu_gemm_params *p, const struct view *v) {
    for (int i = 0; i < GPU_GEMM_BATCHES; i++) {
        const struct batch *b = &v->batch[i];
        p->batch[i] = (struct gpu_gemm_batch){.src = b->src,
                                              .weights = b->weights,
                                              .bias = b->bias,
                                              .dst = b->dst,
                                              .size = (i32)b->size,
                                              .step = (i32)b->step};
    }
    for (int i = 0; i < 3; i++) {
        const struct axis *a = &v->axis[i];
        p->window[i] = (struct gpu_gemm_window){.taps = (i32)a->taps,
                                                .src = (i32)a->src,
                                                .weights = (i32)a->weights,
                                                .size = (i32)a->size,
                                                .stride = (i32)a->stride,
                                                .step = (i32)a->step,
                                                .padding = (i32)a->padding};
    }
}

static void fill(struct gpu_gemm_params *p, const struct view *v, bool pairs) {
    p->src_offset = v->src_offset, p->weights_offset = v->weights_offset, p->dst_offset = v->dst_offset;
    fill_loops(p, v);
    p->rows = (i32)v->rows, p->columns = (i32)v->columns;
    p->channels = (i32)v->channels, p->depth = (i32)v->depth;
    p->src_row = (i32)v->src_row, p->src_column = (i32)v->src_column, p->src_channel = (i32)v->src_channel;
    p->dst_row = (i32)v->dst_row, p->dst_column = (i32)v->dst_column, p->dst_channel = (i32)v->dst_channel;
    p->weights_panel = (i32)v->weights_panel, p->weights_depth = (i32)v->weights_depth;
    p->weights_channel = (i32)v->weights_channel;
    p->dense = src_is_dense(v, pairs);
    p->blocks = weights_are_blocks(v, pairs);
    p->padded = v->padded, p->clipped = v->clipped;
}

static void fill_activation(struct gpu_gemm_params *p, struct activation activation) {
    p->clips = activation.alg == ELTWISE_CLIP;
    p->slope = activation.alg == ELTWISE_RELU ? activation.alpha : 1;
    p->least = activation.alpha, p->most = activation.beta;
}

/* Binds the scale of an argument, if it has one. Returns GPU_GEMM_*. */
static i32 bind_scale(const struct plan *plan, struct launch *launch, int arg) {
    const struct quant *scale = quants_find(&plan->attr.scales, arg);
    launch_bind(launch, scale ? DNNL_ARG_ATTR_SCALES | arg : ARG_NOTHING);
    return !scale ? GPU_GEMM_UNSCALED : scale->mask == 0 ? GPU_GEMM_SCALED : GPU_GEMM_SCALED_BY_CHANNEL;
}

static struct range range_of(const struct view *v) {
    dnnl_dim_t batches = 1, tiles = divide_up(v->rows * v->columns, GPU_GEMM_HEIGHT);
    for (int i = 0; i < GPU_GEMM_BATCHES; i++)
        batches *= v->batch[i].size;
    return (struct range){.groups = {(size_t)divide_up(tiles, GPU_GEMM_SUBGROUPS),
                                     (size_t)divide_up(v->channels, GPU_GEMM_PANEL), (size_t)batches},
                          .group_size = {GPU_GEMM_LANES * GPU_GEMM_SUBGROUPS, 1, 1}};
}

static dnnl_status_t launch_product(struct epilogue_build *ep, struct view *v) {
    struct plan *plan = ep->plan;
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    merge_taps(v);
    if (!fits_32_bits(v)) return plan_skip(plan, "offsets of more than 32 bits");
    struct launch *launch;
    struct gpu_gemm_params *p = plan_launch(plan, gemm_tile_of(plan)->kernel, range_of(v), &launch);
    if (!p) return dnnl_out_of_memory;
    fill(p, v, type_of(plan) == dnnl_f16);
    p->bias_offset = bias ? bias->offset0 : 0;
    p->bias_type = bias ? (i32)bias->data_type : 0;
    p->dst_type = (i32)ep->dst.data_type;
    fill_activation(p, epilogue_plain_activation(ep));
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, v->weights_arg);
    launch_bind(launch, bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    p->src_scaled = bind_scale(plan, launch, DNNL_ARG_SRC);
    p->weights_scaled = bind_scale(plan, launch, DNNL_ARG_WEIGHTS);
    return epilogue_end_plain(ep, launch);
}

/* Convolution and inner product. */

static dnnl_status_t choose_layouts(struct plan *plan, const char *panels) {
    TRY(gemm_set_layouts(plan, panels));
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    if (bias && bias->dims[0] != 1 && bias->blocking.strides[0] != 1)
        return plan_skip(plan, "bias is not dense");
    return dnnl_success;
}

/* The window with its strides, and weights. */
static void set_window(struct view *v, const struct gemm_conv *c, const struct image *src,
                       const md_t *weights, bool grouped) {
    const int spatial = weights->ndims - grouped - 2;
    for (int i = 0; i < 3; i++) {
        int d = i - (3 - spatial);
        v->axis[i] = (struct axis){.taps = c->window.taps[i],
                                   .src = src->stride[i] * c->window.step[i],
                                   .weights = d < 0 ? 0 : weights->blocking.strides[grouped + 2 + d],
                                   .size = c->window.size[i],
                                   .stride = c->window.stride[i],
                                   .step = c->window.step[i],
                                   .padding = c->window.padding[i]};
    }
    set_weights(v, weights, grouped, grouped + 1);
    v->channels = c->outputs, v->depth = c->inputs;
    v->src_channel = src->channel_stride;
}

static void set_places(struct view *v, const struct gemm_conv *c, const struct image *src,
                       const struct image *dst, dnnl_dim_t weights_group) {
    v->rows = dst->size[1], v->columns = dst->size[2];
    v->src_row = c->window.stride[1] * src->stride[1], v->src_column = c->window.stride[2] * src->stride[2];
    v->dst_row = dst->stride[1], v->dst_column = dst->stride[2], v->dst_channel = dst->channel_stride;
    v->src_offset = src->offset, v->dst_offset = dst->offset;
    for (int i = 0; i < 3; i++)
        v->src_offset -= c->window.padding[i] * src->stride[i];
    v->batch[0] = (struct batch){.size = dst->batch, .src = src->batch_stride, .dst = dst->batch_stride};
    v->batch[1] = (struct batch){.size = c->groups,
                                 .src = c->inputs * src->channel_stride,
                                 .weights = weights_group,
                                 .bias = c->outputs,
                                 .dst = c->outputs * dst->channel_stride};
    v->batch[2] = (struct batch){.size = dst->size[0],
                                 .src = c->window.stride[0] * src->stride[0],
                                 .dst = dst->stride[0],
                                 .step = 1};
    v->batch[3] = (struct batch){.size = 1};
    merge_rows(v);
    merge_batch(v, &v->batch[2]);
    merge_batch(v, &v->batch[0]);
}

static dnnl_status_t build_convolution(struct epilogue_build *ep, const struct gemm_conv *c, bool grouped,
                                       const char *panels) {
    struct plan *plan = ep->plan;
    const struct image src = image_of(DNNL_ARG_SRC, tensor(plan, DNNL_ARG_SRC));
    const struct image dst = image_of(ep->dst_arg, &ep->dst);
    struct view v = {0};
    md_t weights;
    dnnl_dim_t need[3];
    v.clipped = gemm_clips(c, dst.size, need);
    TRY(find_weights(plan, panels, grouped, dst.batch * gemm_product(dst.size, 3), &v, &weights));
    set_window(&v, c, &src, &weights, grouped);
    set_places(&v, c, &src, &dst, grouped ? weights.blocking.strides[0] : 0);
    return launch_product(ep, &v);
}

dnnl_status_t gpu_gemm_build_convolution(struct plan *plan) {
    TRY(gemm_accepts(plan));
    if (plan->problem.alg == dnnl_convolution_winograd) return plan_skip(plan, "Winograd was asked for");
    plan->problem.alg = dnnl_convolution_direct; /* what `auto` has become */
    const bool grouped = gemm_is_grouped(&plan->problem);
    const struct gemm_conv c = gemm_conv_of(&plan->problem, grouped);
    if (c.groups > 1 && c.outputs < GPU_GEMM_PANEL / 2) return plan_skip(plan, "groups are narrow");
    struct epilogue_build ep;
    char panels[32];
    gemm_weights_tag(plan, tensor(plan, DNNL_ARG_WEIGHTS)->ndims, grouped, panels, sizeof panels);
    TRY(choose_layouts(plan, panels));
    TRY(begin(&ep, plan));
    return build_convolution(&ep, &c, grouped, panels);
}

/* The batch is the columns: image n of src is column n of one row. */
dnnl_status_t gpu_gemm_build_inner_product(struct plan *plan) {
    struct epilogue_build ep;
    char panels[32];
    TRY(gemm_accepts(plan));
    gemm_weights_tag(plan, tensor(plan, DNNL_ARG_WEIGHTS)->ndims, false, panels, sizeof panels);
    TRY(choose_layouts(plan, panels));
    TRY(begin(&ep, plan));
    const struct gemm_conv c = gemm_conv_of(&plan->problem, false);
    const struct image src = image_of(DNNL_ARG_SRC, tensor(plan, DNNL_ARG_SRC));
    const struct image dst = image_of(ep.dst_arg, &ep.dst);
    struct view v = {.rows = 1, .columns = dst.batch};
    md_t weights;
    TRY(find_weights(plan, panels, 0, dst.batch, &v, &weights));
    set_window(&v, &c, &src, &weights, false);
    v.src_offset = src.offset, v.src_column = src.batch_stride;
    v.dst_offset = dst.offset, v.dst_column = dst.batch_stride, v.dst_channel = dst.channel_stride;
    for (int i = 0; i < GPU_GEMM_BATCHES; i++)
        v.batch[i] = (struct batch){.size = 1};
    return launch_product(&ep, &v);
}

/* matmul: rows of src are columns of the kernel. */

static void set_batches(struct view *v, const struct gemm_batches *b) {
    for (int i = 0; i < GPU_GEMM_BATCHES; i++) {
        v->batch[i] = (struct batch){.size = 1};
        if (i < b->count)
            v->batch[i] = (struct batch){
                    .size = b->size[i], .src = b->src[i], .weights = b->weights[i], .dst = b->dst[i]};
    }
    if (b->count > 0) merge_batch(v, &v->batch[b->count - 1]);
}

static dnnl_status_t build_matmul(struct epilogue_build *ep) {
    struct plan *plan = ep->plan;
    const md_t *src = tensor(plan, DNNL_ARG_SRC), *dst = &ep->dst;
    const int m = dst->ndims - 2, n = dst->ndims - 1;
    char panels[32];
    md_t weights;
    struct view v = {.rows = 1,
                     .columns = dst->dims[m],
                     .channels = dst->dims[n],
                     .depth = src->dims[n],
                     .src_offset = src->offset0,
                     .src_column = src->blocking.strides[m],
                     .src_channel = src->blocking.strides[n],
                     .dst_offset = dst->offset0,
                     .dst_column = dst->blocking.strides[m],
                     .dst_channel = dst->blocking.strides[n]};
    for (int i = 0; i < 3; i++)
        v.axis[i] = (struct axis){.taps = 1, .size = 1, .stride = 1, .step = 1};
    gemm_matmul_tag(plan, panels, sizeof panels);
    TRY(find_weights(plan, panels, n, dst->dims[m], &v, &weights));
    const struct gemm_batches b = gemm_merge_batches(src, &weights, dst, false);
    if (b.count > GPU_GEMM_BATCHES) return plan_skip(plan, "too many batch dimensions");
    set_weights(&v, &weights, n, m);
    set_batches(&v, &b);
    return launch_product(ep, &v);
}

dnnl_status_t gpu_gemm_build_matmul(struct plan *plan) {
    struct epilogue_build ep;
    TRY(gemm_accepts(plan));
    TRY(gemm_set_matmul_layouts(plan));
    if (!gemm_bias_is_row(plan)) return plan_skip(plan, "bias varies along rows");
    TRY(begin(&ep, plan));
    return build_matmul(&ep);
}
