/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every primitive of the C++ API: each constructor of its descriptor with and without attributes and
 * allow_empty, every query, copies of C descriptors, creation and execution. A problem may be unimplemented:
 * then the throwing constructors throw that status and the others leave an empty descriptor. Everything else
 * must work.
 */
#include "check.hpp"

#include <cmath>

using namespace dnnl;

using dt = memory::data_type;
using tag = memory::format_tag;
using dims = memory::dims;
using desc = memory::desc;

static int supported, unimplemented;

static engine cpu() {
    static engine e(engine::kind::cpu, 0);
    return e;
}

static desc any(const dims &d, dt type = dt::f32) {
    return desc(d, type, tag::any);
}

static const dims none2 = {0, 0}, ones2 = {1, 1};

/// A descriptor of another primitive kind, to be refused.
static reorder::primitive_desc other_kind() {
    return reorder::primitive_desc(cpu(), desc({2, 3}, dt::f32, tag::ab), cpu(),
                                   desc({2, 3}, dt::f32, tag::ba));
}

/// Creates a PD with every constructor that takes these arguments; empty if unimplemented.
template <typename PD, typename... Args>
static PD described(const Args &...args) {
    const primitive_attr attr;
    PD pd;
    const dnnl_status_t outcome = check::thrown_by([&] { pd = PD(args...); });
    CHECK(outcome == dnnl_success || outcome == dnnl_unimplemented);
    CHECK_THROWS(outcome, PD(args..., attr));
    CHECK_THROWS(outcome, PD(args..., attr, false));
    CHECK_THROWS(dnnl_success, PD(args..., attr, true));
    CHECK(bool(PD(args..., attr, true)) == (outcome == dnnl_success));
    outcome == dnnl_success ? ++supported : ++unimplemented;
    return pd;
}

/// Every query that a descriptor has, whether it applies or not.
static void inspect(const primitive_desc_base &pd, primitive::kind kind) {
    CHECK(pd.get_engine() == cpu() && pd.get_kind() == kind);
    CHECK(pd.impl_info_str() && std::strlen(pd.impl_info_str()) > 0);
    CHECK(pd.get_primitive_attr().get_post_ops().len() == 0);
    // oneDNN 3.13 does not support this query.
    const dnnl_status_t outcome = check::thrown_by([&] { CHECK(pd.scratchpad_engine() == cpu()); });
    CHECK(outcome == dnnl_success || outcome == dnnl_unimplemented);
    CHECK(pd.query_md(query::exec_arg_md, DNNL_ARG_SCRATCHPAD) == pd.scratchpad_desc());
    CHECK_THROWS(dnnl_invalid_arguments, pd.query_md(query::engine));
    (void)pd.query_s64(query::memory_consumption_s64);
    (void)pd.workspace_desc();
    (void)check::thrown_by([&] { pd.get_cache_blob_id(); });

    (void)pd.get_prop_kind();
    (void)pd.get_algorithm();
    (void)pd.get_cell_kind();
    (void)pd.get_activation_kind();
    (void)pd.get_direction();
    (void)pd.get_flags();
    (void)pd.get_flags<rnn_flags>();
    for (const dims &list :
         {pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r(), pd.get_kernel()})
        CHECK(list.size() < DNNL_MAX_NDIMS);
    CHECK(pd.get_factors().size() < DNNL_MAX_NDIMS);
    CHECK(std::isfinite(pd.get_alpha() + pd.get_beta() + pd.get_epsilon() + pd.get_k() + pd.get_p()));
    CHECK(pd.get_axis() >= -1);
    CHECK(pd.get_local_size() >= 0 && pd.get_group_size() >= 0);

    const desc described_by_index[] = {pd.src_desc(0),      pd.dst_desc(0),      pd.weights_desc(0),
                                       pd.diff_src_desc(0), pd.diff_dst_desc(0), pd.diff_weights_desc(0)};
    const desc described_first[] = {pd.src_desc(),      pd.dst_desc(),      pd.weights_desc(),
                                    pd.diff_src_desc(), pd.diff_dst_desc(), pd.diff_weights_desc()};
    for (int i = 0; i < 6; ++i)
        CHECK(described_by_index[i] == described_first[i]);
    CHECK(pd.src_desc(99).is_zero());
}

/// Copies of the C descriptor, refused copies of other kinds, further implementations.
template <typename PD>
static void copy_and_iterate(const PD &pd, bool recurrent = false) {
    const PD copy(pd.get());
    CHECK(copy && copy.get() != pd.get() && copy.get_kind() == pd.get_kind());
    CHECK(std::strcmp(copy.impl_info_str(), pd.impl_info_str()) == 0);
    CHECK_THROWS(recurrent ? dnnl_invalid_arguments : dnnl_success, PD(dnnl_primitive_desc_t(nullptr)));
    CHECK_THROWS(recurrent ? dnnl_unimplemented : dnnl_invalid_arguments, PD(other_kind().get()));
    CHECK_THROWS(dnnl_invalid_arguments, PD().get_kind());
}

template <typename PD>
static void next_implementations(const PD &pd) {
    PD copy(pd.get());
    int count = 1;
    while (count < 100 && copy.next_impl())
        ++count;
    CHECK(count < 100 && !copy.next_impl());
}

static memory filled(const desc &md) {
    const memory m(md, cpu());
    void *data = m.map_data();
    std::memset(data, 0, md.get_size());
    m.unmap_data(data);
    return m;
}

/// Creates the primitive in every way and executes it on zeros; arguments with empty descriptors are left
/// out.
template <typename P>
static void execute(const typename P::primitive_desc &pd, const std::unordered_map<int, desc> &arguments) {
    const P p(pd);
    CHECK(p && !P() && p.get_kind() == pd.get_kind());
    CHECK(p.get_primitive_desc() != nullptr);
    const primitive same(p.get_primitive_desc());
    CHECK(same.get_kind() == pd.get_kind());
    std::vector<uint8_t> blob;
    if (check::thrown_by([&] { blob = p.get_cache_blob(); }) == dnnl_success && !blob.empty()) {
        CHECK_THROWS(dnnl_success, P(pd, blob));
        CHECK_THROWS(dnnl_success, primitive(pd.get(), blob));
    }
    CHECK_THROWS(dnnl_invalid_arguments, P(typename P::primitive_desc()));

    std::unordered_map<int, memory> memories;
    for (const auto &a : arguments)
        if (!a.second.is_zero()) memories[a.first] = filled(a.second);
    stream s(cpu());
    p.execute(s, memories);
    s.wait();
    CHECK_THROWS(dnnl_invalid_arguments, P().execute(s, memories));
}

/// All checks, for a primitive with several implementations.
template <typename P>
static void use(primitive::kind kind, const typename P::primitive_desc &pd,
                const std::unordered_map<int, desc> &arguments) {
    inspect(pd, kind);
    copy_and_iterate(pd, kind == primitive::kind::rnn);
    next_implementations(pd);
    execute<P>(pd, arguments);
}

static void reorders() {
    using pd_t = reorder::primitive_desc;
    const desc src({2, 3}, dt::f32, tag::ab), dst({2, 3}, dt::f32, tag::ba);
    const pd_t pd = described<pd_t>(cpu(), src, cpu(), dst);
    if (!pd) return;
    inspect(pd, primitive::kind::reorder);
    CHECK(pd.get_src_engine() == cpu() && pd.get_dst_engine() == cpu());
    CHECK(pd.src_desc() == src && pd.dst_desc() == dst);
    CHECK(pd_t(pd.get()) && !pd_t(nullptr));
    execute<reorder>(pd, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});

    memory from = filled(src), to = filled(dst);
    const pd_t between = described<pd_t>(from, to);
    CHECK(between.src_desc() == src && between.dst_desc() == dst);
    stream s(cpu());
    const reorder direct(from, to), with_attr(from, to, primitive_attr());
    direct.execute(s, from, to);
    with_attr.execute(s, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    s.wait();
    const memory wrong = filled(desc({3, 3}, dt::f32, tag::ab));
    CHECK_THROWS(dnnl_invalid_arguments, reorder(from, wrong));
}

static void concats() {
    using pd_t = concat::primitive_desc;
    const desc src({2, 3}, dt::f32, tag::ab), dst({2, 6}, dt::f32, tag::ab);
    const std::vector<desc> srcs = {src, src};
    const pd_t chosen = described<pd_t>(cpu(), 1, srcs), given = described<pd_t>(cpu(), dst, 1, srcs);
    if (!given) return;
    inspect(given, primitive::kind::concat);
    CHECK(chosen.dst_desc().get_dims() == (dims{2, 6}));
    CHECK(given.src_desc() == src && given.src_desc(1) == src && given.dst_desc() == dst);
    CHECK(pd_t(given.get()));
    execute<concat>(given,
                    {{DNNL_ARG_MULTIPLE_SRC, src}, {DNNL_ARG_MULTIPLE_SRC + 1, src}, {DNNL_ARG_DST, dst}});
    const std::vector<desc> unlike = {src, desc({3, 3}, dt::f32, tag::ab)};
    CHECK_THROWS(dnnl_invalid_arguments, pd_t(cpu(), 1, unlike));
    CHECK(convert_to_c(srcs).size() == 2 && convert_to_c(srcs)[1] == src.get());
}

static void sums() {
    using pd_t = sum::primitive_desc;
    const desc md({2, 3}, dt::f32, tag::ab);
    const std::vector<desc> srcs = {md, md};
    const std::vector<float> scales = {1.f, 2.f};
    const pd_t chosen = described<pd_t>(cpu(), scales, srcs),
               given = described<pd_t>(cpu(), md, scales, srcs);
    CHECK_THROWS(dnnl_invalid_arguments, pd_t(cpu(), std::vector<float>{1.f}, srcs, primitive_attr(), true));
    if (!given) return;
    inspect(given, primitive::kind::sum);
    CHECK(chosen.dst_desc() == md && given.src_desc(1) == md && given.src_desc() == md);
    CHECK(pd_t(given.get()));
    execute<sum>(given, {{DNNL_ARG_MULTIPLE_SRC, md}, {DNNL_ARG_MULTIPLE_SRC + 1, md}, {DNNL_ARG_DST, md}});
}

/// Convolution and, with source and destination swapped, deconvolution.
template <typename F, typename D, typename W>
static void convolutions(primitive::kind kind, algorithm alg) {
    const desc src = any({2, 8, 9, 9}), weights = any({16, 8, 3, 3}), bias = any({16}),
               dst = any({2, 16, 9, 9});
    const dims pads = {2, 2};
    using fwd_t = typename F::primitive_desc;
    const fwd_t plain =
            described<fwd_t>(cpu(), prop_kind::forward_training, alg, src, weights, dst, ones2, ones2, ones2);
    const fwd_t with_bias = described<fwd_t>(cpu(), prop_kind::forward_inference, alg, src, weights, bias,
                                             dst, ones2, ones2, ones2);
    described<fwd_t>(cpu(), prop_kind::forward_training, alg, src, weights, dst, ones2, ones2, pads, pads);
    const fwd_t pd = described<fwd_t>(cpu(), prop_kind::forward_training, alg, src, weights, bias, dst, ones2,
                                      ones2, pads, pads);
    CHECK_THROWS(dnnl_invalid_arguments, fwd_t(cpu(), prop_kind::forward, alg, src, weights, dst, {1}, ones2,
                                               ones2, primitive_attr(), true));
    CHECK_THROWS(dnnl_invalid_arguments,
                 fwd_t(cpu(), prop_kind::forward, alg, src, weights, dst, {5, 5}, ones2, ones2));
    if (!pd) return;
    CHECK(pd.get_prop_kind() == prop_kind::forward_training
          && with_bias.get_prop_kind() == prop_kind::forward_inference);
    CHECK(pd.get_algorithm() == alg && pd.get_strides() == ones2 && pd.get_dilations() == ones2);
    CHECK(pd.get_padding_l() == pads && pd.get_padding_r() == pads);
    CHECK(plain.get_padding_l() == ones2 && plain.get_dilations() == none2 && plain.bias_desc().is_zero());
    CHECK(pd.bias_desc().get_dims() == dims{16} && pd.weights_desc().get_dims() == (dims{16, 8, 3, 3}));
    use<F>(kind, pd,
           {{DNNL_ARG_SRC, pd.src_desc()},
            {DNNL_ARG_WEIGHTS, pd.weights_desc()},
            {DNNL_ARG_BIAS, pd.bias_desc()},
            {DNNL_ARG_DST, pd.dst_desc()}});

    using bwd_data_t = typename D::primitive_desc;
    const bwd_data_t by_data =
            described<bwd_data_t>(cpu(), alg, src, weights, dst, ones2, ones2, ones2, plain);
    described<bwd_data_t>(cpu(), alg, src, weights, dst, ones2, ones2, pads, pads, pd);
    if (by_data) {
        CHECK(by_data.get_prop_kind() == prop_kind::backward_data && by_data.get_padding_r() == ones2);
        CHECK_THROWS(dnnl_invalid_arguments, fwd_t(by_data.get()));
        use<D>(kind, by_data,
               {{DNNL_ARG_DIFF_SRC, by_data.diff_src_desc()},
                {DNNL_ARG_WEIGHTS, by_data.weights_desc()},
                {DNNL_ARG_DIFF_DST, by_data.diff_dst_desc()}});
    }

    using bwd_weights_t = typename W::primitive_desc;
    described<bwd_weights_t>(cpu(), alg, src, weights, dst, ones2, ones2, ones2, plain);
    const bwd_weights_t by_weights =
            described<bwd_weights_t>(cpu(), alg, src, weights, bias, dst, ones2, ones2, ones2, plain);
    described<bwd_weights_t>(cpu(), alg, src, weights, dst, ones2, ones2, pads, pads, pd);
    described<bwd_weights_t>(cpu(), alg, src, weights, bias, dst, ones2, ones2, pads, pads, pd);
    if (by_weights) {
        CHECK(by_weights.get_prop_kind() == prop_kind::backward_weights && by_weights.get_strides() == ones2);
        use<W>(kind, by_weights,
               {{DNNL_ARG_SRC, by_weights.src_desc()},
                {DNNL_ARG_DIFF_WEIGHTS, by_weights.diff_weights_desc()},
                {DNNL_ARG_DIFF_BIAS, by_weights.diff_bias_desc()},
                {DNNL_ARG_DIFF_DST, by_weights.diff_dst_desc()}});
    }
}

static void convolution() {
    convolutions<convolution_forward, convolution_backward_data, convolution_backward_weights>(
            primitive::kind::convolution, algorithm::convolution_direct);
}

static void deconvolution() {
    convolutions<deconvolution_forward, deconvolution_backward_data, deconvolution_backward_weights>(
            primitive::kind::deconvolution, algorithm::deconvolution_direct);
}

static void lrn() {
    const desc md({2, 8, 5, 5}, dt::f32, tag::nchw);
    const algorithm alg = algorithm::lrn_across_channels;
    const lrn_forward::primitive_desc fwd = described<lrn_forward::primitive_desc>(
            cpu(), prop_kind::forward_training, alg, md, md, memory::dim(5), 1e-4f, 0.75f, 2.f);
    if (!fwd) return;
    CHECK(fwd.get_local_size() == 5 && fwd.get_alpha() == 1e-4f && fwd.get_beta() == 0.75f
          && fwd.get_k() == 2.f);
    CHECK(fwd.get_algorithm() == alg && fwd.get_prop_kind() == prop_kind::forward_training);
    use<lrn_forward>(primitive::kind::lrn, fwd,
                     {{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}, {DNNL_ARG_WORKSPACE, fwd.workspace_desc()}});
    const lrn_backward::primitive_desc bwd = described<lrn_backward::primitive_desc>(
            cpu(), alg, md, md, md, memory::dim(5), 1e-4f, 0.75f, 2.f, fwd);
    if (!bwd) return;
    CHECK(bwd.diff_src_desc() == md && bwd.diff_dst_desc() == md && bwd.get_k() == 2.f);
    use<lrn_backward>(primitive::kind::lrn, bwd,
                      {{DNNL_ARG_SRC, md},
                       {DNNL_ARG_DIFF_DST, md},
                       {DNNL_ARG_DIFF_SRC, md},
                       {DNNL_ARG_WORKSPACE, bwd.workspace_desc()}});
}

static void eltwise() {
    const desc md({2, 3, 4}, dt::f32, tag::abc);
    using fwd_t = eltwise_forward::primitive_desc;
    using bwd_t = eltwise_backward::primitive_desc;
    const prop_kind training = prop_kind::forward_training;
    const fwd_t relu = described<fwd_t>(cpu(), training, algorithm::eltwise_relu, md, md);
    const fwd_t elu = described<fwd_t>(cpu(), training, algorithm::eltwise_elu, md, md, 0.5f);
    const fwd_t clip = described<fwd_t>(cpu(), training, algorithm::eltwise_clip, md, md, -1.f, 1.f);
    CHECK_THROWS(dnnl_invalid_arguments, fwd_t(cpu(), training, algorithm::binary_add, md, md));
    if (!clip) return;
    CHECK(relu.get_alpha() == 0.f && elu.get_alpha() == 0.5f && elu.get_beta() == 0.f
          && clip.get_beta() == 1.f);
    CHECK(clip.get_algorithm() == algorithm::eltwise_clip && clip.get_prop_kind() == training);
    use<eltwise_forward>(primitive::kind::eltwise, clip, {{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}});
    const bwd_t bwd = described<bwd_t>(cpu(), algorithm::eltwise_relu, md, md, md, relu);
    described<bwd_t>(cpu(), algorithm::eltwise_elu, md, md, md, 0.5f, elu);
    described<bwd_t>(cpu(), algorithm::eltwise_clip, md, md, md, -1.f, 1.f, clip);
    if (!bwd) return;
    CHECK(bwd.src_desc() == md && bwd.diff_src_desc() == md && bwd.diff_dst_desc() == md
          && bwd.get_beta() == 0.f);
    use<eltwise_backward>(primitive::kind::eltwise, bwd,
                          {{DNNL_ARG_SRC, md}, {DNNL_ARG_DIFF_DST, md}, {DNNL_ARG_DIFF_SRC, md}});
}

static void softmax() {
    const desc md({4, 10}, dt::f32, tag::ab);
    const algorithm alg = algorithm::softmax_log;
    const softmax_forward::primitive_desc fwd =
            described<softmax_forward::primitive_desc>(cpu(), prop_kind::forward_training, alg, md, md, 1);
    if (!fwd) return;
    CHECK(fwd.get_axis() == 1 && fwd.get_algorithm() == alg && fwd.src_desc() == md && fwd.dst_desc() == md);
    use<softmax_forward>(primitive::kind::softmax, fwd, {{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}});
    const softmax_backward::primitive_desc bwd =
            described<softmax_backward::primitive_desc>(cpu(), alg, md, md, md, 1, fwd);
    if (!bwd) return;
    CHECK(bwd.get_axis() == 1 && bwd.dst_desc() == md && bwd.diff_src_desc() == md
          && bwd.diff_dst_desc() == md);
    use<softmax_backward>(primitive::kind::softmax, bwd,
                          {{DNNL_ARG_DST, md}, {DNNL_ARG_DIFF_DST, md}, {DNNL_ARG_DIFF_SRC, md}});
}

static const normalization_flags scale_and_shift =
        normalization_flags::use_scale | normalization_flags::use_shift;

/// Queries of a normalization, and its execution with scale and shift.
template <typename F>
static void use_normalization(primitive::kind kind, const typename F::primitive_desc &fwd) {
    CHECK(fwd.get_flags() == scale_and_shift && fwd.get_epsilon() == 1e-3f);
    CHECK(!fwd.mean_desc().is_zero() && !fwd.variance_desc().is_zero());
    use<F>(kind, fwd,
           {{DNNL_ARG_SRC, fwd.src_desc()},
            {DNNL_ARG_DST, fwd.dst_desc()},
            {DNNL_ARG_SCALE, fwd.weights_desc()},
            {DNNL_ARG_SHIFT, fwd.weights_desc()},
            {DNNL_ARG_MEAN, fwd.mean_desc()},
            {DNNL_ARG_VARIANCE, fwd.variance_desc()},
            {DNNL_ARG_WORKSPACE, fwd.workspace_desc()}});
}

template <typename B>
static void use_normalization_backward(primitive::kind kind, const typename B::primitive_desc &bwd) {
    CHECK(bwd.get_flags() == scale_and_shift && bwd.get_epsilon() == 1e-3f);
    CHECK(bwd.get_prop_kind() == prop_kind::backward);
    CHECK(!bwd.mean_desc().is_zero() && !bwd.variance_desc().is_zero());
    use<B>(kind, bwd,
           {{DNNL_ARG_SRC, bwd.src_desc()},
            {DNNL_ARG_DIFF_DST, bwd.diff_dst_desc()},
            {DNNL_ARG_DIFF_SRC, bwd.diff_src_desc()},
            {DNNL_ARG_SCALE, bwd.weights_desc()},
            {DNNL_ARG_SHIFT, bwd.weights_desc()},
            {DNNL_ARG_DIFF_SCALE, bwd.diff_weights_desc()},
            {DNNL_ARG_DIFF_SHIFT, bwd.diff_weights_desc()},
            {DNNL_ARG_MEAN, bwd.mean_desc()},
            {DNNL_ARG_VARIANCE, bwd.variance_desc()},
            {DNNL_ARG_WORKSPACE, bwd.workspace_desc()}});
}

static void batch_normalization() {
    const desc md({2, 8, 5, 5}, dt::f32, tag::nchw);
    using fwd_t = batch_normalization_forward::primitive_desc;
    const primitive::kind kind = primitive::kind::batch_normalization;
    const fwd_t fwd = described<fwd_t>(cpu(), prop_kind::forward_training, md, md, 1e-3f, scale_and_shift);
    if (!fwd) return;
    use_normalization<batch_normalization_forward>(kind, fwd);
    const fwd_t global = described<fwd_t>(cpu(), prop_kind::forward_inference, md, md, 1e-3f,
                                          normalization_flags::use_global_stats);
    if (global) CHECK(global.mean_desc() == global.query_md(query::src_md, 1));
    const auto bwd = described<batch_normalization_backward::primitive_desc>(
            cpu(), prop_kind::backward, md, md, md, 1e-3f, scale_and_shift, fwd);
    if (bwd) use_normalization_backward<batch_normalization_backward>(kind, bwd);
}

static void group_normalization() {
    const desc md({2, 8, 5, 5}, dt::f32, tag::nchw);
    using fwd_t = group_normalization_forward::primitive_desc;
    const primitive::kind kind = primitive::kind::group_normalization;
    const fwd_t fwd = described<fwd_t>(cpu(), prop_kind::forward_training, md, md, memory::dim(4), 1e-3f,
                                       scale_and_shift);
    if (!fwd) return;
    CHECK(fwd.get_group_size() == 4);
    use_normalization<group_normalization_forward>(kind, fwd);
    const auto bwd = described<group_normalization_backward::primitive_desc>(
            cpu(), prop_kind::backward, md, md, md, memory::dim(4), 1e-3f, scale_and_shift, fwd);
    if (!bwd) return;
    CHECK(bwd.get_group_size() == 4);
    use_normalization_backward<group_normalization_backward>(kind, bwd);
}

static void layer_normalization() {
    const desc md({3, 2, 16}, dt::f32, tag::abc), stat({3, 2}, dt::f32, tag::ab);
    using fwd_t = layer_normalization_forward::primitive_desc;
    using bwd_t = layer_normalization_backward::primitive_desc;
    const primitive::kind kind = primitive::kind::layer_normalization;
    const prop_kind training = prop_kind::forward_training, backward = prop_kind::backward;
    const normalization_flags flags = scale_and_shift;
    const fwd_t fwd = described<fwd_t>(cpu(), training, md, md, stat, 1e-3f, flags);
    described<fwd_t>(cpu(), training, md, md, 1e-3f, flags);
    described<fwd_t>(cpu(), training, md, md, stat, dt::f32, 1e-3f, flags);
    described<fwd_t>(cpu(), training, md, md, dt::f32, 1e-3f, flags);
    if (!fwd) return;
    use_normalization<layer_normalization_forward>(kind, fwd);
    const bwd_t bwd = described<bwd_t>(cpu(), backward, md, md, md, stat, 1e-3f, flags, fwd);
    described<bwd_t>(cpu(), backward, md, md, md, 1e-3f, flags, fwd);
    described<bwd_t>(cpu(), backward, md, md, md, stat, dt::f32, dt::f32, 1e-3f, flags, fwd);
    described<bwd_t>(cpu(), backward, md, md, md, dt::f32, dt::f32, 1e-3f, flags, fwd);
    if (bwd) use_normalization_backward<layer_normalization_backward>(kind, bwd);
}

static void inner_product() {
    const desc src = any({2, 8, 3, 3}), weights = any({10, 8, 3, 3}), bias = any({10}), dst = any({2, 10});
    const primitive::kind kind = primitive::kind::inner_product;
    using fwd_t = inner_product_forward::primitive_desc;
    const fwd_t plain = described<fwd_t>(cpu(), prop_kind::forward_training, src, weights, dst);
    const fwd_t fwd = described<fwd_t>(cpu(), prop_kind::forward_training, src, weights, bias, dst);
    if (!fwd) return;
    CHECK(plain.bias_desc().is_zero() && fwd.bias_desc().get_dims() == dims{10});
    use<inner_product_forward>(kind, fwd,
                               {{DNNL_ARG_SRC, fwd.src_desc()},
                                {DNNL_ARG_WEIGHTS, fwd.weights_desc()},
                                {DNNL_ARG_BIAS, fwd.bias_desc()},
                                {DNNL_ARG_DST, fwd.dst_desc()}});
    const auto by_data =
            described<inner_product_backward_data::primitive_desc>(cpu(), src, weights, dst, plain);
    if (by_data)
        use<inner_product_backward_data>(kind, by_data,
                                         {{DNNL_ARG_DIFF_SRC, by_data.diff_src_desc()},
                                          {DNNL_ARG_WEIGHTS, by_data.weights_desc()},
                                          {DNNL_ARG_DIFF_DST, by_data.diff_dst_desc()}});
    using bwd_weights_t = inner_product_backward_weights::primitive_desc;
    described<bwd_weights_t>(cpu(), src, weights, dst, plain);
    const bwd_weights_t by_weights = described<bwd_weights_t>(cpu(), src, weights, bias, dst, fwd);
    if (by_weights)
        use<inner_product_backward_weights>(kind, by_weights,
                                            {{DNNL_ARG_SRC, by_weights.src_desc()},
                                             {DNNL_ARG_DIFF_WEIGHTS, by_weights.diff_weights_desc()},
                                             {DNNL_ARG_DIFF_BIAS, by_weights.diff_bias_desc()},
                                             {DNNL_ARG_DIFF_DST, by_weights.diff_dst_desc()}});
}

static void shuffle() {
    const desc md({2, 8, 5}, dt::f32, tag::abc);
    const shuffle_forward::primitive_desc fwd =
            described<shuffle_forward::primitive_desc>(cpu(), prop_kind::forward_training, md, md, 1, 4);
    if (!fwd) return;
    CHECK(fwd.get_axis() == 1 && fwd.get_group_size() == 4
          && fwd.get_prop_kind() == prop_kind::forward_training);
    use<shuffle_forward>(primitive::kind::shuffle, fwd, {{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}});
    const shuffle_backward::primitive_desc bwd =
            described<shuffle_backward::primitive_desc>(cpu(), md, md, 1, 4, fwd);
    if (!bwd) return;
    CHECK(bwd.get_group_size() == 4 && bwd.diff_src_desc() == md);
    use<shuffle_backward>(primitive::kind::shuffle, bwd, {{DNNL_ARG_DIFF_DST, md}, {DNNL_ARG_DIFF_SRC, md}});
}

static void binaries() {
    using pd_t = binary::primitive_desc;
    const desc md({2, 3, 4}, dt::f32, tag::abc), row({2, 1, 4}, dt::f32, tag::abc),
            choice({2, 3, 4}, dt::s8, tag::abc);
    const pd_t pd = described<pd_t>(cpu(), algorithm::binary_add, md, row, md);
    const pd_t select = described<pd_t>(cpu(), algorithm::binary_select, md, md, choice, md);
    if (pd) {
        CHECK(pd.src_desc() == md && pd.src_desc(1) == row && pd.src0_desc() == md && pd.src1_desc() == row);
        CHECK(pd.dst_desc() == md && pd.get_algorithm() == algorithm::binary_add && pd.src2_desc().is_zero());
        use<binary>(primitive::kind::binary, pd,
                    {{DNNL_ARG_SRC_0, md}, {DNNL_ARG_SRC_1, row}, {DNNL_ARG_DST, md}});
    }
    if (select) {
        CHECK(select.src2_desc() == choice);
        execute<binary>(
                select,
                {{DNNL_ARG_SRC_0, md}, {DNNL_ARG_SRC_1, md}, {DNNL_ARG_SRC_2, choice}, {DNNL_ARG_DST, md}});
    }
}

static void matmuls() {
    using pd_t = matmul::primitive_desc;
    const desc src = any({3, 4, 5}), weights = any({3, 5, 6}), bias = desc({1, 1, 6}, dt::f32, tag::abc),
               dst = any({3, 4, 6});
    const pd_t plain = described<pd_t>(cpu(), src, weights, dst);
    const pd_t pd = described<pd_t>(cpu(), src, weights, bias, dst);
    CHECK_THROWS(dnnl_invalid_arguments, pd_t(cpu(), src, src, dst));
    CHECK(!pd_t(cpu(), src, src, dst, primitive_attr(), true));
    try {
        pd_t(cpu(), src, src, dst);
    } catch (const error &e) {
        CHECK(std::strstr(e.what(), "matmul") && std::strstr(e.what(), "ONEDNN_VERBOSE=all"));
    }
    if (!pd) return;
    CHECK(plain.bias_desc().is_zero() && pd.bias_desc() == bias
          && pd.dst_desc().get_dims() == (dims{3, 4, 6}));
    use<matmul>(primitive::kind::matmul, pd,
                {{DNNL_ARG_SRC, pd.src_desc()},
                 {DNNL_ARG_WEIGHTS, pd.weights_desc()},
                 {DNNL_ARG_BIAS, bias},
                 {DNNL_ARG_DST, pd.dst_desc()}});
}

static void resampling() {
    const desc src({2, 4, 5, 5}, dt::f32, tag::nchw), dst({2, 4, 10, 10}, dt::f32, tag::nchw);
    const std::vector<float> factors = {2.f, 2.f};
    const prop_kind training = prop_kind::forward_training;
    const algorithm alg = algorithm::resampling_linear;
    using fwd_t = resampling_forward::primitive_desc;
    using bwd_t = resampling_backward::primitive_desc;
    const fwd_t fwd = described<fwd_t>(cpu(), training, alg, src, dst);
    described<fwd_t>(cpu(), training, alg, factors, src);
    const fwd_t with_factors = described<fwd_t>(cpu(), training, alg, factors, src, dst);
    if (!fwd) return;
    CHECK(with_factors.get_factors() == factors && fwd.src_desc() == src && fwd.dst_desc() == dst);
    use<resampling_forward>(primitive::kind::resampling, fwd, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    const bwd_t bwd = described<bwd_t>(cpu(), alg, src, dst, fwd);
    described<bwd_t>(cpu(), alg, factors, src, dst, fwd);
    if (!bwd) return;
    CHECK(bwd.diff_src_desc() == src && bwd.diff_dst_desc() == dst && bwd.get_factors() == factors);
    use<resampling_backward>(primitive::kind::resampling, bwd,
                             {{DNNL_ARG_DIFF_SRC, src}, {DNNL_ARG_DIFF_DST, dst}});
}

static void pooling() {
    const desc src = any({2, 8, 9, 9}), dst = any({2, 8, 4, 4}), plain({2, 8, 9, 9}, dt::f32, tag::nchw);
    const dims strides = {2, 2}, kernel = {3, 3};
    const algorithm alg = algorithm::pooling_max;
    const pooling_forward::primitive_desc fwd = described<pooling_forward::primitive_desc>(
            cpu(), prop_kind::forward_training, alg, plain, dst, strides, kernel, none2, none2, none2);
    if (!fwd) return;
    CHECK(fwd.get_strides() == strides && fwd.get_kernel() == kernel && fwd.get_dilations() == none2);
    CHECK(fwd.get_padding_l() == none2 && fwd.get_padding_r() == none2 && fwd.get_algorithm() == alg);
    use<pooling_forward>(primitive::kind::pooling, fwd,
                         {{DNNL_ARG_SRC, fwd.src_desc()},
                          {DNNL_ARG_DST, fwd.dst_desc()},
                          {DNNL_ARG_WORKSPACE, fwd.workspace_desc()}});
    const pooling_backward::primitive_desc bwd = described<pooling_backward::primitive_desc>(
            cpu(), alg, src, dst, strides, kernel, none2, none2, none2, fwd);
    if (!bwd) return;
    CHECK(bwd.get_strides() == strides && bwd.get_kernel() == kernel);
    use<pooling_backward>(primitive::kind::pooling, bwd,
                          {{DNNL_ARG_DIFF_SRC, bwd.diff_src_desc()},
                           {DNNL_ARG_DIFF_DST, bwd.diff_dst_desc()},
                           {DNNL_ARG_WORKSPACE, bwd.workspace_desc()}});
}

static void prelu() {
    const desc md({2, 8, 5}, dt::f32, tag::abc), weights({1, 8, 1}, dt::f32, tag::abc);
    const prelu_forward::primitive_desc fwd =
            described<prelu_forward::primitive_desc>(cpu(), prop_kind::forward_training, md, weights, md);
    if (!fwd) return;
    CHECK(fwd.src_desc() == md && fwd.dst_desc() == md && fwd.get_prop_kind() == prop_kind::forward_training);
    use<prelu_forward>(primitive::kind::prelu, fwd,
                       {{DNNL_ARG_SRC, md}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, md}});
    const prelu_backward::primitive_desc bwd =
            described<prelu_backward::primitive_desc>(cpu(), md, weights, md, weights, md, fwd);
    if (!bwd) return;
    CHECK(bwd.src_desc() == md && bwd.diff_src_desc() == md && bwd.diff_dst_desc() == md);
    use<prelu_backward>(primitive::kind::prelu, bwd,
                        {{DNNL_ARG_SRC, md},
                         {DNNL_ARG_WEIGHTS, weights},
                         {DNNL_ARG_DIFF_DST, md},
                         {DNNL_ARG_DIFF_SRC, md},
                         {DNNL_ARG_DIFF_WEIGHTS, weights}});
}

static void reductions() {
    const desc src({2, 8, 5}, dt::f32, tag::abc), dst({2, 1, 5}, dt::f32, tag::abc);
    const reduction::primitive_desc pd = described<reduction::primitive_desc>(
            cpu(), algorithm::reduction_norm_lp_sum, src, dst, 2.f, 1e-3f);
    if (!pd) return;
    CHECK(pd.get_p() == 2.f && pd.get_epsilon() == 1e-3f
          && pd.get_algorithm() == algorithm::reduction_norm_lp_sum);
    use<reduction>(primitive::kind::reduction, pd, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

// Recurrent networks: T steps, N sequences, one layer, one direction, C channels.
static const memory::dim T = 3, N = 2, C = 8;
static const rnn_direction l2r = rnn_direction::unidirectional_left2right;

struct rnn_descs {
    desc layer = any({T, N, C}), iter = any({1, 1, N, C}), iter_c = any({1, 1, N, C}),
         attention = any({T, N, 1}), weights, bias, peephole = desc({1, 1, 3, C}, dt::f32, tag::ldgo),
         projection = any({1, 1, C, C});
    rnn_descs(memory::dim gates, memory::dim biases)
        : weights(any({1, 1, C, gates, C})), bias(any({1, 1, biases, C})) {}
};

/// The arguments of the forward primitive that the descriptor has.
static std::unordered_map<int, desc> rnn_arguments(const rnn_primitive_desc_base &pd) {
    return {{DNNL_ARG_SRC_LAYER, pd.src_layer_desc()},
            {DNNL_ARG_SRC_ITER, pd.src_iter_desc()},
            {DNNL_ARG_SRC_ITER_C, pd.src_iter_c_desc()},
            {DNNL_ARG_AUGRU_ATTENTION, pd.augru_attention_desc()},
            {DNNL_ARG_WEIGHTS_LAYER, pd.weights_layer_desc()},
            {DNNL_ARG_WEIGHTS_ITER, pd.weights_iter_desc()},
            {DNNL_ARG_WEIGHTS_PEEPHOLE, pd.weights_peephole_desc()},
            {DNNL_ARG_WEIGHTS_PROJECTION, pd.weights_projection_desc()},
            {DNNL_ARG_BIAS, pd.bias_desc()},
            {DNNL_ARG_DST_LAYER, pd.dst_layer_desc()},
            {DNNL_ARG_DST_ITER, pd.dst_iter_desc()},
            {DNNL_ARG_DST_ITER_C, pd.dst_iter_c_desc()},
            {DNNL_ARG_WORKSPACE, pd.workspace_desc()}};
}

static std::unordered_map<int, desc> rnn_backward_arguments(const rnn_primitive_desc_base &pd) {
    std::unordered_map<int, desc> result = rnn_arguments(pd);
    const std::unordered_map<int, desc> gradients = {
            {DNNL_ARG_DIFF_SRC_LAYER, pd.diff_src_layer_desc()},
            {DNNL_ARG_DIFF_SRC_ITER, pd.diff_src_iter_desc()},
            {DNNL_ARG_DIFF_SRC_ITER_C, pd.diff_src_iter_c_desc()},
            {DNNL_ARG_DIFF_AUGRU_ATTENTION, pd.diff_augru_attention_desc()},
            {DNNL_ARG_DIFF_WEIGHTS_LAYER, pd.diff_weights_layer_desc()},
            {DNNL_ARG_DIFF_WEIGHTS_ITER, pd.diff_weights_iter_desc()},
            {DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, pd.diff_weights_peephole_desc()},
            {DNNL_ARG_DIFF_WEIGHTS_PROJECTION, pd.diff_weights_projection_desc()},
            {DNNL_ARG_DIFF_BIAS, pd.diff_bias_desc()},
            {DNNL_ARG_DIFF_DST_LAYER, pd.diff_dst_layer_desc()},
            {DNNL_ARG_DIFF_DST_ITER, pd.diff_dst_iter_desc()},
            {DNNL_ARG_DIFF_DST_ITER_C, pd.diff_dst_iter_c_desc()}};
    result.insert(gradients.begin(), gradients.end());
    return result;
}

template <typename P>
static void use_rnn(const typename P::primitive_desc &pd, algorithm cell, prop_kind propagation) {
    CHECK(pd.get_cell_kind() == cell && pd.get_direction() == l2r && pd.get_prop_kind() == propagation);
    CHECK(pd.src_layer_desc().get_dims() == (dims{T, N, C}) && pd.weights_layer_desc().get_ndims() == 5);
    use<P>(primitive::kind::rnn, pd,
           propagation == prop_kind::backward ? rnn_backward_arguments(pd) : rnn_arguments(pd));
}

static const prop_kind training = prop_kind::forward_training, backward = prop_kind::backward;

static void vanilla_rnn() {
    const rnn_descs d(1, 1);
    const algorithm act = algorithm::eltwise_relu;
    using fwd_t = vanilla_rnn_forward::primitive_desc;
    using bwd_t = vanilla_rnn_backward::primitive_desc;
    described<fwd_t>(cpu(), training, act, l2r, d.layer, d.iter, d.weights, d.weights, d.bias, d.layer,
                     d.iter);
    const fwd_t fwd = described<fwd_t>(cpu(), training, act, l2r, d.layer, d.iter, d.weights, d.weights,
                                       d.bias, d.layer, d.iter, 0.5f);
    if (!fwd) return;
    CHECK(fwd.get_activation_kind() == act && fwd.get_alpha() == 0.5f && fwd.get_beta() == 0.f);
    use_rnn<vanilla_rnn_forward>(fwd, algorithm::vanilla_rnn, training);
    described<bwd_t>(cpu(), backward, act, l2r, d.layer, d.iter, d.weights, d.weights, d.bias, d.layer,
                     d.iter, d.layer, d.iter, d.weights, d.weights, d.bias, d.layer, d.iter, fwd);
    const bwd_t bwd = described<bwd_t>(cpu(), backward, act, l2r, d.layer, d.iter, d.weights, d.weights,
                                       d.bias, d.layer, d.iter, d.layer, d.iter, d.weights, d.weights, d.bias,
                                       d.layer, d.iter, 0.5f, fwd);
    if (!bwd) return;
    CHECK(bwd.get_alpha() == 0.5f && bwd.get_activation_kind() == act);
    use_rnn<vanilla_rnn_backward>(bwd, algorithm::vanilla_rnn, backward);
}

static void lstm() {
    const rnn_descs d(4, 4);
    using fwd_t = lstm_forward::primitive_desc;
    using bwd_t = lstm_backward::primitive_desc;
    const fwd_t fwd = described<fwd_t>(cpu(), training, l2r, d.layer, d.iter, d.iter_c, d.weights, d.weights,
                                       d.bias, d.layer, d.iter, d.iter_c);
    const fwd_t peephole = described<fwd_t>(cpu(), training, l2r, d.layer, d.iter, d.iter_c, d.weights,
                                            d.weights, d.peephole, d.bias, d.layer, d.iter, d.iter_c);
    const fwd_t projection =
            described<fwd_t>(cpu(), training, l2r, d.layer, d.iter, d.iter_c, d.weights, d.weights,
                             d.peephole, d.projection, d.bias, d.layer, d.iter, d.iter_c);
    if (peephole)
        CHECK(!peephole.weights_peephole_desc().is_zero() && peephole.weights_projection_desc().is_zero());
    if (projection) CHECK(!projection.weights_projection_desc().is_zero());
    if (!fwd) return;
    CHECK(fwd.src_iter_c_desc().get_ndims() == 4 && fwd.dst_iter_c_desc().get_ndims() == 4);
    use_rnn<lstm_forward>(fwd, algorithm::vanilla_lstm, training);
    CHECK_THROWS(dnnl_invalid_arguments, gru_forward::primitive_desc(fwd.get()));
    const bwd_t bwd = described<bwd_t>(cpu(), backward, l2r, d.layer, d.iter, d.iter_c, d.weights, d.weights,
                                       d.bias, d.layer, d.iter, d.iter_c, d.layer, d.iter, d.iter_c,
                                       d.weights, d.weights, d.bias, d.layer, d.iter, d.iter_c, fwd);
    if (peephole)
        described<bwd_t>(cpu(), backward, l2r, d.layer, d.iter, d.iter_c, d.weights, d.weights, d.peephole,
                         d.bias, d.layer, d.iter, d.iter_c, d.layer, d.iter, d.iter_c, d.weights, d.weights,
                         d.peephole, d.bias, d.layer, d.iter, d.iter_c, peephole);
    if (projection)
        described<bwd_t>(cpu(), backward, l2r, d.layer, d.iter, d.iter_c, d.weights, d.weights, d.peephole,
                         d.projection, d.bias, d.layer, d.iter, d.iter_c, d.layer, d.iter, d.iter_c,
                         d.weights, d.weights, d.peephole, d.projection, d.bias, d.layer, d.iter, d.iter_c,
                         projection);
    if (bwd) use_rnn<lstm_backward>(bwd, algorithm::vanilla_lstm, backward);
}

template <typename F, typename B>
static void grus(algorithm cell, memory::dim biases) {
    const rnn_descs d(3, biases);
    const auto fwd = described<typename F::primitive_desc>(cpu(), training, l2r, d.layer, d.iter, d.weights,
                                                           d.weights, d.bias, d.layer, d.iter);
    if (!fwd) return;
    use_rnn<F>(fwd, cell, training);
    const auto bwd = described<typename B::primitive_desc>(
            cpu(), backward, l2r, d.layer, d.iter, d.weights, d.weights, d.bias, d.layer, d.iter, d.layer,
            d.iter, d.weights, d.weights, d.bias, d.layer, d.iter, fwd);
    if (bwd) use_rnn<B>(bwd, cell, backward);
}

template <typename F, typename B>
static void augrus(algorithm cell, memory::dim biases) {
    const rnn_descs d(3, biases);
    const auto fwd = described<typename F::primitive_desc>(cpu(), training, l2r, d.layer, d.iter, d.attention,
                                                           d.weights, d.weights, d.bias, d.layer, d.iter);
    if (!fwd) return;
    CHECK(fwd.attention_desc() == fwd.augru_attention_desc());
    use_rnn<F>(fwd, cell, training);
    const auto bwd = described<typename B::primitive_desc>(
            cpu(), backward, l2r, d.layer, d.iter, d.attention, d.weights, d.weights, d.bias, d.layer, d.iter,
            d.layer, d.iter, d.attention, d.weights, d.weights, d.bias, d.layer, d.iter, fwd);
    if (!bwd) return;
    CHECK(bwd.attention_desc() == bwd.augru_attention_desc());
    CHECK(bwd.diff_attention_desc() == bwd.diff_augru_attention_desc());
    use_rnn<B>(bwd, cell, backward);
}

static void gru() {
    grus<gru_forward, gru_backward>(algorithm::vanilla_gru, 3);
}
static void lbr_gru() {
    grus<lbr_gru_forward, lbr_gru_backward>(algorithm::lbr_gru, 4);
}
static void augru() {
    augrus<augru_forward, augru_backward>(algorithm::vanilla_augru, 3);
}
static void lbr_augru() {
    augrus<lbr_augru_forward, lbr_augru_backward>(algorithm::lbr_augru, 4);
}

int main() {
    set_verbose(0);
    const check::test_case cases[] = {
            {"reorder", reorders},
            {"concat", concats},
            {"sum", sums},
            {"convolution", convolution},
            {"deconvolution", deconvolution},
            {"lrn", lrn},
            {"eltwise", eltwise},
            {"softmax", softmax},
            {"batch_normalization", batch_normalization},
            {"group_normalization", group_normalization},
            {"layer_normalization", layer_normalization},
            {"inner_product", inner_product},
            {"shuffle", shuffle},
            {"binary", binaries},
            {"matmul", matmuls},
            {"resampling", resampling},
            {"pooling", pooling},
            {"prelu", prelu},
            {"reduction", reductions},
            {"vanilla_rnn", vanilla_rnn},
            {"lstm", lstm},
            {"gru", gru},
            {"lbr_gru", lbr_gru},
            {"augru", augru},
            {"lbr_augru", lbr_augru},
    };
    const int result = check::run(cases);
    std::printf("%d descriptors supported, %d unimplemented\n", supported, unimplemented);
    return result;
}
