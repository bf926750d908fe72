/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, streams and memory: lifetimes in any order, every kind of handle, host access, bad arguments. */
#include "runtimes/conformance.h"

enum { LENGTH = 1000 };
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* Engines */

static void engines(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t a = make_engine(place), b = make_engine(place);
    dnnl_engine_kind_t kind;
    assert_ptr_not_equal(a, b);
    assert_ok(dnnl_engine_get_kind(a, &kind));
    assert_true(kind == dnnl_cpu || kind == dnnl_gpu);
    assert_ok(dnnl_engine_destroy(a));
    assert_ok(dnnl_engine_get_kind(b, &kind));
    assert_ok(dnnl_engine_destroy(b));
}

/* Creates many engines one after the other: none may affect the next. */
static void many_engines(void **state) {
    for (int i = 0; i < 50; i++)
        assert_ok(dnnl_engine_destroy(make_engine(place_of(state))));
}

/* Memory of one engine can be used by another of the same device and context. */
static void engines_share_memory(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t a = make_engine(place), b = make_engine(place);
    dnnl_stream_t stream = make_stream(place, a, BY_LIBRARY, dnnl_stream_default_flags);
    struct step step = make_step(a, LENGTH);
    dnnl_memory_t src = make_memory(&step, b), dst = make_memory(&step, b);
    memory_set_all(src, 3, LENGTH);
    assert_ok(run_step(&step, stream, src, dst));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(dst, 7, LENGTH);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(a));
    assert_ok(dnnl_engine_destroy(b));
}

/* Lifetimes: five objects, destroyed in every order, with and without waiting for submitted work. */

enum { ENGINE, STREAM, SRC, DST, PRIMITIVE, OBJECTS };

static void destroy(int object, void *const *objects) {
    switch (object) {
    case ENGINE: assert_ok(dnnl_engine_destroy(objects[ENGINE])); break;
    case STREAM: assert_ok(dnnl_stream_destroy(objects[STREAM])); break;
    case SRC:
    case DST: assert_ok(dnnl_memory_destroy(objects[object])); break;
    case PRIMITIVE: assert_ok(dnnl_primitive_destroy(objects[PRIMITIVE])); break;
    }
}

static void create_and_destroy(const struct place *place, const int order[OBJECTS], bool wait) {
    dnnl_engine_t engine = make_engine(place);
    dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_default_flags);
    struct step step = make_step(engine, LENGTH);
    dnnl_memory_t src = make_memory(&step, engine), dst = make_memory(&step, engine);
    void *objects[OBJECTS] = {engine, stream, src, dst, step.primitive};
    memory_set_all(src, 1, LENGTH);
    assert_ok(run_step(&step, stream, src, dst));
    if (wait) assert_ok(dnnl_stream_wait(stream));
    for (int i = 0; i < OBJECTS; i++)
        destroy(order[i], objects);
    assert_ok(dnnl_memory_desc_destroy(step.md));
}

/* The next permutation in lexicographic order; false after the last. */
static bool permute(int order[OBJECTS]) {
    int i = OBJECTS - 2, k = OBJECTS - 1, t;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0) return false;
    while (order[k] < order[i])
        k--;
    t = order[i], order[i] = order[k], order[k] = t;
    for (int a = i + 1, b = OBJECTS - 1; a < b; a++, b--)
        t = order[a], order[a] = order[b], order[b] = t;
    return true;
}

static void lifetimes(void **state) {
    int order[OBJECTS] = {0, 1, 2, 3, 4};
    do {
        create_and_destroy(place_of(state), order, true);
        create_and_destroy(place_of(state), order, false);
    } while (permute(order));
}

/* Memory */

/* Uses a memory as src and as dst of a primitive. */
static void use_memory(const struct place *place, dnnl_engine_t engine, const struct step *step,
                       dnnl_memory_t memory) {
    dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_default_flags);
    dnnl_memory_t other = make_memory(step, engine);
    memory_set_all(memory, 4, LENGTH);
    assert_memory_is(memory, 4, LENGTH);
    assert_ok(run_step(step, stream, memory, other));
    assert_ok(run_step(step, stream, other, memory));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(other, 9, LENGTH);
    assert_memory_is(memory, 19, LENGTH);
    assert_ok(dnnl_memory_destroy(other));
    assert_ok(dnnl_stream_destroy(stream));
}

static void allocated_memory(const struct place *place, dnnl_engine_t engine, const struct step *step,
                             int kind) {
    dnnl_memory_t memory;
    void *handle;
    assert_ok(place->backend->memory(place, kind, step->md, engine, DNNL_MEMORY_ALLOCATE, &memory));
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_non_null(handle);
    use_memory(place, engine, step, memory);
    assert_ok(dnnl_memory_destroy(memory));
}

static void user_memory(const struct place *place, dnnl_engine_t engine, const struct step *step, int kind) {
    void *native = place->backend->native_alloc(place, kind, LENGTH * sizeof(float)), *handle;
    dnnl_memory_t memory;
    assert_non_null(native);
    assert_ok(place->backend->memory(place, kind, step->md, engine, native, &memory));
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    if (place->backend->copied[kind])
        assert_non_null(handle);
    else
        assert_ptr_equal(handle, native);
    use_memory(place, engine, step, memory);
    assert_ok(dnnl_memory_destroy(memory));

    /* Created empty, then given the handle, then emptied again. */
    assert_ok(place->backend->memory(place, kind, step->md, engine, DNNL_MEMORY_NONE, &memory));
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_null(handle);
    assert_ok(dnnl_memory_set_data_handle(memory, native));
    assert_memory_is(memory, 19, LENGTH);
    use_memory(place, engine, step, memory);
    assert_ok(dnnl_memory_set_data_handle(memory, NULL));
    assert_ok(dnnl_memory_destroy(memory));
    place->backend->native_free(place, kind, native);
}

static void memory_kinds(void **state) {
    const struct place *place = place_of(state);
    const struct backend *backend = place->backend;
    if (!backend->memory) leave_out(place, "its users cannot provide memory");
    dnnl_engine_t engine = make_engine(place);
    struct step step = make_step(engine, LENGTH);
    for (int kind = 0; backend->kinds[kind]; kind++) {
        if (!backend->has_kind(place, kind)) {
            print_message("SKIP: %s: no memory of kind %s\n", place->name, backend->kinds[kind]);
            continue;
        }
        if (!backend->user_only[kind]) allocated_memory(place, engine, &step, kind);
        user_memory(place, engine, &step, kind);
    }
    free_step(&step);
    assert_ok(dnnl_engine_destroy(engine));
}

/* A kind that the device lacks is refused with an error status. */
static void missing_kinds(void **state) {
    const struct place *place = place_of(state);
    const struct backend *backend = place->backend;
    int missing = 0;
    dnnl_engine_t engine = make_engine(place);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a);
    for (int kind = 0; backend->kinds[kind]; kind++) {
        if (backend->has_kind(place, kind)) continue;
        dnnl_memory_t memory = UNTOUCHED;
        missing++;
        assert_int_equal(backend->memory(place, kind, md, engine, DNNL_MEMORY_ALLOCATE, &memory),
                         dnnl_unimplemented);
        assert_ptr_equal(memory, UNTOUCHED);
    }
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(engine));
    if (!missing) leave_out(place, "has every kind of memory");
}

/* One primitive uses memories of every pair of kinds. */
static void mixed_kinds(void **state) {
    const struct place *place = place_of(state);
    const struct backend *backend = place->backend;
    if (!backend->memory || !backend->kinds[1]) leave_out(place, "has one kind of memory");
    struct scene s = plain_scene(place, LENGTH);
    for (int a = 0; backend->kinds[a]; a++)
        for (int b = 0; backend->kinds[b]; b++) {
            if (!backend->has_kind(place, a) || !backend->has_kind(place, b)) continue;
            void *from = backend->native_alloc(place, a, LENGTH * sizeof(float));
            void *to = backend->native_alloc(place, b, LENGTH * sizeof(float));
            dnnl_memory_t src, dst;
            assert_ok(backend->memory(place, a, s.step.md, s.engine, from, &src));
            assert_ok(backend->memory(place, b, s.step.md, s.engine, to, &dst));
            memory_set_all(src, 10, LENGTH);
            assert_ok(run_step(&s.step, s.stream, src, dst));
            assert_ok(dnnl_stream_wait(s.stream));
            assert_memory_is(dst, 21, LENGTH);
            assert_ok(dnnl_memory_destroy(src));
            assert_ok(dnnl_memory_destroy(dst));
            backend->native_free(place, a, from);
            backend->native_free(place, b, to);
        }
    close_scene(&s);
}

/* Several memories are mapped at once. Each mapping shows its own data, and the device sees what was
 * written. */
static void map(void **state) {
    const struct place *place = place_of(state);
    enum { MEMORIES = 8 };
    struct scene s = plain_scene(place, LENGTH);
    dnnl_memory_t memories[MEMORIES], dst = make_memory(&s.step, s.engine);
    float *mapped[MEMORIES];
    for (int i = 0; i < MEMORIES; i++) {
        memories[i] = make_memory(&s.step, s.engine);
        assert_ok(dnnl_memory_map_data(memories[i], (void **)&mapped[i]));
        assert_non_null(mapped[i]);
    }
    for (int i = 0; i < MEMORIES; i++)
        for (int n = 0; n < LENGTH; n++)
            mapped[i][n] = (float)i;
    for (int i = 0; i < MEMORIES; i++)
        assert_ok(dnnl_memory_unmap_data(memories[i], mapped[i]));
    for (int i = 0; i < MEMORIES; i++) {
        assert_ok(run_step(&s.step, s.stream, memories[i], dst));
        assert_ok(dnnl_stream_wait(s.stream));
        assert_memory_is(dst, (float)(2 * i + 1), LENGTH);
        assert_ok(dnnl_memory_destroy(memories[i]));
    }
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

/* Memory of zero elements, and primitives over it. */
static void no_elements(void **state) {
    const struct place *place = place_of(state);
    struct scene s = plain_scene(place, 0);
    dnnl_memory_t src = make_memory(&s.step, s.engine), dst = make_memory(&s.step, s.engine);
    assert_ok(run_step(&s.step, s.stream, src, dst));
    assert_ok(dnnl_stream_wait(s.stream));
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

/* Far more memory than the machine has: an error status, and the engine still works. */
static void too_large(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t engine = make_engine(place);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){INT64_C(1) << 50}, dnnl_a);
    dnnl_memory_t memory = UNTOUCHED;
    assert_int_equal(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE), dnnl_out_of_memory);
    assert_ptr_equal(memory, UNTOUCHED);
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_works(engine);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Streams */

static void streams(void **state) {
    const struct place *place = place_of(state);
    static const unsigned flags[] = {dnnl_stream_default_flags, dnnl_stream_in_order,
                                     dnnl_stream_out_of_order, dnnl_stream_in_order | dnnl_stream_profiling,
                                     dnnl_stream_out_of_order | dnnl_stream_profiling};
    dnnl_engine_t engine = make_engine(place), back;
    for (int source = 0; source < STREAM_SOURCES; source++)
        for (int i = 0; i < COUNT(flags); i++) {
            dnnl_stream_t stream = make_stream(place, engine, source, flags[i]);
            if (!stream) continue;
            assert_ok(dnnl_stream_get_engine(stream, &back));
            assert_ptr_equal(back, engine);
            assert_ok(dnnl_stream_wait(stream));
            assert_ok(dnnl_stream_destroy(stream));
        }
    dnnl_stream_t stream = UNTOUCHED;
    unsigned both = dnnl_stream_in_order | dnnl_stream_out_of_order;
    assert_int_equal(dnnl_stream_create(&stream, engine, both), dnnl_invalid_arguments);
    assert_int_equal(dnnl_stream_create(&stream, engine, 1u << 20), dnnl_invalid_arguments);
    assert_int_equal(dnnl_stream_create(&stream, NULL, dnnl_stream_default_flags), dnnl_invalid_arguments);
    assert_int_equal(dnnl_stream_create(NULL, engine, dnnl_stream_default_flags), dnnl_invalid_arguments);
    assert_ptr_equal(stream, UNTOUCHED);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Cache blobs of primitives. */

static dnnl_primitive_desc_t softmax_desc(dnnl_engine_t engine, dnnl_dim_t columns,
                                          dnnl_scratchpad_mode_t mode) {
    dnnl_memory_desc_t md;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){3, columns}, dnnl_f32, dnnl_ab));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, mode));
    assert_ok(dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_softmax_accurate, md, md, 1, attr));
    assert_ok(dnnl_primitive_attr_destroy(attr));
    assert_ok(dnnl_memory_desc_destroy(md));
    return pd;
}

static size_t blob_id(const_dnnl_primitive_desc_t pd, const uint8_t **id) {
    int64_t size = -1;
    assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id_size_s64, 0, &size));
    assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, (void *)id));
    assert_true(size >= 0);
    return (size_t)size;
}

static bool same_id(const_dnnl_primitive_desc_t a, const_dnnl_primitive_desc_t b) {
    const uint8_t *ids[2];
    size_t sizes[2] = {blob_id(a, &ids[0]), blob_id(b, &ids[1])};
    return sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
}

/* Four equal values per row become quarters. */
static void run_softmax(dnnl_engine_t engine, const_dnnl_primitive_desc_t pd, dnnl_primitive_t primitive) {
    dnnl_stream_t stream = test_stream(engine);
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    dnnl_memory_t memory = test_memory(md, engine, DNNL_MEMORY_ALLOCATE);
    memory_set_all(memory, 5, 12);
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args_of(memory, memory).list));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(memory, 0.25f, 12);
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_stream_destroy(stream));
}

static void blobs(void **state) {
    dnnl_engine_t engine = make_engine(place_of(state)), again = make_engine(place_of(state));
    const dnnl_scratchpad_mode_t library = dnnl_scratchpad_mode_library;
    dnnl_primitive_desc_t pd = softmax_desc(engine, 4, library), same = softmax_desc(again, 4, library);
    dnnl_primitive_desc_t wider = softmax_desc(engine, 5, library),
                          user = softmax_desc(engine, 4, dnnl_scratchpad_mode_user);
    dnnl_primitive_t primitive, restored;
    const uint8_t *id;
    size_t size = 77;
    assert_ok(dnnl_primitive_create(&primitive, pd));
    if (blob_id(pd, &id) == 0) { /* the runtime compiles nothing */
        assert_null(id);
        assert_int_equal(dnnl_primitive_get_cache_blob(primitive, &size, NULL), dnnl_unimplemented);
        assert_int_equal(size, 77);
    } else {
        assert_true(same_id(pd, same));
        assert_false(same_id(pd, wider));
        assert_false(same_id(pd, user));
        assert_ok(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
        uint8_t *blob = malloc(size);
        assert_ok(dnnl_primitive_get_cache_blob(primitive, &size, blob));
        assert_int_equal(dnnl_primitive_create_from_cache_blob(&restored, pd, 0, blob),
                         dnnl_invalid_arguments);
        assert_ok(dnnl_primitive_create_from_cache_blob(&restored, pd, size, blob));
        run_softmax(engine, pd, restored);
        assert_ok(dnnl_primitive_destroy(restored));
        free(blob);
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    dnnl_primitive_desc_t all[] = {pd, same, wider, user};
    for (int i = 0; i < 4; i++)
        assert_ok(dnnl_primitive_desc_destroy(all[i]));
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_engine_destroy(again));
}

const struct test object_tests[] = {
        {"engines", engines},
        {"many_engines", many_engines},
        {"engines_share_memory", engines_share_memory},
        {"lifetimes", lifetimes},
        {"memory_kinds", memory_kinds},
        {"missing_kinds", missing_kinds},
        {"mixed_kinds", mixed_kinds},
        {"map", map},
        {"no_elements", no_elements},
        {"too_large", too_large},
        {"streams", streams},
        {"blobs", blobs},
        {NULL, NULL},
};
