/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what plans say about stores past the caches: results as large as the last-level cache bypass it,
 * or as what the CPUs own of it; smaller ones do not, and neither do those that a launch reads.
 * LODE_TEST_CACHE is the size of that cache.
 */
#define _GNU_SOURCE
#include "core/objects.h"
#include "core/plan.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static dnnl_engine_t engine;
enum { CHANNELS = 64, SIZE = 8, BATCH = 4, CACHE = BATCH * CHANNELS * SIZE * SIZE * 4 };

static const dnnl_dims_t large = {BATCH, CHANNELS, SIZE, SIZE}, small = {BATCH - 1, CHANNELS, SIZE, SIZE};

static bool streams(const struct program *program) {
    for (int i = 0; i < program->nlaunches; i++) {
        const struct launch *launch = program->launches[i];
        i32 said;
        memcpy(&said, program->params + launch->offset + launch->streams, sizeof said);
        if (launch->streamed != SLOT_NOTHING && said) return true;
    }
    return false;
}

static dnnl_memory_desc_t desc(const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, tag));
    return md;
}

/* Each makes a primitive of f32 whose result has these dimensions. */
typedef dnnl_status_t make_pd(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims);

static dnnl_status_t copy(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    return dnnl_reorder_primitive_desc_create(pd, md, engine, md, engine, NULL);
}

static dnnl_status_t to_nhwc(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    dnnl_memory_desc_t nchw = desc(dims, dnnl_nchw);
    dnnl_status_t status = dnnl_reorder_primitive_desc_create(pd, nchw, engine, md, engine, NULL);
    dnnl_memory_desc_destroy(nchw);
    return status;
}

static dnnl_status_t relu(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, dnnl_eltwise_relu,
                                                      md, md, 0, 0, NULL);
}

static dnnl_status_t relu_backward(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    dnnl_primitive_desc_t hint;
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&hint, engine, dnnl_forward_training,
                                                         dnnl_eltwise_relu, md, md, 0, 0, NULL));
    dnnl_status_t status = dnnl_eltwise_backward_primitive_desc_create(pd, engine, dnnl_eltwise_relu, md, md,
                                                                       md, 0, 0, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    return status;
}

static dnnl_status_t add(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    return dnnl_binary_primitive_desc_create(pd, engine, dnnl_binary_add, md, md, md, NULL);
}

/* A sum reads dst. */
static dnnl_status_t accumulate(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_status_t status = dnnl_reorder_primitive_desc_create(pd, md, engine, md, engine, attr);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static dnnl_status_t pool(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    const dnnl_dims_t three = {3, 3}, one = {1, 1}, zero = {0};
    return dnnl_pooling_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, dnnl_pooling_max,
                                                      md, md, one, three, zero, one, one, NULL);
}

static dnnl_status_t normalize(dnnl_primitive_desc_t *pd, dnnl_memory_desc_t md, const dnnl_dims_t dims) {
    (void)dims;
    return dnnl_batch_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md, md,
                                                                  1e-5f, dnnl_use_global_stats, NULL);
}

static bool result_streams(make_pd *make, const dnnl_dims_t dims) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t md = desc(dims, dnnl_nhwc);
    assert_ok(make(&pd, md, dims));
    bool said = streams(pd->plan->program);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    return said;
}

static void by_size(void **state) {
    (void)state;
    static make_pd *const all[] = {copy, to_nhwc, relu, relu_backward, add, pool, normalize};
    for (int i = 0; i < COUNT(all); i++) {
        if (!result_streams(all[i], large)) fail_msg("%d: a large result does not bypass the caches", i);
        if (result_streams(all[i], small)) fail_msg("%d: a small result bypasses the caches", i);
    }
}

static void not_what_is_read(void **state) {
    (void)state;
    assert_false(result_streams(accumulate, large));
}

/* A cache that two CPUs can hardly fill, and one that sixteen can. */
static void by_share_of_cache(void **state) {
    (void)state;
    struct device device = {.info = {.compute_units = 2, .cache_bytes = {0, 0, 260 << 20}}};
    const struct plan plan = {.device = &device};
    assert_int_equal(plan_cache(&plan), 24 << 20);
    device.info = (struct device_info){.compute_units = 16, .cache_bytes = {0, 0, 32 << 20}};
    assert_int_equal(plan_cache(&plan), 32 << 20);
    device.info.cache_bytes[2] = 0;
    assert_int_equal(plan_cache(&plan), 0);
}

int main(void) {
    char cache[16];
    snprintf(cache, sizeof cache, "%d", CACHE);
    setenv("LODE_TEST_CACHE", cache, 1);
    engine = test_engine();
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_size), cmocka_unit_test(not_what_is_read),
                                       cmocka_unit_test(by_share_of_cache)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dnnl_engine_destroy(engine);
    return failed;
}
