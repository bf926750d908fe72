/* SPDX-License-Identifier: Apache-2.0 */
/* A function of each element: clip to [-0.5, 0.5]. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;

static bool clip(engine &eng, stream &s) {
    const memory::desc md = example::f32({4, 100}, memory::format_tag::ab);
    const std::vector<float> x = example::values(400);
    const memory src = example::filled(md, eng, x), dst(md, eng);
    const eltwise_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::eltwise_clip, md,
                                             md, -0.5f, 0.5f);
    eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(x);
    for (float &v : expected)
        v = std::fmin(std::fmax(v, -0.5f), 0.5f);
    return example::close(example::read(dst), expected, 0.f);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, clip);
}
