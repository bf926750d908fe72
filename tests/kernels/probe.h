/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels' library for tests to call: probe.c, built in each native form of the kernels, with the
 * compiler and flags of kernels.
 */
#ifndef LODE_TESTS_KERNELS_PROBE_H
#define LODE_TESTS_KERNELS_PROBE_H

#include "kernels/params.h"

enum probe_function {
    PROBE_EXP,
    PROBE_EXPM1, /* for x <= 0 */
    PROBE_LOG,
    PROBE_LOG1P, /* for x >= 0 */
    PROBE_LOGISTIC,
    PROBE_TANH,
    PROBE_ERF,
    PROBE_NORMAL,
    PROBE_SQRT,
    PROBE_ROUND,
    PROBE_POW,
    PROBE_DIV,
    PROBE_FUNCTIONS,
};

struct probe {
    const char *name;
    /* out[i] = function(x[i], y[i]) with vectors of 1, 8 or 16 lanes; count is a multiple of 16. */
    void (*math)(enum probe_function function, int lanes, const float *x, const float *y, float *out,
                 int count);
    /* The same for doubles, with vectors of 8; count is a multiple of 8. */
    void (*math_doubles)(enum probe_function function, const double *x, const double *y, double *out,
                         int count);
    void (*eltwise)(int alg, float alpha, float beta, int lanes, const float *x, float *out, int count);
    void (*fma)(int lanes, const float *a, const float *b, const float *c, float *out, int count);
    float (*load)(const unsigned char *buffer, int type, int64_t i);
    int (*load_s32)(const unsigned char *buffer, int type, int64_t i);
    void (*store)(unsigned char *buffer, int type, int64_t i, float x);
    void (*store_s32)(unsigned char *buffer, int type, int64_t i, int x);
};

/* The probes that this machine can run, terminated by NULL. */
const struct probe *const *probes(void);

#endif
