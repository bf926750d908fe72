/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the universal products: see product.h. */
#include "primitives/product.h"
#include "primitives/tensor.h"
#include "primitives/check.h"

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

static bool scales_are_static(const struct quants *scales, int but) {
    for (int i = 0; i < scales->count; i++)
        if (scales->entries[i].arg != but && quant_is_dynamic(&scales->entries[i])) return false;
    return true;
}

/* Only products of floats support stochastic rounding, dropout and dynamic scales. */
static bool is_float(const struct plan *plan) {
    return in_set(TYPES_FLOAT, tensor(plan, DNNL_ARG_SRC)->data_type);
}

bool product_is_f64(const struct plan *plan) {
    return tensor(plan, DNNL_ARG_SRC)->data_type == dnnl_f64;
}

dnnl_status_t product_accepts(const struct plan *plan) {
    const attr_t *attr = &plan->attr;
    if (!attr_only_has(attr, ~(unsigned)(ATTR_DROPOUT | ATTR_ROUNDING)) && !is_float(plan))
        return plan_skip(plan, "unsupported dropout or stochastic rounding");
    if (!scales_are_static(&attr->scales, is_float(plan) ? DNNL_ARG_DST : 0))
        return plan_skip(plan, "unsupported dynamic scales");
    for (int i = 0; i < plan->problem.ntensors; i++)
        if (!md_is_blocked(&plan->problem.tensors[i].md)) return plan_skip(plan, "a layout is not blocked");
    return dnnl_success;
}

dnnl_dim_t product_cost(const struct plan *plan) {
    const md_t *weights = tensor(plan, DNNL_ARG_WEIGHTS), *dst = tensor(plan, DNNL_ARG_DST);
    bool matmul = plan->problem.kind == dnnl_matmul;
    dnnl_dim_t outputs = dst->dims[matmul ? dst->ndims - 1 : 1], elements = 1;
    for (int d = matmul ? weights->ndims - 2 : 0; d < weights->ndims; d++)
        elements *= weights->dims[d];
    return outputs > 0 ? elements / outputs : 1;
}

static bool integer(const md_t *md) {
    return in_set(TYPES_INT8 | TYPES_INT4, md->data_type);
}

static bool f32_without_blocks(const md_t *md) {
    return md->data_type == dnnl_f32 && md_is_plain(md);
}

static i32 sum_of(const struct plan *plan) {
    const md_t *src = tensor(plan, DNNL_ARG_SRC), *weights = tensor(plan, DNNL_ARG_WEIGHTS);
    if (product_is_f64(plan)) return SUM_F64;
    if (integer(src) && integer(weights)) return SUM_S32;
    if (integer(weights)) return SUM_DECOMPRESS;
    bool dense = f32_without_blocks(src) && f32_without_blocks(weights)
                 && quants_are_default(&plan->attr.zero_points);
    return dense ? SUM_F32_DENSE : SUM_F32;
}

static bool nothing_follows(const struct epilogue_build *ep) {
    const attr_t *attr = &ep->plan->attr;
    return ep->direct && attr->post_ops.len == 0 && !quants_find(&attr->scales, DNNL_ARG_DST)
           && !quants_find(&attr->zero_points, DNNL_ARG_DST);
}

bool product_keeps_integers(const struct epilogue_build *ep) {
    return nothing_follows(ep) && !tensor(ep->plan, DNNL_ARG_BIAS) && ep->dst.data_type == dnnl_s32
           && quants_are_default(&ep->plan->attr.scales);
}

static bool sums_are_results(const struct epilogue_build *ep, const struct product *p) {
    if (p->sum == SUM_F64) return nothing_follows(ep);
    return p->sum == SUM_S32 && product_keeps_integers(ep);
}

static dnnl_status_t find_quants(struct epilogue_build *ep, struct product *p) {
    TRY(epilogue_scale(ep, &p->src_scale, DNNL_ARG_SRC, NULL));
    TRY(epilogue_scale(ep, &p->weights_scale, DNNL_ARG_WEIGHTS, NULL));
    TRY(epilogue_zero_point(ep, &p->src_zero_point, DNNL_ARG_SRC, NULL));
    return epilogue_zero_point(ep, &p->weights_zero_point, DNNL_ARG_WEIGHTS, NULL);
}

dnnl_status_t product_end(struct epilogue_build *ep, struct launch *launch, struct product *p, int src_dim,
                          int weights_dim) {
    const struct plan *plan = ep->plan;
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    tensor_init(&p->src, tensor(plan, DNNL_ARG_SRC));
    tensor_init(&p->weights, tensor(plan, DNNL_ARG_WEIGHTS));
    if (bias) tensor_init(&p->bias, bias);
    p->src_dim = src_dim;
    p->weights_dim = weights_dim;
    p->sum = sum_of(plan);
    p->has_bias = bias != NULL;
    p->bare = sums_are_results(ep, p);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_WEIGHTS);
    launch_bind(launch, bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    TRY(find_quants(ep, p));
    return epilogue_end(ep, launch, &p->epilogue);
}
