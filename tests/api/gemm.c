/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS-like functions against plain loops; bad arguments; several threads at once. */
#include "test.h"

#include <math.h>
#include <pthread.h>

enum { SIZE = 48 * 48 };

static const struct shape {
    char transa, transb;
    int m, n, k, lda, ldb, ldc;
    float alpha, beta;
} shapes[] = {
        {'N', 'N', 3, 4, 5, 5, 4, 4, 1, 0},      {'n', 't', 3, 4, 5, 6, 7, 8, 1, 1},
        {'T', 'N', 7, 9, 2, 8, 9, 10, 2, 0.5f},  {'t', 'T', 17, 33, 20, 17, 20, 33, -1, 2},
        {'N', 'N', 1, 40, 40, 40, 40, 40, 1, 0}, {'N', 'N', 48, 1, 30, 30, 1, 1, 0.5f, 0},
};

static int at(char trans, int row, int column, int ld) {
    return trans == 't' || trans == 'T' ? column * ld + row : row * ld + column;
}

static void floats(void **state) {
    (void)state;
    static float a[SIZE], b[SIZE], c[SIZE], expected[SIZE];
    for (int i = 0; i < SIZE; i++) {
        a[i] = (float)(i * 7 % 11 - 5) / 2;
        b[i] = (float)(i * 5 % 13 - 6) / 4;
    }
    for (int s = 0; s < COUNT(shapes); s++) {
        const struct shape *p = &shapes[s];
        for (int i = 0; i < SIZE; i++)
            expected[i] = c[i] = p->beta == 0 ? NAN : (float)(i % 9 - 4);
        for (int m = 0; m < p->m; m++)
            for (int n = 0; n < p->n; n++) {
                double sum = 0, previous = p->beta == 0 ? 0 : (double)(p->beta * c[m * p->ldc + n]);
                for (int k = 0; k < p->k; k++)
                    sum += (double)a[at(p->transa, m, k, p->lda)] * (double)b[at(p->transb, k, n, p->ldb)];
                expected[m * p->ldc + n] = (float)((double)p->alpha * sum + previous);
            }
        assert_int_equal(dnnl_sgemm(p->transa, p->transb, p->m, p->n, p->k, p->alpha, a, p->lda, b, p->ldb,
                                    p->beta, c, p->ldc),
                         dnnl_success);
        for (int i = 0; i < SIZE; i++)
            if (!(isnan(c[i]) && isnan(expected[i]))) assert_true(c[i] == expected[i]);
    }
}

static void integers(void **state) {
    (void)state;
    static uint8_t a[SIZE];
    static int8_t b[SIZE];
    static int32_t c[SIZE], before[SIZE], co[64];
    static const char offsets[] = {'F', 'C', 'R'};
    for (int i = 0; i < SIZE; i++) {
        a[i] = (uint8_t)(i * 37 % 256);
        b[i] = (int8_t)(i * 29 % 251 - 125);
    }
    for (int i = 0; i < COUNT(co); i++)
        co[i] = 1000 * i - 7;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int o = 0; o < COUNT(offsets); o++) {
            const struct shape *p = &shapes[s];
            const int ao = 5 * o, bo = -3 * o;
            for (int i = 0; i < SIZE; i++)
                before[i] = c[i] = i * 100000;
            assert_int_equal(dnnl_gemm_u8s8s32(p->transa, p->transb, offsets[o], p->m, p->n, p->k, p->alpha,
                                               a, p->lda, (uint8_t)ao, b, p->ldb, (int8_t)bo, p->beta, c,
                                               p->ldc, co),
                             dnnl_success);
            for (int m = 0; m < p->m; m++)
                for (int n = 0; n < p->n; n++) {
                    double sum = 0;
                    for (int k = 0; k < p->k; k++)
                        sum += (double)((a[at(p->transa, m, k, p->lda)] - ao)
                                        * (b[at(p->transb, k, n, p->ldb)] - bo));
                    sum = (double)p->alpha * sum + (double)p->beta * before[m * p->ldc + n]
                          + co[o == 1   ? m
                               : o == 2 ? n
                                        : 0];
                    assert_int_equal(c[m * p->ldc + n], (int32_t)nearbyint(sum));
                }
        }
}

static void bad_arguments(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, c[4] = {9, 9, 9, 9};
    int8_t s[4] = {1, 2, 3, 4};
    int32_t i[4] = {9, 9, 9, 9}, co = 1;
    const dnnl_dim_t huge = INT64_C(1) << 62;
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, NULL, 2, a, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, NULL, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, NULL, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('x', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', '\0', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', -1, 2, 2, 1, a, 2, a, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 1, a, 2, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, a, 1, 0, c, 2), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, c, 1), dnnl_invalid_arguments);
    assert_int_equal(dnnl_sgemm('N', 'N', 2, 0, 2, 1, a, 2, a, 2, 0, c, 2), dnnl_success);
    assert_int_not_equal(dnnl_sgemm('N', 'N', huge, huge, 2, 1, a, huge, a, huge, 0, c, huge), dnnl_success);
    assert_int_equal(dnnl_gemm_s8s8s32('N', 'N', 'x', 2, 2, 2, 1, s, 2, 0, s, 2, 0, 0, i, 2, &co),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_gemm_s8s8s32('N', 'N', 'F', 2, 2, 2, 1, s, 2, 0, s, 2, 0, 0, i, 2, NULL),
                     dnnl_invalid_arguments);
    assert_int_not_equal(
            dnnl_gemm_s8s8s32('N', 'N', 'F', huge, huge, 2, 1, s, huge, 0, s, huge, 0, 0, i, huge, &co),
            dnnl_success);
    for (int k = 0; k < 4; k++) {
        assert_true(c[k] == 9);
        assert_int_equal(i[k], 9);
    }
}

static void *multiply_often(void *result) {
    float a[64], b[64], c[64];
    for (int i = 0; i < 64; i++)
        a[i] = (float)(i % 5), b[i] = (float)(i % 3);
    for (int round = 0; round < 200; round++) {
        memset(c, 0, sizeof c);
        if (dnnl_sgemm('N', 'N', 8, 8, 8, 1, a, 8, b, 8, 0, c, 8) != dnnl_success) return NULL;
        float sum = 0;
        for (int k = 0; k < 8; k++)
            sum += a[7 * 8 + k] * b[k * 8 + 7];
        if (c[63] != sum) return NULL;
    }
    return result;
}

static void threads(void **state) {
    (void)state;
    pthread_t thread[4];
    int done = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, multiply_often, &done), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        assert_ptr_equal(result, &done);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats), cmocka_unit_test(integers),
                                       cmocka_unit_test(bad_arguments), cmocka_unit_test(threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
