/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Math functions: the C library's, for scalars and, element by element, for vectors.
 */

/* The C library's function of that name; f is its suffix for float. */
#define LODE_LIBM1(name, symbol)                                                                             \
    float lode_##name##f(float) __asm__(#symbol "f") __attribute__((const));                                 \
    double lode_##name(double) __asm__(#symbol) __attribute__((const));                                      \
    LODE float name(float x) { return lode_##name##f(x); }                                                   \
    LODE double name(double x) { return lode_##name(x); }                                                    \
    LODE_LIFT1(name, float, float) LODE_LIFT1(name, double, double)
#define LODE_LIBM2(name, symbol)                                                                             \
    float lode_##name##f(float, float) __asm__(#symbol "f") __attribute__((const));                          \
    double lode_##name(double, double) __asm__(#symbol) __attribute__((const));                              \
    LODE float name(float x, float y) { return lode_##name##f(x, y); }                                       \
    LODE double name(double x, double y) { return lode_##name(x, y); }                                       \
    LODE_LIFT2(name, float, float, float) LODE_LIFT2(name, double, double, double)

LODE_LIBM1(acos, acos)
LODE_LIBM1(acosh, acosh)
LODE_LIBM1(asin, asin)
LODE_LIBM1(asinh, asinh)
LODE_LIBM1(atan, atan)
LODE_LIBM1(atanh, atanh)
LODE_LIBM1(cbrt, cbrt)
LODE_LIBM1(cos, cos)
LODE_LIBM1(cosh, cosh)
LODE_LIBM1(erf, erf)
LODE_LIBM1(erfc, erfc)
LODE_LIBM1(exp, exp)
LODE_LIBM1(exp2, exp2)
LODE_LIBM1(exp10, exp10)
LODE_LIBM1(expm1, expm1)
LODE_LIBM1(lgamma, lgamma)
LODE_LIBM1(log, log)
LODE_LIBM1(log2, log2)
LODE_LIBM1(log10, log10)
LODE_LIBM1(log1p, log1p)
LODE_LIBM1(logb, logb)
LODE_LIBM1(round, round)
LODE_LIBM1(sin, sin)
LODE_LIBM1(sinh, sinh)
LODE_LIBM1(tan, tan)
LODE_LIBM1(tanh, tanh)
LODE_LIBM1(tgamma, tgamma)
LODE_LIBM2(atan2, atan2)
LODE_LIBM2(fdim, fdim)
LODE_LIBM2(fmax, fmax)
LODE_LIBM2(fmin, fmin)
LODE_LIBM2(fmod, fmod)
LODE_LIBM2(hypot, hypot)
LODE_LIBM2(nextafter, nextafter)
LODE_LIBM2(pow, pow)
LODE_LIBM2(remainder, remainder)
#define LODE_MINMAX(T) LODE_LIFT2_S(fmax, T) LODE_LIFT2_S(fmin, T)
LODE_FLOATS(LODE_MINMAX)

/* Functions with a compiler builtin. */
#define LODE_ELEMENTWISE1_N(name, builtin, T, n)                                                             \
    LODE T##n name(T##n x) { return builtin(x); }
#define LODE_ELEMENTWISE1(name, builtin)                                                                     \
    LODE float name(float x) { return builtin(x); }                                                          \
    LODE double name(double x) { return builtin(x); }                                                        \
    LODE_WIDTHS(LODE_ELEMENTWISE1_N, name, builtin, float)                                                   \
    LODE_WIDTHS(LODE_ELEMENTWISE1_N, name, builtin, double)
LODE_ELEMENTWISE1(ceil, __builtin_elementwise_ceil)
LODE_ELEMENTWISE1(fabs, __builtin_elementwise_abs)
LODE_ELEMENTWISE1(floor, __builtin_elementwise_floor)
LODE_ELEMENTWISE1(rint, __builtin_elementwise_roundeven)
LODE_ELEMENTWISE1(sqrt, __builtin_elementwise_sqrt)
LODE_ELEMENTWISE1(trunc, __builtin_elementwise_trunc)

#define LODE_FMA_N(T, n)                                                                                     \
    LODE T##n fma(T##n a, T##n b, T##n c) { return __builtin_elementwise_fma(a, b, c); }                     \
    LODE T##n mad(T##n a, T##n b, T##n c) { return a * b + c; }                                              \
    LODE T##n copysign(T##n a, T##n b) { return __builtin_elementwise_copysign(a, b); }                      \
    LODE T##n rsqrt(T##n x) { return (T##n)(1) / sqrt(x); }
#define LODE_FMA(T)                                                                                          \
    LODE T fma(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }                                 \
    LODE T mad(T a, T b, T c) { return a * b + c; }                                                          \
    LODE T copysign(T a, T b) { return __builtin_elementwise_copysign(a, b); }                               \
    LODE T rsqrt(T x) { return (T)1 / sqrt(x); }                                                             \
    LODE_WIDTHS(LODE_FMA_N, T)
LODE_FLOATS(LODE_FMA)

/* Composed of other functions. */
#define LODE_PI(T) ((T)3.14159265358979323846)
#define LODE_DERIVED1(T)                                                                                     \
    LODE T acospi(T x) { return acos(x) / LODE_PI(T); }                                                      \
    LODE T asinpi(T x) { return asin(x) / LODE_PI(T); }                                                      \
    LODE T atanpi(T x) { return atan(x) / LODE_PI(T); }                                                      \
    LODE T cospi(T x) { return cos(LODE_PI(T) * fmod(x, (T)2)); }                                            \
    LODE T sinpi(T x) { return sin(LODE_PI(T) * fmod(x, (T)2)); }                                            \
    LODE T tanpi(T x) { return tan(LODE_PI(T) * fmod(x, (T)1)); }                                            \
    LODE_LIFT1(acospi, T, T)                                                                                 \
    LODE_LIFT1(asinpi, T, T)                                                                                 \
    LODE_LIFT1(atanpi, T, T) LODE_LIFT1(cospi, T, T) LODE_LIFT1(sinpi, T, T) LODE_LIFT1(tanpi, T, T)
LODE_FLOATS(LODE_DERIVED1)
#define LODE_DERIVED2(T)                                                                                     \
    LODE T atan2pi(T y, T x) { return atan2(y, x) / LODE_PI(T); }                                            \
    LODE T powr(T x, T y) { return pow(x, y); }                                                              \
    LODE T maxmag(T x, T y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }           \
    LODE T minmag(T x, T y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }           \
    LODE T pown(T x, int y) { return pow(x, (T)y); }                                                         \
    LODE T rootn(T x, int y) { return x < 0 && y & 1 ? -pow(-x, (T)1 / (T)y) : pow(x, (T)1 / (T)y); }        \
    LODE_LIFT2(atan2pi, T, T, T)                                                                             \
    LODE_LIFT2(powr, T, T, T)                                                                                \
    LODE_LIFT2(maxmag, T, T, T)                                                                              \
    LODE_LIFT2(minmag, T, T, T) LODE_LIFT2(pown, T, T, int) LODE_LIFT2(rootn, T, T, int)
LODE_FLOATS(LODE_DERIVED2)

/* Functions with a second result through a pointer. */
float lode_ldexpf(float, int) __asm__("ldexpf");
double lode_ldexp(double, int) __asm__("ldexp");
float lode_frexpf(float, int *) __asm__("frexpf");
double lode_frexp(double, int *) __asm__("frexp");
int lode_ilogbf(float) __asm__("ilogbf");
int lode_ilogb(double) __asm__("ilogb");
LODE float ldexp(float x, int k) { return lode_ldexpf(x, k); }
LODE double ldexp(double x, int k) { return lode_ldexp(x, k); }
LODE float frexp(float x, int *e) { return lode_frexpf(x, e); }
LODE double frexp(double x, int *e) { return lode_frexp(x, e); }
LODE int ilogb(float x) { return lode_ilogbf(x); }
LODE int ilogb(double x) { return lode_ilogb(x); }
#define LODE_PAIRS_N(T, n)                                                                                   \
    LODE T##n modf(T##n x, T##n *whole) {                                                                    \
        *whole = trunc(x);                                                                                   \
        return copysign(x - *whole, x);                                                                      \
    }                                                                                                        \
    LODE T##n fract(T##n x, T##n *whole) {                                                                   \
        *whole = floor(x);                                                                                   \
        return fmin(x - *whole, (T##n)((T)0x1.fffffep-1f));                                                  \
    }                                                                                                        \
    LODE T##n sincos(T##n x, T##n *c) {                                                                      \
        *c = cos(x);                                                                                         \
        return sin(x);                                                                                       \
    }                                                                                                        \
    LODE T##n frexp(T##n x, int##n *e) {                                                                     \
        T##n r;                                                                                              \
        for (int i = 0; i < n; i++) {                                                                        \
            int one;                                                                                         \
            r[i] = frexp(x[i], &one);                                                                        \
            (*e)[i] = one;                                                                                   \
        }                                                                                                    \
        return r;                                                                                            \
    }                                                                                                        \
    LODE T##n ldexp(T##n x, int k) { return ldexp(x, (int##n)(k)); }
#define LODE_PAIRS(T)                                                                                        \
    LODE_LIFT2(ldexp, T, T, int)                                                                             \
    LODE_LIFT1(ilogb, int, T)                                                                                \
    LODE T modf(T x, T *whole) {                                                                             \
        *whole = trunc(x);                                                                                   \
        return copysign(x - *whole, x);                                                                      \
    }                                                                                                        \
    LODE T fract(T x, T *whole) {                                                                            \
        *whole = floor(x);                                                                                   \
        return fmin(x - *whole, (T)0x1.fffffep-1f);                                                          \
    }                                                                                                        \
    LODE T sincos(T x, T *c) {                                                                               \
        *c = cos(x);                                                                                         \
        return sin(x);                                                                                       \
    }                                                                                                        \
    LODE_WIDTHS(LODE_PAIRS_N, T)
LODE_FLOATS(LODE_PAIRS)

/* Fast variants: the same functions here. */
#define native_cos cos
#define native_divide(x, y) ((x) / (y))
#define native_exp exp
#define native_exp2 exp2
#define native_exp10 exp10
#define native_log log
#define native_log2 log2
#define native_log10 log10
#define native_powr powr
#define native_recip(x) (1 / (x))
#define native_rsqrt rsqrt
#define native_sin sin
#define native_sqrt sqrt
#define native_tan tan
#define half_cos cos
#define half_divide(x, y) ((x) / (y))
#define half_exp exp
#define half_exp2 exp2
#define half_exp10 exp10
#define half_log log
#define half_log2 log2
#define half_log10 log10
#define half_powr powr
#define half_recip(x) (1 / (x))
#define half_rsqrt rsqrt
#define half_sin sin
#define half_sqrt sqrt
#define half_tan tan
