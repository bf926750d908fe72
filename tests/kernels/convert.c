/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of every data type to float and back: exhaustive for types of at most 16 bits, against a
 * reference that searches the nearest of all values of the type.
 */
#include "float_bits.h"
#include "probe.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* The parameters of a floating-point type. */
static const struct format {
    const char *name;
    int type, exponent_bits, mantissa_bits, bias;
    bool infinities; /* the largest exponent is for infinities and NaNs */
    bool last_nan;   /* all ones is NaN */
    bool by_way_of_f16;
} formats[] = {
        {"f16", TYPE_F16, 5, 10, 15, true, false, false},
        {"bf16", TYPE_BF16, 8, 7, 127, true, false, false},
        {"f8_e5m2", TYPE_F8_E5M2, 5, 2, 15, true, false, true},
        {"f8_e4m3", TYPE_F8_E4M3, 4, 3, 7, false, true, true},
        {"f4_e2m1", TYPE_F4_E2M1, 2, 1, 1, false, false, false},
        {"f4_e3m0", TYPE_F4_E3M0, 3, 0, 3, false, false, false},
};
enum { FORMATS = COUNT(formats) };

static int width(const struct format *f) {
    return 1 + f->exponent_bits + f->mantissa_bits;
}

/* The value of the bits below the sign. For one past the largest number: the value that would come next. */
static double value_of(const struct format *f, uint32_t magnitude) {
    int exponent = (int)(magnitude >> f->mantissa_bits);
    double mantissa = magnitude & ((1u << f->mantissa_bits) - 1);
    if (exponent == 0) return ldexp(mantissa, 1 - f->bias - f->mantissa_bits);
    return ldexp(mantissa + (1 << f->mantissa_bits), exponent - f->bias - f->mantissa_bits);
}

/* The smallest magnitude that is not a finite number. */
static uint32_t magnitudes(const struct format *f) {
    uint32_t all = 1u << (width(f) - 1);
    if (f->infinities) return ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
    return f->last_nan ? all - 1 : all;
}

static bool is_nan_code(const struct format *f, uint32_t magnitude) {
    return f->infinities ? magnitude > magnitudes(f) : f->last_nan && magnitude == magnitudes(f);
}

/* The nearest value, ties to the even code, found by bisection. */
static uint32_t nearest(const struct format *f, double x) {
    uint32_t low = 0, high = magnitudes(f); /* value_of(high) may be one past the largest number */
    if (x >= value_of(f, high)) return high;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (value_of(f, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    double down = x - value_of(f, low), up = value_of(f, high) - x;
    if (down != up) return down < up ? low : high;
    return low % 2 ? high : low;
}

static uint32_t encode(const struct format *f, float x) {
    double a = fabs((double)x);
    uint32_t sign = signbit(x) ? 1u << (width(f) - 1) : 0;
    if (f->by_way_of_f16) {
        uint32_t half = nearest(&formats[0], a);
        a = half >= magnitudes(&formats[0]) ? INFINITY : value_of(&formats[0], half);
    }
    uint32_t magnitude = nearest(f, a);
    if (!f->infinities && !f->last_nan && magnitude >= magnitudes(f)) magnitude = magnitudes(f) - 1;
    return sign | magnitude;
}

static uint32_t stored(const struct probe *probe, int type, int bits, float x) {
    _Alignas(8) unsigned char buffer[8] = {0};
    uint32_t code;
    probe->store(buffer, type, 0, x);
    memcpy(&code, buffer, sizeof code);
    return bits < 32 ? code & ((1u << bits) - 1) : code;
}

static float loaded(const struct probe *probe, int type, uint32_t code) {
    _Alignas(8) unsigned char buffer[8] = {0};
    memcpy(buffer, &code, sizeof code);
    return probe->load(buffer, type, 0);
}

static void every_code(void **state) {
    (void)state;
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (const struct format *f = formats; f < formats + FORMATS; f++)
            for (uint32_t code = 0; code < 1u << width(f); code++) {
                uint32_t magnitude = code & ((1u << (width(f) - 1)) - 1);
                float got = loaded(*probe, f->type, code);
                bool negative = code != magnitude;
                double exact =
                        f->infinities && magnitude == magnitudes(f) ? INFINITY : value_of(f, magnitude);
                if (is_nan_code(f, magnitude)) {
                    assert_true(isnan(got));
                    continue;
                }
                if ((double)got != (negative ? -exact : exact) || !!signbit(got) != negative)
                    fail_msg("%s: %s 0x%x is %a", (*probe)->name, f->name, code, got);
                assert_int_equal(stored(*probe, f->type, width(f), got), code);
            }
}

static void expect_encoding(const struct probe *probe, const struct format *f, float x) {
    uint32_t got = stored(probe, f->type, width(f), x), expected = encode(f, x);
    if (got != expected) fail_msg("%s: %s of %a is 0x%x, not 0x%x", probe->name, f->name, x, got, expected);
}

/* Floats around every value and every midpoint, and floats across the whole range. */
static void rounding(void **state) {
    (void)state;
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (const struct format *f = formats; f < formats + FORMATS; f++) {
            for (uint32_t code = 0; code < magnitudes(f); code++) {
                float here = (float)value_of(f, code);
                float middle = (float)((value_of(f, code) + value_of(f, code + 1)) / 2);
                const float around[] = {here,   nextafterf(here, 0),   nextafterf(here, INFINITY),
                                        middle, nextafterf(middle, 0), nextafterf(middle, INFINITY)};
                for (int i = 0; i < 6; i++) {
                    expect_encoding(*probe, f, around[i]);
                    expect_encoding(*probe, f, -around[i]);
                }
            }
            for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011)
                if (!isnan(float_of((uint32_t)bits))) expect_encoding(*probe, f, float_of((uint32_t)bits));
        }
}

static void not_a_number(void **state) {
    (void)state;
    const struct probe *p = probes()[0];
    static const struct {
        int type, bits;
        uint32_t code, negative;
    } cases[] = {
            {TYPE_F16, 16, 0x7e00, 0xfe00},
            {TYPE_BF16, 16, 0x7fc0, 0xffc0},
            {TYPE_F8_E5M2, 8, 0x7e, 0xfe},
            {TYPE_F8_E4M3, 8, 0x7f, 0xff},
            {TYPE_E8M0, 8, 0xff, 0xff},
            {TYPE_F4_E2M1, 4, 0x7, 0xf},
            {TYPE_S32, 32, 0x80000000u, 0x80000000u},
            {TYPE_S8, 8, 0x80, 0x80},
            {TYPE_U8, 8, 0xff, 0xff},
            {TYPE_S4, 4, 0, 0},
            {TYPE_U4, 4, 0, 0},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        assert_int_equal(stored(p, cases[i].type, cases[i].bits, float_of(0x7fc00000)), cases[i].code);
        assert_int_equal(stored(p, cases[i].type, cases[i].bits, float_of(0xffc00000)), cases[i].negative);
    }
}

static void integers(void **state) {
    (void)state;
    static const struct {
        int type, bits;
        double least, most;
    } types[] = {{TYPE_S32, 32, -2147483648.0, 2147483520.0}, /* the largest float in the range */
                 {TYPE_S8, 8, -128, 127},
                 {TYPE_U8, 8, 0, 255},
                 {TYPE_S4, 4, -8, 7},
                 {TYPE_U4, 4, 0, 15}};
    const struct probe *p = probes()[0];
    for (int t = 0; t < 5; t++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 4099) {
            float x = float_of((uint32_t)bits);
            if (isnan(x)) continue;
            if (bits % 2) x = fmodf(x, 300); /* many values within the range, also halves */
            if (bits % 3 == 0) x = rintf(x * 2) / 2;
            double whole = rint((double)x);
            double expected = whole < types[t].least  ? types[t].least
                              : whole > types[t].most ? types[t].most
                                                      : whole;
            uint32_t code = stored(p, types[t].type, types[t].bits, x);
            uint32_t wanted = (uint32_t)(int64_t)expected;
            if (types[t].bits < 32) wanted &= (1u << types[t].bits) - 1;
            if (code != wanted) fail_msg("type %d of %a is 0x%x, not 0x%x", types[t].type, x, code, wanted);
        }
}

static void every_integer_code(void **state) {
    (void)state;
    _Alignas(8) unsigned char buffer[8];
    for (const struct probe *const *probe = probes(); *probe; probe++)
        for (int code = 0; code < 256; code++) {
            buffer[0] = (unsigned char)code;
            assert_true((*probe)->load(buffer, TYPE_S8, 0) == (float)(signed char)code);
            assert_true((*probe)->load(buffer, TYPE_U8, 0) == (float)code);
            assert_true((*probe)->load(buffer, TYPE_U4, 0) == (float)(code & 15));
            assert_true((*probe)->load(buffer, TYPE_U4, 1) == (float)(code >> 4));
            assert_true((*probe)->load(buffer, TYPE_S4, 0) == (float)(((code & 15) ^ 8) - 8));
            assert_true((*probe)->load(buffer, TYPE_S4, 1) == (float)(((code >> 4) ^ 8) - 8));
            assert_true((*probe)->load_s32(buffer, TYPE_S4, 1) == ((code >> 4) ^ 8) - 8);
            assert_true((*probe)->load(buffer, TYPE_E8M0, 0) == ldexpf(1, code - 127) || code == 255);
        }
}

static void powers_of_two(void **state) {
    (void)state;
    const struct probe *p = probes()[0];
    assert_true(isnan(loaded(p, TYPE_E8M0, 255)));
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 100003)
        assert_int_equal(stored(p, TYPE_E8M0, 8, float_of((uint32_t)bits)), bits >> 23 & 255);
}

/* Doubles: the same as C's conversions. */
static void doubles(void **state) {
    (void)state;
    uint64_t random = 7;
    _Alignas(8) unsigned char buffer[8];
    for (int i = 0; i < 2000000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = random ^ random >> 29;
        /* Most doubles are too large or too small: move the exponent near the range of floats. */
        if (i % 4) bits = (bits & UINT64_C(0x800fffffffffffff)) | (UINT64_C(870) + random % 300) << 52;
        if (i % 8 == 1) bits &= ~UINT64_C(0x1fffffff) | (UINT64_C(1) << 28);
        double x;
        memcpy(&x, &bits, sizeof x);
        memcpy(buffer, &x, sizeof x);
        float got = probes()[0]->load(buffer, TYPE_F64, 0), exact = (float)x;
        assert_true(bits_of(got) == bits_of(exact) || (isnan(got) && isnan(x)));
        float narrow = float_of((uint32_t)(random >> 32));
        probes()[0]->store(buffer, TYPE_F64, 0, narrow);
        memcpy(&x, buffer, sizeof x);
        assert_true(x == (double)narrow || (isnan(x) && isnan(narrow)));
    }
}

static void exact_integers(void **state) {
    (void)state;
    const struct probe *p = probes()[0];
    _Alignas(8) unsigned char buffer[8];
    static const int values[] = {0,   1,   -1,       127,       128,       -128,     -129,
                                 255, 256, 16777217, -16777217, INT32_MAX, INT32_MIN};
    for (int i = 0; i < COUNT(values); i++) {
        int v = values[i];
        p->store_s32(buffer, TYPE_S32, 0, v);
        assert_int_equal(p->load_s32(buffer, TYPE_S32, 0), v);
        p->store_s32(buffer, TYPE_S64, 0, v);
        assert_int_equal(p->load_s32(buffer, TYPE_S64, 0), v);
        p->store_s32(buffer, TYPE_S8, 0, v);
        assert_int_equal(p->load_s32(buffer, TYPE_S8, 0), v < -128 ? -128 : v > 127 ? 127 : v);
        p->store_s32(buffer, TYPE_U8, 0, v);
        assert_int_equal(p->load_s32(buffer, TYPE_U8, 0), v < 0 ? 0 : v > 255 ? 255 : v);
    }
    const int64_t large = INT64_C(1) << 40;
    memcpy(buffer, &large, sizeof large);
    assert_int_equal(p->load_s32(buffer, TYPE_S64, 0), INT32_MAX);
    assert_true(p->load(buffer, TYPE_S64, 0) == 0x1p40f);
}

/* Storing one half of a byte does not change the other. */
static void halves_of_bytes(void **state) {
    (void)state;
    unsigned char buffer[2] = {0xa5, 0x5a};
    probes()[0]->store(buffer, TYPE_U4, 1, 3);
    assert_int_equal(buffer[0], 0x35);
    probes()[0]->store(buffer, TYPE_S4, 2, -1);
    assert_int_equal(buffer[1], 0x5f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_code),
            cmocka_unit_test(rounding),
            cmocka_unit_test(not_a_number),
            cmocka_unit_test(integers),
            cmocka_unit_test(every_integer_code),
            cmocka_unit_test(powers_of_two),
            cmocka_unit_test(doubles),
            cmocka_unit_test(exact_integers),
            cmocka_unit_test(halves_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
