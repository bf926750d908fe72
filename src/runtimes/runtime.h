/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a runtime: the whole contract between programs and the devices that run them. A runtime
 * knows devices, buffers, kernels, streams and launches; it never knows which primitive it runs.
 *
 * To add a runtime: copy null/, fill in the table, add a row in runtimes.c. A slot that is NULL means "not
 * supported"; its comment says what the caller then does.
 */
#ifndef LODE_RUNTIMES_RUNTIME_H
#define LODE_RUNTIMES_RUNTIME_H

#include "base/counted.h"
#include "kernels/device_info.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "program/program.h"

struct pool_guest;
struct runtime;
struct scratch;

/* How to open a device: by its index among the runtime's devices of a kind, or from the user's handles
 * (device, context, and whatever else the runtime needs), in an order that the runtime defines. */
enum { DEVICE_HANDLES = 3 };
struct device_origin {
    dnnl_engine_kind_t kind;
    size_t index;
    void *handles[DEVICE_HANDLES]; /* if the first is NULL, `index` is used */
    void *objects; /* objects that the runtime has already made from the handles; not compared */
};

/* A device in a context, shared by all engines of the same device and context. */
struct device {
    _Atomic int references; /* number of engines; the last one closes the device */
    const struct runtime *runtime;
    dnnl_engine_kind_t kind;       /* of its engines */
    size_t index;                  /* among the runtime's devices, for verbose lines */
    void *handles[DEVICE_HANDLES]; /* set by device_open; engines with the same handles share the device */
    struct device_info info;
    struct scratch *scratch; /* SCRATCH_SLOTS of them: core/scratchpad.h */
    void *state;             /* private to the runtime */
};

/* Memory of one device. `handle` is what the user sees: an address, or a cl_mem or sycl::buffer. */
enum buffer_kind { BUFFER_NONE, BUFFER_POINTER, BUFFER_OBJECT };
struct buffer {
    enum buffer_kind kind;
    void *handle;
    bool owned;
    void *state; /* private to the runtime, for instance a staging copy while mapped */
};

/* A queue of executions on a device. The caller of stream_open sets device and flags; the runtime sets state.
 */
struct stream {
    struct device *device;
    unsigned flags; /* dnnl_stream_flags_t */
    void *state;    /* private to the runtime */
    const struct pool_guest
            *threads; /* lent by the user, for runtimes that run on the host's threads; or NULL */
};

struct executable;

/* One execution of a program, with its slots and scalars bound. */
struct execution {
    const struct executable *executable;
    struct counted *owner;               /* of the executable: recordings retain it */
    const struct buffer *const *buffers; /* by slot; NULL: no buffer */
    const uint32_t *scalars;             /* by index of the program's scalars */
    int ndeps;
    const void *deps;   /* array of the runtime's event type */
    void *return_event; /* where to store the runtime's event, or NULL */
    /* The library's scratchpad, or NULL. Other executions on the same stream use it too: on an out-of-order
     * stream the runtime must serialise them, and may use the buffer's state for that. */
    struct buffer *scratchpad;
};

struct runtime {
    const char *name; /* in verbose lines: "cpu", "ze", "ocl", "sycl", "null" */

    /* Devices. open fills in index, handles, info and state; close frees the state. */
    dnnl_status_t (*device_count)(dnnl_engine_kind_t kind, size_t *count);
    dnnl_status_t (*device_open)(struct device *device, const struct device_origin *origin);
    void (*device_close)(struct device *device);
    /* Releases references to a device's handles. NULL slot: handles are not counted. */
    void (*handles_release)(void *const handles[DEVICE_HANDLES]);

    /* Buffers of the requested kind. alloc allocates at least one byte, aligned to 128, and sets `owned`.
     * free undoes alloc and adopt: it frees owned memory and releases what adopt retained; launches that
     * still use the buffer are not affected. map returns a host address that is valid until unmap and shows
     * what the device has written; the caller has waited for the device. */
    enum buffer_kind buffer_kind; /* the default kind of memory objects */
    dnnl_status_t (*buffer_alloc)(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer);
    void (*buffer_free)(struct device *device, struct buffer *buffer);
    dnnl_status_t (*buffer_map)(struct device *device, struct buffer *buffer, size_t size, void **address);
    dnnl_status_t (*buffer_unmap)(struct device *device, struct buffer *buffer, void *address);
    /* Uses the user's handle, which must have at least `size` bytes. NULL slot: any pointer is accepted. */
    dnnl_status_t (*buffer_adopt)(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                  struct buffer *buffer);

    /* Kernels. The device owns the handle until it is closed. Called without locks; must be thread-safe.
     */
    dnnl_status_t (*kernel_load)(struct device *device, const struct kernel *kernel, void **handle);
    /* The native objects of a loaded kernel (module may stay NULL), for a runtime built on this one, which
     * may use them as long as the device exists. NULL slot: no runtime can be built on this one. */
    dnnl_status_t (*kernel_export)(void *handle, void **module, void **kernel);
    /* Uploads a program's parameter blocks. blocks[i] becomes the last argument of launch i; *handle is for
     * params_free. NULL slots: the program's own image is used. */
    dnnl_status_t (*params_load)(struct device *device, const struct program *program, void **blocks,
                                 void **handle);
    void (*params_free)(struct device *device, int nblocks, void **blocks, void *handle);

    /* Cache blobs: compiled kernels. NULL slots: dnnl_unimplemented. save writes the programs of these
     * kernels, or of all loaded kernels if `kernels` is NULL; with `blob` NULL it only writes *size, else
     * *size must be that size. restore keeps the binaries for later loads. */
    dnnl_status_t (*kernels_save)(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *blob);
    dnnl_status_t (*kernels_restore)(struct device *device, size_t size, const uint8_t *blob);
    /* Bytes that differ between devices that cannot share blobs; *size as in kernels_save. */
    dnnl_status_t (*blob_id)(const struct device *device, size_t *size, uint8_t *id);

    /* Streams. open creates the runtime's queue with the user's flags. */
    dnnl_status_t (*stream_open)(struct stream *stream, unsigned flags);
    void (*stream_close)(struct stream *stream);
    dnnl_status_t (*stream_wait)(struct stream *stream);
    /* Does the stream currently record executions instead of running them? NULL slot: never. */
    bool (*stream_records)(const struct stream *stream);

    /* Submits every launch of a program, in order. Never waits, allocates or takes a lock that another stream
     * needs. In `synchronous` runtimes the execution is complete on return. */
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
