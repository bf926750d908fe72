/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum of each 2 x 2 window. [cpu|gpu] */
#include "../example.hpp"

#include <algorithm>

using namespace dnnl;

static bool pool(engine &eng, stream &s) {
    const int C = 4, H = 6, W = 8;
    const memory::desc src_md = example::f32({1, C, H, W}, memory::format_tag::nchw);
    const memory::desc dst_md = example::f32({1, C, H / 2, W / 2}, memory::format_tag::nchw);
    const std::vector<float> x = example::values(C * H * W);
    const memory src = example::filled(src_md, eng, x), dst(dst_md, eng);
    const pooling_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::pooling_max,
                                             src_md, dst_md, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
    pooling_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected;
    for (int row = 0; row < C * H; row += 2)
        for (int w = 0; w < W; w += 2) {
            const float *at = &x[row * W + w];
            expected.push_back(std::max(std::max(at[0], at[1]), std::max(at[W], at[W + 1])));
        }
    return example::close(example::read(dst), expected, 0.f);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, pool);
}
