/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of Level Zero's tests: engines, vectors, matrices, and expected results. */
#include "runtimes/world.h"

struct world make_world(void) {
    struct world w = {.context = ze_make_context()};
    assert_ok(dnnl_ze_interop_engine_create(&w.engine, ze_driver, ze_device, w.context));
    assert_ok(dnnl_memory_desc_create_with_tag(&w.vector, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
    return w;
}

void free_world(struct world *w) {
    dnnl_memory_desc_destroy(w->vector);
    assert_ok(dnnl_engine_destroy(w->engine));
    ze_ok(ze.zeContextDestroy(w->context));
}

dnnl_primitive_t make_linear(const struct world *w, float alpha, float beta) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&pd, w->engine, dnnl_forward_inference,
                                                         dnnl_eltwise_linear, w->vector, w->vector, alpha,
                                                         beta, NULL));
    assert_ok(dnnl_primitive_create(&primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    return primitive;
}

dnnl_memory_t make_vector(const struct world *w, void *handle) {
    dnnl_memory_t memory;
    assert_ok(dnnl_ze_interop_memory_create(&memory, w->vector, w->engine, 1, &handle));
    return memory;
}

void fill(dnnl_memory_t memory, float first) {
    float *data;
    assert_ok(dnnl_memory_map_data(memory, (void **)&data));
    for (int i = 0; i < N; i++)
        data[i] = first + (float)i;
    assert_ok(dnnl_memory_unmap_data(memory, data));
}

void expect_linear(dnnl_memory_t memory, float first, float alpha, float beta) {
    float *data;
    assert_ok(dnnl_memory_map_data(memory, (void **)&data));
    for (int i = 0; i < N; i++)
        if (data[i] != alpha * (first + (float)i) + beta)
            fail_msg("element %d is %g, not %g", i, data[i], alpha * (first + (float)i) + beta);
    assert_ok(dnnl_memory_unmap_data(memory, data));
}

dnnl_status_t run(dnnl_primitive_t primitive, dnnl_stream_t stream, dnnl_memory_t src, dnnl_memory_t dst,
                  int ndeps, const ze_event_handle_t *deps, ze_event_handle_t *event) {
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    return dnnl_ze_interop_primitive_execute(primitive, stream, 2, args, ndeps, deps, event);
}

dnnl_stream_t make_stream(const struct world *w, ze_command_list_handle_t list) {
    dnnl_stream_t stream;
    assert_ok(dnnl_ze_interop_stream_create(&stream, w->engine, list, 0));
    return stream;
}

struct user_events make_events(const struct world *w) {
    struct user_events made;
    const ze_event_pool_desc_t pool = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 4};
    ze_ok(ze.zeEventPoolCreate(w->context, &pool, 1, &ze_device, &made.pool));
    for (uint32_t i = 0; i < 4; i++) {
        const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                      .index = i,
                                      .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                      .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        ze_ok(ze.zeEventCreate(made.pool, &desc, &made.events[i]));
    }
    return made;
}

void free_events(struct user_events *events) {
    for (int i = 0; i < 4; i++)
        ze_ok(ze.zeEventDestroy(events->events[i]));
    ze_ok(ze.zeEventPoolDestroy(events->pool));
}

/* Elements are `step` apart. */
static dnnl_memory_t make_matrix(const struct world *w, int rows, int columns, int step,
                                 dnnl_memory_desc_t *md) {
    dnnl_memory_t memory;
    void *handle = DNNL_MEMORY_ALLOCATE;
    assert_ok(dnnl_memory_desc_create_with_strides(md, 2, (dnnl_dims_t){rows, columns}, dnnl_f32,
                                                   (dnnl_dims_t){step * columns, step}));
    assert_ok(dnnl_ze_interop_memory_create(&memory, *md, w->engine, 1, &handle));
    return memory;
}

void fill_matrix(dnnl_memory_t memory, int count, int seed) {
    float *data;
    assert_ok(dnnl_memory_map_data(memory, (void **)&data));
    for (int i = 0; i < count; i++)
        data[i] = (float)((i * 7 + seed) % 13 - 6); /* small integers: sums are exact */
    assert_ok(dnnl_memory_unmap_data(memory, data));
}

struct product make_product(const struct world *w) {
    struct product p;
    dnnl_primitive_desc_t pd;
    p.a = make_matrix(w, M, K, 1, &p.mds[0]);
    p.b = make_matrix(w, K, COLUMNS, 1, &p.mds[1]);
    p.c = make_matrix(w, M, COLUMNS, PRODUCT_STEP, &p.mds[2]);
    assert_ok(dnnl_matmul_primitive_desc_create(&pd, w->engine, p.mds[0], p.mds[1], NULL, p.mds[2], NULL));
    assert_ok(dnnl_primitive_create(&p.primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    return p;
}

void free_product(struct product *p) {
    dnnl_primitive_destroy(p->primitive);
    dnnl_memory_destroy(p->a);
    dnnl_memory_destroy(p->b);
    dnnl_memory_destroy(p->c);
    for (int i = 0; i < 3; i++)
        dnnl_memory_desc_destroy(p->mds[i]);
}

void multiply(const struct product *p, dnnl_stream_t stream, ze_event_handle_t *event) {
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, p->a}, {DNNL_ARG_WEIGHTS, p->b}, {DNNL_ARG_DST, p->c}};
    assert_ok(dnnl_ze_interop_primitive_execute(p->primitive, stream, 3, args, 0, NULL, event));
}

void expect_product(const struct product *p) {
    float *a, *b, *c;
    assert_ok(dnnl_memory_map_data(p->a, (void **)&a));
    assert_ok(dnnl_memory_map_data(p->b, (void **)&b));
    assert_ok(dnnl_memory_map_data(p->c, (void **)&c));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * COLUMNS + j];
            float found = c[PRODUCT_STEP * (i * COLUMNS + j)];
            if (found != sum) fail_msg("c[%d][%d] is %g, not %g", i, j, found, sum);
        }
    assert_ok(dnnl_memory_unmap_data(p->a, a));
    assert_ok(dnnl_memory_unmap_data(p->b, b));
    assert_ok(dnnl_memory_unmap_data(p->c, c));
}

void expect_steps(dnnl_memory_t memory, float first) {
    expect_linear(memory, first, 1 << STEPS, (1 << STEPS) - 1);
}
