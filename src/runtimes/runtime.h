/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a runtime must do: the whole contract between plans and the places where they run. A runtime knows
 * devices, buffers, kernels, streams and launches; it never knows which primitive it serves.
 *
 * To add a runtime: copy null/, fill in the table, add a row in runtimes.c. A slot that is NULL means
 * "cannot"; the comment says what the caller then does.
 */
#ifndef LODE_RUNTIMES_RUNTIME_H
#define LODE_RUNTIMES_RUNTIME_H

#include "core/plan.h"

struct runtime;
struct scratch;

enum device_class { DEVICE_CPU, DEVICE_GPU };

/* What implementations may ask about a device. */
struct device_info {
    enum device_class class;
    int vector_bytes;  /* width that CPU-class kernels should use: 16, 32 or 64 */
    int compute_units; /* threads or cores that work in parallel */
    bool fp64;
};

/* A device in a context, shared by all engines made from the same two. */
struct device {
    _Atomic int references; /* engines; the last one out closes the device */
    const struct runtime *runtime;
    struct device_info info;
    struct scratch *scratch; /* SCRATCH_SLOTS of them: core/scratchpad.h */
    void *state;             /* the runtime's own */
};

/* Memory of one device. `handle` is what the user sees: an address, or a cl_mem or sycl::buffer. */
enum buffer_kind { BUFFER_NONE, BUFFER_POINTER, BUFFER_OBJECT };
struct buffer {
    enum buffer_kind kind;
    void *handle;
    bool owned;
    void *state; /* the runtime's own, for instance a staging copy while mapped */
};

struct dnnl_stream;

/* One execution of a plan: buffers and scalars are those of all launches, one launch after the other. */
struct execution {
    const struct plan *plan;
    const struct buffer *buffers[PLAN_MAX_LAUNCHES][LAUNCH_MAX_BUFFERS]; /* NULL: no buffer */
    uint32_t scalars[PLAN_MAX_LAUNCHES][LAUNCH_MAX_SCALARS];
    struct scratch *scratch; /* the library's scratchpad, or NULL. Executions that may overlap on an out-of-order
                              * stream must be put in order by its `state` */
    int ndeps;
    const void *deps;   /* array of the runtime's event type */
    void *return_event; /* where the runtime's event goes, or NULL */
};

struct runtime {
    const char *name; /* as verbose lines say it: "cpu", "ze", "ocl", "sycl", "null" */
    unsigned kind;    /* DNNL_RUNTIME_* */

    /* Devices. open takes the index-th device of the kind; close frees device->state. */
    dnnl_status_t (*device_count)(dnnl_engine_kind_t kind, size_t *count);
    dnnl_status_t (*device_open)(struct device *device, dnnl_engine_kind_t kind, size_t index);
    void (*device_close)(struct device *device);

    /* Buffers. alloc makes at least one byte, aligned to 128, and sets `owned`. free undoes alloc, and adopt
     * too if there is that slot: it frees what is owned and lets go of what adopt has retained. map gives the
     * host an address that is valid until unmap, with what the device wrote, after the stream (may be NULL)
     * has finished what was submitted. */
    dnnl_status_t (*buffer_alloc)(struct device *device, size_t size, struct buffer *buffer);
    void (*buffer_free)(struct device *device, struct buffer *buffer);
    dnnl_status_t (*buffer_map)(struct device *device, struct buffer *buffer, size_t size, void **address);
    dnnl_status_t (*buffer_unmap)(struct device *device, struct buffer *buffer, void *address);
    /* Checks a handle that the user brings and says which kind it is. NULL slot: any pointer will do. */
    dnnl_status_t (*buffer_adopt)(struct device *device, void *handle, struct buffer *buffer);

    /* Kernels. The handle belongs to the device and lives as long. Called under no lock; must be thread-safe.
     */
    dnnl_status_t (*kernel_load)(struct device *device, const struct kernel *kernel, void **handle);
    /* Puts a parameter block where kernels can read it. NULL slots: the plan's own copy is used as it is. */
    dnnl_status_t (*params_load)(struct device *device, const void *params, size_t size, void **handle);
    void (*params_free)(struct device *device, void *handle);

    /* Streams. open makes the runtime's queue with the user's flags. */
    dnnl_status_t (*stream_open)(struct dnnl_stream *stream, unsigned flags);
    void (*stream_close)(struct dnnl_stream *stream);
    dnnl_status_t (*stream_wait)(struct dnnl_stream *stream);

    /* Submits every launch of a plan, in order, and never waits, allocates or takes a lock that another
     * stream needs. `synchronous` runtimes have finished on return. */
    dnnl_status_t (*execute)(struct dnnl_stream *stream, const struct execution *execution);
    bool synchronous;

    /* Profiling: entries since the last reset, in ns. NULL: dnnl_invalid_arguments. */
    dnnl_status_t (*profiling_reset)(struct dnnl_stream *stream);
    dnnl_status_t (*profiling_query)(struct dnnl_stream *stream, int *count, uint64_t *ns);
};

extern const struct runtime host_runtime;
extern const struct runtime null_runtime;

#endif
