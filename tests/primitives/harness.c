/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the harness itself must notice: that error bounds are neither so narrow that a correct computation in
 * f32 fails nor so wide that a small mistake passes, and that every number of a type can be stored and
 * loaded.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TERMS = 1000 };

/* Products of real numbers, and their sum in f64. */
static struct sum products(float *terms) {
    struct array a = array_new(1, (dnnl_dims_t){TERMS}, dnnl_f32), b = array_like(&a, dnnl_f32);
    struct sum sum = {0};
    array_fill_real(&a, 1);
    array_fill_real(&b, 2);
    for (int i = 0; i < TERMS; i++) {
        terms[i] = (float)a.values[i] * (float)b.values[i];
        sum_add(&sum, a.values[i] * b.values[i]);
    }
    array_free(&a);
    array_free(&b);
    return sum;
}

/* Any order of a sum is within its bound, a sum without one of its terms is not. */
static void sums(void **state) {
    (void)state;
    float terms[TERMS], forward = 0, backward = 0, parts[16] = {0}, split = 0;
    struct sum sum = products(terms);
    struct bounded bound = sum_of_products(&sum, false, 0);
    for (int i = 0; i < TERMS; i++) {
        forward += terms[i];
        backward += terms[TERMS - 1 - i];
        parts[i % 16] += terms[i];
    }
    for (int i = 0; i < 16; i++)
        split += parts[i];
    assert_true(within_bound(bound, dnnl_f32, (double)forward));
    assert_true(within_bound(bound, dnnl_f32, (double)backward));
    assert_true(within_bound(bound, dnnl_f32, (double)split));
    int caught = 0;
    for (int i = 0; i < TERMS; i++)
        caught += !within_bound(bound, dnnl_f32, sum.value - (double)terms[i]);
    assert_true(caught > TERMS * 9 / 10);
    assert_false(within_bound(sum_of_products_f64(&sum, 0), dnnl_f64, (double)forward));
}

/* The nearest f32, and so many units in the last place beside it. */
static double beside(double x, int units) {
    return round_to_type(x, dnnl_f32) + units * ldexp(1, ilogb(x) - 23);
}

/* A function may be off by the units that it is allowed, and no more. */
static void functions(void **state) {
    (void)state;
    static const double at[] = {-3.7, -0.3, 0.011, 0.9, 5.3};
    for (int i = 0; i < COUNT(at); i++) {
        double x = round_to_type(at[i], dnnl_f32), y = exp(x), z = tanh(x);
        struct bounded power = eltwise_forward(dnnl_eltwise_exp, 0, 0, exactly(x));
        struct bounded tangent = eltwise_forward(dnnl_eltwise_tanh, 0, 0, exactly(x));
        assert_true(within_bound(power, dnnl_f32, beside(y, 1))
                    || within_bound(power, dnnl_f32, beside(y, -1)));
        assert_false(within_bound(power, dnnl_f32, beside(y, 2)));
        assert_false(within_bound(power, dnnl_f32, beside(y, -2)));
        assert_false(within_bound(tangent, dnnl_f32, beside(z, 3)));
        assert_false(within_bound(tangent, dnnl_f32, beside(z, -3)));
    }
}

/* Errors of operands reach the result. */
static void propagation(void **state) {
    (void)state;
    struct bounded x = {3, 0x1p-20}, y = {2, 0x1p-21};
    assert_true(bounded_add(x, y).error >= 0x1p-20 + 0x1p-21 && bounded_add(x, y).error < 0x1p-18);
    assert_true(bounded_mul(x, y).error >= 2 * 0x1p-20 + 3 * 0x1p-21 && bounded_mul(x, y).error < 0x1p-17);
    assert_true(bounded_div(x, y).error >= (0x1p-20 + 1.5 * 0x1p-21) / 2
                && bounded_div(x, y).error < 0x1p-18);
    assert_true(bounded_function(exp, x, ULPS_EXP).error >= exp(3) * 0x1p-20);
    assert_true(isinf(bounded_div(x, (struct bounded){0x1p-21, 0x1p-20}).error));
}

/* Without an error only the rounded number itself passes; with one, all that rounding may give. */
static void storing(void **state) {
    (void)state;
    assert_true(within_bound(exactly(2.5), dnnl_s8, 2) && !within_bound(exactly(2.5), dnnl_s8, 3));
    assert_true(within_bound((struct bounded){2.5, 1e-6}, dnnl_s8, 3));
    assert_false(within_bound((struct bounded){2.4, 1e-6}, dnnl_s8, 3));
    assert_true(within_bound(exactly(1000), dnnl_u8, 255) && within_bound(exactly(-1), dnnl_u8, 0));
    assert_true(within_bound(exactly(1e6), dnnl_f16, INFINITY)
                && !within_bound(exactly(1e6), dnnl_f16, 65504));
    assert_true(within_bound(exactly(NAN), dnnl_f32, NAN) && !within_bound(exactly(1), dnnl_f32, NAN));
    assert_false(within_bound(exactly(NAN), dnnl_f32, 1));
}

/* Every bit pattern of the small types survives loading and storing. */
static void patterns(void **state) {
    (void)state;
    static const dnnl_data_type_t types[] = {dnnl_s8,   dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3,
                                             dnnl_e8m0, dnnl_s4, dnnl_u4,      dnnl_f4_e2m1};
    for (int t = 0; t < COUNT(types); t++)
        for (int v = 0; v < 256; v++) {
            unsigned char byte = (unsigned char)v, stored = 0;
            int elements = t < 5 ? 1 : 2;
            double x[2] = {0};
            for (int i = 0; i < elements; i++)
                x[i] = load_element(&byte, types[t], i);
            if (!isfinite(x[0])) continue;
            for (int i = 0; i < elements; i++)
                store_element(&stored, types[t], i, x[i]);
            assert_int_equal(stored, byte);
            assert_true(round_to_type(x[0], types[t]) == x[0]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(functions),
                                       cmocka_unit_test(propagation), cmocka_unit_test(storing),
                                       cmocka_unit_test(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
