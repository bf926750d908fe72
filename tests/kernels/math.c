/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The math functions of kernels: for each instruction set, accuracy against long double over all exponents,
 * special values, and the same bits from every vector width.
 */
#include "float_bits.h"
#include "probe.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { BATCH = 4096, STRIDE = 1021 }; /* every STRIDE-th of all floats */

/* The error in ulp of the exact value as a float. */
static double ulps(float got, long double exact) {
    if (isnan(exact)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1.0L, exponent < -125 ? -149 : exponent - 24);
    if (isinf(exact) || fabsl(exact) > FLT_MAX) {
        if (isinf(got)) return (got > 0) == (exact > 0) ? 0 : INFINITY;
        return isinf(exact) ? INFINITY : (double)(fabsl(exact - got) / unit);
    }
    if (isinf(got)) got = copysignf(FLT_MAX, got);
    return (double)(fabsl(exact - (long double)got) / unit);
}

static long double logistic(long double x) {
    return 1 / (1 + expl(-x));
}

static long double normal(long double x) {
    return 0.5L * erfcl(-x * sqrtl(0.5L));
}

static const struct unary {
    const char *name;
    enum probe_function function;
    long double (*exact)(long double);
    float least, most; /* domain */
    double limit;      /* ulp */
} unaries[] = {
        {"exp", PROBE_EXP, expl, -INFINITY, INFINITY, 1.0},
        {"expm1", PROBE_EXPM1, expm1l, -INFINITY, 0, 2.0},
        {"log", PROBE_LOG, logl, -INFINITY, INFINITY, 1.0},
        {"log1p", PROBE_LOG1P, log1pl, 0, FLT_MAX / 2, 2.0},
        {"logistic", PROBE_LOGISTIC, logistic, -INFINITY, INFINITY, 2.5},
        {"tanh", PROBE_TANH, tanhl, -INFINITY, INFINITY, 2.0},
        {"erf", PROBE_ERF, erfl, -INFINITY, INFINITY, 2.0},
        {"normal", PROBE_NORMAL, normal, 0, INFINITY, 1.5},
        {"sqrt", PROBE_SQRT, sqrtl, -INFINITY, INFINITY, 0.5},
        {"round", PROBE_ROUND, rintl, -INFINITY, INFINITY, 0},
};
enum { UNARIES = COUNT(unaries) };

/* Fills x with the next floats of the domain; false when there are no more. */
static bool next_batch(const struct unary *u, uint64_t *next, float *x) {
    for (int i = 0; i < BATCH; i++) {
        x[i] = u->least < 0 && u->most <= 0 ? -1.0f : 1.0f;
        for (; *next < UINT64_C(1) << 32; *next += STRIDE) {
            float candidate = float_of((uint32_t)*next);
            if (isnan(candidate) || candidate < u->least || candidate > u->most) continue;
            x[i] = candidate;
            *next += STRIDE;
            break;
        }
    }
    return *next < UINT64_C(1) << 32;
}

static double worst_of(const struct probe *probe, const struct unary *u, float *where) {
    static float x[BATCH], y[BATCH];
    uint64_t next = 1;
    double worst = 0;
    for (bool more = true; more;) {
        more = next_batch(u, &next, x);
        probe->math(u->function, 16, x, x, y, BATCH);
        for (int i = 0; i < BATCH; i++) {
            double error = ulps(y[i], u->exact(x[i]));
            if (error > worst) worst = error, *where = x[i];
        }
    }
    return worst;
}

/* Each instruction set may round differently: each is held to the same limits. */
#define EACH_PROBE(probe) (const struct probe *const *probe = probes(); *probe; probe++)

static void accuracy(void **state) {
    (void)state;
    bool failed = false;
    for
        EACH_PROBE(probe)
    for (int i = 0; i < UNARIES; i++) {
        float where = 0;
        double worst = worst_of(*probe, &unaries[i], &where);
        printf("%-12s %-9s %.3f ulp at %a\n", (*probe)->name, unaries[i].name, worst, where);
        failed |= worst > unaries[i].limit;
    }
    assert_false(failed);
}

static uint64_t random_state = 1;

static uint32_t random_bits(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

static float between(float least, float most) {
    return least + (most - least) * ((float)random_bits() / 4294967296.0f);
}

/* Powers whose results cover the whole range of floats. */
static void powers_on(const struct probe *probe) {
    static float x[BATCH], y[BATCH], z[BATCH];
    double worst = 0;
    float where[2] = {0};
    for (int batch = 0; batch < 400; batch++) {
        for (int i = 0; i < BATCH; i++) {
            bool near_one = batch % 2;
            x[i] = near_one ? between(0.5f, 2.0f) : float_of(random_bits() & 0x7fffffff);
            if (!(x[i] <= FLT_MAX)) x[i] = 1.5f;
            y[i] = between(-150, 150) / (float)fabs(log2(x[i]) + 1e-30);
            if (batch % 5 == 0) y[i] = rintf(y[i]);
        }
        probe->math(PROBE_POW, 16, x, y, z, BATCH);
        for (int i = 0; i < BATCH; i++) {
            double error = ulps(z[i], powl(x[i], y[i]));
            if (error > worst) worst = error, where[0] = x[i], where[1] = y[i];
        }
    }
    printf("%-12s pow       %.3f ulp at %a, %a\n", probe->name, worst, where[0], where[1]);
    assert_true(worst <= 2.5);
}

static void powers(void **state) {
    (void)state;
    for
        EACH_PROBE(probe)
    powers_on(*probe);
}

static const float specials[] = {0.0f,    -0.0f,   0x1p-149f,  -0x1p-149f, 0x1p-126f,   0.5f,         -0.5f,
                                 1.0f,    -1.0f,   1.5f,       -1.5f,      2.0f,        -2.0f,        3.0f,
                                 -3.0f,   4.0f,    8388607.5f, 0x1p23f,    16777215.0f, -16777215.0f, 0x1p24f,
                                 0x1p31f, FLT_MAX, -FLT_MAX,   INFINITY,   -INFINITY,   NAN,          0.1f,
                                 -0.1f,   88.8f,   -103.9f,    -200.0f};
enum { SPECIALS = COUNT(specials) };

/* The special cases of pow are those of C. */
static void special_powers_on(const struct probe *probe) {
    float x[16], y[16], z[16];
    for (int i = 0; i < SPECIALS; i++)
        for (int k = 0; k < SPECIALS; k++) {
            for (int l = 0; l < 16; l++)
                x[l] = specials[i], y[l] = specials[k];
            probe->math(PROBE_POW, 16, x, y, z, 16);
            float exact = powf(x[0], y[0]);
            double error = ulps(z[0], exact);
            if (error > 2.0 || (exact == 0 && signbit(exact) != signbit(z[0])))
                fail_msg("%s: pow(%a, %a) is %a, not %a", probe->name, x[0], y[0], z[0], exact);
        }
}

static void special_powers(void **state) {
    (void)state;
    for
        EACH_PROBE(probe)
    special_powers_on(*probe);
}

static void special_values_on(const struct probe *probe) {
    for (int f = 0; f < UNARIES; f++)
        for (int k = 0; k < SPECIALS; k++) {
            float x[16], y[16];
            if (specials[k] < unaries[f].least || specials[k] > unaries[f].most) continue;
            for (int l = 0; l < 16; l++)
                x[l] = specials[k];
            probe->math(unaries[f].function, 16, x, x, y, 16);
            if (ulps(y[0], unaries[f].exact(x[0])) > unaries[f].limit)
                fail_msg("%s: %s(%a) is %a", probe->name, unaries[f].name, x[0], y[0]);
        }
}

static void special_values(void **state) {
    (void)state;
    for
        EACH_PROBE(probe)
    special_values_on(*probe);
}

static void quotients(void **state) {
    (void)state;
    static float x[BATCH], y[BATCH], z[BATCH];
    for (int i = 0; i < BATCH; i++)
        x[i] = float_of(random_bits()), y[i] = float_of(random_bits());
    for
        EACH_PROBE(probe) {
            (*probe)->math(PROBE_DIV, 16, x, y, z, BATCH);
            for (int i = 0; i < BATCH; i++)
                assert_true(bits_of(z[i]) == bits_of(x[i] / y[i]) || (isnan(z[i]) && isnan(x[i] / y[i])));
        }
}

/* fma rounds once, whether or not the CPU has the instruction. */
static void fused(void **state) {
    (void)state;
    static float a[BATCH], b[BATCH], c[BATCH], got[BATCH];
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (int batch = 0; batch < 100; batch++) {
            for (int i = 0; i < BATCH; i++) {
                a[i] = float_of(random_bits()), b[i] = float_of(random_bits());
                /* Half of the sums cancel or nearly cancel. */
                c[i] = i % 2 ? -a[i] * b[i] * (1 + (float)(i % 7) * FLT_EPSILON) : float_of(random_bits());
            }
            for (int lanes = 1; lanes <= 16; lanes = lanes == 1 ? 8 : lanes * 2) {
                (*probe)->fma(lanes, a, b, c, got, BATCH);
                for (int i = 0; i < BATCH; i++) {
                    float exact = fmaf(a[i], b[i], c[i]);
                    if (bits_of(got[i]) != bits_of(exact) && !(isnan(got[i]) && isnan(exact)))
                        fail_msg("%s: fma(%a, %a, %a) is %a, not %a", (*probe)->name, a[i], b[i], c[i],
                                 got[i], exact);
                }
            }
        }
}

static void fill_inputs(float *x, float *y, int batch) {
    for (int i = 0; i < BATCH; i++) {
        x[i] = batch == 0 ? specials[i % SPECIALS] : float_of(random_bits());
        y[i] = batch == 0 ? specials[i / SPECIALS % SPECIALS] : float_of(random_bits());
        if (batch % 2) x[i] = between(-20, 20), y[i] = between(-20, 20);
    }
}

static void expect_same(const float *a, const float *b, const float *x, const char *what, int function,
                        int lanes) {
    for (int i = 0; i < BATCH; i++)
        if (bits_of(a[i]) != bits_of(b[i]) && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("%s, function %d, %d lanes: at %a %a, not %a", what, function, lanes, x[i], b[i], a[i]);
}

/* Within an instruction set every width gives the same bits, so that a result does not depend on whether its
 * element falls into a tail. */
static void same_bits(void **state) {
    (void)state;
    static float x[BATCH], y[BATCH], expected[BATCH], got[BATCH];
    for (int batch = 0; batch < 20; batch++) {
        fill_inputs(x, y, batch);
        for
            EACH_PROBE(probe)
        for (int f = 0; f < PROBE_FUNCTIONS; f++) {
            (*probe)->math(f, 1, x, y, expected, BATCH);
            for (int lanes = 8; lanes <= 16; lanes *= 2) {
                (*probe)->math(f, lanes, x, y, got, BATCH);
                expect_same(expected, got, x, (*probe)->name, f, lanes);
            }
        }
    }
}

static void same_eltwise_bits(void **state) {
    (void)state;
    static float x[BATCH], y[BATCH], expected[BATCH], got[BATCH];
    for (int batch = 0; batch < 10; batch++) {
        fill_inputs(x, y, batch);
        for
            EACH_PROBE(probe)
        for (int alg = ELTWISE_RELU; alg <= ELTWISE_HARDSWISH; alg++) {
            (*probe)->eltwise(alg, 0.25f, 1.5f, 1, x, expected, BATCH);
            for (int lanes = 8; lanes <= 16; lanes *= 2) {
                (*probe)->eltwise(alg, 0.25f, 1.5f, lanes, x, got, BATCH);
                expect_same(expected, got, x, (*probe)->name, alg, lanes);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(accuracy),       cmocka_unit_test(powers),
            cmocka_unit_test(special_powers), cmocka_unit_test(special_values),
            cmocka_unit_test(quotients),      cmocka_unit_test(fused),
            cmocka_unit_test(same_bits),      cmocka_unit_test(same_eltwise_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
