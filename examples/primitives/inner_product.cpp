/* SPDX-License-Identifier: Apache-2.0 */
/* A fully connected layer; the weights have the layout that the primitive prefers. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;
using example::tag;

static bool connect(engine &eng, stream &s) {
    const int N = 3, IC = 24, OC = 10;
    const std::vector<float> x = example::values(N * IC, 1), w = example::values(OC * IC, 2),
                             b = example::values(OC, 3);
    const memory::desc src_md = example::f32({N, IC}, tag::nc), bias_md = example::f32({OC}, tag::x),
                       dst_md = example::f32({N, OC}, tag::nc);
    const inner_product_forward::primitive_desc pd(eng, prop_kind::forward_inference, src_md,
                                                   example::f32({OC, IC}), bias_md, dst_md);
    const memory src = example::filled(src_md, eng, x), bias = example::filled(bias_md, eng, b),
                 dst(dst_md, eng);
    const memory weights =
            example::as(pd.weights_desc(), example::filled(example::f32({OC, IC}, tag::oi), eng, w), s);
    inner_product_forward(pd).execute(
            s,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(N * OC);
    for (int n = 0; n < N; ++n)
        for (int o = 0; o < OC; ++o) {
            double sum = b[o];
            for (int i = 0; i < IC; ++i)
                sum += x[n * IC + i] * w[o * IC + i];
            expected[n * OC + o] = float(sum);
        }
    return example::close(example::read(dst), expected);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, connect);
}
