/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An LSTM of two layers and both directions, a program of many launches with loops, for the tests that
 * record: a replay must give the bits of an execution.
 */
#ifndef LODE_TESTS_RUNTIMES_LSTM_H
#define LODE_TESTS_RUNTIMES_LSTM_H

#include "test.h"

enum { LSTM_ARGS = 5, LSTM_ROUNDS = 3, LSTM_RESULTS = 5 * 3 * 2 * 24 }; /* steps x batch x both states */
struct lstm {
    dnnl_engine_t engine; /* not owned */
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[LSTM_ARGS];
    float expected[LSTM_ROUNDS][LSTM_RESULTS];
};

/* Made and executed once for each round, on a stream of its own: the expected results. */
void lstm_make(struct lstm *lstm, dnnl_engine_t engine);
void lstm_free(struct lstm *lstm);
/* For a stream that records. The primitive is destroyed after it; results are cleared. */
void lstm_record(struct lstm *lstm, dnnl_stream_t stream);
/* Inputs and weights of a round; results are cleared. */
void lstm_fill(const struct lstm *lstm, int round);
/* Asserts that the results are those of the round; or, if that is negative, that nothing has run. */
void lstm_expect(const struct lstm *lstm, int round);

#endif
