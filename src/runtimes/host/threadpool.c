/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls a C++ object from C, so that the library needs no C++ runtime. What is laid out here is fixed by
 * ABIs: the table of virtual functions by that of Itanium C++, and std::function by libstdc++, whose pools
 * are the ones that can be passed to oneDNN's binaries, too. Only functions that every version of the
 * interface has are called.
 */
#include "runtimes/host/threadpool.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* std::function<void(int, int)>: what it holds fits into `stored`. */
struct function {
    void *stored[2];
    bool (*manage)(void **to, void *const *from, int operation);
    void (*invoke)(void *const *stored, int *i, int *n);
};

struct threadpool {
    const struct {
        int (*get_num_threads)(const struct threadpool *);
        bool (*get_in_parallel)(const struct threadpool *);
        void (*parallel_for)(struct threadpool *, int n, const struct function *);
    } *functions;
};

struct part {
    void (*run)(void *context);
    void *context;
};

static void invoke(void *const *stored, int *i, int *n) {
    struct part part;
    (void)i, (void)n;
    memcpy(&part, stored, sizeof part);
    part.run(part.context);
}

/* Called when a pool copies the function or destroys a copy. There are no run-time types to ask for. */
static bool manage(void **to, void *const *from, int operation) {
    enum { TYPE, POINTER, COPY };
    if (operation == TYPE) to[0] = NULL;
    if (operation == POINTER) to[0] = (void *)(uintptr_t)from;
    if (operation == COPY) memcpy(to, from, sizeof(struct part));
    return false;
}

static void run(void *object, int parts, void (*part)(void *context), void *context) {
    struct threadpool *pool = object;
    struct function function = {.manage = manage, .invoke = invoke};
    struct part stored = {part, context};
    _Static_assert(sizeof stored == sizeof function.stored, "a part must fit into a function");
    memcpy(function.stored, &stored, sizeof stored);
    pool->functions->parallel_for(pool, parts, &function);
}

/* A loop inside of one of the pool's own loops runs in its caller. */
static int threads(void *object) {
    const struct threadpool *pool = object;
    return pool->functions->get_in_parallel(pool) ? 1 : pool->functions->get_num_threads(pool);
}

struct pool_guest threadpool_guest(void *threadpool) {
    return (struct pool_guest){.object = threadpool, .threads = threads, .run = run};
}
