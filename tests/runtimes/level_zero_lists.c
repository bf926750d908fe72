/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of command list: order, dependencies, returned events, recording and replay, profiling. */
#define _GNU_SOURCE
#include "runtimes/lstm.h"
#include "runtimes/world.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    unsigned flags;
    bool synchronous;
} kinds[] = {{0, false}, {0, true}, {ZE_IN_ORDER, false}, {ZE_IN_ORDER, true}};
enum { KINDS = COUNT(kinds) };

/* -- immediate lists -- */

static void test_chain_of_events(void **state) {
    (void)state;
    struct world w = make_world();
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&w, 1, 1);
    for (int k = 0; k < KINDS; k++) {
        ze_command_list_handle_t list = ze_make_immediate(w.context, kinds[k].flags, kinds[k].synchronous),
                                 got;
        dnnl_stream_t stream = make_stream(&w, list);
        dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
        assert_ok(dnnl_ze_interop_stream_get_list(stream, &got));
        assert_ptr_equal(got, list);
        fill(memory, 1);
        ze_event_handle_t last = NULL;
        for (int i = 0; i < STEPS; i++) {
            ze_event_handle_t middle = NULL;
            assert_ok(run(twice, stream, memory, memory, i > 0, &last, &middle));
            assert_non_null(middle);
            assert_ok(run(more, stream, memory, memory, 1, &middle, &last));
            assert_non_null(last);
        }
        ze_ok(ze.zeEventHostSynchronize(last, UINT64_MAX));
        expect_steps(memory, 1);
        dnnl_memory_destroy(memory);
        dnnl_stream_destroy(stream);
        ze_ok(ze.zeCommandListDestroy(list)); /* still the user's */
    }
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    free_world(&w);
}

/* Without events, executions run in order of submission on every kind of stream. */
static void test_plain_order(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    struct world w = make_world();
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&w, 1, 1);
    for (int k = 0; k < KINDS + 2; k++) {
        ze_command_list_handle_t list = NULL;
        dnnl_stream_t stream;
        dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
        if (k < KINDS) {
            list = ze_make_immediate(w.context, kinds[k].flags, kinds[k].synchronous);
            stream = make_stream(&w, list);
        } else {
            assert_ok(dnnl_stream_create(&stream, w.engine, flags[k - KINDS]));
        }
        fill(memory, 5);
        for (int i = 0; i < STEPS; i++) {
            assert_ok(run(twice, stream, memory, memory, 0, NULL, NULL));
            assert_ok(run(more, stream, memory, memory, 0, NULL, NULL));
        }
        assert_ok(dnnl_stream_wait(stream));
        expect_steps(memory, 5);
        dnnl_memory_destroy(memory);
        dnnl_stream_destroy(stream);
        if (list) ze_ok(ze.zeCommandListDestroy(list));
    }
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    free_world(&w);
}

/* Execution waits for few or many of the user's events before it signals its own. */
static void test_user_dependencies(void **state) {
    (void)state;
    enum { MANY = 40 };
    struct world w = make_world();
    struct user_events mine = make_events(&w);
    dnnl_primitive_t linear = make_linear(&w, 3, 0);
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].synchronous) continue; /* submission itself would wait */
        for (int ndeps = 1; ndeps <= MANY; ndeps += MANY - 1) {
            ze_command_list_handle_t list = ze_make_immediate(w.context, kinds[k].flags, false);
            dnnl_stream_t stream = make_stream(&w, list);
            dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
            ze_event_handle_t deps[MANY], event = NULL;
            for (int i = 0; i < ndeps; i++)
                deps[i] = mine.events[i % 4];
            fill(memory, 2);
            assert_ok(run(linear, stream, memory, memory, ndeps, deps, &event));
            assert_int_equal(ze.zeEventHostSynchronize(event, 1000000), ZE_RESULT_NOT_READY);
            expect_linear(memory, 2, 1, 0);
            for (int i = 0; i < 4; i++)
                ze_ok(ze.zeEventHostSignal(mine.events[i]));
            ze_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
            expect_linear(memory, 2, 3, 0);
            for (int i = 0; i < 4; i++)
                ze_ok(ze.zeEventHostReset(mine.events[i]));
            dnnl_memory_destroy(memory);
            dnnl_stream_destroy(stream);
            ze_ok(ze.zeCommandListDestroy(list));
        }
    }
    dnnl_primitive_destroy(linear);
    free_events(&mine);
    free_world(&w);
}

/* -- regular lists -- */

/* Two primitives that depend on each other's events, recorded once and replayed with new inputs after the
 * primitives were destroyed. */
static void test_replay(void **state) {
    (void)state;
    struct world w = make_world();
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    ze_command_queue_handle_t queue = ze_make_queue(w.context);
    dnnl_stream_t stream = make_stream(&w, list);
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&w, 1, 1);
    dnnl_memory_t src = make_vector(&w, DNNL_MEMORY_ALLOCATE), dst = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    ze_event_handle_t last = NULL;
    for (int i = 0; i < STEPS; i++) {
        ze_event_handle_t middle = NULL;
        assert_ok(run(twice, stream, i == 0 ? src : dst, dst, i > 0, &last, &middle));
        assert_ok(run(more, stream, dst, dst, 1, &middle, &last));
    }
    assert_ok(dnnl_stream_wait(stream)); /* nothing was submitted, so nothing to wait for */
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    ze_ok(ze.zeCommandListClose(list));
    for (int run_number = 0; run_number < 5; run_number++) {
        fill(src, (float)run_number * 100);
        fill(dst, -1);
        ze_run(queue, list);
        ze_ok(ze.zeEventQueryStatus(last));
        expect_steps(dst, (float)run_number * 100);
    }
    dnnl_memory_destroy(src);
    dnnl_memory_destroy(dst);
    ze_ok(ze.zeCommandQueueDestroy(queue));
    ze_ok(ze.zeCommandListDestroy(list));
    dnnl_stream_destroy(stream);
    free_world(&w);
}

static void test_recording_after_close(void **state) {
    (void)state;
    struct world w = make_world();
    int junk = 0;
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    ze_command_queue_handle_t queue = ze_make_queue(w.context);
    dnnl_stream_t stream = make_stream(&w, list);
    dnnl_primitive_t linear = make_linear(&w, 5, 2);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    ze_event_handle_t event = (ze_event_handle_t)&junk;
    assert_ok(run(linear, stream, memory, memory, 0, NULL, NULL));
    ze_ok(ze.zeCommandListClose(list));
    assert_bad(run(linear, stream, memory, memory, 0, NULL, &event));
    assert_ptr_equal(event, &junk);
    ze_ok(ze.zeCommandListReset(list));
    assert_ok(run(linear, stream, memory, memory, 0, NULL, &event));
    ze_ok(ze.zeCommandListClose(list));
    fill(memory, 4);
    ze_run(queue, list);
    expect_linear(memory, 4, 5, 2);
    dnnl_primitive_destroy(linear);
    dnnl_memory_destroy(memory);
    ze_ok(ze.zeCommandQueueDestroy(queue));
    ze_ok(ze.zeCommandListDestroy(list));
    dnnl_stream_destroy(stream);
    free_world(&w);
}

/* A cross-device reorder goes through the host, so it cannot be recorded. */
static void test_cross_device_is_not_recorded(void **state) {
    (void)state;
    struct world w = make_world();
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    dnnl_stream_t stream = make_stream(&w, list);
    dnnl_engine_t host;
    dnnl_memory_t src, dst = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    assert_ok(dnnl_engine_create(&host, dnnl_cpu, 0));
    assert_ok(dnnl_memory_create(&src, w.vector, host, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, w.vector, host, w.vector, w.engine, NULL));
    assert_ok(dnnl_primitive_create(&reorder, pd));
    assert_int_equal(run(reorder, stream, src, dst, 0, NULL, NULL), dnnl_unimplemented);
    dnnl_primitive_destroy(reorder);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(src);
    dnnl_memory_destroy(dst);
    dnnl_engine_destroy(host);
    ze_ok(ze.zeCommandListDestroy(list));
    dnnl_stream_destroy(stream);
    free_world(&w);
}

/* -- several launches and a scratchpad -- */

static void test_product_on_every_list(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    for (int k = 0; k < KINDS; k++) {
        ze_command_list_handle_t list = ze_make_immediate(w.context, kinds[k].flags, kinds[k].synchronous);
        dnnl_stream_t stream = make_stream(&w, list);
        for (int i = 0; i < 3; i++) {
            ze_event_handle_t event = NULL;
            fill_matrix(p.a, M * K, i);
            fill_matrix(p.b, K * COLUMNS, k);
            fill_matrix(p.c, M * COLUMNS, 0);
            multiply(&p, stream, i == 1 ? &event : NULL);
            if (i == 1)
                ze_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
            else
                assert_ok(dnnl_stream_wait(stream));
            expect_product(&p);
        }
        dnnl_stream_destroy(stream);
        ze_ok(ze.zeCommandListDestroy(list));
    }
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    ze_command_queue_handle_t queue = ze_make_queue(w.context);
    dnnl_stream_t stream = make_stream(&w, list);
    ze_event_handle_t event;
    multiply(&p, stream, &event);
    ze_ok(ze.zeCommandListClose(list));
    for (int i = 0; i < 3; i++) {
        fill_matrix(p.a, M * K, i + 5);
        fill_matrix(p.c, M * COLUMNS, 0);
        ze_run(queue, list);
        expect_product(&p);
    }
    ze_ok(ze.zeCommandQueueDestroy(queue));
    ze_ok(ze.zeCommandListDestroy(list));
    dnnl_stream_destroy(stream);
    free_product(&p);
    free_world(&w);
}

/* A whole LSTM: loops, scratchpad and many launches. */
static void test_replay_of_lstm(void **state) {
    (void)state;
    static struct lstm lstm;
    struct world w = make_world();
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    ze_command_queue_handle_t queue = ze_make_queue(w.context);
    dnnl_stream_t stream = make_stream(&w, list);
    lstm_make(&lstm, w.engine);
    lstm_record(&lstm, stream);
    ze_ok(ze.zeCommandListClose(list));
    for (int i = 0; i < 2 * LSTM_ROUNDS; i++) {
        lstm_fill(&lstm, i % LSTM_ROUNDS);
        ze_run(queue, list);
        lstm_expect(&lstm, i % LSTM_ROUNDS);
    }
    ze_ok(ze.zeCommandQueueDestroy(queue));
    ze_ok(ze.zeCommandListDestroy(list));
    dnnl_stream_destroy(stream);
    lstm_free(&lstm);
    free_world(&w);
}

/* -- profiling -- */

static void test_profiling(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    dnnl_primitive_t linear = make_linear(&w, 1, 1);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    for (int k = 0; k < KINDS + 2; k++) {
        ze_command_list_handle_t list = NULL;
        dnnl_stream_t stream;
        if (k < KINDS) {
            list = ze_make_immediate(w.context, kinds[k].flags, kinds[k].synchronous);
            assert_ok(dnnl_ze_interop_stream_create(&stream, w.engine, list, 1));
        } else {
            unsigned order = k == KINDS ? dnnl_stream_in_order : dnnl_stream_out_of_order;
            assert_ok(dnnl_stream_create(&stream, w.engine, order | dnnl_stream_profiling));
        }
        int count = -1;
        uint64_t ns[3] = {0};
        for (int round = 0; round < 2; round++) {
            assert_ok(run(linear, stream, memory, memory, 0, NULL, NULL));
            multiply(&p, stream, NULL);
            multiply(&p, stream, NULL);
            assert_ok(dnnl_stream_wait(stream));
            assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL));
            assert_int_equal(count, 3);
            count = 2;
            assert_bad(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
            count = 3;
            assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
            for (int i = 0; i < 3; i++)
                assert_true(ns[i] > 0 && ns[i] < 1000000000u);
            assert_ok(dnnl_reset_profiling(stream));
            assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL));
            assert_int_equal(count, 0);
        }
        dnnl_stream_destroy(stream);
        if (list) ze_ok(ze.zeCommandListDestroy(list));
    }
    dnnl_stream_t plain;
    int count;
    assert_ok(dnnl_stream_create(&plain, w.engine, dnnl_stream_default_flags));
    assert_bad(dnnl_query_profiling_data(plain, dnnl_profiling_data_kind_time, &count, NULL));
    assert_bad(dnnl_reset_profiling(plain));
    dnnl_stream_destroy(plain);
    dnnl_primitive_destroy(linear);
    dnnl_memory_destroy(memory);
    free_product(&p);
    free_world(&w);
}

/* The verbose lines of what runs between these two. */
struct capture {
    int stdout_fd;
    FILE *file;
    char text[16384];
};

static void begin_capture(struct capture *c, int level) {
    c->stdout_fd = dup(1);
    c->file = tmpfile();
    assert_non_null(c->file);
    fflush(stdout);
    dup2(fileno(c->file), 1);
    assert_ok(dnnl_set_verbose(level));
}

static void end_capture(struct capture *c) {
    assert_ok(dnnl_set_verbose(0));
    fflush(stdout);
    dup2(c->stdout_fd, 1);
    close(c->stdout_fd);
    rewind(c->file);
    c->text[fread(c->text, 1, sizeof c->text - 1, c->file)] = 0;
    fclose(c->file);
}

/* A verbose line ends with the time that the device measured. */
static void test_verbose_time(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    struct capture capture;
    dnnl_stream_t stream;
    int count = 1;
    uint64_t ns = 0;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_in_order | dnnl_stream_profiling));
    begin_capture(&capture, 1);
    multiply(&p, stream, NULL);
    end_capture(&capture);
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, &ns));
    char *line = strstr(capture.text, "exec,");
    assert_non_null(line);
    *strchr(line, '\n') = 0;
    const char *time = strrchr(line, ',') + 1;
    assert_true(fabs(strtod(time, NULL) - (double)ns / 1e6) <= 1e-4 * (double)ns / 1e6);
    dnnl_stream_destroy(stream);
    free_product(&p);
    free_world(&w);
}

/* A device of Level Zero is "gpu" in every line of a primitive, also if it is a CPU. */
static void test_verbose_kind(void **state) {
    (void)state;
    struct world w = make_world();
    struct capture capture;
    dnnl_stream_t stream;
    int created = 0, executed = 0;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
    begin_capture(&capture, 2);
    struct product p = make_product(&w);
    multiply(&p, stream, NULL);
    end_capture(&capture);
    for (char *line = strtok(capture.text, "\n"); line; line = strtok(NULL, "\n")) {
        created += strstr(line, ",primitive,create:cache_") && strstr(line, ",gpu");
        executed += strstr(line, ",primitive,exec,gpu") != NULL;
        if (strstr(line, ",primitive,")) assert_null(strstr(line, ",cpu"));
    }
    assert_true(created > 0 && executed > 0);
    dnnl_stream_destroy(stream);
    free_product(&p);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_chain_of_events),
            cmocka_unit_test(test_plain_order),
            cmocka_unit_test(test_user_dependencies),
            cmocka_unit_test(test_replay),
            cmocka_unit_test(test_recording_after_close),
            cmocka_unit_test(test_cross_device_is_not_recorded),
            cmocka_unit_test(test_product_on_every_list),
            cmocka_unit_test(test_replay_of_lstm),
            cmocka_unit_test(test_profiling),
            cmocka_unit_test(test_verbose_time),
            cmocka_unit_test(test_verbose_kind),
    };
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    if (!ze_open()) {
        puts("SKIP: no Level Zero device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
