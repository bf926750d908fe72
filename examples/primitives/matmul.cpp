/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product with a bias; the weights have the layout that the primitive prefers. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;
using example::tag;

static bool multiply(engine &eng, stream &s) {
    const int M = 20, K = 30, N = 40;
    const std::vector<float> a = example::values(M * K, 1), b = example::values(K * N, 2),
                             c = example::values(N, 3);
    const memory::desc bias_md = example::f32({1, N}, tag::ab), dst_md = example::f32({M, N}, tag::ab);
    const matmul::primitive_desc pd(eng, example::f32({M, K}, tag::ab), example::f32({K, N}), bias_md,
                                    dst_md);

    const memory src = example::filled(pd.src_desc(), eng, a), bias = example::filled(bias_md, eng, c),
                 dst(dst_md, eng);
    const memory weights =
            example::as(pd.weights_desc(), example::filled(example::f32({K, N}, tag::ab), eng, b), s);
    matmul(pd).execute(
            s,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(M * N);
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
            double sum = c[n];
            for (int k = 0; k < K; ++k)
                sum += a[m * K + k] * b[k * N + n];
            expected[m * N + n] = float(sum);
        }
    return example::close(example::read(dst), expected);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, multiply);
}
