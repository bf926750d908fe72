/* SPDX-License-Identifier: Apache-2.0 */
/* Engine, descriptors and memories for tests of primitives: memory.h says what each function promises. */
#define _GNU_SOURCE
#include "primitives/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exported by the library, declared by no public header. */
dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *, int, const dnnl_dims_t,
                                                      dnnl_data_type_t, const char *);

int failures;

void failure(const char *format, ...) {
    if (++failures > 20) return;
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

void must_succeed(dnnl_status_t status, const char *call) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s: status %d\n", call, (int)status);
    abort();
}

static bool test_engine_is(const char *kind) {
    const char *wanted = getenv("LODE_TEST_ENGINE");
    return wanted && strcmp(wanted, kind) == 0;
}

bool test_gpu(void) {
    return test_engine_is("gpu");
}

/* Does a product of f16, which needs more of a device than others, get a kernel for GPUs alone? */
static bool runs_gpu_kernels(dnnl_engine_t engine) {
    dnnl_memory_desc_t md = md_new(2, (dnnl_dims_t){64, 64}, dnnl_f16, "ab");
    dnnl_primitive_desc_t pd = NULL;
    const char *name = "";
    if (dnnl_matmul_primitive_desc_create(&pd, engine, md, md, NULL, md, NULL) == dnnl_success)
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    bool runs = strstr(name, "_gpu_") != NULL;
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    return runs;
}

static dnnl_engine_t gpu_engine(void) {
    dnnl_engine_t engine;
    for (size_t i = 0; i < dnnl_engine_get_count(dnnl_gpu); i++) {
        if (dnnl_engine_create(&engine, dnnl_gpu, i) != dnnl_success) continue;
        if (runs_gpu_kernels(engine)) return engine;
        dnnl_engine_destroy(engine);
    }
    printf("SKIP: no device runs the kernels for GPUs alone\n");
    exit(77);
}

static dnnl_engine_t first_device(void) {
    dnnl_engine_t engine;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) == dnnl_success) return engine;
    printf("SKIP: the runtime has no device\n");
    exit(77);
}

dnnl_engine_t test_engine(void) {
    static dnnl_engine_t engine;
    if (engine) return engine;
    setenv("LODE_TEST_ALL_REORDERS", "1", 1);
    if (test_gpu()) engine = gpu_engine();
    if (test_engine_is("device")) engine = first_device();
    if (!engine) MUST(dnnl_engine_create(&engine, dnnl_cpu, 0));
    return engine;
}

dnnl_stream_t test_stream(void) {
    static dnnl_stream_t stream;
    if (!stream) MUST(dnnl_stream_create(&stream, test_engine(), dnnl_stream_default_flags));
    return stream;
}

bool test_peer(void) {
    return getenv("LODE_TEST_PEER") != NULL;
}

bool test_peer_is_narrow(void) {
    unsigned vnni = dnnl_cpu_isa_avx512_core_vnni;
    if (!test_peer() || (dnnl_get_effective_cpu_isa() & vnni) == vnni) return false;
    printf("SKIP: without VNNI the peer lacks some cases, and its sums of bytes saturate\n");
    return true;
}

dnnl_memory_desc_t md_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, const char *tag) {
    dnnl_memory_desc_t md = NULL;
    if (tag)
        MUST(dnnl_memory_desc_create_with_string_tag(&md, ndims, dims, type, tag));
    else
        MUST(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, dnnl_format_tag_any));
    return md;
}

dnnl_memory_desc_t md_of(const struct array *array, const char *tag) {
    return md_new(array->ndims, array->dims, array->type, tag);
}

/* A blocked descriptor, taken apart. The offset of a position is a sum with one term for each of its
 * coordinates. */
struct layout {
    int ndims;
    dnnl_dim_t offset;
    dnnl_data_type_t type;
    const dnnl_dims_t *dims, *padded;
    int64_t *terms[DNNL_MAX_NDIMS]; /* by coordinate; all in one allocation */
};

struct blocks {
    int count;
    const dnnl_dims_t *sizes, *dims;
};

/* What coordinate x of dimension d adds to the offset. */
static int64_t term_of(const struct blocks *blocks, dnnl_dim_t outer_stride, int d, dnnl_dim_t x) {
    int64_t term = 0, stride = 1;
    for (int b = blocks->count - 1; b >= 0; b--) {
        dnnl_dim_t size = (*blocks->sizes)[b];
        if ((*blocks->dims)[b] == d) {
            term += x % size * stride;
            x /= size;
        }
        stride *= size;
    }
    return term + x * outer_stride;
}

static struct layout layout_new(const_dnnl_memory_desc_t md) {
    struct layout l = {0};
    struct blocks blocks = {0};
    const dnnl_dims_t *strides;
    int64_t count = 1;
    MUST(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &l.ndims));
    MUST(dnnl_memory_desc_query(md, dnnl_query_data_type, &l.type));
    MUST(dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &l.offset));
    MUST(dnnl_memory_desc_query(md, dnnl_query_dims, &l.dims));
    MUST(dnnl_memory_desc_query(md, dnnl_query_padded_dims, &l.padded));
    MUST(dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
    MUST(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &blocks.count));
    if (blocks.count > 0) {
        MUST(dnnl_memory_desc_query(md, dnnl_query_inner_blks, &blocks.sizes));
        MUST(dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &blocks.dims));
    }
    for (int d = 0; d < l.ndims; d++)
        count += (*l.padded)[d];
    int64_t *terms = malloc((size_t)count * sizeof *terms);
    if (!terms) abort();
    l.terms[0] = terms;
    for (int d = 0; d < l.ndims; d++) {
        l.terms[d] = terms;
        for (dnnl_dim_t x = 0; x < (*l.padded)[d]; x++)
            *terms++ = term_of(&blocks, (*strides)[d], d, x);
    }
    return l;
}

static void layout_free(struct layout *l) {
    free(l->terms[0]);
}

static int64_t offset_of(const struct layout *l, const dnnl_dim_t *position) {
    int64_t offset = l->offset;
    for (int d = 0; d < l->ndims; d++)
        offset += l->terms[d][position[d]];
    return offset;
}

dnnl_memory_t memory_new(const_dnnl_memory_desc_t md, const struct array *array) {
    dnnl_memory_t memory;
    MUST(dnnl_memory_create(&memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    size_t size = dnnl_memory_desc_get_size(md);
    if (size == 0) return memory;
    void *bytes;
    MUST(dnnl_memory_map_data(memory, &bytes));
    memset(bytes, array ? 0 : 0x55, size);
    if (array && array->count > 0) {
        struct layout l = layout_new(md);
        dnnl_dims_t position = {0};
        do
            store_element(bytes, l.type, offset_of(&l, position), array_at(array, position));
        while (next_position(l.ndims, *l.dims, position));
        layout_free(&l);
    }
    MUST(dnnl_memory_unmap_data(memory, bytes));
    return memory;
}

static bool inside(const struct layout *l, const dnnl_dim_t *position) {
    for (int d = 0; d < l->ndims; d++)
        if (position[d] >= (*l->dims)[d]) return false;
    return true;
}

bool memory_read(dnnl_memory_t memory, struct array *array) {
    const_dnnl_memory_desc_t md;
    MUST(dnnl_memory_get_memory_desc(memory, &md));
    if (dnnl_memory_desc_get_size(md) == 0) return true;
    struct layout l = layout_new(md);
    dnnl_dims_t position = {0};
    bool padding_is_zero = true;
    void *bytes;
    MUST(dnnl_memory_map_data(memory, &bytes));
    do {
        double x = load_element(bytes, l.type, offset_of(&l, position));
        if (inside(&l, position))
            array->values[array_index(array, position)] = x;
        else
            padding_is_zero = padding_is_zero && x == 0;
    } while (next_position(l.ndims, *l.padded, position));
    layout_free(&l);
    MUST(dnnl_memory_unmap_data(memory, bytes));
    return padding_is_zero;
}

dnnl_memory_t memory_reordered(const_dnnl_memory_desc_t md, const struct array *array) {
    static const char *const plain[] = {"a", "ab", "abc", "abcd", "abcde", "abcdef"};
    dnnl_memory_desc_t plain_md = md_of(array, plain[array->ndims - 1]);
    dnnl_memory_t source = memory_new(plain_md, array), result;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    MUST(dnnl_memory_create(&result, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    MUST(dnnl_reorder_primitive_desc_create(&pd, plain_md, test_engine(), md, test_engine(), NULL));
    MUST(dnnl_primitive_create(&reorder, pd));
    MUST(dnnl_primitive_execute(reorder, test_stream(), 2,
                                (dnnl_exec_arg_t[]){{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, result}}));
    MUST(dnnl_stream_wait(test_stream()));
    dnnl_primitive_destroy(reorder);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(source);
    dnnl_memory_desc_destroy(plain_md);
    return result;
}
