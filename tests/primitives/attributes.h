/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of a test case, as numbers in a table: the attribute object, its arguments, and a reference of
 * what it does to a result.
 */
#ifndef LODE_TESTS_PRIMITIVES_ATTRIBUTES_H
#define LODE_TESTS_PRIMITIVES_ATTRIBUTES_H

#include "primitives/bounds.h"

struct op_case {
    dnnl_primitive_kind_t kind; /* eltwise, sum, binary, prelu; undef ends the list */
    dnnl_alg_kind_t alg;
    float alpha, beta;     /* eltwise; sum: alpha is the scale */
    int zero_point;        /* sum */
    int mask;              /* binary and prelu: dimensions of dst that the operand has */
    dnnl_data_type_t type; /* binary: of the operand, 0: f32; sum: of dst's previous content, 0: its own */
};

#define ELTWISE(alg_, alpha_, beta_) {.kind = dnnl_eltwise, .alg = alg_, .alpha = alpha_, .beta = beta_}
#define BINARY(alg_, mask_) {.kind = dnnl_binary, .alg = alg_, .mask = mask_}

enum { MAX_OPS = 14 };

struct attr_case {
    const char *name;
    float src_scale, weights_scale, dst_scale; /* 0: none; with a mask, each is up to 4 times the first */
    int src_mask, weights_mask, dst_mask;      /* of the scales */
    int src_zero_point, weights_zero_point, dst_zero_point;
    int src_zero_mask, dst_zero_mask;
    bool host_scalars;
    struct op_case ops[MAX_OPS];
};

/* An attribute with its arguments for one problem. */
struct attr_run {
    const struct attr_case *c;
    dnnl_primitive_attr_t attr;
    int nops;
    struct array operands[MAX_OPS];
    struct array src_scales, weights_scales, dst_scales, src_zeros, dst_zeros;
    struct array previous; /* content of dst before, where there is a sum */
};

/* src, weights and dst give the sizes that masks refer to. */
void attr_run_init(struct attr_run *run, const struct attr_case *c, const struct array *src,
                   const struct array *weights, const struct array *dst);
void attr_run_free(struct attr_run *run);
/* What dst must hold before, if a sum among the post-ops reads it; else NULL. */
const struct array *attr_run_before(const struct attr_run *run);

/* What becomes of a result (bias not added yet) before it is stored. `channel` is the index into the scales
 * of weights. */
struct bounded attr_run_apply(const struct attr_run *run, struct bounded x, double bias, int64_t channel,
                              const dnnl_dim_t *position);
double attr_run_src_zero(const struct attr_run *run, const dnnl_dim_t *src_position);

#endif
