/* SPDX-License-Identifier: Apache-2.0 */
/* What batch, layer and group normalisation share: the checks of their arguments. */
#ifndef LODE_PRIMITIVES_NORMALIZATION_H
#define LODE_PRIMITIVES_NORMALIZATION_H

#include "primitives/check.h"

/* A normalisation, forward (dst) or backward (diff_src, diff_dst). */
struct normalization_request {
    const char *component;
    dnnl_prop_kind_t prop;
    const md_t *src, *dst, *diff_src, *diff_dst;
    const md_t *statistics; /* layer normalisation; may be NULL */
    unsigned flags, known_flags;
};

/* Propagation kinds; NULLs, layouts, flags, open sizes, shapes. `forward` is what the function computes. */
dnnl_status_t check_normalization(const struct normalization_request *request, bool forward);
/* Attributes: nothing backward; forward `post_ops`, and common scales of src and dst for 8-bit integers if
 * `scales`. */
dnnl_status_t check_normalization_attr(const struct normalization_request *request,
                                       const struct dnnl_engine *engine, const attr_t *attr,
                                       uint64_t post_ops, bool scales);

#endif
