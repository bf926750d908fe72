/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How attributes reach kernels: quantisation parameters and post-ops become the epilogue of a launch, with
 * the buffers and scalars it reads bound to execution arguments. An implementation says
 *
 *   struct epilogue_build ep;
 *   status = epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1});
 *   …decide the launch; its results have the layout and type of ep.dst…
 *   launch_bind(launch, …) for its own buffers, all but dst
 *   epilogue_scale(&ep, &params->epilogue.weights_scale, DNNL_ARG_WEIGHTS, dims);
 *   status = epilogue_end(&ep, launch, &params->epilogue);
 *
 * and need not know that results may go to scratchpad first, when there is more to do than one launch can
 * hold, and that launches follow which do the rest.
 */
#ifndef LODE_PRIMITIVES_EPILOGUE_H
#define LODE_PRIMITIVES_EPILOGUE_H

#include "core/plan.h"
#include "kernels/params.h"

struct epilogue_spec {
    int dst_arg;      /* 0: DNNL_ARG_DST */
    int lanes;        /* the dimension along which the kernel's vectors lie; -1: one result at a time */
    bool f32_only;    /* the kernel stores f32 and nothing else */
    bool plain;       /* the kernel does no more than a relu or a clip before it stores */
    bool whole_bytes; /* each work-item owns the bytes it stores (struct walk): 4-bit types can be stored */
};

/* A host scalar that the epilogue reads. */
struct epilogue_scalar {
    int arg;
    enum scalar_form form;
};

struct epilogue_build {
    struct plan *plan;
    struct epilogue_spec spec;
    md_t dst;    /* where the launch's results go: dst, or f32 in scratchpad with the same strides */
    int dst_arg; /* what to bind for it: epilogue_end does so */
    bool direct; /* one launch does it all */
    int nbuffers, buffers[EPILOGUE_BUFFERS];
    int nscalars;
    struct epilogue_scalar scalars[EPILOGUE_SCALARS];
};

/* Decides where the results of a launch go, and names the execution arguments that the attributes add. Every
 * layout of the problem must have been decided, but for `any` in operands of post-ops, which becomes that of
 * dst. */
dnnl_status_t epilogue_begin(struct epilogue_build *ep, struct plan *plan, const struct epilogue_spec *spec);

/* The first part of that, in a file of its own: names the arguments. `dst` is the problem's, decided. */
dnnl_status_t epilogue_add_arguments(struct plan *plan, const md_t *dst);

/* Where the scale or zero point of an execution argument is found for a given position of dst. dims[d] is the
 * dimension of dst along which dimension d of the argument runs, or -1; NULL: the same one. Without such an
 * attribute the source is QUANT_NONE. Kernels may use these for parameters of their own, too. */
dnnl_status_t epilogue_scale(struct epilogue_build *ep, struct quant_source *source, int arg,
                             const int *dims);
dnnl_status_t epilogue_zero_point(struct epilogue_build *ep, struct quant_source *source, int arg,
                                  const int *dims);

/* Fills in post-ops, the scale and the zero point of dst; binds dst and the epilogue's buffers as the
 * launch's last ones; adds the launches that do what is left. */
dnnl_status_t epilogue_end(struct epilogue_build *ep, struct launch *launch, struct epilogue *epilogue);

/* Are the post-ops a single relu or clip, which some kernels do themselves? */
bool epilogue_is_activation(const attr_t *attr);
/* epilogue_end for those kernels. */
dnnl_status_t epilogue_end_activation(struct epilogue_build *ep, struct launch *launch,
                                      struct epilogue *epilogue, struct activation *activation);

/* For kernels that are `plain`: what they do before they store, and epilogue_end, which binds dst and no
 * other buffer. Without an activation, its alg is 0. */
struct activation epilogue_plain_activation(const struct epilogue_build *ep);
dnnl_status_t epilogue_end_plain(struct epilogue_build *ep, struct launch *launch);

#endif
