/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for code that is written once and included for several vector widths: with LANES 1, 8 or 16, VEC is
 * float, float8 or float16, and so on. With DOUBLES, REAL is double, and there are only vectors of 4, 8 or 16
 * and what loads and stores them; those of 8 have integers, too. No include guard: the last inclusion counts.
 * Conditions are those of OpenCL vectors: use only `?:`, & and | on them, never && or !.
 */
#undef REAL
#undef VEC
#undef IVEC
#undef UVEC
#undef AS_VEC
#undef AS_IVEC
#undef AS_UVEC
#undef TO_VEC
#undef TO_IVEC
#undef TO_BYTES
#undef TO_SHORTS
#undef VLOAD
#undef VSTORE
#undef V
#undef MOST_EXP
#undef MOST_MISH
#undef GELU_CUBE
#undef SQRT_2_BY_PI

/* Beyond MOST_EXP, log(1 + e^x) is x, and beyond MOST_MISH tanh of it is 1. */
#ifdef DOUBLES
#define REAL double
#define MOST_EXP 709.0
#define MOST_MISH 40.0
#define GELU_CUBE 0.044715
#define SQRT_2_BY_PI 0x1.9884533d43651p-1
#if LANES == 16
#define VEC double16
#define VLOAD vload16
#define VSTORE vstore16
#elif LANES == 8
#define VEC double8
#define IVEC long8
#define UVEC ulong8
#define AS_VEC as_double8
#define AS_IVEC as_long8
#define AS_UVEC as_ulong8
#define VLOAD vload8
#define VSTORE vstore8
#else
#define VEC double4
#define VLOAD vload4
#define VSTORE vstore4
#endif
#else
#define REAL float
#define MOST_EXP 88.0f
#define MOST_MISH 20.0f
#define GELU_CUBE 0.044715f
#define SQRT_2_BY_PI 0x1.988454p-1f
#if LANES == 16
#define VEC float16
#define IVEC int16
#define UVEC uint16
#define AS_VEC as_float16
#define AS_IVEC as_int16
#define AS_UVEC as_uint16
#define TO_VEC convert_float16
#define TO_IVEC convert_int16
#define TO_BYTES convert_uchar16
#define TO_SHORTS convert_ushort16
#define VLOAD vload16
#define VSTORE vstore16
#elif LANES == 8
#define VEC float8
#define IVEC int8
#define UVEC uint8
#define AS_VEC as_float8
#define AS_IVEC as_int8
#define AS_UVEC as_uint8
#define TO_VEC convert_float8
#define TO_IVEC convert_int8
#define TO_BYTES convert_uchar8
#define TO_SHORTS convert_ushort8
#define VLOAD vload8
#define VSTORE vstore8
#else
#define VEC float
#define IVEC int
#define UVEC uint
#define AS_VEC as_float
#define AS_IVEC as_int
#define AS_UVEC as_uint
#define TO_VEC convert_float
#define TO_IVEC convert_int
#endif
#endif
#define V(constant_) ((VEC)(constant_))
