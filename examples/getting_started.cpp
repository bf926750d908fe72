/* SPDX-License-Identifier: Apache-2.0 */
/* The first program: ReLU on an image. getting_started_cpp [cpu|gpu] */
#include "example.hpp"

#include <algorithm>

using namespace dnnl;

static bool relu(engine &eng, stream &s) {
    const memory::desc image = example::f32({1, 3, 13, 13}, memory::format_tag::nhwc);
    const std::vector<float> pixels = example::values(3 * 13 * 13);
    const memory src = example::filled(image, eng, pixels), dst(image, eng);

    const eltwise_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::eltwise_relu,
                                             image, image);
    eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(pixels);
    for (float &x : expected)
        x = std::max(x, 0.f);
    return example::close(example::read(dst), expected);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, relu);
}
