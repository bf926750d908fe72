/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long series of calls to the descriptor functions, each printed with everything observable about its
 * result. compare_transcripts.cmake runs this program with our library and with the peer's: both transcripts
 * must be equal. Needs no engine.
 *
 * Left out, because the peer crashes, reads past its arrays or creates a broken descriptor (our answers are
 * in tests/api/memory_desc.c): null pointers that it dereferences, string tags that spell no layout, handle
 * indices past the end, sizes of sparse tensors that overflow, default strides outside a run-time dimension
 * other than the outermost. And tensors of 2^32 elements and more, where its overflow check refuses many that
 * fit and accepts some that do not.
 */
#include "transcript.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *, int, const dnnl_dims_t,
                                                      dnnl_data_type_t, const char *);
dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t, dnnl_data_type_t);

#define RUNTIME DNNL_RUNTIME_DIM_VAL

static const dnnl_data_type_t all_types[] = {
        dnnl_data_type_undef,
        dnnl_f16,
        dnnl_bf16,
        dnnl_f32,
        dnnl_s32,
        dnnl_s8,
        dnnl_u8,
        dnnl_f64,
        dnnl_boolean,
        dnnl_f8_e5m2,
        dnnl_s4,
        dnnl_u4,
        dnnl_e8m0,
        dnnl_f4_e2m1,
        dnnl_f4_e3m0,
        dnnl_s64,
        dnnl_f8_e4m3,
        17,
        -1,
        dnnl_data_type_max,
};

/* Deterministic random numbers. */
static uint64_t random_state = 88172645463325252u;

static int random_below(int limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)limit);
}

static void print_dims(const char *name, int ndims, const dnnl_dim_t *dims) {
    printf(" %s", name);
    for (int d = 0; d < ndims; d++) {
        if (dims[d] == RUNTIME)
            printf("%c*", d ? ',' : '=');
        else
            printf("%c%" PRId64, d ? ',' : '=', dims[d]);
    }
}

static void print_dims_query(const char *name, const_dnnl_memory_desc_t md, dnnl_query_t what, int count) {
    const dnnl_dims_t *dims = NULL;
    dnnl_status_t status = dnnl_memory_desc_query(md, what, &dims);
    if (status == dnnl_success)
        print_dims(name, count, *dims);
    else
        printf(" %s:%d", name, status);
}

static void print_sparsity(const_dnnl_memory_desc_t md) {
    dnnl_sparse_encoding_t encoding = 99;
    dnnl_dim_t nnz = -99;
    int handles = -99;
    dnnl_data_type_t types[3] = {99, 99, 99};
    int status = dnnl_memory_desc_query_v2(md, dnnl_query_sparse_encoding, 0, &encoding);
    printf(" encoding:%d=%d", status, encoding);
    status = dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &nnz);
    printf(" nnz:%d=%" PRId64, status, nnz);
    status = dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &handles);
    printf(" handles:%d=%d types", status, handles);
    for (int i = 0; i < 3; i++) {
        status = dnnl_memory_desc_query_v2(md, dnnl_query_data_type, i, &types[i]);
        printf(":%d=%d", status, types[i]);
    }
}

static void print_md(const_dnnl_memory_desc_t md) {
    int ndims = -1, nblks = 0;
    dnnl_data_type_t type = 99;
    dnnl_format_kind_t kind = 99;
    dnnl_dim_t offset = -1;
    dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    dnnl_memory_desc_query(md, dnnl_query_data_type, &type);
    dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind);
    dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &offset);
    printf(" ndims=%d type=%d kind=%d offset=%" PRId64, ndims, type, kind, offset);
    print_dims_query("dims", md, dnnl_query_dims, ndims);
    print_dims_query("padded", md, dnnl_query_padded_dims, ndims);
    print_dims_query("poffsets", md, dnnl_query_padded_offsets, ndims);
    print_dims_query("strides", md, dnnl_query_strides, ndims);
    int status = dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &nblks);
    printf(" nblks:%d=%d", status, nblks);
    print_dims_query("blks", md, dnnl_query_inner_blks, nblks);
    print_dims_query("idxs", md, dnnl_query_inner_idxs, nblks);
    printf(" size=%zu,%zu,%zu,%zu", dnnl_memory_desc_get_size(md), dnnl_memory_desc_get_size_v2(md, 0),
           dnnl_memory_desc_get_size_v2(md, 1), dnnl_memory_desc_get_size_v2(md, 2));
    if (kind == dnnl_format_kind_sparse) print_sparsity(md);
}

/* Ends the line of a call that creates a descriptor, and destroys the descriptor. */
static void finish(dnnl_status_t status, dnnl_memory_desc_t *md) {
    printf(" -> %d", status);
    if (status == dnnl_success) {
        print_md(*md);
        dnnl_memory_desc_destroy(*md);
    } else if (*md != NULL) {
        printf(" WRITTEN");
    }
    *md = NULL;
    printf("\n");
}

static void by_tag(int ndims, const dnnl_dim_t *dims, int type, int tag) {
    dnnl_memory_desc_t md = NULL;
    printf("tag %d type %d ndims %d", tag, type, ndims);
    finish(dnnl_memory_desc_create_with_tag(&md, ndims, dims, (dnnl_data_type_t)type, (dnnl_format_tag_t)tag),
           &md);
}

static void by_strides(int ndims, const dnnl_dim_t *dims, int type, const dnnl_dim_t *strides) {
    dnnl_memory_desc_t md = NULL;
    printf("strides type %d ndims %d", type, ndims);
    if (dims && ndims > 0 && ndims <= DNNL_MAX_NDIMS) print_dims("of", ndims, dims);
    if (strides && ndims > 0 && ndims <= DNNL_MAX_NDIMS) print_dims("by", ndims, strides);
    finish(dnnl_memory_desc_create_with_strides(&md, ndims, dims, (dnnl_data_type_t)type, strides), &md);
}

/* Tags */

static const dnnl_dims_t shapes[] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},    {2, 3, 4, 5, 6, 2, 2, 2, 2, 2, 2, 2},
        {17, 33, 5, 3, 2, 1, 1, 3, 1, 2, 1, 1},  {64, 64, 64, 2, 2, 2, 1, 1, 1, 1, 1, 1},
        {16, 16, 1, 1, 1, 1, 1, 1, 1, 1, 1, 16}, {3, 0, 7, 2, 2, 0, 2, 2, 2, 2, 2, 2},
        {1, 40, 1, 24, 1, 8, 1, 4, 1, 2, 1, 2},
};

static int ndims_of_tag(int tag) {
    for (int ndims = 1; ndims <= DNNL_MAX_NDIMS; ndims++) {
        dnnl_memory_desc_t md = NULL;
        if (dnnl_memory_desc_create_with_tag(&md, ndims, shapes[0], dnnl_f32, (dnnl_format_tag_t)tag)
            == dnnl_success) {
            dnnl_memory_desc_destroy(md);
            return ndims;
        }
    }
    return 0;
}

static void tags(void) {
    for (int tag = -2; tag < dnnl_format_tag_last + 3; tag++) {
        int ndims = ndims_of_tag(tag);
        printf("tag %d is for %d dimensions\n", tag, ndims);
        if (tag <= dnnl_format_tag_any || ndims == 0) ndims = 2;
        for (int s = 0; s < COUNT(shapes); s++)
            by_tag(ndims, shapes[s], dnnl_f32, tag);
        for (int t = 0; t < COUNT(all_types); t++)
            by_tag(ndims, shapes[1 + t % 3], all_types[t], tag);
        by_tag(ndims + 1, shapes[1], dnnl_f32, tag);
        by_tag(ndims - 1, shapes[1], dnnl_f32, tag);
        for (int d = 0; d < ndims; d++) {
            dnnl_dims_t dims;
            memcpy(dims, shapes[2], sizeof(dims));
            dims[d] = RUNTIME;
            by_tag(ndims, dims, dnnl_bf16, tag);
            dims[d] = -1;
            by_tag(ndims, dims, dnnl_bf16, tag);
        }
    }
}

static void string_tags(void) {
    static const char *const names[] = {
            "a",       "ab",           "ba",           "abcd",   "acdb",         "dcba",    "aBcd16b",
            "aBcd24b", "ABcd16b16a",   "ABcd8b16a2b",  "aBcd1b", "ABcd4a4b2a2b", "abc",     "cab",
            "aBc7b",   "abcdefghijkl", "lkjihgfedcba", "aB3b",   "Ab5a3a",       "aBcd08b", "AB2a2b2a2b2a2b",
            "abcd2a",  "AbcD4d3a",
    };
    static const dnnl_dims_t full[] = {
            {2, 3, 4, 5, 1, 2, 1, 2, 1, 2, 1, 2},
            {16, 33, 7, 1, 1, 2, 1, 2, 1, 2, 1, 2},
            {RUNTIME, 3, 4, 5, 1, 2, 1, 2, 1, 2, 1, 2},
            {4, RUNTIME, 6, RUNTIME, 1, 2, 1, 2, 1, 2, 1, 2},
    };
    for (int n = 0; n < COUNT(names); n++)
        for (int ndims = 0; ndims <= DNNL_MAX_NDIMS; ndims++)
            for (int s = 0; s < COUNT(full); s++) {
                dnnl_memory_desc_t md = NULL;
                printf("string %s ndims %d shape %d", names[n], ndims, s);
                finish(dnnl_memory_desc_create_with_string_tag(&md, ndims, full[s], dnnl_f32, names[n]), &md);
            }
    dnnl_memory_desc_t md = NULL;
    printf("string into nothing -> %d\n",
           dnnl_memory_desc_create_with_string_tag(NULL, 2, full[0], dnnl_f32, "ab"));
    printf("string of too many");
    finish(dnnl_memory_desc_create_with_string_tag(&md, 2, full[0], dnnl_f32, "any"), &md);
}

/* Strides */

static void random_strides(void) {
    static const dnnl_dim_t steps[] = {0,  1,  1,  1,  2,  3,   4,  6,  8,       12,
                                       16, 24, 30, 48, 60, 100, -1, -4, RUNTIME, 5};
    static const dnnl_dim_t sizes[] = {1, 1, 2, 2, 3, 4, 5, 6, 8, 0};
    for (int i = 0; i < 20000; i++) {
        dnnl_dims_t dims, strides;
        int ndims = 1 + random_below(5);
        for (int d = 0; d < ndims; d++) {
            dims[d] = sizes[random_below(random_below(8) ? COUNT(sizes) - 1 : COUNT(sizes))];
            strides[d] = steps[random_below(random_below(8) ? COUNT(steps) - 4 : COUNT(steps))];
        }
        by_strides(ndims, dims, i % 5 ? (int)dnnl_f32 : (int)all_types[random_below(COUNT(all_types))],
                   strides);
    }
}

/* Valid strides: random order, random gaps. */
static void fitting_strides(void) {
    for (int i = 0; i < 5000; i++) {
        dnnl_dims_t dims, strides;
        int ndims = 1 + random_below(DNNL_MAX_NDIMS), order[DNNL_MAX_NDIMS];
        for (int d = 0; d < ndims; d++) {
            int at = random_below(d + 1);
            order[d] = order[at];
            order[at] = d;
            dims[d] = 1 + random_below(4);
        }
        dnnl_dim_t stride = 1 + random_below(2);
        for (int d = 0; d < ndims; d++) {
            strides[order[d]] = stride;
            stride = stride * dims[order[d]] + random_below(10) / 8 * (random_below(3) - 1);
        }
        by_strides(ndims, dims, i % 3 ? dnnl_f32 : dnnl_s4, strides);
    }
}

static void default_strides(void) {
    static const dnnl_dims_t cases[] = {
            {2, 3, 4, 5}, {1, 1, 1, 1},       {0, 3, 4, 5},  {2, 0, 4, 5}, {2, 3, 0, 5},
            {2, 3, 4, 0}, {RUNTIME, 3, 4, 5}, {2, 3, 4, -1}, {6, 7, 8, 9},
    };
    for (int c = 0; c < COUNT(cases); c++)
        for (int ndims = -1; ndims <= 4; ndims++)
            for (int t = 0; t < COUNT(all_types); t++)
                by_strides(ndims, cases[c], all_types[t], NULL);
}

/* Bad and extreme input */

static void extremes(void) {
    const dnnl_dim_t k31 = INT64_C(1) << 31, k62 = INT64_C(1) << 62;
    const dnnl_dims_t cases[] = {
            {k62, 4},
            {4, k62},
            {k62, k62},
            {k31, k31, k31},
            {k62, 1},
            {1, k62},
            {INT64_MAX, 2},
            {INT64_MAX, 1},
            {-k62, 4},
            {INT64_MIN + 1, 1},
            {k31 * 2, k31 * 2, 2},
            {0, k62, k62},
            {k62, 0, k62},
            {RUNTIME, k62, 4},
            {k31, k31, 4},
    };
    for (int c = 0; c < COUNT(cases); c++)
        for (int t = 0; t < COUNT(all_types); t++) {
            int ndims = cases[c][2] ? 3 : 2;
            dnnl_memory_desc_t md = NULL;
            by_tag(ndims, cases[c], all_types[t], ndims == 3 ? dnnl_abc : dnnl_ab);
            by_tag(ndims, cases[c], all_types[t], dnnl_format_tag_any);
            if (cases[c][0] != RUNTIME) by_strides(ndims, cases[c], all_types[t], NULL);
            /* Only the status: the peer's sizes overflow. */
            printf("csr case %d type %d: %d\n", c, all_types[t],
                   dnnl_memory_desc_create_with_csr_encoding(&md, ndims, cases[c], all_types[t], 5, dnnl_s32,
                                                             dnnl_s32));
            dnnl_memory_desc_destroy(md);
        }
    const dnnl_dims_t two = {2, 2};
    const dnnl_dims_t wide[] = {{k62, 1},     {1, k62},           {INT64_MAX, 1},
                                {k62 - 1, 2}, {INT64_MIN + 1, 1}, {k31, k31}};
    for (int w = 0; w < COUNT(wide); w++)
        for (int t = 0; t < COUNT(all_types); t++)
            by_strides(2, two, all_types[t], wide[w]);
}

static void bad_arguments(void) {
    const dnnl_dims_t dims = {2, 3};
    static const int counts[] = {-1, 0, 1, 2, 12, 13, 100, INT32_MAX, INT32_MIN};
    for (int c = 0; c < COUNT(counts); c++) {
        int ndims = counts[c];
        by_tag(ndims, NULL, dnnl_f32, dnnl_ab);
        by_tag(ndims, NULL, dnnl_f32, dnnl_format_tag_any);
        by_tag(ndims, NULL, dnnl_f32, dnnl_format_tag_undef);
        by_strides(ndims, NULL, dnnl_f32, NULL);
        if (ndims <= 2 || ndims > DNNL_MAX_NDIMS) by_tag(ndims, dims, dnnl_f32, dnnl_format_tag_any);
        dnnl_memory_desc_t md = NULL;
        printf("csr ndims %d", ndims);
        finish(dnnl_memory_desc_create_with_csr_encoding(&md, ndims, NULL, dnnl_f32, 1, dnnl_s32, dnnl_s32),
               &md);
        printf("coo ndims %d", ndims);
        finish(dnnl_memory_desc_create_with_coo_encoding(&md, ndims, NULL, dnnl_f32, 1, dnnl_s32), &md);
        printf("packed ndims %d", ndims);
        finish(dnnl_memory_desc_create_with_packed_encoding(&md, ndims, NULL, dnnl_f32, 1), &md);
    }
    printf("into nothing: %d %d %d %d %d %d\n",
           dnnl_memory_desc_create_with_tag(NULL, 2, dims, dnnl_f32, dnnl_ab),
           dnnl_memory_desc_create_with_strides(NULL, 2, dims, dnnl_f32, NULL),
           dnnl_memory_desc_create_with_csr_encoding(NULL, 2, dims, dnnl_f32, 1, dnnl_s32, dnnl_s32),
           dnnl_memory_desc_create_with_coo_encoding(NULL, 2, dims, dnnl_f32, 1, dnnl_s32),
           dnnl_memory_desc_create_with_packed_encoding(NULL, 2, dims, dnnl_f32, 1),
           dnnl_memory_desc_create_host_scalar(NULL, dnnl_f32));
    dnnl_memory_desc_t md = NULL, from = NULL;
    dnnl_memory_desc_create_with_tag(&from, 2, dims, dnnl_f32, dnnl_ab);
    const int perm[] = {0, 1};
    size_t size = 0;
    printf("views of nothing: %d %d %d %d %d %d\n", dnnl_memory_desc_reshape(&md, NULL, 2, dims),
           dnnl_memory_desc_reshape(NULL, from, 2, dims), dnnl_memory_desc_permute_axes(&md, NULL, perm),
           dnnl_memory_desc_permute_axes(NULL, from, perm),
           dnnl_memory_desc_create_submemory(&md, NULL, dims, dims),
           dnnl_memory_desc_create_submemory(NULL, from, dims, dims));
    printf("nothing: equal %d %d %d size %zu %zu destroy %d type %d blob %d %d %d %d\n",
           dnnl_memory_desc_equal(NULL, NULL), dnnl_memory_desc_equal(from, NULL),
           dnnl_memory_desc_equal(NULL, from), dnnl_memory_desc_get_size(NULL),
           dnnl_memory_desc_get_size_v2(NULL, 0), dnnl_memory_desc_destroy(NULL),
           dnnl_memory_desc_set_data_type(NULL, dnnl_f32), dnnl_memory_desc_get_blob(NULL, &size, NULL),
           dnnl_memory_desc_get_blob(NULL, NULL, from), dnnl_memory_desc_create_with_blob(NULL, NULL),
           dnnl_memory_desc_create_with_blob(&md, NULL));
    printf("md after failures: %s\n", md ? "WRITTEN" : "untouched");
    dnnl_memory_desc_destroy(from);
}

/* A collection of all kinds */

enum { COLLECTION_MAX = 64 };
static dnnl_memory_desc_t collection[COLLECTION_MAX];
static int collected;

static dnnl_memory_desc_t *next_place(void) {
    return &collection[collected++];
}

static void collect(void) {
    static const struct {
        dnnl_format_tag_t tag;
        int ndims;
    } layouts[] = {{dnnl_ab, 2},
                   {dnnl_ba, 2},
                   {dnnl_abcd, 4},
                   {dnnl_acdb, 4},
                   {dnnl_aBcd16b, 4},
                   {dnnl_aBcd8b, 4},
                   {dnnl_ABcd16b16a, 4},
                   {dnnl_ABcd8b16a2b, 4},
                   {dnnl_a, 1},
                   {dnnl_format_tag_any, 4},
                   {dnnl_format_tag_undef, 4},
                   {dnnl_cba, 3}};
    for (int i = 0; i < COUNT(layouts); i++)
        for (int s = 1; s < 5; s++)
            dnnl_memory_desc_create_with_tag(next_place(), layouts[i].ndims, shapes[s], dnnl_f32,
                                             layouts[i].tag);
    const dnnl_dims_t dims = {4, 6}, unknown = {RUNTIME, 6}, strides = {RUNTIME, 1}, gaps = {16, 1},
                      ones = {1, 6}, one_stride = {99, 1}, repeat = {0, 1};
    dnnl_memory_desc_create_with_tag(next_place(), 2, dims, dnnl_s8, dnnl_ab);
    dnnl_memory_desc_create_with_tag(next_place(), 2, unknown, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_create_with_strides(next_place(), 2, dims, dnnl_f32, strides);
    dnnl_memory_desc_create_with_strides(next_place(), 2, dims, dnnl_f32, gaps);
    dnnl_memory_desc_create_with_strides(next_place(), 2, dims, dnnl_f32, repeat);
    dnnl_memory_desc_create_with_strides(next_place(), 2, ones, dnnl_f32, one_stride);
    dnnl_memory_desc_create_with_tag(next_place(), 2, ones, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_create_with_csr_encoding(next_place(), 2, dims, dnnl_f32, 7, dnnl_s32, dnnl_s64);
    dnnl_memory_desc_create_with_csr_encoding(next_place(), 1, dims, dnnl_s4, 7, dnnl_s32, dnnl_s32);
    dnnl_memory_desc_create_with_coo_encoding(next_place(), 2, dims, dnnl_f16, 7, dnnl_s32);
    dnnl_memory_desc_create_with_coo_encoding(next_place(), 1, dims, dnnl_f16, 7, dnnl_u8);
    dnnl_memory_desc_create_with_packed_encoding(next_place(), 2, dims, dnnl_s8, 7);
    dnnl_memory_desc_create_with_packed_encoding(next_place(), 4, shapes[1], dnnl_s8, 7);
    dnnl_memory_desc_create_host_scalar(next_place(), dnnl_f32);
    dnnl_memory_desc_create_host_scalar(next_place(), dnnl_s4);
    for (int i = 0; i < collected; i++) {
        printf("collection %d", i);
        print_md(collection[i]);
        printf("\n");
    }
}

static void compare_all(void) {
    for (int i = 0; i < collected; i++) {
        printf("equal %d:", i);
        for (int j = 0; j < collected; j++)
            printf("%d", dnnl_memory_desc_equal(collection[i], collection[j]));
        printf("\n");
    }
}

/* Every number that could be a query, on every kind of descriptor, and which of them write the answer. */
static void query_all(void) {
    for (int i = 0; i < collected; i++)
        for (int what = -1; what < 300; what++) {
            uint64_t answer = UINT64_C(0xa5a5a5a5a5a5a5a5), answer2 = answer;
            int status = dnnl_memory_desc_query(collection[i], (dnnl_query_t)what, &answer);
            int status2 = dnnl_memory_desc_query_v2(collection[i], (dnnl_query_t)what, 0, &answer2);
            int status3 = dnnl_memory_desc_query_v2(collection[i], (dnnl_query_t)what, 1, &answer2);
            printf("query %d of %d: %d %d %d %s %s\n", what, i, status, status2, status3,
                   answer == UINT64_C(0xa5a5a5a5a5a5a5a5) ? "untouched" : "answered",
                   answer2 == UINT64_C(0xa5a5a5a5a5a5a5a5) ? "untouched" : "answered");
        }
    int answer;
    printf("query nothing: %d %d %d %d\n", dnnl_memory_desc_query(NULL, dnnl_query_ndims_s32, &answer),
           dnnl_memory_desc_query(collection[0], dnnl_query_ndims_s32, NULL),
           dnnl_memory_desc_query_v2(NULL, dnnl_query_ndims_s32, 0, &answer),
           dnnl_memory_desc_query_v2(collection[0], dnnl_query_ndims_s32, 0, NULL));
}

static void copy_all(void) {
    uint8_t blob[4096];
    for (int i = 0; i < collected; i++) {
        dnnl_memory_desc_t clone = NULL, back = NULL;
        size_t size = 0;
        int cloned = dnnl_memory_desc_clone(&clone, collection[i]);
        int sized = dnnl_memory_desc_get_blob(NULL, &size, collection[i]);
        int written = size <= sizeof(blob) ? (int)dnnl_memory_desc_get_blob(blob, &size, collection[i]) : -1;
        int read = dnnl_memory_desc_create_with_blob(&back, blob);
        printf("copies of %d: %d %d %d %d equal %d %d", i, cloned, sized, written, read,
               dnnl_memory_desc_equal(clone, collection[i]), dnnl_memory_desc_equal(back, collection[i]));
        int typed = dnnl_memory_desc_set_data_type(clone, dnnl_bf16);
        printf(" typed %d", typed);
        print_md(clone);
        printf("\n");
        dnnl_memory_desc_destroy(clone);
        dnnl_memory_desc_destroy(back);
    }
}

/* Views */

static void random_dims(int ndims, dnnl_dim_t *dims) {
    static const dnnl_dim_t sizes[] = {1, 1, 2, 2, 3, 4, 6, 8, 12, 16, 0};
    for (int d = 0; d < ndims; d++)
        dims[d] = sizes[random_below(random_below(10) ? COUNT(sizes) - 1 : COUNT(sizes))];
}

static dnnl_memory_desc_t random_md(int *ndims) {
    static const struct {
        const char *name;
        int ndims;
    } names[] = {{"a", 1},        {"ab", 2},       {"ba", 2},    {"abc", 3},      {"acb", 3},
                 {"cab", 3},      {"abcd", 4},     {"acdb", 4},  {"cdab", 4},     {"aBcd8b", 4},
                 {"aBcd4b", 4},   {"ABcd4b4a", 4}, {"abcde", 5}, {"aBcde16b", 5}, {"aBCde4b8c2b", 5},
                 {"AB2b4a2b", 2}, {"abcdef", 6},   {"Abc4a", 3}};
    dnnl_memory_desc_t md = NULL;
    dnnl_dims_t dims;
    do {
        int n = random_below(COUNT(names));
        *ndims = names[n].ndims;
        random_dims(*ndims, dims);
        for (int d = 0; d < *ndims; d++)
            if (dims[d] == 0 && names[n].name[0] != 'a') dims[d] = 1;
        if (random_below(4)) {
            int tag = 0;
            for (int d = 0; d < *ndims; d++)
                tag |= dims[d] == 0;
            if (!tag) dnnl_memory_desc_create_with_string_tag(&md, *ndims, dims, dnnl_f32, names[n].name);
        } else {
            dnnl_dims_t strides;
            dnnl_dim_t stride = 1;
            for (int d = *ndims - 1; d >= 0; d--) {
                strides[d] = stride;
                stride *= (dims[d] ? dims[d] : 1);
                if (random_below(4) == 0) stride += random_below(3);
            }
            dnnl_memory_desc_create_with_strides(&md, *ndims, dims, dnnl_f32, strides);
        }
    } while (!md);
    return md;
}

/* Another shape, usually of the same volume. */
static int random_reshape(const_dnnl_memory_desc_t md, int ndims, dnnl_dim_t *shape) {
    const dnnl_dims_t *dims;
    int count = 0;
    dnnl_memory_desc_query(md, dnnl_query_dims, &dims);
    for (int d = 0; d < ndims && count < DNNL_MAX_NDIMS - 2; d++) {
        dnnl_dim_t dim = (*dims)[d];
        int what = random_below(6);
        if (what == 0 && count > 0) {
            shape[count - 1] *= dim;
        } else if (what == 1 && dim % 2 == 0 && dim) {
            shape[count++] = 2;
            shape[count++] = dim / 2;
        } else if (!(what == 2 && dim == 1)) {
            shape[count++] = dim;
        }
        if (random_below(5) == 0) shape[count++] = 1;
    }
    if (count == 0) shape[count++] = 1;
    if (random_below(20) == 0) shape[random_below(count)] += 1;
    return count;
}

static void reshapes(void) {
    for (int i = 0; i < 20000; i++) {
        int ndims, count;
        dnnl_dims_t shape;
        dnnl_memory_desc_t md = random_md(&ndims), made = NULL;
        count = random_reshape(md, ndims, shape);
        if (i % 50 == 0) random_dims(count, shape);
        printf("reshape");
        print_md(md);
        print_dims(" to", count, shape);
        finish(dnnl_memory_desc_reshape(&made, md, count, shape), &made);
        dnnl_memory_desc_destroy(md);
    }
    for (int i = 0; i < collected; i++) {
        dnnl_memory_desc_t made = NULL;
        const dnnl_dims_t *dims;
        dnnl_dims_t copy;
        int ndims;
        dnnl_memory_desc_query(collection[i], dnnl_query_ndims_s32, &ndims);
        dnnl_memory_desc_query(collection[i], dnnl_query_dims, &dims);
        memcpy(copy, *dims, sizeof(copy));
        printf("reshape collection %d", i);
        finish(dnnl_memory_desc_reshape(&made, collection[i], ndims, copy), &made);
        for (int bad = -1; bad < 14; bad += 14) {
            printf("reshape collection %d to %d", i, bad);
            finish(dnnl_memory_desc_reshape(&made, collection[i], bad, copy), &made);
        }
        printf("reshape collection %d with no dims", i);
        finish(dnnl_memory_desc_reshape(&made, collection[i], 2, NULL), &made);
        copy[0] = -4;
        printf("reshape collection %d to negative", i);
        finish(dnnl_memory_desc_reshape(&made, collection[i], ndims, copy), &made);
        copy[0] = RUNTIME;
        printf("reshape collection %d to run-time", i);
        finish(dnnl_memory_desc_reshape(&made, collection[i], ndims, copy), &made);
    }
}

static void permutations(void) {
    for (int i = 0; i < 5000; i++) {
        int ndims, order[DNNL_MAX_NDIMS];
        dnnl_memory_desc_t md = random_md(&ndims), made = NULL;
        for (int d = 0; d < ndims; d++) {
            int at = random_below(d + 1);
            order[d] = order[at];
            order[at] = d;
        }
        if (i % 10 == 0) order[random_below(ndims)] = random_below(ndims + 4) - 2;
        printf("permute by");
        for (int d = 0; d < ndims; d++)
            printf(" %d", order[d]);
        print_md(md);
        finish(dnnl_memory_desc_permute_axes(&made, md, order), &made);
        dnnl_memory_desc_destroy(md);
    }
    for (int i = 0; i < collected; i++) {
        const int order[DNNL_MAX_NDIMS] = {1, 0, 3, 2}, same[DNNL_MAX_NDIMS] = {0, 1, 2, 3, 4};
        dnnl_memory_desc_t made = NULL;
        printf("permute collection %d", i);
        finish(dnnl_memory_desc_permute_axes(&made, collection[i], order), &made);
        printf("permute collection %d not", i);
        finish(dnnl_memory_desc_permute_axes(&made, collection[i], same), &made);
    }
}

static void submemories(void) {
    for (int i = 0; i < 20000; i++) {
        int ndims;
        dnnl_dims_t dims, offsets;
        const dnnl_dims_t *whole;
        dnnl_memory_desc_t md = random_md(&ndims), made = NULL;
        dnnl_memory_desc_query(md, dnnl_query_dims, &whole);
        for (int d = 0; d < ndims; d++) {
            int all = (int)(*whole)[d];
            offsets[d] = random_below(2) ? 0 : random_below(all + 1) / 4 * 4;
            dims[d] = random_below(3) ? all - offsets[d] : random_below(all + 1);
        }
        if (i % 20 == 0) offsets[random_below(ndims)] = random_below(20) - 4;
        if (i % 21 == 0) dims[random_below(ndims)] = random_below(20) - 4;
        if (i % 99 == 0) dims[random_below(ndims)] = RUNTIME;
        if (i % 98 == 0) offsets[random_below(ndims)] = RUNTIME;
        printf("part");
        print_md(md);
        print_dims(" dims", ndims, dims);
        print_dims("at", ndims, offsets);
        finish(dnnl_memory_desc_create_submemory(&made, md, dims, offsets), &made);
        dnnl_memory_desc_destroy(md);
    }
    for (int i = 0; i < collected; i++) {
        const dnnl_dims_t dims = {1, 1, 1, 1}, offsets = {0};
        dnnl_memory_desc_t made = NULL;
        printf("part of collection %d", i);
        finish(dnnl_memory_desc_create_submemory(&made, collection[i], dims, offsets), &made);
    }
}

static void types(void) {
    for (int type = -2; type < 20; type++) {
        dnnl_memory_desc_t md = NULL;
        printf("type %d size %zu scalar", type, dnnl_data_type_size((dnnl_data_type_t)type));
        finish(dnnl_memory_desc_create_host_scalar(&md, (dnnl_data_type_t)type), &md);
    }
}

static void sparse(void) {
    for (int ndims = 0; ndims <= 4; ndims++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int t = 0; t < COUNT(all_types); t++) {
                dnnl_memory_desc_t md = NULL;
                dnnl_data_type_t type = all_types[t];
                printf("csr %d %d %d", ndims, s, type);
                finish(dnnl_memory_desc_create_with_csr_encoding(&md, ndims, shapes[s], type, 3 * s, dnnl_s32,
                                                                 dnnl_s32),
                       &md);
                printf("coo %d %d %d", ndims, s, type);
                finish(dnnl_memory_desc_create_with_coo_encoding(&md, ndims, shapes[s], type, 3 * s,
                                                                 dnnl_s64),
                       &md);
                printf("packed %d %d %d", ndims, s, type);
                finish(dnnl_memory_desc_create_with_packed_encoding(&md, ndims, shapes[s], type, 3 * s), &md);
            }
}

int main(void) {
    types();
    tags();
    string_tags();
    default_strides();
    random_strides();
    fitting_strides();
    extremes();
    sparse();
    bad_arguments();
    collect();
    compare_all();
    query_all();
    copy_all();
    reshapes();
    permutations();
    submemories();
    for (int i = 0; i < collected; i++)
        dnnl_memory_desc_destroy(collection[i]);
    return 0;
}
