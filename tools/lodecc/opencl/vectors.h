/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors: extends scalar functions to vectors, loads and stores.
 */

/* M(type, width) for every vector type of a scalar type. */
#define LODE_WIDTHS(M, ...)                                                                                  \
    M(__VA_ARGS__, 2) M(__VA_ARGS__, 3) M(__VA_ARGS__, 4) M(__VA_ARGS__, 8) M(__VA_ARGS__, 16)

#define LODE_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define LODE_FLOATS(M) M(float) M(double)
#define LODE_NUMBERS(M) LODE_INTEGERS(M) LODE_FLOATS(M)

/* A function of one, two or three vectors, element by element. R: result type, T: argument type. */
#define LODE_LIFT1_N(name, R, T, n)                                                                          \
    LODE R##n name(T##n a) {                                                                                 \
        R##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = name(a[i]);                                                                               \
        return r;                                                                                            \
    }
#define LODE_LIFT2_N(name, R, T, U, n)                                                                       \
    LODE R##n name(T##n a, U##n b) {                                                                         \
        R##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = name(a[i], b[i]);                                                                         \
        return r;                                                                                            \
    }
#define LODE_LIFT3_N(name, R, T, n)                                                                          \
    LODE R##n name(T##n a, T##n b, T##n c) {                                                                 \
        R##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = name(a[i], b[i], c[i]);                                                                   \
        return r;                                                                                            \
    }
/* The last argument, or the last two, are scalars that apply to all elements. */
#define LODE_LIFT2_S_N(name, T, n)                                                                           \
    LODE T##n name(T##n a, T b) { return name(a, (T##n)(b)); }
#define LODE_LIFT3_SS_N(name, T, n)                                                                          \
    LODE T##n name(T##n a, T b, T c) { return name(a, (T##n)(b), (T##n)(c)); }
#define LODE_LIFT1(name, R, T) LODE_WIDTHS(LODE_LIFT1_N, name, R, T)
#define LODE_LIFT2(name, R, T, U) LODE_WIDTHS(LODE_LIFT2_N, name, R, T, U)
#define LODE_LIFT3(name, R, T) LODE_WIDTHS(LODE_LIFT3_N, name, R, T)
#define LODE_LIFT2_S(name, T) LODE_WIDTHS(LODE_LIFT2_S_N, name, T)
#define LODE_LIFT3_SS(name, T) LODE_WIDTHS(LODE_LIFT3_SS_N, name, T)

/* -- loads and stores: n elements, with the alignment of one -- */

#define LODE_LOAD_N(T, n)                                                                                    \
    LODE T##n vload##n(size_t index, const T *p) {                                                           \
        T##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = p[index * n + i];                                                                         \
        return r;                                                                                            \
    }                                                                                                        \
    LODE T##n vload##n(size_t index, const constant T *p) {                                                  \
        T##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = p[index * n + i];                                                                         \
        return r;                                                                                            \
    }                                                                                                        \
    LODE void vstore##n(T##n v, size_t index, T *p) {                                                        \
        for (int i = 0; i < n; i++)                                                                          \
            p[index * n + i] = v[i];                                                                         \
    }
#define LODE_LOAD(T) LODE_WIDTHS(LODE_LOAD_N, T)
LODE_NUMBERS(LODE_LOAD)

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
LODE float vload_half(size_t index, const half *p) { return (float)p[index]; }
LODE float vload_half(size_t index, const constant half *p) { return (float)p[index]; }
LODE void vstore_half(float v, size_t index, half *p) { p[index] = (half)v; }
LODE void vstore_half_rte(float v, size_t index, half *p) { p[index] = (half)v; }
#define LODE_HALF_N(stride, prefix, T, n)                                                                    \
    LODE float##n prefix##load_half##n(size_t index, const T *p) {                                           \
        float##n r;                                                                                          \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = (float)p[index * stride + i];                                                             \
        return r;                                                                                            \
    }                                                                                                        \
    LODE void prefix##store_half##n(float##n v, size_t index, T *p) {                                        \
        for (int i = 0; i < n; i++)                                                                          \
            p[index * stride + i] = (half)v[i];                                                              \
    }                                                                                                        \
    LODE void prefix##store_half##n##_rte(float##n v, size_t index, T *p) {                                  \
        prefix##store_half##n(v, index, p);                                                                  \
    }
LODE_HALF_N(2, v, half, 2)
LODE_HALF_N(3, v, half, 3)
LODE_HALF_N(4, v, half, 4)
LODE_HALF_N(8, v, half, 8)
LODE_HALF_N(16, v, half, 16)
LODE_HALF_N(2, va, half, 2)
LODE_HALF_N(4, va, half, 3)
LODE_HALF_N(4, va, half, 4)
LODE_HALF_N(8, va, half, 8)
LODE_HALF_N(16, va, half, 16)
#define vloada_half vload_half
#define vstorea_half vstore_half
#define vloada_half2 vaload_half2
#define vloada_half3 vaload_half3
#define vloada_half4 vaload_half4
#define vloada_half8 vaload_half8
#define vloada_half16 vaload_half16
#define vstorea_half2 vastore_half2
#define vstorea_half3 vastore_half3
#define vstorea_half4 vastore_half4
#define vstorea_half8 vastore_half8
#define vstorea_half16 vastore_half16
