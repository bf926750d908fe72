/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the parts of the conformance suite: the lists of tests, and helpers that create objects. Every
 * test runs on every place, which it gets as *state; it calls leave_out if it does not apply to a place.
 */
#ifndef LODE_TESTS_RUNTIMES_CONFORMANCE_H
#define LODE_TESTS_RUNTIMES_CONFORMANCE_H

#include "runtimes/places.h"
#include "test.h"

struct test {
    const char *name;
    void (*run)(void **state);
};
/* Lists of tests that the program runs, each ended by a NULL name. */
extern const struct test *const parts[];
extern const char *const default_places; /* a prefix, or NULL for all */

/* Prints "SKIP: place: why" and ends the test. */
#define leave_out(place, why)                                                                                \
    do {                                                                                                     \
        print_message("SKIP: %s: %s\n", (place)->name, why);                                                 \
        skip();                                                                                              \
    } while (0)

static inline const struct place *place_of(void **state) {
    return *state;
}

/* Where a stream comes from. Places whose users have no queues support only the first. */
enum stream_source { BY_LIBRARY, BY_USER, STREAM_SOURCES };
/* NULL if the place has no such stream. */
dnnl_stream_t make_stream(const struct place *place, dnnl_engine_t engine, enum stream_source source,
                          unsigned flags);
dnnl_engine_t make_engine(const struct place *place);

/* Write and read values through map and unmap. */
void memory_put(dnnl_memory_t memory, const float *values, size_t count);
void memory_get(dnnl_memory_t memory, float *values, size_t count);
void memory_set_all(dnnl_memory_t memory, float value, size_t count);
/* Asserts that all values equal `value`. */
void assert_memory_is(dnnl_memory_t memory, float value, size_t count);

/* dst[i] = 2 * src[i] + 1, for `count` values. */
struct step {
    size_t count;
    dnnl_memory_desc_t md;
    dnnl_primitive_t primitive;
};
struct step make_step(dnnl_engine_t engine, size_t count);
void free_step(struct step *step);
dnnl_memory_t make_memory(const struct step *step, dnnl_engine_t engine);
/* The arguments of a step. */
struct step_args {
    dnnl_exec_arg_t list[2];
};
static inline struct step_args args_of(dnnl_memory_t src, dnnl_memory_t dst) {
    return (struct step_args){{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}};
}
static inline dnnl_status_t run_step(const struct step *step, dnnl_stream_t stream, dnnl_memory_t src,
                                     dnnl_memory_t dst) {
    return dnnl_primitive_execute(step->primitive, stream, 2, args_of(src, dst).list);
}

/* Objects that most tests need. */
struct scene {
    const struct place *place;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct step step;
};
/* False if the place has no such stream. */
bool open_scene(struct scene *s, const struct place *place, enum stream_source source, unsigned flags,
                size_t count);
/* The same with a kind of stream that every place has. */
struct scene plain_scene(const struct place *place, size_t count);
void close_scene(struct scene *s);
dnnl_memory_t scene_memory(const struct scene *s, float value);

/* Runs a step on a new stream and checks the values. */
void assert_works(dnnl_engine_t engine);

#endif
