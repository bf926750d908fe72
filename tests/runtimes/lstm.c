/* SPDX-License-Identifier: Apache-2.0 */
/* An LSTM for the tests that record: see lstm.h. */
#include "runtimes/lstm.h"

enum { LAYERS = 2, DIRECTIONS = 2, TIME = 5, BATCH = 3, SIZE = 24, GATES = 4, DST = LSTM_ARGS - 1 };

static const struct tensor {
    int arg, ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t tag;
} tensors[LSTM_ARGS] = {
        {DNNL_ARG_SRC_LAYER, 3, {TIME, BATCH, SIZE}, dnnl_tnc},
        {DNNL_ARG_WEIGHTS_LAYER, 5, {LAYERS, DIRECTIONS, SIZE, GATES, SIZE}, dnnl_ldigo},
        {DNNL_ARG_WEIGHTS_ITER, 5, {LAYERS, DIRECTIONS, SIZE, GATES, SIZE}, dnnl_ldigo},
        {DNNL_ARG_BIAS, 4, {LAYERS, DIRECTIONS, GATES, SIZE}, dnnl_ldgo},
        {DNNL_ARG_DST_LAYER, 3, {TIME, BATCH, DIRECTIONS * SIZE}, dnnl_tnc},
};

static size_t count_of(const struct tensor *tensor) {
    size_t count = 1;
    for (int d = 0; d < tensor->ndims; d++)
        count *= (size_t)tensor->dims[d];
    return count;
}

/* Numbers from -0.5 to 0.5; seed 0: zeros. */
static void put(dnnl_memory_t memory, size_t count, unsigned seed) {
    float *values;
    uint32_t random = seed;
    assert_ok(dnnl_memory_map_data(memory, (void **)&values));
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        values[i] = seed ? (float)(random >> 8) * 0x1p-24f - 0.5f : 0;
    }
    assert_ok(dnnl_memory_unmap_data(memory, values));
}

void lstm_fill(const struct lstm *lstm, int round) {
    for (int i = 0; i < LSTM_ARGS; i++)
        put(lstm->args[i].memory, count_of(&tensors[i]),
            i == DST ? 0 : (unsigned)(round * LSTM_ARGS + i + 1));
}

static void get(const struct lstm *lstm, float *results) {
    float *values;
    assert_ok(dnnl_memory_map_data(lstm->args[DST].memory, (void **)&values));
    memcpy(results, values, LSTM_RESULTS * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(lstm->args[DST].memory, values));
}

void lstm_expect(const struct lstm *lstm, int round) {
    static const float nothing[LSTM_RESULTS];
    float found[LSTM_RESULTS];
    get(lstm, found);
    assert_memory_equal(found, round < 0 ? nothing : lstm->expected[round], sizeof found);
}

static void execute_rounds(struct lstm *lstm) {
    dnnl_stream_t stream = test_stream(lstm->engine);
    for (int round = 0; round < LSTM_ROUNDS; round++) {
        lstm_fill(lstm, round);
        assert_ok(dnnl_primitive_execute(lstm->primitive, stream, LSTM_ARGS, lstm->args));
        assert_ok(dnnl_stream_wait(stream));
        get(lstm, lstm->expected[round]);
        if (round > 0)
            assert_memory_not_equal(lstm->expected[round], lstm->expected[0], sizeof lstm->expected[0]);
    }
    assert_ok(dnnl_stream_destroy(stream));
}

void lstm_make(struct lstm *lstm, dnnl_engine_t engine) {
    dnnl_memory_desc_t mds[LSTM_ARGS];
    dnnl_primitive_desc_t pd;
    lstm->engine = engine;
    for (int i = 0; i < LSTM_ARGS; i++) {
        mds[i] = test_desc(tensors[i].ndims, tensors[i].dims, tensors[i].tag);
        lstm->args[i] = (dnnl_exec_arg_t){tensors[i].arg, test_memory(mds[i], engine, DNNL_MEMORY_ALLOCATE)};
    }
    assert_ok(dnnl_lstm_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_bidirectional_concat, mds[0], NULL, NULL, mds[1],
            mds[2], NULL, NULL, mds[3], mds[DST], NULL, NULL, dnnl_rnn_flags_undef, NULL));
    assert_ok(dnnl_primitive_create(&lstm->primitive, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    for (int i = 0; i < LSTM_ARGS; i++)
        assert_ok(dnnl_memory_desc_destroy(mds[i]));
    execute_rounds(lstm);
}

void lstm_record(struct lstm *lstm, dnnl_stream_t stream) {
    lstm_fill(lstm, 0);
    assert_ok(dnnl_primitive_execute(lstm->primitive, stream, LSTM_ARGS, lstm->args));
    assert_ok(dnnl_stream_wait(stream));
    lstm_expect(lstm, -1);
    assert_ok(dnnl_primitive_destroy(lstm->primitive));
    lstm->primitive = NULL;
}

void lstm_free(struct lstm *lstm) {
    for (int i = 0; i < LSTM_ARGS; i++)
        assert_ok(dnnl_memory_destroy(lstm->args[i].memory));
    assert_ok(dnnl_primitive_destroy(lstm->primitive));
}
