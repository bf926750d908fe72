/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling forward and backward share. */
#ifndef LODE_PRIMITIVES_POOLING_H
#define LODE_PRIMITIVES_POOLING_H

#include "kernels/params_doubles.h"
#include "primitives/check.h"
#include "primitives/window.h"

/* Pooling, forward or backward; tensors have their forward names. */
struct pooling_request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    const md_t *src, *dst;
    struct window_vectors window;
};
dnnl_status_t pooling_check(const struct pooling_request *request);

/* The kernels' constant (POOLING_*) for an algorithm. */
i32 pooling_code(dnnl_alg_kind_t alg);
/* The number of taps of a window. */
dnnl_dim_t pooling_taps(const struct window *window);
/* The distance between vectors of 16 channels, in a layout where channels are last or in blocks of 16;
 * otherwise 0. */
dnnl_dim_t pooling_pitch(const md_t *md);
/* Divides rows * length elements of some channels so that a work-item has about `work` of them: *span of a
 * row, and *group rows. */
void pooling_share(i64 rows, i64 length, i64 channels, i64 work, i64 *span, i64 *group);
/* How many outputs read at most POOLING_ROW elements of a padded row; 0: none. */
i64 pooling_outputs_at_once(const struct window *window);
/* A layout that pooling_pitch is not 0 for. */
void pooling_set_image(struct pooling_image *image, const md_t *md);

/* Pooling of doubles, whose channels must be last, or whose rows must be dense: other types and layouts have
 * been moved to that. Tensors have their forward names; `workspace` may be NULL. */
bool pooling_takes_doubles(const md_t *md);
bool pooling_has_rows_of_doubles(const md_t *md);
void pooling_set_doubles(struct f64_pooling_params *p, const struct problem *problem, const md_t *src,
                         const md_t *dst, const md_t *workspace, bool backward);

#endif
