/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the cells of recurrent networks. One launch computes one part of one step for all rows of
 * the batch; matrix products come before it. All operands lie in scratchpad or in the workspace.
 */
#ifndef LODE_KERNELS_PARAMS_RNN_H
#define LODE_KERNELS_PARAMS_RNN_H

#include "kernels/params.h"

/* What a launch computes. */
enum {
    RNN_CLEAR,        /* initial states: 0 */
    RNN_ADD,          /* diff_state = diff_layer + diff_iter */
    RNN_QUANTIZE,     /* state = quantised product */
    RNN_VANILLA,      /* a plain cell with one activation */
    RNN_LSTM,         /* with or without peepholes */
    RNN_GRU_GATES,    /* the gates u and r, and r * the previous state */
    RNN_GRU_STATE,    /* the candidate and the new state, once the product of the above is there */
    RNN_LBR_GRU,      /* linear before reset */
    RNN_VANILLA_BACK, /* gradients of the same */
    RNN_LSTM_BACK,
    RNN_GRU_STATE_BACK,
    RNN_GRU_GATES_BACK,
    RNN_LBR_GRU_BACK,
};

enum { RNN_RELU, RNN_TANH, RNN_LOGISTIC };

/* Operands. All are f32 but for states, which may be bytes. */
enum {
    RNN_GATES_LAYER, /* products of the inputs, of all steps */
    RNN_GATES_ITER,  /* products of the state, of this step */
    RNN_BIAS,
    RNN_PEEPHOLE,
    RNN_ATTENTION, /* spread over all channels */
    RNN_SCALE,     /* of the products of bytes */
    RNN_SUMS,      /* sums of weights: times the shift of the bytes, they are subtracted from products */
    RNN_STATE_BEFORE,
    RNN_C_BEFORE,
    RNN_STATE,
    RNN_C,
    RNN_GATES, /* after their activations */
    RNN_EXTRA, /* r * the previous state; linear before reset: what r is multiplied by */
    RNN_DIFF_LAYER,
    RNN_DIFF_ITER,       /* what the products of the step after it give */
    RNN_DIFF_REST,       /* the rest of that gradient */
    RNN_DIFF_C,          /* read, then replaced by that of the step before */
    RNN_DIFF_GATES,      /* before their activations, with respect to products of the inputs */
    RNN_DIFF_GATES_ITER, /* linear before reset: the same of the state */
    RNN_DIFF_TERMS,      /* to be summed up: the gradients of peepholes or of attention */
    RNN_OPERANDS
};

/* Element (row, gate, channel) of an operand is at offset + step * number of the step + row * stride … */
enum { RNN_ABSENT, RNN_SCRATCHPAD, RNN_WORKSPACE };
struct rnn_operand {
    i64 offset, step, row, gate;
    i32 area; /* one of the above */
    i32 type;
};
PARAMS_SIZE(rnn_operand, 40);

enum { RNN_CHUNK = 256 }; /* channels of a work-item on CPUs */

struct rnn_params {
    i32 op, activation;
    f32 alpha;        /* slope of RNN_RELU */
    f32 scale, shift; /* of quantised states */
    i32 pad;
    i64 rows, channels;
    struct rnn_operand operands[RNN_OPERANDS];
};
PARAMS_SIZE(rnn_params, 24 + 16 + 40 * 20);

/* Writes numbers to scratchpad, again and again: element i is values[i % period]. */
enum { RNN_CONSTANTS = 512, RNN_CONSTANTS_EACH = 64 }; /* the second: of a work-item */
struct rnn_constants_params {
    i64 offset, count, period;
    f32 values[RNN_CONSTANTS];
};
PARAMS_SIZE(rnn_constants_params, 24 + 4 * 512);

#endif
