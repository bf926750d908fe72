/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer that speaks SYCL, host code only: no SYCL compiler is needed. It owns copies of SYCL objects,
 * which are themselves counted references, and knows nothing of plans or primitives.
 */
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>

#include "runtimes/sycl/layer.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

using byte_buffer = sycl::buffer<std::uint8_t, 1>;
static constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;

struct sycl_device {
    sycl::device device;
    sycl::context context;
};

struct sycl_kernel {
    sycl::kernel kernel;
};

struct sycl_queue {
    sycl::queue queue;
    bool profiling;
    std::mutex lock; /* of the list below */
    std::vector<std::vector<sycl::event>> executions;
};

struct scalar_block {
    std::uint32_t values[SYCL_SCALARS];
};

namespace {

thread_local std::string last_error;

dnnl_status_t failed(dnnl_status_t status, const char *why) {
    last_error = why;
    return status;
}

/* Runs a function that may throw and answers with a status. */
template <typename F>
dnnl_status_t guarded(F &&function) noexcept {
    try {
        return function();
    } catch (const sycl::exception &e) {
        bool memory = e.code() == sycl::errc::memory_allocation;
        return failed(memory ? dnnl_out_of_memory : dnnl_runtime_error, e.what());
    } catch (const std::bad_alloc &) {
        return failed(dnnl_out_of_memory, "out of memory");
    } catch (const std::exception &e) {
        return failed(dnnl_runtime_error, e.what());
    } catch (...) {
        return failed(dnnl_runtime_error, "an unknown exception");
    }
}

const char *error() {
    return last_error.c_str();
}

/* Devices */

bool has_backend(const sycl::device &device) {
    return device.get_backend() == sycl::backend::opencl || device.get_backend() == level_zero;
}

/* GPUs before accelerators; what the backends are is left to SYCL's own order. */
std::vector<sycl::device> list(bool cpu) {
    std::vector<sycl::device> found;
    for (auto type :
         {sycl::info::device_type::cpu, sycl::info::device_type::gpu, sycl::info::device_type::accelerator}) {
        if ((type == sycl::info::device_type::cpu) != cpu) continue;
        for (const auto &device : sycl::device::get_devices(type))
            if (has_backend(device)) found.push_back(device);
    }
    return found;
}

dnnl_status_t device_count(int cpu, std::size_t *count) {
    return guarded([&] {
        *count = list(cpu != 0).size();
        return dnnl_success;
    });
}

dnnl_status_t device_open(int cpu, std::size_t index, sycl_device **device) {
    return guarded([&] {
        auto devices = list(cpu != 0);
        if (index >= devices.size()) return failed(dnnl_invalid_arguments, "there is no such device");
        *device = new sycl_device{devices[index], sycl::context(devices[index])};
        return dnnl_success;
    });
}

dnnl_status_t device_adopt(const void *user_device, const void *user_context, sycl_device **made) {
    return guarded([&] {
        const auto &device = *static_cast<const sycl::device *>(user_device);
        const auto &context = *static_cast<const sycl::context *>(user_context);
        if (!has_backend(device))
            return failed(dnnl_invalid_arguments, "neither OpenCL nor Level Zero is under the device");
        for (const auto &member : context.get_devices())
            if (member == device) {
                *made = new sycl_device{device, context};
                return dnnl_success;
            }
        return failed(dnnl_invalid_arguments, "the device is not in the context");
    });
}

void device_close(sycl_device *device) {
    delete device;
}

dnnl_status_t device_native(const sycl_device *d, sycl_native *native) {
    return guarded([&] {
        *native = sycl_native{};
        native->is_cpu = d->device.is_cpu();
        native->sycl_device = &d->device;
        native->sycl_context = &d->context;
        if (d->device.get_backend() == level_zero) {
            native->backend = SYCL_LEVEL_ZERO;
            native->device = sycl::get_native<level_zero>(d->device);
            native->context = sycl::get_native<level_zero>(d->context);
            native->driver = sycl::get_native<level_zero>(d->device.get_platform());
        } else {
            native->backend = SYCL_OPENCL;
            native->device = sycl::get_native<sycl::backend::opencl>(d->device);
            native->context = sycl::get_native<sycl::backend::opencl>(d->context);
        }
        return dnnl_success;
    });
}

/* Memory */

dnnl_status_t usm_alloc(sycl_device *d, std::size_t size, void **pointer) {
    return guarded([&] {
        void *made = sycl::aligned_alloc_shared(128, size ? size : 1, d->device, d->context);
        if (!made) made = sycl::aligned_alloc_host(128, size ? size : 1, d->context);
        if (!made) return failed(dnnl_out_of_memory, "no shared or host memory");
        *pointer = made;
        return dnnl_success;
    });
}

void usm_free(sycl_device *d, void *pointer) {
    guarded([&] {
        sycl::free(pointer, d->context);
        return dnnl_success;
    });
}

int usm_usable(const sycl_device *d, const void *pointer) {
    int usable = 0;
    guarded([&] {
        usable = sycl::get_pointer_type(pointer, d->context) != sycl::usm::alloc::unknown
                 || d->device.has(sycl::aspect::usm_system_allocations);
        return dnnl_success;
    });
    return usable;
}

int usm_on_host(const sycl_device *d, const void *pointer) {
    int on_host = 0;
    guarded([&] {
        on_host = sycl::get_pointer_type(pointer, d->context) != sycl::usm::alloc::device;
        return dnnl_success;
    });
    return on_host;
}

dnnl_status_t usm_copy(sycl_device *d, void *dst, const void *src, std::size_t size) {
    return guarded([&] {
        sycl::queue(d->context, d->device).memcpy(dst, src, size).wait();
        return dnnl_success;
    });
}

dnnl_status_t buffer_make(std::size_t size, void **buffer) {
    return guarded([&] {
        *buffer = new byte_buffer(sycl::range<1>(size ? size : 1));
        return dnnl_success;
    });
}

dnnl_status_t buffer_copy(const void *user, std::size_t least, void **buffer) {
    return guarded([&] {
        const auto &theirs = *static_cast<const byte_buffer *>(user);
        if (theirs.byte_size() < least)
            return failed(dnnl_invalid_arguments, "the buffer is smaller than the descriptor");
        *buffer = new byte_buffer(theirs);
        return dnnl_success;
    });
}

void buffer_free(void *buffer) {
    guarded([&] {
        delete static_cast<byte_buffer *>(buffer);
        return dnnl_success;
    });
}

using host_access = sycl::host_accessor<std::uint8_t, 1, sycl::access_mode::read_write>;

dnnl_status_t buffer_map(void *buffer, void **accessor, void **address) {
    return guarded([&] {
        auto *access = new host_access(*static_cast<byte_buffer *>(buffer));
        *accessor = access;
        *address = access->get_pointer();
        return dnnl_success;
    });
}

void buffer_unmap(void *accessor) {
    guarded([&] {
        delete static_cast<host_access *>(accessor);
        return dnnl_success;
    });
}

/* Kernels */

sycl::kernel wrap_opencl(const sycl_device &d, const sycl_native_kernel &native) {
    return sycl::make_kernel<sycl::backend::opencl>(static_cast<cl_kernel>(native.kernel), d.context);
}

sycl::kernel wrap_level_zero(const sycl_device &d, const sycl_native_kernel &native) {
    auto bundle = sycl::make_kernel_bundle<level_zero, sycl::bundle_state::executable>(
            {static_cast<ze_module_handle_t>(native.module), sycl::ext::oneapi::level_zero::ownership::keep},
            d.context);
    return sycl::make_kernel<level_zero>({bundle, static_cast<ze_kernel_handle_t>(native.kernel),
                                          sycl::ext::oneapi::level_zero::ownership::keep},
                                         d.context);
}

dnnl_status_t kernel_make(sycl_device *d, const sycl_native_kernel *native, sycl_kernel **kernel) {
    return guarded([&] {
        bool opencl = d->device.get_backend() == sycl::backend::opencl;
        *kernel = new sycl_kernel{opencl ? wrap_opencl(*d, *native) : wrap_level_zero(*d, *native)};
        return dnnl_success;
    });
}

void kernel_free(sycl_kernel *kernel) {
    guarded([&] {
        delete kernel;
        return dnnl_success;
    });
}

/* Queues */

sycl_queue *make_queue(const sycl::queue &queue, bool profiling) {
    auto *made = new sycl_queue{queue, profiling, {}, {}};
    return made;
}

dnnl_status_t queue_open(sycl_device *d, int in_order, int profiling, sycl_queue **queue) {
    return guarded([&] {
        sycl::property_list list;
        if (in_order && profiling)
            list = {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
        else if (in_order)
            list = {sycl::property::queue::in_order()};
        else if (profiling)
            list = {sycl::property::queue::enable_profiling()};
        *queue = make_queue(sycl::queue(d->context, d->device, list), profiling != 0);
        return dnnl_success;
    });
}

dnnl_status_t queue_adopt(sycl_device *d, const void *user, int *in_order, int *profiling,
                          sycl_queue **queue) {
    return guarded([&] {
        const auto &theirs = *static_cast<const sycl::queue *>(user);
        if (theirs.get_device() != d->device || theirs.get_context() != d->context)
            return failed(dnnl_invalid_arguments, "the queue belongs to another device or context");
        *in_order = theirs.is_in_order();
        *profiling = theirs.has_property<sycl::property::queue::enable_profiling>();
        *queue = make_queue(theirs, *profiling != 0);
        return dnnl_success;
    });
}

void queue_close(sycl_queue *queue) {
    guarded([&] {
        delete queue;
        return dnnl_success;
    });
}

void *queue_native(sycl_queue *queue) {
    return &queue->queue;
}

dnnl_status_t queue_wait(sycl_queue *queue) {
    return guarded([&] {
        queue->queue.wait_and_throw();
        return dnnl_success;
    });
}

/* Submission */

void set_arg(sycl::handler &handler, int index, const sycl_arg &arg) {
    if (arg.kind == SYCL_ARG_BUFFER) {
        auto access =
                static_cast<byte_buffer *>(arg.pointer)->get_access<sycl::access_mode::read_write>(handler);
        handler.set_arg(index, access);
    } else if (arg.kind == SYCL_ARG_SCALARS) {
        scalar_block block;
        std::copy(arg.scalars, arg.scalars + SYCL_SCALARS, block.values);
        handler.set_arg(index, block);
    } else {
        handler.set_arg(index, arg.pointer);
    }
}

/* SYCL counts dimensions from the outermost. */
sycl::nd_range<3> range_of(const sycl_launch &launch) {
    const auto *n = launch.groups, *size = launch.group_size;
    return {{n[2] * size[2], n[1] * size[1], n[0] * size[0]}, {size[2], size[1], size[0]}};
}

sycl::event launch_one(sycl_queue &queue, const sycl_launch &launch, const std::vector<sycl::event> &waits) {
    return queue.queue.submit([&](sycl::handler &handler) {
        handler.depends_on(waits);
        for (int i = 0; i < launch.nargs; i++)
            set_arg(handler, i, launch.args[i]);
        handler.parallel_for(range_of(launch), launch.kernel->kernel);
    });
}

dnnl_status_t submit(sycl_queue *queue, int nlaunches, const sycl_launch *launches, const void *deps,
                     void *event, void **chain) {
    return guarded([&] {
        std::vector<sycl::event> waits, done;
        if (deps) waits = *static_cast<const std::vector<sycl::event> *>(deps);
        if (chain && *chain) waits.push_back(*static_cast<sycl::event *>(*chain));
        bool in_order = queue->queue.is_in_order();
        for (int i = 0; i < nlaunches; i++) {
            done.push_back(launch_one(*queue, launches[i], waits));
            waits.clear();
            if (!in_order) waits.push_back(done.back());
        }
        if (done.empty() && event) done.push_back(queue->queue.ext_oneapi_submit_barrier(waits));
        if (done.empty()) return dnnl_success;
        if (event) *static_cast<sycl::event *>(event) = done.back();
        if (chain && !in_order) {
            delete static_cast<sycl::event *>(*chain);
            *chain = new sycl::event(done.back());
        }
        if (queue->profiling) {
            std::lock_guard<std::mutex> guard(queue->lock);
            queue->executions.push_back(std::move(done));
        }
        return dnnl_success;
    });
}

void chain_free(void *chain) {
    guarded([&] {
        delete static_cast<sycl::event *>(chain);
        return dnnl_success;
    });
}

/* Profiling */

std::uint64_t nanoseconds(const std::vector<sycl::event> &events) {
    std::uint64_t sum = 0;
    for (const auto &event : events)
        sum += event.get_profiling_info<sycl::info::event_profiling::command_end>()
               - event.get_profiling_info<sycl::info::event_profiling::command_start>();
    return sum;
}

dnnl_status_t profiling_reset(sycl_queue *queue) {
    return guarded([&] {
        std::lock_guard<std::mutex> guard(queue->lock);
        queue->executions.clear();
        return dnnl_success;
    });
}

dnnl_status_t profiling_query(sycl_queue *queue, int *count, std::uint64_t *ns) {
    return guarded([&] {
        std::lock_guard<std::mutex> guard(queue->lock);
        int entries = static_cast<int>(queue->executions.size());
        if (ns && *count < entries)
            return failed(dnnl_invalid_arguments, "there are more entries than room for them");
        for (int i = 0; ns && i < entries; i++)
            ns[i] = nanoseconds(queue->executions[i]);
        *count = entries;
        return dnnl_success;
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) const sycl_layer *lode_sycl_layer() {
    static const sycl_layer layer = {
            SYCL_LAYER_VERSION, error,           device_count,    device_open, device_adopt,
            device_close,       device_native,   usm_alloc,       usm_free,    usm_usable,
            usm_on_host,        usm_copy,        buffer_make,     buffer_copy, buffer_free,
            buffer_map,         buffer_unmap,    kernel_make,     kernel_free, queue_open,
            queue_adopt,        queue_close,     queue_native,    queue_wait,  submit,
            chain_free,         profiling_reset, profiling_query,
    };
    return &layer;
}
