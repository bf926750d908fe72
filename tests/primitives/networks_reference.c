/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks by their definitions: see networks.h. A run is one layer in one direction; its steps are
 * numbered in the order in which they are computed, and slot 0 of its states is the initial one.
 */
#include "primitives/networks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct network *n;
    const struct net_arrays *in;
    dnnl_dim_t layer, direction, dic;
    int gates;
    struct bounded *x;                                        /* time x batch x slc */
    struct bounded *h, *c, *gate, *inner, *full;              /* h and c: one slot more */
    struct bounded *dh, *dx, *dgate, *dgate_h, *dfull, *dpro; /* gradients, of all steps */
    struct bounded *dh_iter, *dc;                             /* of the state before a step */
};

static struct bounded *room(dnnl_dim_t count) {
    struct bounded *numbers = calloc((size_t)count + 1, sizeof *numbers);
    if (!numbers) abort();
    return numbers;
}

static bool is(const struct run *r, dnnl_alg_kind_t cell) {
    return r->n->cell == cell;
}
static bool is_lbr(const struct run *r) {
    return is(r, dnnl_lbr_gru) || is(r, dnnl_lbr_augru);
}

/* Elements. */
#define H(slot, b, j) r->h[((slot) * r->n->batch + (b)) * r->dic + (j)]
#define C(slot, b, j) r->c[((slot) * r->n->batch + (b)) * r->n->dhc + (j)]
#define X(s, b, i) r->x[((s) * r->n->batch + (b)) * r->n->slc + (i)]
#define GATE(of, s, b, g, j) r->of[(((s) * r->n->batch + (b)) * r->gates + (g)) * r->n->dhc + (j)]
#define WIDE(of, s, b, j) r->of[((s) * r->n->batch + (b)) * r->n->dhc + (j)]

static struct run run_new(const struct network *n, const struct net_arrays *in, dnnl_dim_t layer,
                          dnnl_dim_t direction) {
    struct run r = {.n = n, .in = in, .layer = layer, .direction = direction, .gates = net_gates(n)};
    dnnl_dim_t rows = n->time * n->batch, more = rows + n->batch;
    r.dic = n->dic ? n->dic : n->dhc;
    r.x = room(rows * n->slc), r.dx = room(rows * n->slc);
    r.h = room(more * r.dic), r.c = room(more * n->dhc);
    r.dh = room(rows * r.dic), r.dh_iter = room(n->batch * r.dic), r.dc = room(n->batch * n->dhc);
    r.gate = room(rows * r.gates * n->dhc), r.dgate = room(rows * r.gates * n->dhc);
    r.dgate_h = room(rows * r.gates * n->dhc);
    r.inner = room(rows * n->dhc), r.full = room(rows * n->dhc), r.dfull = room(rows * n->dhc);
    r.dpro = room(rows * r.dic);
    return r;
}

static void run_free(struct run *r) {
    struct bounded *all[] = {r->x,  r->h,  r->c,     r->gate,    r->inner, r->full, r->dh,
                             r->dx, r->dc, r->dgate, r->dgate_h, r->dfull, r->dpro, r->dh_iter};
    for (int i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static bool reversed(const struct run *r) {
    return r->direction == 1 || r->n->direction == dnnl_unidirectional_right2left;
}

static dnnl_dim_t time_of(const struct run *r, dnnl_dim_t step) {
    return reversed(r) ? r->n->time - 1 - step : step;
}

/* An element of a tensor of the network; 0 if there is no such tensor. */
static double at(const struct run *r, int which, dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c) {
    const struct array *array = &r->in->tensors[which];
    const dnnl_dim_t position[] = {r->layer, r->direction, a, b, c};
    return array->values ? array->values[array_index(array, position)] : 0;
}

/* Sums of products, in which numbers have errors of their own. */
static void add_product(struct sum *sum, struct bounded x, struct bounded y) {
    sum_add_bounded(sum, (struct bounded){x.value * y.value, fabs(x.value) * y.error + fabs(y.value) * x.error
                                                                     + x.error * y.error});
}
static struct bounded product(const struct sum *sum) {
    return sum_of_products(sum, false, 0);
}

static struct bounded logistic(struct bounded x) {
    return eltwise_forward(dnnl_eltwise_logistic, 0, 0, x);
}
static struct bounded hyperbolic(struct bounded x) {
    return eltwise_forward(dnnl_eltwise_tanh, 0, 0, x);
}
static struct bounded one_minus(struct bounded x) {
    return bounded_sub(exactly(1), x);
}
static struct bounded logistic_slope(struct bounded y) {
    return bounded_sub(y, bounded_mul(y, y));
}
static struct bounded tanh_slope(struct bounded y) {
    return one_minus(bounded_mul(y, y));
}

/* Bytes: states are whole numbers. Where rounding may go either way, the next number is possible too. */

static struct bounded quantise(const struct run *r, struct bounded x) {
    struct bounded q = bounded_add(bounded_mul(x, exactly(r->n->scale)), exactly(r->n->shift));
    double low = round_to_type(q.value - q.error, r->n->type),
           high = round_to_type(q.value + q.error, r->n->type);
    double middle = round_to_type(q.value, r->n->type);
    return (struct bounded){middle, fmax(high - middle, middle - low)};
}

static struct bounded dequantise(const struct run *r, struct bounded q) {
    struct bounded x = bounded_sub(q, exactly(r->n->shift));
    return bounded_div(x, exactly(r->n->scale));
}

/* A state as it is computed with, and as it is stored. */
static struct bounded state_of(const struct run *r, struct bounded h) {
    return net_is_quantised(r->n) ? dequantise(r, h) : h;
}
static struct bounded stored(const struct run *r, struct bounded x) {
    return net_is_quantised(r->n) ? quantise(r, x) : x;
}

/* Whole products have no error but that of the bytes; the shift is subtracted, then scales are divided by. */
static struct bounded scaled(const struct run *r, struct bounded sum, float weights_scale) {
    struct bounded x = rounded(sum.value, sum.error, 2);
    return bounded_mul(x, rounded(1.0 / (r->n->scale * weights_scale), 0, 2));
}

/* Forward. */

/* The sum of the products of bytes of a gate, with the shift subtracted. */
static void add_bytes(struct bounded *sum, const struct run *r, struct bounded q, double weight) {
    sum->value += (q.value - r->n->shift) * weight;
    sum->error += q.error * fabs(weight);
}

static struct bounded byte_sum(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    struct bounded sum = {0, 0};
    for (dnnl_dim_t i = 0; i < r->n->slc; i++)
        add_bytes(&sum, r, X(s, b, i), at(r, NET_WEIGHTS_LAYER, i, g, j));
    for (dnnl_dim_t i = 0; i < r->dic; i++) {
        struct bounded h = H(s, b, i);
        if (g == 2 && r->gates == 3) h = quantise(r, bounded_mul(dequantise(r, h), GATE(gate, s, b, 1, i)));
        add_bytes(&sum, r, h, at(r, NET_WEIGHTS_ITER, i, g, j));
    }
    return scaled(r, sum, net_weights_scale(r->n, g, j));
}

static struct bounded from_layer(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    struct sum sum = {0};
    for (dnnl_dim_t i = 0; i < r->n->slc; i++)
        add_product(&sum, X(s, b, i), exactly(at(r, NET_WEIGHTS_LAYER, i, g, j)));
    return product(&sum);
}

/* Of the state before the step, each element times a factor, if there are factors. */
static struct bounded from_iter(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j,
                                int factor_gate) {
    struct sum sum = {0};
    for (dnnl_dim_t i = 0; i < r->dic; i++) {
        struct bounded h = H(s, b, i);
        if (factor_gate >= 0) h = bounded_mul(h, GATE(gate, s, b, factor_gate, i));
        add_product(&sum, h, exactly(at(r, NET_WEIGHTS_ITER, i, g, j)));
    }
    return product(&sum);
}

static struct bounded bias(const struct run *r, int g, dnnl_dim_t j) {
    return exactly(at(r, NET_BIAS, g, j, 0));
}

static struct bounded gate_sum(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    if (net_is_quantised(r->n)) return bounded_add(byte_sum(r, s, b, g, j), bias(r, g, j));
    return bounded_add(bounded_add(from_layer(r, s, b, g, j), from_iter(r, s, b, g, j, -1)), bias(r, g, j));
}

static struct bounded peep(const struct run *r, int which, dnnl_dim_t j, struct bounded c) {
    return bounded_mul(exactly(at(r, NET_PEEPHOLE, which, j, 0)), c);
}

static void lstm(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct bounded before = C(s, b, j);
    struct bounded i = logistic(bounded_add(gate_sum(r, s, b, 0, j), peep(r, 0, j, before)));
    struct bounded f = logistic(bounded_add(gate_sum(r, s, b, 1, j), peep(r, 1, j, before)));
    struct bounded g = hyperbolic(gate_sum(r, s, b, 2, j));
    struct bounded c = bounded_add(bounded_mul(f, before), bounded_mul(i, g));
    struct bounded o = logistic(bounded_add(gate_sum(r, s, b, 3, j), peep(r, 2, j, c)));
    const struct bounded all[] = {i, f, g, o};
    for (int k = 0; k < 4; k++)
        GATE(gate, s, b, k, j) = all[k];
    C(s + 1, b, j) = c;
    WIDE(full, s, b, j) = bounded_mul(o, hyperbolic(c));
}

static struct bounded attention(const struct run *r, dnnl_dim_t s, dnnl_dim_t b) {
    const struct array *array = &r->in->tensors[NET_ATTENTION];
    return exactly(array->values ? array->values[time_of(r, s) * r->n->batch + b] : 0);
}

/* The weight of the state before. */
static struct bounded kept(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct bounded u = GATE(gate, s, b, 0, j);
    return r->in->tensors[NET_ATTENTION].values ? bounded_sub(u, bounded_mul(attention(r, s, b), u)) : u;
}

static void gru_end(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j, struct bounded candidate) {
    struct bounded u = kept(r, s, b, j);
    GATE(gate, s, b, 2, j) = candidate;
    WIDE(full, s, b, j) =
            bounded_add(bounded_mul(u, state_of(r, H(s, b, j))), bounded_mul(one_minus(u), candidate));
}

static void gru_candidate(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct bounded x = from_layer(r, s, b, 2, j);
    if (net_is_quantised(r->n)) {
        x = gate_sum(r, s, b, 2, j);
    } else if (is_lbr(r)) {
        struct bounded inner = bounded_add(from_iter(r, s, b, 2, j, -1), bias(r, 3, j));
        WIDE(inner, s, b, j) = inner;
        x = bounded_add(bounded_add(x, bias(r, 2, j)), bounded_mul(GATE(gate, s, b, 1, j), inner));
    } else
        x = bounded_add(bounded_add(x, from_iter(r, s, b, 2, j, 1)), bias(r, 2, j));
    gru_end(r, s, b, j, hyperbolic(x));
}

static struct bounded projected(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct sum sum = {0};
    struct bounded bytes = {0, 0};
    for (dnnl_dim_t i = 0; i < r->n->dhc; i++)
        if (net_is_quantised(r->n))
            add_bytes(&bytes, r, quantise(r, WIDE(full, s, b, i)), at(r, NET_PROJECTION, i, j, 0));
        else
            add_product(&sum, WIDE(full, s, b, i), exactly(at(r, NET_PROJECTION, i, j, 0)));
    return net_is_quantised(r->n) ? scaled(r, bytes, net_projection_scale(r->n, j)) : product(&sum);
}

static void step_of(struct run *r, dnnl_dim_t s, dnnl_dim_t b) {
    const dnnl_dim_t dhc = r->n->dhc;
    for (dnnl_dim_t j = 0; j < dhc; j++) {
        if (is(r, dnnl_vanilla_lstm))
            lstm(r, s, b, j);
        else if (is(r, dnnl_vanilla_rnn))
            GATE(gate, s, b, 0, j) = WIDE(full, s, b, j) =
                    eltwise_forward(r->n->activation, NET_ALPHA_PERCENT / 100.0f, 0, gate_sum(r, s, b, 0, j));
        else
            for (int g = 0; g < 2; g++)
                GATE(gate, s, b, g, j) = logistic(gate_sum(r, s, b, g, j));
    }
    if (r->gates == 3)
        for (dnnl_dim_t j = 0; j < dhc; j++)
            gru_candidate(r, s, b, j);
    for (dnnl_dim_t j = 0; j < r->dic; j++)
        H(s + 1, b, j) = stored(r, r->n->dic ? projected(r, s, b, j) : WIDE(full, s, b, j));
}

static struct bounded initial_state(const struct run *r, dnnl_dim_t b, dnnl_dim_t j) {
    const struct array *array = &r->in->tensors[NET_SRC_ITER];
    struct bounded x = exactly(at(r, NET_SRC_ITER, b, j, 0));
    return array->values && is_integer(array->type) ? x : stored(r, x);
}

/* `below` is the run of the layer below, NULL for the first. */
static void run_forward(struct run *r, const struct run *below) {
    const struct network *n = r->n;
    const struct array *src = &r->in->tensors[NET_SRC_LAYER];
    for (dnnl_dim_t s = 0; s < n->time; s++)
        for (dnnl_dim_t k = 0; k < n->batch * n->slc; k++)
            r->x[s * n->batch * n->slc + k] =
                    below ? below->h[(s + 1) * n->batch * n->slc + k]
                          : exactly(src->values[time_of(r, s) * n->batch * n->slc + k]);
    for (dnnl_dim_t b = 0; b < n->batch; b++) {
        for (dnnl_dim_t j = 0; j < r->dic; j++)
            H(0, b, j) = initial_state(r, b, j);
        for (dnnl_dim_t j = 0; j < n->dhc; j++)
            C(0, b, j) = exactly(at(r, NET_SRC_ITER_C, b, j, 0));
        for (dnnl_dim_t s = 0; s < n->time; s++)
            step_of(r, s, b);
    }
}

/* All runs: index layer * directions + direction. */
static struct run *runs_new(const struct network *n, const struct net_arrays *in) {
    dnnl_dim_t directions = net_directions(n);
    struct run *runs = calloc((size_t)(n->layers * directions), sizeof *runs);
    if (!runs) abort();
    for (dnnl_dim_t l = 0; l < n->layers; l++)
        for (dnnl_dim_t d = 0; d < directions; d++) {
            struct run *r = &runs[l * directions + d];
            *r = run_new(n, in, l, d);
            run_forward(r, l > 0 ? r - directions : NULL);
        }
    return runs;
}

static void runs_free(const struct network *n, struct run *runs) {
    for (dnnl_dim_t i = 0; i < n->layers * net_directions(n); i++)
        run_free(&runs[i]);
    free(runs);
}

/* Stores an element of a tensor that has layers and directions, or of one that has time. */
static void put(struct net_arrays *to, struct net_arrays *errors, int which, const dnnl_dim_t *position,
                struct bounded x) {
    struct array *array = &to->tensors[which];
    if (array->values) store_bounded(x, array_index(array, position), array, &errors->tensors[which]);
}

/* States of bytes may be wanted as floats. */
static struct bounded as_type(const struct run *r, const struct array *array, struct bounded h) {
    return array->values && is_integer(array->type) ? h : state_of(r, h);
}

static void put_states(const struct run *r, struct net_arrays *arrays, struct net_arrays *errors) {
    const dnnl_dim_t last = r->n->time;
    for (dnnl_dim_t b = 0; b < r->n->batch; b++) {
        for (dnnl_dim_t j = 0; j < r->dic; j++)
            put(arrays, errors, NET_DST_ITER, (dnnl_dim_t[]){r->layer, r->direction, b, j},
                as_type(r, &arrays->tensors[NET_DST_ITER], H(last, b, j)));
        for (dnnl_dim_t j = 0; j < r->n->dhc; j++)
            put(arrays, errors, NET_DST_ITER_C, (dnnl_dim_t[]){r->layer, r->direction, b, j}, C(last, b, j));
    }
}

static struct bounded result(const struct run *r, dnnl_dim_t t, dnnl_dim_t b, dnnl_dim_t j) {
    return H(time_of(r, t) + 1, b, j); /* time_of is its own inverse */
}

void net_forward(const struct network *n, struct net_arrays *arrays, struct net_arrays *errors) {
    struct run *runs = runs_new(n, arrays), *top = runs + (n->layers - 1) * net_directions(n);
    bool sum = n->direction == dnnl_bidirectional_sum;
    for (dnnl_dim_t i = 0; i < n->layers * net_directions(n); i++)
        put_states(&runs[i], arrays, errors);
    for (dnnl_dim_t d = 0; d < (sum ? 1 : net_directions(n)); d++)
        for (dnnl_dim_t k = 0; k < n->time * n->batch * top->dic; k++) {
            dnnl_dim_t j = k % top->dic, b = k / top->dic % n->batch, t = k / top->dic / n->batch;
            const struct array *dst = &arrays->tensors[NET_DST_LAYER];
            struct bounded x = as_type(&top[d], dst, result(&top[d], t, b, j));
            if (sum) x = bounded_add(x, as_type(&top[1], dst, result(&top[1], t, b, j)));
            put(arrays, errors, NET_DST_LAYER, (dnnl_dim_t[]){t, b, d * top->dic + j}, x);
        }
    runs_free(n, runs);
}

/* Backward. */

/* The gradient of the state before a step: through gates, weighted by transposed weights. */
static struct bounded through_iter(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int first,
                                   int end) {
    struct sum sum = {0};
    for (int g = first; g < end; g++)
        for (dnnl_dim_t j = 0; j < r->n->dhc; j++)
            add_product(&sum, GATE(dgate_h, s, b, g, j), exactly(at(r, NET_WEIGHTS_ITER, i, g, j)));
    return product(&sum);
}

static void set_gate(struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j, struct bounded x) {
    GATE(dgate, s, b, g, j) = GATE(dgate_h, s, b, g, j) = x;
}

static void lstm_back(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j, struct bounded dh) {
    struct bounded i = GATE(gate, s, b, 0, j), f = GATE(gate, s, b, 1, j), g = GATE(gate, s, b, 2, j),
                   o = GATE(gate, s, b, 3, j), c = C(s + 1, b, j), *dc = &r->dc[b * r->n->dhc + j];
    struct bounded th = hyperbolic(c);
    struct bounded d_o = bounded_mul(bounded_mul(dh, th), logistic_slope(o));
    struct bounded d = bounded_add(bounded_mul(bounded_mul(dh, o), tanh_slope(th)), *dc);
    d = bounded_add(d, peep(r, 2, j, d_o));
    struct bounded d_i = bounded_mul(bounded_mul(d, g), logistic_slope(i));
    struct bounded d_f = bounded_mul(bounded_mul(d, C(s, b, j)), logistic_slope(f));
    set_gate(r, s, b, 0, j, d_i);
    set_gate(r, s, b, 1, j, d_f);
    set_gate(r, s, b, 2, j, bounded_mul(bounded_mul(d, i), tanh_slope(g)));
    set_gate(r, s, b, 3, j, d_o);
    *dc = bounded_add(bounded_add(bounded_mul(d, f), peep(r, 0, j, d_i)), peep(r, 1, j, d_f));
}

/* Gates u and the candidate; the part of the gradient of the state before that goes past the gates. */
static struct bounded gru_end_back(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j,
                                   struct bounded dh) {
    struct bounded u = GATE(gate, s, b, 0, j), candidate = GATE(gate, s, b, 2, j), k = kept(r, s, b, j);
    struct bounded dk = bounded_mul(dh, bounded_sub(H(s, b, j), candidate));
    struct bounded du = bounded_sub(dk, bounded_mul(dk, attention(r, s, b)));
    set_gate(r, s, b, 0, j, bounded_mul(du, logistic_slope(u)));
    set_gate(r, s, b, 2, j, bounded_mul(bounded_mul(dh, one_minus(k)), tanh_slope(candidate)));
    WIDE(dfull, s, b, j) = bounded_mul(dk, u); /* for attention */
    return bounded_mul(dh, k);
}

static void lbr_back(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct bounded d = GATE(dgate, s, b, 2, j), reset = GATE(gate, s, b, 1, j);
    set_gate(r, s, b, 1, j, bounded_mul(bounded_mul(d, WIDE(inner, s, b, j)), logistic_slope(reset)));
    GATE(dgate_h, s, b, 2, j) = bounded_mul(d, reset);
}

/* Returns what is to be added to the gradient of the state before. */
static struct bounded reset_back(struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct bounded d = through_iter(r, s, b, j, 2, 3), reset = GATE(gate, s, b, 1, j);
    set_gate(r, s, b, 1, j, bounded_mul(bounded_mul(d, H(s, b, j)), logistic_slope(reset)));
    return bounded_mul(d, reset);
}

static struct bounded unprojected(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t j) {
    struct sum sum = {0};
    for (dnnl_dim_t i = 0; i < r->dic; i++)
        add_product(&sum, r->dpro[(s * r->n->batch + b) * r->dic + i],
                    exactly(at(r, NET_PROJECTION, j, i, 0)));
    return product(&sum);
}

static void step_back(struct run *r, dnnl_dim_t s, dnnl_dim_t b) {
    const dnnl_dim_t dhc = r->n->dhc;
    struct bounded *rest = room(dhc > r->dic ? dhc : r->dic);
    for (dnnl_dim_t i = 0; i < r->dic; i++)
        r->dpro[(s * r->n->batch + b) * r->dic + i] =
                bounded_add(r->dh[(s * r->n->batch + b) * r->dic + i], r->dh_iter[b * r->dic + i]);
    for (dnnl_dim_t j = 0; j < dhc; j++) {
        struct bounded dh = r->n->dic ? unprojected(r, s, b, j) : r->dpro[(s * r->n->batch + b) * r->dic + j];
        if (is(r, dnnl_vanilla_lstm))
            lstm_back(r, s, b, j, dh);
        else if (is(r, dnnl_vanilla_rnn))
            set_gate(r, s, b, 0, j,
                     bounded_mul(dh, r->n->activation == dnnl_eltwise_relu
                                             ? exactly(GATE(gate, s, b, 0, j).value > 0
                                                               ? 1
                                                               : NET_ALPHA_PERCENT / 100.0)
                                     : r->n->activation == dnnl_eltwise_tanh
                                             ? tanh_slope(GATE(gate, s, b, 0, j))
                                             : logistic_slope(GATE(gate, s, b, 0, j))));
        else
            rest[j] = gru_end_back(r, s, b, j, dh);
    }
    for (dnnl_dim_t j = 0; r->gates == 3 && j < dhc; j++)
        if (is_lbr(r))
            lbr_back(r, s, b, j);
        else
            rest[j] = bounded_add(rest[j], reset_back(r, s, b, j));
    int gates = r->gates == 3 && !is_lbr(r) ? 2 : r->gates;
    for (dnnl_dim_t i = 0; i < r->dic; i++) {
        struct bounded d = through_iter(r, s, b, i, 0, gates);
        r->dh_iter[b * r->dic + i] = r->gates == 3 ? bounded_add(d, rest[i]) : d;
    }
    free(rest);
}

static void inputs_back(struct run *r) {
    for (dnnl_dim_t k = 0; k < r->n->time * r->n->batch * r->n->slc; k++) {
        dnnl_dim_t i = k % r->n->slc, b = k / r->n->slc % r->n->batch, s = k / r->n->slc / r->n->batch;
        struct sum sum = {0};
        for (int g = 0; g < r->gates; g++)
            for (dnnl_dim_t j = 0; j < r->n->dhc; j++)
                add_product(&sum, GATE(dgate, s, b, g, j), exactly(at(r, NET_WEIGHTS_LAYER, i, g, j)));
        r->dx[k] = product(&sum);
    }
}

/* `above` is the run of the layer above, NULL for the last. */
static void run_backward(struct run *r, const struct run *above, const struct net_arrays *diffs) {
    const struct network *n = r->n;
    const struct array *top = &diffs->tensors[NET_DST_LAYER], *iter = &diffs->tensors[NET_DST_ITER],
                       *c = &diffs->tensors[NET_DST_ITER_C];
    dnnl_dim_t wide = top->dims[2],
               first = n->direction == dnnl_bidirectional_concat ? r->direction * r->dic : 0;
    for (dnnl_dim_t k = 0; k < n->time * n->batch * r->dic; k++) {
        dnnl_dim_t j = k % r->dic, b = k / r->dic % n->batch, s = k / r->dic / n->batch;
        r->dh[k] = above ? above->dx[k]
                         : exactly(top->values[(time_of(r, s) * n->batch + b) * wide + first + j]);
    }
    dnnl_dim_t cell = r->layer * net_directions(n) + r->direction;
    for (dnnl_dim_t k = 0; iter->values && k < n->batch * r->dic; k++)
        r->dh_iter[k] = exactly(iter->values[cell * n->batch * r->dic + k]);
    for (dnnl_dim_t k = 0; c->values && k < n->batch * n->dhc; k++)
        r->dc[k] = exactly(c->values[cell * n->batch * n->dhc + k]);
    for (dnnl_dim_t s = n->time - 1; s >= 0; s--)
        for (dnnl_dim_t b = 0; b < n->batch; b++)
            step_back(r, s, b);
    inputs_back(r);
}

/* Gradients of weights: sums over steps and batch. */

struct term_sum {
    struct run *r;
    struct net_arrays *diffs, *errors;
    struct bounded (*left)(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g);
    struct bounded (*right)(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j);
};

static void put_sum(const struct term_sum *t, int which, dnnl_dim_t i, int g, dnnl_dim_t j,
                    const dnnl_dim_t *position) {
    const struct run *r = t->r;
    struct array *array = &t->diffs->tensors[which];
    if (!array->values) return;
    struct sum sum = {0};
    for (dnnl_dim_t s = 0; s < r->n->time; s++)
        for (dnnl_dim_t b = 0; b < r->n->batch; b++)
            add_product(&sum, t->left(r, s, b, i, g), t->right(r, s, b, g, j));
    struct bounded x = product(&sum);
    double before = array->values[array_index(array, position)];
    put(t->diffs, t->errors, which, position, r->n->overwrite ? x : bounded_add(x, exactly(before)));
}

static struct bounded input_left(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g) {
    (void)g;
    return X(s, b, i);
}
static struct bounded state_left(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g) {
    bool reset = g == 2 && r->gates == 3 && !is_lbr(r);
    return reset ? bounded_mul(H(s, b, i), GATE(gate, s, b, 1, i)) : H(s, b, i);
}
static struct bounded one_left(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g) {
    (void)r, (void)s, (void)b, (void)i, (void)g;
    return exactly(1);
}
static struct bounded cell_left(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g) {
    return C(g == 2 ? s + 1 : s, b, i);
}
static struct bounded full_left(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, dnnl_dim_t i, int g) {
    (void)g;
    return WIDE(full, s, b, i);
}
static struct bounded gate_right(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    return g < r->gates ? GATE(dgate, s, b, g, j) : GATE(dgate_h, s, b, 2, j);
}
static struct bounded iter_right(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    return GATE(dgate_h, s, b, g, j);
}
static struct bounded peep_right(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    return GATE(dgate, s, b, g == 2 ? 3 : g, j);
}
static struct bounded projected_right(const struct run *r, dnnl_dim_t s, dnnl_dim_t b, int g, dnnl_dim_t j) {
    (void)g;
    return r->dpro[(s * r->n->batch + b) * r->dic + j];
}

static void weights_back(struct run *r, struct net_arrays *diffs, struct net_arrays *errors) {
    const struct term_sum layer = {r, diffs, errors, input_left, gate_right},
                          iter = {r, diffs, errors, state_left, iter_right},
                          biases = {r, diffs, errors, one_left, gate_right},
                          peepholes = {r, diffs, errors, cell_left, peep_right},
                          projection = {r, diffs, errors, full_left, projected_right};
    const dnnl_dim_t l = r->layer, d = r->direction, dhc = r->n->dhc;
    for (dnnl_dim_t j = 0; j < dhc; j++) {
        for (int g = 0; g < r->gates; g++) {
            for (dnnl_dim_t i = 0; i < r->n->slc; i++)
                put_sum(&layer, NET_WEIGHTS_LAYER, i, g, j, (dnnl_dim_t[]){l, d, i, g, j});
            for (dnnl_dim_t i = 0; i < r->dic; i++)
                put_sum(&iter, NET_WEIGHTS_ITER, i, g, j, (dnnl_dim_t[]){l, d, i, g, j});
        }
        for (int g = 0; g < r->gates + is_lbr(r); g++)
            put_sum(&biases, NET_BIAS, 0, g, j, (dnnl_dim_t[]){l, d, g, j});
        for (int g = 0; g < 3; g++)
            put_sum(&peepholes, NET_PEEPHOLE, j, g, j, (dnnl_dim_t[]){l, d, g, j});
        for (dnnl_dim_t i = 0; i < r->dic; i++)
            put_sum(&projection, NET_PROJECTION, j, 0, i, (dnnl_dim_t[]){l, d, j, i});
    }
}

static void put_state_gradients(const struct run *r, struct net_arrays *diffs, struct net_arrays *errors) {
    for (dnnl_dim_t b = 0; b < r->n->batch; b++) {
        for (dnnl_dim_t j = 0; j < r->dic; j++)
            put(diffs, errors, NET_SRC_ITER, (dnnl_dim_t[]){r->layer, r->direction, b, j},
                r->dh_iter[b * r->dic + j]);
        for (dnnl_dim_t j = 0; j < r->n->dhc; j++)
            put(diffs, errors, NET_SRC_ITER_C, (dnnl_dim_t[]){r->layer, r->direction, b, j},
                r->dc[b * r->n->dhc + j]);
        for (dnnl_dim_t s = 0; diffs->tensors[NET_ATTENTION].values && s < r->n->time; s++) {
            struct sum sum = {0};
            for (dnnl_dim_t j = 0; j < r->n->dhc; j++)
                sum_add_bounded(&sum, bounded_sub(exactly(0), WIDE(dfull, s, b, j)));
            put(diffs, errors, NET_ATTENTION, (dnnl_dim_t[]){time_of(r, s), b, 0}, sum_of_terms(&sum));
        }
    }
}

static void put_input_gradients(const struct run *runs, struct net_arrays *diffs, struct net_arrays *errors) {
    const struct network *n = runs[0].n;
    for (dnnl_dim_t k = 0; k < n->time * n->batch * n->slc; k++) {
        dnnl_dim_t each = n->batch * n->slc, t = k / each, in = k % each;
        struct bounded x = runs[0].dx[time_of(&runs[0], t) * each + in];
        if (net_directions(n) == 2) x = bounded_add(x, runs[1].dx[time_of(&runs[1], t) * each + in]);
        put(diffs, errors, NET_SRC_LAYER, (dnnl_dim_t[]){t, in / n->slc, in % n->slc}, x);
    }
}

void net_backward(const struct network *n, const struct net_arrays *arrays, struct net_arrays *diffs,
                  struct net_arrays *errors) {
    struct run *runs = runs_new(n, arrays);
    dnnl_dim_t directions = net_directions(n);
    for (dnnl_dim_t l = n->layers - 1; l >= 0; l--)
        for (dnnl_dim_t d = 0; d < directions; d++) {
            struct run *r = &runs[l * directions + d];
            run_backward(r, l < n->layers - 1 ? r + directions : NULL, diffs);
            weights_back(r, diffs, errors);
            put_state_gradients(r, diffs, errors);
        }
    put_input_gradients(runs, diffs, errors);
    runs_free(n, runs);
}
