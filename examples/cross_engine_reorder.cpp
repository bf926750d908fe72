/* SPDX-License-Identifier: Apache-2.0 */
/* Copies an image from the CPU to an engine, applies ReLU there, and copies it back: cross_engine_reorder_cpp
 * [cpu|gpu] */
#include "example.hpp"

#include <algorithm>

using namespace dnnl;

static bool there_and_back(engine &eng, stream &s) {
    const engine cpu = eng.get_kind() == engine::kind::cpu ? eng : engine(engine::kind::cpu, 0);
    const memory::dims dims = {1, 3, 13, 13};
    const memory::desc planes = example::f32(dims, memory::format_tag::nchw),
                       pixels = example::f32(dims, memory::format_tag::nhwc);
    const std::vector<float> x = example::values(3 * 13 * 13);
    memory from = example::filled(planes, cpu, x), there(pixels, eng), back(planes, cpu);

    reorder(from, there).execute(s, from, there);
    const eltwise_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::eltwise_relu,
                                             pixels, pixels);
    eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, there}});
    reorder(there, back).execute(s, there, back);
    s.wait();

    std::vector<float> expected(x);
    for (float &value : expected)
        value = std::max(value, 0.f);
    return example::close(example::read(back), expected, 0.f);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, there_and_back);
}
