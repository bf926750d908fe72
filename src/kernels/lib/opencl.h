/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialect that kernels are written in. For an OpenCL compiler it is plain OpenCL C; for a C compiler
 * (clang), which builds native code, this header defines the same words. Every .cl file includes it first.
 *
 *   kernel void f32_example(ITEM global const float *src, global float *dst, constant struct example *p)
 *
 * ITEM is a hidden first parameter of native code: the IDs of the work-item. get_global_id and similar
 * functions, barrier, and LOCAL(type, name, count), an array in local memory, work only inside the body of a
 * kernel. Kernels use no library functions, only those of lib/. Contraction is explicit: write fma where a
 * fused operation is meant.
 */
#ifndef LODE_KERNELS_LIB_OPENCL_H
#define LODE_KERNELS_LIB_OPENCL_H

/* Devices build one kernel at a time, with ONE_KERNEL and WANTED_<name> defined; native code contains all. */
#ifdef ONE_KERNEL
#define WANTED(name) WANTED_(name)
#define WANTED_(name) WANTED_##name
#else
#define WANTED(name) 1
#endif

/* Buffers that vectors are loaded from and stored to: elsewhere, a vector could be in two lines of the cache.
 */
#define LINE_ALIGNED __attribute__((aligned(64)))

#ifdef __OPENCL_C_VERSION__

#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define HAVE_DOUBLE 1
#endif
/* Kernels are vectorized by hand. The hint stops compilers from vectorizing them across work-items, which
 * saves most of the build time on a CPU. */
#define kernel __kernel __attribute__((vec_type_hint(float16)))
#undef NAN /* compilers differ about its bits */
#define NAN as_float(0x7fc00000u)
#define ITEM
#define KEEP_ORDER_32(a, b)
#define KEEP_ORDER_64(a, b)
#define PREFETCH(address)
#define PREFETCH_FAR(address)
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#define OVERLOAD __attribute__((overloadable))
#define LOCAL(type, name, count) local type name[count]

#ifdef __SPIRV__
/* clang 22 confuses the signs of integers in these functions: it makes OpSConvert of convert_uint16(uchar16).
 */
#define convert_uint8(v) __builtin_convertvector(v, uint8)
#define convert_uint16(v) __builtin_convertvector(v, uint16)
#define convert_int8(v) __builtin_convertvector(v, int8)
#define convert_int16(v) __builtin_convertvector(v, int16)
#define convert_ushort16(v) __builtin_convertvector(v, ushort16)
#endif

#else /* native */

#pragma STDC FP_CONTRACT OFF
#include "kernels/native.h"
#include <stdbool.h>
#include <stddef.h>

#define HAVE_DOUBLE 1
#define kernel static inline __attribute__((always_inline))
#define global
#define constant const
#define local
#define private
#define restrict __restrict__
#define ITEM const struct native_item *item,
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline)) /* too big to be copied into every kernel */
#define OVERLOAD __attribute__((overloadable))

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define VECTOR_TYPES(type)                                                                                   \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                                \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                                \
    typedef type type##8 __attribute__((ext_vector_type(8)));                                                \
    typedef type type##16 __attribute__((ext_vector_type(16)));
VECTOR_TYPES(char)
VECTOR_TYPES(uchar)
VECTOR_TYPES(short)
VECTOR_TYPES(ushort)
VECTOR_TYPES(int)
VECTOR_TYPES(uint)
VECTOR_TYPES(long)
VECTOR_TYPES(ulong)
VECTOR_TYPES(float)
VECTOR_TYPES(double)

#define PREFETCH(address) __builtin_prefetch(address)
#define PREFETCH_FAR(address) __builtin_prefetch(address, 0, 2) /* into the L2 cache */

/* Instructions of x86 that native code may use by name. OpenCL compilers for such CPUs define the compiler's
 * own macros too, but know no intrinsics. */
#ifdef __AVX2__
#define NATIVE_AVX2 1
#endif
#ifdef __AVX512F__
#define NATIVE_AVX512 1
#endif

/* Forces two vectors of 64 or 32 bytes to be computed before later loads: a scheduler that moves all loads to
 * the front runs out of registers. Does nothing where the vectors do not fill a register. */
#if defined(__AVX512F__)
#define KEEP_ORDER_64(a, b) __asm__ volatile("" : "+v"(a), "+v"(b)::"memory")
#else
#define KEEP_ORDER_64(a, b)
#endif
#if defined(__AVX__)
#define KEEP_ORDER_32(a, b) __asm__ volatile("" : "+x"(a), "+x"(b)::"memory")
#else
#define KEEP_ORDER_32(a, b)
#endif

/* The IDs of a work-item. */
struct native_item {
    const struct native_group *group;
    uint local_id[3];
};
#define get_local_id(d) ((size_t)item->local_id[d])
#define get_group_id(d) ((size_t)item->group->id[d])
#define get_num_groups(d) ((size_t)item->group->count[d])
#define get_local_size(d) ((size_t)item->group->size[d])
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))

/* Local memory and barriers, for kernels whose row needs HAS_LOCAL_MEMORY. All work-items of a group run in
 * one thread, so thread-local memory is local memory. */
#define LOCAL(type, name, count) static _Thread_local type name[count]
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) item->group->barrier(item->group)

/* as_<type>: same bits, other type. */
#define AS_TYPE(to)                                                                                          \
    INLINE OVERLOAD to as_##to(float v) {                                                                    \
        return __builtin_bit_cast(to, v);                                                                    \
    }                                                                                                        \
    INLINE OVERLOAD to as_##to(int v) {                                                                      \
        return __builtin_bit_cast(to, v);                                                                    \
    }                                                                                                        \
    INLINE OVERLOAD to as_##to(uint v) {                                                                     \
        return __builtin_bit_cast(to, v);                                                                    \
    }
AS_TYPE(float)
AS_TYPE(int)
AS_TYPE(uint)
#define AS_TYPE_N(to, n)                                                                                     \
    INLINE OVERLOAD to##n as_##to##n(float##n v) {                                                           \
        return __builtin_bit_cast(to##n, v);                                                                 \
    }                                                                                                        \
    INLINE OVERLOAD to##n as_##to##n(int##n v) {                                                             \
        return __builtin_bit_cast(to##n, v);                                                                 \
    }                                                                                                        \
    INLINE OVERLOAD to##n as_##to##n(uint##n v) {                                                            \
        return __builtin_bit_cast(to##n, v);                                                                 \
    }
INLINE OVERLOAD int as_int(uchar4 v) {
    return __builtin_bit_cast(int, v);
}
AS_TYPE_N(float, 8)
AS_TYPE_N(int, 8)
AS_TYPE_N(uint, 8)
AS_TYPE_N(float, 16)
AS_TYPE_N(int, 16)
AS_TYPE_N(uint, 16)
#define AS_TYPE_OF_64_BITS(to)                                                                               \
    INLINE OVERLOAD to as_##to(double8 v) {                                                                  \
        return __builtin_bit_cast(to, v);                                                                    \
    }                                                                                                        \
    INLINE OVERLOAD to as_##to(long8 v) {                                                                    \
        return __builtin_bit_cast(to, v);                                                                    \
    }                                                                                                        \
    INLINE OVERLOAD to as_##to(ulong8 v) {                                                                   \
        return __builtin_bit_cast(to, v);                                                                    \
    }
AS_TYPE_OF_64_BITS(double8)
AS_TYPE_OF_64_BITS(long8)
AS_TYPE_OF_64_BITS(ulong8)

/* fma of floats rounds once on every CPU, as OpenCL requires. Without the instruction, the product is exact
 * in double and the sum is rounded to odd before it is rounded to float. */
#if defined(__FMA__) || defined(__aarch64__)
#define FMA(type)                                                                                            \
    INLINE OVERLOAD type fma(type a, type b, type c) {                                                       \
        return __builtin_elementwise_fma(a, b, c);                                                           \
    }
FMA(float)
FMA(double)
FMA(double4)
FMA(double8)
FMA(double16)
#else
/* Rounds twice: kernels cannot call libm. */
#define FMA_TWICE(type)                                                                                      \
    INLINE OVERLOAD type fma(type a, type b, type c) {                                                       \
        return a * b + c;                                                                                    \
    }
FMA_TWICE(double)
FMA_TWICE(double4)
FMA_TWICE(double8)
FMA_TWICE(double16)
INLINE OVERLOAD float fma(float a, float b, float c) {
    double product = (double)a * b, sum = product + c;
    double rest_of_c = sum - product;
    double error = (product - (sum - rest_of_c)) + (c - rest_of_c);
    long bits = __builtin_bit_cast(long, sum);
    /* Inexact, and the last bit even: move towards the error, so that the last bit is odd. */
    if ((error < 0 || error > 0) && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
    return (float)__builtin_bit_cast(double, bits);
}
OUTLINE void fma_each(float *r, const float *a, const float *b, const float *c, uint n) {
    for (uint i = 0; i < n; i++)
        r[i] = fma(a[i], b[i], c[i]);
}
#define FMA(type)                                                                                            \
    OUTLINE OVERLOAD type fma(type a, type b, type c) {                                                      \
        type r;                                                                                              \
        fma_each((float *)&r, (const float *)&a, (const float *)&b, (const float *)&c, sizeof r / 4);        \
        return r;                                                                                            \
    }
#endif
FMA(float8)
FMA(float16)

/* convert_<type>: same value, other type; floats are truncated towards zero. */
INLINE OVERLOAD float convert_float(int v) {
    return (float)v;
}
INLINE OVERLOAD int convert_int(float v) {
    return (int)v;
}
#define CONVERT(n)                                                                                           \
    INLINE OVERLOAD float##n convert_float##n(int##n v) {                                                    \
        return __builtin_convertvector(v, float##n);                                                         \
    }                                                                                                        \
    INLINE OVERLOAD int##n convert_int##n(float##n v) {                                                      \
        return __builtin_convertvector(v, int##n);                                                           \
    }                                                                                                        \
    INLINE OVERLOAD uchar##n convert_uchar##n(uint##n v) {                                                   \
        return __builtin_convertvector(v, uchar##n);                                                         \
    }                                                                                                        \
    INLINE OVERLOAD ushort##n convert_ushort##n(uint##n v) {                                                 \
        return __builtin_convertvector(v, ushort##n);                                                        \
    }
CONVERT(8)
CONVERT(16)
INLINE OVERLOAD double8 convert_double8(float8 v) {
    return __builtin_convertvector(v, double8);
}
INLINE OVERLOAD uchar8 convert_uchar8(long8 v) {
    return __builtin_convertvector(v, uchar8);
}
INLINE OVERLOAD long8 convert_long8(double8 v) {
    return __builtin_convertvector(v, long8);
}
INLINE OVERLOAD long8 convert_long8(uchar8 v) {
    return __builtin_convertvector(v, long8);
}
INLINE OVERLOAD int16 convert_int16(uchar16 v) {
    return __builtin_convertvector(v, int16);
}
INLINE OVERLOAD int16 convert_int16(char16 v) {
    return __builtin_convertvector(v, int16);
}
INLINE OVERLOAD ushort16 convert_ushort16(uchar16 v) {
    return __builtin_convertvector(v, ushort16);
}
INLINE OVERLOAD uint8 convert_uint8(uchar8 v) {
    return __builtin_convertvector(v, uint8);
}
INLINE OVERLOAD uint16 convert_uint16(uchar16 v) {
    return __builtin_convertvector(v, uint16);
}
INLINE OVERLOAD uint16 convert_uint16(ushort16 v) {
    return __builtin_convertvector(v, uint16);
}

#define VECTOR_LOADS(type, n)                                                                                \
    INLINE OVERLOAD type##n vload##n(size_t i, const type *p) {                                              \
        type##n v;                                                                                           \
        __builtin_memcpy(&v, p + i * n, sizeof v);                                                           \
        return v;                                                                                            \
    }                                                                                                        \
    INLINE OVERLOAD void vstore##n(type##n v, size_t i, type *p) {                                           \
        __builtin_memcpy(p + i * n, &v, sizeof v);                                                           \
    }
VECTOR_LOADS(float, 2)
VECTOR_LOADS(float, 4)
VECTOR_LOADS(float, 8)
VECTOR_LOADS(float, 16)
VECTOR_LOADS(double, 4)
VECTOR_LOADS(double, 8)
VECTOR_LOADS(double, 16)
VECTOR_LOADS(ulong, 4)
VECTOR_LOADS(ulong, 8)
VECTOR_LOADS(int, 4)
VECTOR_LOADS(int, 8)
VECTOR_LOADS(int, 16)
VECTOR_LOADS(uint, 16)
VECTOR_LOADS(char, 16)
VECTOR_LOADS(uchar, 4)
VECTOR_LOADS(uchar, 8)
VECTOR_LOADS(uchar, 16)
VECTOR_LOADS(ushort, 4)
VECTOR_LOADS(ushort, 8)
VECTOR_LOADS(ushort, 16)

#endif /* native */

#include "kernels/params.h"

#endif
