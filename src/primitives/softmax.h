/* SPDX-License-Identifier: Apache-2.0 */
/* What softmax forward and backward share. */
#ifndef LODE_PRIMITIVES_SOFTMAX_H
#define LODE_PRIMITIVES_SOFTMAX_H

#include "core/memory_desc.h"
#include "kernels/params_softmax.h"
#include "program/program.h"

dnnl_status_t softmax_check_axis(dnnl_alg_kind_t alg, const md_t *md, int axis);
/* Is the layout plain, with neighbours along the dimension next to each other? */
bool softmax_is_dense(const md_t *md, int dim);
/* Writes the tag of the layout with the axis last. */
void softmax_axis_last(char *tag, int ndims, int axis);
/* Splits a walk through a tensor into the rows and the line along the axis. */
void softmax_split_walk(const struct walk *walk, int axis, struct walk *rows, struct walk *line);

/* Fills the block for tensors without blocks that all have the axis next to each other, or, `across`, all
 * another dimension. False: they do not. */
bool softmax_fits(struct softmax_lines_params *p, const md_t *const *mds, int count, int axis, bool across);
/* Divides its lines among work-items. There must be elements. */
struct range softmax_cut_lines(struct softmax_lines_params *p);

#endif
