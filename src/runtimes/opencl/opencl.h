/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the OpenCL runtime and its interop functions (api/ocl_interop.c). A device's handles
 * are its cl_device_id and its cl_context; both are retained while it is open.
 */
#ifndef LODE_RUNTIMES_OPENCL_OPENCL_H
#define LODE_RUNTIMES_OPENCL_OPENCL_H

#include "base/slots.h"
#include "runtimes/executable.h"
#include "runtimes/binaries.h"
#include "runtimes/opencl/loader.h"

#include <pthread.h>

enum { OPENCL_DEVICE, OPENCL_CONTEXT }; /* indices into device->handles */

/* The arguments of a cl_kernel are state of the object, so a launch needs a cl_kernel of its own from setting
 * the first argument to the submission. A recorded launch needs it as long as the recording exists: PoCL 3.1
 * reads the arguments when the command buffer runs. */
struct opencl_instance {
    struct slot slot;
    struct opencl_instance *recorded_before;
    cl_kernel kernel;
};
struct opencl_kernel {
    struct opencl_kernel *next;
    const struct kernel *kernel;
    pthread_mutex_t lock; /* held while the program is built */
    cl_program program;   /* of this kernel alone; NULL: not built yet */
    struct slots instances;
};

struct opencl_device {
    cl_device_id device;
    cl_context context;
    cl_command_queue service; /* in-order: for maps and copies outside streams */
    bool is_cpu;              /* whatever class it reports */
    bool has_usm, system_usm; /* system: kernels may access any host memory */
    struct usm_entries usm;
    bool has_command_buffers;
    struct command_buffer_entries commands;

    const char *options;  /* for building programs */
    char *key;            /* names platform, driver and device: programs.c */
    pthread_mutex_t lock; /* guards the lists */
    struct opencl_kernel *kernels;
    struct binaries binaries;
};

struct opencl_profile;
struct opencl_stream {
    cl_command_queue queue; /* retained */
    bool out_of_order;      /* the queue is */
    bool returns_events;    /* to users who request them */
    bool polls;             /* does not wait inside the driver while our work is running */
    /* For an out-of-order queue: events that cover all executions so far, except some that have completed.
     * The lock guards them and the last uses of scratchpads. */
    pthread_mutex_t lock;
    int nevents, room;
    cl_event *events;
    struct opencl_profile *profile; /* NULL: no profiling */
    /* For a recording stream: the user's command buffer, retained, and the objects that its commands use. If
     * its queue is out-of-order, each command waits for the sync point of the previous one. */
    cl_command_buffer_khr record; /* NULL: the stream executes */
    bool record_in_order;
    struct opencl_instance *recorded; /* the last of the list */
    cl_sync_point_khr last_point;
    struct counted_list kept; /* owners of recorded executions */
};

static inline struct opencl_device *opencl_device(const struct device *device) {
    return device->state;
}

/* Queries: devices.c */
dnnl_status_t opencl_device_count(dnnl_engine_kind_t kind, size_t *count);
dnnl_status_t opencl_device_open(struct device *device, const struct device_origin *origin);
void opencl_device_close(struct device *device);
void opencl_handles_release(void *const *handles);
/* A string property of a device; the caller frees it. NULL: out of memory or no such property. */
char *opencl_device_string(cl_device_id device, cl_device_info property);
bool opencl_device_has(cl_device_id device, const char *extension);
bool opencl_takes_spirv(cl_device_id device);

/* Programs, kernels and their binaries: programs.c, binaries.c */
dnnl_status_t opencl_programs_open(struct opencl_device *device);
void opencl_programs_close(struct opencl_device *device);
dnnl_status_t opencl_kernel_load(struct device *device, const struct kernel *kernel, void **handle);
dnnl_status_t opencl_kernel_export(void *handle, void **module, void **kernel);
/* A cl_kernel that no other thread uses until it is given back to its slots; NULL: out of memory. */
struct opencl_instance *opencl_kernel_take(struct opencl_kernel *kernel);
/* A key that differs between devices that cannot share binaries; the caller frees it. */
char *opencl_device_key(cl_device_id device);
/* The binary of a kernel's program, or NULL; the caller frees it. */
void *opencl_kernel_binary(const struct opencl_device *device, const struct opencl_kernel *kernel,
                           size_t *size);
dnnl_status_t opencl_kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *blob);
dnnl_status_t opencl_kernels_restore(struct device *device, size_t size, const uint8_t *blob);
dnnl_status_t opencl_blob_id(const struct device *device, size_t *size, uint8_t *id);

/* Buffers: buffers.c */
dnnl_status_t opencl_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer);
void opencl_buffer_free(struct device *device, struct buffer *buffer);
dnnl_status_t opencl_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address);
dnnl_status_t opencl_buffer_unmap(struct device *device, struct buffer *buffer, void *address);
dnnl_status_t opencl_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                  struct buffer *buffer);
dnnl_status_t opencl_params_load(struct device *device, const struct program *program, void **blocks,
                                 void **handle);
void opencl_params_free(struct device *device, int nblocks, void **blocks, void *handle);

/* Streams: streams.c */
dnnl_status_t opencl_stream_open(struct stream *stream, unsigned flags);
/* The same with the user's queue, which is retained; sets the stream's flags. */
dnnl_status_t opencl_stream_adopt(struct stream *stream, cl_command_queue queue);
/* A stream that records into the user's command buffer, which was created for that queue; both are retained.
 */
dnnl_status_t opencl_stream_record(struct stream *stream, cl_command_queue queue,
                                   cl_command_buffer_khr buffer);
void opencl_stream_close(struct stream *stream);
dnnl_status_t opencl_stream_wait(struct stream *stream);
bool opencl_stream_records(const struct stream *stream);
/* The caller holds the stream's lock. First make room for one more event; then add it, or let it replace all
 * others if it waits for them. */
bool opencl_stream_make_room(struct opencl_stream *s);
void opencl_stream_remember(struct opencl_stream *s, cl_event event, bool after_all);
void opencl_release_events(int count, const cl_event *events);

/* Execution: execute.c */
dnnl_status_t opencl_execute(struct stream *stream, const struct execution *execution);

/* Profiling: profile.c. record takes ownership of one reference to each event. */
struct opencl_profile *opencl_profile_open(void);
void opencl_profile_close(struct opencl_profile *profile);
void opencl_profile_record(struct opencl_profile *profile, int nevents, const cl_event *events);
bool opencl_event_completed(cl_event event); /* or failed */
dnnl_status_t opencl_profiling_reset(struct stream *stream);
dnnl_status_t opencl_profiling_query(struct stream *stream, int *count, uint64_t *ns);

#endif
