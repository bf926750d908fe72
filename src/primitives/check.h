/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the creation functions of primitives: checks of arguments and attributes, each of which prints a
 * verbose line on failure. The order of checks is oneDNN's, because it decides the status of a call with
 * several errors. Knows no primitive.
 */
#ifndef LODE_PRIMITIVES_CHECK_H
#define LODE_PRIMITIVES_CHECK_H

#include "core/objects.h"
#include "base/verbose.h"

/* For functions with a `component` in scope: the name of the primitive in verbose lines. REQUIRE is for
 * invalid arguments, SUPPORT for valid ones that are not supported; its message names what is not. */
#define REQUIRE(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) return fail(dnnl_invalid_arguments, component, __VA_ARGS__);                       \
    } while (0)
#define SUPPORT(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) return fail(dnnl_unimplemented, component, "unsupported: " __VA_ARGS__);           \
    } while (0)

static inline bool prop_is_forward(dnnl_prop_kind_t prop) {
    return prop == dnnl_forward_training || prop == dnnl_forward_inference;
}

/* Sets of small enum values, as bits: data types, post-op kinds. */
#define BIT(value) (UINT64_C(1) << (value))
static inline bool in_set(uint64_t set, int value) {
    return value >= 0 && value < 64 && (set >> value & 1);
}
#define TYPES_INT8 (BIT(dnnl_s8) | BIT(dnnl_u8))
#define TYPES_INT4 (BIT(dnnl_s4) | BIT(dnnl_u4))
#define TYPES_FP8 (BIT(dnnl_f8_e5m2) | BIT(dnnl_f8_e4m3))
#define TYPES_FP4 (BIT(dnnl_f4_e2m1) | BIT(dnnl_f4_e3m0))
/* Floats that products sum in f32. */
#define TYPES_FLOAT (BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_FP8 | TYPES_FP4)
/* What element-wise programs take: all types but f64. They compute in f32. */
#define TYPES_ELEMENT (TYPES_FLOAT | TYPES_INT8 | TYPES_INT4 | BIT(dnnl_s32) | BIT(dnnl_s64) | BIT(dnnl_e8m0))
/* What a product may add as a bias, and store. */
#define TYPES_RESULT (TYPES_FLOAT | BIT(dnnl_f64) | BIT(dnnl_s32) | TYPES_INT8)

/* Descriptors to check; NULL entries are skipped. */
struct md_list {
    int count;
    const md_t *const *mds;
};
#define MDS(...)                                                                                             \
    ((struct md_list){sizeof((const md_t *[]){__VA_ARGS__}) / sizeof(const md_t *),                          \
                      (const md_t *[]){__VA_ARGS__}})

/* Host scalars are arguments of attributes, never tensors of a primitive. */
dnnl_status_t check_no_host_scalars(const char *component, struct md_list list);
/* Only matmul accepts sizes that are known only at execution. */
dnnl_status_t check_sizes_known(const char *component, struct md_list list);
dnnl_status_t check_same_dims(const char *component, const char *a_name, const md_t *a, const char *b_name,
                              const md_t *b);

/* Integers support only functions whose results are integers; like oneDNN, also those whose backward pass
 * uses dst. Rounding is for f32. */
bool eltwise_takes_type(dnnl_alg_kind_t alg, dnnl_data_type_t type);

/* The accumulation type of a product of src and weights; dnnl_data_type_undef: no such product. Names are
 * those of the forward direction, whatever `prop` is. */
dnnl_data_type_t accumulation_type(const md_t *src, const md_t *weights, const md_t *dst,
                                   dnnl_prop_kind_t prop);
/* The same for a reduction of src alone. */
dnnl_data_type_t pooling_accumulation_type(dnnl_data_type_t src, dnnl_data_type_t dst);

/* A combination of types: sets of BIT(type). A row matches if each type is in its set, including that of bias
 * if there is a bias. */
struct type_row {
    uint64_t src, weights, bias, dst;
};
bool types_fit(const struct type_row *rows, int count, const md_t *src, const md_t *weights, const md_t *bias,
               const md_t *dst);

/* The attributes that a primitive accepts. */
struct attr_rules {
    unsigned parts;    /* enum attr_part */
    bool quant_types;  /* scales and zero points of other types than f32 and s32 */
    uint64_t post_ops; /* BIT(kind) of each accepted kind */
    bool sum_types;    /* a sum may read dst as another type of the same size */
    bool int8;         /* a sum may have a zero point */
};

bool attr_is_default(const attr_t *attr); /* true for NULL */
/* For primitives that accept no attributes. */
dnnl_status_t check_no_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr);
/* First the parts and the types; then, after the primitive's own checks of masks, the post-ops on `dst`. */
dnnl_status_t check_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                         const struct attr_rules *rules);
dnnl_status_t check_post_ops(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                             const struct attr_rules *rules, const md_t *dst);
/* True if the argument has no entry, or one with a mask in `masks` (terminated by -1). */
bool quant_mask_in(const struct quants *quants, int arg, const int *masks);
#define MASK_IN(quants, arg, ...) quant_mask_in(quants, arg, (const int[]){__VA_ARGS__, -1})
bool quants_are_default(const struct quants *quants);
/* True if only arguments in `args` (terminated by 0) have an entry. */
bool quants_only_for(const struct quants *quants, const int *args);
#define ONLY_FOR(quants, ...) quants_only_for(quants, (const int[]){__VA_ARGS__, 0})
bool quants_have_host_scalars(const struct quants *quants);

/* The last step of every creation function: creates the descriptor and clears the problem. */
dnnl_status_t create_desc(const char *component, dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                          struct problem *problem, const attr_t *attr);
/* The same for a backward primitive: the problem also stores what the hint, if any, says about the forward
 * primitive. */
dnnl_status_t create_backward_desc(const char *component, dnnl_primitive_desc_t *pd,
                                   struct dnnl_engine *engine, struct problem *problem,
                                   const struct dnnl_primitive_desc *hint, const attr_t *attr);
/* The last step for primitives that are not implemented yet: returns dnnl_unimplemented. */
dnnl_status_t create_nothing(const char *component, const dnnl_primitive_desc_t *pd);

#endif
