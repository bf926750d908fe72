/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the creation functions of primitives share: checks of arguments and attributes, each ending in a
 * verbose line. The order of checks is oneDNN's, because it decides which status a call with several faults
 * gets. Knows no primitive.
 */
#ifndef LODE_PRIMITIVES_CHECK_H
#define LODE_PRIMITIVES_CHECK_H

#include "core/objects.h"
#include "base/verbose.h"

/* For functions with a `component` in scope: the name of the primitive in verbose lines. REQUIRE is for
 * arguments that make no sense, SUPPORT for those that make sense but cannot be computed. */
#define REQUIRE(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) return fail(dnnl_invalid_arguments, component, __VA_ARGS__);                       \
    } while (0)
#define SUPPORT(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) return fail(dnnl_unimplemented, component, __VA_ARGS__);                           \
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

/* Descriptors that a check goes through; NULL entries are skipped. */
struct md_list {
    int count;
    const md_t *const *mds;
};
#define MDS(...)                                                                                             \
    ((struct md_list){sizeof((const md_t *[]){__VA_ARGS__}) / sizeof(const md_t *),                          \
                      (const md_t *[]){__VA_ARGS__}})

/* Host scalars are arguments of attributes, never tensors of a primitive. */
dnnl_status_t check_no_host_scalars(const char *component, struct md_list list);
/* Only matmul takes sizes that are known at execution. */
dnnl_status_t check_sizes_known(const char *component, struct md_list list);
dnnl_status_t check_same_dims(const char *component, const char *a_name, const md_t *a, const char *b_name,
                              const md_t *b);

/* Of integers only those functions make sense that stay among them; oneDNN adds those whose backward pass
 * uses dst. */
bool eltwise_takes_type(dnnl_alg_kind_t alg, dnnl_data_type_t type);

/* The type that a product of src and weights is summed in; dnnl_data_type_undef: no such product. Names are
 * those of the forward direction, whatever `prop` is. */
dnnl_data_type_t accumulation_type(const md_t *src, const md_t *weights, const md_t *dst,
                                   dnnl_prop_kind_t prop);
/* The same for a reduction of src alone. */
dnnl_data_type_t pooling_accumulation_type(dnnl_data_type_t src, dnnl_data_type_t dst);

/* Which types go together: sets of BIT(type). A row fits if each type is in its set, and bias, where there is
 * one, in its own. */
struct type_row {
    uint64_t src, weights, bias, dst;
};
bool types_fit(const struct type_row *rows, int count, const md_t *src, const md_t *weights, const md_t *bias,
               const md_t *dst);

/* What a primitive takes of attributes. */
struct attr_rules {
    unsigned parts;    /* enum attr_part */
    bool quant_types;  /* scales and zero points of other types than f32 and s32 */
    uint64_t post_ops; /* BIT(kind) of each kind that it takes */
    bool sum_types;    /* a sum may read dst as another type of the same size */
    bool int8;         /* a sum may have a zero point */
};

bool attr_is_default(const attr_t *attr); /* NULL is */
/* For primitives that take no attributes at all. */
dnnl_status_t check_no_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr);
/* The parts and the types; then, after what a primitive has to say about masks, the post-ops on `dst`. */
dnnl_status_t check_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                         const struct attr_rules *rules);
dnnl_status_t check_post_ops(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                             const struct attr_rules *rules, const md_t *dst);
/* True if the argument has no entry, or one with a mask among `masks` (ended by -1). */
bool quant_mask_in(const struct quants *quants, int arg, const int *masks);
#define MASK_IN(quants, arg, ...) quant_mask_in(quants, arg, (const int[]){__VA_ARGS__, -1})
bool quants_are_default(const struct quants *quants);
/* True if nothing but the arguments in `args` (ended by 0) has an entry. */
bool quants_only_for(const struct quants *quants, const int *args);
#define ONLY_FOR(quants, ...) quants_only_for(quants, (const int[]){__VA_ARGS__, 0})
bool quants_have_host_scalars(const struct quants *quants);

/* The end of every creation function: makes the descriptor and clears the problem. */
dnnl_status_t create_desc(const char *component, dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                          struct problem *problem, const attr_t *attr);
/* The same of a backward primitive: the problem takes in what the hint, if there is one, says about the
 * forward one. */
dnnl_status_t create_backward_desc(const char *component, dnnl_primitive_desc_t *pd,
                                   struct dnnl_engine *engine, struct problem *problem,
                                   const struct dnnl_primitive_desc *hint, const attr_t *attr);
/* The end of those whose primitive cannot be computed yet: says so. */
dnnl_status_t create_nothing(const char *component, const dnnl_primitive_desc_t *pd);

#endif
