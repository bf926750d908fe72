/* SPDX-License-Identifier: Apache-2.0 */
/* Execution: order, dependencies, events, profiling, cache blobs, bad arguments. */
#define _DEFAULT_SOURCE
#include "runtimes/conformance.h"

#include <time.h>

enum { LENGTH = 1000 };
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* x -> 2x + 1, n times. */
static float after(float x, int n) {
    for (int i = 0; i < n; i++)
        x = 2 * x + 1;
    return x;
}

/* A chain of dependent executions without waits in between: plain execution keeps the order on any stream. */
static void chain(const struct place *place, enum stream_source source, unsigned flags) {
    enum { STEPS = 12, LARGE = 100000 };
    struct scene s;
    if (!open_scene(&s, place, source, flags, LARGE)) return;
    dnnl_memory_t memories[2] = {scene_memory(&s, 1), scene_memory(&s, 0)};
    for (int i = 0; i < STEPS; i++)
        assert_ok(run_step(&s.step, s.stream, memories[i % 2], memories[(i + 1) % 2]));
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(memories[STEPS % 2], after(1, STEPS), LARGE);
    assert_ok(dnnl_memory_destroy(memories[0]));
    assert_ok(dnnl_memory_destroy(memories[1]));
    close_scene(&s);
}

static void in_order(void **state) {
    for (int source = 0; source < STREAM_SOURCES; source++)
        chain(place_of(state), source, dnnl_stream_in_order);
}

static void out_of_order(void **state) {
    for (int source = 0; source < STREAM_SOURCES; source++)
        chain(place_of(state), source, dnnl_stream_out_of_order);
}

static void in_place(void **state) {
    struct scene s = plain_scene(place_of(state), LENGTH);
    dnnl_memory_t memory = scene_memory(&s, 1);
    for (int i = 0; i < 5; i++)
        assert_ok(run_step(&s.step, s.stream, memory, memory));
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(memory, after(1, 5), LENGTH);
    assert_ok(dnnl_memory_destroy(memory));
    close_scene(&s);
}

/* Events */

static const struct backend *events_or_skip(const struct place *place) {
    if (!place->backend->execute) leave_out(place, "its users have no events");
    return place->backend;
}

/* A chain ordered by events: each execution waits for the previous one, and a diamond joins two. */
static void event_chain(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = events_or_skip(place);
    for (int source = 0; source < STREAM_SOURCES; source++) {
        struct scene s;
        if (!open_scene(&s, place, source, dnnl_stream_out_of_order, 50000)) continue;
        dnnl_memory_t m[4] = {scene_memory(&s, 1), scene_memory(&s, 0), scene_memory(&s, 0),
                              scene_memory(&s, 0)};
        void *first = NULL, *arms[2] = {NULL, NULL}, *last = NULL;
        assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(m[0], m[1]).list, NULL, 0, &first));
        assert_non_null(first);
        for (int i = 0; i < 2; i++)
            assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(m[1], m[2 + i]).list, &first, 1,
                                 &arms[i]));
        assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(m[3], m[0]).list, arms, 2, &last));
        b->event_wait(last);
        assert_true(b->event_done(first) && b->event_done(arms[0]) && b->event_done(arms[1]));
        assert_memory_is(m[2], after(1, 2), 50000);
        assert_memory_is(m[0], after(1, 3), 50000);
        b->event_release(first), b->event_release(arms[0]), b->event_release(arms[1]), b->event_release(last);
        for (int i = 0; i < 4; i++)
            assert_ok(dnnl_memory_destroy(m[i]));
        close_scene(&s);
    }
}

/* A user's event delays an execution, on in-order and out-of-order streams. */
static void gate(const struct place *place, enum stream_source source, unsigned flags) {
    const struct backend *b = place->backend;
    struct scene s;
    if (!open_scene(&s, place, source, flags, LENGTH)) return;
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 0);
    void *closed = b->gate(place), *event = UNTOUCHED;
    bool returns = b->lasting || flags & dnnl_stream_out_of_order;
    assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(src, dst).list, &closed, 1, &event));
    if (returns) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        assert_false(b->event_done(event));
    } else {
        assert_null(event);
    }
    b->gate_open(closed);
    if (returns) {
        b->event_wait(event);
        b->event_release(event);
    }
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(dst, 3, LENGTH);
    b->event_release(closed);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

static void user_events(void **state) {
    const struct place *place = place_of(state);
    if (!events_or_skip(place)->gate) leave_out(place, "its users cannot signal events");
    for (int source = 0; source < STREAM_SOURCES; source++) {
        gate(place, source, dnnl_stream_in_order);
        gate(place, source, dnnl_stream_out_of_order);
    }
}

/* All objects are destroyed while an execution waits for an event. */
static void destroyed_while_waiting(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = events_or_skip(place);
    if (!b->gate) leave_out(place, "its users cannot signal events");
    struct scene s;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_out_of_order, LENGTH);
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 0);
    void *closed = b->gate(place), *event;
    assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(src, dst).list, &closed, 1, &event));
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
    b->gate_open(closed);
    if (!b->ends_with_stream) {
        b->event_wait(event);
        b->event_release(event);
    }
    b->event_release(closed);
}

/* Execution works without a returned event. */
static void no_event_requested(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = events_or_skip(place);
    for (int order = 0; order < 2; order++) {
        struct scene s;
        open_scene(&s, place, BY_LIBRARY, order ? dnnl_stream_out_of_order : dnnl_stream_in_order, LENGTH);
        dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 0);
        assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(src, dst).list, NULL, 0, NULL));
        assert_ok(dnnl_stream_wait(s.stream));
        assert_memory_is(dst, 3, LENGTH);
        assert_ok(dnnl_memory_destroy(src));
        assert_ok(dnnl_memory_destroy(dst));
        close_scene(&s);
    }
}

/* An execution over zero elements still takes part in the order. */
static void empty_execution(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = events_or_skip(place);
    if (!b->gate) leave_out(place, "its users cannot signal events");
    struct scene s;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_out_of_order, 0);
    dnnl_memory_t src = make_memory(&s.step, s.engine), dst = make_memory(&s.step, s.engine);
    void *closed = b->gate(place), *event;
    assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(src, dst).list, &closed, 1, &event));
    assert_non_null(event);
    assert_false(b->event_done(event));
    b->gate_open(closed);
    b->event_wait(event);
    b->event_release(event);
    b->event_release(closed);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

/* Profiling */

/* The number of entries can be queried with any profiling kind. Cycles are a timer's, or 0 if there is
 * none. */
static void check_other_kinds(const struct scene *s, int runs) {
    enum { CYCLES = 0x101, UNKNOWN = 77, ROOM = 16 };
    int entries = -1;
    uint64_t data[ROOM];
    memset(data, 0x5a, sizeof data);
    assert_ok(dnnl_query_profiling_data(s->stream, dnnl_profiling_data_kind_undef, &entries, NULL));
    assert_int_equal(entries, runs);
    assert_int_equal(
            dnnl_query_profiling_data(s->stream, (dnnl_profiling_data_kind_t)UNKNOWN, &entries, data),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_query_profiling_data(s->stream, dnnl_profiling_data_kind_undef, &entries, data),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_query_profiling_data(s->stream, dnnl_profiling_data_kind_time, NULL, data),
                     dnnl_invalid_arguments);
    assert_true(data[0] == 0x5a5a5a5a5a5a5a5a);
    entries = ROOM;
    assert_ok(dnnl_query_profiling_data(s->stream, (dnnl_profiling_data_kind_t)CYCLES, &entries, data));
    assert_int_equal(entries, runs);
    for (int i = 0; i < runs; i++)
        assert_true(data[i] > 0 || data[i] == data[0]);
    assert_true(data[runs] == 0x5a5a5a5a5a5a5a5a);
}

static void profiling(void **state) {
    const struct place *place = place_of(state);
    enum { RUNS = 5, LARGE = 1 << 20 };
    static const unsigned orders[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    for (int source = 0; source < STREAM_SOURCES; source++)
        for (int order = 0; order < 2; order++) {
            struct scene s;
            uint64_t ns[RUNS + 3];
            int entries = -1;
            if (!open_scene(&s, place, source, orders[order] | dnnl_stream_profiling, LARGE)) continue;
            dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 0);
            const dnnl_profiling_data_kind_t time = dnnl_profiling_data_kind_time;
            assert_ok(dnnl_reset_profiling(s.stream));
            for (int i = 0; i < RUNS; i++)
                assert_ok(run_step(&s.step, s.stream, src, dst));
            assert_ok(dnnl_stream_wait(s.stream));
            assert_ok(dnnl_query_profiling_data(s.stream, time, &entries, NULL));
            assert_int_equal(entries, RUNS);
            assert_ok(dnnl_query_profiling_data(s.stream, time, &entries, ns));
            assert_int_equal(entries, RUNS);
            for (int i = 0; i < RUNS; i++) /* a million numbers: more than 10 us, less than 10 s */
                assert_in_range(ns[i], 10000, 10000000000);
            check_other_kinds(&s, RUNS);
            entries = RUNS - 1;
            assert_int_equal(dnnl_query_profiling_data(s.stream, time, &entries, ns), dnnl_invalid_arguments);
            assert_ok(dnnl_reset_profiling(s.stream));
            assert_ok(dnnl_query_profiling_data(s.stream, time, &entries, NULL));
            assert_int_equal(entries, 0);
            assert_ok(dnnl_memory_destroy(src));
            assert_ok(dnnl_memory_destroy(dst));
            close_scene(&s);
        }
}

static void no_profiling(void **state) {
    int entries = 77;
    struct scene s = plain_scene(place_of(state), LENGTH);
    assert_int_equal(dnnl_reset_profiling(s.stream), dnnl_invalid_arguments);
    assert_int_equal(dnnl_query_profiling_data(s.stream, dnnl_profiling_data_kind_time, &entries, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(entries, 77);
    close_scene(&s);
}

/* Cache blobs */

static void cache_blobs(void **state) {
    const struct place *place = place_of(state);
    size_t size = 0;
    struct scene s = plain_scene(place, LENGTH);
    dnnl_status_t status = dnnl_primitive_get_cache_blob(s.step.primitive, &size, NULL);
    if (status == dnnl_unimplemented) {
        close_scene(&s);
        leave_out(place, "has no cache blobs");
    }
    assert_ok(status);
    assert_true(size > 0);
    uint8_t *blob = malloc(size);
    assert_ok(dnnl_primitive_get_cache_blob(s.step.primitive, &size, blob));
    const_dnnl_primitive_desc_t pd;
    dnnl_primitive_t again = UNTOUCHED;
    assert_ok(dnnl_primitive_get_primitive_desc(s.step.primitive, &pd));

    /* Anything but a complete blob is refused. */
    assert_int_equal(dnnl_primitive_create_from_cache_blob(&again, pd, 0, blob), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_create_from_cache_blob(&again, pd, size, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_create_from_cache_blob(&again, pd, size - 1, blob),
                     dnnl_invalid_arguments);
    blob[size / 2] ^= 1;
    assert_int_equal(dnnl_primitive_create_from_cache_blob(&again, pd, size, blob), dnnl_invalid_arguments);
    blob[size / 2] ^= 1;
    size_t small = size - 1;
    assert_int_equal(dnnl_primitive_get_cache_blob(s.step.primitive, &small, blob), dnnl_invalid_arguments);
    assert_ptr_equal(again, UNTOUCHED);

    assert_ok(dnnl_primitive_create_from_cache_blob(&again, pd, size, blob));
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 0);
    assert_ok(dnnl_primitive_execute(again, s.stream, 2, args_of(src, dst).list));
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(dst, 3, LENGTH);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    assert_ok(dnnl_primitive_destroy(again));
    free(blob);
    close_scene(&s);
}

/* Bad arguments: an error status, and dst unchanged. */

static void bad_arguments(void **state) {
    const struct place *place = place_of(state);
    struct scene s, other;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_default_flags, LENGTH);
    open_scene(&other, place, BY_LIBRARY, dnnl_stream_default_flags, LENGTH);
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 5), empty;
    assert_ok(dnnl_memory_create(&empty, s.step.md, s.engine, DNNL_MEMORY_NONE));
    const dnnl_exec_arg_t twice[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    struct step_args good = args_of(src, dst), from_nothing = args_of(empty, dst);
    dnnl_primitive_t p = s.step.primitive;
    const struct {
        dnnl_primitive_t primitive;
        dnnl_stream_t stream;
        int nargs;
        const dnnl_exec_arg_t *args;
    } cases[] = {
            {NULL, s.stream, 2, good.list},
            {p, NULL, 2, good.list},
            {p, s.stream, -1, good.list},
            {p, s.stream, 2, NULL},
            {p, s.stream, 0, NULL},
            {p, s.stream, 1, good.list},
            {p, s.stream, 2, from_nothing.list},
            {p, s.stream, 3, twice},
            {p, other.stream, 2, good.list},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(
                dnnl_primitive_execute(cases[i].primitive, cases[i].stream, cases[i].nargs, cases[i].args),
                dnnl_invalid_arguments);
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(dst, 5, LENGTH);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    assert_ok(dnnl_memory_destroy(empty));
    close_scene(&other);
    close_scene(&s);
}

static void bad_dependencies(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = events_or_skip(place);
    struct scene s;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_out_of_order, LENGTH);
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 5);
    struct step_args args = args_of(src, dst);
    void *event = UNTOUCHED, *null = NULL, *first;
    assert_ok(b->execute(s.step.primitive, s.stream, 2, args_of(src, src).list, NULL, 0, &first));
    void *with_null[] = {first, NULL};
    const struct {
        void *const *deps;
        int ndeps;
    } cases[] = {{NULL, 1}, {&null, 1}, {with_null, 2}, {&first, -1}};
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(
                b->execute(s.step.primitive, s.stream, 2, args.list, cases[i].deps, cases[i].ndeps, &event),
                dnnl_invalid_arguments);
    assert_int_equal(b->execute(NULL, s.stream, 2, args.list, NULL, 0, &event), dnnl_invalid_arguments);
    assert_int_equal(b->execute(s.step.primitive, NULL, 2, args.list, NULL, 0, &event),
                     dnnl_invalid_arguments);
    assert_ptr_equal(event, UNTOUCHED);
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(dst, 5, LENGTH);
    b->event_release(first);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

const struct test execution_tests[] = {
        {"in_order", in_order},
        {"out_of_order", out_of_order},
        {"in_place", in_place},
        {"event_chain", event_chain},
        {"user_events", user_events},
        {"destroyed_while_waiting", destroyed_while_waiting},
        {"no_event_requested", no_event_requested},
        {"empty_execution", empty_execution},
        {"profiling", profiling},
        {"no_profiling", no_profiling},
        {"cache_blobs", cache_blobs},
        {"bad_arguments", bad_arguments},
        {"bad_dependencies", bad_dependencies},
        {NULL, NULL},
};
