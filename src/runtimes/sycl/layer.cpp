/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer that calls SYCL. Host code only: no SYCL compiler is needed. It owns copies of SYCL objects,
 * which are themselves counted references, and knows nothing of plans or primitives.
 */
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/ext/oneapi/weak_object.hpp>

#include "runtimes/sycl/layer.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace experimental = sycl::ext::oneapi::experimental;
using byte_buffer = sycl::buffer<std::uint8_t, 1>;
using weak_graph =
        sycl::ext::oneapi::weak_object<experimental::command_graph<experimental::graph_state::modifiable>>;
static constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;

struct sycl_device {
    sycl::device device;
    sycl::context context;
    std::mutex lock; /* guards the members below; taken before the lock of a queue */
    std::vector<sycl_queue *> queues;
    std::vector<sycl::event> orphans; /* events of closed queues */
};

struct sycl_kernel {
    sycl::kernel kernel;
};

/* The events that later submissions may have to wait for. */
struct history {
    std::vector<sycl::event> open; /* not known to be complete; on an in-order queue only the last one */
    std::optional<sycl::event> exclusive;
    std::size_t prune_at = 64;
};

/* Asynchronous errors of our own queues. */
struct async_errors {
    std::mutex lock;
    std::string first;
};

/* One entry per execution; events are kept until they are complete and their times have been added. */
struct profile {
    struct timed {
        sycl::event event;
        std::size_t entry;
    };
    std::vector<std::uint64_t> ns;
    std::vector<timed> pending;
    std::size_t collect_at = 64;
};

struct sycl_queue {
    sycl_device *owner;
    sycl::queue queue;
    bool in_order, profiling;
    std::shared_ptr<async_errors> errors; /* null: the user's queue */
    std::mutex lock = {};                 /* guards the members below; held during a whole submission */
    history running = {};
    history recorded = {}; /* events of graph nodes: valid only in `graph` */
    std::optional<weak_graph> graph = {};
    profile times = {};
};

struct scalar_block {
    std::uint32_t values[SYCL_SCALARS];
};

namespace {

thread_local std::string last_error;

dnnl_status_t failed(dnnl_status_t status, const char *why) noexcept {
    try {
        last_error = why;
    } catch (...) {
        last_error.clear();
    }
    return status;
}

/* Runs a function that may throw and returns a status. */
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

/* Runs a function and ignores exceptions, which the caller could not handle. */
template <typename F>
void quietly(F &&function) noexcept {
    guarded([&] {
        function();
        return dnnl_success;
    });
}

/* Devices */

bool has_backend(const sycl::device &device) {
    return device.get_backend() == sycl::backend::opencl || device.get_backend() == level_zero;
}

/* Parameter blocks and scratchpads are USM that the host can write. */
bool has_usm(const sycl::device &device) {
    return device.has(sycl::aspect::usm_shared_allocations) || device.has(sycl::aspect::usm_host_allocations);
}

/* GPUs before accelerators; backends in SYCL's own order. */
std::vector<sycl::device> list(bool cpu) {
    using type = sycl::info::device_type;
    std::vector<sycl::device> found;
    for (auto kind : {type::cpu, type::gpu, type::accelerator}) {
        if ((kind == type::cpu) != cpu) continue;
        for (const auto &device : sycl::device::get_devices(kind))
            if (has_backend(device) && has_usm(device)) found.push_back(device);
    }
    return found;
}

sycl_device *make_device(const sycl::device &device, const sycl::context &context) {
    return new sycl_device{device, context, {}, {}, {}};
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
        *device = make_device(devices[index], sycl::context(devices[index]));
        return dnnl_success;
    });
}

dnnl_status_t device_adopt(const void *user_device, const void *user_context, sycl_device **made) {
    return guarded([&] {
        const auto &device = *static_cast<const sycl::device *>(user_device);
        const auto &context = *static_cast<const sycl::context *>(user_context);
        if (!has_backend(device))
            return failed(dnnl_invalid_arguments, "the device's backend is neither OpenCL nor Level Zero");
        if (!has_usm(device)) return failed(dnnl_unimplemented, "the device has no unified shared memory");
        const auto members = context.get_devices();
        if (std::find(members.begin(), members.end(), device) == members.end())
            return failed(dnnl_invalid_arguments, "the device is not in the context");
        *made = make_device(device, context);
        return dnnl_success;
    });
}

void device_close(sycl_device *device) {
    quietly([&] { delete device; });
}

/* SYCL objects are references, and their hash is the address of the object that they refer to. */
template <typename T>
void *identity(const T &object) {
    return reinterpret_cast<void *>(std::hash<T>{}(object));
}

dnnl_status_t device_native(const sycl_device *d, sycl_native *native) {
    return guarded([&] {
        *native = sycl_native{};
        native->is_cpu = d->device.is_cpu();
        native->sycl_device = &d->device;
        native->sycl_context = &d->context;
        native->device_identity = identity(d->device);
        native->context_identity = identity(d->context);
        if (d->device.get_backend() == level_zero) {
            native->backend = SYCL_LEVEL_ZERO;
            native->handles[0] = sycl::get_native<level_zero>(d->device);
            native->handles[1] = sycl::get_native<level_zero>(d->context);
            native->handles[2] = sycl::get_native<level_zero>(d->device.get_platform());
        } else {
            native->backend = SYCL_OPENCL;
            native->handles[0] = sycl::get_native<sycl::backend::opencl>(d->device);
            native->handles[1] = sycl::get_native<sycl::backend::opencl>(d->context);
        }
        return dnnl_success;
    });
}

/* Work in flight */

bool is_finished(const sycl::event &event) {
    return event.get_info<sycl::info::event::command_execution_status>()
           == sycl::info::event_command_status::complete;
}

void prune(std::vector<sycl::event> &events) {
    events.erase(std::remove_if(events.begin(), events.end(), is_finished), events.end());
}

std::vector<sycl::event> unfinished(sycl_device *d) {
    std::lock_guard<std::mutex> guard(d->lock);
    prune(d->orphans);
    auto found = d->orphans;
    for (auto *queue : d->queues) {
        std::lock_guard<std::mutex> queue_guard(queue->lock);
        prune(queue->running.open);
        found.insert(found.end(), queue->running.open.begin(), queue->running.open.end());
    }
    return found;
}

/* Uses a queue that nothing else refers to, so the task may destroy the device. */
void run_after(const sycl_device *d, const std::vector<sycl::event> &events, void (*function)(void *),
               void *argument) {
    sycl::queue(d->context, d->device).submit([&](sycl::handler &handler) {
        handler.depends_on(events);
        handler.host_task([=] { function(argument); });
    });
}

void when_idle(sycl_device *d, void (*function)(void *), void *argument) {
    std::vector<sycl::event> events;
    bool left = false; /* the call was left to SYCL */
    quietly([&] {
        events = unfinished(d);
        if (events.empty()) return;
        run_after(d, events, function, argument);
        left = true;
    });
    if (!left) function(argument);
}

/* Memory */

dnnl_status_t usm_alloc(sycl_device *d, std::size_t size, void **pointer) {
    return guarded([&] {
        const std::size_t bytes = size ? size : 1;
        void *made = d->device.has(sycl::aspect::usm_shared_allocations)
                             ? sycl::aligned_alloc_shared(128, bytes, d->device, d->context)
                             : nullptr;
        if (!made) made = sycl::aligned_alloc_host(128, bytes, d->context);
        if (!made) return failed(dnnl_out_of_memory, "no shared or host memory");
        *pointer = made;
        return dnnl_success;
    });
}

struct freeing {
    void *pointer;
    sycl::context context;
};

void free_now(void *argument) {
    quietly([&] {
        std::unique_ptr<freeing> f(static_cast<freeing *>(argument));
        sycl::free(f->pointer, f->context);
    });
}

void usm_free(sycl_device *d, void *pointer) {
    quietly([&] { when_idle(d, free_now, new freeing{pointer, d->context}); });
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
    quietly([&] { delete static_cast<byte_buffer *>(buffer); });
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
    quietly([&] { delete static_cast<host_access *>(accessor); });
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
    quietly([&] { delete kernel; });
}

/* Queues */

sycl_queue *make_queue(sycl_device *d, const sycl::queue &queue, std::shared_ptr<async_errors> errors) {
    bool profiling = queue.has_property<sycl::property::queue::enable_profiling>();
    std::unique_ptr<sycl_queue> made(
            new sycl_queue{d, queue, queue.is_in_order(), profiling, std::move(errors)});
    std::lock_guard<std::mutex> guard(d->lock);
    d->queues.push_back(made.get());
    return made.release();
}

sycl::property_list properties(bool in_order, bool profiling) {
    if (in_order && profiling)
        return {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
    if (in_order) return {sycl::property::queue::in_order()};
    if (profiling) return {sycl::property::queue::enable_profiling()};
    return {};
}

void note(async_errors &errors, const std::exception_ptr &pointer) {
    try {
        std::rethrow_exception(pointer);
    } catch (const std::exception &e) {
        std::lock_guard<std::mutex> guard(errors.lock);
        if (errors.first.empty()) errors.first = e.what();
    }
}

/* With several threads on one out-of-order queue, Intel's OpenCL for CPUs (2026.2) fails and crashes. One
 * launch uses the whole device anyway. */
bool keeps_order(const sycl::device &device) {
    return device.is_cpu() && device.get_backend() == sycl::backend::opencl;
}

dnnl_status_t queue_open(sycl_device *d, int in_order, int profiling, sycl_queue **queue) {
    return guarded([&] {
        auto errors = std::make_shared<async_errors>();
        auto handler = [errors](const sycl::exception_list &list) {
            for (const auto &pointer : list)
                quietly([&] { note(*errors, pointer); });
        };
        bool ordered = in_order != 0 || keeps_order(d->device);
        sycl::queue made(d->context, d->device, handler, properties(ordered, profiling != 0));
        *queue = make_queue(d, made, errors);
        return dnnl_success;
    });
}

dnnl_status_t queue_adopt(sycl_device *d, const void *user, int *in_order, int *profiling,
                          sycl_queue **queue) {
    return guarded([&] {
        const auto &theirs = *static_cast<const sycl::queue *>(user);
        if (theirs.get_device() != d->device || theirs.get_context() != d->context)
            return failed(dnnl_invalid_arguments, "the queue belongs to another device or context");
        *queue = make_queue(d, theirs, nullptr);
        *in_order = (*queue)->in_order;
        *profiling = (*queue)->profiling;
        return dnnl_success;
    });
}

/* The device keeps the events of work in flight. */
void queue_close(sycl_queue *queue) {
    quietly([&] {
        std::unique_ptr<sycl_queue> closing(queue);
        auto &d = *queue->owner;
        std::lock_guard<std::mutex> guard(d.lock);
        d.queues.erase(std::find(d.queues.begin(), d.queues.end(), queue));
        prune(queue->running.open);
        d.orphans.insert(d.orphans.end(), queue->running.open.begin(), queue->running.open.end());
    });
}

void *queue_native(sycl_queue *queue) {
    return &queue->queue;
}

bool is_recording(const sycl_queue &queue) {
    return queue.queue.ext_oneapi_get_state() == experimental::queue_state::recording;
}

dnnl_status_t report(async_errors &errors) {
    std::string why;
    std::lock_guard<std::mutex> guard(errors.lock);
    why.swap(errors.first);
    return why.empty() ? dnnl_success : failed(dnnl_runtime_error, why.c_str());
}

std::vector<sycl::event> open_events(sycl_queue &queue) {
    std::lock_guard<std::mutex> guard(queue.lock);
    return queue.running.open;
}

/* When several threads wait for one queue, SYCL's own wait may return too early in all but one of them. So
 * this also waits for the events of everything submitted so far. */
dnnl_status_t queue_wait(sycl_queue *queue) {
    return guarded([&] {
        if (is_recording(*queue)) return dnnl_success;
        auto submitted = open_events(*queue);
        queue->queue.wait_and_throw();
        sycl::event::wait(submitted);
        return queue->errors ? report(*queue->errors) : dnnl_success;
    });
}

int queue_records(const sycl_queue *queue) {
    bool recording = false;
    quietly([&] { recording = is_recording(*queue); });
    return recording;
}

/* Profiling */

std::uint64_t nanoseconds(const sycl::event &event) {
    return event.get_profiling_info<sycl::info::event_profiling::command_end>()
           - event.get_profiling_info<sycl::info::event_profiling::command_start>();
}

/* Adds up the times of completed events; querying the time of another event would wait for it. */
void collect_completed(profile &times, bool wait) {
    std::vector<profile::timed> left;
    for (const auto &one : times.pending)
        if (wait || is_finished(one.event))
            times.ns[one.entry] += nanoseconds(one.event);
        else
            left.push_back(one);
    times.pending.swap(left);
    times.collect_at = std::max<std::size_t>(64, 2 * times.pending.size());
}

void add_entry(profile &times, const std::vector<sycl::event> &events) {
    times.ns.push_back(0);
    for (const auto &event : events)
        times.pending.push_back({event, times.ns.size() - 1});
    if (times.pending.size() >= times.collect_at) collect_completed(times, false);
}

dnnl_status_t profiling_reset(sycl_queue *queue) {
    return guarded([&] {
        std::lock_guard<std::mutex> guard(queue->lock);
        queue->times = {};
        return dnnl_success;
    });
}

dnnl_status_t profiling_query(sycl_queue *queue, int *count, std::uint64_t *ns) {
    return guarded([&] {
        std::lock_guard<std::mutex> guard(queue->lock);
        const auto entries = static_cast<int>(queue->times.ns.size());
        if (ns && *count < entries)
            return failed(dnnl_invalid_arguments, "there is not enough room for all entries");
        if (ns) {
            collect_completed(queue->times, true);
            std::copy(queue->times.ns.begin(), queue->times.ns.end(), ns);
        }
        *count = entries;
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

/* The history that a submission continues. */
history &history_of(sycl_queue &queue) {
    if (!is_recording(queue)) {
        if (queue.graph) queue.recorded = {}, queue.graph.reset();
        return queue.running;
    }
    auto graph = queue.queue.ext_oneapi_get_graph();
    auto known = queue.graph ? queue.graph->try_lock() : std::nullopt;
    if (!known || !(*known == graph)) queue.recorded = {}, queue.graph.emplace(graph);
    return queue.recorded;
}

/* One submission in progress. The caller holds the lock of its queue. */
struct submitting {
    sycl_queue &queue;
    history &past;
    const sycl_submission &what;
    bool after_all; /* waits for all open events */

    void wait_for_past(sycl::handler &handler) const {
        if (what.deps) handler.depends_on(*static_cast<const std::vector<sycl::event> *>(what.deps));
        if (queue.in_order) return;
        if (after_all)
            handler.depends_on(past.open);
        else if (what.exclusive && past.exclusive)
            handler.depends_on(*past.exclusive);
    }

    /* The first event of a submission is added to the open ones, or replaces them; each later one replaces
     * its predecessor. */
    void remember(bool first, const sycl::event &event) const {
        if (!first)
            past.open.pop_back();
        else if (queue.in_order || after_all)
            past.open.clear();
        past.open.push_back(event);
        if (what.exclusive && !queue.in_order) past.exclusive = event;
    }

    void launch(bool first, const sycl_launch &one) const {
        auto event = queue.queue.submit([&](sycl::handler &handler) {
            if (first)
                wait_for_past(handler);
            else if (!queue.in_order)
                handler.depends_on(past.open.back());
            for (int i = 0; i < one.nargs; i++)
                set_arg(handler, i, one.args[i]);
            handler.parallel_for(range_of(one), one.kernel->kernel);
        });
        remember(first, event);
    }

    /* A command that only waits; unlike a barrier, it does not block other commands. */
    void launch_nothing() const {
        remember(true, queue.queue.submit([&](sycl::handler &handler) { wait_for_past(handler); }));
    }

    void launch_all() const {
        std::vector<sycl::event> times;
        bool timed = queue.profiling && &past == &queue.running;
        bool first = true;
        while (const auto *one = what.next(what.context)) {
            launch(first, *one);
            first = false;
            if (timed) times.push_back(past.open.back());
        }
        if (first) launch_nothing();
        if (timed) add_entry(queue.times, times);
    }
};

void prune_running(history &running) {
    if (running.open.size() < running.prune_at) return;
    prune(running.open);
    running.prune_at = std::max<std::size_t>(64, 2 * running.open.size());
}

dnnl_status_t submit(sycl_queue *queue, const sycl_submission *what) {
    return guarded([&] {
        std::lock_guard<std::mutex> guard(queue->lock);
        auto &past = history_of(*queue);
        prune_running(queue->running);
        submitting{*queue, past, *what, !queue->in_order && !what->deps && !what->event}.launch_all();
        if (what->event) *static_cast<sycl::event *>(what->event) = past.open.back();
        return dnnl_success;
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) const sycl_layer *lode_sycl_layer() {
    static const sycl_layer layer = {
            SYCL_LAYER_VERSION, error,           device_count, device_open, device_adopt,  device_close,
            device_native,      when_idle,       usm_alloc,    usm_free,    buffer_make,   buffer_copy,
            buffer_free,        buffer_map,      buffer_unmap, kernel_make, kernel_free,   queue_open,
            queue_adopt,        queue_close,     queue_native, queue_wait,  queue_records, submit,
            profiling_reset,    profiling_query,
    };
    return &layer;
}
