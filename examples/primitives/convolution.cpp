/* SPDX-License-Identifier: Apache-2.0 */
/* A 3 x 3 convolution with a fused ReLU; the primitive chooses every layout but the user's. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;
using example::tag;

static bool convolve(engine &eng, stream &s) {
    const int IC = 8, OC = 16, H = 9, W = 11;
    const std::vector<float> x = example::values(IC * H * W, 1), w = example::values(OC * IC * 9, 2),
                             b = example::values(OC, 3);
    primitive_attr attr;
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    const memory::desc bias_md = example::f32({OC}, tag::x), dst_md = example::f32({1, OC, H, W}, tag::nchw);
    const convolution_forward::primitive_desc pd(
            eng, prop_kind::forward_inference, algorithm::convolution_direct, example::f32({1, IC, H, W}),
            example::f32({OC, IC, 3, 3}), bias_md, example::f32({1, OC, H, W}), {1, 1}, {1, 1}, {1, 1}, attr);
    const memory src =
            example::as(pd.src_desc(), example::filled(example::f32({1, IC, H, W}, tag::nchw), eng, x), s);
    const memory weights = example::as(pd.weights_desc(),
                                       example::filled(example::f32({OC, IC, 3, 3}, tag::oihw), eng, w), s);
    const memory bias = example::filled(bias_md, eng, b), dst(pd.dst_desc(), eng);
    convolution_forward(pd).execute(
            s,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(OC * H * W);
    for (int o = 0; o < OC; ++o)
        for (int y = 0; y < H; ++y)
            for (int z = 0; z < W; ++z) {
                double sum = b[o];
                for (int i = 0; i < IC * 9; ++i) {
                    const int h = y + i % 9 / 3 - 1, v = z + i % 3 - 1;
                    if (h >= 0 && h < H && v >= 0 && v < W)
                        sum += x[(i / 9 * H + h) * W + v] * w[o * IC * 9 + i];
                }
                expected[(o * H + y) * W + z] = sum > 0 ? float(sum) : 0.f;
            }
    return example::close(example::read(example::as(dst_md, dst, s)), expected);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, convolve);
}
