/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a runtime must do: the whole contract between programs and the places where they run. A runtime knows
 * devices, buffers, kernels, streams and launches; it never knows which primitive it serves.
 *
 * To add a runtime: copy null/, fill in the table, add a row in runtimes.c. A slot that is NULL means
 * "cannot"; the comment says what the caller then does.
 */
#ifndef LODE_RUNTIMES_RUNTIME_H
#define LODE_RUNTIMES_RUNTIME_H

#include "base/counted.h"
#include "kernels/device_info.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "program/program.h"

struct runtime;
struct scratch;

/* What a device is opened from: its place among the runtime's devices of a kind, or the user's own handles
 * (device, context, and whatever else the runtime needs), in the order that the runtime decides. */
enum { DEVICE_HANDLES = 3 };
struct device_origin {
    dnnl_engine_kind_t kind;
    size_t index;
    void *handles[DEVICE_HANDLES]; /* the first is NULL: `index` counts */
    void *objects;                 /* what the runtime has made of the handles already; not compared */
};

/* A device in a context, shared by all engines made from the same two. */
struct device {
    _Atomic int references; /* engines; the last one out closes the device */
    const struct runtime *runtime;
    size_t index;                  /* among the runtime's devices, for verbose lines */
    void *handles[DEVICE_HANDLES]; /* device_open puts them here; who opens the same ones shares the device */
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

/* An order of executions on a device. Whoever makes one sets device and flags; the runtime adds its state. */
struct stream {
    struct device *device;
    unsigned flags; /* dnnl_stream_flags_t */
    void *state;    /* the runtime's own */
};

struct executable;

/* One execution of a program, with its slots and scalars bound. */
struct execution {
    const struct executable *executable;
    struct counted *owner;               /* of the executable: recordings retain it */
    const struct buffer *const *buffers; /* by slot; NULL: no buffer */
    const uint32_t *scalars;             /* by number of the program's scalars */
    int ndeps;
    const void *deps;   /* array of the runtime's event type */
    void *return_event; /* where the runtime's event goes, or NULL */
    /* The library's scratchpad, or NULL. Other executions on the same stream use it too: a runtime whose
     * stream keeps no order must keep them apart, and may use the buffer's state for that. */
    struct buffer *scratchpad;
};

struct runtime {
    const char *name; /* as verbose lines say it: "cpu", "ze", "ocl", "sycl", "null" */

    /* Devices. open fills in index, handles, info and state; close frees the state. */
    dnnl_status_t (*device_count)(dnnl_engine_kind_t kind, size_t *count);
    dnnl_status_t (*device_open)(struct device *device, const struct device_origin *origin);
    void (*device_close)(struct device *device);
    /* Gives back references to a device's handles. NULL slot: handles have none. */
    void (*handles_release)(void *const handles[DEVICE_HANDLES]);

    /* Buffers, of the kind that is asked for. alloc makes at least one byte, aligned to 128, and sets
     * `owned`. free undoes alloc, and adopt too if there is that slot: it frees what is owned and lets go of
     * what adopt has retained; launches that still use the buffer are not disturbed. map gives the host an
     * address that is valid until unmap, with what the device has written: the caller has waited for that. */
    enum buffer_kind buffer_kind; /* what memory objects have unless they are made for another kind */
    dnnl_status_t (*buffer_alloc)(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer);
    void (*buffer_free)(struct device *device, struct buffer *buffer);
    dnnl_status_t (*buffer_map)(struct device *device, struct buffer *buffer, size_t size, void **address);
    dnnl_status_t (*buffer_unmap)(struct device *device, struct buffer *buffer, void *address);
    /* Takes a handle that the user brings, of at least `size` bytes. NULL slot: any pointer will do. */
    dnnl_status_t (*buffer_adopt)(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                  struct buffer *buffer);

    /* Kernels. The handle belongs to the device and lives as long. Called under no lock; must be thread-safe.
     */
    dnnl_status_t (*kernel_load)(struct device *device, const struct kernel *kernel, void **handle);
    /* The runtime's own objects behind a loaded kernel (module may stay NULL), for a runtime built on this
     * one, which has them for good. NULL slot: nothing can be built on this one. */
    dnnl_status_t (*kernel_export)(void *handle, void **module, void **kernel);
    /* Puts a program's parameter blocks where kernels can read them. blocks[i] becomes what launch i passes
     * as its last argument; *handle stands for all of them. NULL slots: the program's own image is used. */
    dnnl_status_t (*params_load)(struct device *device, const struct program *program, void **blocks,
                                 void **handle);
    void (*params_free)(struct device *device, int nblocks, void **blocks, void *handle);

    /* Cache blobs: what the device's compiler made of kernels. NULL slots: dnnl_unimplemented. save writes
     * the programs of these kernels, or of all that were loaded if `kernels` is NULL; with `blob` NULL only
     * *size is written, else *size must be that. restore keeps what fits the device for the loads to come. */
    dnnl_status_t (*kernels_save)(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *blob);
    dnnl_status_t (*kernels_restore)(struct device *device, size_t size, const uint8_t *blob);
    /* Bytes that tell apart devices whose blobs do not fit each other; *size as with kernels_save. */
    dnnl_status_t (*blob_id)(const struct device *device, size_t *size, uint8_t *id);

    /* Streams. open makes the runtime's queue with the user's flags. */
    dnnl_status_t (*stream_open)(struct stream *stream, unsigned flags);
    void (*stream_close)(struct stream *stream);
    dnnl_status_t (*stream_wait)(struct stream *stream);
    /* Is what is executed now only recorded, to run later and again? NULL slot: never. */
    bool (*stream_records)(const struct stream *stream);

    /* Submits every launch of a program, in order, and never waits, allocates or takes a lock that another
     * stream needs. `synchronous` runtimes have finished on return. */
    dnnl_status_t (*execute)(struct stream *stream, const struct execution *execution);
    bool synchronous;

    /* Profiling: entries since the last reset, in ns. NULL: dnnl_invalid_arguments. */
    dnnl_status_t (*profiling_reset)(struct stream *stream);
    dnnl_status_t (*profiling_query)(struct stream *stream, int *count, uint64_t *ns);
    /* The same in cycles of the device's timer. NULL slot: unknown, and users see zeros. */
    dnnl_status_t (*profiling_cycles)(struct stream *stream, int *count, uint64_t *cycles);
};

extern const struct runtime host_runtime;
extern const struct runtime null_runtime;
extern const struct runtime level_zero_runtime;
extern const struct runtime opencl_runtime;
extern const struct runtime sycl_runtime;

#endif
