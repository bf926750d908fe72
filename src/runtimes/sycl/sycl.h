/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the SYCL runtime shares with its interoperability functions. A device has two faces: the layer's
 * objects, which speak SYCL, and a device of the runtime underneath (OpenCL or Level Zero), which builds the
 * kernels.
 */
#ifndef LODE_RUNTIMES_SYCL_SYCL_H
#define LODE_RUNTIMES_SYCL_SYCL_H

#include "core/objects.h"
#include "runtimes/sycl/layer.h"

enum { SYCL_NATIVE_DEVICE, SYCL_NATIVE_CONTEXT }; /* places in device->handles */

struct sycl_state {
    struct sycl_device *device; /* owned */
    struct sycl_native native;
    struct device under; /* private to this device: not among those that engines share */
    pthread_mutex_t lock;
    struct sycl_made_kernel *kernels;
};

static inline struct sycl_state *sycl_state(const struct device *device) {
    return device->state;
}

/* The layer, opened on first use; NULL, with a verbose line that says what is missing. */
const struct sycl_layer *sycl_layer(void);

/* Passes on a status of the layer, with its reason. */
#define sycl_fail(status, component) fail(status, component, "SYCL: %s", sycl_layer()->error())

/* Makes a stream's state around a queue of the user's; sets the stream's flags. */
dnnl_status_t sycl_stream_adopt(struct dnnl_stream *stream, const void *queue);

#endif
