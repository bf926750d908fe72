/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SYCL runtime. Queues, memory and submission are SYCL's, through the layer; kernels are built by the
 * runtime underneath and handed to SYCL as native objects.
 */
#include "runtimes/sycl/sycl.h"
#include "core/verbose.h"

#include <stdlib.h>
#include <string.h>

/* Devices */

static dnnl_status_t device_count(dnnl_engine_kind_t kind, size_t *count) {
    const struct sycl_layer *layer = sycl_layer();
    *count = 0;
    return layer ? layer->device_count(kind == dnnl_cpu, count) : dnnl_runtime_error;
}

static const struct runtime *runtime_under(enum sycl_backend backend) {
    return backend == SYCL_OPENCL ? &opencl_runtime : &level_zero_runtime;
}

static dnnl_status_t open_under(struct sycl_state *s) {
    const struct runtime *runtime = runtime_under(s->native.backend);
    if (!runtime || !runtime->kernel_export)
        return fail(dnnl_unimplemented, "sycl", "the device's backend is not in this build");
    struct device_origin origin = {.kind = dnnl_gpu};
    origin.handles[0] = s->native.device; /* device, context, driver: the order of both runtimes */
    origin.handles[1] = s->native.context;
    origin.handles[2] = s->native.driver;
    s->under.runtime = runtime;
    return runtime->device_open(&s->under, &origin);
}

/* Takes over `sycl` on success. */
static dnnl_status_t open_around(struct device *device, struct sycl_device *sycl) {
    struct sycl_state *s = calloc(1, sizeof *s);
    if (!s) return dnnl_out_of_memory;
    s->device = sycl;
    dnnl_status_t status = sycl_layer()->device_native(sycl, &s->native);
    if (status != dnnl_success) sycl_fail(status, "engine");
    if (status == dnnl_success) status = open_under(s);
    if (status != dnnl_success) {
        free(s);
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    device->handles[SYCL_NATIVE_DEVICE] = s->native.device;
    device->handles[SYCL_NATIVE_CONTEXT] = s->native.context;
    device->info = s->under.info;
    device->state = s;
    return dnnl_success;
}

static dnnl_status_t device_open(struct device *device, const struct device_origin *origin) {
    const struct sycl_layer *layer = sycl_layer();
    if (!layer) return dnnl_runtime_error;
    if (origin->handles[0]) return open_around(device, origin->objects);
    struct sycl_device *made;
    device->index = origin->index;
    dnnl_status_t status = layer->device_open(origin->kind == dnnl_cpu, origin->index, &made);
    if (status != dnnl_success) return sycl_fail(status, "engine");
    status = open_around(device, made);
    if (status != dnnl_success) layer->device_close(made);
    return status;
}

/* Kernels: one SYCL kernel for each of ours. SYCL itself keeps threads apart that submit the same one. */

struct sycl_made_kernel {
    struct sycl_made_kernel *next;
    const struct kernel *kernel;
    struct sycl_kernel *made;
};

static void device_close(struct device *device) {
    struct sycl_state *s = sycl_state(device);
    for (struct sycl_made_kernel *k = s->kernels, *next; k; k = next) {
        next = k->next;
        sycl_layer()->kernel_free(k->made);
        free(k);
    }
    s->under.runtime->device_close(&s->under);
    sycl_layer()->device_close(s->device);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static dnnl_status_t native_kernel(struct sycl_state *s, const struct kernel *kernel,
                                   struct sycl_native_kernel *native) {
    void *handle;
    dnnl_status_t status = s->under.runtime->kernel_load(&s->under, kernel, &handle);
    if (status != dnnl_success) return status;
    return s->under.runtime->kernel_export(handle, &native->module, &native->kernel);
}

static dnnl_status_t make_kernel(struct sycl_state *s, const struct kernel *kernel,
                                 struct sycl_kernel **made) {
    struct sycl_native_kernel native = {0};
    dnnl_status_t status = native_kernel(s, kernel, &native);
    if (status != dnnl_success) return status;
    status = sycl_layer()->kernel_make(s->device, &native, made);
    return status == dnnl_success ? status : sycl_fail(status, kernel->name);
}

static dnnl_status_t load_locked(struct sycl_state *s, const struct kernel *kernel, void **handle) {
    struct sycl_made_kernel *k = s->kernels;
    while (k && k->kernel != kernel)
        k = k->next;
    if (!k) {
        k = calloc(1, sizeof *k);
        if (!k) return dnnl_out_of_memory;
        dnnl_status_t status = make_kernel(s, kernel, &k->made);
        if (status != dnnl_success) {
            free(k);
            return status;
        }
        k->kernel = kernel;
        k->next = s->kernels;
        s->kernels = k;
    }
    *handle = k->made;
    return dnnl_success;
}

static dnnl_status_t kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    struct sycl_state *s = sycl_state(device);
    pthread_mutex_lock(&s->lock);
    dnnl_status_t status = load_locked(s, kernel, handle);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static dnnl_status_t params_load(struct device *device, const void *params, size_t size, void **handle) {
    dnnl_status_t status = sycl_layer()->usm_alloc(sycl_state(device)->device, size, handle);
    if (status != dnnl_success) return sycl_fail(status, "sycl");
    memcpy(*handle, params, size);
    return dnnl_success;
}

static void params_free(struct device *device, void *handle) {
    sycl_layer()->usm_free(sycl_state(device)->device, handle);
}

/* Buffers */

static dnnl_status_t buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer) {
    const struct sycl_layer *layer = sycl_layer();
    void *handle;
    dnnl_status_t status = kind == BUFFER_POINTER
                                   ? layer->usm_alloc(sycl_state(device)->device, size, &handle)
                                   : layer->buffer_make(size, &handle);
    if (status != dnnl_success) return sycl_fail(status, "memory");
    *buffer = (struct buffer){.kind = kind, .handle = handle, .owned = true};
    return dnnl_success;
}

/* The layer's own copy of a buffer object goes either way. */
static void buffer_free(struct device *device, struct buffer *buffer) {
    if (buffer->kind == BUFFER_OBJECT)
        sycl_layer()->buffer_free(buffer->handle);
    else if (buffer->owned)
        sycl_layer()->usm_free(sycl_state(device)->device, buffer->handle);
}

static dnnl_status_t buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                  struct buffer *buffer) {
    *buffer = (struct buffer){.kind = kind, .handle = handle};
    if (kind == BUFFER_OBJECT) {
        dnnl_status_t status = sycl_layer()->buffer_copy(handle, size, &buffer->handle);
        return status == dnnl_success ? status : sycl_fail(status, "memory");
    }
    if (sycl_layer()->usm_usable(sycl_state(device)->device, handle)) return dnnl_success;
    return fail(dnnl_invalid_arguments, "memory", "the pointer is not USM of the engine's context");
}

/* Where the host cannot look: a copy that is written back. */
struct staging {
    size_t size;
    unsigned char bytes[];
};

static dnnl_status_t map_device_usm(struct device *device, struct buffer *buffer, size_t size,
                                    void **address) {
    struct staging *staging = malloc(sizeof *staging + size);
    if (!staging) return dnnl_out_of_memory;
    staging->size = size;
    dnnl_status_t status =
            sycl_layer()->usm_copy(sycl_state(device)->device, staging->bytes, buffer->handle, size);
    if (status != dnnl_success) {
        free(staging);
        return sycl_fail(status, "memory");
    }
    buffer->state = staging;
    *address = staging->bytes;
    return dnnl_success;
}

static dnnl_status_t buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    const struct sycl_layer *layer = sycl_layer();
    if (buffer->kind == BUFFER_OBJECT) {
        dnnl_status_t status = layer->buffer_map(buffer->handle, &buffer->state, address);
        return status == dnnl_success ? status : sycl_fail(status, "memory");
    }
    if (!layer->usm_on_host(sycl_state(device)->device, buffer->handle))
        return map_device_usm(device, buffer, size, address);
    *address = buffer->handle;
    return dnnl_success;
}

static dnnl_status_t buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    const struct sycl_layer *layer = sycl_layer();
    (void)address;
    void *state = buffer->state;
    buffer->state = NULL;
    if (!state) return dnnl_success;
    if (buffer->kind == BUFFER_OBJECT) {
        layer->buffer_unmap(state);
        return dnnl_success;
    }
    struct staging *staging = state;
    dnnl_status_t status =
            layer->usm_copy(sycl_state(device)->device, buffer->handle, staging->bytes, staging->size);
    free(staging);
    return status == dnnl_success ? status : sycl_fail(status, "memory");
}

/* Streams */

static dnnl_status_t stream_open(struct dnnl_stream *stream, unsigned flags) {
    struct sycl_queue *queue;
    dnnl_status_t status = sycl_layer()->queue_open(sycl_state(stream->engine->device)->device,
                                                    !(flags & dnnl_stream_out_of_order),
                                                    (flags & dnnl_stream_profiling) != 0, &queue);
    if (status != dnnl_success) return sycl_fail(status, "stream");
    stream->state = queue;
    return dnnl_success;
}

dnnl_status_t sycl_stream_adopt(struct dnnl_stream *stream, const void *user) {
    int in_order, profiling;
    struct sycl_queue *queue;
    dnnl_status_t status = sycl_layer()->queue_adopt(sycl_state(stream->engine->device)->device, user,
                                                     &in_order, &profiling, &queue);
    if (status != dnnl_success) return sycl_fail(status, "stream");
    stream->flags = in_order ? dnnl_stream_in_order : dnnl_stream_out_of_order;
    if (profiling) stream->flags |= dnnl_stream_profiling;
    stream->state = queue;
    return dnnl_success;
}

static void stream_close(struct dnnl_stream *stream) {
    sycl_layer()->queue_close(stream->state);
}

static dnnl_status_t stream_wait(struct dnnl_stream *stream) {
    dnnl_status_t status = sycl_layer()->queue_wait(stream->state);
    return status == dnnl_success ? status : sycl_fail(status, "stream");
}

/* Execution */

static int fill_args(const struct execution *e, int i, struct sycl_arg *args) {
    const struct launch *launch = &e->plan->launches[i];
    int n = 0;
    for (int b = 0; b < launch->nbuffers; b++) {
        const struct buffer *buffer = e->buffers[i][b];
        bool object = buffer && buffer->kind == BUFFER_OBJECT;
        args[n].kind = object ? SYCL_ARG_BUFFER : SYCL_ARG_POINTER;
        args[n++].pointer = buffer ? buffer->handle : NULL;
    }
    if (launch->kernel->scalars) {
        args[n].kind = SYCL_ARG_SCALARS;
        memcpy(args[n++].scalars, e->scalars[i], sizeof args->scalars);
    }
    args[n].kind = SYCL_ARG_POINTER;
    args[n++].pointer = e->plan->params[i];
    return n;
}

static bool is_empty(const struct range *range) {
    return range->groups[0] == 0 || range->groups[1] == 0 || range->groups[2] == 0;
}

static dnnl_status_t execute(struct dnnl_stream *stream, const struct execution *e) {
    struct sycl_arg args[PLAN_MAX_LAUNCHES][SYCL_MAX_ARGS];
    struct sycl_launch launches[PLAN_MAX_LAUNCHES];
    int n = 0;
    for (int i = 0; i < e->plan->nlaunches; i++) {
        const struct range *range = &e->plan->launches[i].range;
        if (is_empty(range)) continue;
        launches[n] = (struct sycl_launch){
                .kernel = e->plan->kernels[i],
                .groups = {range->groups[0], range->groups[1], range->groups[2]},
                .group_size = {range->group_size[0], range->group_size[1], range->group_size[2]},
                .nargs = fill_args(e, i, args[n]),
                .args = args[n]};
        n++;
    }
    void **chain = e->scratchpad ? &e->scratchpad->state : NULL;
    dnnl_status_t status = sycl_layer()->submit(stream->state, n, launches, e->deps, e->return_event, chain);
    return status == dnnl_success ? status : sycl_fail(status, "primitive");
}

static dnnl_status_t profiling_reset(struct dnnl_stream *stream) {
    return sycl_layer()->profiling_reset(stream->state);
}

static dnnl_status_t profiling_query(struct dnnl_stream *stream, int *count, uint64_t *ns) {
    dnnl_status_t status = sycl_layer()->profiling_query(stream->state, count, ns);
    return status == dnnl_success ? status : sycl_fail(status, "profiling");
}

const struct runtime sycl_runtime = {
        .name = "sycl",
        .kind = DNNL_RUNTIME_SYCL,
        .device_count = device_count,
        .device_open = device_open,
        .device_close = device_close,
        .buffer_kind = BUFFER_POINTER,
        .buffer_alloc = buffer_alloc,
        .buffer_free = buffer_free,
        .buffer_map = buffer_map,
        .buffer_unmap = buffer_unmap,
        .buffer_adopt = buffer_adopt,
        .kernel_load = kernel_load,
        .params_load = params_load,
        .params_free = params_free,
        .stream_open = stream_open,
        .stream_close = stream_close,
        .stream_wait = stream_wait,
        .execute = execute,
        .profiling_reset = profiling_reset,
        .profiling_query = profiling_query,
};
