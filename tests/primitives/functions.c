/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise and binary algorithms: each is put together from bounded steps, as its definition is. */
#include "primitives/functions.h"

#include <math.h>
#include <stdlib.h>

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

struct bounded leaky_relu(struct bounded x, double slope) {
    double y = x.value > 0  ? x.value
               : slope == 0 ? 0
                            : slope * x.value,
           error = fmax(1, fabs(slope)) * x.error;
    return rounded(y, error, x.value > x.error ? 0 : 0.5);
}

static struct bounded linear(struct bounded x, double alpha, double beta) {
    return bounded_add(bounded_mul(x, exactly(alpha)), exactly(beta));
}

/* NaN becomes the lower limit. */
static struct bounded clip(struct bounded x, double least, double most) {
    return (struct bounded){fmin(fmax(x.value, least), most), x.error};
}

/* NaN stays. */
static struct bounded hardsigmoid(struct bounded x, double alpha, double beta) {
    return isnan(x.value) ? x : clip(linear(x, alpha, beta), 0, 1);
}

/* e^x - 1 has a slope of 1 at most where x is negative. */
static struct bounded elu(struct bounded x, double alpha) {
    struct bounded y = exactly(x.value);
    if (x.value <= 0) y = bounded_mul(exactly(alpha), rounded(expm1(x.value), 0, ULPS_EXPM1));
    y.error += fmax(1, fabs(alpha)) * x.error;
    return y;
}

/* log(1 + e^(alpha x)) / alpha. Above 700 the exponential would overflow f64. */
static struct bounded soft_relu(struct bounded x, double alpha) {
    struct bounded t = bounded_mul(x, exactly(alpha));
    if (t.value > 700) return x;
    struct bounded soft = bounded_function(log1p, bounded_function(exp, t, ULPS_EXP), ULPS_LOG1P);
    return bounded_div(soft, exactly(alpha));
}

/* x / 2 (1 + y) */
static struct bounded gelu(struct bounded x, struct bounded y) {
    return bounded_mul(bounded_mul(exactly(0.5), x), bounded_add(exactly(1), y));
}

static struct bounded gelu_tanh(struct bounded x) {
    struct bounded cubic = bounded_add(bounded_mul(constant(0.044715), bounded_mul(x, x)), exactly(1));
    struct bounded inner = bounded_mul(bounded_mul(x, constant(sqrt(2 / acos(-1)))), cubic);
    return gelu(x, bounded_function(tanh, inner, ULPS_TANH));
}

static struct bounded gelu_erf(struct bounded x) {
    return gelu(x, bounded_function(erf, bounded_mul(x, constant(sqrt(0.5))), ULPS_ERF));
}

static struct bounded swish(struct bounded x, double alpha) {
    return bounded_mul(x, bounded_function(logistic, bounded_mul(x, exactly(alpha)), ULPS_LOGISTIC));
}

static struct bounded mish(struct bounded x) {
    struct bounded soft = bounded_function(log1p, bounded_function(exp, x, ULPS_EXP), ULPS_LOG1P);
    return bounded_mul(x, bounded_function(tanh, soft, ULPS_TANH));
}

struct bounded eltwise_forward(dnnl_alg_kind_t alg, float alpha_f32, float beta_f32, struct bounded x) {
    double alpha = (double)alpha_f32, beta = (double)beta_f32;
    switch ((int)alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return leaky_relu(x, alpha);
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd: return bounded_function(tanh, x, ULPS_TANH);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return elu(x, alpha);
    case dnnl_eltwise_square: return bounded_mul(x, x);
    case dnnl_eltwise_abs: return (struct bounded){fabs(x.value), x.error};
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return bounded_function(sqrt, x, ULPS_SQRT);
    case dnnl_eltwise_linear: return linear(x, alpha, beta);
    case dnnl_eltwise_soft_relu: return soft_relu(x, alpha);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid(x, alpha, beta);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return bounded_function(logistic, x, ULPS_LOGISTIC);
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return bounded_function(exp, x, ULPS_EXP);
    case dnnl_eltwise_gelu_tanh: return gelu_tanh(x);
    case dnnl_eltwise_swish: return swish(x, alpha);
    case dnnl_eltwise_log: return bounded_function(log, x, ULPS_LOG);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return clip(x, alpha, beta);
    case dnnl_eltwise_pow: return bounded_mul(exactly(alpha), bounded_pow(x, beta, ULPS_POW));
    case dnnl_eltwise_gelu_erf: return gelu_erf(x);
    case dnnl_eltwise_round: return bounded_function(nearbyint, x, 0);
    case dnnl_eltwise_mish: return mish(x);
    case dnnl_eltwise_hardswish: return bounded_mul(x, hardsigmoid(x, alpha, beta));
    default: abort();
    }
}

/* Derivatives, from bounded steps too. Where they jump, x is exact. */

static struct bounded one_minus(struct bounded x) {
    return bounded_sub(exactly(1), x);
}

/* y (1 - y), of y = logistic(x). */
static struct bounded logistic_slope(struct bounded y) {
    return bounded_mul(y, one_minus(y));
}

/* (1 - y)(1 + y), of y = tanh(x). */
static struct bounded tanh_slope(struct bounded y) {
    return bounded_mul(one_minus(y), bounded_add(exactly(1), y));
}

static struct bounded elu_slope(struct bounded x, double alpha) {
    return x.value > 0 ? exactly(1) : bounded_mul(exactly(alpha), bounded_function(exp, x, ULPS_EXP));
}

static struct bounded hardsigmoid_slope(struct bounded x, double alpha, double beta, double above,
                                        struct bounded inside) {
    double y = alpha * x.value + beta;
    return y <= 0 ? exactly(0) : y >= 1 ? exactly(above) : inside;
}

static struct bounded swish_slope(struct bounded x, double alpha) {
    struct bounded t = bounded_mul(x, exactly(alpha)), v = bounded_function(logistic, t, ULPS_LOGISTIC);
    return bounded_add(v, bounded_mul(bounded_mul(t, v), one_minus(v)));
}

/* tanh(s) + x (1 - tanh(s)^2) logistic(x) with s = log(1 + e^x); 1 - tanh(s) as a quotient, so that it keeps
 * its digits where tanh(s) is near 1. */
static struct bounded mish_slope(struct bounded x) {
    struct bounded e = bounded_function(exp, exactly(fmin(x.value, 20)), ULPS_EXP);
    struct bounded w = bounded_mul(e, bounded_add(e, exactly(2))), below = bounded_add(w, exactly(2));
    struct bounded t = bounded_div(w, below), rest = bounded_div(exactly(2), below);
    struct bounded bell = bounded_mul(rest, bounded_add(exactly(1), t));
    return bounded_add(t, bounded_mul(bounded_mul(x, bell), bounded_function(logistic, x, ULPS_LOGISTIC)));
}

static struct bounded gelu_tanh_slope(struct bounded x) {
    struct bounded k = constant(sqrt(2 / acos(-1))), square = bounded_mul(x, x);
    struct bounded cubic = bounded_add(bounded_mul(constant(0.044715), square), exactly(1));
    struct bounded t = bounded_function(tanh, bounded_mul(bounded_mul(x, k), cubic), ULPS_TANH);
    struct bounded slope =
            bounded_mul(k, bounded_add(bounded_mul(constant(3 * 0.044715), square), exactly(1)));
    struct bounded inner = bounded_add(exactly(1), bounded_mul(bounded_mul(x, slope), one_minus(t)));
    return bounded_mul(bounded_mul(exactly(0.5), bounded_add(exactly(1), t)), inner);
}

static struct bounded gelu_erf_slope(struct bounded x) {
    struct bounded v = bounded_mul(x, constant(sqrt(0.5))),
                   minus = bounded_mul(exactly(-1), bounded_mul(v, v));
    struct bounded bell =
            bounded_mul(bounded_mul(v, constant(2 / sqrt(acos(-1)))), bounded_function(exp, minus, ULPS_EXP));
    struct bounded sum = bounded_add(bounded_add(exactly(1), bounded_function(erf, v, ULPS_ERF)), bell);
    return bounded_mul(exactly(0.5), sum);
}

static struct bounded pow_slope(struct bounded x, double alpha, double beta) {
    if (beta == 0) return exactly(0);
    return bounded_mul(bounded_mul(exactly(alpha), exactly(beta)), bounded_pow(x, beta - 1, ULPS_POW));
}

static struct bounded smooth_gradient(dnnl_alg_kind_t alg, double alpha, double beta, struct bounded x) {
    switch ((int)alg) {
    case dnnl_eltwise_tanh: return tanh_slope(bounded_function(tanh, x, ULPS_TANH));
    case dnnl_eltwise_tanh_use_dst_for_bwd: return tanh_slope(x);
    case dnnl_eltwise_elu: return elu_slope(x, alpha);
    case dnnl_eltwise_elu_use_dst_for_bwd: return x.value > 0 ? exactly(1) : bounded_add(x, exactly(alpha));
    case dnnl_eltwise_square: return bounded_mul(exactly(2), x);
    case dnnl_eltwise_sqrt: return bounded_div(exactly(0.5), bounded_function(sqrt, x, ULPS_SQRT));
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return bounded_div(exactly(0.5), x);
    case dnnl_eltwise_soft_relu:
        return bounded_function(logistic, bounded_mul(x, exactly(alpha)), ULPS_LOGISTIC);
    case dnnl_eltwise_logistic: return logistic_slope(bounded_function(logistic, x, ULPS_LOGISTIC));
    case dnnl_eltwise_logistic_use_dst_for_bwd: return logistic_slope(x);
    case dnnl_eltwise_exp: return bounded_function(exp, x, ULPS_EXP);
    case dnnl_eltwise_exp_use_dst_for_bwd: return x;
    case dnnl_eltwise_log: return bounded_div(exactly(1), x);
    case dnnl_eltwise_swish: return swish_slope(x, alpha);
    case dnnl_eltwise_mish: return mish_slope(x);
    case dnnl_eltwise_gelu_tanh: return gelu_tanh_slope(x);
    case dnnl_eltwise_gelu_erf: return gelu_erf_slope(x);
    case dnnl_eltwise_pow: return pow_slope(x, alpha, beta);
    default: abort();
    }
}

struct bounded eltwise_gradient(dnnl_alg_kind_t alg, float alpha_f32, float beta_f32, struct bounded x) {
    double alpha = (double)alpha_f32, beta = (double)beta_f32, v = x.value;
    switch ((int)alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return exactly(v > 0 ? 1 : alpha);
    case dnnl_eltwise_abs: return exactly((v > 0) - (v < 0));
    case dnnl_eltwise_linear: return exactly(alpha);
    case dnnl_eltwise_clip: return exactly(v > alpha && v <= beta);
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return exactly(v > alpha && v < beta);
    case dnnl_eltwise_hardsigmoid: return hardsigmoid_slope(x, alpha, beta, 0, exactly(alpha));
    case dnnl_eltwise_hardswish: return hardsigmoid_slope(x, alpha, beta, 1, linear(x, 2 * alpha, beta));
    default: return smooth_gradient(alg, alpha, beta, x);
    }
}

struct bounded binary_forward(dnnl_alg_kind_t alg, struct bounded x, struct bounded y, double condition) {
    switch ((int)alg) {
    case dnnl_binary_add: return bounded_add(x, y);
    case dnnl_binary_mul: return bounded_mul(x, y);
    case dnnl_binary_max: return bounded_max(x, y);
    case dnnl_binary_min: return bounded_min(x, y);
    case dnnl_binary_div: return bounded_div(x, y);
    case dnnl_binary_sub: return bounded_sub(x, y);
    case dnnl_binary_ge: return exactly(x.value >= y.value);
    case dnnl_binary_gt: return exactly(x.value > y.value);
    case dnnl_binary_le: return exactly(x.value <= y.value);
    case dnnl_binary_lt: return exactly(x.value < y.value);
    case dnnl_binary_eq: return exactly(x.value == y.value);
    case dnnl_binary_ne: return exactly(x.value != y.value);
    case dnnl_binary_select: return condition != 0 ? x : y;
    default: abort();
    }
}
