/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of a primitive: what happens around the computation. A newly initialised struct has all
 * defaults; it owns its lists, so copy it with attr_copy. Each primitive decides which attributes it
 * supports.
 */
#ifndef LODE_CORE_ATTR_H
#define LODE_CORE_ATTR_H

#include "core/memory_desc.h"

enum { POST_OPS_MAX = 32, ATTR_ROUNDINGS = 3 };

/* How one execution argument is quantised: scales, zero points or precomputed reductions. */
struct quant {
    int arg; /* DNNL_ARG_* */
    int mask;
    int group_ndims;
    dnnl_dims_t groups; /* the last group_ndims dimensions; zeros when group_ndims is 0 */
    dnnl_data_type_t data_type;
    bool host_scalar;
    dnnl_quantization_mode_t mode;
};

struct quants {
    int count;
    struct quant *entries; /* owned; sorted by arg, each arg once */
};

struct post_op {
    dnnl_primitive_kind_t kind; /* sum, eltwise, binary, prelu, convolution (depthwise) */
    union {
        struct {
            float scale;
            int32_t zero_point;
            dnnl_data_type_t data_type;
        } sum;
        struct {
            dnnl_alg_kind_t alg;
            float alpha, beta;
        } eltwise;
        struct {
            dnnl_alg_kind_t alg;
            md_t src1, src2; /* as the user gave them; src2 for binary select only */
        } binary;
        struct {
            int mask;
        } prelu;
        struct {
            dnnl_data_type_t weights_type, bias_type, dst_type;
            dnnl_dim_t kernel, stride, padding;
        } depthwise;
    };
};

struct dnnl_post_ops {
    int len;
    struct post_op *entries; /* owned; grows with len, up to POST_OPS_MAX */
};

struct rnn_qparams {
    float scale, shift; /* data */
    struct rnn_weights_qparams {
        int mask;
        dnnl_dim_t count;
        float *scales; /* owned; NULL: the one default scale 1 */
    } weights, projection;
};

struct dropout {
    bool enabled;
    bool use_offset, use_host_scalars;
    dnnl_data_type_t seed_type;
    md_t mask; /* zero descriptor: no mask is written */
};

struct dnnl_primitive_attr {
    dnnl_scratchpad_mode_t scratchpad_mode;
    dnnl_fpmath_mode_t fpmath_mode;
    bool fpmath_apply_to_int;
    dnnl_accumulation_mode_t accumulation_mode;
    bool deterministic;
    struct quants scales, zero_points, precomputed_reductions;
    dnnl_rounding_mode_t rounding[ATTR_ROUNDINGS]; /* in the order of attr_rounding_args */
    struct dropout dropout;
    struct rnn_qparams rnn;
    struct dnnl_post_ops post_ops;
};

typedef struct dnnl_primitive_attr attr_t;

/* The parts of attributes that a primitive supports; all others must have their defaults. */
enum attr_part {
    ATTR_SCALES = 1 << 0,
    ATTR_ZERO_POINTS = 1 << 1,
    ATTR_POST_OPS = 1 << 2,
    ATTR_FPMATH = 1 << 3,
    ATTR_ACCUMULATION = 1 << 4,
    ATTR_DROPOUT = 1 << 5,
    ATTR_ROUNDING = 1 << 6,
    ATTR_RNN = 1 << 7,
    ATTR_PRECOMPUTED = 1 << 8,
    ATTR_GROUPS = 1 << 9, /* scales or zero points with groups */
};

/* Sets defaults; the fpmath mode is that of fpmath_default. */
void attr_init(attr_t *attr);
dnnl_status_t attr_copy(attr_t *to, const attr_t *from); /* deep; `to` need not be initialised */
void attr_clear(attr_t *attr);                           /* frees what the struct owns; leaves it default */
bool attr_equal(const attr_t *a, const attr_t *b);
uint64_t attr_hash(const attr_t *attr, uint64_t seed);
/* True if every part outside `parts` (enum attr_part) has its default. Scratchpad mode and determinism are
 * ignored. */
bool attr_only_has(const attr_t *attr, unsigned parts);
const struct quant *quants_find(const struct quants *quants, int arg); /* NULL when default */
/* Adds the entry or replaces the one of the same arg. */
dnnl_status_t quants_set(struct quants *quants, const struct quant *quant);
/* Removes the entry of arg, if there is one. */
void quants_drop(struct quants *quants, int arg);
/* True for scales that the library computes as results. False for NULL. */
bool quant_is_dynamic(const struct quant *quant);
/* The size of a group along the last dimension (`back` 1), the one before (2) and so on; 1 without groups and
 * for NULL. */
dnnl_dim_t quant_group(const struct quant *quant, int back);
/* The number of values along dimension d of the argument, which `md` describes; 1 if they do not depend on
 * it.
 */
dnnl_dim_t quant_size(const struct quant *quant, const md_t *md, int d);
/* The arguments whose rounding can be chosen, in the order of attr->rounding; the index of one, or -1. */
extern const int attr_rounding_args[ATTR_ROUNDINGS];
int attr_rounding_slot(int arg);
bool attr_has_stochastic_rounding(const attr_t *attr); /* of dst */
bool attr_has_sum(const attr_t *attr);                 /* a post-op that reads dst */

/* Post-ops as an object of their own. */
dnnl_status_t post_ops_copy(struct dnnl_post_ops *to, const struct dnnl_post_ops *from);
void post_ops_clear(struct dnnl_post_ops *ops);
/* Appends a copy; dnnl_out_of_memory when there are POST_OPS_MAX already, as in oneDNN. */
dnnl_status_t post_ops_append(struct dnnl_post_ops *ops, const struct post_op *op);
/* The execution argument of an operand (DNNL_ARG_SRC_1, DNNL_ARG_WEIGHTS, …) of post-op `index`. */
static inline int post_op_arg(int index, int operand) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | operand;
}
/* True if alg is an element-wise algorithm and accepts these parameters. */
bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta);

/* The fpmath mode of new attributes: ONEDNN_DEFAULT_FPMATH_MODE unless the program sets another. */
dnnl_fpmath_mode_t fpmath_default(void);
dnnl_status_t fpmath_set_default(dnnl_fpmath_mode_t mode);
bool fpmath_is_valid(dnnl_fpmath_mode_t mode);

/* The attributes in oneDNN's verbose form, such as "attr-scratchpad:user attr-post-ops:relu". */
int attr_to_string(const attr_t *attr, char *text, size_t size);

#endif
