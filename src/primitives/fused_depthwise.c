/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 1x1 convolution with a depthwise one among its post-ops is computed as two convolutions: the second reads
 * the results of the first from scratchpad. Post-ops before the depthwise one belong to the first, the others
 * to the second. Knows neither kernels nor layouts: each convolution is planned separately.
 */
#include "primitives/convolution.h"
#include "primitives/primitives.h"

/* The second convolution: its descriptors and its window, which is square. */
struct depthwise {
    int index; /* of its post-op */
    md_t src, weights, bias, dst;
    dnnl_dims_t strides, padding_l, padding_r;
};

/* The index of the only depthwise post-op, or -1. */
static int find_depthwise(const struct dnnl_post_ops *ops) {
    int found = -1;
    for (int i = 0; i < ops->len; i++) {
        if (ops->entries[i].kind != dnnl_convolution) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

static bool others_are_taken(const struct dnnl_post_ops *ops) {
    for (int i = 0; i < ops->len; i++)
        if (!in_set(BIT(dnnl_eltwise) | BIT(dnnl_binary) | BIT(dnnl_convolution), ops->entries[i].kind))
            return false;
    return true;
}

static dnnl_status_t accepts(const struct plan *plan, int index) {
    const unsigned parts = ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_FPMATH | ATTR_ACCUMULATION;
    const struct problem *problem = &plan->problem;
    if (index < 0) return plan_skip(plan, "post-ops do not contain exactly one depthwise convolution");
    if (!others_are_taken(&plan->attr.post_ops)) return plan_skip(plan, "unsupported other post-ops");
    if (!attr_only_has(&plan->attr, parts))
        return plan_skip(plan, "attributes other than post-ops and scales");
    if (problem_md(problem, DNNL_ARG_SRC)->ndims != 4) return plan_skip(plan, "not two spatial dimensions");
    if (problem->kernel[0] != 1 || problem->kernel[1] != 1) return plan_skip(plan, "the window is not 1x1");
    return dnnl_success;
}

/* The results of the first convolution, in scratchpad. */
static dnnl_status_t place_between(struct plan *plan, md_t *between) {
    *between = *problem_md(&plan->problem, DNNL_ARG_DST);
    TRY(md_set_any(between, channels_last(between->ndims)));
    if (!md_is_blocked(between)) return plan_skip(plan, "a layout is not blocked");
    between->offset0 = 0;
    size_t offset = plan_scratchpad(plan, md_size(between, 0));
    between->offset0 = (dnnl_dim_t)(offset / dt_size(between->data_type));
    return dnnl_success;
}

/* The size of dst is that of src divided by the stride; padding on the right makes the window fit. */
static dnnl_status_t describe(struct depthwise *dw, const struct post_op *op) {
    const dnnl_dim_t kernel = op->depthwise.kernel, stride = op->depthwise.stride;
    const md_t *src = &dw->src;
    dnnl_dims_t weights = {src->dims[1], 1, 1, kernel, kernel}, dst = {src->dims[0], src->dims[1]};
    dnnl_dims_t bias = {src->dims[1]};
    for (int i = 0; i < 2; i++) {
        dnnl_dim_t last, reach;
        dst[2 + i] = src->dims[2 + i] / stride + (src->dims[2 + i] % stride != 0);
        if (__builtin_mul_overflow(dst[2 + i] - 1, stride, &last)
            || __builtin_add_overflow(last - src->dims[2 + i], kernel, &reach)
            || __builtin_sub_overflow(reach, op->depthwise.padding, &dw->padding_r[i]))
            return dnnl_invalid_arguments;
        dw->strides[i] = stride;
        dw->padding_l[i] = op->depthwise.padding;
    }
    TRY(md_init(&dw->weights, 5, weights, op->depthwise.weights_type, dnnl_format_kind_any));
    TRY(md_init(&dw->dst, 4, dst, op->depthwise.dst_type, dnnl_format_kind_any));
    TRY(md_set_any_like(&dw->dst, src));
    if (op->depthwise.bias_type == dnnl_data_type_undef) return dnnl_success;
    return md_init_by_string(&dw->bias, 1, bias, op->depthwise.bias_type, "a");
}

static dnnl_status_t check_depthwise(const struct plan *plan, const struct depthwise *dw) {
    struct convolution_request r = {
            .kind = dnnl_convolution,
            .prop = plan->problem.prop,
            .alg = dnnl_convolution_direct,
            .src = &dw->src,
            .weights = &dw->weights,
            .bias = &dw->bias,
            .dst = &dw->dst,
            .window = {.strides = dw->strides, .padding_l = dw->padding_l, .padding_r = dw->padding_r},
    };
    return check_convolution(&r);
}

/* The first convolution. */

static int first_arg(int arg, const void *data) {
    (void)data;
    return arg == DNNL_ARG_DST ? ARG_SCRATCHPAD : arg;
}

/* Removes the parameters of the second convolution. */
static void keep_own(struct quants *quants) {
    int count = 0;
    for (int i = 0; i < quants->count; i++)
        if (!(quants->entries[i].arg & DNNL_ARG_ATTR_POST_OP_DW))
            quants->entries[count++] = quants->entries[i];
    quants->count = count;
}

static dnnl_status_t append_first(struct plan *plan, const struct depthwise *dw) {
    struct problem problem;
    attr_t attr;
    TRY(problem_copy(&problem, &plan->problem));
    dnnl_status_t status = attr_copy(&attr, &plan->attr);
    if (status == dnnl_success) {
        *problem_md(&problem, DNNL_ARG_DST) = dw->src;
        attr.post_ops.len = dw->index;
        keep_own(&attr.scales);
        keep_own(&attr.zero_points);
        status = plan_append(plan, convolution_forward, &problem, &attr, first_arg, NULL);
        attr_clear(&attr);
    }
    problem_clear(&problem);
    return status;
}

/* The second convolution. It multiplies its src by the scale that the first one divides its dst by. */

static int second_arg(int arg, const void *data) {
    const struct depthwise *dw = data;
    const int one = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) - DNNL_ARG_ATTR_MULTIPLE_POST_OP(0);
    const int kinds = DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS;
    if (arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP(0)) return arg + (dw->index + 1) * one;
    switch (arg & ~kinds) {
    case DNNL_ARG_SRC: return arg & kinds ? (arg & kinds) | DNNL_ARG_DST : ARG_SCRATCHPAD;
    case DNNL_ARG_DST: return arg & kinds ? arg | DNNL_ARG_ATTR_POST_OP_DW : arg;
    default: return arg | DNNL_ARG_ATTR_POST_OP_DW;
    }
}

static dnnl_status_t move_quant(struct quants *to, const struct quants *from, int from_arg, int to_arg) {
    const struct quant *found = quants_find(from, from_arg);
    if (!found) return dnnl_success;
    struct quant moved = *found;
    moved.arg = to_arg;
    return quants_set(to, &moved);
}

static dnnl_status_t move_quants(struct quants *to, const struct quants *from) {
    const int dw = DNNL_ARG_ATTR_POST_OP_DW;
    TRY(move_quant(to, from, DNNL_ARG_DST, DNNL_ARG_SRC));
    TRY(move_quant(to, from, dw | DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS));
    return move_quant(to, from, dw | DNNL_ARG_DST, DNNL_ARG_DST);
}

static dnnl_status_t second_attr(attr_t *attr, const attr_t *whole, int index) {
    attr->fpmath_mode = whole->fpmath_mode;
    attr->fpmath_apply_to_int = whole->fpmath_apply_to_int;
    attr->accumulation_mode = whole->accumulation_mode;
    attr->deterministic = whole->deterministic;
    TRY(move_quants(&attr->scales, &whole->scales));
    TRY(move_quants(&attr->zero_points, &whole->zero_points));
    for (int i = index + 1; i < whole->post_ops.len; i++)
        TRY(post_ops_append(&attr->post_ops, &whole->post_ops.entries[i]));
    return dnnl_success;
}

static dnnl_status_t append_second(struct plan *plan, const struct depthwise *dw) {
    struct problem problem;
    attr_t attr;
    TRY(problem_init(&problem, dnnl_convolution, 4));
    problem.prop = plan->problem.prop;
    problem.alg = dnnl_convolution_direct;
    problem_set_window(&problem,
                       &(struct window_vectors){.kernel = &dw->weights.dims[3],
                                                .strides = dw->strides,
                                                .padding_l = dw->padding_l,
                                                .padding_r = dw->padding_r},
                       2);
    problem_add(&problem, DNNL_ARG_SRC, false, &dw->src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, &dw->weights);
    problem_add(&problem, DNNL_ARG_BIAS, false, &dw->bias);
    problem_add(&problem, DNNL_ARG_DST, true, &dw->dst);
    attr_init(&attr);
    dnnl_status_t status = second_attr(&attr, &plan->attr, dw->index);
    if (status == dnnl_success)
        status = plan_append(plan, convolution_forward, &problem, &attr, second_arg, dw);
    attr_clear(&attr);
    problem_clear(&problem);
    return status;
}

/* Queries return the tensor between the two convolutions. */
static dnnl_status_t add_between(struct problem *problem, const md_t *between) {
    TRY(problem_reserve(problem, 1));
    problem_add(problem, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC, false, between);
    problem->tensors[problem->ntensors - 1].inside = true;
    problem->tensors[problem->ntensors - 1].md.offset0 = 0;
    return dnnl_success;
}

dnnl_status_t fused_depthwise_build(struct plan *plan) {
    struct depthwise dw = {.index = find_depthwise(&plan->attr.post_ops)};
    TRY(accepts(plan, dw.index));
    TRY(place_between(plan, &dw.src));
    if (describe(&dw, &plan->attr.post_ops.entries[dw.index]) != dnnl_success
        || check_depthwise(plan, &dw) != dnnl_success)
        return plan_skip(plan, "the depthwise window does not fit the image");
    TRY(append_first(plan, &dw));
    *problem_md(&plan->problem, DNNL_ARG_DST) = dw.dst; /* the request has that of the first convolution */
    TRY(append_second(plan, &dw));
    plan->problem.alg = dnnl_convolution_direct; /* resolves `auto` */
    return add_between(&plan->problem, &dw.src);
}
