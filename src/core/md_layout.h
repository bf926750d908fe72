/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the files of the memory descriptor: memory_desc.c, md_tags.c, md_views.c.
 */
#ifndef LODE_CORE_MD_LAYOUT_H
#define LODE_CORE_MD_LAYOUT_H

#include "core/memory_desc.h"

/* Checks that a tensor can have this shape. Not for ndims 0. */
dnnl_status_t md_check_shape(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             dnnl_format_kind_t kind);
/* Checks the strides of a blocked descriptor: no two elements at one offset, no overflow. */
dnnl_status_t md_check_strides(const md_t *md);
/* The dimensions of a blocked descriptor, outermost first. */
void md_order(const md_t *md, int *order);
/* True if strides and inner blocks are the same. Both must be blocked and have the same dims. */
bool md_same_blocking(const md_t *a, const md_t *b);

#endif
