/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the SYCL runtime and its interop functions. A device has two parts: the layer's SYCL objects, and
 * a device of the underlying runtime (OpenCL or Level Zero), which builds the kernels.
 */
#ifndef LODE_RUNTIMES_SYCL_SYCL_H
#define LODE_RUNTIMES_SYCL_SYCL_H

#include "runtimes/executable.h"
#include "runtimes/sycl/layer.h"

#include <pthread.h>

enum { SYCL_DEVICE, SYCL_CONTEXT }; /* identities, in device->handles */

/* An open device of the layer and its native objects; passed as device_origin.objects. */
struct sycl_opened {
    struct sycl_device *device;
    struct sycl_native native;
};
/* Queries the native objects of a device that the layer has created; closes the device on failure. */
dnnl_status_t sycl_query_native(struct sycl_device *device, struct sycl_opened *opened);
void sycl_opened_close(const struct sycl_opened *opened);

struct sycl_state {
    struct sycl_opened opened;
    struct device under; /* the underlying device; private, not shared between engines */
    pthread_mutex_t lock;
    struct sycl_made_kernel *kernels;
};

static inline struct sycl_state *sycl_state(const struct device *device) {
    return device->state;
}

/* The layer, opened on first use; NULL, with a verbose line, if something is missing. Code that has a SYCL
 * object may use it without a check. */
const struct sycl_layer *sycl_layer(void);

/* Passes on a status of the layer, with its reason. */
#define sycl_fail(status, component) fail(status, component, "SYCL: %s", sycl_layer()->error())

/* Slots of the runtime: buffers.c */
dnnl_status_t sycl_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                struct buffer *buffer);
void sycl_buffer_free(struct device *device, struct buffer *buffer);
dnnl_status_t sycl_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address);
dnnl_status_t sycl_buffer_unmap(struct device *device, struct buffer *buffer, void *address);
dnnl_status_t sycl_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                struct buffer *buffer);
dnnl_status_t sycl_params_load(struct device *device, const struct program *program, void **blocks,
                               void **handle);
void sycl_params_free(struct device *device, int nblocks, void **blocks, void *handle);

/* Creates a stream's state for the user's queue; sets the stream's flags. */
dnnl_status_t sycl_stream_adopt(struct stream *stream, const void *queue);

#endif
