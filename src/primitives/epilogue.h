/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How attributes reach kernels: quantisation parameters and post-ops become the epilogue of a launch, with
 * the buffers and scalars that it reads bound to execution arguments. An implementation calls
 *
 *   struct epilogue_build ep;
 *   status = epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1});
 *   …choose the launch; its results have the layout and type of ep.dst…
 *   launch_bind(launch, …) for its own buffers, except dst
 *   epilogue_scale(&ep, &params->epilogue.weights_scale, DNNL_ARG_WEIGHTS, dims);
 *   status = epilogue_end(&ep, launch, &params->epilogue);
 *
 * Several launches may share the results: each has a copy of `ep`, and all but the last set `more`.
 *
 * If the attributes do not fit into one launch, results go to scratchpad first and further launches follow;
 * the implementation need not know.
 */
#ifndef LODE_PRIMITIVES_EPILOGUE_H
#define LODE_PRIMITIVES_EPILOGUE_H

#include "core/plan.h"
#include "kernels/params.h"

struct epilogue_spec {
    int dst_arg;      /* 0: DNNL_ARG_DST */
    int lanes;        /* the dimension of the kernel's vectors; -1: one result at a time */
    bool f32_only;    /* the kernel stores only f32 */
    bool plain;       /* before it stores, the kernel supports nothing but a relu or a clip */
    bool bare;        /* before it stores, the kernel supports nothing at all */
    bool whole_bytes; /* each work-item owns the bytes it stores (struct walk): 4-bit types can be stored */
    bool bias;        /* the epilogue adds DNNL_ARG_BIAS, because the kernel cannot */
    int scale_arg;    /* of `bare` kernels: the argument whose scale multiplies the results; 0: none */
    const md_t *like; /* the layout of results that need more launches; NULL: that of dst */
    bool row_major;   /* the kernel stores only rows: results for another layout of dst go to scratchpad */
};

/* A host scalar that the epilogue reads. */
struct epilogue_scalar {
    int arg;
    enum scalar_form form;
};

struct epilogue_build {
    struct plan *plan;
    struct epilogue_spec spec;
    md_t dst;    /* the launch's results: dst, or f32 in scratchpad with the same strides */
    int dst_arg; /* the argument that epilogue_end binds for it */
    bool direct; /* one launch computes results */
    bool moved;  /* and another copies them from scratchpad to dst */
    bool more;   /* another launch stores further results: epilogue_end adds nothing that follows the last */
    int nbuffers, buffers[EPILOGUE_BUFFERS];
    int nscalars;
    struct epilogue_scalar scalars[EPILOGUE_SCALARS];
};

/* Decides where the results of a launch go, and adds the attributes' execution arguments to the problem.
 * Every layout of the problem must be known; only operands of post-ops may be `any`, which becomes the layout
 * of dst. */
dnnl_status_t epilogue_begin(struct epilogue_build *ep, struct plan *plan, const struct epilogue_spec *spec);

/* The first part of that, in a separate file: adds the arguments. `dst` is the problem's, with its final
 * layout. */
dnnl_status_t epilogue_add_arguments(struct plan *plan, const md_t *dst);

/* Sets the source of the scale or zero point of an execution argument for each position of dst. dims[d] is
 * the dimension of dst that corresponds to dimension d of the argument, or -1; NULL: the same one. Without
 * such an attribute the source is QUANT_NONE. Kernels may use these for parameters of their own too. */
dnnl_status_t epilogue_scale(struct epilogue_build *ep, struct quant_source *source, int arg,
                             const int *dims);
dnnl_status_t epilogue_zero_point(struct epilogue_build *ep, struct quant_source *source, int arg,
                                  const int *dims);

/* Fills in post-ops, the scale and the zero point of dst; binds dst and the epilogue's buffers as the
 * launch's last ones; adds the remaining launches. */
dnnl_status_t epilogue_end(struct epilogue_build *ep, struct launch *launch, struct epilogue *epilogue);

/* For launches that read quantisation parameters and store no results: binds ep->dst_arg and what
 * epilogue_scale and epilogue_zero_point have found, as the last buffers. */
void epilogue_bind(const struct epilogue_build *ep, struct launch *launch);

/* Is it a relu or a clip? If so, as kernels see it. */
bool post_op_is_activation(const struct post_op *op);
struct activation post_op_activation(const struct post_op *op);
/* Are the post-ops a single relu or clip, which some kernels apply themselves? */
bool epilogue_is_activation(const attr_t *attr);
/* epilogue_end for those kernels. */
dnnl_status_t epilogue_end_activation(struct epilogue_build *ep, struct launch *launch,
                                      struct epilogue *epilogue, struct activation *activation);

/* For `plain` and `bare` kernels: the activation that they apply before they store (alg 0: none), and
 * epilogue_end, which binds only dst. */
struct activation epilogue_plain_activation(const struct epilogue_build *ep);
dnnl_status_t epilogue_end_plain(struct epilogue_build *ep, struct launch *launch);

#endif
