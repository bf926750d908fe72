/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of normalisations share, forward and backward: problems, shapes, and forward descriptors. */
#ifndef LODE_TESTS_PRIMITIVES_NORMALIZATIONS_H
#define LODE_TESTS_PRIMITIVES_NORMALIZATIONS_H

#include "primitives/harness.h"

enum kind { BATCH, LAYER, GROUP };
static const float epsilon = 1e-3f;

struct problem {
    enum kind kind;
    dnnl_prop_kind_t prop;
    unsigned flags;
    dnnl_dim_t groups;
    const char *src_tag, *dst_tag, *stat_tag;
    const char *diff_dst_tag, *diff_src_tag; /* backward; NULL: open */
    dnnl_data_type_t weights_type;           /* layer normalisation; 0: f32 */
    bool in_place;
    bool exact_means; /* sums of src have no rounding errors */
};

struct shape {
    int ndims;
    dnnl_dims_t dims;
    dnnl_dim_t groups;
    const char *tags[6];
};

/* Shapes of each kind; the last one has no dimensions. */
extern const struct shape *const normalization_shapes[3];
/* Flags of each kind, statistics from every source among them. */
extern const struct normalization_flags {
    const unsigned *flags;
    int count;
} normalization_flags[3];

/* The statistic that an element belongs to, and the dimension that scales follow. */
int64_t statistic_of(const struct problem *p, const struct array *src, const dnnl_dim_t *at);
int channel_dim(const struct problem *p, const struct array *src);
struct array statistics_new(const struct problem *p, const struct array *src, dnnl_data_type_t type);

/* A forward descriptor, with propagation `prop`. */
dnnl_status_t normalization_desc(dnnl_primitive_desc_t *pd, const struct problem *p, dnnl_prop_kind_t prop,
                                 const struct array *src, const struct array *dst, const struct array *mean,
                                 const_dnnl_primitive_attr_t attr);
/* Adds a workspace for pd, if it has one. The peer's implementations differ in its size: one that is enough
 * for all. */
void add_workspace(struct exec *exec, dnnl_status_t created, const_dnnl_primitive_desc_t pd,
                   const struct array *src);

#endif
