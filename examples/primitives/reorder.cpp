/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders an image from channels-first to channels-last. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;

static bool relayout(engine &eng, stream &s) {
    const int C = 3, H = 5, W = 7;
    const std::vector<float> x = example::values(C * H * W);
    memory src = example::filled(example::f32({1, C, H, W}, memory::format_tag::nchw), eng, x);
    memory dst(example::f32({1, C, H, W}, memory::format_tag::nhwc), eng);
    reorder(src, dst).execute(s, src, dst);
    s.wait();

    std::vector<float> expected(x.size());
    for (int c = 0; c < C; ++c)
        for (int p = 0; p < H * W; ++p)
            expected[p * C + c] = x[c * H * W + p];
    return example::close(example::read(dst), expected, 0.f);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, relayout);
}
