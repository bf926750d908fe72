/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks: vanilla RNN, LSTM, GRU and AUGRU, the latter two also in linear-before-reset (LBR)
 * form. The order of the descriptors is source, weights, destination, then the same for the gradients, then
 * the forward descriptor. A zero descriptor means that there is no such tensor, for instance no initial
 * state.
 */
#ifndef ONEAPI_DNNL_CPP_RNN_HPP
#define ONEAPI_DNNL_CPP_RNN_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

#define DNNL_RNN_ARGUMENT_(name, ARG)                                                                        \
    memory::desc name##_desc() const {                                                                       \
        return query_md(query::exec_arg_md, DNNL_ARG_##ARG);                                                 \
    }

/// Queries of the descriptors of recurrent networks.
struct rnn_primitive_desc_base : public primitive_desc {
    using primitive_desc::primitive_desc;
    rnn_primitive_desc_base() = default;

    /// Copies a C descriptor of this cell and propagation.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind aprop_kind, dnnl::algorithm cell_kind)
        : rnn_primitive_desc_base(pd, aprop_kind, aprop_kind, cell_kind) {}

    DNNL_RNN_ARGUMENT_(src_layer, SRC_LAYER)
    DNNL_RNN_ARGUMENT_(src_iter, SRC_ITER)
    DNNL_RNN_ARGUMENT_(src_iter_c, SRC_ITER_C)
    DNNL_RNN_ARGUMENT_(augru_attention, AUGRU_ATTENTION)
    DNNL_RNN_ARGUMENT_(weights_layer, WEIGHTS_LAYER)
    DNNL_RNN_ARGUMENT_(weights_iter, WEIGHTS_ITER)
    DNNL_RNN_ARGUMENT_(weights_peephole, WEIGHTS_PEEPHOLE)
    DNNL_RNN_ARGUMENT_(weights_projection, WEIGHTS_PROJECTION)
    DNNL_RNN_ARGUMENT_(bias, BIAS)
    DNNL_RNN_ARGUMENT_(dst_layer, DST_LAYER)
    DNNL_RNN_ARGUMENT_(dst_iter, DST_ITER)
    DNNL_RNN_ARGUMENT_(dst_iter_c, DST_ITER_C)
    DNNL_RNN_ARGUMENT_(diff_src_layer, DIFF_SRC_LAYER)
    DNNL_RNN_ARGUMENT_(diff_src_iter, DIFF_SRC_ITER)
    DNNL_RNN_ARGUMENT_(diff_src_iter_c, DIFF_SRC_ITER_C)
    DNNL_RNN_ARGUMENT_(diff_augru_attention, DIFF_AUGRU_ATTENTION)
    DNNL_RNN_ARGUMENT_(diff_weights_layer, DIFF_WEIGHTS_LAYER)
    DNNL_RNN_ARGUMENT_(diff_weights_iter, DIFF_WEIGHTS_ITER)
    DNNL_RNN_ARGUMENT_(diff_weights_peephole, DIFF_WEIGHTS_PEEPHOLE)
    DNNL_RNN_ARGUMENT_(diff_weights_projection, DIFF_WEIGHTS_PROJECTION)
    DNNL_RNN_ARGUMENT_(diff_bias, DIFF_BIAS)
    DNNL_RNN_ARGUMENT_(diff_dst_layer, DIFF_DST_LAYER)
    DNNL_RNN_ARGUMENT_(diff_dst_iter, DIFF_DST_ITER)
    DNNL_RNN_ARGUMENT_(diff_dst_iter_c, DIFF_DST_ITER_C)

  protected:
    using rnn_base = rnn_primitive_desc_base;

    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind propagation,
                            dnnl::prop_kind other_propagation, dnnl::algorithm cell_kind) {
        const rnn_primitive_desc_base given(pd, true);
        const char *failure = "could not get the kind of a recurrent primitive's descriptor";
        const dnnl_prop_kind_t found = given.require<dnnl_prop_kind_t>(query::prop_kind, failure);
        const dnnl_alg_kind_t cell = given.require<dnnl_alg_kind_t>(query::cell_kind, failure);
        if (given.get_kind() != dnnl::primitive::kind::rnn || cell != convert_to_c(cell_kind)
            || (found != convert_to_c(propagation) && found != convert_to_c(other_propagation)))
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the descriptor is not one of this recurrent primitive");
        reset_with_clone(pd);
    }
};

#undef DNNL_RNN_ARGUMENT_

/// The constructors of every descriptor, here with the cell kind.
#define DNNL_RNN_DESC_(name, cell, ...)                                                                      \
    name() = default;                                                                                        \
    name(dnnl_primitive_desc_t pd) : rnn_primitive_desc_base(pd, __VA_ARGS__, cell) {}

/// activation is one of algorithm::eltwise_*; alpha is its parameter.
struct vanilla_rnn_forward : public primitive {
    struct primitive_desc : public rnn_primitive_desc_base {
        DNNL_RNN_DESC_(primitive_desc, dnnl::algorithm::vanilla_rnn, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                       rnn_direction direction, const desc &src_layer, const desc &src_iter,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer, src_iter, weights_layer,
                             weights_iter, bias, dst_layer, dst_iter, 0.f, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                       rnn_direction direction, const desc &src_layer, const desc &src_iter,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter, float alpha,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(vanilla_rnn_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(activation), convert_to_c(direction), src_layer.get(), src_iter.get(),
                 weights_layer.get(), weights_iter.get(), bias.get(), dst_layer.get(), dst_iter.get(),
                 dnnl_rnn_flags_undef, alpha, 0.f, attr.get());
        }
    };

    DNNL_PRIMITIVE_(vanilla_rnn_forward)
};

struct vanilla_rnn_backward : public primitive {
    struct primitive_desc : public rnn_primitive_desc_base {
        DNNL_RNN_DESC_(primitive_desc, dnnl::algorithm::vanilla_rnn, dnnl::prop_kind::backward)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                       rnn_direction direction, const desc &src_layer, const desc &src_iter,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter, const desc &diff_src_layer,
                       const desc &diff_src_iter, const desc &diff_weights_layer,
                       const desc &diff_weights_iter, const desc &diff_bias, const desc &diff_dst_layer,
                       const desc &diff_dst_iter, const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer, src_iter, weights_layer,
                             weights_iter, bias, dst_layer, dst_iter, diff_src_layer, diff_src_iter,
                             diff_weights_layer, diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter,
                             0.f, hint_fwd_pd, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                       rnn_direction direction, const desc &src_layer, const desc &src_iter,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter, const desc &diff_src_layer,
                       const desc &diff_src_iter, const desc &diff_weights_layer,
                       const desc &diff_weights_iter, const desc &diff_bias, const desc &diff_dst_layer,
                       const desc &diff_dst_iter, float alpha,
                       const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(vanilla_rnn_backward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(activation), convert_to_c(direction), src_layer.get(), src_iter.get(),
                 weights_layer.get(), weights_iter.get(), bias.get(), dst_layer.get(), dst_iter.get(),
                 diff_src_layer.get(), diff_src_iter.get(), diff_weights_layer.get(), diff_weights_iter.get(),
                 diff_bias.get(), diff_dst_layer.get(), diff_dst_iter.get(), dnnl_rnn_flags_undef, alpha, 0.f,
                 hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(vanilla_rnn_backward)
};

/// With peephole and projection weights, with peephole weights only, or with neither.
struct lstm_forward : public primitive {
    struct primitive_desc : public rnn_primitive_desc_base {
        DNNL_RNN_DESC_(primitive_desc, dnnl::algorithm::vanilla_lstm, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &weights_peephole,
                       const desc &weights_projection, const desc &bias, const desc &dst_layer,
                       const desc &dst_iter, const desc &dst_iter_c,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 &weights_peephole, &weights_projection, bias, dst_layer, dst_iter, dst_iter_c, attr,
                 allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &weights_peephole,
                       const desc &bias, const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 &weights_peephole, nullptr, bias, dst_layer, dst_iter, dst_iter_c, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 nullptr, nullptr, bias, dst_layer, dst_iter, dst_iter_c, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, rnn_direction direction, const desc &src_layer,
                  const desc &src_iter, const desc &src_iter_c, const desc &weights_layer,
                  const desc &weights_iter, const desc *weights_peephole, const desc *weights_projection,
                  const desc &bias, const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                  const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(lstm_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(direction), src_layer.get(), src_iter.get(), src_iter_c.get(),
                 weights_layer.get(), weights_iter.get(), optional_arg(weights_peephole),
                 optional_arg(weights_projection), bias.get(), dst_layer.get(), dst_iter.get(),
                 dst_iter_c.get(), dnnl_rnn_flags_undef, attr.get());
        }
    };

    DNNL_PRIMITIVE_(lstm_forward)
};

struct lstm_backward : public primitive {
    struct primitive_desc : public rnn_primitive_desc_base {
        DNNL_RNN_DESC_(primitive_desc, dnnl::algorithm::vanilla_lstm, dnnl::prop_kind::backward)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &weights_peephole,
                       const desc &weights_projection, const desc &bias, const desc &dst_layer,
                       const desc &dst_iter, const desc &dst_iter_c, const desc &diff_src_layer,
                       const desc &diff_src_iter, const desc &diff_src_iter_c, const desc &diff_weights_layer,
                       const desc &diff_weights_iter, const desc &diff_weights_peephole,
                       const desc &diff_weights_projection, const desc &diff_bias, const desc &diff_dst_layer,
                       const desc &diff_dst_iter, const desc &diff_dst_iter_c,
                       const lstm_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 &weights_peephole, &weights_projection, bias, dst_layer, dst_iter, dst_iter_c,
                 diff_src_layer, diff_src_iter, diff_src_iter_c, diff_weights_layer, diff_weights_iter,
                 &diff_weights_peephole, &diff_weights_projection, diff_bias, diff_dst_layer, diff_dst_iter,
                 diff_dst_iter_c, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &weights_peephole,
                       const desc &bias, const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                       const desc &diff_src_layer, const desc &diff_src_iter, const desc &diff_src_iter_c,
                       const desc &diff_weights_layer, const desc &diff_weights_iter,
                       const desc &diff_weights_peephole, const desc &diff_bias, const desc &diff_dst_layer,
                       const desc &diff_dst_iter, const desc &diff_dst_iter_c,
                       const lstm_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 &weights_peephole, nullptr, bias, dst_layer, dst_iter, dst_iter_c, diff_src_layer,
                 diff_src_iter, diff_src_iter_c, diff_weights_layer, diff_weights_iter,
                 &diff_weights_peephole, nullptr, diff_bias, diff_dst_layer, diff_dst_iter, diff_dst_iter_c,
                 hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &src_iter_c,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                       const desc &diff_src_layer, const desc &diff_src_iter, const desc &diff_src_iter_c,
                       const desc &diff_weights_layer, const desc &diff_weights_iter, const desc &diff_bias,
                       const desc &diff_dst_layer, const desc &diff_dst_iter, const desc &diff_dst_iter_c,
                       const lstm_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                 nullptr, nullptr, bias, dst_layer, dst_iter, dst_iter_c, diff_src_layer, diff_src_iter,
                 diff_src_iter_c, diff_weights_layer, diff_weights_iter, nullptr, nullptr, diff_bias,
                 diff_dst_layer, diff_dst_iter, diff_dst_iter_c, hint_fwd_pd, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, rnn_direction direction, const desc &src_layer,
                  const desc &src_iter, const desc &src_iter_c, const desc &weights_layer,
                  const desc &weights_iter, const desc *weights_peephole, const desc *weights_projection,
                  const desc &bias, const desc &dst_layer, const desc &dst_iter, const desc &dst_iter_c,
                  const desc &diff_src_layer, const desc &diff_src_iter, const desc &diff_src_iter_c,
                  const desc &diff_weights_layer, const desc &diff_weights_iter,
                  const desc *diff_weights_peephole, const desc *diff_weights_projection,
                  const desc &diff_bias, const desc &diff_dst_layer, const desc &diff_dst_iter,
                  const desc &diff_dst_iter_c, const lstm_forward::primitive_desc &hint_fwd_pd,
                  const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(lstm_backward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(direction), src_layer.get(), src_iter.get(), src_iter_c.get(),
                 weights_layer.get(), weights_iter.get(), optional_arg(weights_peephole),
                 optional_arg(weights_projection), bias.get(), dst_layer.get(), dst_iter.get(),
                 dst_iter_c.get(), diff_src_layer.get(), diff_src_iter.get(), diff_src_iter_c.get(),
                 diff_weights_layer.get(), diff_weights_iter.get(), optional_arg(diff_weights_peephole),
                 optional_arg(diff_weights_projection), diff_bias.get(), diff_dst_layer.get(),
                 diff_dst_iter.get(), diff_dst_iter_c.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(),
                 attr.get());
        }
    };

    DNNL_PRIMITIVE_(lstm_backward)
};

namespace detail {

template <algorithm cell>
struct gru_forward_desc : public rnn_primitive_desc_base {
    DNNL_RNN_DESC_(gru_forward_desc, cell, DNNL_FORWARD_)

    gru_forward_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                     const desc &src_layer, const desc &src_iter, const desc &weights_layer,
                     const desc &weights_iter, const desc &bias, const desc &dst_layer, const desc &dst_iter,
                     const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        make(cell == algorithm::vanilla_gru ? DNNL_CREATION_(gru_forward) : DNNL_CREATION_(lbr_gru_forward),
             allow_empty, aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction), src_layer.get(),
             src_iter.get(), weights_layer.get(), weights_iter.get(), bias.get(), dst_layer.get(),
             dst_iter.get(), dnnl_rnn_flags_undef, attr.get());
    }
};

template <algorithm cell, typename forward_desc>
struct gru_backward_desc : public rnn_primitive_desc_base {
    DNNL_RNN_DESC_(gru_backward_desc, cell, dnnl::prop_kind::backward)

    gru_backward_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                      const desc &src_layer, const desc &src_iter, const desc &weights_layer,
                      const desc &weights_iter, const desc &bias, const desc &dst_layer, const desc &dst_iter,
                      const desc &diff_src_layer, const desc &diff_src_iter, const desc &diff_weights_layer,
                      const desc &diff_weights_iter, const desc &diff_bias, const desc &diff_dst_layer,
                      const desc &diff_dst_iter, const forward_desc &hint_fwd_pd,
                      const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        make(cell == algorithm::vanilla_gru ? DNNL_CREATION_(gru_backward) : DNNL_CREATION_(lbr_gru_backward),
             allow_empty, aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction), src_layer.get(),
             src_iter.get(), weights_layer.get(), weights_iter.get(), bias.get(), dst_layer.get(),
             dst_iter.get(), diff_src_layer.get(), diff_src_iter.get(), diff_weights_layer.get(),
             diff_weights_iter.get(), diff_bias.get(), diff_dst_layer.get(), diff_dst_iter.get(),
             dnnl_rnn_flags_undef, hint_fwd_pd.get(), attr.get());
    }
};

/// Like GRU, with an update gate that is scaled by attention.
template <algorithm cell>
struct augru_forward_desc : public rnn_primitive_desc_base {
    DNNL_RNN_DESC_(augru_forward_desc, cell, DNNL_FORWARD_)

    augru_forward_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                       const desc &src_layer, const desc &src_iter, const desc &attention,
                       const desc &weights_layer, const desc &weights_iter, const desc &bias,
                       const desc &dst_layer, const desc &dst_iter,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        make(cell == algorithm::vanilla_augru ? DNNL_CREATION_(augru_forward)
                                              : DNNL_CREATION_(lbr_augru_forward),
             allow_empty, aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction), src_layer.get(),
             src_iter.get(), attention.get(), weights_layer.get(), weights_iter.get(), bias.get(),
             dst_layer.get(), dst_iter.get(), dnnl_rnn_flags_undef, attr.get());
    }

    memory::desc attention_desc() const { return augru_attention_desc(); }
};

template <algorithm cell, typename forward_desc>
struct augru_backward_desc : public rnn_primitive_desc_base {
    DNNL_RNN_DESC_(augru_backward_desc, cell, dnnl::prop_kind::backward)

    augru_backward_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                        const desc &src_layer, const desc &src_iter, const desc &attention,
                        const desc &weights_layer, const desc &weights_iter, const desc &bias,
                        const desc &dst_layer, const desc &dst_iter, const desc &diff_src_layer,
                        const desc &diff_src_iter, const desc &diff_attention, const desc &diff_weights_layer,
                        const desc &diff_weights_iter, const desc &diff_bias, const desc &diff_dst_layer,
                        const desc &diff_dst_iter, const forward_desc &hint_fwd_pd,
                        const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        make(cell == algorithm::vanilla_augru ? DNNL_CREATION_(augru_backward)
                                              : DNNL_CREATION_(lbr_augru_backward),
             allow_empty, aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction), src_layer.get(),
             src_iter.get(), attention.get(), weights_layer.get(), weights_iter.get(), bias.get(),
             dst_layer.get(), dst_iter.get(), diff_src_layer.get(), diff_src_iter.get(), diff_attention.get(),
             diff_weights_layer.get(), diff_weights_iter.get(), diff_bias.get(), diff_dst_layer.get(),
             diff_dst_iter.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(), attr.get());
    }

    memory::desc attention_desc() const { return augru_attention_desc(); }
    memory::desc diff_attention_desc() const { return diff_augru_attention_desc(); }
};

} // namespace detail

DNNL_PRIMITIVE_WITH_(gru_forward, gru_forward_desc, algorithm::vanilla_gru)
DNNL_PRIMITIVE_WITH_(gru_backward, gru_backward_desc, algorithm::vanilla_gru, gru_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(lbr_gru_forward, gru_forward_desc, algorithm::lbr_gru)
DNNL_PRIMITIVE_WITH_(lbr_gru_backward, gru_backward_desc, algorithm::lbr_gru, lbr_gru_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(augru_forward, augru_forward_desc, algorithm::vanilla_augru)
DNNL_PRIMITIVE_WITH_(augru_backward, augru_backward_desc, algorithm::vanilla_augru,
                     augru_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(lbr_augru_forward, augru_forward_desc, algorithm::lbr_augru)
DNNL_PRIMITIVE_WITH_(lbr_augru_backward, augru_backward_desc, algorithm::lbr_augru,
                     lbr_augru_forward::primitive_desc)

#undef DNNL_RNN_DESC_

} // namespace dnnl

#endif
