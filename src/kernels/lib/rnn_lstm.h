/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LSTM cells of whole vectors, without peepholes: see rnn.cl. What rnn_lstm computes, in two passes over
 * a chunk: gates and the new c, then the state. Vectors of a pass do not depend on each other, so that
 * the CPU computes several at once.
 */

/* The operands of a chunk, at its first channel. Products are floats, or integers with scales. */
struct lstm_chunk {
    global const uchar *layer, *iter;
    global const float *bias, *scale, *sums, *c_before;
    global float *c, *gates;
    i64 layer_gate, iter_gate, bias_gate, scale_gate, sums_gate, gates_gate; /* strides */
    float shift;
};

INLINE global float *lstm_floats(const struct rnn_at *at, int operand) {
    return (global float *)at->rows[operand] + at->channel;
}

INLINE bool lstm_is(const struct rnn_at *at, int operand, int type) {
    return at->types[operand] == type;
}

/* Do these operands have the types that the functions below expect? */
INLINE bool lstm_is_plain(const struct rnn_at *at) {
    const bool bytes = rnn_has(at, RNN_SCALE), saved = rnn_has(at, RNN_GATES);
    const int products = bytes ? TYPE_S32 : TYPE_F32;
    return at->p->op == RNN_LSTM && !rnn_has(at, RNN_PEEPHOLE) && lstm_is(at, RNN_GATES_LAYER, products)
           && lstm_is(at, RNN_GATES_ITER, products) && lstm_is(at, RNN_BIAS, TYPE_F32)
           && lstm_is(at, RNN_C_BEFORE, TYPE_F32) && lstm_is(at, RNN_C, TYPE_F32)
           && (!saved || (!bytes && lstm_is(at, RNN_GATES, TYPE_F32)))
           && (!bytes || (lstm_is(at, RNN_SCALE, TYPE_F32) && lstm_is(at, RNN_SUMS, TYPE_F32)));
}

INLINE VEC lstm_product(global const uchar *from, i64 offset, const bool bytes) {
    if (bytes) return TO_VEC(VLOAD(0, (global const int *)from + offset));
    return VLOAD(0, (global const float *)from + offset);
}

INLINE VEC lstm_sum(const struct lstm_chunk *l, const int gate, i64 i, const bool bytes) {
    PREFETCH(l->layer + sizeof(float) * (gate * l->layer_gate + i + RNN_AHEAD));
    VEC x = lstm_product(l->layer, gate * l->layer_gate + i, bytes)
            + lstm_product(l->iter, gate * l->iter_gate + i, bytes);
    if (bytes)
        x = fma(VLOAD(0, l->sums + gate * l->sums_gate + i), V(-l->shift), x)
            * VLOAD(0, l->scale + gate * l->scale_gate + i);
    return x + VLOAD(0, l->bias + gate * l->bias_gate + i);
}

/* c, and what tanh c is divided by for the state: products of gates are single divisions. Callers pass
 * `bytes` as a constant. */
INLINE void lstm_gates(const struct lstm_chunk *l, int count, float *outputs, const bool bytes) {
#pragma nounroll
    for (int k = 0; k < count; k += LANES) {
        const VEC i = rnn_logistic_inverse(lstm_sum(l, 0, k, bytes));
        const VEC f = rnn_logistic(lstm_sum(l, 1, k, bytes));
        const VEC ig = rnn_tanh_over(lstm_sum(l, 2, k, bytes), i);
        VSTORE(rnn_logistic_inverse(lstm_sum(l, 3, k, bytes)), 0, outputs + k);
        VSTORE(fma(f, VLOAD(0, l->c_before + k), ig), 0, l->c + k);
    }
}

/* The same for training, which needs the gates. */
INLINE void lstm_saved_gates(const struct lstm_chunk *l, int count, float *outputs) {
#pragma nounroll
    for (int k = 0; k < count; k += LANES) {
        const VEC i = rnn_logistic(lstm_sum(l, 0, k, false)), f = rnn_logistic(lstm_sum(l, 1, k, false));
        const VEC g = rnn_tanh(lstm_sum(l, 2, k, false)), o = rnn_logistic_inverse(lstm_sum(l, 3, k, false));
        VSTORE(fma(f, VLOAD(0, l->c_before + k), i * g), 0, l->c + k);
        VSTORE(o, 0, outputs + k);
        VSTORE(i, 0, l->gates + k);
        VSTORE(f, 0, l->gates + l->gates_gate + k);
        VSTORE(g, 0, l->gates + 2 * l->gates_gate + k);
        VSTORE(f32_div(V(1.0f), o), 0, l->gates + 3 * l->gates_gate + k);
    }
}

INLINE void lstm_states(const struct rnn_at *at, global const float *c, int count, const float *outputs) {
    const int type = at->types[RNN_STATE];
    global uchar *to = at->rows[RNN_STATE];
    const float scale = at->p->scale, shift = at->p->shift;
#pragma nounroll
    for (int k = 0; k < count; k += LANES) {
        const VEC x = rnn_tanh_over(VLOAD(0, c + k), VLOAD(0, outputs + k));
        if (type == TYPE_F32)
            VSTORE(x, 0, (global float *)to + at->channel + k);
        else if (type == TYPE_U8)
            VSTORE(TO_BYTES(lanes_u8(fma(x, V(scale), V(shift)))), 0, to + at->channel + k);
        else
            VSTORE(TO_BYTES(lanes_s8(fma(x, V(scale), V(shift)))), 0, to + at->channel + k);
    }
}

INLINE struct lstm_chunk lstm_locate(const struct rnn_at *at) {
    constant struct rnn_operand *o = at->p->operands;
    return (struct lstm_chunk){.layer = (global const uchar *)lstm_floats(at, RNN_GATES_LAYER),
                               .iter = (global const uchar *)lstm_floats(at, RNN_GATES_ITER),
                               .bias = lstm_floats(at, RNN_BIAS),
                               .scale = lstm_floats(at, RNN_SCALE),
                               .sums = lstm_floats(at, RNN_SUMS),
                               .c_before = lstm_floats(at, RNN_C_BEFORE),
                               .c = lstm_floats(at, RNN_C),
                               .gates = lstm_floats(at, RNN_GATES),
                               .layer_gate = o[RNN_GATES_LAYER].gate,
                               .iter_gate = o[RNN_GATES_ITER].gate,
                               .bias_gate = o[RNN_BIAS].gate,
                               .scale_gate = o[RNN_SCALE].gate,
                               .sums_gate = o[RNN_SUMS].gate,
                               .gates_gate = o[RNN_GATES].gate,
                               .shift = at->p->shift};
}

/* `count` channels, whole vectors, at most RNN_CHUNK. */
OUTLINE void rnn_lstm_chunk(const struct rnn_at *at, int count) {
    const struct lstm_chunk l = lstm_locate(at);
    float outputs[RNN_CHUNK];
    if (rnn_has(at, RNN_SCALE))
        lstm_gates(&l, count, outputs, true);
    else if (rnn_has(at, RNN_GATES))
        lstm_saved_gates(&l, count, outputs);
    else
        lstm_gates(&l, count, outputs, false);
    lstm_states(at, l.c, count, outputs);
}
