/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the memory of executions recorded on mutable command lists. */
#define _DEFAULT_SOURCE
#include "runtimes/world.h"

#include <stdio.h>

/* The program's objects: a mutable list and a queue to run it on. */
struct tape {
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t stream;
};

static struct tape make_tape(const struct world *w, bool changeable) {
    struct tape t = {.list = changeable ? ze_make_mutable(w->context) : ze_make_regular(w->context, NULL),
                     .queue = ze_make_queue(w->context)};
    t.stream = make_stream(w, t.list);
    return t;
}

static void free_tape(struct tape *t) {
    ze_ok(ze.zeCommandQueueDestroy(t->queue));
    ze_ok(ze.zeCommandListDestroy(t->list));
    dnnl_stream_destroy(t->stream);
}

static dnnl_status_t update(const struct tape *t, ze_event_handle_t event, int arg, dnnl_memory_t memory) {
    const dnnl_exec_arg_t args[] = {{arg, memory}};
    return dnnl_ze_interop_stream_update(t->stream, event, 1, args);
}

static void close_and_run(const struct tape *t) {
    ze_ok(ze.zeCommandListClose(t->list));
    ze_run(t->queue, t->list);
}

/* New input and output of every kind of memory, after the primitives are destroyed. The old memory is no
 * longer used. */
static void test_vectors(void **state) {
    (void)state;
    static const ze_memory_type_t types[] = {ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_HOST,
                                             ZE_MEMORY_TYPE_SHARED};
    struct world w = make_world();
    struct tape t = make_tape(&w, true);
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&w, 1, 1);
    dnnl_memory_t src = make_vector(&w, DNNL_MEMORY_ALLOCATE), middle = make_vector(&w, DNNL_MEMORY_ALLOCATE),
                  dst = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    ze_event_handle_t first, second;
    assert_ok(run(twice, t.stream, src, middle, 0, NULL, &first));
    assert_ok(run(more, t.stream, middle, dst, 1, &first, &second));
    assert_ok(dnnl_primitive_destroy(twice));
    assert_ok(dnnl_primitive_destroy(more));
    fill(src, 3);
    close_and_run(&t);
    expect_linear(dst, 3, 2, 1);
    fill(src, 1000);
    fill(dst, 7);
    for (int i = 0; i < 3; i++) {
        void *in = ze_alloc(w.context, types[i], N * sizeof(float));
        void *out = ze_alloc(w.context, types[(i + 1) % 3], N * sizeof(float));
        dnnl_memory_t new_src = make_vector(&w, in), new_dst = make_vector(&w, out);
        fill(new_src, (float)i);
        assert_ok(update(&t, first, DNNL_ARG_SRC, new_src));
        assert_ok(update(&t, second, DNNL_ARG_DST, new_dst));
        close_and_run(&t);
        ze_ok(ze.zeEventQueryStatus(second));
        expect_linear(new_dst, (float)i, 2, 1);
        expect_linear(dst, 7, 1, 0);
        dnnl_memory_destroy(new_src);
        dnnl_memory_destroy(new_dst);
        ze_ok(ze.zeMemFree(w.context, in));
        ze_ok(ze.zeMemFree(w.context, out));
    }
    assert_ok(update(&t, first, DNNL_ARG_SRC, src));
    assert_ok(update(&t, second, DNNL_ARG_DST, dst));
    close_and_run(&t);
    expect_linear(dst, 1000, 2, 1);
    dnnl_memory_destroy(src);
    dnnl_memory_destroy(middle);
    dnnl_memory_destroy(dst);
    free_tape(&t);
    free_world(&w);
}

/* Several launches and a scratchpad; all arguments at once, on a list with other recordings. */
static void test_products(void **state) {
    (void)state;
    enum { PRODUCTS = 3 };
    struct world w = make_world();
    struct product recorded[PRODUCTS], other[PRODUCTS];
    ze_event_handle_t events[PRODUCTS];
    struct tape t = make_tape(&w, true);
    for (int i = 0; i < PRODUCTS; i++) {
        recorded[i] = make_product(&w), other[i] = make_product(&w);
        multiply(&recorded[i], t.stream, &events[i]);
        multiply(&recorded[i], t.stream, NULL); /* recorded without an event: cannot be changed */
    }
    ze_ok(ze.zeCommandListClose(t.list));
    for (int i = 0; i < PRODUCTS; i++) {
        const struct product *p = &other[i];
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_DST, p->c}, {DNNL_ARG_SRC, p->a}, {DNNL_ARG_WEIGHTS, p->b}};
        assert_ok(dnnl_ze_interop_stream_update(t.stream, events[i], 3, args));
        fill_matrix(p->a, M * K, i), fill_matrix(p->b, K * COLUMNS, i + 5);
        fill_matrix(recorded[i].a, M * K, i + 2), fill_matrix(recorded[i].b, K * COLUMNS, i + 1);
    }
    close_and_run(&t);
    for (int i = 0; i < PRODUCTS; i++) {
        expect_product(&other[i]);
        expect_product(&recorded[i]);
        free_product(&other[i]);
        free_product(&recorded[i]);
    }
    free_tape(&t);
    free_world(&w);
}

/* A user-managed scratchpad is an argument like any other. */
static void test_users_scratchpad(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    struct tape t = make_tape(&w, true);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    assert_ok(dnnl_matmul_primitive_desc_create(&pd, w.engine, p.mds[0], p.mds[1], NULL, p.mds[2], attr));
    assert_ok(dnnl_primitive_create(&primitive, pd));
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    size_t size = dnnl_memory_desc_get_size(md);
    assert_true(size > 0);
    void *pads[2];
    dnnl_memory_t scratchpads[2];
    for (int i = 0; i < 2; i++) {
        pads[i] = ze_alloc(w.context, ZE_MEMORY_TYPE_SHARED, size);
        memset(pads[i], 0x55, size);
        assert_ok(dnnl_ze_interop_memory_create(&scratchpads[i], md, w.engine, 1, &pads[i]));
    }
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, p.a},
                                    {DNNL_ARG_WEIGHTS, p.b},
                                    {DNNL_ARG_DST, p.c},
                                    {DNNL_ARG_SCRATCHPAD, scratchpads[0]}};
    ze_event_handle_t event;
    assert_ok(dnnl_ze_interop_primitive_execute(primitive, t.stream, 4, args, 0, NULL, &event));
    ze_ok(ze.zeCommandListClose(t.list));
    assert_ok(update(&t, event, DNNL_ARG_SCRATCHPAD, scratchpads[1]));
    assert_bad(update(&t, event, DNNL_ARG_SCRATCHPAD, p.a));
    fill_matrix(p.a, M * K, 3);
    fill_matrix(p.b, K * COLUMNS, 4);
    close_and_run(&t);
    expect_product(&p);
    const unsigned char *unused = pads[0], *used = pads[1];
    size_t touched = 0;
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(unused[i], 0x55);
        touched += used[i] != 0x55;
    }
    assert_true(touched > 0);
    for (int i = 0; i < 2; i++) {
        dnnl_memory_destroy(scratchpads[i]);
        ze_ok(ze.zeMemFree(w.context, pads[i]));
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    free_product(&p);
    free_tape(&t);
    free_world(&w);
}

static dnnl_memory_t make_scalar(float value) {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_desc_create_host_scalar(&md, dnnl_f32));
    assert_ok(dnnl_memory_create_host_scalar(&memory, md, &value));
    dnnl_memory_desc_destroy(md);
    return memory;
}

/* A by-value argument is updated like memory, and is kept when memory is updated later. */
static void test_host_scalar(void **state) {
    (void)state;
    enum { SCALE = DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC };
    struct world w = make_world();
    struct tape t = make_tape(&w, true);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 1,
                                                dnnl_quantization_mode_static_sazp));
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, w.vector, w.engine, w.vector, w.engine, attr));
    assert_ok(dnnl_primitive_create(&reorder, pd));
    dnnl_memory_t src = make_vector(&w, DNNL_MEMORY_ALLOCATE), dst = make_vector(&w, DNNL_MEMORY_ALLOCATE),
                  again = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    dnnl_memory_t two = make_scalar(2), five = make_scalar(5);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {SCALE, two}};
    ze_event_handle_t event;
    fill(src, 1);
    fill(again, 30);
    assert_ok(dnnl_ze_interop_primitive_execute(reorder, t.stream, 3, args, 0, NULL, &event));
    close_and_run(&t);
    expect_linear(dst, 1, 2, 0);
    assert_ok(update(&t, event, SCALE, five));
    close_and_run(&t);
    expect_linear(dst, 1, 5, 0);
    assert_ok(update(&t, event, DNNL_ARG_SRC, again));
    close_and_run(&t);
    expect_linear(dst, 30, 5, 0);
    assert_bad(update(&t, event, SCALE, src));
    assert_bad(update(&t, event, DNNL_ARG_SRC, five));
    dnnl_memory_t memories[] = {src, dst, again, two, five};
    for (int i = 0; i < 5; i++)
        dnnl_memory_destroy(memories[i]);
    dnnl_primitive_destroy(reorder);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    free_tape(&t);
    free_world(&w);
}

/* After a reset and a new recording, the old events are invalid. */
static void test_after_reset(void **state) {
    (void)state;
    struct world w = make_world();
    struct tape t = make_tape(&w, true);
    dnnl_primitive_t twice = make_linear(&w, 2, 0), thrice = make_linear(&w, 3, 0);
    dnnl_memory_t src = make_vector(&w, DNNL_MEMORY_ALLOCATE), dst = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    ze_event_handle_t old, event;
    assert_ok(run(twice, t.stream, src, dst, 0, NULL, &old));
    ze_ok(ze.zeCommandListClose(t.list));
    ze_ok(ze.zeCommandListReset(t.list));
    assert_ok(run(thrice, t.stream, src, src, 0, NULL, &event));
    ze_ok(ze.zeCommandListClose(t.list));
    assert_bad(update(&t, old, DNNL_ARG_DST, src));
    assert_ok(update(&t, event, DNNL_ARG_DST, dst));
    fill(src, 4);
    close_and_run(&t);
    expect_linear(src, 4, 1, 0);
    expect_linear(dst, 4, 3, 0);
    dnnl_memory_destroy(src);
    dnnl_memory_destroy(dst);
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(thrice);
    free_tape(&t);
    free_world(&w);
}

/* Invalid updates are refused, and leave the list unchanged. */
static void test_bad_arguments(void **state) {
    (void)state;
    struct world w = make_world(), foreign = make_world();
    struct tape t = make_tape(&w, true);
    struct product p = make_product(&w);
    dnnl_primitive_t linear = make_linear(&w, 2, 1);
    dnnl_memory_t src = make_vector(&w, DNNL_MEMORY_ALLOCATE), dst = make_vector(&w, DNNL_MEMORY_ALLOCATE),
                  good = make_vector(&w, DNNL_MEMORY_ALLOCATE), none = make_vector(&w, DNNL_MEMORY_NONE),
                  elsewhere = make_vector(&foreign, DNNL_MEMORY_ALLOCATE);
    struct user_events mine = make_events(&w);
    ze_event_handle_t event;
    assert_ok(run(linear, t.stream, src, dst, 0, NULL, &event));
    assert_bad(update(&t, event, DNNL_ARG_SRC, good)); /* not closed yet */
    ze_ok(ze.zeCommandListClose(t.list));
    const dnnl_exec_arg_t one[] = {{DNNL_ARG_SRC, good}};
    const dnnl_exec_arg_t two[] = {{DNNL_ARG_SRC, good}, {DNNL_ARG_SRC, good}};
    const dnnl_exec_arg_t half[] = {{DNNL_ARG_SRC, good}, {DNNL_ARG_DST, p.a}};
    const struct {
        dnnl_stream_t stream;
        ze_event_handle_t event;
        int nargs;
        const dnnl_exec_arg_t *args;
    } cases[] = {
            {NULL, event, 1, one},
            {t.stream, NULL, 1, one},
            {t.stream, event, -1, one},
            {t.stream, event, 1, NULL},
            {t.stream, event, 2, two},
            {t.stream, event, 2, half},
            {t.stream, mine.events[0], 1, one},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_WEIGHTS, good}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_SCRATCHPAD, good}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{0, good}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, NULL}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, p.a}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, none}}},
            {t.stream, event, 1, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, elsewhere}}},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_bad(dnnl_ze_interop_stream_update(cases[i].stream, cases[i].event, cases[i].nargs,
                                                 cases[i].args));
    assert_ok(dnnl_ze_interop_stream_update(t.stream, event, 0, NULL));
    fill(src, 5);
    fill(good, 50);
    close_and_run(&t);
    expect_linear(dst, 5, 2, 1);
    dnnl_memory_t memories[] = {src, dst, good, none, elsewhere};
    for (int i = 0; i < 5; i++)
        dnnl_memory_destroy(memories[i]);
    dnnl_primitive_destroy(linear);
    free_product(&p);
    free_events(&mine);
    free_tape(&t);
    free_world(&foreign);
    free_world(&w);
}

/* Lists that cannot be updated, and streams of other runtimes. */
static void test_other_lists(void **state) {
    (void)state;
    struct world w = make_world();
    struct tape t = make_tape(&w, false);
    dnnl_primitive_t linear = make_linear(&w, 2, 1);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE),
                  other = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, other}};
    ze_event_handle_t event;
    assert_ok(run(linear, t.stream, memory, memory, 0, NULL, &event));
    ze_ok(ze.zeCommandListClose(t.list));
    assert_bad(update(&t, event, DNNL_ARG_SRC, other));
    free_tape(&t);

    dnnl_stream_t plain, cpu_stream;
    dnnl_engine_t cpu;
    assert_ok(dnnl_stream_create(&plain, w.engine, dnnl_stream_out_of_order));
    assert_ok(run(linear, plain, memory, memory, 0, NULL, &event));
    assert_bad(dnnl_ze_interop_stream_update(plain, event, 1, args));
    assert_ok(dnnl_stream_wait(plain));
    dnnl_stream_destroy(plain);
    assert_ok(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    assert_ok(dnnl_stream_create(&cpu_stream, cpu, dnnl_stream_default_flags));
    assert_bad(dnnl_ze_interop_stream_update(cpu_stream, event, 1, args));
    dnnl_stream_destroy(cpu_stream);
    dnnl_engine_destroy(cpu);
    dnnl_memory_destroy(memory);
    dnnl_memory_destroy(other);
    dnnl_primitive_destroy(linear);
    free_world(&w);
}

static bool has_mutable_lists(void) {
    ze_context_handle_t context = ze_make_context();
    ze_command_list_handle_t list = ze_make_mutable(context);
    if (list) ze_ok(ze.zeCommandListDestroy(list));
    ze_ok(ze.zeContextDestroy(context));
    return list != NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_vectors),          cmocka_unit_test(test_products),
            cmocka_unit_test(test_users_scratchpad), cmocka_unit_test(test_host_scalar),
            cmocka_unit_test(test_after_reset),      cmocka_unit_test(test_bad_arguments),
            cmocka_unit_test(test_other_lists),
    };
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    if (!ze_open()) {
        puts("SKIP: no Level Zero device");
        return 77;
    }
    if (!has_mutable_lists()) {
        puts("SKIP: the driver has no mutable command lists");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
