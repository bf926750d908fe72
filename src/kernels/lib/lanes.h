/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for code that is written once and included for several vector widths: with LANES 1, 8 or 16, VEC is
 * float, float8 or float16, and so on. With DOUBLES, REAL is double, and there are only vectors of 4, 8 or 16
 * and what loads and stores them. No include guard: the last inclusion counts. Conditions are those of OpenCL
 * vectors: use only `?:`, & and | on them, never && or !.
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

#ifdef DOUBLES
#define REAL double
#if LANES == 16
#define VEC double16
#define VLOAD vload16
#define VSTORE vstore16
#elif LANES == 8
#define VEC double8
#define VLOAD vload8
#define VSTORE vstore8
#else
#define VEC double4
#define VLOAD vload4
#define VSTORE vstore4
#endif
#else
#define REAL float
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
