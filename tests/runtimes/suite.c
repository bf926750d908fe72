/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs every test of `parts` on every place:
 *   suite [prefix of place names [pattern of test names]]
 */
#include "runtimes/conformance.h"

#include <stdio.h>

enum { MAX_TESTS = 64 };

/* Helpers that create and destroy objects */

dnnl_engine_t make_engine(const struct place *place) {
    dnnl_engine_t engine;
    assert_ok(place->backend->engine(place, &engine));
    return engine;
}

dnnl_stream_t make_stream(const struct place *place, dnnl_engine_t engine, enum stream_source source,
                          unsigned flags) {
    dnnl_stream_t stream;
    if (source == BY_LIBRARY)
        assert_ok(dnnl_stream_create(&stream, engine, flags));
    else if (place->backend->stream)
        assert_ok(place->backend->stream(place, engine, flags, &stream));
    else
        return NULL;
    return stream;
}

void memory_put(dnnl_memory_t memory, const float *values, size_t count) {
    float *mapped;
    assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
    memcpy(mapped, values, count * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
}

void memory_get(dnnl_memory_t memory, float *values, size_t count) {
    float *mapped;
    assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
    memcpy(values, mapped, count * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
}

void memory_set_all(dnnl_memory_t memory, float value, size_t count) {
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = value;
    memory_put(memory, values, count);
    free(values);
}

void assert_memory_is(dnnl_memory_t memory, float value, size_t count) {
    float *values = malloc(count * sizeof *values);
    memory_get(memory, values, count);
    for (size_t i = 0; i < count; i++)
        if (values[i] != value) fail_msg("number %zu is %g, not %g", i, values[i], value);
    free(values);
}

struct step make_step(dnnl_engine_t engine, size_t count) {
    struct step step = {.count = count};
    dnnl_primitive_desc_t pd;
    step.md = test_desc(1, (dnnl_dims_t){(dnnl_dim_t)count}, dnnl_a);
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_eltwise_linear, step.md, step.md, 2, 1, NULL));
    assert_ok(dnnl_primitive_create(&step.primitive, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    return step;
}

void free_step(struct step *step) {
    assert_ok(dnnl_primitive_destroy(step->primitive));
    assert_ok(dnnl_memory_desc_destroy(step->md));
}

dnnl_memory_t make_memory(const struct step *step, dnnl_engine_t engine) {
    return test_memory(step->md, engine, DNNL_MEMORY_ALLOCATE);
}

bool open_scene(struct scene *s, const struct place *place, enum stream_source source, unsigned flags,
                size_t count) {
    *s = (struct scene){.place = place, .engine = make_engine(place)};
    s->stream = make_stream(place, s->engine, source, flags);
    if (s->stream)
        s->step = make_step(s->engine, count);
    else
        assert_ok(dnnl_engine_destroy(s->engine));
    return s->stream != NULL;
}

struct scene plain_scene(const struct place *place, size_t count) {
    struct scene s;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_default_flags, count);
    return s;
}

void close_scene(struct scene *s) {
    free_step(&s->step);
    assert_ok(dnnl_stream_destroy(s->stream));
    assert_ok(dnnl_engine_destroy(s->engine));
}

dnnl_memory_t scene_memory(const struct scene *s, float value) {
    dnnl_memory_t memory = make_memory(&s->step, s->engine);
    memory_set_all(memory, value, s->step.count);
    return memory;
}

void assert_works(dnnl_engine_t engine) {
    enum { LENGTH = 256 };
    struct step step = make_step(engine, LENGTH);
    dnnl_stream_t stream = test_stream(engine);
    dnnl_memory_t src = make_memory(&step, engine), dst = make_memory(&step, engine);
    memory_set_all(src, 1, LENGTH);
    assert_ok(run_step(&step, stream, src, dst));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(dst, 3, LENGTH);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
}

/* All tests of a place */

static int run_place(struct place *place) {
    static char names[MAX_TESTS][160];
    struct CMUnitTest tests[MAX_TESTS];
    int count = 0;
    for (const struct test *const *part = parts; *part; part++)
        for (const struct test *t = *part; t->name; t++, count++) {
            assert_true(count < MAX_TESTS);
            snprintf(names[count], sizeof names[count], "%.95s/%.63s", place->name, t->name);
            tests[count] = (struct CMUnitTest){names[count], t->run, NULL, NULL, place};
        }
    return _cmocka_run_group_tests(place->name, tests, (size_t)count, NULL, NULL);
}

int main(int argc, char **argv) {
    struct place places[MAX_PLACES];
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    int count = places_find(places, argc > 1 ? argv[1] : default_places), failed = 0;
    for (int i = 0; i < count; i++)
        failed += run_place(&places[i]);
    places_close(places, count);
    if (count == 0) return 77;
    return failed ? 1 : 0;
}
