/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of softmax, forward and backward, for the kernels that take layouts without blocks: see softmax.h
 * and kernels/params_softmax.h.
 */
#include "base/round.h"
#include "primitives/softmax.h"
#include "primitives/tensor.h"

bool softmax_is_dense(const md_t *md, int dim) {
    return md_is_plain(md) && (md->blocking.strides[dim] == 1 || md->dims[dim] == 1);
}

void softmax_axis_last(char *tag, int ndims, int axis) {
    int n = 0;
    for (int d = 0; d < ndims; d++)
        if (d != axis) tag[n++] = (char)('a' + d);
    tag[n++] = (char)('a' + axis);
    tag[n] = 0;
}

/* Are these one loop in all tensors? */
static bool can_merge(const struct softmax_loop *outer, const struct softmax_loop *inner) {
    for (int t = 0; t < SOFTMAX_TENSORS; t++)
        if (outer->strides[t] != inner->strides[t] * inner->size) return false;
    return true;
}

/* Adds a loop in the order of the strides of one tensor. */
static void insert_loop(struct softmax_lines_params *p, const struct softmax_loop *loop, int tensor) {
    int at = p->nloops++;
    for (; at > 0 && p->loops[at - 1].strides[tensor] < loop->strides[tensor]; at--)
        p->loops[at] = p->loops[at - 1];
    p->loops[at] = *loop;
}

static void merge_loops(struct softmax_lines_params *p) {
    int count = 0;
    for (int l = 0; l < p->nloops; l++) {
        const bool merge = count > 0 && can_merge(&p->loops[count - 1], &p->loops[l]);
        const i64 size = merge ? p->loops[--count].size : 1;
        p->loops[count] = p->loops[l];
        p->loops[count++].size *= size;
    }
    p->nloops = count;
}

static void set_lines(struct softmax_lines_params *p, const md_t *const *mds, int count, int axis) {
    *p = (struct softmax_lines_params){.length = mds[0]->dims[axis]};
    for (int t = 0; t < count; t++) {
        p->types[t] = (i32)mds[t]->data_type;
        p->offsets[t] = mds[t]->offset0;
        p->steps[t] = mds[t]->blocking.strides[axis];
    }
    for (int d = 0; d < mds[0]->ndims; d++) {
        struct softmax_loop loop = {.size = mds[0]->dims[d]};
        for (int t = 0; t < count; t++)
            loop.strides[t] = mds[t]->blocking.strides[d];
        if (d != axis && loop.size != 1) insert_loop(p, &loop, count - 1);
    }
    merge_loops(p);
}

/* Turns the innermost loop into blocks of lines. False: these are not next to each other. */
static bool set_blocks(struct softmax_lines_params *p, int count) {
    if (p->nloops == 0) return false;
    struct softmax_loop *last = &p->loops[p->nloops - 1];
    for (int t = 0; t < count; t++) {
        if (last->strides[t] != 1) return false;
        last->strides[t] = SOFTMAX_BLOCK;
    }
    p->width = last->size;
    last->size = divide_up(p->width, SOFTMAX_BLOCK);
    return true;
}

static bool are_plain(const md_t *const *mds, int count) {
    for (int t = 0; t < count; t++)
        if (!md_is_plain(mds[t]) || md_has_padding(mds[t])) return false;
    return true;
}

static bool are_along(const md_t *const *mds, int count, int axis) {
    for (int t = 0; t < count; t++)
        if (!softmax_is_dense(mds[t], axis)) return false;
    return true;
}

bool softmax_fits(struct softmax_lines_params *p, const md_t *const *mds, int count, int axis, bool across) {
    if (!are_plain(mds, count) || across == are_along(mds, count, axis)) return false;
    set_lines(p, mds, count, axis);
    return !across || set_blocks(p, count);
}

struct range softmax_cut_lines(struct softmax_lines_params *p) {
    enum { WORK = 8192, ITEMS = 64 }; /* elements of a work-item, and work-items before these get more */
    const i64 lines = p->width < 1 ? 1 : p->width < SOFTMAX_BLOCK ? p->width : SOFTMAX_BLOCK;
    p->units = 1;
    for (int l = 0; l < p->nloops; l++)
        p->units *= p->loops[l].size;
    const i64 work = WORK / (p->length * lines), most = p->units / ITEMS;
    p->span = work < most ? work : most;
    if (p->span < 1) p->span = 1;
    return range_of_items(divide_up(p->units, p->span), 1);
}
