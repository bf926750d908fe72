/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a result may be from the reference. The reference is computed in f64; every number of it carries a
 * bound on the error that the same computation has in f32, in whatever order an implementation adds and
 * whether or not it fuses. No test has a tolerance of its own.
 *
 *   one rounding       half a unit in the last place: u = 2^-24 of the result, or 2^-150 if that is more
 *   sums               gamma_m = m u / (1 - m u) of the sum of the terms' magnitudes, where m is the number
 * of roundings that a term goes through at most divisions          two roundings, so that an implementation
 * may multiply by an inverse functions          the units in the last place that tests/kernels/math.c holds
 * the kernels to errors of operands propagated through each operation storing            rounding is
 * monotone, so a computed number between x - e and x + e is stored as a number between stored(x - e) and
 * stored(x + e)
 *
 * The f64 loop's own error is 2^-29 of these bounds, and neglected; that of f64 results is not.
 */
#ifndef LODE_TESTS_PRIMITIVES_BOUNDS_H
#define LODE_TESTS_PRIMITIVES_BOUNDS_H

#include "primitives/array.h"

/* A number of the reference and the bound on its error in an implementation. */
struct bounded {
    double value, error;
};

struct bounded exactly(double value);
/* A constant that is not an f32: implementations have the nearest one. */
struct bounded constant(double value);
/* A number that was computed with this error, plus a rounding of so many units in the last place. */
struct bounded rounded(double value, double error, double ulps);

struct bounded bounded_add(struct bounded a, struct bounded b);
struct bounded bounded_sub(struct bounded a, struct bounded b);
struct bounded bounded_mul(struct bounded a, struct bounded b);
struct bounded bounded_div(struct bounded a, struct bounded b);
struct bounded bounded_max(struct bounded a, struct bounded b);
struct bounded bounded_min(struct bounded a, struct bounded b);
/* A function that is monotone near x, or has an extremum there. */
struct bounded bounded_function(double (*function)(double), struct bounded x, double ulps);
struct bounded bounded_pow(struct bounded x, double exponent, double ulps);

/* A sum in the making. */
struct sum {
    double value, magnitude; /* the magnitude is the sum of absolute values */
    double error;            /* of the terms */
    int64_t terms;
};
void sum_add(struct sum *sum, double term);
void sum_add_bounded(struct sum *sum, struct bounded term);
/* The sum of products of this source type and integers or floats; `start` is a number (the bias) that a chain
 * may begin with, but is not part of the result. Sums of integers are exact. */
struct bounded sum_of_products(const struct sum *sum, bool integers, double start);
/* The same in f64, start included; the reference's own error counts as well. */
struct bounded sum_of_products_f64(const struct sum *sum, double start);
/* A plain sum of floats. */
struct bounded sum_of_terms(const struct sum *sum);

/* Is this what may be stored? Without an error the result must be the rounded number itself. */
bool within_bound(struct bounded expected, dnnl_data_type_t type, double actual);

#endif
