/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer, common, geometric and relational functions.
 */
/* Rows of macros, which clang-format would indent further on every run. */
/* clang-format off */

/* -- minima, maxima, clamping: all types -- */

#define LODE_ORDER_N(T, n)                                                                      \
    LODE T##n min(T##n a, T##n b) { return b < a ? b : a; }                                     \
    LODE T##n max(T##n a, T##n b) { return a < b ? b : a; }                                     \
    LODE T##n clamp(T##n x, T##n low, T##n high) { return min(max(x, low), high); }             \
    LODE T##n min(T##n a, T b) { return min(a, (T##n)(b)); }                                    \
    LODE T##n max(T##n a, T b) { return max(a, (T##n)(b)); }                                    \
    LODE T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)(low), (T##n)(high)); }
#define LODE_ORDER(T)                                                           \
    LODE T min(T a, T b) { return b < a ? b : a; }                              \
    LODE T max(T a, T b) { return a < b ? b : a; }                              \
    LODE T clamp(T x, T low, T high) { return min(max(x, low), high); }         \
    LODE_WIDTHS(LODE_ORDER_N, T)
LODE_NUMBERS(LODE_ORDER)

/* -- integers. W: twice as wide, U: unsigned -- */

#define LODE_INTEGER(T, U, W, low, high)                                                                 \
    LODE U abs(T x) { return x < 0 ? (U)-(U)x : (U)x; }                                                  \
    LODE U abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; }                              \
    LODE T hadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + (a & b & 1)); }                             \
    LODE T rhadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + ((a | b) & 1)); }                          \
    LODE T add_sat(T a, T b) { return __builtin_elementwise_add_sat(a, b); }                             \
    LODE T sub_sat(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }                             \
    LODE T clz(T x) { return (T)(x ? __builtin_clzg((U)x) : (int)sizeof(T) * 8); }                       \
    LODE T ctz(T x) { return (T)(x ? __builtin_ctzg((U)x) : (int)sizeof(T) * 8); }                       \
    LODE T popcount(T x) { return (T)__builtin_popcountg((U)x); }                                        \
    LODE T rotate(T x, T n) {                                                                            \
        const U bits = sizeof(T) * 8, by = (U)n & (bits - 1);                                            \
        return by ? (T)((U)((U)x << by) | (U)((U)x >> (bits - by))) : x;                                 \
    }                                                                                                    \
    LODE T mul_hi(T a, T b) { return (T)(((W)a * (W)b) >> (sizeof(T) * 8)); }                            \
    LODE T mad_hi(T a, T b, T c) { return (T)(mul_hi(a, b) + c); }                                       \
    LODE T mad_sat(T a, T b, T c) {                                                                      \
        W r = (W)a * (W)b + (W)c;                                                                        \
        return r < (W)low ? low : r > (W)high ? high : (T)r;                                             \
    }                                                                                                    \
    LODE_LIFT1(abs, U, T) LODE_LIFT2(abs_diff, U, T, T) LODE_LIFT2(hadd, T, T, T) LODE_LIFT2(rhadd, T, T, T) \
    LODE_LIFT2(add_sat, T, T, T) LODE_LIFT2(sub_sat, T, T, T) LODE_LIFT1(clz, T, T) LODE_LIFT1(ctz, T, T) \
    LODE_LIFT1(popcount, T, T) LODE_LIFT2(rotate, T, T, T) LODE_LIFT2(mul_hi, T, T, T)                   \
    LODE_LIFT3(mad_hi, T, T) LODE_LIFT3(mad_sat, T, T)
typedef __int128 lode_int128;
typedef unsigned __int128 lode_uint128;
LODE_INTEGER(char, uchar, int, CHAR_MIN, CHAR_MAX)
LODE_INTEGER(uchar, uchar, int, 0, UCHAR_MAX)
LODE_INTEGER(short, ushort, int, SHRT_MIN, SHRT_MAX)
LODE_INTEGER(ushort, ushort, long, 0, USHRT_MAX)
LODE_INTEGER(int, uint, long, INT_MIN, INT_MAX)
LODE_INTEGER(uint, uint, ulong, 0u, UINT_MAX)
LODE_INTEGER(long, ulong, lode_int128, LONG_MIN, LONG_MAX)
LODE_INTEGER(ulong, ulong, lode_uint128, 0ul, ULONG_MAX)

#define LODE_24(T)                                               \
    LODE T mul24(T a, T b) { return a * b; }                     \
    LODE T mad24(T a, T b, T c) { return a * b + c; }            \
    LODE_LIFT2(mul24, T, T, T) LODE_LIFT3(mad24, T, T)
LODE_24(int)
LODE_24(uint)

#define LODE_UPSAMPLE(R, T, U, bits)                                             \
    LODE R upsample(T high, U low) { return (R)((R)high << bits | low); }        \
    LODE_LIFT2(upsample, R, T, U)
LODE_UPSAMPLE(short, char, uchar, 8)
LODE_UPSAMPLE(ushort, uchar, uchar, 8)
LODE_UPSAMPLE(int, short, ushort, 16)
LODE_UPSAMPLE(uint, ushort, ushort, 16)
LODE_UPSAMPLE(long, int, uint, 32)
LODE_UPSAMPLE(ulong, uint, uint, 32)

/* -- common -- */

#define LODE_COMMON_N(T, n)                                                                                 \
    LODE T##n mix(T##n a, T##n b, T##n t) { return a + (b - a) * t; }                                       \
    LODE T##n mix(T##n a, T##n b, T t) { return a + (b - a) * t; }                                          \
    LODE T##n step(T##n edge, T##n x) { return x < edge ? (T##n)(0) : (T##n)(1); }                          \
    LODE T##n step(T edge, T##n x) { return step((T##n)(edge), x); }                                        \
    LODE T##n smoothstep(T##n low, T##n high, T##n x) {                                                     \
        T##n t = clamp((x - low) / (high - low), (T)0, (T)1);                                               \
        return t * t * (3 - 2 * t);                                                                         \
    }                                                                                                       \
    LODE T##n smoothstep(T low, T high, T##n x) { return smoothstep((T##n)(low), (T##n)(high), x); }        \
    LODE T##n degrees(T##n x) { return x * (180 / LODE_PI(T)); }                                            \
    LODE T##n radians(T##n x) { return x * (LODE_PI(T) / 180); }
#define LODE_COMMON(T)                                                                                      \
    LODE T mix(T a, T b, T t) { return a + (b - a) * t; }                                                   \
    LODE T step(T edge, T x) { return x < edge ? 0 : 1; }                                                   \
    LODE T smoothstep(T low, T high, T x) {                                                                 \
        T t = clamp((x - low) / (high - low), (T)0, (T)1);                                                  \
        return t * t * (3 - 2 * t);                                                                         \
    }                                                                                                       \
    LODE T degrees(T x) { return x * (180 / LODE_PI(T)); }                                                  \
    LODE T radians(T x) { return x * (LODE_PI(T) / 180); }                                                  \
    LODE T sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : 0; }                              \
    LODE_LIFT1(sign, T, T)                                                                                  \
    LODE_WIDTHS(LODE_COMMON_N, T)
LODE_FLOATS(LODE_COMMON)

/* -- geometric: vectors of up to four -- */

#define LODE_GEOMETRIC(T, V, sum)                                               \
    LODE T dot(V a, V b) {                                                      \
        V p = a * b;                                                            \
        return sum;                                                             \
    }                                                                           \
    LODE T length(V a) { return sqrt(dot(a, a)); }                              \
    LODE T distance(V a, V b) { return length(a - b); }                         \
    LODE V normalize(V a) { return dot(a, a) == 0 ? a : a / length(a); }        \
    LODE T fast_length(V a) { return length(a); }                               \
    LODE T fast_distance(V a, V b) { return length(a - b); }                    \
    LODE V fast_normalize(V a) { return normalize(a); }
#define LODE_GEOMETRIC_OF(T)                                                    \
    LODE_GEOMETRIC(T, T, p)                                                     \
    LODE_GEOMETRIC(T, T##2, p.x + p.y)                                          \
    LODE_GEOMETRIC(T, T##3, p.x + p.y + p.z)                                    \
    LODE_GEOMETRIC(T, T##4, p.x + p.y + p.z + p.w)                              \
    LODE T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }   \
    LODE T##4 cross(T##4 a, T##4 b) { return (T##4)(a.yzx * b.zxy - a.zxy * b.yzx, 0); }
LODE_FLOATS(LODE_GEOMETRIC_OF)

/* -- relational: scalars return 0 or 1, vectors 0 or -1. I: the integer type of the same size -- */

#define LODE_RELATION2_N(name, expression, I, T, n) \
    LODE I##n name(T##n a, T##n b) { return expression; }
#define LODE_RELATION2(name, expression, I, T)            \
    LODE int name(T a, T b) { return expression; }        \
    LODE_WIDTHS(LODE_RELATION2_N, name, expression, I, T)
#define LODE_RELATIONS2(I, T)                             \
    LODE_RELATION2(isequal, a == b, I, T)                 \
    LODE_RELATION2(isnotequal, a != b, I, T)              \
    LODE_RELATION2(isgreater, a > b, I, T)                \
    LODE_RELATION2(isgreaterequal, a >= b, I, T)          \
    LODE_RELATION2(isless, a < b, I, T)                   \
    LODE_RELATION2(islessequal, a <= b, I, T)             \
    LODE_RELATION2(islessgreater, (a < b) | (a > b), I, T) \
    LODE_RELATION2(isordered, (a == a) & (b == b), I, T)  \
    LODE_RELATION2(isunordered, (a != a) | (b != b), I, T)
LODE_RELATIONS2(int, float)
LODE_RELATIONS2(long, double)

#define LODE_RELATION1_N(name, I, T, n)     \
    LODE I##n name(T##n a) {                \
        I##n r;                             \
        for (int i = 0; i < n; i++)         \
            r[i] = -name(a[i]);             \
        return r;                           \
    }
#define LODE_RELATION1(name, expression, I, T)    \
    LODE int name(T a) { return expression; }     \
    LODE_WIDTHS(LODE_RELATION1_N, name, I, T)
#define LODE_RELATIONS1(I, T)                                             \
    LODE_RELATION1(isnan, a != a, I, T)                                   \
    LODE_RELATION1(isinf, __builtin_isinf(a) != 0, I, T)                  \
    LODE_RELATION1(isfinite, __builtin_isfinite(a) != 0, I, T)            \
    LODE_RELATION1(isnormal, __builtin_isnormal(a) != 0, I, T)            \
    LODE_RELATION1(signbit, __builtin_signbit(a) != 0, I, T)
LODE_RELATIONS1(int, float)
LODE_RELATIONS1(long, double)

#define LODE_ANY_N(T, n)                    \
    LODE int any(T##n a) {                  \
        int r = 0;                          \
        for (int i = 0; i < n; i++)         \
            r |= a[i] < 0;                  \
        return r;                           \
    }                                       \
    LODE int all(T##n a) {                  \
        int r = 1;                          \
        for (int i = 0; i < n; i++)         \
            r &= a[i] < 0;                  \
        return r;                           \
    }
#define LODE_ANY(T)                         \
    LODE int any(T a) { return a < 0; }     \
    LODE int all(T a) { return a < 0; }     \
    LODE_WIDTHS(LODE_ANY_N, T)
LODE_ANY(char)
LODE_ANY(short)
LODE_ANY(int)
LODE_ANY(long)

/* C: the integer type of the condition, S: the signed one; vectors select by the highest bit. */
#define LODE_SELECT_N(T, C, S, n)                    \
    LODE T##n select(T##n a, T##n b, C##n c) {       \
        T##n r;                                      \
        for (int i = 0; i < n; i++)                  \
            r[i] = (S)c[i] < 0 ? b[i] : a[i];        \
        return r;                                    \
    }
#define LODE_SELECT_OF(T, C, S)                        \
    LODE T select(T a, T b, C c) { return c ? b : a; } \
    LODE_WIDTHS(LODE_SELECT_N, T, C, S)
#define LODE_SELECT(T, S, U) LODE_SELECT_OF(T, S, S) LODE_SELECT_OF(T, U, S)
LODE_SELECT(char, char, uchar)
LODE_SELECT(uchar, char, uchar)
LODE_SELECT(short, short, ushort)
LODE_SELECT(ushort, short, ushort)
LODE_SELECT(int, int, uint)
LODE_SELECT(uint, int, uint)
LODE_SELECT(float, int, uint)
LODE_SELECT(long, long, ulong)
LODE_SELECT(ulong, long, ulong)
LODE_SELECT(double, long, ulong)

#define LODE_BITSELECT_N(T, U, n)                                                                    \
    LODE T##n bitselect(T##n a, T##n b, T##n c) {                                                    \
        U##n x = __builtin_astype(a, U##n), y = __builtin_astype(b, U##n), m = __builtin_astype(c, U##n); \
        return __builtin_astype((x & ~m) | (y & m), T##n);                                           \
    }
#define LODE_BITSELECT(T, U)                                                                         \
    LODE T bitselect(T a, T b, T c) {                                                                \
        U x = __builtin_astype(a, U), y = __builtin_astype(b, U), m = __builtin_astype(c, U);        \
        U r = (x & ~m) | (y & m);                                                                    \
        return __builtin_astype(r, T);                                                               \
    }                                                                                                \
    LODE_WIDTHS(LODE_BITSELECT_N, T, U)
LODE_BITSELECT(char, uchar)
LODE_BITSELECT(uchar, uchar)
LODE_BITSELECT(short, ushort)
LODE_BITSELECT(ushort, ushort)
LODE_BITSELECT(int, uint)
LODE_BITSELECT(uint, uint)
LODE_BITSELECT(float, uint)
LODE_BITSELECT(long, ulong)
LODE_BITSELECT(ulong, ulong)
LODE_BITSELECT(double, ulong)
