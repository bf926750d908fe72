/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by batch, layer and group normalisation: the checks of their arguments. */
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

/* Checks propagation kinds, NULLs, layouts, flags, run-time sizes and shapes. `forward`: the creation
 * function is the forward one. */
dnnl_status_t check_normalization(const struct normalization_request *request, bool forward);
/* Checks attributes: none for backward; for forward `post_ops` and, if `scales`, single scales of src and dst
 * for 8-bit integers. */
dnnl_status_t check_normalization_attr(const struct normalization_request *request,
                                       const struct dnnl_engine *engine, const attr_t *attr,
                                       uint64_t post_ops, bool scales);

#endif
