/* SPDX-License-Identifier: Apache-2.0 */
/* Error bounds: bounds.h has the derivation. */
#include "primitives/bounds.h"

#include <math.h>

/* The unit in the last place of an f32 of this size. */
static double unit_of(double x) {
    if (!isfinite(x)) return 0;
    return ldexp(1, (x != 0 && ilogb(x) > -126 ? ilogb(x) : -126) - 23);
}

/* gamma_m for a unit roundoff u. */
static double gamma_of(double roundings, double u) {
    return roundings * u / (1 - roundings * u);
}

struct bounded exactly(double value) {
    return (struct bounded){value, 0};
}

struct bounded rounded(double value, double error, double ulps) {
    if (!isfinite(value)) return exactly(value);
    return (struct bounded){value, error + ulps * unit_of(fabs(value) + error)};
}

struct bounded constant(double value) {
    return rounded(value, 0, 0.5);
}

struct bounded bounded_add(struct bounded a, struct bounded b) {
    return rounded(a.value + b.value, a.error + b.error, 0.5);
}

struct bounded bounded_sub(struct bounded a, struct bounded b) {
    return rounded(a.value - b.value, a.error + b.error, 0.5);
}

struct bounded bounded_mul(struct bounded a, struct bounded b) {
    double error = fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
    return rounded(a.value * b.value, error, 0.5);
}

/* The inverse's rounding counts as part of b's error. A divisor that may be 0 has no bound. */
struct bounded bounded_div(struct bounded a, struct bounded b) {
    double quotient = a.value / b.value, b_error = b.error + 0x1p-24 * fabs(b.value);
    double error = (a.error + fabs(quotient) * b_error) / (fabs(b.value) - b_error);
    return rounded(quotient, error >= 0 ? error : INFINITY, 0.5);
}

struct bounded bounded_max(struct bounded a, struct bounded b) {
    return (struct bounded){fmax(a.value, b.value), fmax(a.error, b.error)};
}

struct bounded bounded_min(struct bounded a, struct bounded b) {
    return (struct bounded){fmin(a.value, b.value), fmax(a.error, b.error)};
}

struct bounded bounded_function(double (*function)(double), struct bounded x, double ulps) {
    double y = function(x.value), error = 0;
    if (x.error > 0)
        error = fmax(fabs(function(x.value - x.error) - y), fabs(function(x.value + x.error) - y));
    return rounded(y, error, ulps);
}

struct bounded bounded_pow(struct bounded x, double exponent, double ulps) {
    double y = pow(x.value, exponent), error = 0;
    if (x.error > 0)
        error = fmax(fabs(pow(x.value - x.error, exponent) - y), fabs(pow(x.value + x.error, exponent) - y));
    return rounded(y, error, ulps);
}

void sum_add(struct sum *sum, double term) {
    sum_add_bounded(sum, exactly(term));
}

void sum_add_bounded(struct sum *sum, struct bounded term) {
    sum->value += term.value;
    sum->magnitude += fabs(term.value) + term.error;
    sum->error += term.error;
    sum->terms++;
}

/* A term is rounded when its weight is decompressed, when it is multiplied, and in each of the additions of
 * the n terms and of what the chain began with: n + 2 times at most. */
static double roundings_of(const struct sum *sum) {
    return (double)sum->terms + 2;
}

struct bounded sum_of_products(const struct sum *sum, bool integers, double start) {
    /* An s32 becomes an f32 with a rounding, where it has more than 24 bits. */
    if (integers) return rounded(sum->value, 0, fabs(sum->value) > 0x1p24 ? 0.5 : 0);
    double error = gamma_of(roundings_of(sum), 0x1p-24) * (sum->magnitude + fabs(start));
    return (struct bounded){sum->value, sum->error + error};
}

struct bounded sum_of_bf16_products(const struct sum *sum, double start) {
    struct bounded x = sum_of_products(sum, false, start);
    x.error += 2 * (double)sum->terms * 0x1p-126; /* a product and an addition for each term */
    return x;
}

struct bounded sum_of_rounded_products(const struct sum *sum, double start) {
    struct bounded x = sum_of_bf16_products(sum, start);
    x.error +=
            (0x1p-8 + 0x1p-18) * sum->magnitude * (1 + 0x1p-10); /* the sum of rounded terms may be larger */
    return x;
}

struct bounded sum_of_products_f64(const struct sum *sum, double start) {
    double error = gamma_of(roundings_of(sum), 0x1p-53) * (sum->magnitude + fabs(start));
    return (struct bounded){sum->value + start, 2 * error};
}

struct bounded sum_of_terms(const struct sum *sum) {
    double additions = (double)(sum->terms > 1 ? sum->terms - 1 : 0);
    return (struct bounded){sum->value, sum->error + gamma_of(additions, 0x1p-24) * sum->magnitude};
}

bool within_bound(struct bounded expected, dnnl_data_type_t type, double actual) {
    double least = round_to_type(expected.value - expected.error, type),
           most = round_to_type(expected.value + expected.error, type);
    if (isnan(least) || isnan(most)) return isnan(actual);
    return actual >= least && actual <= most;
}
