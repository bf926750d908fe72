/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory descriptors: the logical shape of a tensor and its layout in memory. Pure data: no engine, no
 * runtime. A descriptor is a plain struct that is copied, compared and hashed by value; unused array elements
 * are zero, so that descriptors can be compared as bytes.
 */
#ifndef LODE_CORE_MEMORY_DESC_H
#define LODE_CORE_MEMORY_DESC_H

#include "oneapi/dnnl/dnnl_types.h"

#include <stdbool.h>
#include <stdint.h>

enum { MD_MAX_HANDLES = 3 };

/* The blocked layout. The offset of position p is
 *   offset0 + sum over d of (p[d] / block[d]) * strides[d] + the offset inside the inner blocks,
 * in elements, where the inner blocks are listed outermost first, the last being contiguous. */
struct md_blocking {
    dnnl_dims_t strides;
    int inner_nblks;
    dnnl_dims_t inner_blks;
    dnnl_dims_t inner_idxs;
};

struct md_sparse {
    dnnl_sparse_encoding_t encoding;
    dnnl_dim_t nnz;
    dnnl_data_type_t metadata_types[2]; /* indices, then pointers */
};

/* Weights [o, i, 3, 3] of a convolution, transformed for Winograd's algorithm: f32 in the order position,
 * o / panel, i, o % panel. The weights themselves follow, so that a reorder can give them back. The format
 * kind is a value of our own, as in oneDNN; users see dnnl_format_kind_opaque. */
enum { MD_WINOGRAD = 0x100 };
struct md_winograd {
    int side;  /* of a tile of results, 2 or 4: there are (side + 2)^2 positions */
    int panel; /* 16 or 32 */
};

struct dnnl_memory_desc {
    int ndims;
    dnnl_data_type_t data_type;
    dnnl_format_kind_t format_kind;
    dnnl_dims_t dims;
    dnnl_dims_t padded_dims;
    dnnl_dims_t padded_offsets;
    dnnl_dim_t offset0;
    union {
        struct md_blocking blocking; /* dnnl_blocked */
        struct md_sparse sparse;     /* dnnl_format_kind_sparse */
        struct md_winograd winograd; /* MD_WINOGRAD */
    };
};

typedef struct dnnl_memory_desc md_t;

/* Creation. All check their input like the public functions and write *md only on success. */
dnnl_status_t md_init(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                      dnnl_format_kind_t kind);
dnnl_status_t md_init_by_tag(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             dnnl_format_tag_t tag);
/* `tag` as in format_tags.def: letters in memory order, outermost first, capitals blocked: "ABcd16b16a". */
dnnl_status_t md_init_by_string(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                const char *tag);
/* NULL strides mean dense, in logical order. */
dnnl_status_t md_init_by_strides(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                 const dnnl_dims_t strides);
dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t type);
dnnl_status_t md_init_sparse(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             const struct md_sparse *sparse);

/* Views: another descriptor of the same memory. `to` and `from` may be the same. */
dnnl_status_t md_reshape(md_t *to, const md_t *from, int ndims, const dnnl_dims_t dims);
/* Dimension d of `from` becomes dimension permutation[d] of `to`. */
dnnl_status_t md_permute(md_t *to, const md_t *from, const int *permutation);
dnnl_status_t md_submemory(md_t *to, const md_t *from, const dnnl_dims_t dims, const dnnl_dims_t offsets);

/* Resolves format_kind_any to the layout named by `tag`; leaves any other layout alone. */
dnnl_status_t md_set_any(md_t *md, const char *tag);
/* Resolves format_kind_any to the order of dimensions and the inner blocks of `like` (same ndims), dense; to
 * the logical order when `like` has no blocked layout. */
dnnl_status_t md_set_any_like(md_t *md, const md_t *like);

/* Resolves format_kind_any of weights [o, i, 3, 3] of f32 to transformed weights. */
void md_set_any_winograd(md_t *md, int side, int panel);
/* The weights as they are, in the memory of transformed ones. */
dnnl_status_t md_winograd_plain(const md_t *md, md_t *plain);

/* Queries. */
bool md_is_sound(const md_t *md); /* for descriptors from outside: all fields are safe to use */
bool md_is_zero(const md_t *md);  /* NULL or ndims 0: "no tensor" */
bool md_is_any(const md_t *md);
bool md_is_blocked(const md_t *md);
bool md_is_plain(const md_t *md); /* blocked without inner blocks */
bool md_is_winograd(const md_t *md);
bool md_is_host_scalar(const md_t *md);
bool md_is_dense(const md_t *md, bool with_padding); /* every byte of its size belongs to an element */
bool md_has_runtime_dims(const md_t *md);
bool md_has_runtime_dims_or_strides(const md_t *md);
bool md_has_padding(const md_t *md);                  /* padded_dims differ from dims */
bool md_matches_tag(const md_t *md, const char *tag); /* same layout as md_init_by_string would give */
bool md_matches_format(const md_t *md, dnnl_format_tag_t tag);
bool md_equal(const md_t *a, const md_t *b);
uint64_t md_hash(const md_t *md, uint64_t seed);   /* of what md_equal compares */
bool md_same_layout(const md_t *a, const md_t *b); /* equal except for the data type */
bool md_same_dims(const md_t *a, const md_t *b);

dnnl_dim_t md_nelems(const md_t *md, bool with_padding);
/* The dimensions, as bits, along which an operand is not broadcast: those whose size is not 1. */
int md_extent_mask(const md_t *md);
size_t md_size(const md_t *md, int handle); /* bytes; DNNL_RUNTIME_SIZE_VAL if not known yet */
int md_handles(const md_t *md);
dnnl_dim_t md_offset(const md_t *md, const dnnl_dim_t *position); /* in elements, offset0 included */
/* Product of the inner blocks along each dimension. */
void md_blocks(const md_t *md, dnnl_dims_t blocks);

/* Types. 4-bit types have two elements per byte; only dt_bits shows that. */
int dt_bits(dnnl_data_type_t type);
size_t dt_size(dnnl_data_type_t type); /* bytes; 1 for the 4-bit types */
bool dt_is_integer(dnnl_data_type_t type);
bool dt_is_valid(dnnl_data_type_t type);

/* Verbose strings in oneDNN's form. They return the length as snprintf does.
 * The descriptor, such as "f32::blocked:acdb::f0"; was_any: the user left the layout to us. */
int md_to_string(const md_t *md, bool was_any, char *text, size_t size);
int md_tag_to_string(const md_t *md, char *text, size_t size);     /* "aBcd16b" */
int md_strides_to_string(const md_t *md, char *text, size_t size); /* "150x30x5x1"; empty when dense */
int md_dims_to_string(const md_t *md, char *text, size_t size);    /* "2x3x4", run-time values as "*" */

#endif
