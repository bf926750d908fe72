/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes for tests of primitives: attributes.h says what each function promises. */
#include "primitives/attributes.h"

#include "primitives/functions.h"
#include "primitives/memory.h"

#include <math.h>

static struct array masked_array(const struct array *like, int mask, dnnl_data_type_t type) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++)
        dims[d] = mask >> d & 1 ? like->dims[d] : 1;
    return array_new(like->ndims, dims, type);
}

static void add_op(struct attr_run *run, dnnl_post_ops_t ops, const struct op_case *op,
                   const struct array *dst) {
    struct array *operand = &run->operands[run->nops];
    dnnl_data_type_t type = op->type ? op->type : dnnl_f32;
    dnnl_memory_desc_t md = NULL;
    switch (op->kind) {
    case dnnl_eltwise: MUST(dnnl_post_ops_append_eltwise(ops, op->alg, op->alpha, op->beta)); break;
    case dnnl_sum: MUST(dnnl_post_ops_append_sum(ops, op->alpha, op->zero_point, op->type)); break;
    case dnnl_prelu:
        MUST(dnnl_post_ops_append_prelu(ops, op->mask));
        *operand = masked_array(dst, op->mask, dnnl_f32);
        break;
    default:
        *operand = masked_array(dst, op->mask, type);
        md = md_of(operand, run->nops % 2
                                    ? NULL
                                    : (const char *[]){"a", "ab", "abc", "acdb", "abcde"}[dst->ndims - 1]);
        MUST(dnnl_post_ops_append_binary(ops, op->alg, md));
        dnnl_memory_desc_destroy(md);
    }
    if (operand->values) array_fill(operand, 2, 77u + (unsigned)run->nops);
    run->nops++;
}

/* Scales or zero points of one argument. */
static void add_quant(struct attr_run *run, bool scale, int arg, int mask) {
    bool scalar = run->c->host_scalars && mask == 0;
    if (scale && !scalar) MUST(dnnl_primitive_attr_set_scales_mask(run->attr, arg, mask));
    if (scale && scalar)
        MUST(dnnl_primitive_attr_set_scales_v3(run->attr, arg, 0, 0, NULL, dnnl_f32, 1,
                                               dnnl_quantization_mode_static_sazp));
    if (!scale && !scalar) MUST(dnnl_primitive_attr_set_zero_points_mask(run->attr, arg, mask));
    if (!scale && scalar)
        MUST(dnnl_primitive_attr_set_zero_points_v2(run->attr, arg, 0, 0, NULL, dnnl_s32, 1));
}

/* Scales of one argument: powers of two times the first. */
static void add_scales(struct attr_run *run, struct array *scales, int arg, float first, int mask,
                       const struct array *like) {
    if (first == 0) return;
    add_quant(run, true, arg, mask);
    *scales = masked_array(like, mask, dnnl_f32);
    for (int64_t i = 0; i < scales->count; i++)
        scales->values[i] = ldexp((double)first, (int)(i % 3));
}

static void add_zero_points(struct attr_run *run, struct array *zeros, int arg, int first, int mask,
                            const struct array *like) {
    if (first == 0 && mask == 0) return;
    add_quant(run, false, arg, mask);
    *zeros = masked_array(like, mask, dnnl_s32);
    for (int64_t i = 0; i < zeros->count; i++)
        zeros->values[i] = (double)(first + i % 3);
}

void attr_run_init(struct attr_run *run, const struct attr_case *c, const struct array *src,
                   const struct array *weights, const struct array *dst) {
    *run = (struct attr_run){.c = c};
    MUST(dnnl_primitive_attr_create(&run->attr));
    add_scales(run, &run->src_scales, DNNL_ARG_SRC, c->src_scale, c->src_mask, src);
    add_scales(run, &run->weights_scales, DNNL_ARG_WEIGHTS, c->weights_scale, c->weights_mask, weights);
    add_scales(run, &run->dst_scales, DNNL_ARG_DST, c->dst_scale, c->dst_mask, dst);
    add_zero_points(run, &run->src_zeros, DNNL_ARG_SRC, c->src_zero_point, c->src_zero_mask, src);
    if (c->weights_zero_point) add_quant(run, false, DNNL_ARG_WEIGHTS, 0);
    add_zero_points(run, &run->dst_zeros, DNNL_ARG_DST, c->dst_zero_point, c->dst_zero_mask, dst);
    dnnl_post_ops_t ops;
    MUST(dnnl_post_ops_create(&ops));
    while (run->nops < MAX_OPS && c->ops[run->nops].kind != dnnl_undefined_primitive)
        add_op(run, ops, &c->ops[run->nops], dst);
    MUST(dnnl_primitive_attr_set_post_ops(run->attr, ops));
    dnnl_post_ops_destroy(ops);
    run->previous = array_like(dst, dst->type);
    array_fill(&run->previous, 3, 5);
}

void attr_run_free(struct attr_run *run) {
    for (int i = 0; i < MAX_OPS; i++)
        array_free(&run->operands[i]);
    array_free(&run->src_scales);
    array_free(&run->weights_scales);
    array_free(&run->dst_scales);
    array_free(&run->src_zeros);
    array_free(&run->dst_zeros);
    array_free(&run->previous);
    dnnl_primitive_attr_destroy(run->attr);
}

const struct array *attr_run_before(const struct attr_run *run) {
    for (int i = 0; i < run->nops; i++)
        if (run->c->ops[i].kind == dnnl_sum) return &run->previous;
    return NULL;
}

/* A byte of dst before, read as the type that a sum gives. */
static double reread(double y, dnnl_data_type_t type) {
    if (type == dnnl_s8 && y > 127) return y - 256;
    return type == dnnl_u8 && y < 0 ? y + 256 : y;
}

static struct bounded apply_op(const struct attr_run *run, int i, struct bounded x,
                               const dnnl_dim_t *position) {
    const struct op_case *op = &run->c->ops[i];
    double y = run->operands[i].values ? array_at(&run->operands[i], position) : 0;
    switch (op->kind) {
    case dnnl_eltwise: return eltwise_forward(op->alg, op->alpha, op->beta, x);
    case dnnl_sum:
        y = reread(array_at(&run->previous, position), op->type) - op->zero_point;
        return bounded_add(x, bounded_mul(exactly((double)op->alpha), exactly(y)));
    case dnnl_prelu: return leaky_relu(x, y);
    default: return binary_forward(op->alg, x, exactly(y), 0);
    }
}

struct bounded attr_run_apply(const struct attr_run *run, struct bounded x, double bias, int64_t channel,
                              const dnnl_dim_t *position) {
    const struct attr_case *c = run->c;
    if (c->src_scale != 0) x = bounded_mul(x, exactly(array_at(&run->src_scales, position)));
    if (c->weights_scale != 0)
        x = bounded_mul(x, exactly(run->weights_scales.values[c->weights_mask ? channel : 0]));
    if (bias != 0) x = bounded_add(x, exactly(bias));
    for (int i = 0; i < run->nops; i++)
        x = apply_op(run, i, x, position);
    if (c->dst_scale != 0) x = bounded_div(x, exactly(array_at(&run->dst_scales, position)));
    if (run->dst_zeros.values) x = bounded_add(x, exactly(array_at(&run->dst_zeros, position)));
    return x;
}

double attr_run_src_zero(const struct attr_run *run, const dnnl_dim_t *src_position) {
    return run->src_zeros.values ? array_at(&run->src_zeros, src_position) : 0;
}
