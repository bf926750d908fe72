/* SPDX-License-Identifier: Apache-2.0 */
/* Long runs, destruction in the wrong order, many threads. */
#define _GNU_SOURCE
#include "runtimes/world.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* -- long runs -- */

static long resident_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void test_million_events(void **state) {
    (void)state;
    const char *setting = getenv("LODE_TEST_EXECUTIONS");
    /* At the first measurement the stream's pool of events has its final size. */
    const long total = setting ? atol(setting) : 1000000, first = total / 10 > 40000 ? total / 10 : 40000;
    static const unsigned orders[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    struct world w = make_world();
    assert_ok(dnnl_memory_desc_destroy(w.vector)); /* the work itself does not matter */
    assert_ok(dnnl_memory_desc_create_with_tag(&w.vector, 1, (dnnl_dims_t){1}, dnnl_f32, dnnl_a));
    dnnl_primitive_t more = make_linear(&w, 1, 1);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    for (int o = 0; o < 2; o++) {
        dnnl_stream_t stream;
        ze_event_handle_t event = NULL;
        float *value;
        long before = 0;
        assert_ok(dnnl_stream_create(&stream, w.engine, orders[o]));
        assert_ok(dnnl_memory_map_data(memory, (void **)&value));
        *value = 0;
        assert_ok(dnnl_memory_unmap_data(memory, value));
        for (long i = 0; i < total; i++) {
            assert_ok(run(more, stream, memory, memory, event != NULL, &event, &event));
            if (i % 64 == 63) ze_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
            if (i == first) before = resident_kib();
        }
        assert_ok(dnnl_stream_wait(stream));
        if (MEMORY_IS_OURS) assert_true(resident_kib() - before < 1024);
        assert_ok(dnnl_memory_map_data(memory, (void **)&value));
        assert_true(*value == (float)total);
        assert_ok(dnnl_memory_unmap_data(memory, value));
        dnnl_stream_destroy(stream);
    }
    dnnl_primitive_destroy(more);
    dnnl_memory_destroy(memory);
    free_world(&w);
}

/* Primitives are created and destroyed while streams are busy. Without the primitive cache each has its own
 * parameter blocks. */
static void test_primitives_destroyed_in_flight(void **state) {
    (void)state;
    struct world w = make_world();
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    dnnl_stream_t stream;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    for (int round = 0; round < 200; round++) {
        fill(memory, (float)round);
        for (int i = 0; i < STEPS; i++) {
            dnnl_primitive_t linear = make_linear(&w, 2, 1);
            assert_ok(run(linear, stream, memory, memory, 0, NULL, NULL));
            dnnl_primitive_destroy(linear);
        }
        assert_ok(dnnl_stream_wait(stream));
        expect_steps(memory, (float)round);
    }
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
    dnnl_memory_destroy(memory);
    dnnl_stream_destroy(stream);
    free_world(&w);
}

/* Objects are destroyed in the wrong order, with work in flight. */
static void test_wrong_order_of_destruction(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        dnnl_engine_t engine;
        dnnl_stream_t stream;
        struct world w = {0};
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0));
        w.engine = engine;
        assert_ok(dnnl_memory_desc_create_with_tag(&w.vector, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
        assert_ok(
                dnnl_stream_create(&stream, engine, i % 2 ? dnnl_stream_in_order : dnnl_stream_out_of_order));
        dnnl_primitive_t linear = make_linear(&w, 1, 1);
        dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
        assert_ok(dnnl_engine_destroy(engine));
        for (int k = 0; k < 20; k++)
            assert_ok(run(linear, stream, memory, memory, 0, NULL, NULL));
        dnnl_memory_destroy(memory);
        dnnl_primitive_destroy(linear);
        dnnl_stream_destroy(stream);
        dnnl_memory_desc_destroy(w.vector);
    }
}
/* -- threads -- */

enum { THREADS = 8, ROUNDS = 200 };

struct worker {
    pthread_t thread;
    const struct world *world;
    dnnl_primitive_t twice, more;
    unsigned flags;
    float first;
    const char *failure;
};

static const char *work(struct worker *me, dnnl_stream_t stream, dnnl_memory_t memory, float *data) {
    for (int round = 0; round < ROUNDS; round++) {
        ze_event_handle_t event = NULL;
        for (int i = 0; i < N; i++)
            data[i] = me->first + (float)round;
        for (int i = 0; i < STEPS; i++) {
            if (run(me->twice, stream, memory, memory, event != NULL, &event, &event)) return "execute";
            if (run(me->more, stream, memory, memory, 1, &event, &event)) return "execute";
        }
        if (dnnl_stream_wait(stream)) return "wait";
        for (int i = 0; i < N; i++)
            if (data[i] != (me->first + (float)round) * (1 << STEPS) + (1 << STEPS) - 1) return "result";
    }
    return NULL;
}

static void *work_on_a_stream(void *context) {
    struct worker *me = context;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memory = NULL;
    float *data = NULL;
    void *handle = DNNL_MEMORY_ALLOCATE;
    if (dnnl_stream_create(&stream, me->world->engine, me->flags))
        me->failure = "stream_create";
    else if (dnnl_ze_interop_memory_create(&memory, me->world->vector, me->world->engine, 1, &handle))
        me->failure = "memory_create";
    else if (dnnl_memory_map_data(memory, (void **)&data))
        me->failure = "map";
    else
        me->failure = work(me, stream, memory, data);
    dnnl_memory_unmap_data(memory, data);
    dnnl_memory_destroy(memory);
    dnnl_stream_destroy(stream);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    struct world w = make_world();
    struct worker workers[THREADS];
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&w, 1, 1);
    for (int i = 0; i < THREADS; i++) {
        unsigned order = i % 2 ? dnnl_stream_out_of_order : dnnl_stream_in_order;
        workers[i] = (struct worker){
                .world = &w, .twice = twice, .more = more, .flags = order, .first = (float)(i * 10)};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work_on_a_stream, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].failure) fail_msg("thread %d: %s", i, workers[i].failure);
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_million_events),
            cmocka_unit_test(test_primitives_destroyed_in_flight),
            cmocka_unit_test(test_wrong_order_of_destruction),
            cmocka_unit_test(test_threads),
    };
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    if (!ze_open()) {
        puts("SKIP: no Level Zero device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
