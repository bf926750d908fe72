/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of parameter blocks, shared by kernels and the host. Read by the host's C compiler, by the
 * native build of kernels and by OpenCL C compilers, so only fixed-size types appear, padding is explicit,
 * and both sides check the sizes.
 *
 * The blocks of a kernel family are in params_<family>.h.
 */
#ifndef LODE_KERNELS_PARAMS_H
#define LODE_KERNELS_PARAMS_H

#ifdef __OPENCL_C_VERSION__
typedef int i32;
typedef long i64;
typedef uint u32;
typedef float f32;
#define PARAMS_SIZE(type, bytes) typedef char type##_size_check[sizeof(struct type) == (bytes) ? 1 : -1]
#else
#include <stdint.h>
typedef int32_t i32;
typedef int64_t i64;
typedef uint32_t u32;
typedef float f32;
#define PARAMS_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), "size of " #type)
#endif

enum {
    TENSOR_DIMS = 12,
    EPILOGUE_OPS = 8,     /* post-ops that fit in one launch; a plan adds launches for more */
    EPILOGUE_BUFFERS = 8, /* buffers that they may use, in addition to the kernel's own */
    EPILOGUE_SCALARS = 8,
};

/* dnnl_data_type_t, for kernels, which cannot include the public headers. */
enum {
    TYPE_F16 = 1,
    TYPE_BF16 = 2,
    TYPE_F32 = 3,
    TYPE_S32 = 4,
    TYPE_S8 = 5,
    TYPE_U8 = 6,
    TYPE_F64 = 7,
    TYPE_BOOLEAN = 8,
    TYPE_F8_E5M2 = 9,
    TYPE_F8_E4M3 = 10,
    TYPE_S4 = 11,
    TYPE_U4 = 12,
    TYPE_E8M0 = 13,
    TYPE_F4_E2M1 = 14,
    TYPE_F4_E3M0 = 15,
    TYPE_S64 = 16,
};

/* dnnl_alg_kind_t: eltwise and binary. Forward, CLIP_V2 and the algorithms that use dst equal the plain ones.
 */
enum {
    ELTWISE_RELU = 0x20,
    ELTWISE_TANH,
    ELTWISE_ELU,
    ELTWISE_SQUARE,
    ELTWISE_ABS,
    ELTWISE_SQRT,
    ELTWISE_LINEAR,
    ELTWISE_SOFT_RELU,
    ELTWISE_HARDSIGMOID,
    ELTWISE_LOGISTIC,
    ELTWISE_EXP,
    ELTWISE_GELU_TANH,
    ELTWISE_SWISH,
    ELTWISE_LOG,
    ELTWISE_CLIP,
    ELTWISE_CLIP_V2,
    ELTWISE_POW = 0x30,
    ELTWISE_GELU_ERF,
    ELTWISE_ROUND,
    ELTWISE_MISH,
    ELTWISE_HARDSWISH,
    ELTWISE_RELU_DST = 0x100,
    ELTWISE_TANH_DST,
    ELTWISE_ELU_DST,
    ELTWISE_SQRT_DST,
    ELTWISE_LOGISTIC_DST,
    ELTWISE_EXP_DST,
    ELTWISE_CLIP_V2_DST,
    BINARY_ADD = 0x1fff0,
    BINARY_MUL,
    BINARY_MAX,
    BINARY_MIN,
    BINARY_DIV,
    BINARY_SUB,
    BINARY_GE,
    BINARY_GT,
    BINARY_LE,
    BINARY_LT,
    BINARY_EQ,
    BINARY_NE,
    BINARY_SELECT,
};

/* A tensor in memory. Types are dnnl_data_type_t. Offsets and strides count elements. A dimension of size 1
 * may be indexed with any position: broadcasting is in tensor_offset (lib/tensor.h). */
struct tensor {
    i32 type, ndims, nblocks, pad;
    i64 offset;
    i64 dims[TENSOR_DIMS];
    i64 strides[TENSOR_DIMS];
    i32 block_size[TENSOR_DIMS]; /* inner blocks, outermost first */
    i32 block_dim[TENSOR_DIMS];
};
PARAMS_SIZE(tensor, 312);

/* The elements of a tensor in memory order, padding included: nested loops, outermost first. A work-item
 * takes `span` consecutive elements, which for 4-bit types are whole bytes. Index i of a loop adds i * step
 * to the position along `dim` and i * stride to the offset. */
enum { WALK_LOOPS = 2 * TENSOR_DIMS };
struct walk_loop {
    i64 size, stride;
    i32 dim, step;
};
PARAMS_SIZE(walk_loop, 24);
struct walk {
    i32 ndims, nloops;
    i64 offset, count, span;
    i64 dims[TENSOR_DIMS]; /* positions beyond these are padding, which must be zero */
    struct walk_loop loops[WALK_LOOPS];
};
PARAMS_SIZE(walk, 32 + 96 + 24 * 24);

/* The source of a quantisation parameter: an epilogue buffer, a scalar, or none. The index of the element is
 * the sum over d of (position[d] / group[d]) * stride[d]. */
enum { QUANT_NONE = 0, QUANT_BUFFER = 1, QUANT_SCALAR = 2 };
enum { LANES_ANY = 0, LANES_SAME = 1, LANES_DENSE = 2 }; /* gather; one for all; consecutive f32 */
struct quant_source {
    i32 from, index; /* enum above; number of the buffer or scalar */
    i32 type, ndims;
    i32 lanes, pad; /* LANES_*: how the parameter changes along the vectors of a fast kernel */
    i64 group[TENSOR_DIMS];
    i64 stride[TENSOR_DIMS];
};
PARAMS_SIZE(quant_source, 216);

/* One post-op. `kind` is one of these; `alg` is dnnl_alg_kind_t. */
enum { POST_SUM = 1, POST_ELTWISE = 2, POST_BINARY = 3, POST_PRELU = 4, POST_DROPOUT = 5 };
struct epilogue_op {
    i32 kind, alg;
    f32 alpha, beta;     /* eltwise; sum: alpha is its scale */
    i32 zero_point;      /* sum */
    i32 buffer, buffer2; /* epilogue buffers of src1 and src2, or -1 */
    i32 lanes, lanes2;   /* LANES_* of src1 and src2 */
    i32 pad;
    struct tensor src1; /* binary's or prelu's operand; sum's view of dst; dropout counts along dst */
    struct tensor src2; /* the condition of a binary select; the mask that dropout writes */
};
PARAMS_SIZE(epilogue_op, 40 + 2 * 312);

/* The sources of dropout's arguments: epilogue buffers (-1: none), or scalars in this order, with the two
 * halves of an integer one after the other. */
struct dropout_source {
    i32 probability, seed, offset, mask; /* buffers */
    i32 seed_type, has_offset;
    i32 scalar, pad; /* index of the first scalar; -1: the arguments are in buffers */
};
PARAMS_SIZE(dropout_source, 32);

/* Stochastic rounding: adds random bits below the last bit that is kept, then truncates. */
struct rounding {
    i32 bits;                /* random bits: 8 or 16; 0: results are rounded to nearest */
    i32 cut;                 /* number of bits of an f32 that are truncated */
    i32 seed;                /* epilogue buffer */
    f32 lowest, most, least; /* of the type of dst; magnitudes below `least` become 0 */
    struct tensor dst;
};
PARAMS_SIZE(rounding, 24 + 312);

/* What happens to a result before it is stored:
 *   x = ops(x * src_scale * weights_scale + bias) / dst_scale + dst_zero_point, then rounded and saturated to
 * the type of dst. Kernels add the bias themselves, between epilogue_scale and epilogue_finish. */
struct epilogue {
    i32 nops, type; /* type of dst */
    struct quant_source src_scale, weights_scale, dst_scale, dst_zero_point;
    struct epilogue_op ops[EPILOGUE_OPS];
    struct dropout_source dropout; /* used by POST_DROPOUT */
    struct rounding rounding;
};
PARAMS_SIZE(epilogue, 8 + 4 * 216 + 8 * 664 + 32 + 336);

/* A relu or clip that a kernel applies itself, because it does not depend on the position. alg 0: none. */
struct activation {
    i32 alg;
    f32 alpha, beta;
    i32 pad;
};
PARAMS_SIZE(activation, 16);

/* Passed to a launch by value: the values of host-scalar memories when execute was called, and the iteration
 * of the loop that the launch belongs to. */
struct scalars {
    u32 values[EPILOGUE_SCALARS];
    u32 step, pad;
};
PARAMS_SIZE(scalars, 40);

#endif
