/* SPDX-License-Identifier: Apache-2.0 */
/* SYCL as its users see it: their own context on every device, queues, buffers, USM of every kind, events. */
#include <sycl/sycl.hpp>

#include "oneapi/dnnl/dnnl_sycl.h"
extern "C" {
#include "runtimes/places.h"
extern const struct backend sycl_backend;
}

#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace {

enum { BUFFER, USM_SHARED, USM_HOST, USM_DEVICE };

struct world {
    sycl::device device;
    sycl::context context;
};

/* An event. A gate also has a promise, which a host task waits for. */
struct event_or_gate {
    sycl::event event;
    std::shared_ptr<std::promise<void>> opener;
};

const world &world_of(const place *p) {
    return *static_cast<world *>(p->native[0]);
}

const char *backend_name(const sycl::device &device) {
    return device.get_backend() == sycl::backend::opencl ? "opencl" : "level_zero";
}

/* With that adapter, a plain SYCL program that profiles 20000 memsets grows by 9 MB. */
const char *profiling_grows(const sycl::device &device) {
    const auto name = device.get_platform().get_info<sycl::info::platform::name>();
    bool first = device.get_backend() == sycl::backend::ext_oneapi_level_zero
                 && name.find("V2") == std::string::npos;
    return first ? "SYCL's first adapter for Level Zero itself grows with profiling" : nullptr;
}

int find(place *places, int room) {
    int count = 0;
    for (const auto &device : sycl::device::get_devices()) {
        if (count == room) break;
        if (!device.has(sycl::aspect::usm_shared_allocations)) {
            std::printf("SKIP: sycl: no USM on %s\n", device.get_info<sycl::info::device::name>().c_str());
            continue;
        }
        auto &p = places[count];
        p = place{};
        p.backend = &sycl_backend;
        p.profiling_grows = profiling_grows(device);
        p.native[0] = new world{device, sycl::context(device)};
        std::snprintf(p.name, sizeof p.name, "sycl:%s:%d", backend_name(device), count);
        count++;
    }
    if (count == 0) std::printf("SKIP: no SYCL device\n");
    return count;
}

void close_place(place *p) {
    delete static_cast<world *>(p->native[0]);
}

dnnl_status_t make_engine(const place *p, dnnl_engine_t *engine) {
    return dnnl_sycl_interop_engine_create(engine, &world_of(p).device, &world_of(p).context);
}

sycl::property_list properties(unsigned flags) {
    bool in_order = !(flags & dnnl_stream_out_of_order), profiling = flags & dnnl_stream_profiling;
    if (in_order && profiling)
        return {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
    if (in_order) return {sycl::property::queue::in_order()};
    if (profiling) return {sycl::property::queue::enable_profiling()};
    return {};
}

dnnl_status_t make_stream(const place *p, dnnl_engine_t engine, unsigned flags, dnnl_stream_t *stream) {
    sycl::queue queue(world_of(p).context, world_of(p).device, properties(flags));
    return dnnl_sycl_interop_stream_create(stream, engine, &queue);
}

/* Memory */

bool has_kind(const place *, int) {
    return true;
}

dnnl_status_t make_memory(const place *, int kind, const_dnnl_memory_desc_t md, dnnl_engine_t engine,
                          void *handle, dnnl_memory_t *memory) {
    auto as = kind == BUFFER ? dnnl_sycl_interop_buffer : dnnl_sycl_interop_usm;
    return dnnl_sycl_interop_memory_create(memory, md, engine, as, handle);
}

void *native_alloc(const place *p, int kind, std::size_t size) {
    const auto &w = world_of(p);
    switch (kind) {
    case BUFFER: return new sycl::buffer<std::uint8_t, 1>(sycl::range<1>(size));
    case USM_SHARED: return sycl::malloc_shared(size, w.device, w.context);
    case USM_HOST: return sycl::malloc_host(size, w.context);
    default: return sycl::malloc_device(size, w.device, w.context);
    }
}

void native_free(const place *p, int kind, void *handle) {
    if (kind == BUFFER)
        delete static_cast<sycl::buffer<std::uint8_t, 1> *>(handle);
    else
        sycl::free(handle, world_of(p).context);
}

/* Events. Dependencies are a vector of objects, so null events and negative counts cannot be tested. */

event_or_gate &happening_of(void *event) {
    return *static_cast<event_or_gate *>(event);
}

dnnl_status_t execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                      const dnnl_exec_arg_t *args, void *const *deps, int ndeps, void **event) {
    std::vector<sycl::event> waits;
    if (ndeps < 0 || (ndeps > 0 && !deps)) return dnnl_invalid_arguments;
    for (int i = 0; i < ndeps; i++) {
        if (!deps[i]) return dnnl_invalid_arguments;
        waits.push_back(happening_of(deps[i]).event);
    }
    sycl::event done;
    auto status = dnnl_sycl_interop_primitive_execute(primitive, stream, nargs, args,
                                                      ndeps > 0 ? &waits : nullptr, event ? &done : nullptr);
    if (status == dnnl_success && event) *event = new event_or_gate{done, nullptr};
    return status;
}

void event_wait(void *event) {
    happening_of(event).event.wait();
}

bool event_done(void *event) {
    return happening_of(event).event.get_info<sycl::info::event::command_execution_status>()
           == sycl::info::event_command_status::complete;
}

void event_release(void *event) {
    delete &happening_of(event);
}

void *gate(const place *p) {
    auto opener = std::make_shared<std::promise<void>>();
    sycl::queue queue(world_of(p).context, world_of(p).device);
    auto event = queue.submit(
            [&](sycl::handler &handler) { handler.host_task([opener] { opener->get_future().wait(); }); });
    return new event_or_gate{event, opener};
}

void gate_open(void *event) {
    happening_of(event).opener->set_value();
}

backend make_backend() {
    backend b{};
    b.name = "sycl";
    b.find = find;
    b.close = close_place;
    b.engine = make_engine;
    b.stream = make_stream;
    b.kinds[BUFFER] = "buffer";
    b.copied[BUFFER] = true;
    b.kinds[USM_SHARED] = "usm-shared";
    b.kinds[USM_HOST] = "usm-host";
    b.kinds[USM_DEVICE] = "usm-device";
    b.user_only[USM_HOST] = b.user_only[USM_DEVICE] = true;
    b.has_kind = has_kind;
    b.memory = make_memory;
    b.native_alloc = native_alloc;
    b.native_free = native_free;
    b.lasting = true;
    b.execute = execute;
    b.event_wait = event_wait;
    b.event_done = event_done;
    b.event_release = event_release;
    b.gate = gate;
    b.gate_open = gate_open;
    return b;
}

} // namespace

const backend sycl_backend = make_backend();
