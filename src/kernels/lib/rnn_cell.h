/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of recurrent networks, forward, for one vector width LANES: see rnn.cl. */

/* 1 + e^-x, at most 2^126: 2 ulp. */
ACCESS OVERLOAD VEC rnn_logistic_inverse(VEC x) {
    VEC r, p, inside = x < V(-87.0f) ? V(-87.0f) : x;
    inside = inside > V(87.0f) ? V(87.0f) : inside;
    const VEC scale = f32_power_of_two(f32_exp_parts(-inside, &r, &p));
    return fma(fma(fma(p, r, V(1.0f)), r, V(1.0f)), scale, V(1.0f));
}
/* 1 / (1 + e^-x), at least 2^-126: 3 ulp. Half as long as f32_logistic. */
ACCESS OVERLOAD VEC rnn_logistic(VEC x) {
    return f32_div(V(1.0f), rnn_logistic_inverse(x));
}
/* tanh x / d, d <= 2^126: tanh x = -y / (2 + y), y = e^(-2 |x|) - 1. */
ACCESS OVERLOAD VEC rnn_tanh_over(VEC x, VEC d) {
    const VEC y = f32_expm1_negative(V(-2.0f) * f32_abs(x));
    return f32_copysign(f32_div(y, fma(y, d, d + d)), x);
}
/* 3 ulp. */
ACCESS OVERLOAD VEC rnn_tanh(VEC x) {
    return rnn_tanh_over(x, V(1.0f));
}

/* What goes into a gate: its products and its bias. */
ACCESS OVERLOAD void rnn_sum(VEC *sum, const struct rnn_at *at, int gate) {
    VEC x, y;
    PREFETCH(at->rows[RNN_GATES_LAYER] + sizeof(float) * (rnn_offset(at, RNN_GATES_LAYER, gate) + RNN_AHEAD));
    rnn_load(&x, at, RNN_GATES_LAYER, gate);
    rnn_load(&y, at, RNN_GATES_ITER, gate);
    x = x + y;
    if (rnn_has(at, RNN_SCALE)) {
        rnn_load(&y, at, RNN_SUMS, gate);
        x = fma(y, V(-at->p->shift), x);
        rnn_load(&y, at, RNN_SCALE, gate);
        x = x * y;
    }
    rnn_load(&y, at, RNN_BIAS, gate);
    *sum = x + y;
}

/* States are stored as they are, or quantised. */
OUTLINE OVERLOAD void rnn_store_state(const struct rnn_at *at, int operand, VEC x) {
    if (at->p->operands[operand].type != TYPE_F32) x = fma(x, V(at->p->scale), V(at->p->shift));
    rnn_store(at, operand, 0, x);
}

OUTLINE OVERLOAD void rnn_load_state(VEC *x, const struct rnn_at *at, int operand) {
    rnn_load(x, at, operand, 0);
    if (at->p->operands[operand].type != TYPE_F32) *x = f32_div(*x - V(at->p->shift), V(at->p->scale));
}

INLINE OVERLOAD VEC rnn_activate(const struct rnn_at *at, VEC x) {
    switch (at->p->activation) {
    case RNN_TANH: return rnn_tanh(x);
    case RNN_LOGISTIC: return rnn_logistic(x);
    }
    return x > V(0.0f) ? x : x * V(at->p->alpha);
}

INLINE OVERLOAD void rnn_vanilla(const struct rnn_at *at, VEC x) {
    rnn_sum(&x, at, 0);
    x = rnn_activate(at, x);
    rnn_store(at, RNN_GATES, 0, x);
    rnn_store_state(at, RNN_STATE, x);
}

/* What a peephole adds to a gate. Without one, gates need not wait for the state. */
INLINE OVERLOAD void rnn_peep(VEC *gate, const struct rnn_at *at, int number, VEC c) {
    VEC peephole;
    if (!rnn_has(at, RNN_PEEPHOLE)) return;
    rnn_load(&peephole, at, RNN_PEEPHOLE, number);
    *gate = fma(peephole, c, *gate);
}

INLINE OVERLOAD void rnn_lstm(const struct rnn_at *at, VEC i) {
    VEC c, f, g, o;
    rnn_load(&c, at, RNN_C_BEFORE, 0);
    rnn_sum(&i, at, 0);
    rnn_sum(&f, at, 1);
    rnn_sum(&g, at, 2);
    rnn_sum(&o, at, 3);
    rnn_peep(&i, at, 0, c);
    rnn_peep(&f, at, 1, c);
    i = rnn_logistic(i);
    f = rnn_logistic(f);
    g = rnn_tanh(g);
    c = fma(f, c, i * g);
    rnn_peep(&o, at, 2, c);
    o = rnn_logistic(o);
    rnn_store(at, RNN_C, 0, c);
    rnn_store_state(at, RNN_STATE, o * rnn_tanh(c));
    rnn_store(at, RNN_GATES, 0, i);
    rnn_store(at, RNN_GATES, 1, f);
    rnn_store(at, RNN_GATES, 2, g);
    rnn_store(at, RNN_GATES, 3, o);
}

INLINE OVERLOAD void rnn_gru_gates(const struct rnn_at *at, VEC x) {
    VEC before;
    rnn_sum(&x, at, 0);
    rnn_store(at, RNN_GATES, 0, rnn_logistic(x));
    rnn_sum(&x, at, 1);
    x = rnn_logistic(x);
    rnn_store(at, RNN_GATES, 1, x);
    rnn_load_state(&before, at, RNN_STATE_BEFORE);
    rnn_store_state(at, RNN_EXTRA, x * before);
}

/* The new state: u * the one before + (1 - u) * the candidate. */
OUTLINE OVERLOAD void rnn_gru_end(const struct rnn_at *at, VEC u, VEC candidate) {
    VEC before, attention;
    rnn_load(&attention, at, RNN_ATTENTION, 0);
    u = u - attention * u;
    rnn_load_state(&before, at, RNN_STATE_BEFORE);
    rnn_store(at, RNN_GATES, 2, candidate);
    rnn_store_state(at, RNN_STATE, fma(u, before, (V(1.0f) - u) * candidate));
}

INLINE OVERLOAD void rnn_gru_state(const struct rnn_at *at, VEC x) {
    VEC u;
    rnn_load(&u, at, RNN_GATES, 0);
    rnn_sum(&x, at, 2);
    rnn_gru_end(at, u, rnn_tanh(x));
}

INLINE OVERLOAD void rnn_lbr_gru(const struct rnn_at *at, VEC x) {
    VEC u, r, inner, y;
    rnn_sum(&x, at, 0);
    u = rnn_logistic(x);
    rnn_sum(&x, at, 1);
    r = rnn_logistic(x);
    rnn_load(&inner, at, RNN_GATES_ITER, 2);
    rnn_load(&y, at, RNN_BIAS, 3);
    inner = inner + y;
    rnn_load(&x, at, RNN_GATES_LAYER, 2);
    rnn_load(&y, at, RNN_BIAS, 2);
    rnn_store(at, RNN_GATES, 0, u);
    rnn_store(at, RNN_GATES, 1, r);
    rnn_store(at, RNN_EXTRA, 0, inner);
    rnn_gru_end(at, u, rnn_tanh(fma(r, inner, x + y)));
}

INLINE OVERLOAD void rnn_add(const struct rnn_at *at, VEC x) {
    VEC y;
    rnn_load(&x, at, RNN_DIFF_LAYER, 0);
    rnn_load(&y, at, RNN_DIFF_ITER, 0);
    rnn_store(at, RNN_STATE, 0, x + y);
}

INLINE OVERLOAD void rnn_quantize(const struct rnn_at *at, VEC x) {
    rnn_sum(&x, at, 0);
    rnn_store_state(at, RNN_STATE, x);
}

/* `zero` only tells the width. */
INLINE OVERLOAD void rnn_cell(const struct rnn_at *at, VEC zero) {
    switch (at->p->op) {
    case RNN_CLEAR:
        rnn_store_state(at, RNN_STATE, zero);
        rnn_store(at, RNN_C, 0, zero);
        break;
    case RNN_ADD: rnn_add(at, zero); break;
    case RNN_QUANTIZE: rnn_quantize(at, zero); break;
    case RNN_VANILLA: rnn_vanilla(at, zero); break;
    case RNN_LSTM: rnn_lstm(at, zero); break;
    case RNN_GRU_GATES: rnn_gru_gates(at, zero); break;
    case RNN_GRU_STATE: rnn_gru_state(at, zero); break;
    case RNN_LBR_GRU: rnn_lbr_gru(at, zero); break;
    }
}
