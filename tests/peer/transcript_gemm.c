/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BLAS-like functions: statuses for good and bad arguments, and results of small integers, which are
 * exact in both libraries.
 *
 * Left out, because the peer crashes or reads out of bounds: packed matrices (transposition P), missing
 * offsets. Left out, because the peer's answer depends on the CPU: bf16 with k = 0.
 */
#include "transcript.h"

#include <stdint.h>

/* Exported by the library, but not declared in a public header. */
dnnl_status_t dnnl_gemm_bf16bf16f32(char, char, dnnl_dim_t, dnnl_dim_t, dnnl_dim_t, float, const uint16_t *,
                                    dnnl_dim_t, const uint16_t *, dnnl_dim_t, float, float *, dnnl_dim_t);

enum { SIZE = 40 * 40 };
static float a[SIZE], b[SIZE], c[SIZE];
static uint16_t a16[SIZE], b16[SIZE];
static int8_t a8[SIZE], b8[SIZE];
static uint8_t u8[SIZE];
static int32_t c32[SIZE], co[64];

static uint16_t bf16(float x) {
    union {
        float f;
        uint32_t u;
    } bits = {x};
    return (uint16_t)(bits.u >> 16);
}

static void fill(void) {
    for (int i = 0; i < SIZE; i++) {
        a[i] = (float)(i * 7 % 11 - 5);
        b[i] = (float)(i * 5 % 13 - 6);
        c[i] = (float)(i % 9 - 4);
        a16[i] = bf16(a[i]);
        b16[i] = bf16(b[i]);
        a8[i] = (int8_t)(i * 31 % 255 - 127);
        u8[i] = (uint8_t)(i * 37 % 256);
        b8[i] = (int8_t)(i * 29 % 127 - 63); /* small enough that the peer's sums of two products fit in 16
                                              * bits */
        c32[i] = i * 1001 - 500000;
    }
    for (int i = 0; i < COUNT(co); i++)
        co[i] = 1000 * i - 7;
}

static void show_floats(void) {
    uint32_t sum = 0;
    for (int i = 0; i < SIZE; i++) {
        union {
            float f;
            uint32_t u;
        } bits = {c[i]};
        sum = sum * 31 + bits.u;
    }
    printf(" %08x", sum);
}

static void show_integers(void) {
    uint32_t sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum = sum * 31 + (uint32_t)c32[i];
    printf(" %08x", sum);
}

static const struct {
    char transa, transb;
    dnnl_dim_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
} calls[] = {
        {'N', 'N', 3, 4, 5, 5, 4, 4, 1, 0},      {'n', 't', 3, 4, 5, 6, 7, 8, 1, 1},
        {'T', 'N', 7, 9, 2, 8, 9, 10, 2, 0.5f},  {'t', 'T', 17, 33, 20, 17, 20, 33, -1, 2},
        {'N', 'N', 1, 40, 40, 40, 40, 40, 1, 0}, {'N', 'N', 40, 1, 30, 30, 1, 1, 0.5f, 0},
        {'N', 'N', 0, 4, 5, 5, 4, 4, 1, 0},      {'N', 'N', 3, 0, 5, 5, 1, 1, 1, 0},
        {'N', 'N', 3, 4, 0, 1, 4, 4, 1, 2},      {'N', 'N', 3, 4, 0, 1, 4, 4, 1, 0},
        {'N', 'N', 3, 4, 5, 5, 4, 4, 0, 1},      {'X', 'N', 3, 4, 5, 5, 4, 4, 1, 0},
        {'N', 0, 3, 4, 5, 5, 4, 4, 1, 0},        {'N', 'N', -1, 4, 5, 5, 4, 4, 1, 0},
        {'N', 'N', 3, -4, 5, 5, 4, 4, 1, 0},     {'N', 'N', 3, 4, -5, 5, 4, 4, 1, 0},
        {'N', 'N', 3, 4, 5, 4, 4, 4, 1, 0},      {'T', 'N', 3, 4, 5, 2, 4, 4, 1, 0},
        {'N', 'N', 3, 4, 5, 5, 3, 4, 1, 0},      {'N', 'T', 3, 4, 5, 5, 4, 4, 1, 0},
        {'N', 'N', 3, 4, 5, 5, 4, 3, 1, 0},      {'N', 'N', 3, 4, 5, 0, 4, 4, 1, 0},
        {'N', 'N', 0, 0, 0, 0, 1, 1, 1, 0},      {'N', 'N', 0, 0, 0, 1, 1, 1, 1, 0},
        {'N', 'N', 3, 4, 5, -5, 4, 4, 1, 0},
};

static void run(int i, char offset, int ao, int bo) {
    fill();
    printf("%d %c %d %d:", i, offset, ao, bo);
    printf(" %d",
           dnnl_sgemm(calls[i].transa, calls[i].transb, calls[i].m, calls[i].n, calls[i].k, calls[i].alpha, a,
                      calls[i].lda, b, calls[i].ldb, calls[i].beta, c, calls[i].ldc));
    show_floats();
    fill();
    if (calls[i].k != 0) {
        printf(" %d", dnnl_gemm_bf16bf16f32(calls[i].transa, calls[i].transb, calls[i].m, calls[i].n,
                                            calls[i].k, calls[i].alpha, a16, calls[i].lda, b16, calls[i].ldb,
                                            calls[i].beta, c, calls[i].ldc));
        show_floats();
    }
    if (calls[i].alpha != (float)(int)calls[i].alpha || calls[i].beta != (float)(int)calls[i].beta) {
        printf("\n");
        return;
    }
    printf(" %d", dnnl_gemm_u8s8s32(calls[i].transa, calls[i].transb, offset, calls[i].m, calls[i].n,
                                    calls[i].k, calls[i].alpha, u8, calls[i].lda, (uint8_t)ao, b8,
                                    calls[i].ldb, (int8_t)bo, calls[i].beta, c32, calls[i].ldc, co));
    show_integers();
    fill();
    printf(" %d", dnnl_gemm_s8s8s32(calls[i].transa, calls[i].transb, offset, calls[i].m, calls[i].n,
                                    calls[i].k, calls[i].alpha, a8, calls[i].lda, (int8_t)ao, b8,
                                    calls[i].ldb, (int8_t)bo, calls[i].beta, c32, calls[i].ldc, co));
    show_integers();
    printf("\n");
}

int main(void) {
    static const char offsets[] = {'F', 'f', 'C', 'c', 'R', 'r', 'X'};
    for (int i = 0; i < COUNT(calls); i++)
        for (int o = 0; o < COUNT(offsets); o++)
            run(i, offsets[o], 3 * (o % 3), 2 * (o % 2));
    printf("null: %d", dnnl_sgemm('N', 'N', 1, 1, 1, 1, NULL, 1, b, 1, 0, c, 1));
    printf(" %d", dnnl_sgemm('N', 'N', 1, 1, 1, 1, a, 1, NULL, 1, 0, c, 1));
    printf(" %d", dnnl_sgemm('N', 'N', 1, 1, 1, 1, a, 1, b, 1, 0, NULL, 1));
    printf(" %d\n", dnnl_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1, NULL, 1, 0, b8, 1, 0, 0, c32, 1, co));
    return 0;
}
