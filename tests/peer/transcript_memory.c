/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory objects on the CPU engine, like transcript_memory_desc.c for descriptors. Addresses are printed only
 * as what they are equal to. If the oneDNN has no CPU engine, the transcript says so and ends.
 *
 * Left out, because the peer crashes, follows a wrong index or accepts any handle: negative indices of
 * handles, DNNL_MEMORY_ALLOCATE as a new handle; more handles than any descriptor has; zero padding of 4-bit
 * types, which the peer writes as if they were bytes.
 */
#include "transcript.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t, dnnl_stream_t);

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static _Alignas(64) unsigned char user[2][1 << 20];

static const char *name_of(const void *address) {
    if (!address) return "NULL";
    if (address == user[0]) return "user0";
    if (address == user[1]) return "user1";
    if (address == (void *)(intptr_t)0x5a5a) return "untouched";
    return "other";
}

static void show_first(const_dnnl_memory_t memory, const char *name) {
    void *handle = (void *)(intptr_t)0x5a5a;
    int status = dnnl_memory_get_data_handle(memory, &handle);
    printf(" %s %d %s", name, status, name_of(handle));
}

/* Prints handles, engine, mapping and size of a memory, then destroys it. */
static void print_memory(dnnl_memory_t memory, const_dnnl_memory_desc_t md) {
    const_dnnl_memory_desc_t got = NULL;
    dnnl_engine_t got_engine = NULL;
    printf(" desc %d", dnnl_memory_get_memory_desc(memory, &got));
    printf(" %d", dnnl_memory_desc_equal(got, md));
    printf(" engine %d", dnnl_memory_get_engine(memory, &got_engine));
    printf(" %s", got_engine == engine ? "same" : got_engine ? "other" : "NULL");
    for (int i = 0; i < 4; i++) {
        void *handle = (void *)(intptr_t)0x5a5a, *mapped = (void *)(intptr_t)0x5a5a;
        int got_handle = dnnl_memory_get_data_handle_v2(memory, &handle, i);
        int mapped_status = dnnl_memory_map_data_v2(memory, &mapped, i);
        printf(" [%d] handle %d %s map %d %s", i, got_handle, name_of(handle), mapped_status,
               mapped == handle ? "handle" : name_of(mapped));
        if (mapped_status == dnnl_success) printf(" unmap %d", dnnl_memory_unmap_data_v2(memory, mapped, i));
    }
    show_first(memory, "first");
    printf(" set %d", dnnl_memory_set_data_handle(memory, user[1]));
    show_first(memory, "then");
    printf(" none %d", dnnl_memory_set_data_handle(memory, DNNL_MEMORY_NONE));
    show_first(memory, "then");
    printf(" past %d\n", dnnl_memory_set_data_handle_v2(memory, user[0], 3));
    dnnl_memory_destroy(memory);
}

static void create(const char *name, const_dnnl_memory_desc_t md, int nhandles, void **handles) {
    dnnl_memory_t memory = (dnnl_memory_t)(intptr_t)0x5a5a;
    int status = nhandles < 0 ? dnnl_memory_create(&memory, md, engine, handles[0])
                              : dnnl_memory_create_v2(&memory, md, engine, nhandles, handles);
    printf("%s with %d of %s: %d", name, nhandles, handles ? name_of(handles[0]) : "no handles", status);
    if (status == dnnl_success)
        print_memory(memory, md);
    else
        printf(" %s\n", name_of(memory));
}

/* Sparse memory with fewer handles than buffers is refused by ours only, so it is left out. */
static bool is_sparse(const_dnnl_memory_desc_t md) {
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind);
    return kind == dnnl_format_kind_sparse;
}

static void creations(const char *name, dnnl_memory_desc_t md) {
    void *none[] = {NULL, NULL, NULL},
         *allocate[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE},
         *own[] = {user[0], user[1], user[0]}, *mixed[] = {user[0], DNNL_MEMORY_ALLOCATE, NULL};
    void **sets[] = {none, allocate, own, mixed};
    for (int s = 0; s < COUNT(sets); s++)
        for (int n = is_sparse(md) ? 3 : -1; n <= 3; n++)
            create(name, md, n, sets[s]);
    create(name, md, 1, NULL);
    dnnl_memory_t memory = (dnnl_memory_t)(intptr_t)0x5a5a;
    printf("%s: no engine %d %d", name, dnnl_memory_create(&memory, md, NULL, user[0]),
           dnnl_memory_create_v2(&memory, md, NULL, 1, own));
    printf(" no memory %d %d no count %d", dnnl_memory_create(NULL, md, engine, user[0]),
           dnnl_memory_create_v2(NULL, md, engine, 1, own),
           dnnl_memory_create_v2(&memory, md, engine, -1, own));
    float value = 2.5f;
    int status = dnnl_memory_create_host_scalar(&memory, md, &value);
    printf(" scalar %d %s\n", status, status ? name_of(memory) : "made");
    if (status == dnnl_success) {
        float got = 0, next = 3.5f;
        int read = dnnl_memory_get_host_scalar_value(memory, &got);
        printf("scalar: %d %g write %d", read, got, dnnl_memory_set_host_scalar_value(memory, &next));
        read = dnnl_memory_get_host_scalar_value(memory, &got);
        printf(" %d %g no value %d %d\n", read, got, dnnl_memory_get_host_scalar_value(memory, NULL),
               dnnl_memory_set_host_scalar_value(memory, NULL));
        printf("scalar:");
        print_memory(memory, md);
    } else if (!is_sparse(md)) {
        dnnl_memory_create(&memory, md, engine, user[0]);
        if (memory != (dnnl_memory_t)(intptr_t)0x5a5a) {
            printf("%s as scalar: %d %d\n", name, dnnl_memory_get_host_scalar_value(memory, &value),
                   dnnl_memory_set_host_scalar_value(memory, &value));
            dnnl_memory_destroy(memory);
        }
    }
    dnnl_memory_desc_destroy(md);
}

static void all_creations(void) {
    const dnnl_dims_t dims = {4, 6}, empty = {0, 6}, unknown = {DNNL_RUNTIME_DIM_VAL, 6}, part = {2, 3},
                      at = {1, 2};
    dnnl_memory_desc_t md, parent;
    dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab);
    creations("dense", md);
    dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_format_tag_any);
    creations("any", md);
    dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_format_tag_undef);
    creations("zero", md);
    dnnl_memory_desc_create_with_tag(&md, 2, empty, dnnl_f32, dnnl_ab);
    creations("empty", md);
    dnnl_memory_desc_create_with_tag(&md, 2, unknown, dnnl_f32, dnnl_ab);
    creations("run-time", md);
    dnnl_memory_desc_create_with_tag(&parent, 2, dims, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_create_submemory(&md, parent, part, at);
    dnnl_memory_desc_destroy(parent);
    creations("part", md);
    dnnl_memory_desc_create_host_scalar(&md, dnnl_f32);
    creations("scalar", md);
    dnnl_memory_desc_create_with_csr_encoding(&md, 2, dims, dnnl_f32, 5, dnnl_s32, dnnl_s32);
    creations("csr", md);
    dnnl_memory_desc_create_with_coo_encoding(&md, 2, dims, dnnl_f32, 5, dnnl_s32);
    creations("coo", md);
    dnnl_memory_desc_create_with_packed_encoding(&md, 2, dims, dnnl_f32, 5);
    creations("packed", md);
}

static void nothing(void) {
    void *handle = user[0], *mapped = (void *)(intptr_t)0x5a5a;
    const_dnnl_memory_desc_t md = NULL;
    dnnl_engine_t got = NULL;
    float value = 0;
    dnnl_memory_t memory = NULL;
    printf("nothing: %d %d", dnnl_memory_create(&memory, NULL, engine, user[0]), dnnl_memory_destroy(NULL));
    show_first(NULL, "get");
    int status = dnnl_memory_get_data_handle_v2(NULL, &handle, 7);
    printf(" %d %s %d", status, name_of(handle), dnnl_memory_get_data_handle(NULL, NULL));
    printf(" set %d %d", dnnl_memory_set_data_handle(NULL, user[0]),
           dnnl_memory_set_data_handle_v2(NULL, user[0], 1));
    printf(" map %d %d", dnnl_memory_map_data(NULL, &mapped), dnnl_memory_unmap_data(NULL, user[0]));
    printf(" desc %d engine %d", dnnl_memory_get_memory_desc(NULL, &md), dnnl_memory_get_engine(NULL, &got));
    printf(" scalar %d %d %d", dnnl_memory_get_host_scalar_value(NULL, &value),
           dnnl_memory_set_host_scalar_value(NULL, &value),
           dnnl_memory_create_host_scalar(&memory, NULL, &value));
    printf(" pad %d %d %s\n", dnnl_impl_zero_pad(NULL, stream), dnnl_impl_zero_pad(NULL, NULL),
           name_of(mapped));
}

/* Zero padding: every tag, several types; a position-dependent checksum shows what was written. */

static uint64_t digest(const unsigned char *bytes, size_t count) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static void zero_pad(int tag, const dnnl_dims_t dims, dnnl_data_type_t type) {
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = NULL;
    int ndims = 1;
    while (ndims <= 6 && dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, (dnnl_format_tag_t)tag))
        ndims++;
    size_t size = dnnl_memory_desc_get_size(md);
    if (md && size <= sizeof(user[0]) && dnnl_memory_create(&memory, md, engine, user[0]) == dnnl_success) {
        memset(user[0], 0xa5, size + 64);
        int status = dnnl_impl_zero_pad(memory, stream);
        dnnl_stream_wait(stream);
        printf("pad tag %d type %d: %d %016" PRIx64 "\n", tag, type, status, digest(user[0], size + 64));
        dnnl_memory_destroy(memory);
    }
    dnnl_memory_desc_destroy(md);
}

static void zero_pads(void) {
    const dnnl_dims_t small = {3, 5, 2, 2, 2, 2}, odd = {17, 9, 3, 1, 2, 1}, whole = {32, 64, 16, 2, 1, 1};
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        zero_pad(tag, small, dnnl_f32);
        zero_pad(tag, odd, dnnl_s8);
        zero_pad(tag, whole, dnnl_bf16);
        zero_pad(tag, small, dnnl_f64);
    }
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    dnnl_memory_desc_create_with_tag(&md, 4, small, dnnl_f32, dnnl_aBcd16b);
    dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_NONE);
    printf("pad without data: %d stream %d\n", dnnl_impl_zero_pad(memory, stream),
           dnnl_impl_zero_pad(memory, NULL));
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
}

int main(void) {
    engine = cpu_engine();
    MUST(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    all_creations();
    nothing();
    zero_pads();
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return 0;
}
