/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by layer normalisation, forward and backward. */
#ifndef LODE_PRIMITIVES_LAYER_NORMALIZATION_H
#define LODE_PRIMITIVES_LAYER_NORMALIZATION_H

#include "primitives/normalization.h"

enum { LAYER_FLAGS = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm };

/* Checks the number of dimensions of src, which may be NULL. */
dnnl_status_t layer_check_ndims(const md_t *src);
/* Do statistics have the dimensions of src except the last? They may be missing. */
bool layer_statistics_fit(const md_t *src, const md_t *statistics);
/* What the creation functions describe: statistics, open if the user has given none, and a vector of weights.
 */
dnnl_status_t layer_describe(const md_t *src, const md_t *given, dnnl_data_type_t weights_type,
                             md_t *statistics, md_t *weights);
/* Open statistics get the order of dimensions of `src`. */
dnnl_status_t layer_statistics_layout(const struct problem *problem, const md_t *src);

/* Copies statistics between the user's tensors and dense ones in scratchpad. */
dnnl_status_t layer_copy_statistics(struct plan *plan, const struct norm_moments *m, bool out);

#endif
