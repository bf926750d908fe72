/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BLAS-like functions: row-major matrix products on the CPU engine, each computed by a matmul primitive
 * that stays in the cache. Integer results are finished here, in doubles, because an f32 epilogue would not
 * be exact.
 */
#include "api/undeclared.h"
#include "base/verbose.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static const char component[] = "gemm_api";

/* C[m][n] = alpha * (op(A) - ao) * (op(B) - bo) + beta * C. */
struct gemm {
    char transa, transb;
    dnnl_dim_t m, n, k;
    const void *a, *b;
    void *c;
    dnnl_dim_t lda, ldb, ldc;
    dnnl_data_type_t a_type, b_type, c_type;
    float alpha, beta;
    int32_t ao, bo;
};

static bool is_letter(char c, char lower, char upper) {
    return c == lower || c == upper;
}

static bool is_transposed(char trans) {
    return is_letter(trans, 't', 'T');
}

static bool leads(dnnl_dim_t ld, dnnl_dim_t size) {
    return ld >= size && ld >= 1;
}

/* As in oneDNN, an empty sum leaves C unchanged, whatever beta is. */
static bool is_empty(const struct gemm *g) {
    return g->m == 0 || g->n == 0 || g->k == 0;
}

static dnnl_status_t check(const struct gemm *g) {
    if (!g->a || !g->b || !g->c) return fail(dnnl_invalid_arguments, component, "a matrix is NULL");
    if (!is_letter(g->transa, 'n', 'N') && !is_transposed(g->transa))
        return fail(dnnl_invalid_arguments, component, "transa is %d", g->transa);
    if (!is_letter(g->transb, 'n', 'N') && !is_transposed(g->transb))
        return fail(dnnl_invalid_arguments, component, "transb is %d", g->transb);
    if (g->m < 0 || g->n < 0 || g->k < 0)
        return fail(dnnl_invalid_arguments, component, "a size is negative");
    if (!leads(g->lda, is_transposed(g->transa) ? g->m : g->k)
        || !leads(g->ldb, is_transposed(g->transb) ? g->k : g->n) || !leads(g->ldc, g->n))
        return fail(dnnl_invalid_arguments, component, "a leading dimension is too small");
    return dnnl_success;
}

/* The engine of all calls: created once and never destroyed, so that its plans stay in the cache. */
static dnnl_engine_t engine;
static dnnl_status_t engine_status;

static void make_engine(void) {
    engine_status = dnnl_engine_create(&engine, dnnl_cpu, 0);
}

/* The objects of a call, NULL until they are created. */
enum { A, B, C, ALPHA, AO, BO, MEMORIES };
struct objects {
    dnnl_memory_desc_t md[MEMORIES];
    dnnl_memory_t memory[MEMORIES];
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
};

static void destroy(struct objects *o) {
    dnnl_stream_destroy(o->stream);
    dnnl_primitive_destroy(o->primitive);
    dnnl_primitive_desc_destroy(o->pd);
    dnnl_post_ops_destroy(o->ops);
    dnnl_primitive_attr_destroy(o->attr);
    for (int i = 0; i < MEMORIES; i++) {
        dnnl_memory_destroy(o->memory[i]);
        dnnl_memory_desc_destroy(o->md[i]);
    }
}

static dnnl_status_t add_matrix(struct objects *o, int which, dnnl_dim_t rows, dnnl_dim_t columns,
                                dnnl_dim_t ld, bool transposed, dnnl_data_type_t type, const void *data) {
    dnnl_dims_t dims = {rows, columns}, strides = {transposed ? 1 : ld, transposed ? ld : 1};
    TRY(dnnl_memory_desc_create_with_strides(&o->md[which], 2, dims, type, strides));
    return dnnl_memory_create(&o->memory[which], o->md[which], engine, (void *)data);
}

static dnnl_status_t add_scalar(struct objects *o, int which, dnnl_data_type_t type, void *value) {
    TRY(dnnl_memory_desc_create_host_scalar(&o->md[which], type));
    return dnnl_memory_create_host_scalar(&o->memory[which], o->md[which], value);
}

/* Parameters without effect are left out, so that most calls share one plan per shape. */
static dnnl_status_t add_attributes(struct objects *o, struct gemm *g) {
    TRY(dnnl_primitive_attr_create(&o->attr));
    if (g->alpha != 1.0f) {
        TRY(dnnl_primitive_attr_set_scales_v3(o->attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 1,
                                              dnnl_quantization_mode_static_sazp));
        TRY(add_scalar(o, ALPHA, dnnl_f32, &g->alpha));
    }
    if (g->ao != 0) {
        TRY(dnnl_primitive_attr_set_zero_points_v2(o->attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32, 1));
        TRY(add_scalar(o, AO, dnnl_s32, &g->ao));
    }
    if (g->bo != 0) {
        TRY(dnnl_primitive_attr_set_zero_points_v2(o->attr, DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_s32, 1));
        TRY(add_scalar(o, BO, dnnl_s32, &g->bo));
    }
    if (g->beta == 0.0f) return dnnl_success;
    TRY(dnnl_post_ops_create(&o->ops));
    TRY(dnnl_post_ops_append_sum(o->ops, g->beta, 0, dnnl_data_type_undef));
    return dnnl_primitive_attr_set_post_ops(o->attr, o->ops);
}

static dnnl_status_t execute(struct objects *o) {
    static const int args[MEMORIES] = {
            [A] = DNNL_ARG_SRC,
            [B] = DNNL_ARG_WEIGHTS,
            [C] = DNNL_ARG_DST,
            [ALPHA] = DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
            [AO] = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
            [BO] = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
    };
    dnnl_exec_arg_t list[MEMORIES];
    int count = 0;
    for (int i = 0; i < MEMORIES; i++)
        if (o->memory[i]) list[count++] = (dnnl_exec_arg_t){args[i], o->memory[i]};
    TRY(dnnl_primitive_execute(o->primitive, o->stream, count, list));
    return dnnl_stream_wait(o->stream);
}

static dnnl_status_t multiply_with(struct objects *o, struct gemm *g) {
    TRY(add_matrix(o, A, g->m, g->k, g->lda, is_transposed(g->transa), g->a_type, g->a));
    TRY(add_matrix(o, B, g->k, g->n, g->ldb, is_transposed(g->transb), g->b_type, g->b));
    TRY(add_matrix(o, C, g->m, g->n, g->ldc, false, g->c_type, g->c));
    TRY(add_attributes(o, g));
    TRY(dnnl_matmul_primitive_desc_create(&o->pd, engine, o->md[A], o->md[B], NULL, o->md[C], o->attr));
    TRY(dnnl_primitive_create(&o->primitive, o->pd));
    TRY(dnnl_stream_create(&o->stream, engine, dnnl_stream_default_flags));
    return execute(o);
}

static dnnl_status_t multiply(struct gemm *g) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_engine);
    if (engine_status != dnnl_success) return engine_status;
    struct objects objects = {.stream = NULL};
    dnnl_status_t status = multiply_with(&objects, g);
    destroy(&objects);
    return status;
}

static dnnl_status_t float_gemm(struct gemm *g) {
    dnnl_status_t status = check(g);
    if (status != dnnl_success || is_empty(g)) return status;
    return multiply(g);
}

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                         const float *a, dnnl_dim_t lda, const float *b, dnnl_dim_t ldb, float beta, float *c,
                         dnnl_dim_t ldc) {
    return float_gemm(&(struct gemm){transa, transb, M, N, K, a, b, c, lda, ldb, ldc, dnnl_f32, dnnl_f32,
                                     dnnl_f32, alpha, beta, 0, 0});
}

dnnl_status_t dnnl_gemm_bf16bf16f32(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                    float alpha, const uint16_t *a, dnnl_dim_t lda, const uint16_t *b,
                                    dnnl_dim_t ldb, float beta, float *c, dnnl_dim_t ldc) {
    return float_gemm(&(struct gemm){transa, transb, M, N, K, a, b, c, lda, ldb, ldc, dnnl_bf16, dnnl_bf16,
                                     dnnl_f32, alpha, beta, 0, 0});
}

/* Integers: the exact product, then the terms that are added to it. */

struct offsets {
    const int32_t *values;
    bool by_row, by_column; /* one value per m, one value per n */
};

static int32_t saturate(double x) {
    x = nearbyint(x);
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x;
}

static void combine(const struct gemm *g, const int32_t *products, struct offsets offsets, int32_t *c,
                    dnnl_dim_t ldc, float alpha, float beta) {
    for (dnnl_dim_t m = 0; m < g->m; m++)
        for (dnnl_dim_t n = 0; n < g->n; n++) {
            int32_t offset = offsets.values[offsets.by_row ? m : offsets.by_column ? n : 0];
            double previous = beta == 0.0f ? 0 : (double)beta * c[m * ldc + n];
            c[m * ldc + n] = saturate((double)alpha * products[m * g->n + n] + previous + offset);
        }
}

/* The plain product goes straight to C; then only offsets are added to it. */
static dnnl_status_t multiply_in_place(struct gemm *g, struct offsets offsets) {
    int32_t *c = g->c;
    dnnl_status_t status = multiply(g);
    if (status != dnnl_success) return status;
    bool single = !offsets.by_row && !offsets.by_column;
    for (dnnl_dim_t m = 0; m < g->m && !(single && offsets.values[0] == 0); m++)
        for (dnnl_dim_t n = 0; n < g->n; n++) {
            int64_t sum = (int64_t)c[m * g->ldc + n]
                          + offsets.values[offsets.by_row      ? m
                                           : offsets.by_column ? n
                                                               : 0];
            c[m * g->ldc + n] = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
        }
    return dnnl_success;
}

static dnnl_status_t integer_gemm(struct gemm *g, char offsetc, const int32_t *co) {
    struct offsets offsets = {
            .values = co, .by_row = is_letter(offsetc, 'c', 'C'), .by_column = is_letter(offsetc, 'r', 'R')};
    if (!offsets.by_row && !offsets.by_column && !is_letter(offsetc, 'f', 'F'))
        return fail(dnnl_invalid_arguments, component, "offsetc is %d", offsetc);
    dnnl_status_t status = check(g);
    if (status != dnnl_success || is_empty(g)) return status;
    if (!co) return fail(dnnl_invalid_arguments, component, "co is NULL");
    if (g->alpha == 1.0f && g->beta == 0.0f) return multiply_in_place(g, offsets);
    size_t elements, bytes;
    if (__builtin_mul_overflow((size_t)g->m, (size_t)g->n, &elements)
        || __builtin_mul_overflow(elements, sizeof(int32_t), &bytes))
        return fail(dnnl_invalid_arguments, component, "the result is too large");
    int32_t *products = malloc(bytes);
    if (!products) return fail(dnnl_out_of_memory, component, "no memory for %zu bytes", bytes);
    struct gemm product = *g;
    product.c = products;
    product.ldc = g->n;
    product.alpha = 1;
    product.beta = 0;
    status = multiply(&product);
    if (status == dnnl_success) combine(g, products, offsets, g->c, g->ldc, g->alpha, g->beta);
    free(products);
    return status;
}

dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                dnnl_dim_t K, float alpha, const uint8_t *a, dnnl_dim_t lda, uint8_t ao,
                                const int8_t *b, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *c,
                                dnnl_dim_t ldc, const int32_t *co) {
    return integer_gemm(&(struct gemm){transa, transb, M, N, K, a, b, c, lda, ldb, ldc, dnnl_u8, dnnl_s8,
                                       dnnl_s32, alpha, beta, ao, bo},
                        offsetc, co);
}

dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                dnnl_dim_t K, float alpha, const int8_t *a, dnnl_dim_t lda, int8_t ao,
                                const int8_t *b, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *c,
                                dnnl_dim_t ldc, const int32_t *co) {
    return integer_gemm(&(struct gemm){transa, transb, M, N, K, a, b, c, lda, ldb, ldc, dnnl_s8, dnnl_s8,
                                       dnnl_s32, alpha, beta, ao, bo},
                        offsetc, co);
}
