/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The math functions of kernels for doubles: for each instruction set, accuracy against long double over all
 * exponents, and special values. Errors of powers grow with the exponent of the result. Without an
 * instruction for fma they are as large as that exponent, and those of the others two ulp larger.
 */
#include "probe.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 4096, BATCHES = 100 };

static uint64_t random_state = 1;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return random_state;
}

/* Any double but NaN, or one of a usual size. */
static double random_number(bool usual) {
    uint64_t bits = random_bits();
    double x;
    memcpy(&x, &bits, sizeof x);
    const double small = ldexp((double)(int64_t)bits, -63 + (int)(random_bits() % 12));
    return usual || isnan(x) ? small : x;
}

/* The error in ulp of the exact value as a double. */
static double ulps(double got, long double exact) {
    if (isnan(exact)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (isinf(exact) || fabsl(exact) > DBL_MAX) return isinf(got) && (got > 0) == (exact > 0) ? 0 : INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1.0L, exponent < -1021 ? -1074 : exponent - 53);
    if (isinf(got)) got = copysign(DBL_MAX, got);
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
    double least, most, limit; /* domain; ulp */
} unaries[] = {
        {"exp", PROBE_EXP, expl, -INFINITY, INFINITY, 1},
        {"expm1", PROBE_EXPM1, expm1l, -INFINITY, 0, 1.5},
        {"log", PROBE_LOG, logl, -INFINITY, INFINITY, 1},
        {"log1p", PROBE_LOG1P, log1pl, 0, DBL_MAX / 2, 2},
        {"logistic", PROBE_LOGISTIC, logistic, -INFINITY, INFINITY, 2.5},
        {"tanh", PROBE_TANH, tanhl, -INFINITY, INFINITY, 3},
        {"erf", PROBE_ERF, erfl, -INFINITY, INFINITY, 2},
        {"normal", PROBE_NORMAL, normal, 0, INFINITY, 1.5},
        {"sqrt", PROBE_SQRT, sqrtl, -INFINITY, INFINITY, 0.5},
        {"round", PROBE_ROUND, rintl, -INFINITY, INFINITY, 0},
};
enum { UNARIES = COUNT(unaries) };

static bool fuses(const struct probe *probe) {
    return strstr(probe->name, "base") == NULL;
}

static double worst_of(const struct probe *probe, const struct unary *u, double *where) {
    static double x[BATCH], y[BATCH];
    double worst = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < BATCH; i++)
            do
                x[i] = random_number(batch % 2);
            while (x[i] < u->least || x[i] > u->most);
        probe->math_doubles(u->function, x, x, y, BATCH);
        for (int i = 0; i < BATCH; i++) {
            const double error = ulps(y[i], u->exact(x[i]));
            if (error > worst) worst = error, *where = x[i];
        }
    }
    return worst;
}

static void accuracy(void **state) {
    (void)state;
    bool failed = false;
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (int i = 0; i < UNARIES; i++) {
            double where = 0;
            const double worst = worst_of(*probe, &unaries[i], &where);
            printf("%-12s %-9s %.3f ulp at %a\n", (*probe)->name, unaries[i].name, worst, where);
            failed |= worst > unaries[i].limit + (fuses(*probe) ? 0 : 2);
        }
    assert_false(failed);
}

/* Powers whose results cover the whole range of doubles. */
static void powers(void **state) {
    (void)state;
    static double x[BATCH], y[BATCH], z[BATCH];
    for (const struct probe *const *probe = probes(); *probe; probe++) {
        double worst = 0, where[2] = {0};
        for (int batch = 0; batch < BATCHES; batch++) {
            for (int i = 0; i < BATCH; i++) {
                x[i] = batch % 2 ? 0.5 + 1.5 * fabs(random_number(true)) / 2048 : fabs(random_number(false));
                if (x[i] == 0 || x[i] > DBL_MAX) x[i] = 1.5;
                y[i] = 1100 * ldexp((double)(int64_t)random_bits(), -63) / (fabs(log2(x[i])) + 1e-300);
                if (batch % 5 == 0) y[i] = rint(y[i]);
                if (fabs(y[i]) > DBL_MAX) y[i] = 3;
            }
            (*probe)->math_doubles(PROBE_POW, x, y, z, BATCH);
            for (int i = 0; i < BATCH; i++) {
                const double error = ulps(z[i], powl(x[i], y[i]));
                if (error > worst) worst = error, where[0] = x[i], where[1] = y[i];
            }
        }
        printf("%-12s pow       %.3f ulp at %a, %a\n", (*probe)->name, worst, where[0], where[1]);
        assert_true(worst <= (fuses(*probe) ? 16 : 2048));
    }
}

static const double specials[] = {0.0,          -0.0,          0x1p-1074, -0x1p-1074, 0x1p-1022, 0.5,
                                  -0.5,         1.0,           -1.0,      1.5,        -1.5,      2.0,
                                  -2.0,         3.0,           -3.0,      0.1,        0x1p52,    0x1p53,
                                  0x1.8p52 - 1, -0x1.8p52 + 1, DBL_MAX,   -DBL_MAX,   NAN,       INFINITY,
                                  -INFINITY,    709.9,         -745.2,    -2000.0};
enum { SPECIALS = COUNT(specials) };

static void special_values(void **state) {
    (void)state;
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (int f = 0; f < UNARIES; f++)
            for (int k = 0; k < SPECIALS; k++) {
                double x[8], y[8];
                if (specials[k] < unaries[f].least || specials[k] > unaries[f].most) continue;
                for (int l = 0; l < 8; l++)
                    x[l] = specials[k];
                (*probe)->math_doubles(unaries[f].function, x, x, y, 8);
                if (ulps(y[0], unaries[f].exact(x[0])) > unaries[f].limit + (fuses(*probe) ? 0 : 2))
                    fail_msg("%s: %s(%a) is %a", (*probe)->name, unaries[f].name, x[0], y[0]);
            }
}

static void special_powers(void **state) {
    (void)state;
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (int i = 0; i < SPECIALS * SPECIALS; i++) {
            double x[8], y[8], z[8];
            for (int l = 0; l < 8; l++)
                x[l] = specials[i / SPECIALS], y[l] = specials[i % SPECIALS];
            (*probe)->math_doubles(PROBE_POW, x, y, z, 8);
            const double exact = pow(x[0], y[0]);
            if (ulps(z[0], exact) > (fuses(*probe) ? 4 : 2048)
                || (exact == 0 && signbit(exact) != signbit(z[0])))
                fail_msg("%s: pow(%a, %a) is %a, not %a", (*probe)->name, x[0], y[0], z[0], exact);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(accuracy),
            cmocka_unit_test(powers),
            cmocka_unit_test(special_values),
            cmocka_unit_test(special_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
