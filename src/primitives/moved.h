/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes a problem with some tensors in other types or layouts, which its fast kernels take: inputs are
 * moved to scratchpad before, results are moved back after. An implementation calls
 *
 *   struct moved moved = {.plan = plan};
 *   moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, "acdb") …
 *   return moved_build(&moved, its own table);
 *
 * and must skip what it would not move: the same implementation is asked again for the moved problem.
 * Inputs that become f32 lose their zero points on the way.
 */
#ifndef LODE_PRIMITIVES_MOVED_H
#define LODE_PRIMITIVES_MOVED_H

#include "core/plan.h"

enum { MOVED_TENSORS = 4 };
struct moved {
    struct plan *plan;
    int count;
    struct moved_tensor {
        int arg;
        bool output;
        md_t user, own;
    } tensors[MOVED_TENSORS];
};

/* The tensor of an argument, if there is one, moves to this type and layout. */
dnnl_status_t moved_add(struct moved *moved, int arg, dnnl_data_type_t type, const char *tag);
dnnl_status_t moved_build(const struct moved *moved, const struct implementation *implementations);

/* The tag of a dense layout: row-major, or channels last if a tensor is, and else row-major. */
enum { MOVED_TAG = DNNL_MAX_NDIMS + 1 };
const char *row_major_tag(const md_t *md, char tag[MOVED_TAG]);
const char *moved_tag(const md_t *like, char tag[MOVED_TAG]);

#endif
