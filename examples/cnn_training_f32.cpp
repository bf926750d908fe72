/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains a small AlexNet in f32 on images that it makes itself, like cnn_training_f32.c, with the C++ API.
 *
 *   cnn_training_f32_cpp [cpu|gpu] [STEPS]    defaults: cpu 80
 *
 * Each layer adds its forward primitive, and says how to add its backward primitives once the layers above
 * have done so. The loss starts near log(10) = 2.3. Exit status 1 if it does not end below 0.23.
 */
#include "example.hpp"
#include "lib/images.h"

#include <algorithm>
#include <cstdlib>

using namespace dnnl;
using example::dims;
using example::f32;
using example::tag;

static const float rate = 0.006f;

class network {
  public:
    network(engine &eng, stream &s, int batch)
        : eng_(eng), s_(s), batch_(batch), images_(f32({batch, 3, IMAGE_SIZE, IMAGE_SIZE}, tag::nchw), eng),
          last_(images_) {}

    void convolution(int oc, int kernel, int stride, int padding, int groups) {
        const dims src = last_.get_desc().get_dims(), strides{stride, stride}, pad{padding, padding};
        const int ic = int(src[1]) / groups;
        const dims dst{batch_, oc, windows(src[2], kernel, stride, padding),
                       windows(src[3], kernel, stride, padding)};
        const dims shape =
                groups > 1 ? dims{groups, oc / groups, ic, kernel, kernel} : dims{oc, ic, kernel, kernel};
        const memory::desc bias_md = f32({oc}, tag::x);
        const convolution_forward::primitive_desc pd(eng_, prop_kind::forward_training,
                                                     algorithm::convolution_direct, f32(src), f32(shape),
                                                     bias_md, f32(dst), strides, pad, pad);
        const weighted layer = add_weighted(convolution_forward(pd), pd, shape,
                                            groups > 1 ? tag::goihw : tag::oihw, ic * kernel * kernel);
        add_backward([=](const memory &diff_dst, bool first) {
            const convolution_backward_weights::primitive_desc by_weights(eng_, algorithm::convolution_direct,
                                                                          f32(src), f32(shape), bias_md,
                                                                          f32(dst), strides, pad, pad, pd);
            add_gradients(convolution_backward_weights(by_weights), by_weights, layer, diff_dst);
            if (first) return memory();
            const convolution_backward_data::primitive_desc by_data(eng_, algorithm::convolution_direct,
                                                                    f32(src), f32(shape), f32(dst), strides,
                                                                    pad, pad, pd);
            return add_backward_data(convolution_backward_data(by_data), by_data, layer, diff_dst);
        });
    }

    void inner_product(int oc, float gain = 6.f) {
        const dims src = last_.get_desc().get_dims(), dst{batch_, oc};
        dims shape = src;
        shape[0] = oc;
        int inputs = 1;
        for (size_t d = 1; d < src.size(); ++d)
            inputs *= int(src[d]);
        const memory::desc bias_md = f32({oc}, tag::x);
        const inner_product_forward::primitive_desc pd(eng_, prop_kind::forward_training, f32(src),
                                                       f32(shape), bias_md, f32(dst));
        const weighted layer = add_weighted(inner_product_forward(pd), pd, shape,
                                            src.size() == 4 ? tag::oihw : tag::oi, inputs, gain);
        add_backward([=](const memory &diff_dst, bool first) {
            const inner_product_backward_weights::primitive_desc by_weights(eng_, f32(src), f32(shape),
                                                                            bias_md, f32(dst), pd);
            add_gradients(inner_product_backward_weights(by_weights), by_weights, layer, diff_dst);
            if (first) return memory();
            const inner_product_backward_data::primitive_desc by_data(eng_, f32(src), f32(shape), f32(dst),
                                                                      pd);
            return add_backward_data(inner_product_backward_data(by_data), by_data, layer, diff_dst);
        });
    }

    /// In place, forward and backward. The gradient is computed from the output.
    void relu() {
        const algorithm relu = algorithm::eltwise_relu_use_dst_for_bwd;
        const memory dst = last_;
        const memory::desc md = dst.get_desc();
        const eltwise_forward::primitive_desc pd(eng_, prop_kind::forward_training, relu, md, md);
        add(eltwise_forward(pd), {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}});
        add_backward([=](const memory &diff_dst, bool) {
            const memory diff = to_layout(diff_dst, md);
            const eltwise_backward::primitive_desc back(eng_, relu, md, md, md, 0.f, 0.f, pd);
            add(eltwise_backward(back),
                {{DNNL_ARG_DST, dst}, {DNNL_ARG_DIFF_DST, diff}, {DNNL_ARG_DIFF_SRC, diff}});
            return diff;
        });
    }

    void lrn() {
        const memory src = last_;
        const memory::desc md = src.get_desc();
        const lrn_forward::primitive_desc pd(eng_, prop_kind::forward_training,
                                             algorithm::lrn_across_channels, md, md, 5, 1e-4f, 0.75f, 1.f);
        const memory workspace(pd.workspace_desc(), eng_);
        add_output(lrn_forward(pd), md, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WORKSPACE, workspace}});
        add_backward([=](const memory &diff_dst, bool) {
            const lrn_backward::primitive_desc back(eng_, algorithm::lrn_across_channels, md, md, md, 5,
                                                    1e-4f, 0.75f, 1.f, pd);
            const memory diff_src(md, eng_);
            add(lrn_backward(back), {{DNNL_ARG_SRC, src},
                                     {DNNL_ARG_WORKSPACE, workspace},
                                     {DNNL_ARG_DIFF_DST, to_layout(diff_dst, md)},
                                     {DNNL_ARG_DIFF_SRC, diff_src}});
            return diff_src;
        });
    }

    /// The workspace remembers where each maximum was.
    void pooling(int kernel, int stride) {
        const memory::desc src_md = last_.get_desc();
        const dims src = src_md.get_dims(), strides{stride, stride}, window{kernel, kernel}, none{0, 0};
        const dims dst{batch_, src[1], windows(src[2], kernel, stride), windows(src[3], kernel, stride)};
        const pooling_forward::primitive_desc pd(eng_, prop_kind::forward_training, algorithm::pooling_max,
                                                 src_md, f32(dst), strides, window, none, none, none);
        const memory::desc dst_md = pd.dst_desc();
        const memory workspace(pd.workspace_desc(), eng_);
        add_output(pooling_forward(pd), dst_md, {{DNNL_ARG_SRC, last_}, {DNNL_ARG_WORKSPACE, workspace}});
        add_backward([=](const memory &diff_dst, bool) {
            const pooling_backward::primitive_desc back(eng_, algorithm::pooling_max, src_md, dst_md, strides,
                                                        window, none, none, none, pd);
            const memory diff_src(src_md, eng_);
            add(pooling_backward(back), {{DNNL_ARG_WORKSPACE, workspace},
                                         {DNNL_ARG_DIFF_DST, to_layout(diff_dst, dst_md)},
                                         {DNNL_ARG_DIFF_SRC, diff_src}});
            return diff_src;
        });
    }

    /// The end of the network: logarithms of probabilities. Adds the backward primitives of all layers.
    void log_softmax() {
        const memory::desc md = f32(last_.get_desc().get_dims(), tag::nc);
        const softmax_forward::primitive_desc pd(eng_, prop_kind::forward_training, algorithm::softmax_log,
                                                 md, md, 1);
        add_output(softmax_forward(pd), md, {{DNNL_ARG_SRC, to_layout(last_, md)}});
        const softmax_backward::primitive_desc back(eng_, algorithm::softmax_log, md, md, md, 1, pd);
        loss_gradient_ = memory(md, eng_);
        memory diff(md, eng_);
        add(softmax_backward(back),
            {{DNNL_ARG_DST, last_}, {DNNL_ARG_DIFF_DST, loss_gradient_}, {DNNL_ARG_DIFF_SRC, diff}});
        for (size_t i = backward_.size(); i-- > 0;)
            diff = backward_[i](diff, i == 0);
        steps_.insert(steps_.end(), updates_.begin(), updates_.end());
    }

    /// One step of training: returns the average of -log(probability of the label) before the update.
    double train(const float *pixels, const int *labels) {
        std::vector<float> gradient(size_t(batch_) * IMAGE_CLASSES);
        for (int n = 0; n < batch_; ++n)
            gradient[size_t(n) * IMAGE_CLASSES + labels[n]] = -1.f / float(batch_);
        example::write(images_, pixels, size_t(batch_) * IMAGE_FLOATS);
        example::write(loss_gradient_, gradient.data(), gradient.size());
        for (const step &one : steps_)
            one.what.execute(s_, one.args);
        s_.wait();
        const std::vector<float> scores = example::read(last_);
        double loss = 0;
        for (int n = 0; n < batch_; ++n)
            loss -= double(scores[size_t(n) * IMAGE_CLASSES + labels[n]]) / batch_;
        return loss;
    }

  private:
    using arguments = std::unordered_map<int, memory>;
    struct step {
        primitive what;
        arguments args;
    };
    struct weighted {
        memory src, weights, bias;
    };
    /// From the gradient of a layer's output to that of its input. The first layer's is not needed.
    using backward = std::function<memory(const memory &diff_dst, bool first)>;

    engine &eng_;
    stream &s_;
    int batch_;
    memory images_, last_, loss_gradient_;
    std::vector<step> steps_, updates_;
    std::vector<backward> backward_;
    unsigned seed_ = 1;

    static memory::dim windows(memory::dim size, int kernel, int stride, int padding = 0) {
        return (size + 2 * padding - kernel) / stride + 1;
    }

    void add(const primitive &what, const arguments &args) { steps_.push_back({what, args}); }
    void add_backward(const backward &how) { backward_.push_back(how); }
    void add_output(const primitive &what, const memory::desc &md, arguments args) {
        last_ = args[DNNL_ARG_DST] = memory(md, eng_);
        add(what, args);
    }

    /// The memory itself, or one that each step of training reorders it into.
    memory to_layout(memory given, const memory::desc &wanted) {
        if (given.get_desc() == wanted) return given;
        memory copy(wanted, eng_);
        add(reorder(given, copy), {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, copy}});
        return copy;
    }

    /// Random weights in the layout that the primitive wants, and a bias of 0.
    template <typename Desc>
    weighted add_weighted(const primitive &what, const Desc &pd, const dims &shape, tag layout, int inputs,
                          float gain = 6.f) {
        const memory::desc md = f32(shape, layout);
        std::vector<float> w = example::values(md.get_size() / sizeof(float), ++seed_);
        for (float &v : w)
            v *= std::sqrt(gain / float(inputs));
        const std::vector<float> b(size_t(pd.bias_desc().get_dims()[0]));
        const weighted layer{to_layout(last_, pd.src_desc()),
                             example::as(pd.weights_desc(), example::filled(md, eng_, w), s_),
                             example::filled(pd.bias_desc(), eng_, b)};
        add_output(
                what, pd.dst_desc(),
                {{DNNL_ARG_SRC, layer.src}, {DNNL_ARG_WEIGHTS, layer.weights}, {DNNL_ARG_BIAS, layer.bias}});
        return layer;
    }

    template <typename Desc>
    memory add_backward_data(const primitive &what, const Desc &pd, const weighted &layer,
                             const memory &diff_dst) {
        const memory diff_src(pd.diff_src_desc(), eng_);
        add(what, {{DNNL_ARG_DIFF_DST, to_layout(diff_dst, pd.diff_dst_desc())},
                   {DNNL_ARG_WEIGHTS, to_layout(layer.weights, pd.weights_desc())},
                   {DNNL_ARG_DIFF_SRC, diff_src}});
        return diff_src;
    }

    template <typename Desc>
    void add_gradients(const primitive &what, const Desc &pd, const weighted &layer, const memory &diff_dst) {
        const memory weights(pd.diff_weights_desc(), eng_), bias(pd.diff_bias_desc(), eng_);
        add(what, {{DNNL_ARG_SRC, to_layout(layer.src, pd.src_desc())},
                   {DNNL_ARG_DIFF_DST, to_layout(diff_dst, pd.diff_dst_desc())},
                   {DNNL_ARG_DIFF_WEIGHTS, weights},
                   {DNNL_ARG_DIFF_BIAS, bias}});
        add_update(layer.weights, to_layout(weights, layer.weights.get_desc()));
        add_update(layer.bias, bias);
    }

    /// value = value - rate * gradient, after everything else: backward primitives need the old weights.
    void add_update(const memory &value, const memory &gradient) {
        const memory::desc md = value.get_desc();
        const sum::primitive_desc pd(eng_, md, {1.f, -rate}, {md, md});
        updates_.push_back({sum(pd),
                            {{DNNL_ARG_MULTIPLE_SRC, value},
                             {DNNL_ARG_MULTIPLE_SRC + 1, gradient},
                             {DNNL_ARG_DST, value}}});
    }
};

static void add_alexnet(network &net) {
    net.convolution(48, 11, 4, 0, 1);
    net.relu();
    net.lrn();
    net.pooling(3, 2);
    net.convolution(128, 5, 1, 2, 2);
    net.relu();
    net.lrn();
    net.pooling(3, 2);
    net.convolution(192, 3, 1, 1, 1);
    net.relu();
    net.convolution(192, 3, 1, 1, 2);
    net.relu();
    net.convolution(128, 3, 1, 1, 2);
    net.relu();
    net.pooling(3, 2);
    for (int neurons : {512, 512}) {
        net.inner_product(neurons);
        net.relu();
    }
    net.inner_product(IMAGE_CLASSES, 0.06f); // small scores at first: all classes alike
    net.log_softmax();
}

static int steps = 80;

static bool train(engine &eng, stream &s) {
    const int batch = 16, batches = 10;
    std::vector<float> pixels(size_t(batch) * batches * IMAGE_FLOATS);
    std::vector<int> labels(size_t(batch) * batches);
    for (size_t n = 0; n < labels.size(); ++n)
        labels[n] = make_image(uint32_t(n), &pixels[n * IMAGE_FLOATS]);

    network net(eng, s, batch);
    add_alexnet(net);
    double first = 0, last = 0; // last: the average of the last ten
    for (int i = 0; i < steps; ++i) {
        const size_t start = size_t(i % batches) * batch;
        const double loss = net.train(&pixels[start * IMAGE_FLOATS], &labels[start]);
        if (i == 0) first = loss;
        if (i >= steps - 10) last += loss / 10;
        if (i % 10 == 0 || i == steps - 1) std::printf("step %3d: loss %.4f\n", i, loss);
    }
    const bool learned = first > 2.2 && first < 2.6 && last < 0.23;
    if (!learned) std::printf("expected the loss to fall from about 2.3 to less than 0.23\n");
    return learned;
}

int main(int argc, char **argv) {
    if (argc > 2) steps = std::max(1, std::atoi(argv[2]));
    return example::run(argc, argv, train);
}
