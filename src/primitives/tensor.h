/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From memory descriptors to what kernels know of tensors. Only blocked descriptors with known sizes come
 * here.
 */
#ifndef LODE_PRIMITIVES_TENSOR_H
#define LODE_PRIMITIVES_TENSOR_H

#include "core/plan.h"
#include "kernels/params.h"

/* What kernels call an element-wise algorithm in its forward direction. */
i32 eltwise_code(dnnl_alg_kind_t alg);

void tensor_init(struct tensor *tensor, const md_t *md);

/* The elements of dst in the order of memory, padding included, shared out among work-items. Returns the
 * range of a launch in which global id 0 is the `item` of walk_begin; it may run over the end, where
 * walk_begin finds nothing left. */
struct range walk_init(struct walk *walk, const md_t *md, const struct device *device);
/* The same for results that take `cost` operations each: the dearer they are, the finer they are shared out.
 */
struct range walk_init_cost(struct walk *walk, const md_t *md, const struct device *device, dnnl_dim_t cost);

/* Work-items in a group: 1 on CPUs, whose work-items are the units of work; on GPUs enough to fill the lanes.
 */
size_t full_group(const struct device *device);
/* A one-dimensional range of at least `items` work-items in groups of `group`. */
struct range range_of_items(dnnl_dim_t items, size_t group);
/* A range of groups of one work-item. */
struct range range_of_groups(dnnl_dim_t x, dnnl_dim_t y, dnnl_dim_t z);

#endif
