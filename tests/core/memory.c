/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory objects on a fake runtime, which counts calls, makes staging copies on map like a device with its
 * own memory, and fails on request.
 */
#include "core/memory.h"
#include "test.h"

#define UNTOUCHED ((dnnl_memory_t)(intptr_t)0x5a5a)

static struct {
    int allocated, adopted, mapped, waits;
    int allocations_left; /* further ones fail with out of memory */
    size_t last_size;
    void *refused; /* a handle that adopt rejects */
} fake;

static dnnl_status_t fake_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                struct buffer *buffer) {
    (void)device, (void)kind;
    fake.last_size = size;
    if (fake.allocations_left-- <= 0) return dnnl_out_of_memory;
    fake.allocated++;
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = malloc(size), .owned = true};
    return dnnl_success;
}

static void fake_free(struct device *device, struct buffer *buffer) {
    (void)device;
    if (buffer->owned) {
        free(buffer->handle);
        fake.allocated--;
    } else {
        fake.adopted--;
    }
}

static dnnl_status_t fake_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                struct buffer *buffer) {
    (void)device, (void)size;
    if (handle == fake.refused) return dnnl_invalid_arguments;
    fake.adopted++;
    *buffer = (struct buffer){.kind = kind, .handle = handle};
    return dnnl_success;
}

static dnnl_status_t fake_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    (void)device;
    fake.last_size = size;
    fake.mapped++;
    buffer->state = memcpy(malloc(size), buffer->handle, size);
    *address = buffer->state;
    return dnnl_success;
}

static dnnl_status_t fake_unmap(struct device *device, struct buffer *buffer, void *address) {
    (void)device;
    assert_ptr_equal(address, buffer->state);
    memcpy(buffer->handle, address, fake.last_size);
    free(address);
    buffer->state = NULL;
    fake.mapped--;
    return dnnl_success;
}

static dnnl_status_t fake_wait(struct stream *stream) {
    (void)stream;
    assert_int_equal(fake.mapped, 0);
    fake.waits++;
    return dnnl_success;
}

static const struct runtime fake_runtime = {
        .name = "fake",
        .buffer_kind = BUFFER_OBJECT,
        .buffer_alloc = fake_alloc,
        .buffer_free = fake_free,
        .buffer_adopt = fake_adopt,
        .buffer_map = fake_map,
        .buffer_unmap = fake_unmap,
        .stream_wait = fake_wait,
};
static struct device device = {.references = 1, .runtime = &fake_runtime};
static struct dnnl_engine engine = {.references = 1, .kind = dnnl_gpu, .device = &device};
static struct dnnl_stream stream = {.engine = &engine};

static int start(void **state) {
    (void)state;
    memset(&fake, 0, sizeof(fake));
    fake.allocations_left = 1000;
    return 0;
}

/* A test must release everything. */
static int end(void **state) {
    (void)state;
    assert_int_equal(fake.allocated, 0);
    assert_int_equal(fake.adopted, 0);
    assert_int_equal(fake.mapped, 0);
    assert_int_equal(engine.references, 1);
    return 0;
}

static md_t csr(void) {
    struct md_sparse sparse = {dnnl_csr, 5, {dnnl_s32, dnnl_s32}};
    md_t md;
    assert_ok(md_init_sparse(&md, 2, (dnnl_dims_t){4, 6}, dnnl_f32, &sparse));
    return md;
}

static md_t blocked(const char *tag, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type) {
    md_t md;
    assert_ok(md_init_by_string(&md, ndims, dims, type, tag));
    return md;
}

static void several_handles(void **state) {
    (void)state;
    md_t md = csr();
    char own[64] = {0};
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create_v2(&memory, &md, &engine, 3,
                                    (void *[]){own, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE}));
    assert_int_equal(engine.references, 2);
    assert_int_equal(fake.allocated, 1);
    assert_int_equal(fake.last_size, 20);
    assert_int_equal(fake.adopted, 1);
    void *address;
    assert_ok(dnnl_memory_map_data_v2(memory, &address, 0));
    assert_int_equal(fake.last_size, 20);
    memset(address, 7, 20);
    assert_ok(dnnl_memory_unmap_data_v2(memory, address, 0));
    assert_int_equal(own[19], 7);
    assert_int_equal(own[20], 0);
    assert_ok(dnnl_memory_map_data_v2(memory, &address, 2));
    assert_null(address);
    assert_ok(dnnl_memory_unmap_data_v2(memory, NULL, 2));
    assert_ok(dnnl_memory_destroy(memory));
}

/* Whatever fails, earlier steps are undone and no object is returned. */
static void failures(void **state) {
    (void)state;
    md_t md = csr();
    char own[3][32];
    dnnl_memory_t memory = UNTOUCHED;
    void *all[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    for (int n = 0; n < 3; n++) {
        fake.allocations_left = n;
        assert_int_equal(dnnl_memory_create_v2(&memory, &md, &engine, 3, all), dnnl_out_of_memory);
        assert_int_equal(fake.allocated, 0);
        fake.refused = own[n];
        assert_int_equal(dnnl_memory_create_v2(&memory, &md, &engine, 3, (void *[]){own[0], own[1], own[2]}),
                         dnnl_invalid_arguments);
        assert_int_equal(fake.adopted, 0);
    }
    assert_ptr_equal(memory, UNTOUCHED);
    assert_int_equal(engine.references, 1);
}

static void new_handles(void **state) {
    (void)state;
    md_t md = blocked("ab", 2, (dnnl_dims_t){4, 4}, dnnl_f32);
    char own[64], other[64];
    void *handle;
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create(&memory, &md, &engine, DNNL_MEMORY_ALLOCATE));
    fake.refused = other;
    assert_int_equal(dnnl_memory_set_data_handle(memory, other), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE), dnnl_invalid_arguments);
    assert_int_equal(fake.allocated, 1); /* a failure keeps the old buffer */
    assert_ok(dnnl_memory_set_data_handle(memory, own));
    assert_int_equal(fake.allocated, 0);
    assert_ok(dnnl_memory_set_data_handle(memory, own)); /* the same handle again: nothing to do */
    assert_int_equal(fake.adopted, 1);
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_ptr_equal(handle, own);
    assert_ok(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_NONE));
    assert_int_equal(fake.adopted, 0);
    assert_ok(dnnl_memory_destroy(memory));
}

/* Sub-memories start at an offset in the buffer, which must be large enough for that. */
static void sizes(void **state) {
    (void)state;
    md_t md = blocked("ab", 2, (dnnl_dims_t){4, 8}, dnnl_f32), part;
    assert_ok(md_submemory(&part, &md, (dnnl_dims_t){2, 8}, (dnnl_dims_t){2, 0}));
    assert_int_equal(memory_size(&md, 0), 128);
    assert_int_equal(memory_size(&part, 0), 128);
    part.data_type = dnnl_s4;
    assert_int_equal(memory_size(&part, 0), 16);
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create(&memory, &part, &engine, DNNL_MEMORY_ALLOCATE));
    assert_int_equal(fake.last_size, 16);
    assert_ok(dnnl_memory_destroy(memory));
    md = blocked("a", 1, (dnnl_dims_t){0}, dnnl_f32);
    fake.allocations_left = 0; /* an empty memory needs no allocation */
    assert_ok(dnnl_memory_create(&memory, &md, &engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_destroy(memory));
}

/* memory_create, which interop functions call with a kind of buffer of their choice. */
static void chosen_kind(void **state) {
    (void)state;
    md_t md = blocked("ab", 2, (dnnl_dims_t){4, 4}, dnnl_f32);
    char own[64], other[64];
    void *handle = own;
    dnnl_memory_t memory = UNTOUCHED;
    assert_int_equal(memory_create(&memory, &md, &engine, BUFFER_POINTER, 0, &handle),
                     dnnl_invalid_arguments);
    assert_int_equal(memory_create(&memory, &md, &engine, BUFFER_POINTER, MD_MAX_HANDLES + 1, &handle),
                     dnnl_invalid_arguments);
    assert_int_equal(memory_create(&memory, NULL, &engine, BUFFER_POINTER, 1, &handle),
                     dnnl_invalid_arguments);
    assert_int_equal(memory_create(&memory, &md, NULL, BUFFER_POINTER, 1, &handle), dnnl_invalid_arguments);
    assert_ptr_equal(memory, UNTOUCHED);
    assert_ok(memory_create(&memory, &md, &engine, BUFFER_POINTER, 1, &handle));
    assert_ptr_equal(memory_buffer(memory, 0)->handle, own);
    assert_int_equal(memory_buffer(memory, 0)->kind, BUFFER_POINTER);
    assert_null(memory_buffer(memory, 1));
    assert_null(memory_buffer(memory, -1));
    assert_ok(memory_set_handle(memory, 0, other));
    assert_int_equal(memory_buffer(memory, 0)->kind, BUFFER_POINTER);
    assert_int_equal(fake.adopted, 1);
    assert_int_equal(memory_set_handle(memory, 0, DNNL_MEMORY_ALLOCATE), dnnl_invalid_arguments);
    assert_ptr_equal(memory_buffer(memory, 0)->handle, other);
    assert_ok(dnnl_memory_destroy(memory));
}

/* Zero padding against the definition: an element is zero if and only if its position is padding. */

static bool is_zero(const md_t *md, const unsigned char *data, const dnnl_dim_t *position) {
    dnnl_dim_t offset = md_offset(md, position);
    int bits = dt_bits(md->data_type);
    if (bits == 4) return (data[offset / 2] >> (offset % 2 * 4) & 15) == 0;
    for (int byte = 0; byte < bits / 8; byte++)
        if (data[offset * bits / 8 + byte] != 0) return false;
    return true;
}

static void check_padding(const md_t *md) {
    size_t size = memory_size(md, 0);
    unsigned char *data = malloc(size + 16);
    memset(data, 0xa5, size + 16);
    md_zero_padding(md, data);
    dnnl_dims_t position = {0};
    for (dnnl_dim_t i = 0; i < md_nelems(md, true); i++) {
        bool padding = false;
        for (int d = 0; d < md->ndims; d++)
            padding |= position[d] >= md->dims[d];
        assert_int_equal(is_zero(md, data, position), padding);
        for (int d = md->ndims - 1; d >= 0 && ++position[d] == md->padded_dims[d]; d--)
            position[d] = 0;
    }
    for (size_t i = size; i < size + 16; i++)
        assert_int_equal(data[i], 0xa5);
    free(data);
}

static void zero_padding(void **state) {
    (void)state;
    static const char *const tags[] = {"abcd",     "aBcd16b", "Abcd4a",       "ABcd8b16a2b", "ABcd4a4b",
                                       "aBCd2b4c", "abcD3d",  "ABCD2a2b2c2d", "BAcd8a2b2a",  "acdB7b"};
    static const dnnl_dims_t shapes[] = {
            {3, 5, 2, 4}, {16, 16, 8, 3}, {1, 1, 1, 1}, {9, 17, 3, 5}, {2, 0, 3, 4}};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_s8, dnnl_bf16, dnnl_f64, dnnl_u4, dnnl_f4_e2m1};
    for (int t = 0; t < COUNT(tags); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int k = 0; k < COUNT(types); k++) {
                md_t md = blocked(tags[t], 4, shapes[s], types[k]);
                check_padding(&md);
            }
    md_t md = blocked("aBcd8b", 4, (dnnl_dims_t){2, 20, 2, 2}, dnnl_f32), part;
    assert_ok(md_submemory(&part, &md, (dnnl_dims_t){2, 4, 2, 2}, (dnnl_dims_t){0, 16, 0, 0}));
    check_padding(&part);
}

static void zero_padding_of_memory(void **state) {
    (void)state;
    md_t md = blocked("aB4b", 2, (dnnl_dims_t){2, 3}, dnnl_s8);
    unsigned char own[8];
    dnnl_memory_t memory;
    memset(own, 1, sizeof(own));
    assert_ok(dnnl_memory_create(&memory, &md, &engine, own));
    assert_ok(memory_zero_padding(memory, &stream));
    assert_int_equal(fake.waits, 1);
    assert_memory_equal(own, ((unsigned char[]){1, 1, 1, 0, 1, 1, 1, 0}), 8);
    assert_ok(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_NONE));
    assert_ok(memory_zero_padding(memory, &stream));
    assert_ok(dnnl_memory_destroy(memory));
    md = csr();
    assert_ok(dnnl_memory_create_v2(&memory, &md, &engine, 3, (void *[]){own, own, own}));
    assert_ok(memory_zero_padding(memory, &stream)); /* nothing to do */
    assert_ok(dnnl_memory_destroy(memory));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(several_handles),
            TEST(failures),
            TEST(new_handles),
            TEST(sizes),
            TEST(chosen_kind),
            TEST(zero_padding),
            TEST(zero_padding_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
