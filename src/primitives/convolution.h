/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by convolution, deconvolution and inner product: the checks of the first two, and kernels. */
#ifndef LODE_PRIMITIVES_CONVOLUTION_H
#define LODE_PRIMITIVES_CONVOLUTION_H

#include "core/plan.h"
#include "primitives/window.h"

/* A convolution or deconvolution, forward or backward; tensors have their forward names. */
struct convolution_request {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    const md_t *src, *weights, *bias, *dst;
    struct window_vectors window; /* the sizes of its kernel are in the weights */
};
dnnl_status_t check_convolution(const struct convolution_request *request);
dnnl_status_t check_convolution_attr(const struct convolution_request *request,
                                     const struct dnnl_engine *engine, const attr_t *attr);
/* Creates the descriptor of a forward one, after all checks. */
dnnl_status_t create_convolution_forward(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                         struct convolution_request *request, const attr_t *attr);
/* The same for one that is backward by data. */
dnnl_status_t create_convolution_backward_data(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                               struct convolution_request *request,
                                               const struct dnnl_primitive_desc *hint, const attr_t *attr);
/* And for one that is backward by weights. */
dnnl_status_t create_convolution_backward_weights(dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                                                  struct convolution_request *request,
                                                  const struct dnnl_primitive_desc *hint, const attr_t *attr);

/* Depthwise convolution of images whose channels come first; the row's data is one of these. */
struct depthwise_planes;
extern const struct depthwise_planes depthwise_planes_f32, depthwise_planes_f64;
dnnl_status_t depthwise_build_planes(struct plan *plan);
/* A plan for a 1x1 convolution that has a depthwise convolution among its post-ops. */
dnnl_status_t fused_depthwise_build(struct plan *plan);
/* Checks the types and the algorithm of a convolution or deconvolution; resolves `auto`. */
dnnl_status_t convolution_accepts(struct plan *plan);
/* The universal implementation of convolution and deconvolution. */
dnnl_status_t convolution_build_universal(struct plan *plan);
/* Adds the universal kernel for a convolution, deconvolution or inner product whose layouts have been
 * decided. */
dnnl_status_t convolution_universal(struct plan *plan, const struct window *window, int grouped);

/* Adds the sum of diff_dst that is the gradient of the bias, if the problem has one. */
dnnl_status_t append_bias_gradient(struct plan *plan);
/* The same, of sums of parts of diff_dst: their dimension 1 is that of channels. */
dnnl_status_t append_bias_sums(struct plan *plan, int terms_arg, const md_t *terms_md);

#endif
