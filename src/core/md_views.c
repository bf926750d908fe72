/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: descriptors of a part of a tensor's memory or of the same memory in another shape. None of them
 * moves data, so each works only as far as strides and inner blocks can express the result.
 */
#include "core/memory_desc.h"
#include "core/md_layout.h"
#include "base/verbose.h"

#include <string.h>

/* Checks that a view of the descriptor can be made. */
static dnnl_status_t check_viewable(const md_t *from) {
    if (md_is_zero(from)) return fail(dnnl_invalid_arguments, "memory", "the descriptor is empty");
    if (!dt_is_valid(from->data_type)) return fail(dnnl_invalid_arguments, "memory", "unsupported data type");
    if (!md_is_any(from) && !md_is_blocked(from))
        return fail(dnnl_invalid_arguments, "memory", "the layout is opaque");
    if (md_has_runtime_dims_or_strides(from))
        return fail(dnnl_invalid_arguments, "memory", "run-time dimensions or strides");
    return dnnl_success;
}

/* Permutation */

static bool is_permutation(const int *permutation, int ndims) {
    unsigned seen = 0;
    for (int d = 0; d < ndims; d++)
        if (permutation[d] >= 0 && permutation[d] < ndims) seen |= 1u << permutation[d];
    return seen == (1u << ndims) - 1;
}

dnnl_status_t md_permute(md_t *to, const md_t *from, const int *permutation) {
    TRY(check_viewable(from));
    if (!permutation || !is_permutation(permutation, from->ndims))
        return fail(dnnl_invalid_arguments, "memory", "not a permutation of the dimensions");

    md_t made = *from;
    for (int d = 0; d < from->ndims; d++) {
        int target = permutation[d];
        made.dims[target] = from->dims[d];
        made.padded_dims[target] = from->padded_dims[d];
        made.padded_offsets[target] = from->padded_offsets[d];
        if (md_is_blocked(from)) made.blocking.strides[target] = from->blocking.strides[d];
    }
    if (md_is_blocked(from))
        for (int b = 0; b < from->blocking.inner_nblks; b++)
            made.blocking.inner_idxs[b] = permutation[from->blocking.inner_idxs[b]];
    *to = made;
    return dnnl_success;
}

/* Sub-memory */

static dnnl_status_t check_region(const md_t *from, const dnnl_dims_t dims, const dnnl_dims_t offsets) {
    for (int d = 0; d < from->ndims; d++) {
        if (dims[d] == DNNL_RUNTIME_DIM_VAL || offsets[d] == DNNL_RUNTIME_DIM_VAL)
            return fail(dnnl_unimplemented, "memory", "dimension %d of the region is a run-time value", d);
        dnnl_dim_t end;
        if (dims[d] < 0 || offsets[d] < 0 || __builtin_add_overflow(dims[d], offsets[d], &end)
            || end > from->dims[d])
            return fail(dnnl_invalid_arguments, "memory", "dimension %d of the region is out of bounds", d);
    }
    return dnnl_success;
}

dnnl_status_t md_submemory(md_t *to, const md_t *from, const dnnl_dims_t dims, const dnnl_dims_t offsets) {
    md_t made = *from;
    if (from->ndims != 0) {
        if (!dims || !offsets) return fail(dnnl_invalid_arguments, "memory", "dims or offsets is NULL");
        if (!dt_is_valid(from->data_type))
            return fail(dnnl_invalid_arguments, "memory", "unsupported data type");
        if (md_has_runtime_dims_or_strides(from))
            return fail(dnnl_unimplemented, "memory", "run-time dimensions or strides");
        TRY(check_region(from, dims, offsets));
    }
    if (!md_is_blocked(from))
        return fail(dnnl_unimplemented, "memory", "only blocked layouts have sub-memories");

    dnnl_dims_t blocks;
    md_blocks(from, blocks);
    for (int d = 0; d < from->ndims; d++) {
        bool to_the_end = offsets[d] + dims[d] == from->dims[d];
        bool whole_blocks = offsets[d] % blocks[d] == 0
                            && (to_the_end || dims[d] % blocks[d] == 0 || dims[d] < blocks[d]);
        if (!whole_blocks || from->padded_offsets[d] != 0)
            return fail(dnnl_unimplemented, "memory", "dimension %d of the region cuts through a block", d);
        made.dims[d] = dims[d];
        made.padded_dims[d] = to_the_end ? from->padded_dims[d] - offsets[d] : dims[d];
        made.offset0 += offsets[d] / blocks[d] * from->blocking.strides[d];
    }
    *to = made;
    return dnnl_success;
}

/* Reshape
 *
 * Both shapes are walked from the innermost dimension outwards, in groups of equal volume: dimensions from
 * `from[first]` to before `from[end]` against the same of `to`. */

struct group {
    int from_first, from_end;
    int to_first, to_end;
};

static bool is_split(const md_t *md, int d) {
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        if (md->blocking.inner_idxs[b] == d) return true;
    return false;
}

/* Extends the group outwards until both sides have the same number of elements. */
static bool match_volumes(struct group *group, const md_t *from, const md_t *to) {
    if (group->from_end == 0 || group->to_end == 0) return false;
    dnnl_dim_t from_volume = from->dims[--group->from_first], to_volume = to->dims[--group->to_first];
    while (from_volume != to_volume) {
        bool from_is_smaller = from_volume < to_volume;
        int *first = from_is_smaller ? &group->from_first : &group->to_first;
        if (*first == 0) return false;
        if (from_is_smaller)
            from_volume *= from->dims[--*first];
        else
            to_volume *= to->dims[--*first];
        if (from_volume == 0 || to_volume == 0) return false;
    }
    return true;
}

/* On entry, both ends are at the outer border of the previous group. */
static bool find_group(struct group *group, const md_t *from, const md_t *to) {
    bool from_one = group->from_end > 0 && from->dims[group->from_end - 1] == 1;
    bool to_one = group->to_end > 0 && to->dims[group->to_end - 1] == 1;
    if (from_one && from->padded_dims[group->from_end - 1] == 1) {
        group->from_first--;
        return true;
    }
    if (from_one) { /* a padded dimension of size 1 cannot change */
        group->from_first--;
        group->to_first--;
        return to_one;
    }
    if (to_one) {
        group->to_first--;
        return true;
    }
    return match_volumes(group, from, to);
}

/* A new dimension of size 1: its stride has no effect; it is set to that of a dense tensor. */
static void add_one(md_t *to, const md_t *from, const struct group *group) {
    int inner = group->from_first;
    dnnl_dim_t stride = 1;
    if (inner < from->ndims) stride = from->blocking.strides[inner] * from->dims[inner];
    for (int b = 0; b < from->blocking.inner_nblks; b++) {
        if (inner == from->ndims)
            stride *= from->blocking.inner_blks[b];
        else if (from->blocking.inner_idxs[b] == inner)
            stride /= from->blocking.inner_blks[b];
    }
    to->padded_dims[group->to_first] = 1;
    to->blocking.strides[group->to_first] = stride;
}

static void keep_one(md_t *to, const md_t *from, const struct group *group) {
    int source = group->from_first, target = group->to_first;
    to->padded_dims[target] = from->padded_dims[source];
    to->padded_offsets[target] = from->padded_offsets[source];
    to->blocking.strides[target] = from->blocking.strides[source];
    for (int b = 0; b < from->blocking.inner_nblks; b++)
        if (from->blocking.inner_idxs[b] == source) to->blocking.inner_idxs[b] = target;
}

/* Merges or splits dimensions, which must be dense, without blocks or padding. */
static bool rearrange(md_t *to, const md_t *from, const struct group *group) {
    const dnnl_dim_t *strides = from->blocking.strides;
    for (int d = group->from_end - 1; d > group->from_first; d--)
        if (from->dims[d] * strides[d] != strides[d - 1]) return false;
    int first = group->from_first;
    if (is_split(from, first) || from->padded_dims[first] != from->dims[first]) return false;

    dnnl_dim_t stride = strides[group->from_end - 1];
    for (int d = group->to_end - 1; d >= group->to_first; d--) {
        to->padded_dims[d] = to->dims[d];
        to->blocking.strides[d] = stride;
        stride *= to->dims[d];
    }
    return true;
}

static bool reshape_group(md_t *to, const md_t *from, const struct group *group) {
    int from_count = group->from_end - group->from_first, to_count = group->to_end - group->to_first;
    if (to_count == 0) return true; /* a dimension of size 1 is removed */
    if (from_count == 0) {
        add_one(to, from, group);
        return true;
    }
    if (from_count == 1 && to_count == 1) {
        keep_one(to, from, group);
        return true;
    }
    return rearrange(to, from, group);
}

static dnnl_dim_t volume(const dnnl_dim_t *dims, int ndims) {
    dnnl_dim_t product = 1;
    for (int d = 0; d < ndims; d++)
        if (dims[d] > 0) product *= dims[d];
    return product;
}

dnnl_status_t md_reshape(md_t *to, const md_t *from, int ndims, const dnnl_dims_t dims) {
    TRY(check_viewable(from));
    md_t made;
    TRY(md_init(&made, ndims, dims, from->data_type, from->format_kind));
    if (md_has_runtime_dims(&made) || volume(made.dims, ndims) != volume(from->dims, from->ndims))
        return fail(dnnl_invalid_arguments, "memory", "the shapes differ in volume");

    if (md_is_blocked(&made)) {
        struct md_blocking *blocking = &made.blocking;
        *blocking = from->blocking;
        memset(blocking->strides, 0, sizeof(blocking->strides));
        made.offset0 = from->offset0;
        struct group group = {from->ndims, from->ndims, ndims, ndims};
        while (group.from_end != 0 || group.to_end != 0) {
            if (!find_group(&group, from, &made) || !reshape_group(&made, from, &group))
                return fail(dnnl_invalid_arguments, "memory", "the layout cannot have this shape");
            group.from_end = group.from_first;
            group.to_end = group.to_first;
        }
    }
    *to = made;
    return dnnl_success;
}
