/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of submitting work to the embedded driver, compared with the OpenCL runtimes for the CPU on this
 * machine: an empty kernel is launched and waited for. One line per number; medians of several rounds. Links
 * the driver itself, without a loader.
 */
#define _GNU_SOURCE
#include "base/pool.h"
#include "driver/ze_new.h"
#include "kernels/native.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

enum { ROUNDS = 25 };

static ze_device_handle_t device;
static ze_context_handle_t context;

static void check(ze_result_t result, const char *what) {
    if (result == ZE_RESULT_SUCCESS) return;
    fprintf(stderr, "%s: %x\n", what, (unsigned)result);
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double measure_once(void (*body)(void *), void *argument) {
    double start = now();
    body(argument);
    return now() - start;
}

/* Calls `body` `times` times and returns the time per call. */
static double measure(void (*body)(void *), void *argument, int times) {
    double best = 1e9;
    body(argument);
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int i = 0; i < times; i++)
            body(argument);
        best = smaller(best, (now() - start) / times);
    }
    return best;
}

static void report(const char *what, double value, const char *unit, const char *goal) {
    printf("%-58s %10.3f %-5s %s\n", what, value, unit, goal);
    fflush(stdout);
}

/* -- the driver -- */

static void empty_group(const struct native_group *group, void *const *args) {
    (void)group, (void)args;
}
static const struct native_kernel kernels[] = {{.name = "empty", .run_group = empty_group}};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};

struct launching {
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
    ze_event_handle_t event;
};

static const ze_group_count_t one = {1, 1, 1};

static void launch(void *argument) {
    struct launching *l = argument;
    CHECK(zeCommandListAppendLaunchKernel(l->list, l->kernel, &one, NULL, 0, NULL));
}

static void launch_and_wait_for_event(void *argument) {
    struct launching *l = argument;
    CHECK(zeEventHostReset(l->event));
    CHECK(zeCommandListAppendLaunchKernel(l->list, l->kernel, &one, l->event, 0, NULL));
    CHECK(zeEventHostSynchronize(l->event, UINT64_MAX));
}

static void launch_and_wait_for_list(void *argument) {
    struct launching *l = argument;
    CHECK(zeCommandListAppendLaunchKernel(l->list, l->kernel, &one, NULL, 0, NULL));
    CHECK(NEW(zeCommandListHostSynchronize)(l->list, UINT64_MAX));
}

/* After a pause all threads sleep: either the launch wakes one, or the waiting thread does the work. */
static double latency_after_pause(struct launching *l) {
    double best = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        usleep(3000);
        double start = now();
        launch_and_wait_for_event(l);
        best = smaller(best, now() - start);
    }
    return best;
}

/* Appends only: the list is synchronised between rounds, which is not timed. */
static double append_cost(struct launching *l) {
    enum { TIMES = 2000 };
    double best = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int i = 0; i < TIMES; i++)
            launch(l);
        best = smaller(best, (now() - start) / TIMES);
        CHECK(NEW(zeCommandListHostSynchronize)(l->list, UINT64_MAX));
    }
    return best;
}

static ze_command_list_handle_t immediate(ze_command_queue_mode_t mode) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = NEW_COMMAND_QUEUE_FLAG_IN_ORDER,
                                          .mode = mode};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

static ze_event_handle_t one_event(void) {
    const ze_event_pool_desc_t pool_desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    CHECK(zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    CHECK(zeEventCreate(pool, &desc, &event));
    return event;
}

static double launches(ze_kernel_handle_t kernel) {
    struct launching l = {immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, one_event()};
    double synchronous = measure(launch, &l, 5000);
    report("synchronous list: launch", synchronous * 1e9, "ns", "goal 1000");
    l.list = immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    report("asynchronous list: append", append_cost(&l) * 1e9, "ns", "goal 250");
    double complete = measure(launch_and_wait_for_event, &l, 2000);
    report("asynchronous list: append until event seen", complete * 1e6, "us", "goal 5");
    report("asynchronous list: append until list is synchronised",
           measure(launch_and_wait_for_list, &l, 2000) * 1e6, "us", "goal 5");
    report("asynchronous list: append until event seen, after a pause", latency_after_pause(&l) * 1e6, "us",
           "");
    return complete;
}

struct replaying {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
};

static void replay(void *argument) {
    struct replaying *r = argument;
    CHECK(zeCommandQueueExecuteCommandLists(r->queue, 1, &r->list, NULL));
    CHECK(zeCommandQueueSynchronize(r->queue, UINT64_MAX));
}

static void replays(ze_kernel_handle_t kernel) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    struct replaying r;
    CHECK(zeCommandListCreate(context, device, &list_desc, &r.list));
    for (int i = 0; i < 100; i++)
        CHECK(zeCommandListAppendLaunchKernel(r.list, kernel, &one, NULL, 0, NULL));
    CHECK(zeCommandListClose(r.list));
    CHECK(zeCommandQueueCreate(context, device, &desc, &r.queue));
    report("closed list of 100 launches: execute and synchronise", measure(replay, &r, 500) * 1e6, "us",
           "goal 20");
}

/* -- copies -- */

struct copying {
    char *dst, *src;
    size_t size, pieces;
    ze_command_list_handle_t list;
};

static void copy_by_driver(void *argument) {
    struct copying *c = argument;
    CHECK(zeCommandListAppendMemoryCopy(c->list, c->dst, c->src, c->size, NULL, 0, NULL));
}

static void copy_piece(void *argument, size_t begin, size_t end) {
    struct copying *c = argument;
    size_t from = c->size / c->pieces * begin, to = end == c->pieces ? c->size : c->size / c->pieces * end;
    memcpy(c->dst + from, c->src + from, to - from);
}

static void copy_by_memcpy(void *argument) {
    struct copying *c = argument;
    pool_run(pool_default(), c->pieces, 1, copy_piece, c);
}

static void copies(void) {
    struct copying c = {.size = (size_t)256 << 20, .pieces = (size_t)pool_threads(pool_default())};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    CHECK(zeMemAllocDevice(context, &desc, c.size, 0, device, (void **)&c.dst));
    CHECK(zeMemAllocDevice(context, &desc, c.size, 0, device, (void **)&c.src));
    memset(c.src, 1, c.size);
    memset(c.dst, 2, c.size);
    c.list = immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    double theirs = 1e9, ours = 1e9;
    for (int r = 0; r < ROUNDS; r++) { /* alternating, so that other load on the machine slows both */
        theirs = smaller(theirs, measure_once(copy_by_memcpy, &c));
        ours = smaller(ours, measure_once(copy_by_driver, &c));
    }
    report("256 MB: memcpy, one piece per core", (double)c.size / theirs * 1e-9, "GB/s", "");
    report("256 MB: zeCommandListAppendMemoryCopy", (double)c.size / ours * 1e-9, "GB/s", "");
    report("256 MB: relative to memcpy", 100 * theirs / ours, "%", "goal 90");
}

/* -- memory of events -- */

static double resident_megabytes(void) {
    size_t size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%zu %zu", &size, &resident) != 2) exit(1);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void events(ze_kernel_handle_t kernel) {
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 16};
    ze_event_pool_handle_t pool;
    CHECK(zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    ze_command_list_handle_t list = immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    double before = 0, start = now();
    for (uint32_t i = 0; i < 1000000; i++) {
        if (i == 1000) before = resident_megabytes();
        const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i % 16};
        ze_event_handle_t event;
        CHECK(zeEventCreate(pool, &desc, &event));
        CHECK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, NULL));
        CHECK(zeEventHostSynchronize(event, UINT64_MAX));
        CHECK(zeEventDestroy(event));
    }
    report("10^6 events through a pool of 16: create to destroy", (now() - start) * 1e3, "ns", "");
    report("10^6 events through a pool of 16: memory grown", resident_megabytes() - before, "MB", "goal 0");
}

/* -- the same with OpenCL -- */

#ifdef HAVE_OPENCL
#define FUNCTIONS(F)                                                                                         \
    F(clGetPlatformIDs)                                                                                      \
    F(clGetDeviceIDs)                                                                                        \
    F(clGetDeviceInfo)                                                                                       \
    F(clCreateContext)                                                                                       \
    F(clCreateCommandQueue)                                                                                  \
    F(clCreateProgramWithSource) F(clBuildProgram) F(clCreateKernel) F(clEnqueueNDRangeKernel) F(clFinish)
#define F(name) static __typeof__(&name) p_##name;
FUNCTIONS(F)
#undef F

struct enqueueing {
    cl_command_queue queue;
    cl_kernel kernel;
};

static void enqueue(void *argument) {
    struct enqueueing *e = argument;
    const size_t size = 1;
    if (p_clEnqueueNDRangeKernel(e->queue, e->kernel, 1, NULL, &size, &size, 0, NULL, NULL)
        || p_clFinish(e->queue))
        exit(1);
}

static void measure_device(cl_device_id id, double ours) {
    char name[256] = "", version[256] = "", line[600];
    p_clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL);
    p_clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version, version, NULL);
    const char *source = "kernel void empty(void) {}";
    cl_int error = 0;
    struct enqueueing e;
    cl_context cl = p_clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    e.queue = error ? NULL : p_clCreateCommandQueue(cl, id, 0, &error);
    cl_program program = error ? NULL : p_clCreateProgramWithSource(cl, 1, &source, NULL, &error);
    if (error || p_clBuildProgram(program, 1, &id, "", NULL, NULL)) return;
    e.kernel = p_clCreateKernel(program, "empty", &error);
    if (error) return;
    double theirs = measure(enqueue, &e, 1000);
    snprintf(line, sizeof line, "OpenCL (%.40s): launch and finish", version);
    report(line, theirs * 1e6, "us", "");
    report("    asynchronous list, relative to that", 100 * ours / theirs, "%", "goal 50");
}

static void opencl(double ours) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) {
        printf("no OpenCL runtime to compare with\n");
        return;
    }
#define F(name) p_##name = (__typeof__(&name))dlsym(library, #name);
    FUNCTIONS(F)
#undef F
    cl_platform_id platforms[16];
    cl_uint nplatforms = 0, ndevices = 0;
    p_clGetPlatformIDs(16, platforms, &nplatforms);
    for (cl_uint i = 0; i < nplatforms && i < 16; i++) {
        cl_device_id id;
        if (p_clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &id, &ndevices) == CL_SUCCESS && ndevices)
            measure_device(id, ours);
    }
}
#else
static void opencl(double ours) {
    (void)ours;
    printf("built without OpenCL's headers: nothing to compare with\n");
}
#endif

int main(void) {
    uint32_t count = 1;
    ze_driver_handle_t driver;
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&count, &driver));
    CHECK(zeDeviceGet(driver, &count, &device));
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("%s, %u threads\n", properties.name, properties.numEUsPerSubslice);
    CHECK(zeContextCreate(driver, &(ze_context_desc_t){.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC}, &context));
    const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(), &table};
    const ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                          .format = ZE_MODULE_FORMAT_NATIVE,
                                          .inputSize = sizeof reference,
                                          .pInputModule = (const uint8_t *)&reference};
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    CHECK(zeModuleCreate(context, device, &module_desc, &module, NULL));
    CHECK(zeKernelCreate(module, &(ze_kernel_desc_t){.pKernelName = "empty"}, &kernel));
    double ours = launches(kernel);
    replays(kernel);
    events(kernel);
    copies();
    opencl(ours);
    return 0;
}
