/* SPDX-License-Identifier: Apache-2.0 */
/* One build of the kernels' library: see probe.h. PROBE is the name of the table. */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/math_doubles.h"
#include "probe.h"

#define MATH_CASE(LANES_, load, store)                                                                       \
    for (int i = 0; i < count; i += LANES_)                                                                  \
        switch (function) {                                                                                  \
        case PROBE_EXP: store(f32_exp(load(x))); break;                                                      \
        case PROBE_EXPM1: store(f32_expm1_negative(load(x))); break;                                         \
        case PROBE_LOG: store(f32_log(load(x))); break;                                                      \
        case PROBE_LOG1P: store(f32_log1p_positive(load(x))); break;                                         \
        case PROBE_LOGISTIC: store(f32_logistic(load(x))); break;                                            \
        case PROBE_TANH: store(f32_tanh(load(x))); break;                                                    \
        case PROBE_ERF: store(f32_erf(load(x))); break;                                                      \
        case PROBE_NORMAL: store(f32_normal(load(x))); break;                                                \
        case PROBE_SQRT: store(f32_sqrt(load(x))); break;                                                    \
        case PROBE_ROUND: store(f32_round(load(x))); break;                                                  \
        case PROBE_POW: store(f32_pow(load(x), load(y))); break;                                             \
        case PROBE_DIV: store(f32_div(load(x), load(y))); break;                                             \
        default: break;                                                                                      \
        }

#define LOAD_1(p) p[i]
#define STORE_1(v) (out[i] = (v))
#define LOAD_8(p) vload8(0, p + i)
#define STORE_8(v) vstore8(v, 0, out + i)
#define LOAD_16(p) vload16(0, p + i)
#define STORE_16(v) vstore16(v, 0, out + i)

static void math(enum probe_function function, int lanes, const float *x, const float *y, float *out,
                 int count) {
    if (lanes == 1) {
        MATH_CASE(1, LOAD_1, STORE_1)
    } else if (lanes == 8) {
        MATH_CASE(8, LOAD_8, STORE_8)
    } else {
        MATH_CASE(16, LOAD_16, STORE_16)
    }
}

static void math_doubles(enum probe_function function, const double *x, const double *y, double *out,
                         int count) {
    MATH_CASE(8, LOAD_8, STORE_8)
}

static void eltwise(int alg, float alpha, float beta, int lanes, const float *x, float *out, int count) {
    for (int i = 0; i < count; i += lanes) {
        if (lanes == 1)
            STORE_1(eltwise_f32(alg, LOAD_1(x), alpha, beta));
        else if (lanes == 8)
            STORE_8(eltwise_f32(alg, LOAD_8(x), alpha, beta));
        else
            STORE_16(eltwise_f32(alg, LOAD_16(x), alpha, beta));
    }
}

static void fused(int lanes, const float *a, const float *b, const float *c, float *out, int count) {
    for (int i = 0; i < count; i += lanes) {
        if (lanes == 1)
            STORE_1(fma(LOAD_1(a), LOAD_1(b), LOAD_1(c)));
        else if (lanes == 8)
            STORE_8(fma(LOAD_8(a), LOAD_8(b), LOAD_8(c)));
        else
            STORE_16(fma(LOAD_16(a), LOAD_16(b), LOAD_16(c)));
    }
}

#define TEXT(name) #name
#define NAME_OF(name) TEXT(name)

const struct probe PROBE = {
        .name = NAME_OF(PROBE),
        .math = math,
        .math_doubles = math_doubles,
        .eltwise = eltwise,
        .fma = fused,
        .load = load_f32,
        .load_s32 = load_s32,
        .store = store_f32,
        .store_s32 = store_s32,
};
