/* SPDX-License-Identifier: Apache-2.0 */
/* The primitive cache: hits, misses, eviction, and many threads at once. */
#define _GNU_SOURCE
#include "core/cache.h"
#include "core/objects.h"
#include "test.h"

#include <pthread.h>

static dnnl_engine_t engine;

static dnnl_primitive_desc_t relu(dnnl_dim_t size, float alpha) {
    dnnl_primitive_desc_t desc;
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){size}, dnnl_a);
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&desc, engine, dnnl_forward_inference,
                                                         dnnl_eltwise_relu, md, md, alpha, 0, NULL));
    dnnl_memory_desc_destroy(md);
    return desc;
}

static bool hits(dnnl_dim_t size, float alpha) {
    dnnl_primitive_desc_t desc = relu(size, alpha);
    bool hit = desc->hit;
    dnnl_primitive_desc_destroy(desc);
    return hit;
}

static int setup(void **state) {
    (void)state;
    engine = test_engine();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    dnnl_engine_destroy(engine);
    return 0;
}

/* Each test begins with an empty cache. */
static int empty(void **state) {
    (void)state;
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    assert_ok(dnnl_set_primitive_cache_capacity(1024));
    return 0;
}

static void test_same_request_hits(void **state) {
    (void)state;
    assert_false(hits(10, 0));
    assert_true(hits(10, 0));
    assert_false(hits(11, 0));
    assert_false(hits(10, 0.5f));
    assert_true(hits(10, 0));
}

static void test_plan_is_shared(void **state) {
    (void)state;
    dnnl_primitive_desc_t a = relu(10, 0), b = relu(10, 0);
    assert_ptr_equal(a->plan, b->plan);
    dnnl_primitive_desc_destroy(a);
    dnnl_primitive_desc_destroy(b);
}

static void test_engines_share(void **state) {
    (void)state;
    assert_false(hits(10, 0));
    dnnl_engine_t first = engine;
    engine = test_engine();
    assert_true(hits(10, 0));
    dnnl_engine_destroy(engine);
    engine = first;
}

static void test_capacity(void **state) {
    (void)state;
    int capacity;
    assert_int_equal(dnnl_set_primitive_cache_capacity(-1), dnnl_invalid_arguments);
    assert_int_equal(dnnl_get_primitive_cache_capacity(NULL), dnnl_invalid_arguments);
    assert_ok(dnnl_set_primitive_cache_capacity(2));
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_int_equal(capacity, 2);
    assert_false(hits(1, 0));
    assert_false(hits(2, 0));
    assert_true(hits(1, 0));
    assert_false(hits(3, 0)); /* evicts 2, the least recently used */
    assert_true(hits(1, 0));
    assert_false(hits(2, 0));
}

static void test_no_cache(void **state) {
    (void)state;
    assert_false(hits(10, 0));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    assert_false(hits(10, 0));
    assert_false(hits(10, 0));
}

static void test_evicted_plan_still_works(void **state) {
    (void)state;
    dnnl_primitive_desc_t desc = relu(2, 0);
    dnnl_primitive_t primitive;
    assert_ok(dnnl_primitive_create(&primitive, desc));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    dnnl_primitive_desc_destroy(desc);
    float x[2] = {-1, 1};
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){2}, dnnl_a);
    dnnl_memory_t memory = test_memory(md, engine, x);
    dnnl_stream_t stream = test_stream(engine);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args));
    assert_true(x[0] == 0 && x[1] == 1);
    dnnl_stream_destroy(stream);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
    dnnl_primitive_destroy(primitive);
}

static void *create_often(void *argument) {
    for (int i = 0; i < 2000; i++) {
        dnnl_primitive_desc_t desc = relu(1 + (i * (int)(intptr_t)argument) % 40, 0);
        dnnl_primitive_t primitive;
        assert_ok(dnnl_primitive_create(&primitive, desc));
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(desc);
        if (i % 100 == 0) assert_ok(dnnl_set_primitive_cache_capacity(10 + i % 30));
    }
    return NULL;
}

static void test_many_threads(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, create_often, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(test_same_request_hits, empty),
            cmocka_unit_test_setup(test_plan_is_shared, empty),
            cmocka_unit_test_setup(test_engines_share, empty),
            cmocka_unit_test_setup(test_capacity, empty),
            cmocka_unit_test_setup(test_no_cache, empty),
            cmocka_unit_test_setup(test_many_threads, empty),
            cmocka_unit_test_setup(test_evicted_plan_still_works, empty),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
