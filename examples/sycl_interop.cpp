/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's own SYCL commands and Lode's primitives on one queue: first with USM and events, then with
 * buffers, whose accessors define the dependencies. A small layer, relu(W x + b), is computed both ways. No
 * SYCL compiler is needed: the program's own commands are copies and host tasks.
 *
 * Exit status 77: there is no suitable SYCL device.
 */
#include "oneapi/dnnl/dnnl_sycl.hpp"

#include <cstdio>
#include <vector>

using namespace dnnl;

constexpr memory::dim BATCH = 16, INPUTS = 64, OUTPUTS = 32;

static memory::desc matrix(memory::dim rows, memory::dim columns) {
    return {{rows, columns}, memory::data_type::f32, memory::format_tag::ab};
}

static memory::desc vector() {
    return {{OUTPUTS}, memory::data_type::f32, memory::format_tag::a};
}

/* Small integers, so that sums are exact in any order. */
static std::vector<float> numbers(memory::dim count, int seed) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<float>((static_cast<int>(i) * 5 + seed) % 11 - 5);
    return values;
}

static const std::vector<float> x = numbers(BATCH * INPUTS, 1), weights = numbers(OUTPUTS * INPUTS, 2),
                                bias = numbers(OUTPUTS, 3);

static float expected(memory::dim n, memory::dim o) {
    float sum = bias[o];
    for (memory::dim i = 0; i < INPUTS; i++)
        sum += x[n * INPUTS + i] * weights[o * INPUTS + i];
    return sum > 0 ? sum : 0;
}

template <typename Results>
static bool is_right(const Results &results) {
    for (memory::dim n = 0; n < BATCH; n++)
        for (memory::dim o = 0; o < OUTPUTS; o++)
            if (results[n * OUTPUTS + o] != expected(n, o)) return false;
    return true;
}

static inner_product_forward make_layer(const engine &engine) {
    post_ops relu;
    relu.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr attr;
    attr.set_post_ops(relu);
    return inner_product_forward({engine, prop_kind::forward_inference, matrix(BATCH, INPUTS),
                                  matrix(OUTPUTS, INPUTS), vector(), matrix(BATCH, OUTPUTS), attr});
}

/* An out-of-order queue: copies to the device, then the layer, then a host task, ordered by events. */
static bool with_usm(sycl::queue &queue, const engine &engine) {
    auto stream = sycl_interop::make_stream(engine, queue);
    auto *src = sycl::malloc_device<float>(x.size(), queue);
    auto *wei = sycl::malloc_device<float>(weights.size(), queue);
    auto *add = sycl::malloc_device<float>(bias.size(), queue);
    auto *dst = sycl::malloc_shared<float>(BATCH * OUTPUTS, queue);

    std::vector<sycl::event> copies = {queue.copy(x.data(), src, x.size()),
                                       queue.copy(weights.data(), wei, weights.size()),
                                       queue.copy(bias.data(), add, bias.size())};
    auto layer = sycl_interop::execute(make_layer(engine), stream,
                                       {{DNNL_ARG_SRC, memory(matrix(BATCH, INPUTS), engine, src)},
                                        {DNNL_ARG_WEIGHTS, memory(matrix(OUTPUTS, INPUTS), engine, wei)},
                                        {DNNL_ARG_BIAS, memory(vector(), engine, add)},
                                        {DNNL_ARG_DST, memory(matrix(BATCH, OUTPUTS), engine, dst)}},
                                       copies);
    bool right = false;
    queue.submit([&](sycl::handler &handler) {
             handler.depends_on(layer);
             handler.host_task([&, dst] { right = is_right(dst); });
         }).wait();
    for (auto *pointer : {src, wei, add, dst})
        sycl::free(pointer, queue);
    return right;
}

/* No events: the buffers' accessors order the commands. */
static bool with_buffers(sycl::queue &queue, const engine &engine) {
    auto stream = sycl_interop::make_stream(engine, queue);
    sycl::buffer<float, 2> src(x.data(), sycl::range<2>(BATCH, INPUTS));
    sycl::buffer<float, 2> wei(weights.data(), sycl::range<2>(OUTPUTS, INPUTS));
    sycl::buffer<float> add(bias.data(), sycl::range<1>(OUTPUTS)), dst(sycl::range<1>(BATCH * OUTPUTS));

    make_layer(engine).execute(
            stream, {{DNNL_ARG_SRC, sycl_interop::make_memory(matrix(BATCH, INPUTS), engine, src)},
                     {DNNL_ARG_WEIGHTS, sycl_interop::make_memory(matrix(OUTPUTS, INPUTS), engine, wei)},
                     {DNNL_ARG_BIAS, sycl_interop::make_memory(vector(), engine, add)},
                     {DNNL_ARG_DST, sycl_interop::make_memory(matrix(BATCH, OUTPUTS), engine, dst)}});

    std::vector<float> results(BATCH * OUTPUTS);
    queue.submit([&](sycl::handler &handler) {
             handler.copy(dst.get_access<sycl::access_mode::read>(handler), results.data());
         }).wait();
    return is_right(results);
}

static bool show(const char *how, bool right) {
    std::printf("  %-22s %s\n", how, right ? "right" : "WRONG");
    return right;
}

static bool show_device(const sycl::device &device) {
    sycl::queue queue(device);
    auto engine = sycl_interop::make_engine(device, queue.get_context());
    std::printf("%s, through %s\n", device.get_info<sycl::info::device::name>().c_str(),
                device.get_platform().get_info<sycl::info::platform::name>().c_str());
    bool usm = show("with USM and events:", with_usm(queue, engine));
    bool buffers = show("with buffers:", with_buffers(queue, engine));
    return usm && buffers;
}

int main() {
    int shown = 0, wrong = 0;
    for (const auto &device : sycl::device::get_devices()) {
        if (!device.has(sycl::aspect::usm_shared_allocations)) continue;
        wrong += !show_device(device);
        shown++;
    }
    if (shown == 0) std::printf("SKIP: no SYCL device with USM\n");
    return wrong ? 1 : shown ? 0 : 77;
}
