/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts memory descriptors to the form that kernels read. Descriptors must be blocked and have known
 * sizes.
 */
#ifndef LODE_PRIMITIVES_TENSOR_H
#define LODE_PRIMITIVES_TENSOR_H

#include "core/plan.h"
#include "kernels/params.h"

/* The kernels' constant (ELTWISE_*) for an element-wise algorithm, forward. */
i32 eltwise_code(dnnl_alg_kind_t alg);

void tensor_init(struct tensor *tensor, const md_t *md);

/* Divides the elements of dst, in memory order and including padding, among work-items. Returns the range of
 * a launch in which global id 0 is the `item` of walk_begin. The range may go past the end, where walk_begin
 * finds no elements. */
struct range walk_init(struct walk *walk, const md_t *md, const struct device *device);
/* The same for results of `cost` operations each: the higher the cost, the fewer elements per work-item.
 */
struct range walk_init_cost(struct walk *walk, const md_t *md, const struct device *device, dnnl_dim_t cost);

/* The loops alone, with no shares. */
void walk_cut(struct walk *walk, const md_t *md);
/* The distance between positions that are `step` apart along a dimension, `size` of them. False: it is not
 * the same for all. */
bool walk_distance(const md_t *md, int dim, dnnl_dim_t step, dnnl_dim_t size, i64 *stride);

/* How many elements a work-item of a CPU takes where each costs little: enough that beginning a work-item
 * costs little as well, few enough that every thread gets several. */
dnnl_dim_t work_of_item(const struct device *device, dnnl_dim_t elements);

/* Work-items per group: 1 on CPUs, where one work-item is a unit of work; on GPUs enough to fill the lanes.
 */
size_t full_group(const struct device *device);
/* A one-dimensional range of at least `items` work-items in groups of `group`. */
struct range range_of_items(dnnl_dim_t items, size_t group);
/* A range of groups of one work-item. */
struct range range_of_groups(dnnl_dim_t x, dnnl_dim_t y, dnnl_dim_t z);

#endif
