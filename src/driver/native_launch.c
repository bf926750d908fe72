/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs native kernels: the groups of a launch are distributed over the thread pool. Each thread has its own
 * local memory.
 */
#include "driver/native_launch.h"
#include "driver/threads.h"
#include "driver/append_launch.h"
#include "driver/driver.h"
#include "kernels/fiber.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The thread's local memory: grows as needed, freed with the thread. */
struct scratch {
    size_t size;
    void *memory;
};
static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static _Thread_local struct scratch scratch;

static void free_scratch(void *memory) {
    scratch = (struct scratch){0};
    free(memory);
}

static void make_scratch_key(void) {
    pthread_key_create(&scratch_key, free_scratch);
}

static void *scratch_of(size_t size) {
    if (size <= scratch.size) return scratch.memory;
    pthread_once(&scratch_once, make_scratch_key);
    void *memory = aligned_alloc(LOCAL_ALIGNMENT, size);
    if (!memory) return NULL;
    free(scratch.memory);
    scratch = (struct scratch){size, memory};
    pthread_setspecific(scratch_key, memory);
    return memory;
}

/* A launch while it runs. */
struct running {
    const struct launch_command *launch;
    const struct native_kernel *kernel;
    size_t local_size; /* total of all local-memory arguments */
    uint32_t groups[3];
};

static struct native_group first_group(const struct running *running, size_t index) {
    const struct launch_command *launch = running->launch;
    const uint32_t *groups = running->groups;
    struct native_group group = {
            .id = {(uint32_t)(index % groups[0]), (uint32_t)(index / groups[0] % groups[1]),
                   (uint32_t)(index / groups[0] / groups[1])},
            .ndims = 3,
    };
    memcpy(group.count, groups, sizeof group.count);
    memcpy(group.size, launch->group_size, sizeof group.size);
    memcpy(group.offset, launch->offset, sizeof group.offset);
    while (group.ndims > 1 && group.count[group.ndims - 1] == 1 && group.size[group.ndims - 1] == 1)
        group.ndims--;
    return group;
}

static void next_group(struct native_group *group) {
    for (int i = 0; i < 3; i++) {
        if (++group->id[i] < group->count[i]) return;
        group->id[i] = 0;
    }
}

static void run_groups(const struct running *running, void *const *arguments, size_t begin, size_t end) {
    struct native_group group = first_group(running, begin);
    for (size_t i = begin; i < end; i++) {
        if (!native_run(running->kernel, &group, arguments)) {
            device_lose("out of memory for work-item stacks");
            return;
        }
        next_group(&group);
    }
}

/* Points the local-memory arguments to this thread's memory. */
static void run_groups_with_local(const struct running *running, size_t begin, size_t end) {
    const struct launch_command *launch = running->launch;
    uint32_t nargs = launch->code->nargs;
    unsigned char *memory = scratch_of(running->local_size);
    if (!memory) {
        device_lose("out of memory for local memory");
        return;
    }
    void *arguments[nargs], *locals[nargs];
    for (uint32_t i = 0; i < nargs; i++) {
        arguments[i] = launch->arguments[i];
        if (!launch->local_sizes[i]) continue;
        locals[i] = memory;
        arguments[i] = &locals[i];
        memory += round_up(launch->local_sizes[i], LOCAL_ALIGNMENT);
    }
    run_groups(running, arguments, begin, end);
}

static void run_piece(void *context, size_t begin, size_t end) {
    const struct running *running = context;
    if (running->local_size)
        run_groups_with_local(running, begin, end);
    else
        run_groups(running, running->launch->arguments, begin, end);
}

void native_launch(const struct launch_command *launch, const uint32_t groups[3]) {
    struct running running = {launch, launch->code->backend, 0, {groups[0], groups[1], groups[2]}};
    for (uint32_t i = 0; i < launch->code->nargs; i++)
        running.local_size += round_up(launch->local_sizes[i], LOCAL_ALIGNMENT);
    size_t total = (size_t)groups[0] * groups[1] * groups[2];
    if (total == 1)
        run_piece(&running, 0, 1);
    else if (launch->cooperative)
        threads()->run_together(total, run_piece, &running);
    else
        threads()->run(total, 1, run_piece, &running);
}
