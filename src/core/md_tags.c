/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts spelled as tags: "aBcd16b" names the dimensions from the outermost to the innermost, then the inner
 * blocks with the dimension that each one splits. Parses tags, sets layouts from them, and formats
 * descriptors for verbose lines.
 */
#include "core/memory_desc.h"
#include "base/writer.h"
#include "core/md_layout.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdio.h>
#include <string.h>

/* Parsing */

struct layout {
    int ndims;
    int order[DNNL_MAX_NDIMS]; /* outermost first */
    int nblks;
    dnnl_dim_t blks[DNNL_MAX_NDIMS];
    int idxs[DNNL_MAX_NDIMS];
};

enum { MAX_BLOCK = 1 << 30 };

static int letter_index(char c) {
    if (c >= 'a' && c < 'a' + DNNL_MAX_NDIMS) return c - 'a';
    if (c >= 'A' && c < 'A' + DNNL_MAX_NDIMS) return c - 'A';
    return -1;
}

/* Parses the dimensions, each exactly once. Returns the rest of the tag, or NULL. */
static const char *read_order(const char *tag, struct layout *layout) {
    unsigned seen = 0;
    int d;
    for (; (d = letter_index(*tag)) >= 0; tag++) {
        if (seen & 1u << d) return NULL;
        seen |= 1u << d;
        layout->order[layout->ndims++] = d;
    }
    return layout->ndims > 0 && seen == (1u << layout->ndims) - 1 ? tag : NULL;
}

/* "16b": a block of 16 along dimension b. The product of all blocks must not exceed MAX_BLOCK. */
static const char *read_block(const char *tag, struct layout *layout, dnnl_dim_t *product) {
    dnnl_dim_t block = 0;
    for (; *tag >= '0' && *tag <= '9' && block <= MAX_BLOCK; tag++)
        block = block * 10 + (*tag - '0');
    int d = letter_index(*tag);
    if (d < 0 || d >= layout->ndims || block < 1 || block > MAX_BLOCK) return NULL;
    *product *= block;
    if (*product > MAX_BLOCK) return NULL;
    if (block == 1) return tag + 1;
    if (layout->nblks == DNNL_MAX_NDIMS) return NULL;
    layout->blks[layout->nblks] = block;
    layout->idxs[layout->nblks++] = d;
    return tag + 1;
}

static bool read_tag(const char *tag, struct layout *layout) {
    *layout = (struct layout){0};
    dnnl_dim_t product = 1;
    tag = read_order(tag, layout);
    while (tag && *tag)
        tag = read_block(tag, layout, &product);
    return tag != NULL;
}

/* Layout */

/* Pads the dimensions and sets the strides of a blocked descriptor that has dims, dense in the layout's
 * order. For the strides outside it, an empty dimension counts as size 1; run-time dimensions make them
 * unknown. */
static bool lay_out(md_t *md, const struct layout *layout) {
    struct md_blocking *blocking = &md->blocking;
    dnnl_dim_t stride = 1;
    memset(blocking, 0, sizeof(*blocking));
    blocking->inner_nblks = layout->nblks;
    for (int b = 0; b < layout->nblks; b++) {
        blocking->inner_blks[b] = layout->blks[b];
        blocking->inner_idxs[b] = layout->idxs[b];
        stride *= layout->blks[b];
    }

    dnnl_dims_t blocks;
    md_blocks(md, blocks);
    for (int i = layout->ndims - 1; i >= 0; i--) {
        int d = layout->order[i];
        dnnl_dim_t dim = md->dims[d], count;
        blocking->strides[d] = stride;
        md->padded_dims[d] = dim;
        if (dim == DNNL_RUNTIME_DIM_VAL) stride = DNNL_RUNTIME_DIM_VAL;
        if (dim == DNNL_RUNTIME_DIM_VAL || dim == 0) continue;
        count = dim / blocks[d] + (dim % blocks[d] != 0);
        if (__builtin_mul_overflow(count, blocks[d], &md->padded_dims[d])) return false;
        if (stride == DNNL_RUNTIME_DIM_VAL) continue;
        if (__builtin_mul_overflow(stride, count, &stride)) return false;
    }
    return stride == DNNL_RUNTIME_DIM_VAL || (size_t)stride <= SIZE_MAX / dt_size(md->data_type);
}

dnnl_status_t md_init_by_string(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                const char *tag) {
    struct layout layout;
    md_t made;
    if (!tag) return fail(dnnl_invalid_arguments, "memory", "tag is NULL");
    if (!read_tag(tag, &layout))
        return fail(dnnl_invalid_arguments, "memory", "tag '%s' is not a layout", tag);
    if (layout.ndims != ndims)
        return fail(dnnl_invalid_arguments, "memory", "tag '%s' is not for %d dimensions", tag, ndims);
    TRY(md_init(&made, ndims, dims, type, dnnl_blocked));
    if (!lay_out(&made, &layout))
        return fail(dnnl_invalid_arguments, "memory", "the size overflows with tag '%s'", tag);
    *md = made;
    return dnnl_success;
}

dnnl_status_t md_init_by_tag(md_t *md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                             dnnl_format_tag_t tag) {
    if (ndims == 0 || tag == dnnl_format_tag_undef) {
        *md = (md_t){0};
        return dnnl_success;
    }
    if (tag == dnnl_format_tag_any) return md_init(md, ndims, dims, type, dnnl_format_kind_any);
    if ((unsigned)tag >= dnnl_format_tag_last)
        return fail(dnnl_invalid_arguments, "memory", "unknown format tag: %d", (int)tag);

    md_t made;
    dnnl_status_t status = md_init_by_string(&made, ndims, dims, type, dnnl_fmt_tag2str(tag));
    if (status == dnnl_success) status = md_check_strides(&made);
    if (status == dnnl_success) *md = made;
    return status;
}

dnnl_status_t md_set_any(md_t *md, const char *tag) {
    if (!md_is_any(md)) return dnnl_success;
    return md_init_by_string(md, md->ndims, md->dims, md->data_type, tag);
}

dnnl_status_t md_set_any_like(md_t *md, const md_t *like) {
    if (!md_is_any(md)) return dnnl_success;
    if (!md_is_blocked(like)) return md_init_by_strides(md, md->ndims, md->dims, md->data_type, NULL);

    struct layout layout = {.ndims = like->ndims, .nblks = like->blocking.inner_nblks};
    md_order(like, layout.order);
    for (int b = 0; b < layout.nblks; b++) {
        layout.blks[b] = like->blocking.inner_blks[b];
        layout.idxs[b] = (int)like->blocking.inner_idxs[b];
    }
    md_t made = *md;
    made.format_kind = dnnl_blocked;
    if (!lay_out(&made, &layout)) return fail(dnnl_invalid_arguments, "memory", "the size overflows");
    *md = made;
    return dnnl_success;
}

bool md_matches_tag(const md_t *md, const char *tag) {
    struct layout layout;
    if (!md_is_blocked(md) || !read_tag(tag, &layout) || layout.ndims != md->ndims) return false;
    md_t model = *md;
    return lay_out(&model, &layout) && md_same_blocking(md, &model)
           && memcmp(md->padded_dims, model.padded_dims, sizeof(md->padded_dims)) == 0;
}

bool md_matches_format(const md_t *md, dnnl_format_tag_t tag) {
    if (tag == dnnl_format_tag_any) return md_is_any(md);
    if (tag == dnnl_format_tag_undef) return md->format_kind == dnnl_format_kind_undef;
    return (unsigned)tag < dnnl_format_tag_last && md_matches_tag(md, dnnl_fmt_tag2str(tag));
}

/* Formatting */

static void put_values(struct writer *writer, const dnnl_dim_t *values, int count) {
    for (int i = 0; i < count; i++) {
        if (i > 0) put(writer, "x");
        if (values[i] == DNNL_RUNTIME_DIM_VAL)
            put(writer, "*");
        else
            put(writer, "%lld", (long long)values[i]);
    }
}

static void put_tag(struct writer *writer, const md_t *md) {
    for (int d = 0; d < md->ndims; d++)
        if (md->blocking.strides[d] == DNNL_RUNTIME_DIM_VAL) {
            put(writer, "*");
            return;
        }

    int order[DNNL_MAX_NDIMS];
    dnnl_dims_t blocks;
    md_order(md, order);
    md_blocks(md, blocks);
    for (int i = 0; i < md->ndims; i++)
        put(writer, "%c", (blocks[order[i]] == 1 ? 'a' : 'A') + order[i]);
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        put(writer, "%lld%c", (long long)md->blocking.inner_blks[b], 'a' + (int)md->blocking.inner_idxs[b]);
}

static void put_strides(struct writer *writer, const md_t *md) {
    if (md_has_runtime_dims_or_strides(md) || md_is_dense(md, true)) return;
    put_values(writer, md->blocking.strides, md->ndims);
}

static void put_layout(struct writer *writer, const md_t *md) {
    if (md_is_blocked(md)) {
        put_tag(writer, md);
        put(writer, ":");
        put_strides(writer, md);
    } else if (md->format_kind == dnnl_format_kind_sparse) {
        put(writer, "%s:", dnnl_sparse_encoding2str(md->sparse.encoding));
    } else {
        put(writer, "%s:", md_is_any(md) ? "any" : "");
    }
}

static bool has_nonzero(const dnnl_dim_t *values, int count) {
    for (int i = 0; i < count; i++)
        if (values[i] != 0) return true;
    return false;
}

int md_to_string(const md_t *md, bool was_any, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    if (md_is_zero(md)) {
        put(&writer, "undef::undef:::");
        return writer.length;
    }
    put(&writer, "%s:%s%s%s%s:%s:", dnnl_dt2str(md->data_type), was_any ? "a" : "",
        md_has_padding(md) ? "p" : "", has_nonzero(md->padded_offsets, md->ndims) ? "o" : "",
        md->offset0 != 0 ? "0" : "", dnnl_fmt_kind2str(md->format_kind));
    put_layout(&writer, md);
    put(&writer, ":f0");
    return writer.length;
}

int md_tag_to_string(const md_t *md, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    if (md_is_blocked(md)) put_tag(&writer, md);
    return writer.length;
}

int md_strides_to_string(const md_t *md, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    put(&writer, "%s", "");
    if (md_is_blocked(md)) put_strides(&writer, md);
    return writer.length;
}

int md_dims_to_string(const md_t *md, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    put(&writer, "%s", "");
    put_values(&writer, md->dims, md->ndims);
    return writer.length;
}
