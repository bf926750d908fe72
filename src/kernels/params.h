/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels and the host agree on: the pieces that parameter blocks are made of. Read by the host's C
 * compiler, by the native build of kernels and by OpenCL C compilers, so only fixed-size types appear,
 * padding is explicit, and both sides check the sizes.
 *
 * Blocks of one kernel family stand in params_<family>.h.
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
    EPILOGUE_BUFFERS = 8, /* buffers that they may read, besides the kernel's own */
    EPILOGUE_SCALARS = 8,
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

/* Where a quantisation parameter is found: in an epilogue buffer, or in a scalar, or nowhere. The element is
 * the sum over d of (position[d] / group[d]) * stride[d]. */
enum { QUANT_NONE = 0, QUANT_BUFFER = 1, QUANT_SCALAR = 2 };
struct quant_source {
    i32 from, index; /* enum above; number of the buffer or scalar */
    i32 type, ndims;
    i64 group[TENSOR_DIMS];
    i64 stride[TENSOR_DIMS];
};
PARAMS_SIZE(quant_source, 208);

/* One post-op. `kind` is one of these; `alg` is dnnl_alg_kind_t. */
enum { POST_SUM = 1, POST_ELTWISE = 2, POST_BINARY = 3, POST_PRELU = 4 };
struct epilogue_op {
    i32 kind, alg;
    f32 alpha, beta, scale; /* eltwise: y = scale * f(x; alpha, beta); sum: alpha is its scale */
    i32 zero_point;         /* sum */
    i32 buffer, buffer2;    /* epilogue buffers of src1 and src2, or -1 */
    struct tensor src1;     /* binary's or prelu's operand; sum's view of dst */
    struct tensor src2;     /* the condition of a binary select */
};
PARAMS_SIZE(epilogue_op, 32 + 2 * 312);

/* What happens to a result before it is stored:
 *   x = ops(x * src_scale * weights_scale + bias) / dst_scale + dst_zero_point, then rounded and saturated to
 * the type of dst. Kernels add the bias themselves, between epilogue_scale and epilogue_finish. */
struct epilogue {
    i32 nops, dropout, rounding, pad;
    struct quant_source src_scale, weights_scale, dst_scale, dst_zero_point;
    struct epilogue_op ops[EPILOGUE_OPS];
};
PARAMS_SIZE(epilogue, 16 + 4 * 208 + 8 * 656);

/* The scalars of one launch, passed by value: what host-scalar memories held when execute was called. */
struct scalars {
    u32 values[EPILOGUE_SCALARS];
};
PARAMS_SIZE(scalars, 32);

#endif
