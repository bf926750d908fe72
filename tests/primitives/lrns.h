/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of local response normalisation share, forward and backward: problems and the sum of
 * squares.
 */
#ifndef LODE_TESTS_PRIMITIVES_LRNS_H
#define LODE_TESTS_PRIMITIVES_LRNS_H

#include "primitives/harness.h"

struct shape {
    int ndims;
    dnnl_dims_t dims;
    dnnl_dim_t local_size;
    float alpha, beta, k;
};

enum { LRN_SHAPES = 11, LRN_TYPES = 3, LRN_ALGS = 2, LRN_LAYOUTS = 3 };
extern const struct shape lrn_shapes[LRN_SHAPES];
extern const dnnl_data_type_t lrn_types[LRN_TYPES];
extern const dnnl_alg_kind_t lrn_algs[LRN_ALGS]; /* the first is across channels */
extern const char *const lrn_tags[LRN_LAYOUTS][6];

/* alpha, divided by the number of neighbours. */
struct bounded lrn_scale(const struct shape *s, bool across);
/* The sum over the neighbours of `center` of term(data, position). */
struct bounded lrn_sum(const struct shape *s, bool across, const dnnl_dim_t *center,
                       struct bounded (*term)(const void *data, const dnnl_dim_t *at), const void *data);
/* k + alpha / n times the sum of squares. */
struct bounded lrn_omega(const struct array *src, const struct shape *s, bool across,
                         const dnnl_dim_t *center);

#endif
