/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the Level Zero runtime. The user's handles (context, command list, memory) are
 * borrowed: nothing here destroys them.
 */
#ifndef LODE_RUNTIMES_LEVEL_ZERO_LEVEL_ZERO_H
#define LODE_RUNTIMES_LEVEL_ZERO_LEVEL_ZERO_H

#include "base/slots.h"
#include "runtimes/executable.h"
#include "runtimes/binaries.h"
#include "runtimes/level_zero/events.h"
#include "runtimes/level_zero/loader.h"

#include <pthread.h>

/* The order of a device's native handles in struct device and struct device_origin. */
enum { HANDLE_DEVICE, HANDLE_CONTEXT, HANDLE_DRIVER };

/* device->state: a device in a context. */
struct lz_device {
    const struct found_driver *driver;
    const struct level_zero *ze; /* of the driver */
    ze_device_handle_t device;
    ze_context_handle_t context;
    bool owns_context;
    bool native;        /* the embedded driver: native modules; its memory is the host's own */
    bool system_memory; /* kernels may access any host memory */
    uint32_t ordinal;   /* of a compute queue group */
    uint32_t free_policy;
    uint64_t timer_hertz, timer_mask; /* of kernel timestamps */
    uint64_t largest_allocation;

    _Atomic uint64_t retirements; /* the clock of retire.c */

    char *key;           /* differs between devices that cannot share binaries */
    const char *options; /* for building modules */
    pthread_mutex_t programs_lock;
    struct lz_module *modules;
    struct lz_kernel *kernels;
    struct binaries binaries; /* from cache blobs */

    pthread_mutex_t lock; /* guards everything below */
    struct lz_slab *slabs;
    struct lz_retired *retired;
    struct lz_stream *streams;
    ze_command_list_handle_t copies; /* a synchronous list, created on first use */
};

/* One image: the native module of a family or the SPIR-V of a kernel. */
struct lz_module {
    struct lz_module *next;
    const struct kernel *kernel; /* the first that was requested */
    const void *image;
    ze_module_handle_t handle;
};

/* A kernel's arguments are state of its handle, so a launch needs a handle of its own from setting the first
 * argument to the append. */
struct lz_instance {
    struct slot slot; /* first */
    ze_kernel_handle_t handle;
    uint32_t group_size[3]; /* last set; initially zeros */
};

/* A resource that is freed once every stream has finished its earlier work: retire.c. */
typedef void (*lz_retired_end)(struct lz_device *device, void *what);
struct lz_retired {
    struct lz_retired *next; /* the one retired before this */
    uint64_t time;
    lz_retired_end end; /* called with the device locked */
    void *what;
    bool allocated; /* the note itself was allocated */
};

/* How the commands of a stream are kept in order. */
enum lz_order {
    ORDER_LIST,     /* the list is in-order */
    ORDER_BARRIERS, /* the stream is in-order, the list is not: a barrier before every launch */
    ORDER_EVENTS,   /* an out-of-order stream: only the launches of one execution are chained, by events */
};

/* stream->state. */
struct lz_stream {
    pthread_mutex_t lock; /* two threads must not append to a list at once */
    struct lz_device *device;
    ze_command_list_handle_t list;
    ze_command_list_handle_t newer_list; /* the list's handle for the functions in `newer` */
    bool owned, immediate, profiling;
    enum lz_order order;
    struct lz_stream *next; /* of the same device */
    /* Executions submitted, those known to be complete, and the device's clock when that became known.
     */
    _Atomic uint64_t submitted, completed, completed_at;
    struct lz_events events;
    struct lz_event *scratch_user; /* ORDER_EVENTS: the last execution that uses the stream's scratchpad */

    /* If the user destroyed the stream while commands were in flight: the last event, and ours after it. */
    struct lz_event *last, *end;
    struct lz_retired retired;

    /* Owners of the executions recorded on a regular list, which may run as long as the stream exists. */
    struct counted_list kept;
    /* Executions that can be updated: those on a mutable list that returned an event to the user. */
    struct lz_recorded *recorded;
    uint64_t last_number;         /* the last command number */
    ze_result_t numbering_result; /* of the last request for a command number */

    /* Profiling: the sum of the kernel times of each execution since the last reset, as far as known. */
    uint64_t *ticks;
    int entries, capacity;
};

static inline struct lz_device *lz_device_of(const struct device *device) {
    return device->state;
}
static inline struct lz_stream *lz_stream_of(const struct stream *stream) {
    return stream->state;
}

/* devices.c */
dnnl_status_t lz_device_count(dnnl_engine_kind_t kind, size_t *count);
dnnl_status_t lz_device_open(struct device *device, const struct device_origin *origin);
void lz_device_close(struct device *device);
/* Finds the driver of a device handle from the user. */
dnnl_status_t lz_check_device(ze_driver_handle_t driver, ze_device_handle_t device,
                              const struct found_driver **found);

/* buffers.c */
dnnl_status_t lz_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                              struct buffer *buffer);
void lz_buffer_free(struct device *device, struct buffer *buffer);
dnnl_status_t lz_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address);
dnnl_status_t lz_buffer_unmap(struct device *device, struct buffer *buffer, void *address);
dnnl_status_t lz_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                              struct buffer *buffer);
/* Allocates and frees device memory. Commands in flight may still use freed memory if the driver supports it.
 */
ze_result_t lz_alloc(const struct lz_device *device, size_t size, void **pointer);
void lz_free(const struct lz_device *device, void *pointer);
/* Copies, and waits for the copy. */
dnnl_status_t lz_copy(struct lz_device *device, void *dst, const void *src, size_t size);

/* params.c */
dnnl_status_t lz_params_load(struct device *device, const struct program *program, void **blocks,
                             void **handle);
void lz_params_free(struct device *device, int nblocks, void **blocks, void *handle);
void lz_params_free_all(struct lz_device *device);

/* retire.c. Calls `end` for `what` when no stream can use it any more: now or later, but before the device is
 * closed. */
void lz_retire(struct lz_device *device, lz_retired_end end, void *what);
/* The same, with a note from the caller. */
void lz_retire_with(struct lz_device *device, struct lz_retired *note);
/* Frees everything that no stream uses any more. */
void lz_retire_pending(struct lz_device *device);

/* programs.c, binaries.c */
dnnl_status_t lz_programs_open(struct lz_device *device, const struct device_info *info);
void lz_programs_close(struct lz_device *device);
dnnl_status_t lz_kernel_load(struct device *device, const struct kernel *kernel, void **handle);
/* The module, and a kernel handle that is never given back. */
dnnl_status_t lz_kernel_export(void *handle, void **module, void **kernel);
/* The key of a device; the caller frees it. */
char *lz_device_key(const struct found_driver *driver, ze_device_handle_t device);
dnnl_status_t lz_kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                              size_t *size, uint8_t *blob);
dnnl_status_t lz_kernels_restore(struct device *device, size_t size, const uint8_t *blob);
dnnl_status_t lz_blob_id(const struct device *device, size_t *size, uint8_t *id);
/* The same for handles from the user, which are checked. */
dnnl_status_t lz_blob_id_of(ze_driver_handle_t driver, ze_device_handle_t device, size_t *size, uint8_t *id);
/* The binary of a module; the caller frees it. NULL: out of memory, or the driver returns none. */
void *lz_module_binary(const struct lz_device *device, ze_module_handle_t module, size_t *size);
/* A handle whose arguments no other thread changes until it is given back to its slots. A new one is created
 * only if all are taken. NULL: `result` says why. */
struct lz_instance *lz_kernel_take(struct lz_kernel *kernel, ze_result_t *result);

/* streams.c */
dnnl_status_t lz_stream_open(struct stream *stream, unsigned flags);
dnnl_status_t lz_stream_open_on(struct stream *stream, ze_command_list_handle_t list);
void lz_stream_close(struct stream *stream);
dnnl_status_t lz_stream_wait(struct stream *stream);
bool lz_stream_records(const struct stream *stream);
/* The latest time on the device's clock up to which all of the stream's work is known to be complete. Does
 * not wait. */
uint64_t lz_stream_finished(struct lz_stream *stream);
/* For a destroyed stream: waits briefly for running commands, not for those held back by an event. True: all
 * are complete. */
bool lz_stream_settle(struct lz_stream *stream);
/* For a destroyed stream: waits until all commands are complete. */
void lz_stream_join(struct lz_stream *stream);

/* execute.c */
dnnl_status_t lz_execute(struct stream *stream, const struct execution *execution);

/* update.c. Records an execution and its commands, one by one, in the order of the launches. The caller holds
 * the stream's lock. NULL: the list is not mutable, or out of memory. */
struct lz_recorded *lz_record_begin(struct lz_stream *stream, const struct execution *execution);
/* Call before a launch is appended. False: this execution cannot be updated. */
bool lz_record_launch(struct lz_stream *stream, struct lz_recorded *recorded, struct cursor at);
/* Ends the recording of an execution that returns this event. */
void lz_record_end(struct lz_stream *stream, struct lz_recorded *recorded, ze_event_handle_t event);
void lz_record_free_all(struct lz_stream *stream);
/* The owner of the recorded execution that returned this event; retained. */
dnnl_status_t lz_stream_recorded(struct stream *stream, ze_event_handle_t event, struct counted **owner);
/* Changes buffers (by slot) and scalars (by number) of a recorded execution; NULL: unchanged. */
dnnl_status_t lz_stream_update(struct stream *stream, ze_event_handle_t event,
                               const struct buffer *const *buffers, const uint32_t *const *scalars);

/* profile.c. The caller holds the stream's lock. A new entry, and the time of an event that will be reused.
 */
bool lz_profile_entry(struct lz_stream *stream, int *entry);
void lz_profile_collect(struct lz_stream *stream, struct lz_event *event);
dnnl_status_t lz_profiling_reset(struct stream *stream);
dnnl_status_t lz_profiling_query(struct stream *stream, int *count, uint64_t *ns);
dnnl_status_t lz_profiling_cycles(struct stream *stream, int *count, uint64_t *cycles);

#endif
