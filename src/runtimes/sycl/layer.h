/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the SYCL runtime in libdnnl (C, runtimes/sycl) and the layer that calls SYCL (C++17,
 * libdnnl_sycl.so.3). The only header that both include: plain C types, opaque objects, one table of
 * functions.
 *
 * Functions return a dnnl_status_t; layer->error() is the reason for the calling thread's last failure. No
 * exception crosses this interface.
 */
#ifndef LODE_RUNTIMES_SYCL_LAYER_H
#define LODE_RUNTIMES_SYCL_LAYER_H

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYCL_LAYER_VERSION 5
#define SYCL_LAYER_LIBRARY "libdnnl_sycl.so.3"
#define SYCL_LAYER_SYMBOL "lode_sycl_layer"

/* sycl::device with sycl::context, sycl::kernel, sycl::queue. */
struct sycl_device;
struct sycl_kernel;
struct sycl_queue;

enum sycl_backend { SYCL_OPENCL, SYCL_LEVEL_ZERO };

/* The native objects of a SYCL device. It owns Level Zero handles; OpenCL handles are references that the
 * caller must release. */
struct sycl_native {
    enum sycl_backend backend;
    int is_cpu;
    void *handles[3]; /* cl_device_id, cl_context; or ze_device_handle_t, ze_context_handle_t, driver */
    const void *sycl_device, *sycl_context;
    /* Identify the SYCL objects: several SYCL contexts may share a native one. */
    void *device_identity, *context_identity;
};

/* A kernel made by the underlying runtime. */
struct sycl_native_kernel {
    void *kernel; /* cl_kernel, or ze_kernel_handle_t */
    void *module; /* ze_module_handle_t */
};

enum sycl_arg_kind { SYCL_ARG_POINTER, SYCL_ARG_BUFFER, SYCL_ARG_SCALARS };
enum { SYCL_SCALARS = 10, SYCL_MAX_ARGS = 24 };

struct sycl_arg {
    enum sycl_arg_kind kind;
    union {
        void *pointer; /* an address that the device can use, or NULL; or a sycl::buffer<uint8_t, 1> */
        uint32_t scalars[SYCL_SCALARS];
    };
};

struct sycl_launch {
    struct sycl_kernel *kernel;
    size_t groups[3], group_size[3]; /* innermost first, as OpenCL counts */
    int nargs;
    const struct sycl_arg *args;
};

/* Launches that run one after the other. With neither `deps` nor `event`, nothing else could order them, so
 * they wait for everything that was submitted through this queue object before. */
struct sycl_submission {
    const struct sycl_launch *(*next)(void *context); /* valid until the next call; NULL: no more */
    void *context;
    const void *deps; /* std::vector<sycl::event>, or NULL */
    void *event;      /* sycl::event to assign, or NULL */
    int exclusive;    /* uses memory that other submissions on this queue use too: they must not overlap */
};

struct sycl_layer {
    int version;
    const char *(*error)(void);

    /* Devices of a kind that can run our kernels: CPUs, or GPUs and accelerators. */
    dnnl_status_t (*device_count)(int cpu, size_t *count);
    dnnl_status_t (*device_open)(int cpu, size_t index, struct sycl_device **device);
    /* Copies of the user's objects. */
    dnnl_status_t (*device_adopt)(const void *device, const void *context, struct sycl_device **made);
    void (*device_close)(struct sycl_device *device);
    dnnl_status_t (*device_native)(const struct sycl_device *device, struct sycl_native *native);
    /* Calls the function when everything submitted to the device so far is complete: now, or later in one of
     * SYCL's threads. Never waits. */
    void (*when_idle)(struct sycl_device *device, void (*function)(void *), void *argument);

    /* USM that host and device share; it is freed after the launches that use it are complete. */
    dnnl_status_t (*usm_alloc)(struct sycl_device *device, size_t size, void **pointer);
    void (*usm_free)(struct sycl_device *device, void *pointer);

    /* sycl::buffer<uint8_t, 1> objects. */
    dnnl_status_t (*buffer_make)(size_t size, void **buffer);
    /* Shares the user's memory, which must have at least `least` bytes. */
    dnnl_status_t (*buffer_copy)(const void *user, size_t least, void **buffer);
    void (*buffer_free)(void *buffer);
    /* A host accessor, until unmap. */
    dnnl_status_t (*buffer_map)(void *buffer, void **accessor, void **address);
    void (*buffer_unmap)(void *accessor);

    dnnl_status_t (*kernel_make)(struct sycl_device *device, const struct sycl_native_kernel *native,
                                 struct sycl_kernel **kernel);
    void (*kernel_free)(struct sycl_kernel *kernel);

    dnnl_status_t (*queue_open)(struct sycl_device *device, int in_order, int profiling,
                                struct sycl_queue **queue);
    /* A copy of the user's queue, which must be of this device and context. */
    dnnl_status_t (*queue_adopt)(struct sycl_device *device, const void *user, int *in_order, int *profiling,
                                 struct sycl_queue **queue);
    void (*queue_close)(struct sycl_queue *queue);
    void *(*queue_native)(struct sycl_queue *queue);       /* sycl::queue */
    dnnl_status_t (*queue_wait)(struct sycl_queue *queue); /* returns at once while it records a graph */
    int (*queue_records)(const struct sycl_queue *queue);

    dnnl_status_t (*submit)(struct sycl_queue *queue, const struct sycl_submission *submission);

    dnnl_status_t (*profiling_reset)(struct sycl_queue *queue);
    dnnl_status_t (*profiling_query)(struct sycl_queue *queue, int *count, uint64_t *ns);
};

typedef const struct sycl_layer *(*sycl_layer_function)(void);

#ifdef __cplusplus
}
#endif

#endif
