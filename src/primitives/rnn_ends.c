/* SPDX-License-Identifier: Apache-2.0 */
/* Where programs of recurrent networks meet the user's tensors: layouts, inputs, first and last states. */
#include "base/verbose.h"
#include "primitives/primitives.h"
#include "primitives/rnn.h"
#include "primitives/rows.h"

dnnl_status_t rnn_decide_layouts(struct plan *plan) {
    static const struct {
        int arg;
        const char *tag;
    } rows[] = {
            {DNNL_ARG_SRC_LAYER, "abc"},
            {DNNL_ARG_SRC_ITER, "abcd"},
            {DNNL_ARG_SRC_ITER_C, "abcd"},
            {DNNL_ARG_DST_LAYER, "abc"},
            {DNNL_ARG_DST_ITER, "abcd"},
            {DNNL_ARG_DST_ITER_C, "abcd"},
            {DNNL_ARG_BIAS, "abcd"},
            {DNNL_ARG_WEIGHTS_PEEPHOLE, "abcd"},
            {DNNL_ARG_AUGRU_ATTENTION, "abc"},
            {DNNL_ARG_DIFF_SRC_LAYER, "abc"},
            {DNNL_ARG_DIFF_SRC_ITER, "abcd"},
            {DNNL_ARG_DIFF_SRC_ITER_C, "abcd"},
            {DNNL_ARG_DIFF_DST_LAYER, "abc"},
            {DNNL_ARG_DIFF_DST_ITER, "abcd"},
            {DNNL_ARG_DIFF_DST_ITER_C, "abcd"},
            {DNNL_ARG_DIFF_BIAS, "abcd"},
            {DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, "abcd"},
            {DNNL_ARG_DIFF_AUGRU_ATTENTION, "abc"},
            {DNNL_ARG_DIFF_WEIGHTS_LAYER, "abcde"},
            {DNNL_ARG_DIFF_WEIGHTS_ITER, "abcde"},
            {DNNL_ARG_DIFF_WEIGHTS_PROJECTION, "abcd"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        md_t *md = problem_md(&plan->problem, rows[i].arg);
        if (md) TRY(md_set_any(md, rows[i].tag));
        if (md && !md_is_blocked(md)) return plan_skip(plan, "a layout is not blocked");
    }
    return dnnl_success;
}

static bool is_byte(const md_t *md) {
    return md->data_type == dnnl_u8 || md->data_type == dnnl_s8;
}

dnnl_status_t rnn_copy(struct rnn *rnn, int from_arg, const md_t *from, int to_arg, const md_t *to) {
    if (is_byte(from) == is_byte(to)) return append_reorder(rnn->plan, from_arg, from, to_arg, to, NULL);
    const float scale = rnn->plan->attr.rnn.scale, shift = rnn->plan->attr.rnn.shift;
    struct rows rows;
    rows_begin_at(&rows, rnn->plan, to_arg, to);
    rows_load(&rows, rows_operand_at(&rows, from_arg, from), ROW_NONE);
    if (is_byte(to))
        rows_eltwise(&rows, dnnl_eltwise_linear, scale, shift);
    else
        rows_eltwise(&rows, dnnl_eltwise_linear, 1 / scale, -shift / scale);
    return rows_end(&rows);
}

/* States before the first step. */

static dnnl_status_t clear_state(struct rnn *rnn, const struct rnn_area *area, int operand,
                                 dnnl_dim_t direction, dnnl_dim_t channels) {
    for (dnnl_dim_t l = 0; l < rnn->layers; l++) {
        const struct rnn_step step = {.layer = l, .direction = direction};
        struct rnn_params *p = rnn_launch(rnn, RNN_CLEAR, channels);
        if (!p) return dnnl_out_of_memory;
        p->operands[operand] = rnn_operand(rnn, area, &step, true);
    }
    return dnnl_success;
}

dnnl_status_t rnn_begin_state(struct rnn *rnn, int arg, const struct rnn_area *area, int operand,
                              dnnl_dim_t channels) {
    const md_t *user = problem_md(&rnn->plan->problem, arg);
    for (dnnl_dim_t d = 0; d < rnn->directions; d++) {
        if (!user) {
            TRY(clear_state(rnn, area, operand, d, channels));
            continue;
        }
        md_t from, to = rnn_end_slot(rnn, area, d, false, channels);
        TRY(rnn_one_direction(&from, user, d));
        TRY(rnn_copy(rnn, arg, &from, area->arg, &to));
    }
    return dnnl_success;
}

/* The final states. */
dnnl_status_t rnn_end_state(struct rnn *rnn, int arg, const struct rnn_area *area, dnnl_dim_t channels) {
    const md_t *user = problem_md(&rnn->plan->problem, arg);
    for (dnnl_dim_t d = 0; user && d < rnn->directions; d++) {
        md_t to, from = rnn_end_slot(rnn, area, d, true, channels);
        TRY(rnn_one_direction(&to, user, d));
        TRY(rnn_copy(rnn, area->arg, &from, arg, &to));
    }
    return dnnl_success;
}

/* Inputs. */

/* Attention of every row, for all channels. */
dnnl_status_t rnn_spread_attention(struct rnn *rnn, struct rnn_area *attention) {
    const md_t *user = problem_md(&rnn->plan->problem, DNNL_ARG_AUGRU_ATTENTION);
    *attention = (struct rnn_area){.arg = ARG_NOTHING};
    if (!user) return dnnl_success;
    struct rows rows;
    *attention = rnn_scratch(rnn, rnn->time, 1, rnn->dhc);
    md_t spread = rnn_sequence(rnn, attention, &(struct rnn_step){0}, false, rnn->dhc);
    rows_begin_at(&rows, rnn->plan, ARG_SCRATCHPAD, &spread);
    rows_load(&rows, rows_operand_at(&rows, DNNL_ARG_AUGRU_ATTENTION, user), ROW_NONE);
    return rows_end(&rows);
}

/* Inputs of the first layer are used where they are, if steps follow each other there. */
static bool reads_input(const struct rnn *rnn, const md_t *md) {
    const dnnl_dim_t *strides = md->blocking.strides;
    return md->data_type == rnn->state.type && md_is_plain(md) && (strides[2] == 1 || md->dims[2] == 1)
           && (md->dims[0] == 1 || strides[0] == md->dims[1] * strides[1]);
}

dnnl_status_t rnn_input(struct rnn *rnn, struct rnn_area *input) {
    const md_t *user = problem_md(&rnn->plan->problem, DNNL_ARG_SRC_LAYER);
    if (reads_input(rnn, user)) {
        dnnl_dim_t row = user->blocking.strides[1];
        if (rnn->batch == 1) row = user->blocking.strides[0];
        *input = (struct rnn_area){.arg = DNNL_ARG_SRC_LAYER,
                                   .type = user->data_type,
                                   .offset = user->offset0,
                                   .slot = rnn->batch * row,
                                   .row = row,
                                   .slots = rnn->time};
        return dnnl_success;
    }
    *input = rnn_scratch(rnn, rnn->time, 1, rnn->slc);
    rnn_make_states(rnn, input);
    const md_t to = rnn_sequence(rnn, input, &(struct rnn_step){0}, false, rnn->slc);
    return append_reorder(rnn->plan, DNNL_ARG_SRC_LAYER, user, input->arg, &to, NULL);
}
