/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of recurrent networks, backward, for one vector width LANES: see rnn.cl. */

/* The gradient of the state of this step. */
OUTLINE OVERLOAD void rnn_diff_state(VEC *diff, const struct rnn_at *at) {
    VEC x, y;
    rnn_load(&x, at, RNN_DIFF_LAYER, 0);
    rnn_load(&y, at, RNN_DIFF_ITER, 0);
    x = x + y;
    rnn_load(&y, at, RNN_DIFF_REST, 0);
    *diff = x + y;
}

/* Derivatives of logistic and tanh by their results. */
INLINE OVERLOAD VEC rnn_logistic_slope(VEC y) {
    return y - y * y;
}
INLINE OVERLOAD VEC rnn_tanh_slope(VEC y) {
    return fma(-y, y, V(1.0f));
}

INLINE OVERLOAD VEC rnn_slope(const struct rnn_at *at, VEC y) {
    switch (at->p->activation) {
    case RNN_TANH: return rnn_tanh_slope(y);
    case RNN_LOGISTIC: return rnn_logistic_slope(y);
    }
    return y > V(0.0f) ? V(1.0f) : V(at->p->alpha);
}

INLINE OVERLOAD void rnn_vanilla_back(const struct rnn_at *at, VEC y) {
    VEC diff;
    rnn_load(&y, at, RNN_GATES, 0);
    rnn_diff_state(&diff, at);
    rnn_store(at, RNN_DIFF_GATES, 0, diff * rnn_slope(at, y));
}

INLINE OVERLOAD void rnn_lstm_back(const struct rnn_at *at, VEC i) {
    VEC diff, f, g, o, c, before, diff_c, peephole, tanh_c;
    rnn_diff_state(&diff, at);
    rnn_load(&i, at, RNN_GATES, 0);
    rnn_load(&f, at, RNN_GATES, 1);
    rnn_load(&g, at, RNN_GATES, 2);
    rnn_load(&o, at, RNN_GATES, 3);
    rnn_load(&c, at, RNN_C, 0);
    rnn_load(&before, at, RNN_C_BEFORE, 0);
    rnn_load(&diff_c, at, RNN_DIFF_C, 0);
    tanh_c = rnn_tanh(c);
    const VEC diff_o = diff * tanh_c * rnn_logistic_slope(o);
    diff_c = fma(diff * o, rnn_tanh_slope(tanh_c), diff_c);
    rnn_load(&peephole, at, RNN_PEEPHOLE, 2);
    diff_c = fma(diff_o, peephole, diff_c);
    const VEC diff_i = diff_c * g * rnn_logistic_slope(i), diff_f = diff_c * before * rnn_logistic_slope(f);
    rnn_store(at, RNN_DIFF_GATES, 0, diff_i);
    rnn_store(at, RNN_DIFF_GATES, 1, diff_f);
    rnn_store(at, RNN_DIFF_GATES, 2, diff_c * i * rnn_tanh_slope(g));
    rnn_store(at, RNN_DIFF_GATES, 3, diff_o);
    rnn_store(at, RNN_DIFF_TERMS, 0, diff_i * before);
    rnn_store(at, RNN_DIFF_TERMS, 1, diff_f * before);
    rnn_store(at, RNN_DIFF_TERMS, 2, diff_o * c);
    diff_c = diff_c * f;
    rnn_load(&peephole, at, RNN_PEEPHOLE, 0);
    diff_c = fma(diff_i, peephole, diff_c);
    rnn_load(&peephole, at, RNN_PEEPHOLE, 1);
    rnn_store(at, RNN_DIFF_C, 0, fma(diff_f, peephole, diff_c));
}

/* The gates u and the candidate of every GRU. Returns the gradient before the candidate's tanh. */
OUTLINE OVERLOAD VEC rnn_gru_end_back(const struct rnn_at *at, VEC diff) {
    VEC u, candidate, before, attention;
    rnn_diff_state(&diff, at);
    rnn_load(&u, at, RNN_GATES, 0);
    rnn_load(&candidate, at, RNN_GATES, 2);
    rnn_load(&before, at, RNN_STATE_BEFORE, 0);
    rnn_load(&attention, at, RNN_ATTENTION, 0);
    const VEC kept = u - attention * u, diff_kept = diff * (before - candidate);
    rnn_store(at, RNN_DIFF_TERMS, 0, -(diff_kept * u));
    rnn_store(at, RNN_DIFF_REST, 0, diff * kept);
    const VEC diff_u = (diff_kept - diff_kept * attention) * rnn_logistic_slope(u);
    rnn_store(at, RNN_DIFF_GATES, 0, diff_u);
    rnn_store(at, RNN_DIFF_GATES_ITER, 0, diff_u);
    return diff * (V(1.0f) - kept) * rnn_tanh_slope(candidate);
}

INLINE OVERLOAD void rnn_gru_state_back(const struct rnn_at *at, VEC diff) {
    diff = rnn_gru_end_back(at, diff);
    rnn_store(at, RNN_DIFF_GATES, 2, diff);
}

/* The product of the candidate's gradient is there as diff_iter. */
INLINE OVERLOAD void rnn_gru_gates_back(const struct rnn_at *at, VEC diff) {
    VEC r, before, rest;
    rnn_load(&diff, at, RNN_DIFF_ITER, 0);
    rnn_load(&r, at, RNN_GATES, 1);
    rnn_load(&before, at, RNN_STATE_BEFORE, 0);
    rnn_load(&rest, at, RNN_DIFF_REST, 0);
    rnn_store(at, RNN_DIFF_GATES, 1, diff * before * rnn_logistic_slope(r));
    rnn_store(at, RNN_EXTRA, 0, r * before);
    rnn_store(at, RNN_DIFF_REST, 0, fma(diff, r, rest));
}

INLINE OVERLOAD void rnn_lbr_gru_back(const struct rnn_at *at, VEC diff) {
    VEC r, inner;
    diff = rnn_gru_end_back(at, diff);
    rnn_load(&r, at, RNN_GATES, 1);
    rnn_load(&inner, at, RNN_EXTRA, 0);
    const VEC diff_r = diff * inner * rnn_logistic_slope(r);
    rnn_store(at, RNN_DIFF_GATES, 1, diff_r);
    rnn_store(at, RNN_DIFF_GATES_ITER, 1, diff_r);
    rnn_store(at, RNN_DIFF_GATES, 2, diff);
    rnn_store(at, RNN_DIFF_GATES_ITER, 2, diff * r);
}

INLINE OVERLOAD void rnn_backward(const struct rnn_at *at, VEC zero) {
    switch (at->p->op) {
    case RNN_VANILLA_BACK: rnn_vanilla_back(at, zero); break;
    case RNN_LSTM_BACK: rnn_lstm_back(at, zero); break;
    case RNN_GRU_STATE_BACK: rnn_gru_state_back(at, zero); break;
    case RNN_GRU_GATES_BACK: rnn_gru_gates_back(at, zero); break;
    case RNN_LBR_GRU_BACK: rnn_lbr_gru_back(at, zero); break;
    }
}
