/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null runtime: accepts every plan and runs nothing. It measures Lode's own overhead and is the template
 * of a new runtime. ONEDNN_CPU_RUNTIME=NULL makes the CPU engine use it.
 */
#include "runtimes/device_class.h"
#include "runtimes/runtime.h"

#include <stdlib.h>

static dnnl_status_t device_count(dnnl_engine_kind_t kind, size_t *count) {
    *count = kind == dnnl_cpu ? 1 : 0;
    return dnnl_success;
}

static dnnl_status_t device_open(struct device *device, const struct device_origin *origin) {
    (void)origin;
    device->info = (struct device_info){.class = device_class_of(true),
                                        .forms = ~0u,
                                        .features = ~0u,
                                        .vector_bytes = 64,
                                        .compute_units = 1,
                                        .largest_group = 1024,
                                        .local_bytes = 65536};
    return dnnl_success;
}

static void device_close(struct device *device) {
    (void)device;
}

static dnnl_status_t buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer) {
    (void)device, (void)kind;
    void *memory = malloc(size ? size : 1);
    if (!memory) return dnnl_out_of_memory;
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = memory, .owned = true};
    return dnnl_success;
}

static void buffer_free(struct device *device, struct buffer *buffer) {
    (void)device;
    free(buffer->handle);
}

static dnnl_status_t buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    (void)device, (void)size;
    *address = buffer->handle;
    return dnnl_success;
}

static dnnl_status_t buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    (void)device, (void)buffer, (void)address;
    return dnnl_success;
}

static dnnl_status_t kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    (void)device;
    *handle = (void *)kernel;
    return dnnl_success;
}

static dnnl_status_t stream_open(struct stream *stream, unsigned flags) {
    (void)stream, (void)flags;
    return dnnl_success;
}

static void stream_close(struct stream *stream) {
    (void)stream;
}

static dnnl_status_t stream_wait(struct stream *stream) {
    (void)stream;
    return dnnl_success;
}

static dnnl_status_t execute(struct stream *stream, const struct execution *execution) {
    (void)stream, (void)execution;
    return dnnl_success;
}

const struct runtime null_runtime = {
        .name = "null",
        .device_count = device_count,
        .device_open = device_open,
        .device_close = device_close,
        .buffer_kind = BUFFER_POINTER,
        .buffer_alloc = buffer_alloc,
        .buffer_free = buffer_free,
        .buffer_map = buffer_map,
        .buffer_unmap = buffer_unmap,
        .kernel_load = kernel_load,
        .stream_open = stream_open,
        .stream_close = stream_close,
        .stream_wait = stream_wait,
        .execute = execute,
        .synchronous = true,
};
