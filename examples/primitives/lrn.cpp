/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization across channels. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;

static bool normalize(engine &eng, stream &s) {
    const int C = 16, P = 9, size = 5;
    const float alpha = 1e-2f, beta = 0.75f, k = 1.f;
    const memory::desc md = example::f32({1, C, 3, 3}, memory::format_tag::nchw);
    const std::vector<float> x = example::values(C * P);
    const memory src = example::filled(md, eng, x), dst(md, eng);
    const lrn_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::lrn_across_channels,
                                         md, md, size, alpha, beta, k);
    lrn_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(x.size());
    for (int c = 0; c < C; ++c)
        for (int p = 0; p < P; ++p) {
            float sum = 0;
            for (int n = c - size / 2; n <= c + size / 2; ++n)
                if (n >= 0 && n < C) sum += x[n * P + p] * x[n * P + p];
            expected[c * P + p] = x[c * P + p] * std::pow(k + alpha * sum / size, -beta);
        }
    return example::close(example::read(dst), expected);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, normalize);
}
