/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A problem: what a primitive is asked to compute, in one shape for all primitives. The public creation
 * functions check their arguments and fill one in; queries read it back; the cache hashes it. Tensors are
 * named by their execution argument (DNNL_ARG_*), so "which descriptors are there", "what must be passed to
 * execute" and "what does query_md answer" are one list.
 */
#ifndef LODE_CORE_PROBLEM_H
#define LODE_CORE_PROBLEM_H

#include "core/attr.h"
#include "core/memory_desc.h"

struct problem_tensor {
    int arg;
    bool output;
    bool inside; /* lies in scratchpad: described, but not passed to execute */
    bool hint;   /* of the forward primitive that a backward one goes with: neither described nor passed */
    md_t md;
};

static inline bool tensor_is_passed(const struct problem_tensor *tensor) {
    return !tensor->inside && !tensor->hint;
}

struct problem {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    unsigned flags; /* normalisation or RNN flags */

    /* Windows: convolution, deconvolution, pooling. */
    dnnl_dims_t strides, dilates, padding_l, padding_r, kernel;

    float alpha, beta;             /* eltwise, LRN, reduction's p and eps in alpha, beta */
    float epsilon;                 /* normalisations */
    float k;                       /* LRN */
    dnnl_dim_t local_size;         /* LRN */
    dnnl_dim_t group_size;         /* shuffle, group normalisation */
    int axis;                      /* softmax, shuffle, concat */
    float factors[DNNL_MAX_NDIMS]; /* resampling */
    float *scales;                 /* sum: one a source; owned */

    dnnl_alg_kind_t cell_kind, activation_kind; /* RNN */
    dnnl_rnn_direction_t direction;

    /* Of the forward primitive that a backward one goes with, if its descriptor was given. */
    bool hinted;
    dnnl_prop_kind_t hint_prop;
    dnnl_alg_kind_t hint_alg;

    int ntensors, capacity;
    struct problem_tensor *tensors; /* owned */

    /* For kinds whose sizes may be open until execution: do the sizes that were passed go together? */
    dnnl_status_t (*check_sizes)(const struct problem *problem);
};

/* Room for `capacity` tensors; everything else zero. */
dnnl_status_t problem_init(struct problem *problem, dnnl_primitive_kind_t kind, int capacity);
dnnl_status_t problem_copy(struct problem *to, const struct problem *from); /* deep, the capacity too */
void problem_clear(struct problem *problem);                                /* frees what the struct owns */
/* Makes room for `more` tensors than there are. */
dnnl_status_t problem_reserve(struct problem *problem, int more);
/* Adds a tensor within the capacity. A NULL or zero descriptor adds nothing. */
void problem_add(struct problem *problem, int arg, bool output, const md_t *md);
/* Adds what is known of the forward primitive: how it was asked for, and every layout that it has decided. */
dnnl_status_t problem_add_hint(struct problem *problem, const struct problem *forward);
/* The descriptor of an execution argument, or NULL. */
md_t *problem_md(const struct problem *problem, int arg);
/* The same of the forward primitive. */
const md_t *problem_hint_md(const struct problem *problem, int arg);
bool problem_equal(const struct problem *a, const struct problem *b);
uint64_t problem_hash(const struct problem *problem, uint64_t seed);

/* oneDNN's verbose fields of a problem: "src:f32::… wei:…", then "alg:…", then "mb1ic3…". `request` is the
 * problem as the user asked, which tells the layouts that were left to us. */
int problem_tensors_to_string(const struct problem *problem, const struct problem *request, char *text,
                              size_t size);
int problem_aux_to_string(const struct problem *problem, char *text, size_t size);
int problem_shape_to_string(const struct problem *problem, char *text, size_t size);

#endif
