/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of the rows of a matrix. [cpu|gpu] */
#include "../example.hpp"

using namespace dnnl;

static bool softmax(engine &eng, stream &s) {
    const int rows = 5, columns = 1000;
    const memory::desc md = example::f32({rows, columns}, memory::format_tag::ab);
    const std::vector<float> x = example::values(rows * columns);
    const memory src = example::filled(md, eng, x), dst(md, eng);
    const softmax_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::softmax_accurate,
                                             md, md, 1);
    softmax_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();

    std::vector<float> expected(x.size());
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int c = 0; c < columns; ++c)
            sum += std::exp(x[r * columns + c]);
        for (int c = 0; c < columns; ++c)
            expected[r * columns + c] = float(std::exp(x[r * columns + c]) / sum);
    }
    return example::close(example::read(dst), expected, 1e-6f);
}

int main(int argc, char **argv) {
    return example::run(argc, argv, softmax);
}
