/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From attributes to epilogues: see epilogue.h. The primitive has already checked, with primitives/check.h,
 * that it accepts the attributes.
 */
#include "primitives/epilogue.h"
#include "base/round.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"
#include "base/verbose.h"
#include "kernels/params_reorder.h"

/* How much fits into one launch. */

static int dropout_buffers(const struct dropout *dropout) {
    if (!dropout->enabled) return 0;
    return !md_is_zero(&dropout->mask) + (dropout->use_host_scalars ? 0 : 2 + dropout->use_offset);
}

static int op_buffers(const struct post_op *op) {
    if (op->kind == dnnl_eltwise) return 0;
    return op->kind == dnnl_binary && op->binary.alg == dnnl_binary_select ? 2 : 1;
}

static int quant_buffers(const struct quants *quants) {
    int n = 0;
    for (int i = 0; i < quants->count; i++)
        n += !quants->entries[i].host_scalar;
    return n;
}

static bool fits_one_launch(const attr_t *attr, bool bias) {
    int buffers = bias + quant_buffers(&attr->scales) + quant_buffers(&attr->zero_points)
                  + dropout_buffers(&attr->dropout) + attr_has_stochastic_rounding(attr);
    for (int i = 0; i < attr->post_ops.len; i++)
        buffers += op_buffers(&attr->post_ops.entries[i]);
    return bias + attr->dropout.enabled + attr->post_ops.len <= EPILOGUE_OPS && buffers <= EPILOGUE_BUFFERS;
}

/* True if at most a relu or a clip follows the bias. */
static bool is_plain(const attr_t *attr, int dst_arg) {
    return !quants_find(&attr->scales, dst_arg) && !quants_find(&attr->zero_points, dst_arg)
           && !attr->dropout.enabled && !attr_has_stochastic_rounding(attr)
           && (attr->post_ops.len == 0 || epilogue_is_activation(attr));
}

static bool has_rows(const md_t *md) {
    int n = md->ndims - 1;
    return md_is_plain(md) && (md->dims[n] == 1 || md->blocking.strides[n] == 1);
}

static bool stores_directly(const struct epilogue_build *ep, const md_t *dst) {
    if (quant_is_dynamic(quants_find(&ep->plan->attr.scales, ep->spec.dst_arg))) return false;
    if (ep->spec.f32_only && dst->data_type != dnnl_f32) return false;
    if (ep->spec.bare && !attr_is_default(&ep->plan->attr)) return false;
    if (ep->spec.plain && !is_plain(&ep->plan->attr, ep->spec.dst_arg)) return false;
    if (dt_bits(dst->data_type) < 8 && !ep->spec.whole_bytes && !ep->spec.row_major) return false;
    return fits_one_launch(&ep->plan->attr, ep->spec.bias);
}

/* Building. */

static md_t *dst_of(const struct epilogue_build *ep) {
    return problem_md(&ep->plan->problem, ep->spec.dst_arg);
}

dnnl_status_t epilogue_begin(struct epilogue_build *ep, struct plan *plan, const struct epilogue_spec *spec) {
    *ep = (struct epilogue_build){.plan = plan, .spec = *spec};
    if (ep->spec.dst_arg == 0) ep->spec.dst_arg = DNNL_ARG_DST;
    ep->dst = *dst_of(ep);
    ep->dst_arg = ep->spec.dst_arg;
    TRY(epilogue_add_arguments(plan, &ep->dst));
    ep->direct = stores_directly(ep, &ep->dst);
    ep->moved = ep->direct && ep->spec.row_major && (!has_rows(&ep->dst) || dt_bits(ep->dst.data_type) < 8);
    if (ep->direct && !ep->moved) return dnnl_success;
    if (ep->spec.like) {
        TRY(md_init(&ep->dst, ep->dst.ndims, ep->dst.dims, dnnl_f32, dnnl_format_kind_any));
        TRY(md_set_any_like(&ep->dst, ep->spec.like));
    }
    ep->dst.data_type = dnnl_f32;
    if (ep->spec.row_major && !has_rows(&ep->dst))
        TRY(md_init_by_strides(&ep->dst, ep->dst.ndims, ep->dst.dims, dnnl_f32, NULL));
    ep->dst.offset0 = 0;
    ep->dst.offset0 = (dnnl_dim_t)(plan_scratchpad(plan, md_size(&ep->dst, 0)) / sizeof(float));
    ep->dst_arg = ARG_SCRATCHPAD;
    return dnnl_success;
}

/* The number of the epilogue buffer for an execution argument. */
static dnnl_status_t use_buffer(struct epilogue_build *ep, int arg, i32 *number) {
    int i = 0;
    while (i < ep->nbuffers && ep->buffers[i] != arg)
        i++;
    if (i == EPILOGUE_BUFFERS) return plan_skip(ep->plan, "too many buffers for one launch");
    if (i == ep->nbuffers) ep->buffers[ep->nbuffers++] = arg;
    *number = i;
    return dnnl_success;
}

static dnnl_status_t use_scalar(struct epilogue_build *ep, int arg, enum scalar_form form, i32 *number) {
    if (ep->nscalars == EPILOGUE_SCALARS) return plan_skip(ep->plan, "too many host scalars for one launch");
    ep->scalars[ep->nscalars] = (struct epilogue_scalar){.arg = arg, .form = form};
    *number = ep->nscalars++;
    return dnnl_success;
}

/* How a parameter changes along the vectors of a kernel. */
static i32 quant_lanes(const struct quant_source *source, int lanes) {
    if (lanes < 0) return LANES_ANY;
    if (source->stride[lanes] == 0) return LANES_SAME;
    bool dense = source->type == TYPE_F32 && source->stride[lanes] == 1 && source->group[lanes] == 1;
    return dense ? LANES_DENSE : LANES_ANY;
}

/* Sets strides and groups along the dimensions of dst. */
static void place_quant(struct epilogue_build *ep, struct quant_source *source, const struct quant *quant,
                        const md_t *md, const int *dims) {
    dnnl_dim_t stride = 1;
    source->ndims = ep->dst.ndims;
    for (int d = 0; d < DNNL_MAX_NDIMS; d++)
        source->group[d] = 1;
    for (int d = md->ndims - 1; d >= 0; d--) {
        int to = dims ? dims[d] : d;
        dnnl_dim_t size = quant_size(quant, md, d);
        if (to >= 0 && size > 1) {
            source->group[to] = quant_group(quant, md->ndims - d);
            source->stride[to] = stride;
        }
        stride *= size;
    }
    source->lanes = quant_lanes(source, ep->spec.lanes);
}

static dnnl_status_t find_quant(struct epilogue_build *ep, struct quant_source *source,
                                const struct quants *quants, int kind, int arg, const int *dims) {
    *source = (struct quant_source){.from = QUANT_NONE};
    const struct quant *quant = quants_find(quants, arg);
    const md_t *md = problem_md(&ep->plan->problem, arg);
    if (!quant || !md) return dnnl_success;
    source->type = (i32)quant->data_type;
    source->from = quant->host_scalar ? QUANT_SCALAR : QUANT_BUFFER;
    if (quant->host_scalar) return use_scalar(ep, kind | arg, SCALAR_F32, &source->index);
    place_quant(ep, source, quant, md, dims);
    return use_buffer(ep, kind | arg, &source->index);
}

dnnl_status_t epilogue_scale(struct epilogue_build *ep, struct quant_source *source, int arg,
                             const int *dims) {
    return find_quant(ep, source, &ep->plan->attr.scales, DNNL_ARG_ATTR_SCALES, arg, dims);
}

dnnl_status_t epilogue_zero_point(struct epilogue_build *ep, struct quant_source *source, int arg,
                                  const int *dims) {
    return find_quant(ep, source, &ep->plan->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg, dims);
}

/* How an operand changes along the vectors of a kernel. */
static i32 lanes_of(const struct epilogue_build *ep, const md_t *md) {
    int lanes = ep->spec.lanes;
    if (lanes < 0 || !md_is_plain(md)) return LANES_ANY;
    if (md->dims[lanes] == 1) return LANES_SAME;
    return md->data_type == dnnl_f32 && md->blocking.strides[lanes] == 1 ? LANES_DENSE : LANES_ANY;
}

static dnnl_status_t use_operand(struct epilogue_build *ep, int arg, const md_t *md, struct tensor *tensor,
                                 i32 *buffer, i32 *lanes) {
    tensor_init(tensor, md);
    *lanes = lanes_of(ep, md);
    return use_buffer(ep, arg, buffer);
}

static dnnl_status_t build_binary(struct epilogue_build *ep, const struct post_op *op, int index,
                                  struct epilogue_op *to) {
    const struct problem *problem = &ep->plan->problem;
    int arg = post_op_arg(index, DNNL_ARG_SRC_1), arg2 = post_op_arg(index, DNNL_ARG_SRC_2);
    to->kind = POST_BINARY;
    to->alg = (i32)op->binary.alg;
    TRY(use_operand(ep, arg, problem_md(problem, arg), &to->src1, &to->buffer, &to->lanes));
    if (op->binary.alg != dnnl_binary_select) return dnnl_success;
    return use_operand(ep, arg2, problem_md(problem, arg2), &to->src2, &to->buffer2, &to->lanes2);
}

/* Adds the previous content of dst, which may be read as another type of the same size. */
static dnnl_status_t build_sum(struct epilogue_build *ep, const struct post_op *op, struct epilogue_op *to) {
    md_t previous = *dst_of(ep);
    to->kind = POST_SUM;
    to->alpha = op->sum.scale;
    to->zero_point = op->sum.zero_point;
    if (op->sum.data_type != dnnl_data_type_undef) previous.data_type = op->sum.data_type;
    return use_operand(ep, ep->spec.dst_arg, &previous, &to->src1, &to->buffer, &to->lanes);
}

static dnnl_status_t build_op(struct epilogue_build *ep, const struct post_op *op, int index,
                              struct epilogue_op *to) {
    int slopes = post_op_arg(index, DNNL_ARG_WEIGHTS);
    *to = (struct epilogue_op){.kind = POST_ELTWISE, .buffer = -1, .buffer2 = -1};
    switch (op->kind) {
    case dnnl_sum: return build_sum(ep, op, to);
    case dnnl_binary: return build_binary(ep, op, index, to);
    case dnnl_prelu:
        to->kind = POST_PRELU;
        return use_operand(ep, slopes, problem_md(&ep->plan->problem, slopes), &to->src1, &to->buffer,
                           &to->lanes);
    default:
        to->alg = eltwise_code(op->eltwise.alg);
        to->alpha = op->eltwise.alpha;
        to->beta = op->eltwise.beta;
        return dnnl_success;
    }
}

static dnnl_status_t use_dropout_scalars(struct epilogue_build *ep, struct dropout_source *source) {
    static const struct {
        int arg;
        enum scalar_form form;
    } scalars[] = {{DNNL_ARG_ATTR_DROPOUT_PROBABILITY, SCALAR_F32},
                   {DNNL_ARG_ATTR_DROPOUT_SEED, SCALAR_LOW},
                   {DNNL_ARG_ATTR_DROPOUT_SEED, SCALAR_HIGH},
                   {DNNL_ARG_ATTR_DROPOUT_OFFSET, SCALAR_LOW},
                   {DNNL_ARG_ATTR_DROPOUT_OFFSET, SCALAR_HIGH}};
    i32 last;
    source->scalar = ep->nscalars;
    for (int i = 0; i < (source->has_offset ? 5 : 3); i++)
        TRY(use_scalar(ep, scalars[i].arg, scalars[i].form, &last));
    return dnnl_success;
}

static dnnl_status_t use_dropout_buffers(struct epilogue_build *ep, struct dropout_source *source) {
    source->scalar = -1;
    TRY(use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, &source->probability));
    TRY(use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_SEED, &source->seed));
    return source->has_offset ? use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_OFFSET, &source->offset) : dnnl_success;
}

static dnnl_status_t build_dropout(struct epilogue_build *ep, struct epilogue *epilogue) {
    const struct dropout *dropout = &ep->plan->attr.dropout;
    const md_t *mask = problem_md(&ep->plan->problem, DNNL_ARG_ATTR_DROPOUT_MASK);
    struct epilogue_op *op = &epilogue->ops[epilogue->nops++];
    struct dropout_source *source = &epilogue->dropout;
    *op = (struct epilogue_op){.kind = POST_DROPOUT};
    *source = (struct dropout_source){
            .seed_type = (i32)dropout->seed_type, .has_offset = dropout->use_offset, .mask = -1};
    tensor_init(&op->src1, dst_of(ep));
    TRY(dropout->use_host_scalars ? use_dropout_scalars(ep, source) : use_dropout_buffers(ep, source));
    if (!mask) return dnnl_success;
    tensor_init(&op->src2, mask);
    return use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_MASK, &source->mask);
}

/* The types of stochastic rounding, as in oneDNN: significant bits, range and smallest normal number. */
static const struct {
    dnnl_data_type_t type;
    int digits;
    float lowest, most, least;
} roundings[] = {
        {dnnl_f32, 24, -0x1.fffffep127f, 0x1.fffffep127f, 0x1p-126f},
        {dnnl_bf16, 8, -0x1.fep127f, 0x1.fep127f, 0x1p-126f},
        {dnnl_f16, 11, -65504, 65504, 0x1p-14f},
        {dnnl_f8_e5m2, 3, -57344, 57344, 0x1p-14f},
        {dnnl_f8_e4m3, 4, -448, 448, 0x1p-6f},
        {dnnl_f4_e2m1, 2, -6, 6, 1},
        {dnnl_s8, 7, -128, 127, 0},
        {dnnl_u8, 8, 0, 255, 0},
};

static dnnl_status_t build_rounding(struct epilogue_build *ep, struct rounding *rounding) {
    const md_t *dst = dst_of(ep);
    if (!attr_has_stochastic_rounding(&ep->plan->attr)) return dnnl_success;
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; i++) {
        if (roundings[i].type != dst->data_type) continue;
        *rounding = (struct rounding){.bits = dt_size(dst->data_type) == 2 ? 8 : 16,
                                      .cut = 24 - roundings[i].digits,
                                      .lowest = roundings[i].lowest,
                                      .most = roundings[i].most,
                                      .least = roundings[i].least};
        tensor_init(&rounding->dst, dst);
        return use_buffer(ep, DNNL_ARG_ATTR_ROUNDING_SEED, &rounding->seed);
    }
    return plan_skip(ep->plan, "no stochastic rounding to this type");
}

/* The last steps: scale, zero point, rounding. */
static dnnl_status_t build_end(struct epilogue_build *ep, struct epilogue *epilogue) {
    TRY(epilogue_scale(ep, &epilogue->dst_scale, ep->spec.dst_arg, NULL));
    TRY(epilogue_zero_point(ep, &epilogue->dst_zero_point, ep->spec.dst_arg, NULL));
    return build_rounding(ep, &epilogue->rounding);
}

void epilogue_bind(const struct epilogue_build *ep, struct launch *launch) {
    launch_bind(launch, ep->dst_arg);
    for (int i = 0; i < EPILOGUE_BUFFERS; i++)
        launch_bind(launch, i < ep->nbuffers ? ep->buffers[i] : ARG_NOTHING);
    for (int i = 0; i < ep->nscalars; i++)
        launch_add_scalar(launch, ep->scalars[i].arg, ep->scalars[i].form);
}

/* The bias as the first of all operations. */
static dnnl_status_t build_bias(struct epilogue_build *ep, struct epilogue *epilogue) {
    struct epilogue_op *op = &epilogue->ops[epilogue->nops++];
    *op = (struct epilogue_op){.kind = POST_BINARY, .alg = BINARY_ADD, .buffer = -1, .buffer2 = -1};
    return use_operand(ep, DNNL_ARG_BIAS, problem_md(&ep->plan->problem, DNNL_ARG_BIAS), &op->src1,
                       &op->buffer, &op->lanes);
}

/* Bias and dropout, then as many post-ops, starting at `first`, as fit into one launch; *next is the first
 * remaining one. */
static dnnl_status_t build_ops(struct epilogue_build *ep, struct epilogue *epilogue, int first, int *next) {
    const struct dnnl_post_ops *ops = &ep->plan->attr.post_ops;
    int i = first;
    if (first == 0 && ep->spec.bias) TRY(build_bias(ep, epilogue));
    if (first == 0 && ep->plan->attr.dropout.enabled) TRY(build_dropout(ep, epilogue));
    for (; i < ops->len && epilogue->nops < EPILOGUE_OPS; i++) {
        if (ep->nbuffers + op_buffers(&ops->entries[i]) > EPILOGUE_BUFFERS) break;
        TRY(build_op(ep, &ops->entries[i], i, &epilogue->ops[epilogue->nops++]));
    }
    *next = i;
    return dnnl_success;
}

/* Adds one more pass over results in scratchpad. The last pass, which has room for the parameters of dst,
 * stores to dst and sets *next to -1. */
static dnnl_status_t add_pass(const struct epilogue_build *main, int *next) {
    enum { END_BUFFERS = 3 };
    struct plan *plan = main->plan;
    struct epilogue_build ep = {
            .plan = plan, .spec = main->spec, .dst = main->dst, .dst_arg = ARG_SCRATCHPAD};
    struct epilogue epilogue = {0};
    ep.spec.lanes = -1;
    TRY(build_ops(&ep, &epilogue, *next, next));
    bool dynamic = quant_is_dynamic(quants_find(&plan->attr.scales, ep.spec.dst_arg));
    if (dynamic && *next == plan->attr.post_ops.len) {
        *next = -1; /* the next launch is not an epilogue */
    } else if (*next == plan->attr.post_ops.len && ep.nbuffers + END_BUFFERS <= EPILOGUE_BUFFERS) {
        *next = -1;
        ep.dst = *dst_of(&ep);
        ep.dst_arg = ep.spec.dst_arg;
        TRY(build_end(&ep, &epilogue));
    }
    epilogue.type = (i32)ep.dst.data_type;

    struct launch *launch;
    struct walk walk;
    struct range range = walk_init(&walk, &ep.dst, plan->device);
    struct reorder_params *p = plan_launch(plan, &kernel_reorder_universal, range, &launch);
    if (!p) return dnnl_out_of_memory;
    tensor_init(&p->src, &main->dst);
    p->walk = walk;
    p->epilogue = epilogue;
    p->bits = dt_bits(ep.dst.data_type);
    launch_bind(launch, ARG_SCRATCHPAD);
    epilogue_bind(&ep, launch);
    return dnnl_success;
}

/* Dynamic scales: results of the last pass go from scratchpad to dst, group by group. */

static const struct {
    dnnl_data_type_t type;
    float most;
} dynamic_types[] = {{dnnl_f8_e5m2, 57344}, {dnnl_f8_e4m3, 448}, {dnnl_f4_e2m1, 6}};

static float most_of(dnnl_data_type_t type) {
    for (size_t i = 0; i < sizeof dynamic_types / sizeof dynamic_types[0]; i++)
        if (dynamic_types[i].type == type) return dynamic_types[i].most;
    return 0;
}

/* False: groups do not divide dst. */
static bool place_groups(struct quantize_params *p, const struct quant *quant, const md_t *dst) {
    p->ndims = dst->ndims;
    p->groups = p->elements = 1;
    for (int d = 0; d < dst->ndims; d++) {
        p->counts[d] = quant_size(quant, dst, d);
        p->sizes[d] = (quant->mask & (1 << d)) != 0 ? quant_group(quant, dst->ndims - d) : dst->dims[d];
        if (p->counts[d] * p->sizes[d] != dst->dims[d]) return false;
        p->groups *= p->counts[d];
        p->elements *= p->sizes[d];
    }
    return true;
}

static dnnl_status_t add_quantize(struct epilogue_build *ep, const struct quant *quant) {
    struct plan *plan = ep->plan;
    const md_t *dst = dst_of(ep);
    struct launch *launch;
    struct quantize_params made = {
            .scale = quant->mode == dnnl_quantization_mode_dynamic_mx ? SCALE_POWER_OF_TWO : SCALE_ANY,
            .scale_type = (i32)quant->data_type,
            .most = most_of(dst->data_type)};
    if (made.most == 0) return plan_skip(plan, "no dynamic scales for this type of dst");
    if (!place_groups(&made, quant, dst)) return plan_skip(plan, "groups do not divide dst");
    /* Two 4-bit elements share a byte, which must belong to one work-item. */
    bool bytes = dt_bits(dst->data_type) >= 8
                 || (dst->blocking.strides[dst->ndims - 1] == 1 && md_is_dense(dst, true)
                     && dst->offset0 % 2 == 0 && made.sizes[dst->ndims - 1] % 2 == 0);
    made.span = bytes ? 1 : made.groups;
    tensor_init(&made.src, &ep->dst);
    tensor_init(&made.dst, dst);
    TRY(build_rounding(ep, &made.rounding));
    struct quantize_params *p =
            plan_launch(plan, &kernel_quantize_groups,
                        range_of_items(divide_up(made.groups, made.span), full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, ep->spec.dst_arg);
    launch_bind(launch, DNNL_ARG_ATTR_SCALES | ep->spec.dst_arg);
    launch_bind(launch, made.rounding.bits ? DNNL_ARG_ATTR_ROUNDING_SEED : ARG_NOTHING);
    return dnnl_success;
}

/* The remaining launches as an element-wise program. */
static dnnl_status_t add_rows(struct epilogue_build *ep) {
    struct rows rows;
    rows_begin(&rows, ep->plan, ep->spec.dst_arg);
    const int scale = ep->spec.scale_arg ? rows_scale(&rows, ep->spec.scale_arg, NULL) : ROW_NONE;
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, &ep->dst), scale);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

/* Adds the remaining launches for results in scratchpad. */
static dnnl_status_t add_rest(struct epilogue_build *ep) {
    const attr_t *attr = &ep->plan->attr;
    const struct quant *scale = quants_find(&attr->scales, ep->spec.dst_arg);
    const bool random = attr->dropout.enabled || attr_has_stochastic_rounding(attr);
    if (!quant_is_dynamic(scale) && !random && !ep->spec.bias && dt_bits(dst_of(ep)->data_type) >= 8)
        return add_rows(ep);
    if (ep->spec.scale_arg && quants_find(&attr->scales, ep->spec.scale_arg))
        return plan_skip(ep->plan, "a scale together with random numbers or elements of less than a byte");
    bool dynamic = quant_is_dynamic(scale),
         ops = ep->spec.bias || attr->post_ops.len > 0 || attr->dropout.enabled;
    int next = ops || !dynamic ? 0 : -1;
    while (next >= 0)
        TRY(add_pass(ep, &next));
    return dynamic ? add_quantize(ep, scale) : dnnl_success;
}

dnnl_status_t epilogue_end(struct epilogue_build *ep, struct launch *launch, struct epilogue *epilogue) {
    int next;
    epilogue->type = (i32)ep->dst.data_type;
    if (ep->direct) {
        TRY(build_ops(ep, epilogue, 0, &next));
        TRY(build_end(ep, epilogue));
    }
    epilogue_bind(ep, launch);
    if (ep->more) return dnnl_success;
    if (ep->moved) return append_reorder(ep->plan, ep->dst_arg, &ep->dst, ep->spec.dst_arg, dst_of(ep), NULL);
    return ep->direct ? dnnl_success : add_rest(ep);
}

bool post_op_is_activation(const struct post_op *op) {
    if (op->kind != dnnl_eltwise) return false;
    int alg = eltwise_code(op->eltwise.alg);
    return alg == ELTWISE_RELU || alg == ELTWISE_CLIP;
}

struct activation post_op_activation(const struct post_op *op) {
    return (struct activation){
            .alg = eltwise_code(op->eltwise.alg), .alpha = op->eltwise.alpha, .beta = op->eltwise.beta};
}

bool epilogue_is_activation(const attr_t *attr) {
    return !attr->dropout.enabled && attr->post_ops.len == 1 && post_op_is_activation(attr->post_ops.entries);
}

dnnl_status_t epilogue_end_activation(struct epilogue_build *ep, struct launch *launch,
                                      struct epilogue *epilogue, struct activation *activation) {
    TRY(epilogue_end(ep, launch, epilogue));
    if (!ep->direct || ep->spec.bias || !epilogue_is_activation(&ep->plan->attr)) return dnnl_success;
    const struct epilogue_op *op = &epilogue->ops[0];
    *activation = (struct activation){.alg = op->alg, .alpha = op->alpha, .beta = op->beta};
    epilogue->nops = 0;
    return dnnl_success;
}

struct activation epilogue_plain_activation(const struct epilogue_build *ep) {
    const attr_t *attr = &ep->plan->attr;
    if (!ep->direct || attr->post_ops.len == 0) return (struct activation){0};
    return post_op_activation(attr->post_ops.entries);
}

dnnl_status_t epilogue_end_plain(struct epilogue_build *ep, struct launch *launch) {
    launch_bind(launch, ep->dst_arg);
    return ep->direct || ep->more ? dnnl_success : add_rest(ep);
}
