/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_memory_desc_*: descriptors as objects on the heap, each owned by the caller that created or cloned it.
 * core/memory_desc.h defines what a descriptor means.
 */
#include "api/undeclared.h"
#include "core/memory_desc.h"
#include "base/verbose.h"

#include <stdlib.h>
#include <string.h>

/* If `status` is success, returns a copy of the descriptor on the heap. */
static dnnl_status_t hand_out(dnnl_memory_desc_t *out, dnnl_status_t status, const md_t *made) {
    if (status != dnnl_success) return status;
    md_t *md = malloc(sizeof(*md));
    if (!md) return fail(dnnl_out_of_memory, "memory", "no memory for a descriptor");
    *md = *made;
    *out = md;
    return dnnl_success;
}

/* Creation */

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *md, int ndims, const dnnl_dims_t dims,
                                               dnnl_data_type_t data_type, dnnl_format_tag_t tag) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md_t made;
    dnnl_status_t status = md_init_by_tag(&made, ndims, dims, data_type, tag);
    return hand_out(md, status, &made);
}

dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *md, int ndims,
                                                      const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                      const char *tag) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md_t made;
    dnnl_status_t status = md_init_by_string(&made, ndims, dims, data_type, tag);
    return hand_out(md, status, &made);
}

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *md, int ndims, const dnnl_dims_t dims,
                                                   dnnl_data_type_t data_type, const dnnl_dims_t strides) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md_t made;
    dnnl_status_t status = md_init_by_strides(&made, ndims, dims, data_type, strides);
    return hand_out(md, status, &made);
}

static dnnl_status_t create_sparse(dnnl_memory_desc_t *md, int ndims, const dnnl_dims_t dims,
                                   dnnl_data_type_t data_type, struct md_sparse sparse) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md_t made;
    dnnl_status_t status = md_init_sparse(&made, ndims, dims, data_type, &sparse);
    return hand_out(md, status, &made);
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *md, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
                                                        dnnl_data_type_t pointers_dt) {
    return create_sparse(md, ndims, dims, data_type,
                         (struct md_sparse){dnnl_csr, nnz, {indices_dt, pointers_dt}});
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *md, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_dim_t nnz, dnnl_data_type_t indices_dt) {
    return create_sparse(md, ndims, dims, data_type, (struct md_sparse){dnnl_coo, nnz, {indices_dt}});
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *md, int ndims,
                                                           const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                           dnnl_dim_t nnz) {
    return create_sparse(md, ndims, dims, data_type, (struct md_sparse){dnnl_packed, nnz, {0}});
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t *md, dnnl_data_type_t data_type) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md_t made;
    dnnl_status_t status = md_init_host_scalar(&made, data_type);
    return hand_out(md, status, &made);
}

/* Views and copies */

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *md, const_dnnl_memory_desc_t parent,
                                                const dnnl_dims_t dims, const dnnl_dims_t offsets) {
    if (!md || !parent)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL",
                    md ? "parent_memory_desc" : "memory_desc");
    md_t made;
    dnnl_status_t status = md_submemory(&made, parent, dims, offsets);
    return hand_out(md, status, &made);
}

dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in, int ndims,
                                       const dnnl_dims_t dims) {
    if (!out || !in)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL",
                    out ? "in_memory_desc" : "out_memory_desc");
    md_t made;
    dnnl_status_t status = md_reshape(&made, in, ndims, dims);
    return hand_out(out, status, &made);
}

dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in,
                                            const int *permutation) {
    if (!out || !in)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL",
                    out ? "in_memory_desc" : "out_memory_desc");
    md_t made;
    dnnl_status_t status = md_permute(&made, in, permutation);
    return hand_out(out, status, &made);
}

dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t *md, const_dnnl_memory_desc_t existing) {
    if (!md || !existing)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL",
                    md ? "existing_memory_desc" : "memory_desc");
    return hand_out(md, dnnl_success, existing);
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t md) {
    free(md);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t md, dnnl_data_type_t data_type) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    md->data_type = data_type;
    return dnnl_success;
}

/* Blobs: the bytes of the struct, valid for the library that wrote them. Every blob is checked when it is
 * read, so that no blob can make the library access memory out of bounds. */

dnnl_status_t dnnl_memory_desc_get_blob(uint8_t *blob, size_t *size, const_dnnl_memory_desc_t md) {
    if (!md) return fail(dnnl_invalid_arguments, "memory", "memory_desc is NULL");
    if (!size) return fail(dnnl_invalid_arguments, "memory", "size is NULL");
    if (blob)
        memcpy(blob, md, *size < sizeof(*md) ? *size : sizeof(*md));
    else
        *size = sizeof(*md);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t *md, const uint8_t *blob) {
    if (!md || !blob)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", md ? "blob" : "memory_desc");
    md_t made;
    memcpy(&made, blob, sizeof(made));
    if (!md_is_sound(&made)) return fail(dnnl_invalid_arguments, "memory", "the blob is not a descriptor");
    return hand_out(md, dnnl_success, &made);
}

/* Queries */

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs) {
    if (lhs == rhs) return 1;
    if (!lhs || !rhs) return 0;
    return md_equal(lhs, rhs);
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t md, int index) {
    return md ? md_size(md, index) : 0;
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t md) {
    return dnnl_memory_desc_get_size_v2(md, 0);
}

size_t dnnl_data_type_size(dnnl_data_type_t data_type) {
    return dt_bits(data_type) != 0 ? dt_size(data_type) : (size_t)-1;
}

static dnnl_status_t query_blocking(const md_t *md, dnnl_query_t what, void *result) {
    if (!md_is_blocked(md)) return dnnl_invalid_arguments; /* programs ask to find out: no verbose line */
    const struct md_blocking *blocking = &md->blocking;
    switch ((int)what) {
    case dnnl_query_strides: *(const dnnl_dims_t **)result = &blocking->strides; break;
    case dnnl_query_inner_nblks_s32: *(int *)result = blocking->inner_nblks; break;
    case dnnl_query_inner_blks: *(const dnnl_dims_t **)result = &blocking->inner_blks; break;
    case dnnl_query_inner_idxs: *(const dnnl_dims_t **)result = &blocking->inner_idxs; break;
    }
    return dnnl_success;
}

static dnnl_format_kind_t public_kind(const md_t *md) {
    return md_is_winograd(md) ? dnnl_format_kind_opaque : md->format_kind;
}

dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t md, dnnl_query_t what, void *result) {
    if (!md || !result)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", md ? "result" : "memory_desc");
    switch ((int)what) {
    case dnnl_query_ndims_s32: *(int *)result = md->ndims; break;
    case dnnl_query_dims: *(const dnnl_dims_t **)result = &md->dims; break;
    case dnnl_query_data_type: *(dnnl_data_type_t *)result = md->data_type; break;
    case dnnl_query_submemory_offset_s64: *(dnnl_dim_t *)result = md->offset0; break;
    case dnnl_query_padded_dims: *(const dnnl_dims_t **)result = &md->padded_dims; break;
    case dnnl_query_padded_offsets: *(const dnnl_dims_t **)result = &md->padded_offsets; break;
    case dnnl_query_format_kind: *(dnnl_format_kind_t *)result = public_kind(md); break;
    case dnnl_query_strides:
    case dnnl_query_inner_nblks_s32:
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs: return query_blocking(md, what, result);
    default: return fail(dnnl_unimplemented, "memory", "descriptors do not support query %d", (int)what);
    }
    return dnnl_success;
}

/* The type of values (handle 0), indices and pointers. */
static dnnl_status_t query_type(const md_t *md, int index, dnnl_data_type_t *type) {
    if (index == 0) {
        *type = md->data_type;
        return dnnl_success;
    }
    int metadata = md->sparse.encoding == dnnl_coo ? 0 : index - 1;
    if (index < 0 || metadata > 1) return fail(dnnl_invalid_arguments, "memory", "bad index: %d", index);
    *type = md->sparse.metadata_types[metadata];
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t md, dnnl_query_t what, int index,
                                        void *result) {
    if (!md || !result)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", md ? "result" : "memory_desc");
    bool sparse = md->format_kind == dnnl_format_kind_sparse;
    if (index > 0 && !(sparse && what == dnnl_query_data_type))
        return fail(dnnl_invalid_arguments, "memory", "query %d takes no index: %d", (int)what, index);
    if (!sparse && (what == dnnl_query_sparse_encoding || what == dnnl_query_nnz_s64))
        return fail(dnnl_invalid_arguments, "memory", "the layout is not sparse");

    switch ((int)what) {
    case dnnl_query_sparse_encoding: *(dnnl_sparse_encoding_t *)result = md->sparse.encoding; break;
    case dnnl_query_nnz_s64: *(dnnl_dim_t *)result = md->sparse.nnz; break;
    case dnnl_query_data_type: return query_type(md, sparse ? index : 0, result);
    case dnnl_query_num_handles_s32: *(int *)result = md_handles(md); break;
    default: return dnnl_memory_desc_query(md, what, result);
    }
    return dnnl_success;
}
