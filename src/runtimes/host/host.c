/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host runtime: plans run in the caller's thread and on the thread pool, with the native form of each
 * kernel for the best instruction set of this CPU. Buffers are plain memory; streams hold nothing but the
 * times that profiling collects.
 */
#define _GNU_SOURCE
#include "base/cpu.h"
#include "base/pool.h"
#include "base/team.h"
#include "runtimes/executable.h"
#include "base/verbose.h"
#include "kernels/fiber.h"
#include "runtimes/device_class.h"
#include "runtimes/host/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 128, HUGE_PAGE = 2 << 20 };

static dnnl_status_t device_count(dnnl_engine_kind_t kind, size_t *count) {
    *count = kind == dnnl_cpu ? 1 : 0;
    return dnnl_success;
}

/* One word of what Linux says about a cache of the first CPU; false if there is no such cache. */
static bool read_cache_word(int index, const char *name, char word[16]) {
    char path[96];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool read = fscanf(file, "%15s", word) == 1;
    fclose(file);
    return read;
}

/* Sizes of the data caches by level; 0: unknown. Not from sysconf, which counts the caches of CPUs that a
 * virtual machine does not have. LODE_TEST_CACHE=BYTES, which is for tests, is the size of the last one. */
static void read_caches(struct device_info *info) {
    enum { LEVELS = sizeof info->cache_bytes / sizeof info->cache_bytes[0] };
    char type[16], level[16], size[16];
    for (int i = 0; read_cache_word(i, "type", type); i++) {
        if (!read_cache_word(i, "level", level) || !read_cache_word(i, "size", size)) continue;
        int number = atoi(level);
        if (type[0] == 'I' || number < 1 || number > LEVELS) continue;
        char *unit;
        size_t bytes = strtoul(size, &unit, 10);
        info->cache_bytes[number - 1] = *unit == 'M' ? bytes << 20 : *unit == 'K' ? bytes << 10 : bytes;
    }
    const char *last = getenv("LODE_TEST_CACHE");
    if (last) info->cache_bytes[LEVELS - 1] = strtoul(last, NULL, 10);
}

/* Enough for the threads of now and for those that a framework may ask for later. */
static int compute_units(void) {
    const struct team *team = team_current();
    return team->threads > team->available ? team->threads : team->available;
}

static dnnl_status_t device_open(struct device *device, const struct device_origin *origin) {
    (void)origin;
    device->info = (struct device_info){
            .class = device_class_of(true), .compute_units = compute_units(), .backend = "CPU"};
    native_describe(&device->info, cpu_features());
    read_caches(&device->info);
    return dnnl_success;
}

static void device_close(struct device *device) {
    (void)device;
}

/* Large buffers get huge pages where the system has them: weights are read front to back. */
static dnnl_status_t buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer) {
    (void)device, (void)kind;
    size_t alignment = size >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    void *memory = NULL;
    if (size > PTRDIFF_MAX || posix_memalign(&memory, alignment, size ? size : 1)) return dnnl_out_of_memory;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_PAGE) madvise(memory, size, MADV_HUGEPAGE);
#endif
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = memory, .owned = true};
    return dnnl_success;
}

static void buffer_free(struct device *device, struct buffer *buffer) {
    (void)device;
    free(buffer->handle);
}

static dnnl_status_t buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    (void)device, (void)size;
    *address = buffer->handle;
    return dnnl_success;
}

static dnnl_status_t buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    (void)device, (void)buffer, (void)address;
    return dnnl_success;
}

static dnnl_status_t kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    (void)device;
    const struct native_kernel *native = kernel_native(kernel, cpu_features(), NULL);
    if (!native) return fail(dnnl_runtime_error, "kernel", "%s has no native form", kernel->name);
    *handle = (void *)native;
    return dnnl_success;
}

static dnnl_status_t stream_wait(struct stream *stream) {
    (void)stream;
    return dnnl_success;
}

struct job {
    const struct native_kernel *kernel;
    const struct range *range;
    void *args[LAUNCH_MAX_BUFFERS + 2];
    atomic_bool failed; /* a group could not run */
};

static void run_groups(void *context, size_t begin, size_t end) {
    struct job *job = context;
    const size_t *n = job->range->groups, *size = job->range->group_size;
    struct native_group group = {.ndims = 3};
    for (int d = 0; d < 3; d++) {
        group.count[d] = (uint32_t)n[d];
        group.size[d] = (uint32_t)size[d];
    }
    group.id[0] = (uint32_t)(begin % n[0]);
    group.id[1] = (uint32_t)(begin / n[0] % n[1]);
    group.id[2] = (uint32_t)(begin / n[0] / n[1]);
    for (size_t i = begin; i < end; i++) {
        if (!native_run(job->kernel, &group, job->args)) atomic_store(&job->failed, true);
        if (++group.id[0] < n[0]) continue;
        group.id[0] = 0;
        if (++group.id[1] < n[1]) continue;
        group.id[1] = 0;
        group.id[2]++;
    }
}

static dnnl_status_t run_launch(const struct execution *e, struct cursor at) {
    const struct executable *executable = e->executable;
    const struct launch *launch = executable->program->launches[at.launch];
    const size_t *groups = launch->range.groups;
    void *pointers[LAUNCH_MAX_BUFFERS];
    struct scalars scalars;
    struct job job = {.kernel = executable->kernels[at.launch], .range = &launch->range};
    int n = 0;
    for (; n < launch->nbuffers; n++) {
        const struct buffer *buffer = e->buffers[launch->buffers[n]];
        pointers[n] = buffer ? buffer->handle : NULL;
        job.args[n] = &pointers[n];
    }
    if (launch->kernel->scalars) {
        launch_scalars(launch, at.step, e->scalars, &scalars);
        job.args[n++] = &scalars;
    }
    job.args[n] = &executable->blocks[at.launch];
    (at.step % 2 ? pool_run_backwards : pool_run)(pool_default(), groups[0] * groups[1] * groups[2], 1,
                                                  run_groups, &job);
    return job.failed ? dnnl_out_of_memory : dnnl_success;
}

static dnnl_status_t execute(struct stream *stream, const struct execution *e) {
    const struct program *program = e->executable->program;
    uint64_t start = profile_start(stream);
    dnnl_status_t status = dnnl_success;
    const struct pool_guest *before = stream->threads ? pool_borrow(stream->threads) : NULL;
    for (struct cursor at = {0}; at.launch < program->nlaunches && status == dnnl_success;
         cursor_next(program, &at))
        status = run_launch(e, at);
    if (stream->threads) pool_borrow(before);
    profile_stop(stream, start);
    return status;
}

const struct runtime host_runtime = {
        .name = "cpu",
        .device_count = device_count,
        .device_open = device_open,
        .device_close = device_close,
        .buffer_kind = BUFFER_POINTER,
        .buffer_alloc = buffer_alloc,
        .buffer_free = buffer_free,
        .buffer_map = buffer_map,
        .buffer_unmap = buffer_unmap,
        .kernel_load = kernel_load,
        .stream_open = profile_open,
        .stream_close = profile_close,
        .stream_wait = stream_wait,
        .execute = execute,
        .synchronous = true,
        .profiling_reset = profile_reset,
        .profiling_query = profile_query,
};
