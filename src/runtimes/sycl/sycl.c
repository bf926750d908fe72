/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SYCL runtime. Queues, memory and submission are SYCL's, through the layer; the underlying runtime
 * builds kernels and passes them to SYCL as native objects.
 */
#include "runtimes/sycl/sycl.h"
#include "base/verbose.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(SYCL_SCALARS * sizeof(uint32_t) == sizeof(struct scalars), "scalars of a launch");
_Static_assert((int)SYCL_MAX_ARGS >= LAUNCH_MAX_BUFFERS + 2, "buffers, scalars and parameters");

/* Devices */

static dnnl_status_t device_count(dnnl_engine_kind_t kind, size_t *count) {
    const struct sycl_layer *layer = sycl_layer();
    *count = 0;
    if (!layer) return dnnl_runtime_error;
    dnnl_status_t status = layer->device_count(kind == dnnl_cpu, count);
    return status == dnnl_success ? status : sycl_fail(status, "engine");
}

static const struct runtime *runtime_under(const struct sycl_native *native) {
    return native->backend == SYCL_OPENCL ? &opencl_runtime : &level_zero_runtime;
}

dnnl_status_t sycl_query_native(struct sycl_device *device, struct sycl_opened *opened) {
    opened->device = device;
    dnnl_status_t status = sycl_layer()->device_native(device, &opened->native);
    if (status == dnnl_success) return status;
    sycl_layer()->device_close(device);
    return sycl_fail(status, "engine");
}

void sycl_opened_close(const struct sycl_opened *opened) {
    const struct runtime *under = runtime_under(&opened->native);
    if (under && under->handles_release) under->handles_release(opened->native.handles);
    sycl_layer()->device_close(opened->device);
}

static dnnl_status_t open_under(struct sycl_state *s) {
    const struct runtime *runtime = runtime_under(&s->opened.native);
    if (!runtime || !runtime->kernel_export)
        return fail(dnnl_unimplemented, "sycl", "the device's backend is not in this build");
    struct device_origin origin = {.kind = dnnl_gpu};
    memcpy(origin.handles, s->opened.native.handles, sizeof origin.handles);
    s->under.runtime = runtime;
    return runtime->device_open(&s->under, &origin);
}

/* Takes ownership of `opened` on success. */
static dnnl_status_t open_around(struct device *device, const struct sycl_opened *opened) {
    struct sycl_state *s = calloc(1, sizeof *s);
    if (!s) return dnnl_out_of_memory;
    s->opened = *opened;
    dnnl_status_t status = open_under(s);
    if (status != dnnl_success) {
        free(s);
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    device->handles[SYCL_DEVICE] = opened->native.device_identity;
    device->handles[SYCL_CONTEXT] = opened->native.context_identity;
    device->info = s->under.info;
    device->info.backend =
            opened->native.backend == SYCL_OPENCL ? "SYCL with OpenCL" : "SYCL with Level Zero";
    device->state = s;
    return dnnl_success;
}

static dnnl_status_t device_open(struct device *device, const struct device_origin *origin) {
    const struct sycl_layer *layer = sycl_layer();
    if (!layer) return dnnl_runtime_error;
    if (origin->handles[0]) return open_around(device, origin->objects);
    struct sycl_device *made;
    struct sycl_opened opened;
    device->index = origin->index;
    dnnl_status_t status = layer->device_open(origin->kind == dnnl_cpu, origin->index, &made);
    if (status != dnnl_success) return sycl_fail(status, "engine");
    status = sycl_query_native(made, &opened);
    if (status != dnnl_success) return status;
    status = open_around(device, &opened);
    if (status != dnnl_success) sycl_opened_close(&opened);
    return status;
}

/* Kernels: one SYCL kernel for each of ours. SYCL allows several threads to submit the same one. */

struct sycl_made_kernel {
    struct sycl_made_kernel *next;
    const struct kernel *kernel;
    struct sycl_kernel *made;
};

static void close_now(void *state) {
    struct sycl_state *s = state;
    for (struct sycl_made_kernel *k = s->kernels, *next; k; k = next) {
        next = k->next;
        sycl_layer()->kernel_free(k->made);
        free(k);
    }
    s->under.runtime->device_close(&s->under);
    sycl_opened_close(&s->opened);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Submitted work may still need kernels. */
static void device_close(struct device *device) {
    struct sycl_state *s = sycl_state(device);
    sycl_layer()->when_idle(s->opened.device, close_now, s);
}

static dnnl_status_t native_kernel(struct sycl_state *s, const struct kernel *kernel,
                                   struct sycl_native_kernel *native) {
    void *handle;
    TRY(s->under.runtime->kernel_load(&s->under, kernel, &handle));
    return s->under.runtime->kernel_export(handle, &native->module, &native->kernel);
}

static dnnl_status_t make_kernel(struct sycl_state *s, const struct kernel *kernel,
                                 struct sycl_kernel **made) {
    struct sycl_native_kernel native = {0};
    TRY(native_kernel(s, kernel, &native));
    dnnl_status_t status = sycl_layer()->kernel_make(s->opened.device, &native, made);
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

/* Cache blobs are those of the underlying runtime. */

static dnnl_status_t kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *blob) {
    struct device *under = &sycl_state(device)->under;
    if (!under->runtime->kernels_save) return dnnl_unimplemented;
    return under->runtime->kernels_save(under, nkernels, kernels, size, blob);
}

static dnnl_status_t kernels_restore(struct device *device, size_t size, const uint8_t *blob) {
    struct device *under = &sycl_state(device)->under;
    if (!under->runtime->kernels_restore) return dnnl_unimplemented;
    return under->runtime->kernels_restore(under, size, blob);
}

static dnnl_status_t blob_id(const struct device *device, size_t *size, uint8_t *id) {
    const struct device *under = &sycl_state(device)->under;
    return under->runtime->blob_id ? under->runtime->blob_id(under, size, id) : dnnl_unimplemented;
}

/* Streams */

static dnnl_status_t stream_open(struct stream *stream, unsigned flags) {
    struct sycl_queue *queue;
    dnnl_status_t status = sycl_layer()->queue_open(sycl_state(stream->device)->opened.device,
                                                    !(flags & dnnl_stream_out_of_order),
                                                    (flags & dnnl_stream_profiling) != 0, &queue);
    if (status != dnnl_success) return sycl_fail(status, "stream");
    stream->state = queue;
    return dnnl_success;
}

dnnl_status_t sycl_stream_adopt(struct stream *stream, const void *user) {
    int in_order, profiling;
    struct sycl_queue *queue;
    dnnl_status_t status = sycl_layer()->queue_adopt(sycl_state(stream->device)->opened.device, user,
                                                     &in_order, &profiling, &queue);
    if (status != dnnl_success) return sycl_fail(status, "stream");
    stream->flags = in_order ? dnnl_stream_in_order : dnnl_stream_out_of_order;
    if (profiling) stream->flags |= dnnl_stream_profiling;
    stream->state = queue;
    return dnnl_success;
}

static void stream_close(struct stream *stream) {
    sycl_layer()->queue_close(stream->state);
}

static dnnl_status_t stream_wait(struct stream *stream) {
    dnnl_status_t status = sycl_layer()->queue_wait(stream->state);
    return status == dnnl_success ? status : sycl_fail(status, "stream");
}

static bool stream_records(const struct stream *stream) {
    return sycl_layer()->queue_records(stream->state) != 0;
}

/* Execution */

/* The launches of an execution, created one by one as the layer requests them. */
struct launches {
    const struct execution *execution;
    struct cursor next;
    struct sycl_launch launch;
    struct sycl_arg args[SYCL_MAX_ARGS];
};

static int fill_args(const struct execution *e, struct cursor at, struct sycl_arg *args) {
    const struct launch *launch = e->executable->program->launches[at.launch];
    int n = 0;
    for (int b = 0; b < launch->nbuffers; b++) {
        const struct buffer *buffer = e->buffers[launch->buffers[b]];
        bool object = buffer && buffer->kind == BUFFER_OBJECT;
        args[n].kind = object ? SYCL_ARG_BUFFER : SYCL_ARG_POINTER;
        args[n++].pointer = buffer ? buffer->handle : NULL;
    }
    if (launch->kernel->scalars) {
        struct scalars scalars;
        launch_scalars(launch, at.step, e->scalars, &scalars);
        args[n].kind = SYCL_ARG_SCALARS;
        memcpy(args[n++].scalars, &scalars, sizeof scalars);
    }
    args[n].kind = SYCL_ARG_POINTER;
    args[n++].pointer = e->executable->blocks[at.launch];
    return n;
}

static const struct sycl_launch *next_launch(void *context) {
    struct launches *all = context;
    const struct execution *e = all->execution;
    const struct program *program = e->executable->program;
    struct cursor at = all->next;
    if (at.launch == program->nlaunches) return NULL;
    const struct range *range = &program->launches[at.launch]->range;
    all->launch = (struct sycl_launch){
            .kernel = e->executable->kernels[at.launch],
            .groups = {range->groups[0], range->groups[1], range->groups[2]},
            .group_size = {range->group_size[0], range->group_size[1], range->group_size[2]},
            .nargs = fill_args(e, at, all->args),
            .args = all->args};
    cursor_next(program, &all->next);
    return &all->launch;
}

static dnnl_status_t execute(struct stream *stream, const struct execution *e) {
    struct launches launches = {.execution = e};
    const struct sycl_submission submission = {.next = next_launch,
                                               .context = &launches,
                                               .deps = e->deps,
                                               .event = e->return_event,
                                               .exclusive = e->scratchpad != NULL};
    dnnl_status_t status = sycl_layer()->submit(stream->state, &submission);
    return status == dnnl_success ? status : sycl_fail(status, "primitive");
}

static dnnl_status_t profiling_reset(struct stream *stream) {
    return sycl_layer()->profiling_reset(stream->state);
}

static dnnl_status_t profiling_query(struct stream *stream, int *count, uint64_t *ns) {
    dnnl_status_t status = sycl_layer()->profiling_query(stream->state, count, ns);
    return status == dnnl_success ? status : sycl_fail(status, "profiling");
}

const struct runtime sycl_runtime = {
        .name = "sycl",
        .device_count = device_count,
        .device_open = device_open,
        .device_close = device_close,
        .buffer_kind = BUFFER_POINTER,
        .buffer_alloc = sycl_buffer_alloc,
        .buffer_free = sycl_buffer_free,
        .buffer_map = sycl_buffer_map,
        .buffer_unmap = sycl_buffer_unmap,
        .buffer_adopt = sycl_buffer_adopt,
        .kernel_load = kernel_load,
        .params_load = sycl_params_load,
        .params_free = sycl_params_free,
        .kernels_save = kernels_save,
        .kernels_restore = kernels_restore,
        .blob_id = blob_id,
        .stream_open = stream_open,
        .stream_close = stream_close,
        .stream_wait = stream_wait,
        .stream_records = stream_records,
        .execute = execute,
        .profiling_reset = profiling_reset,
        .profiling_query = profiling_query,
};
