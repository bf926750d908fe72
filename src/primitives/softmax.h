/* SPDX-License-Identifier: Apache-2.0 */
/* What softmax forward and backward share. */
#ifndef LODE_PRIMITIVES_SOFTMAX_H
#define LODE_PRIMITIVES_SOFTMAX_H

#include "core/memory_desc.h"
#include "kernels/params.h"

dnnl_status_t softmax_check_axis(dnnl_alg_kind_t alg, const md_t *md, int axis);
/* Is the layout plain, with neighbours along the dimension next to each other? */
bool softmax_is_dense(const md_t *md, int dim);
/* Writes the tag of the layout with the axis last. */
void softmax_axis_last(char *tag, int ndims, int axis);
/* Splits a walk through a tensor into the rows and the line along the axis. Loops of `lanes` (-1: none) are
 * left to the kernel. */
void softmax_split_walk(const struct walk *walk, int axis, int lanes, struct walk *rows, struct walk *line);

#endif
