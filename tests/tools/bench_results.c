/* SPDX-License-Identifier: Apache-2.0 */
/* lode-bench: elements of every type, and when results of two libraries agree. */
#include "bench/compare.h"
#include "bench/elements.h"
#include "test.h"

#include <math.h>

/* Every number of a type survives both ways. */
static void elements_round_trip(void **state) {
    static const struct {
        dnnl_data_type_t type;
        unsigned bits;
    } rows[] = {
            {dnnl_f16, 16}, {dnnl_bf16, 16}, {dnnl_f8_e5m2, 8}, {dnnl_f8_e4m3, 8}, {dnnl_f4_e2m1, 4},
            {dnnl_s8, 8},   {dnnl_u8, 8},    {dnnl_s4, 4},      {dnnl_u4, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (uint64_t bits = 0; bits < 1u << rows[i].bits; bits++) {
            double value = element_decode(rows[i].type, bits);
            uint64_t mask = (1u << rows[i].bits) - 1;
            if (isfinite(value)) assert_int_equal(element_encode(rows[i].type, value) & mask, bits);
        }
    assert_true(element_decode(dnnl_bf16, 0x3fc0) == 1.5);
    assert_true(element_decode(dnnl_f16, 0x0001) == 0x1p-24);
    assert_true(element_decode(dnnl_f8_e4m3, 0x7e) == 448);
    assert_int_equal(element_encode(dnnl_s8, 300), 127);
    assert_int_equal(element_encode(dnnl_bf16, 1 + 0x1p-8), 0x3f80); /* ties go to even */
}

static bool agree(dnnl_data_type_t type, float ours, float theirs, double depth) {
    float a[] = {1, ours}, b[] = {1, theirs};
    struct output output = {DNNL_ARG_DST, type, 2, a}, other = {DNNL_ARG_DST, type, 2, b};
    double error, tolerance;
    return outputs_agree(1, &output, &other, depth, &error, &tolerance);
}

static void results_agree_or_differ(void **state) {
    (void)state;
    assert_true(agree(dnnl_f32, 0.5f, 0.5f, 1));
    assert_true(agree(dnnl_f32, 0.5f, 0.5f + 0x1p-22f, 1));
    assert_false(agree(dnnl_f32, 0.5f, 0.5f + 0x1p-17f, 1));
    assert_true(agree(dnnl_f32, 0.5f, 0.5f + 0x1p-17f, 1000)); /* a long sum */
    assert_true(agree(dnnl_bf16, 0.5f, 0.5f + 0x1p-8f, 1));
    assert_false(agree(dnnl_bf16, 0.5f, 0.5f + 0x1p-6f, 1));
    assert_true(agree(dnnl_s8, 7, 8, 1));
    assert_false(agree(dnnl_s8, 7, 9, 1));
    assert_true(agree(dnnl_f32, NAN, NAN, 1));
    assert_false(agree(dnnl_f32, NAN, 1, 1));
    assert_false(agree(dnnl_f32, INFINITY, 1, 1));
    assert_true(agree(dnnl_f32, INFINITY, INFINITY, 1));
}

static void outputs_of_different_sizes_differ(void **state) {
    float values[2] = {0};
    struct output one = {DNNL_ARG_DST, dnnl_f32, 1, values}, two = {DNNL_ARG_DST, dnnl_f32, 2, values};
    double error, tolerance;
    (void)state;
    assert_false(outputs_agree(1, &one, &two, 1, &error, &tolerance));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(elements_round_trip),
            cmocka_unit_test(results_agree_or_differ),
            cmocka_unit_test(outputs_of_different_sizes_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
