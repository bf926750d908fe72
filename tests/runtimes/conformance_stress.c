/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads, many executions, contended scratchpads: results are right and memory does not grow. */
#define _DEFAULT_SOURCE
#include "runtimes/conformance.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 8, STREAMS = 8, LENGTH = 2000 };

/* Threads. cmocka's asserts only work in the main thread, so workers count errors. */

struct worker {
    const struct place *place;
    dnnl_engine_t engine;
    const struct step *step;
    dnnl_stream_t shared; /* NULL: the worker has eight streams of its own */
    int number, wrong;
};

static bool holds(dnnl_memory_t memory, float value) {
    float *mapped;
    bool right = dnnl_memory_map_data(memory, (void **)&mapped) == dnnl_success;
    for (int i = 0; right && i < LENGTH; i++)
        right = mapped[i] == value;
    return dnnl_memory_unmap_data(memory, mapped) == dnnl_success && right;
}

static bool fill(dnnl_memory_t memory, float value) {
    float *mapped;
    if (dnnl_memory_map_data(memory, (void **)&mapped) != dnnl_success) return false;
    for (int i = 0; i < LENGTH; i++)
        mapped[i] = value;
    return dnnl_memory_unmap_data(memory, mapped) == dnnl_success;
}

/* Alternates in-order and out-of-order streams, created by the library and by the user. */
static dnnl_status_t new_stream(const struct worker *w, int number, dnnl_stream_t *s) {
    unsigned order = number % 2 ? dnnl_stream_out_of_order : dnnl_stream_in_order;
    if (number % 4 < 2 || !w->place->backend->stream) return dnnl_stream_create(s, w->engine, order);
    return w->place->backend->stream(w->place, w->engine, order, s);
}

static void *work(void *context) {
    enum { ROUNDS = 25 };
    struct worker *w = context;
    dnnl_stream_t streams[STREAMS];
    dnnl_memory_t src[STREAMS], dst[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = w->shared;
        if (!w->shared) w->wrong += new_stream(w, i, &streams[i]) != dnnl_success;
        w->wrong += dnnl_memory_create(&src[i], w->step->md, w->engine, DNNL_MEMORY_ALLOCATE) != dnnl_success;
        w->wrong += dnnl_memory_create(&dst[i], w->step->md, w->engine, DNNL_MEMORY_ALLOCATE) != dnnl_success;
    }
    for (int round = 0; round < ROUNDS && !w->wrong; round++) {
        for (int i = 0; i < STREAMS; i++)
            w->wrong += !fill(src[i], (float)(w->number * 100 + round));
        for (int i = 0; i < STREAMS; i++)
            w->wrong += run_step(w->step, streams[i], src[i], dst[i]) != dnnl_success;
        for (int i = 0; i < STREAMS; i++) {
            w->wrong += dnnl_stream_wait(streams[i]) != dnnl_success;
            w->wrong += !holds(dst[i], (float)(2 * (w->number * 100 + round) + 1));
        }
    }
    for (int i = 0; i < STREAMS; i++) {
        dnnl_memory_destroy(src[i]);
        dnnl_memory_destroy(dst[i]);
        if (!w->shared) dnnl_stream_destroy(streams[i]);
    }
    return NULL;
}

static void run_threads(const struct place *place, bool share_stream, unsigned flags) {
    dnnl_engine_t engine = make_engine(place);
    dnnl_stream_t shared = share_stream ? make_stream(place, engine, BY_LIBRARY, flags) : NULL;
    struct step step = make_step(engine, LENGTH);
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){place, engine, &step, shared, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    free_step(&step);
    if (shared) assert_ok(dnnl_stream_destroy(shared));
    assert_ok(dnnl_engine_destroy(engine));
}

static void threads_and_streams(void **state) {
    run_threads(place_of(state), false, 0);
}

static void threads_on_one_stream(void **state) {
    run_threads(place_of(state), true, dnnl_stream_in_order);
    run_threads(place_of(state), true, dnnl_stream_out_of_order);
}

/* All threads create an engine and a primitive at the same moment: kernels may be built twice, but never used
 * half-built. */
static void *create_and_run(void *context) {
    struct worker *w = context;
    dnnl_engine_t engine = NULL;
    if (w->place->backend->engine(w->place, &engine) != dnnl_success) {
        w->wrong++;
        return NULL;
    }
    dnnl_primitive_desc_t pd;
    struct worker own = *w;
    struct step step = {.count = LENGTH, .md = w->step->md};
    own.engine = engine;
    own.step = &step;
    if (dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_eltwise_linear,
                                                   step.md, step.md, 2, 1, NULL)
                == dnnl_success
        && dnnl_primitive_create(&step.primitive, pd) == dnnl_success) {
        dnnl_primitive_desc_destroy(pd);
        work(&own);
        w->wrong += own.wrong;
        dnnl_primitive_destroy(step.primitive);
    } else {
        w->wrong++;
    }
    dnnl_engine_destroy(engine);
    return NULL;
}

static void threads_create_engines(void **state) {
    const struct place *place = place_of(state);
    struct step step = {.md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a)};
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){place, NULL, &step, NULL, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, create_and_run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    assert_ok(dnnl_memory_desc_destroy(step.md));
}

/* Memory that does not grow */

static size_t resident_bytes(void) {
    size_t total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    int read = fscanf(file, "%zu %zu", &total, &resident);
    fclose(file);
    return read == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Executes `total` times. Resident memory after a tenth of them must not grow much more. */
static void assert_flat(const struct place *place, dnnl_stream_t stream, const struct step *step,
                        dnnl_memory_t src, dnnl_memory_t dst, int total, bool events) {
    const struct backend *b = place->backend;
    size_t after_tenth = 0;
    for (int i = 0; i < total; i++) {
        void *event = NULL;
        if (events)
            assert_ok(b->execute(step->primitive, stream, 2, args_of(src, dst).list, NULL, 0, &event));
        else
            assert_ok(run_step(step, stream, src, dst));
        if (event && i % 100 == 99) b->event_wait(event);
        if (event) b->event_release(event);
        if (i % 100 == 99)
            assert_ok(dnnl_stream_wait(stream)); /* an event completes only its own
                                                  * execution */
        if (i == total / 10) after_tenth = resident_bytes();
    }
    assert_ok(dnnl_stream_wait(stream));
    size_t end = resident_bytes();
    print_message("%s: %d executions%s, %zu kB growth after the first tenth\n", place->name, total,
                  events ? " with events" : "", end > after_tenth ? (end - after_tenth) / 1024 : 0);
    if (MEMORY_IS_OURS) assert_true(end <= after_tenth + (4 << 20));
}

static void flat_memory(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t engine = make_engine(place);
    struct step step = make_step(engine, 64);
    dnnl_memory_t src = make_memory(&step, engine), dst = make_memory(&step, engine);
    memory_set_all(src, 1, 64);
    for (int source = 0; source < STREAM_SOURCES; source++)
        for (int order = 0; order < 2; order++) {
            unsigned flags = order ? dnnl_stream_out_of_order : dnnl_stream_in_order;
            dnnl_stream_t stream = make_stream(place, engine, source, flags);
            if (!stream) continue;
            assert_flat(place, stream, &step, src, dst, 20000, false);
            if (order && place->backend->execute) assert_flat(place, stream, &step, src, dst, 200000, true);
            assert_ok(dnnl_stream_destroy(stream));
        }
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(engine));
}

/* A profiling stream that is never queried keeps numbers, not events. */
static void flat_profiling(void **state) {
    const struct place *place = place_of(state);
    if (place->profiling_grows) leave_out(place, place->profiling_grows);
    dnnl_engine_t engine = make_engine(place);
    struct step step = make_step(engine, 64);
    dnnl_memory_t src = make_memory(&step, engine), dst = make_memory(&step, engine);
    dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_profiling);
    memory_set_all(src, 1, 64);
    assert_flat(place, stream, &step, src, dst, 20000, false);
    int entries;
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &entries, NULL));
    assert_int_equal(entries, 20000);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Scratchpads: a matrix product that repacks its weights, many at once on an out-of-order stream. */

struct product {
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t md;
    dnnl_exec_arg_t args[3];
};

enum { SIDE = 192, PRODUCTS = 24 };

static struct product make_product(dnnl_engine_t engine) {
    struct product p;
    dnnl_primitive_desc_t pd;
    dnnl_dims_t dims = {SIDE, SIDE};
    dnnl_memory_desc_t transposed = test_desc(2, dims, dnnl_ba);
    p.md = test_desc(2, dims, dnnl_ab);
    assert_ok(dnnl_matmul_primitive_desc_create(&pd, engine, p.md, transposed, NULL, p.md, NULL));
    assert_ok(dnnl_primitive_create(&p.primitive, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    p.args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, test_memory(p.md, engine, DNNL_MEMORY_ALLOCATE)};
    p.args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, test_memory(transposed, engine, DNNL_MEMORY_ALLOCATE)};
    p.args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, test_memory(p.md, engine, DNNL_MEMORY_ALLOCATE)};
    assert_ok(dnnl_memory_desc_destroy(transposed));
    return p;
}

static void free_product(struct product *p) {
    for (int i = 0; i < 3; i++)
        assert_ok(dnnl_memory_destroy(p->args[i].memory));
    assert_ok(dnnl_primitive_destroy(p->primitive));
    assert_ok(dnnl_memory_desc_destroy(p->md));
}

static void scratchpads(void **state) {
    const struct place *place = place_of(state);
    const struct backend *b = place->backend;
    dnnl_engine_t engine = make_engine(place);
    dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_out_of_order);
    struct product products[PRODUCTS];
    void *events[PRODUCTS] = {NULL};
    for (int i = 0; i < PRODUCTS; i++) {
        products[i] = make_product(engine);
        memory_set_all(products[i].args[0].memory, 1, SIDE * SIDE);
        memory_set_all(products[i].args[1].memory, (float)i, SIDE * SIDE);
    }
    for (int i = 0; i < PRODUCTS; i++) /* with a returned event, executions do not wait for each other */
        if (b->execute)
            assert_ok(b->execute(products[i].primitive, stream, 3, products[i].args, NULL, 0, &events[i]));
        else
            assert_ok(dnnl_primitive_execute(products[i].primitive, stream, 3, products[i].args));
    assert_ok(dnnl_stream_wait(stream));
    for (int i = 0; i < PRODUCTS; i++) {
        assert_memory_is(products[i].args[2].memory, (float)(SIDE * i), SIDE * SIDE);
        if (events[i]) b->event_release(events[i]);
        free_product(&products[i]);
    }
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

/* Eight threads on one stream, each with its own product: all pack their weights in the stream's one
 * scratchpad, and none may see another's data. */

struct product_worker {
    const struct product *product;
    dnnl_stream_t stream;
    float expected[SIDE * SIDE];
    int wrong;
};

static bool same_bits(dnnl_memory_t memory, const float *expected) {
    void *mapped;
    if (dnnl_memory_map_data(memory, &mapped) != dnnl_success) return false;
    bool same = memcmp(mapped, expected, sizeof(float) * SIDE * SIDE) == 0;
    memset(mapped, 0, sizeof(float) * SIDE * SIDE);
    return dnnl_memory_unmap_data(memory, mapped) == dnnl_success && same;
}

static void *multiply(void *context) {
    enum { ROUNDS = 20 };
    struct product_worker *w = context;
    const struct product *p = w->product;
    for (int i = 0; i < ROUNDS && !w->wrong; i++) {
        w->wrong += dnnl_primitive_execute(p->primitive, w->stream, 3, p->args) != dnnl_success;
        w->wrong += dnnl_stream_wait(w->stream) != dnnl_success;
        w->wrong += !same_bits(p->args[2].memory, w->expected);
    }
    return NULL;
}

/* Gives the worker values of its own, and computes the expected result alone. */
static void prepare(struct product_worker *w, int number) {
    float values[SIDE * SIDE];
    for (int arg = 0; arg < 2; arg++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            values[i] = (float)((i * 31 + number * 17 + arg * 7) % 103 - 51) / 13;
        memory_put(w->product->args[arg].memory, values, SIDE * SIDE);
    }
    assert_ok(dnnl_primitive_execute(w->product->primitive, w->stream, 3, w->product->args));
    assert_ok(dnnl_stream_wait(w->stream));
    memory_get(w->product->args[2].memory, w->expected, SIDE * SIDE);
    memory_set_all(w->product->args[2].memory, 0, SIDE * SIDE);
}

static void threads_on_one_scratchpad(void **state) {
    const struct place *place = place_of(state);
    static struct product_worker workers[THREADS];
    struct product products[THREADS];
    pthread_t threads[THREADS];
    dnnl_engine_t engine = make_engine(place);
    dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_in_order);
    for (int i = 0; i < THREADS; i++) {
        products[i] = make_product(engine);
        workers[i] = (struct product_worker){.product = &products[i], .stream = stream};
        prepare(&workers[i], i);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].wrong, 0);
        free_product(&products[i]);
    }
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

/* Short-lived streams leave no scratchpads behind. */
static void short_lived_streams(void **state) {
    const struct place *place = place_of(state);
    enum { LIVES = 400 };
    dnnl_engine_t engine = make_engine(place);
    struct product p = make_product(engine);
    memory_set_all(p.args[0].memory, 1, SIDE * SIDE);
    memory_set_all(p.args[1].memory, 2, SIDE * SIDE);
    size_t warm = 0;
    for (int i = 0; i < LIVES; i++) {
        dnnl_stream_t stream = make_stream(place, engine, BY_LIBRARY, dnnl_stream_default_flags);
        assert_ok(dnnl_primitive_execute(p.primitive, stream, 3, p.args));
        if (i % 2) assert_ok(dnnl_stream_wait(stream));
        assert_ok(dnnl_stream_destroy(stream));
        if (i == LIVES / 4) warm = resident_bytes();
    }
    assert_true(resident_bytes() <= warm + (16 << 20)); /* 300 scratchpads are 44 MB; libsycl itself uses 3 */
    free_product(&p);
    assert_ok(dnnl_engine_destroy(engine));
}

const struct test stress_tests[] = {
        {"threads_and_streams", threads_and_streams},
        {"threads_on_one_stream", threads_on_one_stream},
        {"threads_create_engines", threads_create_engines},
        {"flat_memory", flat_memory},
        {"flat_profiling", flat_profiling},
        {"scratchpads", scratchpads},
        {"threads_on_one_scratchpad", threads_on_one_scratchpad},
        {"short_lived_streams", short_lived_streams},
        {NULL, NULL},
};
