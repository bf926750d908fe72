/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYCL interop through dnnl_sycl.hpp, on every SYCL device: engines, streams, USM and buffers, events,
 * recorded graphs, lifetimes, bad arguments. Results must equal the CPU engine's bit by bit.
 */
#include "oneapi/dnnl/dnnl_sycl.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace interop = dnnl::sycl_interop;
namespace experimental = sycl::ext::oneapi::experimental;
using dnnl::memory;

namespace {

struct skipped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

#define check(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) throw std::runtime_error("line " + std::to_string(__LINE__) + ": " #condition);    \
    } while (0)

#define check_refused(status, statement) check(status_of([&] { (void)(statement); }) == (status))

dnnl_status_t status_of(const std::function<void()> &call) {
    try {
        call();
        return dnnl_success;
    } catch (const dnnl::error &e) {
        return e.status;
    }
}

struct world {
    sycl::device device;
    sycl::context context;
    dnnl::engine engine;

    explicit world(const sycl::device &d) : device(d), context(d), engine(interop::make_engine(d, context)) {}

    sycl::queue queue(bool in_order) const {
        if (in_order) return {context, device, sycl::property::queue::in_order()};
        return {context, device};
    }
};

constexpr memory::dim COUNT = 1000;

memory::desc vector_desc() {
    return {{COUNT}, memory::data_type::f32, memory::format_tag::a};
}

std::vector<float> numbers() {
    std::vector<float> values(COUNT);
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = 0.013f * static_cast<float>(i) - 6.0f;
    return values;
}

dnnl::eltwise_forward make_tanh(const dnnl::engine &engine) {
    return dnnl::eltwise_forward({engine, dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_tanh,
                                  vector_desc(), vector_desc()});
}

void put(const memory &m, const std::vector<float> &values) {
    void *mapped = m.map_data();
    std::memcpy(mapped, values.data(), values.size() * sizeof(float));
    m.unmap_data(mapped);
}

std::vector<float> get(const memory &m) {
    std::vector<float> values(m.get_desc().get_size() / sizeof(float));
    void *mapped = m.map_data();
    std::memcpy(values.data(), mapped, values.size() * sizeof(float));
    m.unmap_data(mapped);
    return values;
}

bool same_bits(const std::vector<float> &a, const std::vector<float> &b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/* tanh, applied `times` times on the CPU engine. */
std::vector<float> expected(int times) {
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    memory m(vector_desc(), cpu);
    put(m, numbers());
    auto tanh = make_tanh(cpu);
    for (int i = 0; i < times; i++)
        tanh.execute(stream, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    stream.wait();
    return get(m);
}

/* Computes dst = tanh(src) on a stream created by the library. */
void run(const dnnl::engine &engine, const memory &src, const memory &dst) {
    dnnl::stream stream(engine);
    make_tanh(engine).execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();
}

/* Engines */

void engines(const world &w) {
    check(interop::get_device(w.engine) == w.device);
    check(interop::get_context(w.engine) == w.context);
    check((w.engine.get_kind() == dnnl::engine::kind::cpu) == w.device.is_cpu());

    auto again = interop::make_engine(w.device, w.context); /* the same device: memory can be used by both */
    memory src(vector_desc(), w.engine), dst(vector_desc(), again);
    put(src, numbers());
    run(again, src, dst);
    check(same_bits(get(dst), expected(1)));

    auto other = interop::make_engine(w.device, sycl::context(w.device));
    memory foreign(vector_desc(), other);
    dnnl::stream stream(w.engine);
    auto tanh = make_tanh(w.engine);
    check_refused(dnnl_invalid_arguments,
                  tanh.execute(stream, {{DNNL_ARG_SRC, foreign}, {DNNL_ARG_DST, dst}}));
}

void device_not_in_context(const world &w) {
    for (const auto &device : sycl::device::get_devices())
        if (device != w.device) {
            check_refused(dnnl_invalid_arguments, interop::make_engine(w.device, sycl::context(device)));
            return;
        }
    throw skipped("there is only one device");
}

/* An engine leaves the context's reference count unchanged. */
void references_are_balanced(const world &w) {
    if (w.device.get_backend() != sycl::backend::opencl)
        throw skipped("its handles have no reference counts");
    using query = int (*)(cl_context, unsigned, std::size_t, void *, std::size_t *);
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    auto get_info = library ? reinterpret_cast<query>(dlsym(library, "clGetContextInfo")) : nullptr;
    if (!get_info) throw skipped("no libOpenCL to query");
    sycl::context context(w.device);
    cl_context native = sycl::get_native<sycl::backend::opencl>(context);
    auto references = [&] {
        unsigned count = 0;
        get_info(native, 0x1080 /* CL_CONTEXT_REFERENCE_COUNT */, sizeof count, &count, nullptr);
        return count;
    };
    auto use = [&] {
        auto engine = interop::make_engine(w.device, context),
             twice = interop::make_engine(w.device, context);
        memory m(vector_desc(), engine);
        put(m, numbers());
        run(engine, m, m);
    };
    use(); /* SYCL itself may keep references after the first use */
    unsigned before = references();
    for (int i = 0; i < 5; i++)
        use();
    check(references() == before);
}

/* Streams */

void streams(const world &w) {
    for (bool in_order : {true, false}) {
        auto queue = w.queue(in_order);
        auto stream = interop::make_stream(w.engine, queue);
        check(interop::get_queue(stream) == queue);
        memory m(vector_desc(), w.engine);
        put(m, numbers());
        auto tanh = make_tanh(w.engine);
        for (int i = 0; i < 4; i++) /* plain execution keeps the order on either queue */
            tanh.execute(stream, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
        stream.wait();
        check(same_bits(get(m), expected(4)));
    }
    dnnl::stream ours(w.engine, dnnl::stream::flags::in_order);
    check(interop::get_queue(ours).is_in_order());
    dnnl::stream loose(w.engine, dnnl::stream::flags::out_of_order);
    bool keeps_order = w.device.is_cpu() && w.device.get_backend() == sycl::backend::opencl;
    check(interop::get_queue(loose).is_in_order() == keeps_order);
}

void foreign_queues(const world &w) {
    sycl::queue other_context(sycl::context(w.device), w.device);
    check_refused(dnnl_invalid_arguments, interop::make_stream(w.engine, other_context));
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    auto queue = w.queue(true);
    check_refused(dnnl_invalid_arguments, interop::make_stream(cpu, queue));
}

/* Memory */

void usm_of_every_kind(const world &w) {
    for (auto kind : {sycl::usm::alloc::shared, sycl::usm::alloc::host, sycl::usm::alloc::device}) {
        const auto bytes = COUNT * sizeof(float);
        std::shared_ptr<void> pointer(sycl::malloc(bytes, w.device, w.context, kind),
                                      [&](void *p) { sycl::free(p, w.context); });
        memory m(vector_desc(), w.engine, pointer.get());
        check(m.get_data_handle() == pointer.get());
        check(interop::get_memory_kind(m) == interop::memory_kind::usm);
        put(m, numbers());
        check(same_bits(get(m), numbers()));
        run(w.engine, m, m);
        check(same_bits(get(m), expected(1)));
    }
    auto named = interop::make_memory(vector_desc(), w.engine, interop::memory_kind::usm);
    check(interop::get_memory_kind(named) == interop::memory_kind::usm);
    check(sycl::get_pointer_type(named.get_data_handle(), w.context) != sycl::usm::alloc::unknown);
}

std::vector<float> read(sycl::buffer<float> buffer) {
    sycl::host_accessor access(buffer, sycl::read_only);
    return {access.begin(), access.end()};
}

void fill(sycl::buffer<float> buffer, const std::vector<float> &values) {
    sycl::host_accessor access(buffer, sycl::write_only);
    std::copy(values.begin(), values.end(), access.begin());
}

/* Only accessors wait. */
void buffers(const world &w) {
    sycl::buffer<float> from{sycl::range<1>(COUNT)};
    sycl::buffer<float, 2> to(sycl::range<2>(10, COUNT / 10));
    fill(from, numbers());
    auto src = interop::make_memory(vector_desc(), w.engine, from);
    auto dst = interop::make_memory(vector_desc(), w.engine, to);
    check(interop::get_memory_kind(src) == interop::memory_kind::buffer);
    for (bool in_order : {false, true}) {
        auto queue = w.queue(in_order);
        auto stream = interop::make_stream(w.engine, queue);
        auto tanh = make_tanh(w.engine);
        tanh.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
        tanh.execute(stream, {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}});
        check(same_bits(read(to.reinterpret<float, 1>(sycl::range<1>(COUNT))), expected(2)));
        check(same_bits(read(interop::get_buffer<float>(dst)), expected(2)));
    }
    check(same_bits(get(dst), expected(2)));
    put(dst, numbers());
    check(same_bits(read(interop::get_buffer<float>(dst)), numbers()));

    auto made = interop::make_memory(vector_desc(), w.engine, interop::memory_kind::buffer);
    check(interop::get_memory_kind(made) == interop::memory_kind::buffer);
    run(w.engine, src, made);
    check(same_bits(get(made), expected(1)));
}

/* Memory changes from USM to a buffer; a buffer that is too small changes nothing. */
void set_buffer(const world &w) {
    sycl::buffer<float> whole{sycl::range<1>(COUNT)}, half{sycl::range<1>(COUNT / 2)};
    memory m(vector_desc(), w.engine);
    put(m, numbers());
    check_refused(dnnl_invalid_arguments, interop::set_buffer(m, half));
    check(interop::get_memory_kind(m) == interop::memory_kind::usm);
    check(same_bits(get(m), numbers()));
    fill(whole, expected(1));
    interop::set_buffer(m, whole);
    check(interop::get_memory_kind(m) == interop::memory_kind::buffer);
    check(same_bits(get(m), expected(1)));
    check_refused(dnnl_invalid_arguments, interop::set_buffer(m, half));
    run(w.engine, m, m);
    check(same_bits(read(whole), expected(2)));
    check_refused(dnnl_invalid_arguments, interop::make_memory(vector_desc(), w.engine, half));
}

/* Two mappings share one accessor. */
void map_twice(const world &w) {
    auto m = interop::make_memory(vector_desc(), w.engine, interop::memory_kind::buffer);
    auto *first = m.map_data<float>(), *second = m.map_data<float>();
    first[7] = 7;
    check(second[7] == 7);
    m.unmap_data(first);
    second[7] = 8;
    m.unmap_data(second);
    check(get(m)[7] == 8);
    check_refused(dnnl_invalid_arguments, m.unmap_data(second));
    (void)m.map_data(); /* destroyed while mapped */
}

/* Events */

void events(const world &w) {
    const auto bytes = COUNT * sizeof(float);
    auto queue = w.queue(false);
    auto stream = interop::make_stream(w.engine, queue);
    memory a(vector_desc(), w.engine), b(vector_desc(), w.engine);
    auto tanh = make_tanh(w.engine);
    const auto in = numbers();
    std::vector<float> out(COUNT);
    for (int i = 0; i < 50; i++) {
        auto filled = queue.memcpy(a.get_data_handle(), in.data(), bytes);
        auto once = interop::execute(tanh, stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}}, {filled});
        auto twice = interop::execute(tanh, stream, {{DNNL_ARG_SRC, b}, {DNNL_ARG_DST, a}}, {once});
        queue.memcpy(out.data(), a.get_data_handle(), bytes, {twice}).wait();
        check(same_bits(out, expected(2)));
        std::fill(out.begin(), out.end(), 0.0f);
    }
}

/* A matrix product, which needs several launches and a scratchpad. */
struct product {
    static constexpr memory::dim M = 64, N = 80, K = 96;
    memory a, b, c;

    static memory::desc desc(memory::dim rows, memory::dim columns) {
        return {{rows, columns}, memory::data_type::f32, memory::format_tag::ab};
    }
    /* Its elements lie apart: it is computed in scratchpad, and another launch delivers it. */
    static memory::desc result() { return {{M, N}, memory::data_type::f32, memory::dims{2 * N, 2}}; }
    product(const dnnl::engine &engine, int seed)
        : a(desc(M, K), engine), b(desc(K, N), engine), c(result(), engine) {
        fill(a, seed);
        fill(b, seed + 1);
        fill(c, seed + 2); /* what lies between its elements stays */
    }
    static void fill(const memory &m, int seed) {
        std::vector<float> values(m.get_desc().get_size() / sizeof(float));
        for (std::size_t i = 0; i < values.size(); i++)
            values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(seed) * 13) % 17) - 8.0f;
        put(m, values);
    }
    static dnnl::matmul primitive(const dnnl::engine &engine) {
        return dnnl::matmul({engine, desc(M, K), desc(K, N), result()});
    }
    static bool has_scratchpad(const dnnl::engine &engine) {
        dnnl::primitive_attr attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        dnnl::matmul::primitive_desc pd(engine, desc(M, K), desc(K, N), result(), attr);
        return pd.scratchpad_desc().get_size() > 0;
    }
    std::unordered_map<int, memory> args() const {
        return {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
    }
    static std::vector<float> expected(int seed) {
        dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
        dnnl::stream stream(cpu);
        product p(cpu, seed);
        primitive(cpu).execute(stream, p.args());
        stream.wait();
        return get(p.c);
    }
};

/* Unordered executions from two threads share one scratchpad. */
void shared_scratchpad(const world &w) {
    enum { PRODUCTS = 8, ROUNDS = 20 };
    check(product::has_scratchpad(w.engine));
    for (bool in_order : {false, true}) {
        auto queue = w.queue(in_order);
        auto stream = interop::make_stream(w.engine, queue);
        auto multiply = product::primitive(w.engine);
        std::vector<product> products;
        for (int i = 0; i < PRODUCTS; i++)
            products.emplace_back(w.engine, i);
        auto half = [&](int first) {
            for (int round = 0; round < ROUNDS; round++)
                for (int i = first; i < PRODUCTS; i += 2)
                    interop::execute(multiply, stream, products[i].args());
        };
        std::thread other(half, 1);
        half(0);
        other.join();
        stream.wait();
        for (int i = 0; i < PRODUCTS; i++)
            check(same_bits(get(products[i].c), product::expected(i)));
    }
}

/* Graphs */

void record(const world &w, bool in_order) {
    auto queue = w.queue(in_order);
    auto stream = interop::make_stream(w.engine, queue);
    auto tanh = make_tanh(w.engine);
    auto multiply = product::primitive(w.engine);
    memory m(vector_desc(), w.engine);
    product p(w.engine, 3), q(w.engine, 5);
    put(m, numbers());
    multiply.execute(stream, p.args()); /* uses the scratchpad outside the graph */

    experimental::command_graph graph(w.context, w.device);
    graph.begin_recording(queue);
    auto once = interop::execute(tanh, stream, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    interop::execute(tanh, stream, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}, {once});
    interop::execute(multiply, stream, p.args());
    multiply.execute(stream, q.args());
    stream.wait();
    graph.end_recording(queue);
    check(same_bits(get(m), numbers())); /* nothing has run yet */

    auto ready = graph.finalize();
    stream.wait();
    for (int runs = 1; runs <= 3; runs++) {
        queue.ext_oneapi_graph(ready).wait();
        check(same_bits(get(m), expected(2 * runs)));
        check(same_bits(get(p.c), product::expected(3)));
        check(same_bits(get(q.c), product::expected(5)));
    }
    multiply.execute(stream, q.args()); /* and outside the graph again */
    stream.wait();
    check(same_bits(get(q.c), product::expected(5)));
}

/* Why SYCL itself cannot run graphs here; empty if it can. */
std::string no_graphs(const world &w) {
    auto queue = w.queue(true);
    memory m(vector_desc(), w.engine);
    try {
        experimental::command_graph graph(w.context, w.device);
        graph.begin_recording(queue);
        queue.memset(m.get_data_handle(), 0, COUNT);
        graph.end_recording(queue);
        queue.ext_oneapi_graph(graph.finalize()).wait();
        return "";
    } catch (const sycl::exception &e) {
        return e.what();
    }
}

void graphs(const world &w) {
    auto why = no_graphs(w);
    if (!why.empty()) throw skipped("SYCL cannot run graphs: " + why);
    record(w, false);
    record(w, true);
}

/* Lifetimes */

/* The user releases everything; Lode's objects still work. */
void user_releases_first(const world &w) {
    std::unique_ptr<sycl::context> context(new sycl::context(w.device));
    std::unique_ptr<sycl::queue> queue(new sycl::queue(*context, w.device));
    std::unique_ptr<sycl::buffer<float>> buffer(new sycl::buffer<float>(sycl::range<1>(COUNT)));
    fill(*buffer, numbers());
    auto engine = interop::make_engine(w.device, *context);
    auto stream = interop::make_stream(engine, *queue);
    auto m = interop::make_memory(vector_desc(), engine, *buffer);
    buffer.reset(), queue.reset(), context.reset();
    make_tanh(engine).execute(stream, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    stream.wait();
    check(same_bits(get(m), expected(1)));
}

/* Lode's objects are destroyed while in use; the user's objects still complete. */
void library_releases_first(const world &w) {
    const auto bytes = COUNT * sizeof(float);
    sycl::context context(w.device);
    sycl::queue queue(context, w.device);
    sycl::buffer<float> buffer{sycl::range<1>(COUNT)};
    auto *pointer = sycl::malloc_shared<float>(COUNT, w.device, context);
    fill(buffer, numbers());
    sycl::event done;
    {
        auto engine = interop::make_engine(w.device, context);
        auto stream = interop::make_stream(engine, queue);
        auto src = interop::make_memory(vector_desc(), engine, buffer);
        memory dst(vector_desc(), engine, pointer);
        done = interop::execute(make_tanh(engine), stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    }
    std::vector<float> out(COUNT);
    queue.memcpy(out.data(), pointer, bytes, done).wait();
    check(same_bits(out, expected(1)));
    check(same_bits(read(buffer), numbers()));
    sycl::free(pointer, context);
}

/* Bad arguments: an error status, and outputs unchanged. */

char out_of_the_way;

#define check_status(status, call) check((call) == (status))

void bad_engines(const world &w) {
    const auto untouched = reinterpret_cast<dnnl_engine_t>(&out_of_the_way);
    auto engine = untouched;
    void *out = &out_of_the_way;
    const auto bad = dnnl_invalid_arguments;
    check_status(bad, dnnl_sycl_interop_engine_create(nullptr, &w.device, &w.context));
    check_status(bad, dnnl_sycl_interop_engine_create(&engine, nullptr, &w.context));
    check_status(bad, dnnl_sycl_interop_engine_create(&engine, &w.device, nullptr));
    check(engine == untouched);
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    for (auto asked : {static_cast<dnnl_engine_t>(nullptr), cpu.get()}) {
        check_status(bad, dnnl_sycl_interop_engine_get_device(asked, &out));
        check_status(bad, dnnl_sycl_interop_engine_get_context(asked, &out));
    }
    check_status(bad, dnnl_sycl_interop_engine_get_device(w.engine.get(), nullptr));
    check_status(bad, dnnl_sycl_interop_engine_get_context(w.engine.get(), nullptr));
    check(out == &out_of_the_way);
}

void bad_streams(const world &w) {
    const auto untouched = reinterpret_cast<dnnl_stream_t>(&out_of_the_way);
    auto stream = untouched;
    auto queue = w.queue(true);
    void *out = &out_of_the_way;
    const auto bad = dnnl_invalid_arguments;
    check_status(bad, dnnl_sycl_interop_stream_create(nullptr, w.engine.get(), &queue));
    check_status(bad, dnnl_sycl_interop_stream_create(&stream, nullptr, &queue));
    check_status(bad, dnnl_sycl_interop_stream_create(&stream, w.engine.get(), nullptr));
    check(stream == untouched);
    dnnl::stream host(dnnl::engine(dnnl::engine::kind::cpu, 0)), ours(w.engine);
    check_status(bad, dnnl_sycl_interop_stream_get_queue(nullptr, &out));
    check_status(bad, dnnl_sycl_interop_stream_get_queue(host.get(), &out));
    check_status(bad, dnnl_sycl_interop_stream_get_queue(ours.get(), nullptr));
    check(out == &out_of_the_way);
    auto tanh = make_tanh(w.engine);
    check_status(bad,
                 dnnl_sycl_interop_primitive_execute(tanh.get(), host.get(), 0, nullptr, nullptr, nullptr));
    check_status(bad, dnnl_sycl_interop_primitive_execute(tanh.get(), nullptr, 0, nullptr, nullptr, nullptr));
    check_status(bad, dnnl_sycl_interop_primitive_execute(nullptr, ours.get(), 0, nullptr, nullptr, nullptr));
    check_status(bad,
                 dnnl_sycl_interop_primitive_execute(tanh.get(), ours.get(), 0, nullptr, nullptr, nullptr));
}

void bad_memory(const world &w) {
    const auto untouched = reinterpret_cast<dnnl_memory_t>(&out_of_the_way);
    auto made = untouched;
    const auto md = vector_desc();
    const auto usm = dnnl_sycl_interop_usm;
    const auto unknown = static_cast<dnnl_sycl_interop_memory_kind_t>(7);
    const auto bad = dnnl_invalid_arguments;
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    check_status(bad, dnnl_sycl_interop_memory_create(nullptr, md.get(), w.engine.get(), usm, nullptr));
    check_status(bad, dnnl_sycl_interop_memory_create(&made, nullptr, w.engine.get(), usm, nullptr));
    check_status(bad, dnnl_sycl_interop_memory_create(&made, md.get(), nullptr, usm, nullptr));
    check_status(bad, dnnl_sycl_interop_memory_create(&made, md.get(), cpu.get(), usm, nullptr));
    check_status(bad, dnnl_sycl_interop_memory_create(&made, md.get(), w.engine.get(), unknown, nullptr));
    check_status(bad, dnnl_sycl_interop_memory_create_v2(&made, md.get(), w.engine.get(), usm, 0, nullptr));
    memory::desc huge({memory::dim(1) << 50}, memory::data_type::f32, memory::format_tag::a);
    check_status(dnnl_out_of_memory, dnnl_sycl_interop_memory_create(&made, huge.get(), w.engine.get(), usm,
                                                                     DNNL_MEMORY_ALLOCATE));
    check(made == untouched);
    memory host(md, cpu), ours(md, w.engine);
    dnnl_sycl_interop_memory_kind_t kind = unknown;
    check_status(bad, dnnl_sycl_interop_memory_get_memory_kind(nullptr, &kind));
    check_status(bad, dnnl_sycl_interop_memory_get_memory_kind(host.get(), &kind));
    check_status(bad, dnnl_sycl_interop_memory_get_memory_kind(ours.get(), nullptr));
    check(kind == unknown);
    sycl::buffer<std::uint8_t> buffer(sycl::range<1>(COUNT * sizeof(float)));
    check_status(bad, dnnl_sycl_interop_memory_set_buffer(nullptr, &buffer));
    check_status(bad, dnnl_sycl_interop_memory_set_buffer(host.get(), &buffer));
    check_status(bad, dnnl_sycl_interop_memory_set_buffer(ours.get(), nullptr));
}

const struct {
    const char *name;
    void (*run)(const world &w);
} tests[] = {
        {"engines", engines},
        {"device_not_in_context", device_not_in_context},
        {"references_are_balanced", references_are_balanced},
        {"streams", streams},
        {"foreign_queues", foreign_queues},
        {"usm_of_every_kind", usm_of_every_kind},
        {"buffers", buffers},
        {"set_buffer", set_buffer},
        {"map_twice", map_twice},
        {"events", events},
        {"shared_scratchpad", shared_scratchpad},
        {"graphs", graphs},
        {"user_releases_first", user_releases_first},
        {"library_releases_first", library_releases_first},
        {"bad_engines", bad_engines},
        {"bad_streams", bad_streams},
        {"bad_memory", bad_memory},
};

/* Returns the number of failures. */
int run_all(const sycl::device &device, const std::string &name) {
    int failures = 0;
    world w(device);
    for (const auto &test : tests) {
        try {
            test.run(w);
            std::printf("%s/%s: ok\n", name.c_str(), test.name);
        } catch (const skipped &e) {
            std::printf("SKIP: %s/%s: %s\n", name.c_str(), test.name, e.what());
        } catch (const std::exception &e) {
            std::printf("%s/%s: FAILED: %s\n", name.c_str(), test.name, e.what());
            failures++;
        }
        std::fflush(stdout);
    }
    return failures;
}

} // namespace

int main() {
    int failures = 0, devices = 0;
    for (const auto &device : sycl::device::get_devices()) {
        auto name = device.get_info<sycl::info::device::name>();
        if (!device.has(sycl::aspect::usm_shared_allocations)) {
            check_refused(dnnl_unimplemented, interop::make_engine(device, sycl::context(device)));
            std::printf("SKIP: %s: no unified shared memory\n", name.c_str());
            continue;
        }
        bool opencl = device.get_backend() == sycl::backend::opencl;
        failures += run_all(device, (opencl ? "opencl:" : "level_zero:") + name);
        devices++;
    }
    if (devices == 0) std::printf("SKIP: no SYCL device\n");
    return failures ? 1 : devices ? 0 : 77;
}
