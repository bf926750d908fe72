/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From attributes to epilogues: see epilogue.h. Whether the attributes make sense for the problem has been
 * checked by then (core/attr_check.c).
 */
#include "core/epilogue.h"
#include "core/tensor.h"
#include "core/verbose.h"
#include "kernels/params_reorder.h"

/* Execution arguments. */

static int post_op_arg(int index, int arg) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg;
}

static dnnl_status_t add_tensor(struct problem *problem, int arg, bool output, const md_t *md) {
    if (problem_md(problem, arg)) return dnnl_success;
    dnnl_status_t status = problem_reserve(problem, 1);
    if (status == dnnl_success) problem_add(problem, arg, output, md);
    return status;
}

static dnnl_status_t add_argument(struct problem *problem, int arg, const md_t *md) {
    return add_tensor(problem, arg, false, md);
}

/* Scales that the library makes: they are results. */
static bool is_dynamic(const struct quant *quant) {
    return quant && quant->mode != dnnl_quantization_mode_static_sazp;
}

/* How many values a quantisation parameter has along dimension d of its argument; 1 where it has no say. */
static dnnl_dim_t quant_group(const struct quant *quant, int ndims, int d) {
    int first = ndims - quant->group_ndims;
    return quant->group_ndims > 0 && d >= first ? quant->groups[d - first] : 1;
}

static dnnl_dim_t quant_size(const struct quant *quant, const md_t *md, int d) {
    if ((quant->mask & (1 << d)) == 0) return 1;
    dnnl_dim_t group = quant_group(quant, md->ndims, d);
    return (md->dims[d] + group - 1) / group;
}

static dnnl_status_t add_quant(struct problem *problem, const struct quant *quant, int kind) {
    md_t described;
    const md_t *md = problem_md(problem, quant->arg);
    if (!md) return dnnl_success;
    dnnl_dims_t dims = {1};
    for (int d = 0; d < md->ndims; d++)
        dims[0] *= quant_size(quant, md, d);
    dnnl_status_t status = quant->host_scalar ? md_init_host_scalar(&described, quant->data_type)
                                              : md_init_by_string(&described, 1, dims, quant->data_type, "a");
    if (status != dnnl_success) return status;
    return add_tensor(problem, kind | quant->arg, is_dynamic(quant), &described);
}

static dnnl_status_t add_quants(struct problem *problem, const struct quants *quants, int kind) {
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < quants->count && status == dnnl_success; i++)
        status = add_quant(problem, &quants->entries[i], kind);
    return status;
}

static dnnl_status_t add_operand(struct problem *problem, int arg, const md_t *md, const md_t *dst) {
    md_t decided = *md;
    for (int d = 0; d < dst->ndims; d++)
        if (md->dims[d] != 1 && md->dims[d] != dst->dims[d])
            return fail(dnnl_invalid_arguments, "attr",
                        "a post-op's operand has size %lld where dst has %lld", (long long)md->dims[d],
                        (long long)dst->dims[d]);
    dnnl_status_t status = md_set_any_like(&decided, dst);
    return status == dnnl_success ? add_argument(problem, arg, &decided) : status;
}

/* The slopes of a prelu: dense f32 with the dimensions of dst that the mask names, channels last. */
static dnnl_status_t add_slopes(struct problem *problem, int arg, int mask, const md_t *dst) {
    static const char *const tags[] = {"a", "ab", "acb", "acdb", "acdeb"};
    md_t slopes;
    dnnl_dims_t dims;
    if (dst->ndims > 5) return dnnl_unimplemented;
    for (int d = 0; d < dst->ndims; d++)
        dims[d] = (mask & (1 << d)) != 0 ? dst->dims[d] : 1;
    dnnl_status_t status = md_init_by_string(&slopes, dst->ndims, dims, dnnl_f32, tags[dst->ndims - 1]);
    return status == dnnl_success ? add_argument(problem, arg, &slopes) : status;
}

static dnnl_status_t add_post_op(struct problem *problem, const struct post_op *op, int index,
                                 const md_t *dst) {
    if (op->kind == dnnl_prelu)
        return add_slopes(problem, post_op_arg(index, DNNL_ARG_WEIGHTS), op->prelu.mask, dst);
    if (op->kind != dnnl_binary) return dnnl_success;
    dnnl_status_t status = add_operand(problem, post_op_arg(index, DNNL_ARG_SRC_1), &op->binary.src1, dst);
    if (status == dnnl_success && op->binary.alg == dnnl_binary_select)
        status = add_operand(problem, post_op_arg(index, DNNL_ARG_SRC_2), &op->binary.src2, dst);
    return status;
}

/* Dropout. Random numbers are counted along dst, so it must lie in logical order, and the mask like it. */

static bool is_row_major(const md_t *md) {
    static const char *const tags[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    return md->ndims >= 2 && md->ndims <= 5 && md_matches_tag(md, tags[md->ndims]);
}

static dnnl_status_t add_value(struct problem *problem, int arg, dnnl_data_type_t type, bool host_scalar) {
    md_t md;
    static const dnnl_dims_t one = {1};
    dnnl_status_t status =
            host_scalar ? md_init_host_scalar(&md, type) : md_init_by_string(&md, 1, one, type, "a");
    return status == dnnl_success ? add_argument(problem, arg, &md) : status;
}

static dnnl_status_t add_mask(struct plan *plan, const md_t *dst) {
    md_t mask = plan->attr.dropout.mask;
    if (md_is_zero(&mask)) return dnnl_success;
    dnnl_status_t status = md_set_any_like(&mask, dst);
    if (status == dnnl_success && (!md_same_dims(&mask, dst) || !is_row_major(&mask)))
        return plan_skip(plan, "the mask of dropout does not lie like dst");
    if (status != dnnl_success) return status;
    return add_tensor(&plan->problem, DNNL_ARG_ATTR_DROPOUT_MASK, true, &mask);
}

static dnnl_status_t add_dropout(struct plan *plan, const md_t *dst) {
    const struct dropout *dropout = &plan->attr.dropout;
    struct problem *problem = &plan->problem;
    if (!dropout->enabled) return dnnl_success;
    if (!is_row_major(dst)) return plan_skip(plan, "dropout in this layout of dst");
    bool scalars = dropout->use_host_scalars;
    dnnl_status_t status = add_value(problem, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, scalars);
    if (status == dnnl_success)
        status = add_value(problem, DNNL_ARG_ATTR_DROPOUT_SEED, dropout->seed_type, scalars);
    if (status == dnnl_success && dropout->use_offset)
        status = add_value(problem, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, scalars);
    return status == dnnl_success ? add_mask(plan, dst) : status;
}

static int dropout_buffers(const struct dropout *dropout) {
    if (!dropout->enabled) return 0;
    return !md_is_zero(&dropout->mask) + (dropout->use_host_scalars ? 0 : 2 + dropout->use_offset);
}

/* Stochastic rounding. */

static bool rounds_by_chance(const attr_t *attr) {
    return attr->rounding[attr_rounding_slot(DNNL_ARG_DST)] == dnnl_rounding_mode_stochastic;
}

/* What one launch can hold. */

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

static bool fits_one_launch(const attr_t *attr) {
    int buffers = quant_buffers(&attr->scales) + quant_buffers(&attr->zero_points)
                  + dropout_buffers(&attr->dropout) + rounds_by_chance(attr);
    for (int i = 0; i < attr->post_ops.len; i++)
        buffers += op_buffers(&attr->post_ops.entries[i]);
    return attr->dropout.enabled + attr->post_ops.len <= EPILOGUE_OPS && buffers <= EPILOGUE_BUFFERS;
}

static bool stores_directly(const struct epilogue_build *ep, const md_t *dst) {
    if (is_dynamic(quants_find(&ep->plan->attr.scales, ep->spec.dst_arg))) return false;
    if (ep->spec.f32_only && dst->data_type != dnnl_f32) return false;
    if (dt_bits(dst->data_type) < 8 && !ep->spec.whole_bytes) return false;
    return fits_one_launch(&ep->plan->attr);
}

/* Building. */

static md_t *dst_of(const struct epilogue_build *ep) {
    return problem_md(&ep->plan->problem, ep->spec.dst_arg);
}

dnnl_status_t epilogue_begin(struct epilogue_build *ep, struct plan *plan, const struct epilogue_spec *spec) {
    *ep = (struct epilogue_build){.plan = plan, .spec = *spec};
    if (ep->spec.dst_arg == 0) ep->spec.dst_arg = DNNL_ARG_DST;
    const struct dnnl_post_ops *ops = &plan->attr.post_ops;
    dnnl_status_t status = add_quants(&plan->problem, &plan->attr.scales, DNNL_ARG_ATTR_SCALES);
    if (status == dnnl_success)
        status = add_quants(&plan->problem, &plan->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS);
    if (status == dnnl_success)
        status = add_quants(&plan->problem, &plan->attr.precomputed_reductions,
                            DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS);
    md_t dst = *dst_of(ep);
    for (int i = 0; i < ops->len && status == dnnl_success; i++)
        status = ops->entries[i].kind == dnnl_convolution
                         ? plan_skip(plan, "a convolution among the post-ops")
                         : add_post_op(&plan->problem, &ops->entries[i], i, &dst);
    if (status == dnnl_success) status = add_dropout(plan, &dst);
    if (status == dnnl_success && rounds_by_chance(&plan->attr))
        status = add_value(&plan->problem, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, false);
    if (status != dnnl_success) return status;
    ep->dst = dst;
    ep->dst_arg = ep->spec.dst_arg;
    ep->direct = stores_directly(ep, &dst);
    if (ep->direct) return dnnl_success;
    ep->dst.data_type = dnnl_f32;
    ep->dst.offset0 = 0;
    ep->dst.offset0 = (dnnl_dim_t)(plan_scratchpad(plan, md_size(&ep->dst, 0)) / sizeof(float));
    ep->dst_arg = ARG_SCRATCHPAD;
    return dnnl_success;
}

/* The number of the epilogue buffer that stands for an execution argument. */
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
    ep->scalars[ep->nscalars] = (struct launch_scalar){.arg = arg, .form = form};
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

/* Strides and groups along the dimensions of dst. */
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
            source->group[to] = quant_group(quant, md->ndims, d);
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
    dnnl_status_t status = use_operand(ep, arg, problem_md(problem, arg), &to->src1, &to->buffer, &to->lanes);
    if (status == dnnl_success && op->binary.alg == dnnl_binary_select)
        status = use_operand(ep, arg2, problem_md(problem, arg2), &to->src2, &to->buffer2, &to->lanes2);
    return status;
}

/* The previous content of dst, perhaps read as another type of the same size. */
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
    dnnl_status_t status = dnnl_success;
    i32 last;
    source->scalar = ep->nscalars;
    for (int i = 0; i < (source->has_offset ? 5 : 3) && status == dnnl_success; i++)
        status = use_scalar(ep, scalars[i].arg, scalars[i].form, &last);
    return status;
}

static dnnl_status_t use_dropout_buffers(struct epilogue_build *ep, struct dropout_source *source) {
    source->scalar = -1;
    dnnl_status_t status = use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, &source->probability);
    if (status == dnnl_success) status = use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_SEED, &source->seed);
    if (status == dnnl_success && source->has_offset)
        status = use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_OFFSET, &source->offset);
    return status;
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
    dnnl_status_t status =
            dropout->use_host_scalars ? use_dropout_scalars(ep, source) : use_dropout_buffers(ep, source);
    if (status != dnnl_success || !mask) return status;
    tensor_init(&op->src2, mask);
    return use_buffer(ep, DNNL_ARG_ATTR_DROPOUT_MASK, &source->mask);
}

/* What a type can hold, as oneDNN rounds to it: significant bits, the range and the least normal number. */
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
    if (!rounds_by_chance(&ep->plan->attr)) return dnnl_success;
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
    return plan_skip(ep->plan, "stochastic rounding to this type");
}

/* What is done last: scale, zero point, rounding. */
static dnnl_status_t build_end(struct epilogue_build *ep, struct epilogue *epilogue) {
    dnnl_status_t status = epilogue_scale(ep, &epilogue->dst_scale, ep->spec.dst_arg, NULL);
    if (status == dnnl_success)
        status = epilogue_zero_point(ep, &epilogue->dst_zero_point, ep->spec.dst_arg, NULL);
    return status == dnnl_success ? build_rounding(ep, &epilogue->rounding) : status;
}

static void bind_all(const struct epilogue_build *ep, struct launch *launch) {
    launch_bind(launch, ep->dst_arg);
    for (int i = 0; i < EPILOGUE_BUFFERS; i++)
        launch_bind(launch, i < ep->nbuffers ? ep->buffers[i] : ARG_NOTHING);
    launch->nscalars = ep->nscalars;
    for (int i = 0; i < ep->nscalars; i++)
        launch->scalars[i] = ep->scalars[i];
}

/* Dropout, then as many post-ops from `first` on as one launch can hold; *next is the first that is left. */
static dnnl_status_t build_ops(struct epilogue_build *ep, struct epilogue *epilogue, int first, int *next) {
    const struct dnnl_post_ops *ops = &ep->plan->attr.post_ops;
    int i = first;
    if (first == 0 && ep->plan->attr.dropout.enabled) {
        dnnl_status_t status = build_dropout(ep, epilogue);
        if (status != dnnl_success) return status;
    }
    for (; i < ops->len && epilogue->nops < EPILOGUE_OPS; i++) {
        if (ep->nbuffers + op_buffers(&ops->entries[i]) > EPILOGUE_BUFFERS) break;
        dnnl_status_t status = build_op(ep, &ops->entries[i], i, &epilogue->ops[epilogue->nops++]);
        if (status != dnnl_success) return status;
    }
    *next = i;
    return dnnl_success;
}

/* One more pass over results that lie in scratchpad; the last one, which has room for the parameters of dst,
 * stores to dst. *next becomes -1 then. */
static dnnl_status_t add_pass(const struct epilogue_build *main, int *next) {
    enum { END_BUFFERS = 3 };
    struct plan *plan = main->plan;
    struct epilogue_build ep = {
            .plan = plan, .spec = main->spec, .dst = main->dst, .dst_arg = ARG_SCRATCHPAD};
    struct epilogue epilogue = {0};
    ep.spec.lanes = -1;
    dnnl_status_t status = build_ops(&ep, &epilogue, *next, next);
    if (status != dnnl_success) return status;
    bool dynamic = is_dynamic(quants_find(&plan->attr.scales, ep.spec.dst_arg));
    if (dynamic && *next == plan->attr.post_ops.len) {
        *next = -1; /* what follows is not an epilogue */
    } else if (*next == plan->attr.post_ops.len && ep.nbuffers + END_BUFFERS <= EPILOGUE_BUFFERS) {
        *next = -1;
        ep.dst = *dst_of(&ep);
        ep.dst_arg = ep.spec.dst_arg;
        status = build_end(&ep, &epilogue);
        if (status != dnnl_success) return status;
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
    bind_all(&ep, launch);
    return dnnl_success;
}

/* Dynamic scales: what the last pass leaves in scratchpad goes to dst in groups. */

static const struct {
    dnnl_data_type_t type;
    float most;
} dynamic_types[] = {{dnnl_f8_e5m2, 57344}, {dnnl_f8_e4m3, 448}, {dnnl_f4_e2m1, 6}};

static float most_of(dnnl_data_type_t type) {
    for (size_t i = 0; i < sizeof dynamic_types / sizeof dynamic_types[0]; i++)
        if (dynamic_types[i].type == type) return dynamic_types[i].most;
    return 0;
}

/* False: groups that do not divide dst. */
static bool place_groups(struct quantize_params *p, const struct quant *quant, const md_t *dst) {
    p->ndims = dst->ndims;
    p->groups = p->elements = 1;
    for (int d = 0; d < dst->ndims; d++) {
        p->counts[d] = quant_size(quant, dst, d);
        p->sizes[d] = (quant->mask & (1 << d)) != 0 ? quant_group(quant, dst->ndims, d) : dst->dims[d];
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
    if (made.most == 0) return plan_skip(plan, "dynamic scales of this type of dst");
    if (!place_groups(&made, quant, dst)) return plan_skip(plan, "groups that do not divide dst");
    /* Two elements of 4 bits share a byte, which one work-item must own. */
    bool bytes = dt_bits(dst->data_type) >= 8
                 || (dst->blocking.strides[dst->ndims - 1] == 1 && md_is_dense(dst, true)
                     && dst->offset0 % 2 == 0 && made.sizes[dst->ndims - 1] % 2 == 0);
    made.span = bytes ? 1 : made.groups;
    tensor_init(&made.src, &ep->dst);
    tensor_init(&made.dst, dst);
    dnnl_status_t status = build_rounding(ep, &made.rounding);
    if (status != dnnl_success) return status;
    struct quantize_params *p =
            plan_launch(plan, &kernel_quantize_groups,
                        range_of_items((made.groups + made.span - 1) / made.span, 1), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, ep->spec.dst_arg);
    launch_bind(launch, DNNL_ARG_ATTR_SCALES | ep->spec.dst_arg);
    launch_bind(launch, made.rounding.bits ? DNNL_ARG_ATTR_ROUNDING_SEED : ARG_NOTHING);
    return dnnl_success;
}

dnnl_status_t epilogue_end(struct epilogue_build *ep, struct launch *launch, struct epilogue *epilogue) {
    int next = 0;
    dnnl_status_t status = dnnl_success;
    epilogue->type = (i32)ep->dst.data_type;
    if (ep->direct) status = build_ops(ep, epilogue, 0, &next);
    if (ep->direct && status == dnnl_success) status = build_end(ep, epilogue);
    if (status != dnnl_success) return status;
    bind_all(ep, launch);
    const struct quant *scale = quants_find(&ep->plan->attr.scales, ep->spec.dst_arg);
    bool dynamic = is_dynamic(scale), ops = ep->plan->attr.post_ops.len > 0 || ep->plan->attr.dropout.enabled;
    while (!ep->direct && (ops || !dynamic) && next >= 0 && status == dnnl_success)
        status = add_pass(ep, &next);
    return dynamic && status == dnnl_success ? add_quantize(ep, scale) : status;
}
