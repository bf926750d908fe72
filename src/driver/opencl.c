/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the OpenCL runtime. It is never unloaded: its threads may still run.
 */
#define _GNU_SOURCE
#include "driver/opencl.h"
#include "kernels/native.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 4 };

static struct opencl the_opencl;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool load(struct opencl *cl, const char *name) {
    void *library = name[0] ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    struct link_map *map;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) return false;
    cl->library = map->l_name;
#define F(name)                                                                                              \
    cl->name = (__typeof__(cl->name))dlsym(library, "cl" #name);                                             \
    if (!cl->name) return false;
    OPENCL_FUNCTIONS(F)
#undef F
    return true;
}

/* Parses "SPIR-V_1.4 SPIR-V_1.3 ...": the newest version. */
static unsigned newest_version(const char *text) {
    unsigned newest = 0, major, minor;
    for (const char *at = text; (at = strstr(at, "SPIR-V_")); at += 7)
        if (sscanf(at, "SPIR-V_%u.%u", &major, &minor) == 2 && (major << 16 | minor) > newest)
            newest = major << 16 | minor;
    return newest;
}

static void *extension(const struct opencl *cl, const char *name) {
    return cl->GetExtensionFunctionAddressForPlatform(cl->platform, name);
}

enum { DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108 };

static void read_sub_groups(struct opencl *cl) {
    size_t size = 0, sizes[32] = {0}, most = sizeof cl->sub_groups / sizeof cl->sub_groups[0];
    if (cl->GetDeviceInfo(cl->device, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &size)) return;
    for (size_t i = 0; i < size / sizeof sizes[0] && i < most; i++)
        cl->sub_groups[i] = sizes[i];
}

/* The device must accept SPIR-V and addresses that it did not allocate. */
static bool try_device(struct opencl *cl, cl_device_id device) {
    char il[512] = "";
    cl_device_svm_capabilities svm = 0;
    if (cl->GetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof il, il, NULL)) return false;
    cl->GetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    cl->version = newest_version(il);
    cl->device = device;
    cl->SetKernelArgMemPointer =
            (__typeof__(cl->SetKernelArgMemPointer))extension(cl, "clSetKernelArgMemPointerINTEL");
    cl->GetGlobalVariable =
            (__typeof__(cl->GetGlobalVariable))extension(cl, "clGetDeviceGlobalVariablePointerINTEL");
    cl->GetFunction = (__typeof__(cl->GetFunction))extension(cl, "clGetDeviceFunctionPointerINTEL");
    return cl->version && (cl->SetKernelArgMemPointer || svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
}

static bool choose_device(struct opencl *cl) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    if (cl->GetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms)) return false;
    for (cl_uint i = 0; i < nplatforms && i < MAX_PLATFORMS; i++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint ndevices = 0;
        cl->platform = platforms[i];
        if (cl->GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, MAX_DEVICES, devices, &ndevices)) continue;
        for (cl_uint d = 0; d < ndevices && d < MAX_DEVICES; d++)
            if (try_device(cl, devices[d])) return true;
    }
    return false;
}

static bool make_context(struct opencl *cl) {
    cl_int error = 0;
    cl->context = cl->CreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

/* Compiled code fits only this CPU model and this version of the runtime. */
static uint64_t identify(const struct opencl *cl) {
    static const cl_device_info questions[] = {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION};
    char answers[3][256] = {{0}};
    for (int i = 0; i < 3; i++)
        cl->GetDeviceInfo(cl->device, questions[i], sizeof answers[i] - 1, answers[i], NULL);
    return native_checksum((const unsigned char *)answers, sizeof answers);
}

bool opencl_open(struct opencl *cl, const char *library) {
    if (!load(cl, library) || !choose_device(cl) || !make_context(cl)) return false;
    read_sub_groups(cl);
    cl->identity = identify(cl);
    return true;
}

static void find(void) {
    const char *setting = getenv("LODE_ZE_OPENCL");
    found = opencl_open(&the_opencl, setting ? setting : "libOpenCL.so.1");
}

const struct opencl *opencl(void) {
    pthread_once(&once, find);
    return found ? &the_opencl : NULL;
}

/* As many queues as there were launches at the same time. */
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_queue *idle_queues;

struct opencl_queue *opencl_take_queue(const struct opencl *cl) {
    pthread_mutex_lock(&queues_lock);
    struct opencl_queue *queue = idle_queues;
    if (queue) idle_queues = queue->next;
    pthread_mutex_unlock(&queues_lock);
    if (queue) return queue;
    cl_int error = 0;
    queue = malloc(sizeof *queue);
    if (queue) queue->queue = cl->CreateCommandQueueWithProperties(cl->context, cl->device, NULL, &error);
    if (!error) return queue;
    free(queue);
    return NULL;
}

void opencl_give_queue(struct opencl_queue *queue) {
    pthread_mutex_lock(&queues_lock);
    queue->next = idle_queues;
    idle_queues = queue;
    pthread_mutex_unlock(&queues_lock);
}
