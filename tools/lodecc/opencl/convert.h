/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions, with and without saturation and rounding. Included only if the source mentions them, since
 * there are thousands.
 */
/* Rows of macros, which clang-format would indent further on every run. */
/* clang-format off */

/* lode_round_MODE(x): rounds to a whole number of the same type. Does nothing for integers. */
#define LODE_ROUND_INTEGER(T)                \
    LODE T lode_round_rte(T x) { return x; } \
    LODE T lode_round_rtz(T x) { return x; } \
    LODE T lode_round_rtp(T x) { return x; } \
    LODE T lode_round_rtn(T x) { return x; }
LODE_INTEGERS(LODE_ROUND_INTEGER)
#define LODE_ROUND_FLOAT(T)                                                  \
    LODE T lode_round_rte(T x) { return __builtin_elementwise_roundeven(x); } \
    LODE T lode_round_rtz(T x) { return __builtin_elementwise_trunc(x); }     \
    LODE T lode_round_rtp(T x) { return __builtin_elementwise_ceil(x); }      \
    LODE T lode_round_rtn(T x) { return __builtin_elementwise_floor(x); }
LODE_FLOATS(LODE_ROUND_FLOAT)

/* lode_sat_D(x): the nearest value of D. */
#define LODE_SAT_FROM_FLOAT(D, low, high, S)                                                \
    LODE D lode_sat_##D(S x) {                                                              \
        return x != x ? 0 : x <= (S)low ? low : x >= (S)high ? high : (D)x;                 \
    }
#define LODE_SAT_FROM_SIGNED(D, low, high, S)                                               \
    LODE D lode_sat_##D(S x) {                                                              \
        return x < 0 ? ((long)x < (long)low ? low : (D)x) : ((ulong)x > (ulong)high ? high : (D)x); \
    }
#define LODE_SAT_FROM_UNSIGNED(D, low, high, S)               \
    LODE D lode_sat_##D(S x) {                                \
        return (ulong)x > (ulong)high ? high : (D)x;          \
    }
#define LODE_SAT(D, low, high)                  \
    LODE_SAT_FROM_FLOAT(D, low, high, float)    \
    LODE_SAT_FROM_FLOAT(D, low, high, double)   \
    LODE_SAT_FROM_SIGNED(D, low, high, char)    \
    LODE_SAT_FROM_SIGNED(D, low, high, short)   \
    LODE_SAT_FROM_SIGNED(D, low, high, int)     \
    LODE_SAT_FROM_SIGNED(D, low, high, long)    \
    LODE_SAT_FROM_UNSIGNED(D, low, high, uchar) \
    LODE_SAT_FROM_UNSIGNED(D, low, high, ushort) \
    LODE_SAT_FROM_UNSIGNED(D, low, high, uint)  \
    LODE_SAT_FROM_UNSIGNED(D, low, high, ulong)
LODE_SAT(char, CHAR_MIN, CHAR_MAX)
LODE_SAT(uchar, 0, UCHAR_MAX)
LODE_SAT(short, SHRT_MIN, SHRT_MAX)
LODE_SAT(ushort, 0, USHRT_MAX)
LODE_SAT(int, INT_MIN, INT_MAX)
LODE_SAT(uint, 0, UINT_MAX)
LODE_SAT(long, LONG_MIN, LONG_MAX)
LODE_SAT(ulong, 0, ULONG_MAX)

/* convert_D[n][_sat][_mode], from any type. */
#define LODE_CONVERT_FROM(D, S)                                                     \
    LODE D convert_##D(S x) { return (D)x; }                                        \
    LODE D convert_##D##_rte(S x) { return (D)lode_round_rte(x); }                  \
    LODE D convert_##D##_rtz(S x) { return (D)lode_round_rtz(x); }                  \
    LODE D convert_##D##_rtp(S x) { return (D)lode_round_rtp(x); }                  \
    LODE D convert_##D##_rtn(S x) { return (D)lode_round_rtn(x); }                  \
    LODE D convert_##D##_sat(S x) { return lode_sat_##D(x); }                       \
    LODE D convert_##D##_sat_rte(S x) { return lode_sat_##D(lode_round_rte(x)); }   \
    LODE D convert_##D##_sat_rtz(S x) { return lode_sat_##D(lode_round_rtz(x)); }   \
    LODE D convert_##D##_sat_rtp(S x) { return lode_sat_##D(lode_round_rtp(x)); }   \
    LODE D convert_##D##_sat_rtn(S x) { return lode_sat_##D(lode_round_rtn(x)); }   \
    LODE_WIDTHS(LODE_CONVERT_N, D, S)
#define LODE_CONVERT_MODE_N(D, S, n, suffix)            \
    LODE D##n convert_##D##n##suffix(S##n x) {          \
        D##n r;                                         \
        for (int i = 0; i < n; i++)                     \
            r[i] = convert_##D##suffix(x[i]);           \
        return r;                                       \
    }
#define LODE_CONVERT_N(D, S, n)                                                                     \
    LODE_CONVERT_MODE_N(D, S, n, ) LODE_CONVERT_MODE_N(D, S, n, _rte) LODE_CONVERT_MODE_N(D, S, n, _rtz) \
    LODE_CONVERT_MODE_N(D, S, n, _rtp) LODE_CONVERT_MODE_N(D, S, n, _rtn) LODE_CONVERT_MODE_N(D, S, n, _sat) \
    LODE_CONVERT_MODE_N(D, S, n, _sat_rte) LODE_CONVERT_MODE_N(D, S, n, _sat_rtz)                   \
    LODE_CONVERT_MODE_N(D, S, n, _sat_rtp) LODE_CONVERT_MODE_N(D, S, n, _sat_rtn)
#define LODE_CONVERT_TO_FLOAT_N(D, S, n) LODE_CONVERT_MODE_N(D, S, n, ) LODE_CONVERT_MODE_N(D, S, n, _rte)
#define LODE_CONVERT_TO_FLOAT(D, S)          \
    LODE D convert_##D(S x) { return (D)x; } \
    LODE D convert_##D##_rte(S x) { return (D)x; } \
    LODE_WIDTHS(LODE_CONVERT_TO_FLOAT_N, D, S)
#define LODE_CONVERT(S)                                                                               \
    LODE_CONVERT_FROM(char, S) LODE_CONVERT_FROM(uchar, S) LODE_CONVERT_FROM(short, S)                \
    LODE_CONVERT_FROM(ushort, S) LODE_CONVERT_FROM(int, S) LODE_CONVERT_FROM(uint, S)                 \
    LODE_CONVERT_FROM(long, S) LODE_CONVERT_FROM(ulong, S) LODE_CONVERT_TO_FLOAT(float, S)            \
    LODE_CONVERT_TO_FLOAT(double, S)
LODE_NUMBERS(LODE_CONVERT)
