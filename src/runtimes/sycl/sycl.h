/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the SYCL runtime shares with its interoperability functions. A device has two faces: the layer's
 * objects, which speak SYCL, and a device of the runtime underneath (OpenCL or Level Zero), which builds the
 * kernels.
 */
#ifndef LODE_RUNTIMES_SYCL_SYCL_H
#define LODE_RUNTIMES_SYCL_SYCL_H

#include "runtimes/executable.h"
#include "runtimes/sycl/layer.h"

#include <pthread.h>

enum { SYCL_DEVICE, SYCL_CONTEXT }; /* identities, in device->handles */

/* A device of the layer that is open, with what is under it: device_origin's objects. */
struct sycl_opened {
    struct sycl_device *device;
    struct sycl_native native;
};
/* Looks under a device that the layer has made; closes that if it fails. */
dnnl_status_t sycl_look_under(struct sycl_device *device, struct sycl_opened *opened);
void sycl_opened_close(const struct sycl_opened *opened);

struct sycl_state {
    struct sycl_opened opened;
    struct device under; /* private to this device: not among those that engines share */
    pthread_mutex_t lock;
    struct sycl_made_kernel *kernels;
};

static inline struct sycl_state *sycl_state(const struct device *device) {
    return device->state;
}

/* The layer, opened on first use; NULL, with a verbose line that says what is missing. Whoever has an object
 * of SYCL's may use it as it is. */
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

/* Makes a stream's state around a queue of the user's; sets the stream's flags. */
dnnl_status_t sycl_stream_adopt(struct stream *stream, const void *queue);

#endif
