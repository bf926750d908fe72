/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory descriptors: data types, creation from strides, and queries of the fields. Layouts spelled as tags
 * are in md_tags.c, views in md_views.c.
 */
#include "core/memory_desc.h"
#include "base/hash.h"
#include "base/verbose.h"
#include "core/md_layout.h"

#include <string.h>

/* Data types */

static const struct type_row {
    unsigned char bits;
    bool integer;
    bool tensor; /* descriptors may have this type */
} types[] = {
        [dnnl_f16] = {16, false, true},     [dnnl_bf16] = {16, false, true},
        [dnnl_f32] = {32, false, true},     [dnnl_s32] = {32, true, true},
        [dnnl_s8] = {8, true, true},        [dnnl_u8] = {8, true, true},
        [dnnl_f64] = {64, false, true},     [dnnl_boolean] = {8, true, false},
        [dnnl_f8_e5m2] = {8, false, true},  [dnnl_f8_e4m3] = {8, false, true},
        [dnnl_s4] = {4, true, true},        [dnnl_u4] = {4, true, true},
        [dnnl_e8m0] = {8, false, true},     [dnnl_f4_e2m1] = {4, false, true},
        [dnnl_f4_e3m0] = {4, false, false}, [dnnl_s64] = {64, true, true},
};

static const struct type_row *type_row(dnnl_data_type_t type) {
    size_t index = (size_t)type;
    return &types[index < sizeof(types) / sizeof(types[0]) ? index : dnnl_data_type_undef];
}

int dt_bits(dnnl_data_type_t type) {
    return type_row(type)->bits;
}

size_t dt_size(dnnl_data_type_t type) {
    return (size_t)(dt_bits(type) + 7) / 8;
}

bool dt_is_integer(dnnl_data_type_t type) {
    return type_row(type)->integer;
}

bool dt_is_valid(dnnl_data_type_t type) {
    return type_row(type)->tensor;
}

/* Saturating arithmetic: sizes that overflow become the maximum. */

static size_t times(size_t a, size_t b) {
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static size_t bytes_of(size_t elements, dnnl_data_type_t type) {
    int bits = dt_bits(type);
    if (bits == 4) return elements / 2 + elements % 2;
    return times(elements, (size_t)bits / 8);
}

/* Creation */

dnnl_status_t md_check_shape(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             dnnl_format_kind_t kind) {
    if (!dims) return fail(dnnl_invalid_arguments, "memory", "dims is NULL");
    if (ndims < 1 || ndims > DNNL_MAX_NDIMS)
        return fail(dnnl_invalid_arguments, "memory", "bad number of dimensions: %d", ndims);
    if (!dt_is_valid(type))
        return fail(dnnl_invalid_arguments, "memory", "unsupported data type: %d", (int)type);

    dnnl_dim_t elements = 1;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] == DNNL_RUNTIME_DIM_VAL) {
            if (kind != dnnl_format_kind_any) continue;
            return fail(dnnl_invalid_arguments, "memory", "dims[%d] is a run-time value, the format is any",
                        d);
        }
        if (dims[d] < 0)
            return fail(dnnl_invalid_arguments, "memory", "dims[%d] is negative: %lld", d,
                        (long long)dims[d]);
        if (dims[d] > 0 && __builtin_mul_overflow(elements, dims[d], &elements))
            return fail(dnnl_invalid_arguments, "memory", "the number of elements overflows at dims[%d]", d);
    }
    return dnnl_success;
}

dnnl_status_t md_init(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                      dnnl_format_kind_t kind) {
    md_t made = {0};
    if (ndims != 0) {
        TRY(md_check_shape(ndims, dims, type, kind));
        made.ndims = ndims;
        made.data_type = type;
        made.format_kind = kind;
        memcpy(made.dims, dims, (size_t)ndims * sizeof(dims[0]));
        memcpy(made.padded_dims, dims, (size_t)ndims * sizeof(dims[0]));
    }
    *md = made;
    return dnnl_success;
}

/* Dense in logical order. A run-time dimension and the dimensions outside it have run-time strides. */
static bool default_strides(const md_t *md, dnnl_dims_t strides) {
    strides[md->ndims - 1] = 1;
    for (int d = md->ndims - 2; d >= 0; d--) {
        bool unknown = md->dims[d] == DNNL_RUNTIME_DIM_VAL || md->dims[d + 1] == DNNL_RUNTIME_DIM_VAL
                       || strides[d + 1] == DNNL_RUNTIME_DIM_VAL;
        if (unknown)
            strides[d] = DNNL_RUNTIME_DIM_VAL;
        else if (__builtin_mul_overflow(strides[d + 1], md->dims[d + 1], &strides[d]))
            return false;
    }
    return true;
}

dnnl_status_t md_init_by_strides(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                 const dnnl_dims_t strides) {
    md_t made;
    TRY(md_init(&made, ndims, dims, type, dnnl_blocked));
    if (ndims != 0) {
        dnnl_dim_t *wanted = made.blocking.strides;
        if (strides)
            memcpy(wanted, strides, (size_t)ndims * sizeof(strides[0]));
        else if (!default_strides(&made, wanted))
            return fail(dnnl_invalid_arguments, "memory", "the strides overflow");
        TRY(md_check_strides(&made));
    }
    *md = made;
    return dnnl_success;
}

dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t type) {
    const dnnl_dims_t dims = {1};
    md_t made;
    TRY(md_init(&made, 1, dims, type, dnnl_format_kind_host_scalar));
    made.padded_dims[0] = 0; /* as oneDNN's query returns it */
    *md = made;
    return dnnl_success;
}

dnnl_status_t md_init_sparse(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             const struct md_sparse *sparse) {
    if (sparse->encoding != dnnl_packed && ndims > 2)
        return fail(dnnl_unimplemented, "memory", "sparse tensors of %d dimensions", ndims);
    md_t made;
    TRY(md_init(&made, ndims, dims, type, dnnl_format_kind_sparse));
    if (ndims != 0) made.sparse = *sparse;
    *md = made;
    return dnnl_success;
}

void md_set_any_winograd(md_t *md, int side, int panel) {
    if (!md_is_any(md)) return;
    md->format_kind = (dnnl_format_kind_t)MD_WINOGRAD;
    md->winograd = (struct md_winograd){side, panel};
}

/* Strides */

void md_order(const md_t *md, int *order) {
    dnnl_dims_t blocks;
    md_blocks(md, blocks);
    for (int i = 0; i < md->ndims; i++) {
        int at = i;
        for (; at > 0; at--) {
            int other = order[at - 1];
            /* A stride of 0 repeats the tensor: that dimension counts as the outermost. */
            uint64_t mine = (uint64_t)md->blocking.strides[i] - 1;
            uint64_t theirs = (uint64_t)md->blocking.strides[other] - 1;
            dnnl_dim_t my_count = md->padded_dims[i] / blocks[i];
            dnnl_dim_t their_count = md->padded_dims[other] / blocks[other];
            if (theirs > mine || (theirs == mine && their_count >= my_count)) break;
            order[at] = other;
        }
        order[at] = i;
    }
}

static dnnl_status_t bad_stride(const md_t *md, int d, const char *why) {
    return fail(dnnl_invalid_arguments, "memory", "strides[%d] is %lld: %s", d,
                (long long)md->blocking.strides[d], why);
}

/* Empty tensors and those with run-time values have nothing to check yet. */
static bool strides_are_final(const md_t *md) {
    for (int d = 0; d < md->ndims; d++)
        if (md->padded_dims[d] == 0 || md->padded_dims[d] == DNNL_RUNTIME_DIM_VAL
            || md->blocking.strides[d] == DNNL_RUNTIME_DIM_VAL)
            return false;
    return true;
}

dnnl_status_t md_check_strides(const md_t *md) {
    if (!strides_are_final(md)) return dnnl_success;

    int order[DNNL_MAX_NDIMS];
    dnnl_dims_t blocks;
    md_order(md, order);
    md_blocks(md, blocks);
    dnnl_dim_t extent = 1; /* extent in elements of the dimensions seen so far, from the innermost */
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        extent *= md->blocking.inner_blks[b];
    for (int i = md->ndims - 1; i >= 0; i--) {
        int d = order[i];
        dnnl_dim_t stride = md->blocking.strides[d];
        if (stride == 0 || md->padded_dims[d] == 1) continue;
        if (stride < extent) return bad_stride(md, d, "elements would overlap");
        if (dt_bits(md->data_type) == 4 && stride > 1 && stride % 2 != 0)
            return bad_stride(md, d, "odd, for a 4-bit type");
        if (__builtin_mul_overflow(stride, md->padded_dims[d] / blocks[d], &extent))
            return bad_stride(md, d, "the size overflows");
    }
    if ((size_t)extent > SIZE_MAX / dt_size(md->data_type))
        return fail(dnnl_invalid_arguments, "memory", "the size in bytes overflows");
    return dnnl_success;
}

/* Queries */

bool md_is_zero(const md_t *md) {
    return !md || md->ndims == 0;
}

bool md_is_any(const md_t *md) {
    return md->format_kind == dnnl_format_kind_any;
}

bool md_is_blocked(const md_t *md) {
    return md->format_kind == dnnl_blocked;
}

bool md_is_plain(const md_t *md) {
    return md_is_blocked(md) && md->blocking.inner_nblks == 0;
}

bool md_is_winograd(const md_t *md) {
    return (int)md->format_kind == MD_WINOGRAD;
}

bool md_is_host_scalar(const md_t *md) {
    return md->format_kind == dnnl_format_kind_host_scalar;
}

static bool has_value(const dnnl_dim_t *values, int count, dnnl_dim_t value) {
    for (int i = 0; i < count; i++)
        if (values[i] == value) return true;
    return false;
}

bool md_has_runtime_dims(const md_t *md) {
    return has_value(md->dims, md->ndims, DNNL_RUNTIME_DIM_VAL);
}

bool md_has_runtime_dims_or_strides(const md_t *md) {
    return md_has_runtime_dims(md)
           || (md_is_blocked(md) && has_value(md->blocking.strides, md->ndims, DNNL_RUNTIME_DIM_VAL));
}

bool md_has_padding(const md_t *md) {
    return memcmp(md->dims, md->padded_dims, (size_t)md->ndims * sizeof(md->dims[0])) != 0;
}

bool md_is_dense(const md_t *md, bool with_padding) {
    if (!md_is_blocked(md) || md_has_runtime_dims_or_strides(md)) return false;
    if (has_value(md->blocking.strides, md->ndims, 0)) return false;
    return bytes_of((size_t)md_nelems(md, with_padding), md->data_type) == md_size(md, 0);
}

bool md_same_dims(const md_t *a, const md_t *b) {
    return a->ndims == b->ndims && memcmp(a->dims, b->dims, (size_t)a->ndims * sizeof(a->dims[0])) == 0;
}

/* Strides of dimensions of size 1 are ignored. */
bool md_same_blocking(const md_t *a, const md_t *b) {
    if (a->blocking.inner_nblks != b->blocking.inner_nblks) return false;
    for (int i = 0; i < a->blocking.inner_nblks; i++)
        if (a->blocking.inner_blks[i] != b->blocking.inner_blks[i]
            || a->blocking.inner_idxs[i] != b->blocking.inner_idxs[i])
            return false;
    for (int d = 0; d < a->ndims; d++)
        if ((a->dims[d] != 1 || a->padded_dims[d] != 1) && a->blocking.strides[d] != b->blocking.strides[d])
            return false;
    return true;
}

static bool same_sparse(const struct md_sparse *a, const struct md_sparse *b) {
    return a->encoding == b->encoding && a->nnz == b->nnz && a->metadata_types[0] == b->metadata_types[0]
           && a->metadata_types[1] == b->metadata_types[1];
}

bool md_same_layout(const md_t *a, const md_t *b) {
    if (a->ndims == 0 && b->ndims == 0) return true;
    size_t bytes = (size_t)a->ndims * sizeof(a->dims[0]);
    if (!md_same_dims(a, b) || memcmp(a->padded_dims, b->padded_dims, bytes) != 0
        || memcmp(a->padded_offsets, b->padded_offsets, bytes) != 0 || a->offset0 != b->offset0
        || a->format_kind != b->format_kind)
        return false;
    if (md_is_blocked(a)) return md_same_blocking(a, b);
    if (a->format_kind == dnnl_format_kind_sparse) return same_sparse(&a->sparse, &b->sparse);
    if (md_is_winograd(a))
        return a->winograd.side == b->winograd.side && a->winograd.panel == b->winograd.panel;
    return true;
}

bool md_equal(const md_t *a, const md_t *b) {
    if (a->ndims == 0 && b->ndims == 0) return true;
    return a->data_type == b->data_type && md_same_layout(a, b);
}

static uint64_t hash_blocking(const md_t *md, uint64_t hash) {
    const struct md_blocking *blocking = &md->blocking;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1 || md->padded_dims[d] != 1)
            hash = hash_word(hash, (uint64_t)blocking->strides[d]);
    for (int b = 0; b < blocking->inner_nblks; b++)
        hash = hash_word(hash, (uint64_t)(blocking->inner_blks[b] << 8 | blocking->inner_idxs[b]));
    return hash;
}

uint64_t md_hash(const md_t *md, uint64_t seed) {
    uint64_t hash = hash_word(seed, (uint64_t)md->ndims << 32 | (uint64_t)md->data_type << 16
                                            | (uint64_t)md->format_kind);
    if (md->ndims == 0) return seed;
    for (int d = 0; d < md->ndims; d++) {
        hash = hash_word(hash, (uint64_t)md->dims[d]);
        hash = hash_word(hash, (uint64_t)(md->padded_dims[d] ^ md->padded_offsets[d] << 32));
    }
    hash = hash_word(hash, (uint64_t)md->offset0);
    if (md_is_winograd(md)) hash = hash_word(hash, (uint64_t)md->winograd.side << 8 | md->winograd.panel);
    return md_is_blocked(md) ? hash_blocking(md, hash) : hash;
}

/* Inner blocks are of existing dimensions and divide the padded sizes. */
static bool has_sound_blocks(const md_t *md) {
    const struct md_blocking *blocking = &md->blocking;
    dnnl_dim_t product = 1;
    if (blocking->inner_nblks < 0 || blocking->inner_nblks > DNNL_MAX_NDIMS) return false;
    for (int b = 0; b < blocking->inner_nblks; b++) {
        if (blocking->inner_idxs[b] < 0 || blocking->inner_idxs[b] >= md->ndims) return false;
        if (blocking->inner_blks[b] < 1) return false;
        if (__builtin_mul_overflow(product, blocking->inner_blks[b], &product)) return false;
    }
    return true;
}

/* No stride is negative, and the offset of the last element does not overflow. */
static bool has_sound_strides(const md_t *md) {
    if (!strides_are_final(md)) return true;
    dnnl_dims_t blocks;
    md_blocks(md, blocks);
    dnnl_dim_t last = md->offset0, reach;
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        if (__builtin_add_overflow(last, md->blocking.inner_blks[b], &last)) return false;
    for (int d = 0; d < md->ndims; d++) {
        if (md->padded_dims[d] == 1) continue;
        dnnl_dim_t count = md->padded_dims[d] / blocks[d], stride = md->blocking.strides[d];
        if (stride < 0 || __builtin_mul_overflow(stride, count, &reach)) return false;
        if (__builtin_add_overflow(last, reach, &last)) return false;
    }
    return true;
}

static bool has_sound_sparsity(const md_t *md) {
    const struct md_sparse *sparse = &md->sparse;
    return sparse->encoding == dnnl_packed
           || ((sparse->encoding == dnnl_csr || sparse->encoding == dnnl_coo) && md->ndims <= 2);
}

static bool is_sound_winograd(const md_t *md) {
    const struct md_winograd *w = &md->winograd;
    return md->ndims == 4 && md->data_type == dnnl_f32 && !md_has_runtime_dims(md) && !md_has_padding(md)
           && md->offset0 == 0 && md->dims[2] == 3 && md->dims[3] == 3 && (w->side == 2 || w->side == 4)
           && (w->panel == 16 || w->panel == 32);
}

bool md_is_sound(const md_t *md) {
    if (md->ndims == 0) return md->format_kind == dnnl_format_kind_undef;
    if (md_check_shape(md->ndims, md->dims, md->data_type, md->format_kind) != dnnl_success) return false;
    if (md_is_host_scalar(md)) return md->ndims == 1 && md->dims[0] == 1;
    if (md->offset0 < 0) return false;
    dnnl_dim_t elements = 1;
    for (int d = 0; d < md->ndims; d++) {
        if (md->padded_dims[d] < md->dims[d] || md->padded_offsets[d] != 0) return false;
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL && md->padded_dims[d] != DNNL_RUNTIME_DIM_VAL) return false;
        if (md->padded_dims[d] > 0 && __builtin_mul_overflow(elements, md->padded_dims[d], &elements))
            return false;
    }
    if (md->format_kind == dnnl_format_kind_sparse) return has_sound_sparsity(md);
    if (md_is_winograd(md)) return is_sound_winograd(md);
    if (md_is_blocked(md)) return has_sound_blocks(md) && has_sound_strides(md);
    return md_is_any(md);
}

/* Sizes and offsets */

dnnl_dim_t md_nelems(const md_t *md, bool with_padding) {
    if (md->ndims == 0) return 0;
    if (md_has_runtime_dims(md)) return DNNL_RUNTIME_DIM_VAL;
    dnnl_dim_t elements = 1;
    for (int d = 0; d < md->ndims; d++)
        elements *= with_padding ? md->padded_dims[d] : md->dims[d];
    return elements;
}

int md_extent_mask(const md_t *md) {
    int mask = 0;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1) mask |= 1 << d;
    return mask;
}

void md_blocks(const md_t *md, dnnl_dims_t blocks) {
    for (int d = 0; d < md->ndims; d++)
        blocks[d] = 1;
    if (!md_is_blocked(md)) return;
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        blocks[md->blocking.inner_idxs[b]] *= md->blocking.inner_blks[b];
}

/* From the first element to one past the last, padding included. */
static size_t blocked_extent(const md_t *md) {
    dnnl_dims_t blocks;
    md_blocks(md, blocks);
    size_t extent = 0;
    for (int d = 0; d < md->ndims; d++) {
        dnnl_dim_t count = md->padded_dims[d] / blocks[d];
        size_t reach = count == 1 ? 1 : times((size_t)count, (size_t)md->blocking.strides[d]);
        if (reach > extent) extent = reach;
    }
    if (extent == 1)
        for (int b = 0; b < md->blocking.inner_nblks; b++)
            extent = times(extent, (size_t)md->blocking.inner_blks[b]);
    return extent;
}

static size_t sparse_size(const md_t *md, int handle) {
    const struct md_sparse *sparse = &md->sparse;
    if (sparse->encoding == dnnl_packed) return 0; /* the implementation decides, as with format any */
    /* oneDNN sizes the pointers of a one-dimensional CSR tensor, though it counts no handle for them. */
    int last = sparse->encoding == dnnl_csr ? 2 : md->ndims;
    if (handle < 0 || handle > last) return 0;
    size_t nnz = (size_t)sparse->nnz;
    if (handle == 0) return times(nnz, dt_size(md->data_type));
    if (sparse->encoding == dnnl_csr && handle == 2)
        return times((size_t)md->dims[0] + 1, dt_size(sparse->metadata_types[1]));
    return times(nnz, dt_size(sparse->metadata_types[0]));
}

static size_t transformed_size(const md_t *md) {
    const size_t points = (size_t)md->winograd.side + 2, panel = (size_t)md->winograd.panel;
    const size_t outputs = times(((size_t)md->dims[0] + panel - 1) / panel, panel);
    return times(times(points * points * sizeof(float), outputs), (size_t)md->dims[1]);
}

static size_t winograd_size(const md_t *md) {
    const size_t transformed = transformed_size(md),
                 plain = bytes_of((size_t)md_nelems(md, false), md->data_type);
    return plain > SIZE_MAX - transformed ? SIZE_MAX : transformed + plain;
}

dnnl_status_t md_winograd_plain(const md_t *md, md_t *plain) {
    TRY(md_init_by_strides(plain, md->ndims, md->dims, md->data_type, NULL));
    plain->offset0 = (dnnl_dim_t)(transformed_size(md) / sizeof(float));
    return dnnl_success;
}

size_t md_size(const md_t *md, int handle) {
    if (md->format_kind == dnnl_format_kind_undef || md_is_any(md)) return 0;
    if (md->ndims == 0 || has_value(md->dims, md->ndims, 0)) return 0;
    if (md_is_blocked(md) && handle != 0) return 0;
    if (md_has_runtime_dims_or_strides(md)) return DNNL_RUNTIME_SIZE_VAL;
    if (md_is_blocked(md)) return bytes_of(blocked_extent(md), md->data_type);
    if (md->format_kind == dnnl_format_kind_sparse) return sparse_size(md, handle);
    if (md_is_host_scalar(md)) return dt_size(md->data_type);
    if (md_is_winograd(md) && handle == 0) return winograd_size(md);
    return 0;
}

int md_handles(const md_t *md) {
    if (md->format_kind != dnnl_format_kind_sparse) return 1;
    return md->sparse.encoding == dnnl_packed ? 3 : md->ndims + 1;
}

dnnl_dim_t md_offset(const md_t *md, const dnnl_dim_t *position) {
    const struct md_blocking *blocking = &md->blocking;
    dnnl_dims_t rest;
    memcpy(rest, position, (size_t)md->ndims * sizeof(rest[0]));
    dnnl_dim_t offset = md->offset0, step = 1;
    for (int b = blocking->inner_nblks - 1; b >= 0; b--) {
        dnnl_dim_t d = blocking->inner_idxs[b], block = blocking->inner_blks[b];
        offset += rest[d] % block * step;
        rest[d] /= block;
        step *= block;
    }
    for (int d = 0; d < md->ndims; d++)
        offset += rest[d] * blocking->strides[d];
    return offset;
}
