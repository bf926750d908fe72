/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders between a place and the CPU engine: cross-device, unless the place is that engine. */
#include "runtimes/conformance.h"

#include <string.h>

enum { N = 2, C = 3, H = 5, W = 7, LENGTH = N * C * H * W };
static const dnnl_dims_t dims = {N, C, H, W};

struct sides {
    dnnl_engine_t host, engine;
    dnnl_stream_t stream; /* of the engine */
    dnnl_memory_desc_t plain, last;
};

static struct sides open_sides(const struct place *place, unsigned flags) {
    if (strcmp(place->backend->name, "cpu") == 0) leave_out(place, "is the CPU engine itself");
    struct sides s = {.engine = make_engine(place)};
    assert_ok(dnnl_engine_create(&s.host, dnnl_cpu, 0));
    s.stream = make_stream(place, s.engine, BY_LIBRARY, flags);
    assert_ok(dnnl_memory_desc_create_with_tag(&s.plain, 4, dims, dnnl_f32, dnnl_abcd));
    assert_ok(dnnl_memory_desc_create_with_tag(&s.last, 4, dims, dnnl_f32, dnnl_acdb));
    return s;
}

static void close_sides(struct sides *s) {
    assert_ok(dnnl_memory_desc_destroy(s->plain));
    assert_ok(dnnl_memory_desc_destroy(s->last));
    assert_ok(dnnl_stream_destroy(s->stream));
    assert_ok(dnnl_engine_destroy(s->engine));
    assert_ok(dnnl_engine_destroy(s->host));
}

static dnnl_memory_t memory_on(dnnl_engine_t engine, const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

static dnnl_primitive_t make_reorder(dnnl_memory_t src, dnnl_memory_t dst, const_dnnl_primitive_attr_t attr) {
    const_dnnl_memory_desc_t from, to;
    dnnl_engine_t from_engine, to_engine, found;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    assert_ok(dnnl_memory_get_memory_desc(src, &from));
    assert_ok(dnnl_memory_get_memory_desc(dst, &to));
    assert_ok(dnnl_memory_get_engine(src, &from_engine));
    assert_ok(dnnl_memory_get_engine(dst, &to_engine));
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, from, from_engine, to, to_engine, attr));
    assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_reorder_src_engine, 0, &found));
    assert_ptr_equal(found, from_engine);
    assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_reorder_dst_engine, 0, &found));
    assert_ptr_equal(found, to_engine);
    assert_ok(dnnl_primitive_create(&reorder, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    return reorder;
}

static void reorder(dnnl_stream_t stream, dnnl_memory_t src, dnnl_memory_t dst,
                    const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_t primitive = make_reorder(src, dst, attr);
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args_of(src, dst).list));
    assert_ok(dnnl_primitive_destroy(primitive));
}

static void count_up(float *values, float from) {
    for (int i = 0; i < LENGTH; i++)
        values[i] = from + (float)i;
}

/* To the device and back, in another layout; then once more with a sum post-op. */
static void round_trip(const struct place *place, unsigned flags) {
    struct sides s = open_sides(place, flags);
    dnnl_memory_t from = memory_on(s.host, s.plain), remote = memory_on(s.engine, s.last),
                  returned = memory_on(s.host, s.plain);
    float values[LENGTH], got[LENGTH];
    count_up(values, 1);
    memory_put(from, values, LENGTH);
    reorder(s.stream, from, remote, NULL);
    reorder(s.stream, remote, returned, NULL);
    assert_ok(dnnl_stream_wait(s.stream));
    memory_get(returned, got, LENGTH);
    assert_memory_equal(got, values, sizeof got);

    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_sum(ops, 2, 0, dnnl_data_type_undef));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    reorder(s.stream, remote, returned, attr);
    assert_ok(dnnl_stream_wait(s.stream));
    memory_get(returned, got, LENGTH);
    for (int i = 0; i < LENGTH; i++)
        assert_true(got[i] == 3 * values[i]);

    assert_ok(dnnl_primitive_attr_destroy(attr));
    assert_ok(dnnl_post_ops_destroy(ops));
    assert_ok(dnnl_memory_destroy(from));
    assert_ok(dnnl_memory_destroy(remote));
    assert_ok(dnnl_memory_destroy(returned));
    close_sides(&s);
}

static void cross_device_reorders(void **state) {
    round_trip(place_of(state), dnnl_stream_in_order);
    round_trip(place_of(state), dnnl_stream_out_of_order);
}

/* The reorder reads its source at execution: what is written to it before the wait does not matter. */
static void source_is_read_at_execution(void **state) {
    struct sides s = open_sides(place_of(state), dnnl_stream_in_order);
    dnnl_memory_t from = memory_on(s.host, s.plain), remote = memory_on(s.engine, s.plain);
    float values[LENGTH], got[LENGTH];
    count_up(values, 1);
    memory_put(from, values, LENGTH);
    reorder(s.stream, from, remote, NULL);
    memory_set_all(from, -1, LENGTH);
    assert_ok(dnnl_memory_destroy(from));
    assert_ok(dnnl_stream_wait(s.stream));
    memory_get(remote, got, LENGTH);
    assert_memory_equal(got, values, sizeof got);
    assert_ok(dnnl_memory_destroy(remote));
    close_sides(&s);
}

static void memory_of_the_wrong_engine(void **state) {
    struct sides s = open_sides(place_of(state), dnnl_stream_in_order);
    dnnl_memory_t host = memory_on(s.host, s.plain), remote = memory_on(s.engine, s.plain);
    dnnl_primitive_t up = make_reorder(host, remote, NULL);
    memory_set_all(host, 1, LENGTH);
    memory_set_all(remote, 2, LENGTH);
    assert_int_equal(dnnl_primitive_execute(up, s.stream, 2, args_of(remote, host).list),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(up, s.stream, 2, args_of(host, host).list),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(up, s.stream, 2, args_of(remote, remote).list),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(up, s.stream, 1, args_of(host, remote).list),
                     dnnl_invalid_arguments);
    assert_memory_is(host, 1, LENGTH);
    assert_memory_is(remote, 2, LENGTH);
    assert_ok(dnnl_primitive_destroy(up));
    assert_ok(dnnl_memory_destroy(host));
    assert_ok(dnnl_memory_destroy(remote));
    close_sides(&s);
}

const struct test cross_device_tests[] = {
        {"cross_device_reorders", cross_device_reorders},
        {"source_is_read_at_execution", source_is_read_at_execution},
        {"memory_of_the_wrong_engine", memory_of_the_wrong_engine},
        {NULL, NULL},
};
