/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks: their creation functions. One function checks all cells, over one list of tensors.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/rnn.h"

static const char component[] = "rnn";

/* The tensors of a cell, or their gradients; NULL where there is none. */
enum {
    SRC_LAYER,
    SRC_ITER,
    SRC_ITER_C,
    ATTENTION,
    WEIGHTS_LAYER,
    WEIGHTS_ITER,
    PEEPHOLE,
    PROJECTION,
    BIAS,
    DST_LAYER,
    DST_ITER,
    DST_ITER_C,
    TENSORS
};

struct request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    const md_t *tensors[TENSORS], *diffs[TENSORS];
    unsigned flags;
    float alpha, beta;
    const struct dnnl_primitive_desc *hint;
};

static const int args[TENSORS] = {
        [SRC_LAYER] = DNNL_ARG_SRC_LAYER,
        [SRC_ITER] = DNNL_ARG_SRC_ITER,
        [SRC_ITER_C] = DNNL_ARG_SRC_ITER_C,
        [ATTENTION] = DNNL_ARG_AUGRU_ATTENTION,
        [WEIGHTS_LAYER] = DNNL_ARG_WEIGHTS_LAYER,
        [WEIGHTS_ITER] = DNNL_ARG_WEIGHTS_ITER,
        [PEEPHOLE] = DNNL_ARG_WEIGHTS_PEEPHOLE,
        [PROJECTION] = DNNL_ARG_WEIGHTS_PROJECTION,
        [BIAS] = DNNL_ARG_BIAS,
        [DST_LAYER] = DNNL_ARG_DST_LAYER,
        [DST_ITER] = DNNL_ARG_DST_ITER,
        [DST_ITER_C] = DNNL_ARG_DST_ITER_C,
};
enum { DIFF = DNNL_ARG_DIFF_SRC_LAYER - DNNL_ARG_SRC_LAYER }; /* from an argument to that of its gradient */

static bool is_mandatory(int tensor) {
    return tensor == SRC_LAYER || tensor == WEIGHTS_LAYER || tensor == WEIGHTS_ITER || tensor == DST_LAYER;
}

static bool cell_has_attention(const struct request *r) {
    return r->cell == dnnl_vanilla_augru || r->cell == dnnl_lbr_augru;
}

static bool cell_is_gru(const struct request *r) {
    return r->cell == dnnl_vanilla_gru || r->cell == dnnl_lbr_gru || cell_has_attention(r);
}

static struct md_list all_of(const md_t *const *mds) {
    return (struct md_list){TENSORS, mds};
}

static dnnl_status_t check_presence(const struct request *r) {
    bool backward = r->prop == dnnl_backward;
    const md_t *const *t = r->tensors;
    for (int i = 0; i < TENSORS; i++)
        REQUIRE(!is_mandatory(i) || (t[i] && (!backward || r->diffs[i])), "an argument is NULL");
    TRY(check_no_host_scalars(component, all_of(t)));
    TRY(check_no_host_scalars(component, all_of(r->diffs)));
    REQUIRE(r->cell != dnnl_vanilla_rnn || r->activation == dnnl_eltwise_relu
                    || r->activation == dnnl_eltwise_tanh || r->activation == dnnl_eltwise_logistic,
            "unknown activation");
    REQUIRE(r->cell != dnnl_vanilla_lstm
                    || (md_is_zero(t[SRC_ITER]) == md_is_zero(t[SRC_ITER_C])
                        && md_is_zero(t[DST_ITER]) == md_is_zero(t[DST_ITER_C])),
            "a state is passed without the cell state");
    if (cell_has_attention(r)) {
        REQUIRE(r->direction == dnnl_unidirectional_left2right, "attention does not support this direction");
        REQUIRE(t[WEIGHTS_LAYER]->dims[0] == 1, "attention does not support more than one layer");
        REQUIRE(!backward || (t[ATTENTION] && r->diffs[ATTENTION]), "an argument is NULL");
    }
    for (int i = 0; backward && i < TENSORS; i++)
        REQUIRE(i == ATTENTION || md_is_zero(t[i]) == md_is_zero(r->diffs[i]),
                "a tensor is passed without its gradient");
    for (int i = 0; i < TENSORS;
         i++) /* in a forward pass, run-time sizes of attention are invalid, not unsupported */
        if (backward || i != ATTENTION) TRY(check_sizes_known(component, MDS(t[i], r->diffs[i])));
    return dnnl_success;
}

/* A combination of types: one set per tensor. */
struct types {
    bool quantised; /* inference of LSTM and GRU only */
    uint64_t sets[TENSORS];
};
#define F32 BIT(dnnl_f32)
#define STATE (F32 | BIT(dnnl_bf16) | BIT(dnnl_f16))
#define FLOAT_ROW(set)                                                                                       \
    {                                                                                                        \
        false, {                                                                                             \
            [SRC_LAYER] = set, [SRC_ITER] = set, [SRC_ITER_C] = STATE, [ATTENTION] = set,                    \
            [WEIGHTS_LAYER] = set, [WEIGHTS_ITER] = set, [PEEPHOLE] = F32, [PROJECTION] = set,               \
            [BIAS] = set | F32, [DST_LAYER] = set, [DST_ITER] = set, [DST_ITER_C] = STATE                    \
        }                                                                                                    \
    }
#define INT8_ROW(layer, iter, state)                                                                         \
    {                                                                                                        \
        true, {                                                                                              \
            [SRC_LAYER] = layer, [SRC_ITER] = iter, [SRC_ITER_C] = state, [WEIGHTS_LAYER] = BIT(dnnl_s8),    \
            [WEIGHTS_ITER] = BIT(dnnl_s8), [PROJECTION] = BIT(dnnl_s8), [BIAS] = F32,                        \
            [DST_LAYER] = layer | F32, [DST_ITER] = iter, [DST_ITER_C] = state                               \
        }                                                                                                    \
    }
static const struct types type_rows[] = {
        FLOAT_ROW(F32),
        FLOAT_ROW(BIT(dnnl_bf16)),
        FLOAT_ROW(BIT(dnnl_f16)),
        INT8_ROW(BIT(dnnl_u8), BIT(dnnl_u8), F32),
        INT8_ROW(BIT(dnnl_u8), F32, STATE),
        INT8_ROW(BIT(dnnl_s8), BIT(dnnl_s8), F32),
        INT8_ROW(BIT(dnnl_s8), F32, STATE),
};

static bool row_fits(const struct types *row, const struct request *r) {
    bool may_quantise = r->prop == dnnl_forward_inference
                        && (r->cell == dnnl_vanilla_lstm || r->cell == dnnl_vanilla_gru);
    if (row->quantised && !may_quantise) return false;
    for (int i = 0; i < TENSORS; i++)
        if (!md_is_zero(r->tensors[i]) && !in_set(row->sets[i], r->tensors[i]->data_type)) return false;
    return true;
}

static dnnl_status_t check_types(const struct request *r) {
    bool fits = false;
    for (size_t i = 0; i < sizeof type_rows / sizeof type_rows[0]; i++)
        fits = fits || row_fits(&type_rows[i], r);
    SUPPORT(fits, "this combination of types");
    for (int i = 0; i < TENSORS; i++)
        SUPPORT(md_is_zero(r->diffs[i]) || r->diffs[i]->data_type == dnnl_f32, "a gradient that is not f32");
    return dnnl_success;
}

/* The required shape of a tensor. */
struct shape {
    int ndims;
    dnnl_dim_t dims[5];
};

static dnnl_status_t check_shape(const md_t *md, const struct shape *shape) {
    if (md_is_zero(md)) return dnnl_success;
    REQUIRE(md->ndims == shape->ndims, "a tensor has %d dimensions instead of %d", md->ndims, shape->ndims);
    for (int d = 0; d < md->ndims; d++)
        REQUIRE(md->dims[d] == shape->dims[d], "dimension %d of a tensor is %lld instead of %lld", d,
                (long long)md->dims[d], (long long)shape->dims[d]);
    return dnnl_success;
}

static dnnl_status_t check_shapes(const struct request *r) {
    const md_t *const *t = r->tensors;
    bool projected = r->cell == dnnl_vanilla_lstm && !md_is_zero(t[PROJECTION]);
    bool one_way =
            r->direction == dnnl_unidirectional_left2right || r->direction == dnnl_unidirectional_right2left;
    dnnl_dim_t layers = t[WEIGHTS_LAYER]->dims[0], directions = one_way ? 1 : 2;
    dnnl_dim_t time = t[SRC_LAYER]->dims[0], batch = t[SRC_LAYER]->dims[1];
    dnnl_dim_t slc = t[SRC_LAYER]->dims[2], sic = t[WEIGHTS_ITER]->dims[2], dlc = t[DST_LAYER]->dims[2];
    dnnl_dim_t dhc = t[WEIGHTS_LAYER]->dims[4], dic = projected ? t[PROJECTION]->dims[3] : dhc;
    dnnl_dim_t gates = r->cell == dnnl_vanilla_rnn ? 1 : r->cell == dnnl_vanilla_lstm ? 4 : 3;
    dnnl_dim_t biases = gates + (r->cell == dnnl_lbr_gru || r->cell == dnnl_lbr_augru);
    dnnl_dim_t width = r->direction == dnnl_bidirectional_concat ? 2 : 1;
    REQUIRE(!cell_is_gru(r) || sic == dhc, "input and output states of a GRU differ in size");
    REQUIRE(dlc % width == 0 && dlc / width == dic, "channels of dst_layer do not match the weights");
    REQUIRE(layers <= 1 || (dlc % width == 0 && dlc / width == slc), "sizes do not match between layers");
    REQUIRE(time <= 1 || sic == dic, "sizes do not match between iterations");

    const struct shape shapes[TENSORS] = {
            [SRC_LAYER] = {3, {time, batch, slc}},
            [SRC_ITER] = {4, {layers, directions, batch, sic}},
            [SRC_ITER_C] = {4, {layers, directions, batch, dhc}},
            [ATTENTION] = {3, {time, batch, 1}},
            [WEIGHTS_LAYER] = {5, {layers, directions, slc, gates, dhc}},
            [WEIGHTS_ITER] = {5, {layers, directions, sic, gates, dhc}},
            [PEEPHOLE] = {4, {layers, directions, 3, dhc}},
            [PROJECTION] = {4, {layers, directions, dhc, dic}},
            [BIAS] = {4, {layers, directions, biases, dhc}},
            [DST_LAYER] = {3, {time, batch, dlc}},
            [DST_ITER] = {4, {layers, directions, batch, dic}},
            [DST_ITER_C] = {4, {layers, directions, batch, dhc}},
    };
    for (int i = 0; i < TENSORS; i++) {
        REQUIRE(!is_mandatory(i) || !md_is_zero(t[i]), "a tensor without dimensions");
        TRY(check_shape(t[i], &shapes[i]));
        TRY(check_shape(r->diffs[i], &shapes[i]));
    }
    return dnnl_success;
}

/* The workspace: as many bytes as the forward pass saves. */
static dnnl_status_t add_workspace(struct problem *problem, bool forward) {
    struct rnn rnn;
    md_t workspace;
    rnn_init(&rnn, problem);
    if (!rnn.training || rnn.saved == 0) return dnnl_success;
    TRY(md_init_by_string(&workspace, 1, (dnnl_dims_t){(dnnl_dim_t)rnn.saved}, dnnl_u8, "a"));
    problem_add(problem, DNNL_ARG_WORKSPACE, forward, &workspace);
    return dnnl_success;
}

/* Inputs and outputs of the forward pass are both inputs of the backward pass. */
static dnnl_status_t create_network(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const struct request *r,
                                    bool forward, const attr_t *attr) {
    struct problem problem;
    TRY(problem_init(&problem, dnnl_rnn, 2 * TENSORS + 1));
    problem.prop = r->prop;
    problem.alg = problem.cell_kind = r->cell;
    problem.activation_kind = r->activation;
    problem.direction = r->direction;
    problem.flags = r->flags;
    problem.alpha = r->alpha, problem.beta = r->beta;
    for (int i = 0; i < TENSORS; i++)
        problem_add(&problem, args[i], forward && i >= DST_LAYER, r->tensors[i]);
    for (int i = 0; i < TENSORS; i++)
        problem_add(&problem, args[i] + DIFF, i < DST_LAYER, r->diffs[i]);
    dnnl_status_t status = add_workspace(&problem, forward);
    if (status != dnnl_success) {
        problem_clear(&problem);
        return status;
    }
    if (forward) return create_desc(component, pd, engine, &problem, attr);
    return create_backward_desc(component, pd, engine, &problem, r->hint, attr);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const struct request *r,
                            bool forward, const attr_t *attr) {
    REQUIRE(forward ? prop_is_forward(r->prop) : r->prop == dnnl_backward, "bad propagation kind");
    TRY(check_presence(r));
    TRY(check_types(r));
    TRY(check_shapes(r));
    bool int8 = forward && r->tensors[WEIGHTS_LAYER]->data_type == dnnl_s8;
    struct attr_rules rules = {.parts = ATTR_FPMATH | (int8 ? ATTR_RNN : 0)};
    TRY(check_attr(component, engine, attr, &rules));
    SUPPORT(r->direction >= dnnl_unidirectional_left2right && r->direction <= dnnl_bidirectional_sum,
            "this direction");
    return create_network(pd, engine, r, forward, attr);
}

/* All creation functions use the same parameter names: the tensors of every cell, and those of an LSTM; with
 * `d` = diff_, their gradients. */
#define CELL_TENSORS(d)                                                                                      \
    [SRC_LAYER] = d##src_layer, [SRC_ITER] = d##src_iter, [WEIGHTS_LAYER] = d##weights_layer,                \
    [WEIGHTS_ITER] = d##weights_iter, [BIAS] = d##bias, [DST_LAYER] = d##dst_layer, [DST_ITER] = d##dst_iter
#define LSTM_TENSORS(d)                                                                                      \
    CELL_TENSORS(d), [SRC_ITER_C] = d##src_iter_c, [PEEPHOLE] = d##peephole, [PROJECTION] = d##projection,   \
                     [DST_ITER_C] = d##dst_iter_c
#define AUGRU_TENSORS(d) CELL_TENSORS(d), [ATTENTION] = d##attention

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer, const_dnnl_memory_desc_t src_iter,
        const_dnnl_memory_desc_t weights_layer, const_dnnl_memory_desc_t weights_iter,
        const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = prop,
                        .cell = dnnl_vanilla_rnn,
                        .activation = activation,
                        .direction = direction,
                        .tensors = {CELL_TENSORS()},
                        .flags = flags,
                        .alpha = alpha,
                        .beta = beta};
    return create(pd, engine, &r, true, attr);
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer, const_dnnl_memory_desc_t src_iter,
        const_dnnl_memory_desc_t weights_layer, const_dnnl_memory_desc_t weights_iter,
        const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,
        const_dnnl_memory_desc_t diff_src_layer, const_dnnl_memory_desc_t diff_src_iter,
        const_dnnl_memory_desc_t diff_weights_layer, const_dnnl_memory_desc_t diff_weights_iter,
        const_dnnl_memory_desc_t diff_bias, const_dnnl_memory_desc_t diff_dst_layer,
        const_dnnl_memory_desc_t diff_dst_iter, unsigned flags, float alpha, float beta,
        const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = prop,
                        .cell = dnnl_vanilla_rnn,
                        .activation = activation,
                        .direction = direction,
                        .tensors = {CELL_TENSORS()},
                        .diffs = {CELL_TENSORS(diff_)},
                        .flags = flags,
                        .alpha = alpha,
                        .beta = beta,
                        .hint = hint};
    return create(pd, engine, &r, false, attr);
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer, const_dnnl_memory_desc_t src_iter,
        const_dnnl_memory_desc_t src_iter_c, const_dnnl_memory_desc_t weights_layer,
        const_dnnl_memory_desc_t weights_iter, const_dnnl_memory_desc_t peephole,
        const_dnnl_memory_desc_t projection, const_dnnl_memory_desc_t bias,
        const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,
        const_dnnl_memory_desc_t dst_iter_c, unsigned flags, const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = prop,
                        .cell = dnnl_vanilla_lstm,
                        .direction = direction,
                        .tensors = {LSTM_TENSORS()},
                        .flags = flags};
    return create(pd, engine, &r, true, attr);
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer, const_dnnl_memory_desc_t src_iter,
        const_dnnl_memory_desc_t src_iter_c, const_dnnl_memory_desc_t weights_layer,
        const_dnnl_memory_desc_t weights_iter, const_dnnl_memory_desc_t peephole,
        const_dnnl_memory_desc_t projection, const_dnnl_memory_desc_t bias,
        const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,
        const_dnnl_memory_desc_t dst_iter_c, const_dnnl_memory_desc_t diff_src_layer,
        const_dnnl_memory_desc_t diff_src_iter, const_dnnl_memory_desc_t diff_src_iter_c,
        const_dnnl_memory_desc_t diff_weights_layer, const_dnnl_memory_desc_t diff_weights_iter,
        const_dnnl_memory_desc_t diff_peephole, const_dnnl_memory_desc_t diff_projection,
        const_dnnl_memory_desc_t diff_bias, const_dnnl_memory_desc_t diff_dst_layer,
        const_dnnl_memory_desc_t diff_dst_iter, const_dnnl_memory_desc_t diff_dst_iter_c, unsigned flags,
        const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = prop,
                        .cell = dnnl_vanilla_lstm,
                        .direction = direction,
                        .tensors = {LSTM_TENSORS()},
                        .diffs = {LSTM_TENSORS(diff_)},
                        .flags = flags,
                        .hint = hint};
    return create(pd, engine, &r, false, attr);
}

/* The four GRUs differ only in name and in whether they have attention. */
#define GRU_FORWARD(function, cell_kind)                                                                     \
    dnnl_status_t function(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,           \
                           dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer,               \
                           const_dnnl_memory_desc_t src_iter, const_dnnl_memory_desc_t weights_layer,        \
                           const_dnnl_memory_desc_t weights_iter, const_dnnl_memory_desc_t bias,             \
                           const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,            \
                           unsigned flags, const_dnnl_primitive_attr_t attr) {                               \
        struct request r = {.prop = prop,                                                                    \
                            .cell = cell_kind,                                                               \
                            .direction = direction,                                                          \
                            .tensors = {CELL_TENSORS()},                                                     \
                            .flags = flags};                                                                 \
        return create(pd, engine, &r, true, attr);                                                           \
    }
GRU_FORWARD(dnnl_gru_forward_primitive_desc_create, dnnl_vanilla_gru)
GRU_FORWARD(dnnl_lbr_gru_forward_primitive_desc_create, dnnl_lbr_gru)

#define GRU_BACKWARD(function, cell_kind)                                                                    \
    dnnl_status_t function(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,           \
                           dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer,               \
                           const_dnnl_memory_desc_t src_iter, const_dnnl_memory_desc_t weights_layer,        \
                           const_dnnl_memory_desc_t weights_iter, const_dnnl_memory_desc_t bias,             \
                           const_dnnl_memory_desc_t dst_layer, const_dnnl_memory_desc_t dst_iter,            \
                           const_dnnl_memory_desc_t diff_src_layer, const_dnnl_memory_desc_t diff_src_iter,  \
                           const_dnnl_memory_desc_t diff_weights_layer,                                      \
                           const_dnnl_memory_desc_t diff_weights_iter, const_dnnl_memory_desc_t diff_bias,   \
                           const_dnnl_memory_desc_t diff_dst_layer, const_dnnl_memory_desc_t diff_dst_iter,  \
                           unsigned flags, const_dnnl_primitive_desc_t hint,                                 \
                           const_dnnl_primitive_attr_t attr) {                                               \
        struct request r = {.prop = prop,                                                                    \
                            .cell = cell_kind,                                                               \
                            .direction = direction,                                                          \
                            .tensors = {CELL_TENSORS()},                                                     \
                            .diffs = {CELL_TENSORS(diff_)},                                                  \
                            .flags = flags,                                                                  \
                            .hint = hint};                                                                   \
        return create(pd, engine, &r, false, attr);                                                          \
    }
GRU_BACKWARD(dnnl_gru_backward_primitive_desc_create, dnnl_vanilla_gru)
GRU_BACKWARD(dnnl_lbr_gru_backward_primitive_desc_create, dnnl_lbr_gru)

#define AUGRU_FORWARD(function, cell_kind)                                                                   \
    dnnl_status_t function(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,           \
                           dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer,               \
                           const_dnnl_memory_desc_t src_iter, const_dnnl_memory_desc_t attention,            \
                           const_dnnl_memory_desc_t weights_layer, const_dnnl_memory_desc_t weights_iter,    \
                           const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst_layer,                \
                           const_dnnl_memory_desc_t dst_iter, unsigned flags,                                \
                           const_dnnl_primitive_attr_t attr) {                                               \
        struct request r = {.prop = prop,                                                                    \
                            .cell = cell_kind,                                                               \
                            .direction = direction,                                                          \
                            .tensors = {AUGRU_TENSORS()},                                                    \
                            .flags = flags};                                                                 \
        return create(pd, engine, &r, true, attr);                                                           \
    }
AUGRU_FORWARD(dnnl_augru_forward_primitive_desc_create, dnnl_vanilla_augru)
AUGRU_FORWARD(dnnl_lbr_augru_forward_primitive_desc_create, dnnl_lbr_augru)

#define AUGRU_BACKWARD(function, cell_kind)                                                                  \
    dnnl_status_t function(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,           \
                           dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer,               \
                           const_dnnl_memory_desc_t src_iter, const_dnnl_memory_desc_t attention,            \
                           const_dnnl_memory_desc_t weights_layer, const_dnnl_memory_desc_t weights_iter,    \
                           const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst_layer,                \
                           const_dnnl_memory_desc_t dst_iter, const_dnnl_memory_desc_t diff_src_layer,       \
                           const_dnnl_memory_desc_t diff_src_iter, const_dnnl_memory_desc_t diff_attention,  \
                           const_dnnl_memory_desc_t diff_weights_layer,                                      \
                           const_dnnl_memory_desc_t diff_weights_iter, const_dnnl_memory_desc_t diff_bias,   \
                           const_dnnl_memory_desc_t diff_dst_layer, const_dnnl_memory_desc_t diff_dst_iter,  \
                           unsigned flags, const_dnnl_primitive_desc_t hint,                                 \
                           const_dnnl_primitive_attr_t attr) {                                               \
        struct request r = {.prop = prop,                                                                    \
                            .cell = cell_kind,                                                               \
                            .direction = direction,                                                          \
                            .tensors = {AUGRU_TENSORS()},                                                    \
                            .diffs = {AUGRU_TENSORS(diff_)},                                                 \
                            .flags = flags,                                                                  \
                            .hint = hint};                                                                   \
        return create(pd, engine, &r, false, attr);                                                          \
    }
AUGRU_BACKWARD(dnnl_augru_backward_primitive_desc_create, dnnl_vanilla_augru)
AUGRU_BACKWARD(dnnl_lbr_augru_backward_primitive_desc_create, dnnl_lbr_augru)
