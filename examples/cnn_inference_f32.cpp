/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AlexNet in f32, in C++: the primitives choose every layout but the image's, weights are reordered once. The
 * result of the first image is compared with the same network in plain loops, then the network is timed.
 *
 *   cnn_inference_f32_cpp [cpu|gpu] [BATCH] [RUNS]    defaults: cpu 1 20
 */
#include "example.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace dnnl;
using example::dims;
using example::tag;

/// Computes one image in plain loops, layer by layer, alongside the network.
struct plain_image {
    int channels = 3, size = 227;
    std::vector<float> x;

    void convolution(const std::vector<float> &w, const std::vector<float> &b, int oc, int kernel, int stride,
                     int padding, int groups) {
        const int out = (size + 2 * padding - kernel) / stride + 1, ic = channels / groups;
        std::vector<float> y(size_t(oc) * out * out);
        for (int o = 0; o < oc; ++o) {
            float *to = &y[size_t(o) * out * out];
            std::fill(to, to + out * out, b[o]);
            for (int i = 0; i < ic * kernel * kernel; ++i) {
                const int c = o / (oc / groups) * ic + i / (kernel * kernel);
                const int dy = i / kernel % kernel - padding, dx = i % kernel - padding;
                const float weight = w[size_t(o) * ic * kernel * kernel + i];
                for (int r = 0; r < out; ++r)
                    for (int q = 0; q < out; ++q) {
                        const int h = r * stride + dy, v = q * stride + dx;
                        if (h >= 0 && h < size && v >= 0 && v < size)
                            to[r * out + q] += weight * x[(size_t(c) * size + h) * size + v];
                    }
            }
        }
        x = y;
        channels = oc;
        size = out;
    }

    void relu() {
        for (float &v : x)
            v = std::max(v, 0.f);
    }

    void lrn(int local, float alpha, float beta, float k) {
        const std::vector<float> before = x;
        const int space = size * size;
        for (int c = 0; c < channels; ++c)
            for (int p = 0; p < space; ++p) {
                float sum = 0;
                for (int n = std::max(0, c - local / 2); n <= std::min(channels - 1, c + local / 2); ++n)
                    sum += before[n * space + p] * before[n * space + p];
                x[c * space + p] *= std::pow(k + alpha * sum / float(local), -beta);
            }
    }

    void pooling(int kernel, int stride) {
        const int out = (size - kernel) / stride + 1;
        std::vector<float> y(size_t(channels) * out * out, -INFINITY);
        for (size_t i = 0; i < y.size(); ++i)
            for (int k = 0; k < kernel * kernel; ++k) {
                const int c = int(i) / (out * out), h = int(i) / out % out * stride + k / kernel,
                          v = int(i) % out * stride + k % kernel;
                y[i] = std::max(y[i], x[(size_t(c) * size + h) * size + v]);
            }
        x = y;
        size = out;
    }

    void inner_product(const std::vector<float> &w, const std::vector<float> &b, int oc) {
        std::vector<float> y(b);
        for (int o = 0; o < oc; ++o)
            for (size_t i = 0; i < x.size(); ++i)
                y[o] += x[i] * w[size_t(o) * x.size() + i];
        x = y;
        channels = oc;
        size = 1;
    }

    void softmax() {
        const float top = *std::max_element(x.begin(), x.end());
        double sum = 0;
        for (float v : x)
            sum += std::exp(v - top);
        for (float &v : x)
            v = float(std::exp(v - top) / sum);
    }
};

class network {
  public:
    network(engine &eng, stream &s, int batch)
        : eng_(eng), s_(s), batch_(batch), last_(example::f32({batch, 3, 227, 227}, tag::nchw), eng) {
        const std::vector<float> images = example::values(size_t(batch) * 3 * 227 * 227, 7);
        last_ = example::filled(last_.get_desc(), eng, images);
        plain.x.assign(images.begin(), images.begin() + 3 * 227 * 227);
    }

    void convolution(int oc, int kernel, int stride, int padding, int groups) {
        const int ic = plain.channels / groups;
        const std::vector<float> w = weights(size_t(oc) * ic * kernel * kernel, ic * kernel * kernel),
                                 b = bias(oc);
        plain.convolution(w, b, oc, kernel, stride, padding, groups);
        const dims shape =
                groups > 1 ? dims{groups, oc / groups, ic, kernel, kernel} : dims{oc, ic, kernel, kernel};
        const memory::desc bias_md = example::f32({oc}, tag::x);
        const convolution_forward::primitive_desc pd(
                eng_, prop_kind::forward_inference, algorithm::convolution_direct,
                example::f32(last_.get_desc().get_dims()), example::f32(shape), bias_md,
                example::f32({batch_, oc, plain.size, plain.size}), {stride, stride}, {padding, padding},
                {padding, padding});
        to_layout(pd.src_desc());
        const memory dst(pd.dst_desc(), eng_);
        const memory plain_w =
                example::filled(example::f32(shape, groups > 1 ? tag::goihw : tag::oihw), eng_, w);
        add(convolution_forward(pd), dst,
            {{DNNL_ARG_WEIGHTS, example::as(pd.weights_desc(), plain_w, s_)},
             {DNNL_ARG_BIAS, example::filled(bias_md, eng_, b)}});
    }

    void inner_product(int oc) {
        const size_t inputs = plain.x.size();
        const std::vector<float> w = weights(oc * inputs, int(inputs)), b = bias(oc);
        dims shape = last_.get_desc().get_dims();
        shape[0] = oc;
        plain.inner_product(w, b, oc);
        const memory::desc bias_md = example::f32({oc}, tag::x);
        const inner_product_forward::primitive_desc pd(
                eng_, prop_kind::forward_inference, example::f32(last_.get_desc().get_dims()),
                example::f32(shape), bias_md, example::f32({batch_, oc}));
        to_layout(pd.src_desc());
        const memory plain_w =
                example::filled(example::f32(shape, shape.size() == 4 ? tag::oihw : tag::oi), eng_, w);
        add(inner_product_forward(pd), memory(pd.dst_desc(), eng_),
            {{DNNL_ARG_WEIGHTS, example::as(pd.weights_desc(), plain_w, s_)},
             {DNNL_ARG_BIAS, example::filled(bias_md, eng_, b)}});
    }

    void relu() {
        plain.relu();
        const memory::desc md = last_.get_desc();
        add(eltwise_forward({eng_, prop_kind::forward_inference, algorithm::eltwise_relu, md, md}), last_,
            {});
    }

    void lrn() {
        plain.lrn(5, 1e-4f, 0.75f, 1.f);
        const memory::desc md = last_.get_desc();
        const lrn_forward::primitive_desc pd(eng_, prop_kind::forward_inference,
                                             algorithm::lrn_across_channels, md, example::f32(md.get_dims()),
                                             5, 1e-4f, 0.75f, 1.f);
        add(lrn_forward(pd), memory(pd.dst_desc(), eng_), {});
    }

    void pooling() {
        plain.pooling(3, 2);
        const pooling_forward::primitive_desc pd(
                eng_, prop_kind::forward_inference, algorithm::pooling_max, last_.get_desc(),
                example::f32({batch_, plain.channels, plain.size, plain.size}), {2, 2}, {3, 3}, {0, 0},
                {0, 0}, {0, 0});
        add(pooling_forward(pd), memory(pd.dst_desc(), eng_), {});
    }

    void softmax() {
        plain.softmax();
        const memory::desc md = example::f32({batch_, plain.channels}, tag::nc);
        to_layout(md);
        const softmax_forward::primitive_desc pd(eng_, prop_kind::forward_inference,
                                                 algorithm::softmax_accurate, md, md, 1);
        add(softmax_forward(pd), memory(md, eng_), {});
    }

    void run() {
        for (const step &one : steps_)
            one.what.execute(s_, one.arguments);
        s_.wait();
    }

    /// Does the first image's result match the plain loops?
    bool right() const {
        std::vector<float> answer = example::read(last_);
        answer.resize(plain.x.size());
        const auto top = std::max_element(answer.begin(), answer.end());
        std::printf("first image: class %d, %g; ", int(top - answer.begin()), double(*top));
        return example::close(answer, plain.x, 1e-5f);
    }

  private:
    struct step {
        primitive what;
        std::unordered_map<int, memory> arguments;
    };

    engine &eng_;
    stream &s_;
    int batch_;
    memory last_;
    plain_image plain;
    std::vector<step> steps_;
    unsigned seed_ = 100;

    std::vector<float> weights(size_t count, int inputs) {
        std::vector<float> w = example::values(count, ++seed_);
        for (float &v : w)
            v *= std::sqrt(6.f / float(inputs));
        return w;
    }
    std::vector<float> bias(int count) { return example::values(size_t(count), ++seed_); }

    void to_layout(const memory::desc &wanted) {
        if (last_.get_desc() == wanted) return;
        const memory copy(wanted, eng_);
        add(reorder(last_, copy), copy, {});
    }

    void add(const primitive &what, const memory &dst, std::unordered_map<int, memory> arguments) {
        arguments[DNNL_ARG_SRC] = last_;
        arguments[DNNL_ARG_DST] = dst;
        steps_.push_back({what, arguments});
        last_ = dst;
    }
};

static int batch = 1, runs = 20;

static bool alexnet(engine &eng, stream &s) {
    network net(eng, s, batch);
    net.convolution(96, 11, 4, 0, 1);
    net.relu();
    net.lrn();
    net.pooling();
    net.convolution(256, 5, 1, 2, 2);
    net.relu();
    net.lrn();
    net.pooling();
    net.convolution(384, 3, 1, 1, 1);
    net.relu();
    net.convolution(384, 3, 1, 1, 2);
    net.relu();
    net.convolution(256, 3, 1, 1, 2);
    net.relu();
    net.pooling();
    for (int oc : {4096, 4096}) {
        net.inner_product(oc);
        net.relu();
    }
    net.inner_product(1000);
    net.softmax();

    net.run();
    const bool right = net.right();
    double least = 1e30, sum = 0;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        net.run();
        const double ms =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        least = std::min(least, ms);
        sum += ms;
    }
    std::printf("batch %d: min %.3f ms, avg %.3f ms\n", batch, least, sum / runs);
    return right;
}

int main(int argc, char **argv) {
    if (argc > 2) batch = std::max(1, std::atoi(argv[2]));
    if (argc > 3) runs = std::max(1, std::atoi(argv[3]));
    return example::run(argc, argv, alexnet);
}
