/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C API: memory, attributes, primitives. Source and ABI compatible with oneDNN.
 *
 * Objects are opaque pointers, created by *_create() and freed by *_destroy(), which accepts NULL. A function
 * that fails returns the reason, does not write its outputs and, in verbose mode, prints one line that names
 * the reason. Functions copy what they read: descriptors and attributes may be destroyed right after the
 * call.
 *
 * Typical use: describe tensors, create a primitive descriptor, query the layouts it chose, create the
 * primitive, execute it on a stream any number of times.
 */
#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Primitive descriptors
 */

/* Moves to the next implementation, or returns dnnl_last_impl_reached and leaves `pd` unchanged. */
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t pd);

DNNL_API dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t *pd, const_dnnl_primitive_desc_t from);
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t pd);

/* `*attr` is owned by `pd`. */
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t pd,
                                                    const_dnnl_primitive_attr_t *attr);

/* Writes the answer to `result`; dnnl_query_t tells its type. */
DNNL_API dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index,
                                                 void *result);

/* NULL if there is no such descriptor. The result is owned by `pd`. */
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t pd,
                                                               dnnl_query_t what, int index);

/* 0 if there is no such number. */
DNNL_API int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index);

/*
 * Primitives
 */

DNNL_API dnnl_status_t dnnl_primitive_create(dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t pd);
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);

/* `*pd` is owned by the primitive. */
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(const_dnnl_primitive_t primitive,
                                                         const_dnnl_primitive_desc_t *pd);

/* Submits the primitive to `stream`. Memory objects must live until it has run. Several threads may execute a
 * primitive at once. */
DNNL_API dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                              int nargs, const dnnl_exec_arg_t *args);

/* A blob recreates a primitive on the same device and library without compiling. If `cache_blob` is NULL,
 * only `*size` is written. */
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(const_dnnl_primitive_t primitive, size_t *size,
                                                     uint8_t *cache_blob);
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
                                                             const_dnnl_primitive_desc_t pd, size_t size,
                                                             const uint8_t *cache_blob);

/*
 * Primitive attributes
 */

DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t *attr,
                                                 const_dnnl_primitive_attr_t from);
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/* Dropout: a mask descriptor of zero dimensions disables it; a returned one is owned by `attr`. */
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(const_dnnl_primitive_attr_t attr,
                                                       const_dnnl_memory_desc_t *mask_desc);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(dnnl_primitive_attr_t attr,
                                                       const_dnnl_memory_desc_t mask_desc);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t *mask_desc,
                                                          dnnl_data_type_t *seed_dt, int *use_offset,
                                                          int *use_host_scalars);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t mask_desc,
                                                          dnnl_data_type_t seed_dt, int use_offset,
                                                          int use_host_scalars);

/* With `apply_to_int` the mode also applies to integer weights. */
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(const_dnnl_primitive_attr_t attr,
                                                           dnnl_fpmath_mode_t *mode);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr,
                                                           dnnl_fpmath_mode_t mode);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(const_dnnl_primitive_attr_t attr,
                                                              dnnl_fpmath_mode_t *mode, int *apply_to_int);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr,
                                                              dnnl_fpmath_mode_t mode, int apply_to_int);

/* Requests bitwise equal results from run to run. */
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(const_dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t *mode);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t mode);

DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(const_dnnl_primitive_attr_t attr,
                                                               dnnl_scratchpad_mode_t *mode);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr,
                                                               dnnl_scratchpad_mode_t mode);

/* Scales of argument `arg`: bit i of `mask` means that they vary along dimension i; `group_dims` is how many
 * elements along the last dimensions share one. Values are passed at execution as DNNL_ARG_ATTR_SCALES |
 * arg. */
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
                                                      int group_ndims, const dnnl_dims_t group_dims,
                                                      dnnl_data_type_t data_type);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask,
                                                         int ndims, const dnnl_dims_t group_dims,
                                                         dnnl_data_type_t data_type, int is_on_host);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask,
                                                         int ndims, const dnnl_dims_t group_dims,
                                                         dnnl_data_type_t data_type, int is_on_host,
                                                         dnnl_quantization_mode_t qmode);

/* Zero points, likewise. Values are passed as DNNL_ARG_ATTR_ZERO_POINTS | arg. */
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(dnnl_primitive_attr_t attr, int arg,
                                                                int mask);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
                                                           int group_ndims, const dnnl_dims_t group_dims,
                                                           dnnl_data_type_t data_type);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask,
                                                              int ndims, const dnnl_dims_t group_dims,
                                                              dnnl_data_type_t data_type, int is_on_host);

/* Sums of groups of `arg`, computed by the user. */
DNNL_API dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg,
                                                                      int mask, int group_ndims,
                                                                      const dnnl_dims_t group_dims,
                                                                      dnnl_data_type_t data_type);

DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(dnnl_primitive_attr_t attr, int arg,
                                                        dnnl_rounding_mode_t mode);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(dnnl_primitive_attr_t attr, int arg,
                                                        dnnl_rounding_mode_t *mode);

/* Quantization of recurrent cells: u8 data = f32 * scale + shift; weights have `count` scales. Returned
 * scales are owned by `attr`. */
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(dnnl_primitive_attr_t attr, float scale,
                                                                float shift);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(const_dnnl_primitive_attr_t attr,
                                                                float *scale, float *shift);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(dnnl_primitive_attr_t attr,
                                                                   dnnl_dim_t count, int mask,
                                                                   const float *scales);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(const_dnnl_primitive_attr_t attr,
                                                                   dnnl_dim_t *count, int *mask,
                                                                   const float **scales);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(dnnl_primitive_attr_t attr,
                                                                              dnnl_dim_t count, int mask,
                                                                              const float *scales);
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

/* Setting copies `post_ops`; returned ones are owned by `attr`. */
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(const_dnnl_primitive_attr_t attr,
                                                        const_dnnl_post_ops_t *post_ops);
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr,
                                                        const_dnnl_post_ops_t post_ops);

/*
 * Post-ops: operations on the result of a primitive, applied in order before it is stored
 */

DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops);
DNNL_API dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t from);
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/* dnnl_undefined_primitive if `index` is out of range. */
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/* result + scale * (dst - zero_point), reading dst as `data_type`, or as its own type if that is undef. */
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale, int32_t zero_point,
                                                dnnl_data_type_t data_type);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
                                                    int32_t *zero_point, dnnl_data_type_t *data_type);

DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                    float alpha, float beta);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
                                                        dnnl_alg_kind_t *alg_kind, float *alpha, float *beta);

/* A depthwise convolution fused after a 1x1 convolution. */
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
                                               dnnl_data_type_t bias_data_type,
                                               dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
                                               dnnl_dim_t stride_size, dnnl_dim_t padding_l_size);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
                                                   dnnl_data_type_t *weights_data_type,
                                                   dnnl_data_type_t *bias_data_type,
                                                   dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size,
                                                   dnnl_dim_t *stride_size, dnnl_dim_t *padding_l_size);

/* Sources are broadcast to the result's shape. Returned descriptors are owned by `post_ops`. */
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                   const_dnnl_memory_desc_t src1_desc);
DNNL_API dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                      const_dnnl_memory_desc_t src1_desc,
                                                      const_dnnl_memory_desc_t src2_desc);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
                                                       dnnl_alg_kind_t *alg_kind,
                                                       const_dnnl_memory_desc_t *src1_desc);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
                                                          dnnl_alg_kind_t *alg_kind,
                                                          const_dnnl_memory_desc_t *src1_desc,
                                                          const_dnnl_memory_desc_t *src2_desc);

/* `mask` tells along which dimensions the weights vary. */
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask);

/*
 * Memory descriptors
 */

DNNL_API dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t *md, const_dnnl_memory_desc_t from);
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t md);

/* A blob is a serialised descriptor. If `blob` is NULL, only `*size` is written. */
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(uint8_t *blob, size_t *size, const_dnnl_memory_desc_t md);
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t *md, const uint8_t *blob);

/* Strides are in elements. If NULL, the layout is dense, with the last dimension innermost. */
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *md, int ndims,
                                                            const dnnl_dims_t dims,
                                                            dnnl_data_type_t data_type,
                                                            const dnnl_dims_t strides);
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *md, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_format_tag_t tag);

/* Sparse tensors with `nnz` nonzero values. */
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *md, int ndims,
                                                                 const dnnl_dims_t dims,
                                                                 dnnl_data_type_t data_type, dnnl_dim_t nnz,
                                                                 dnnl_data_type_t indices_dt,
                                                                 dnnl_data_type_t pointers_dt);
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *md, int ndims,
                                                                 const dnnl_dims_t dims,
                                                                 dnnl_data_type_t data_type, dnnl_dim_t nnz,
                                                                 dnnl_data_type_t indices_dt);
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *md, int ndims,
                                                                    const dnnl_dims_t dims,
                                                                    dnnl_data_type_t data_type,
                                                                    dnnl_dim_t nnz);

DNNL_API dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t *md,
                                                           dnnl_data_type_t data_type);

/* A box of `dims` elements at `offsets` in the parent's memory. */
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *md,
                                                         const_dnnl_memory_desc_t parent,
                                                         const dnnl_dims_t dims, const dnnl_dims_t offsets);

/* The same memory with other dimensions; fails if the layout does not allow it. */
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in,
                                                int ndims, const dnnl_dims_t dims);

/* Dimension i of `in` becomes dimension permutation[i] of `*out`. */
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in,
                                                     const int *permutation);

/* Returned vectors are owned by `md`. `index` selects a buffer of a sparse descriptor. */
DNNL_API dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t md, dnnl_query_t what, void *result);
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t md, dnnl_query_t what, int index,
                                                 void *result);

/* 1 if both describe the same tensor in the same layout, else 0. */
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/* Bytes, padding included; 0 for a NULL or empty descriptor, DNNL_RUNTIME_SIZE_VAL if a dimension is known
 * only at execution. */
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t md);
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t md, int index);

/* Bytes per element: 1 for types smaller than a byte, (size_t)-1 for unknown ones. */
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);

/*
 * Memory: a descriptor, an engine and one or more buffers
 */

/* `handle` is the user's buffer, DNNL_MEMORY_NONE or DNNL_MEMORY_ALLOCATE. The user's buffer is borrowed. */
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                          dnnl_engine_t engine, void *handle);
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                             dnnl_engine_t engine, int nhandles, void **handles);

/* Stores a copy of the value at `scalar_ptr`. */
DNNL_API dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                      void *scalar_ptr);

DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);

/* Returned descriptors are owned by the memory object; the engine is the one it was created with. */
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory, const_dnnl_memory_desc_t *md);
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine);

/* Gives the host access to the contents until they are unmapped; must not overlap with execution. */
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr);
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void **mapped_ptr, int index);
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr);
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void *mapped_ptr, int index);

/* The buffer itself: a pointer, or a cl_mem or sycl::buffer for runtimes that have those. */
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle);
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle);
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void **handle, int index);
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle, int index);

DNNL_API dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value);
DNNL_API dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value);

/*
 * Primitive descriptors, one group per kind.
 *
 * `attr` NULL means default attributes; optional tensors (bias, statistics, states) may be NULL. For tensors
 * with the tag `any` the implementation chooses the layout. Backward descriptors take the descriptor of their
 * forward pass as a hint.
 */

/* Converts layout and type, within an engine or between two. */
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *pd, const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attr);

/* If `dst_desc` is NULL, the library chooses it. */
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         const_dnnl_memory_desc_t dst_desc, int n,
                                                         int concat_dimension,
                                                         const_dnnl_memory_desc_t const *src_descs,
                                                         const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                      const_dnnl_memory_desc_t dst_desc, int n,
                                                      const float *scales,
                                                      const_dnnl_memory_desc_t const *src_descs,
                                                      const_dnnl_primitive_attr_t attr);

/* The second source is broadcast to the first; v2 has a third source, for select. */
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         dnnl_alg_kind_t alg_kind,
                                                         const_dnnl_memory_desc_t src0_desc,
                                                         const_dnnl_memory_desc_t src1_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                            dnnl_alg_kind_t alg_kind,
                                                            const_dnnl_memory_desc_t src0_desc,
                                                            const_dnnl_memory_desc_t src1_desc,
                                                            const_dnnl_memory_desc_t src2_desc,
                                                            const_dnnl_memory_desc_t dst_desc,
                                                            const_dnnl_primitive_attr_t attr);

/* Spatial parameters are vectors with one number per spatial dimension. A dilation of 0 is a dense kernel. If
 * `padding_r` is NULL, it equals `padding_l`. */
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/* Transposes the channels along `axis` as a matrix of `group_size` columns. */
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/* `data_desc` is the source, or the destination for *_use_dst_for_bwd algorithms. */
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float alpha, float beta,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t data_desc, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t dst_desc, int softmax_axis, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
        float alpha, float beta, float k, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/* Normalizations: `flags` is a combination of dnnl_normalization_flags_t. */
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/* `stat_desc` is the layout of mean and variance; v2 also has the types of scale and shift. */
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/* Batches are broadcast; `bias_desc` is broadcast to `dst_desc`. */
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         const_dnnl_memory_desc_t src_desc,
                                                         const_dnnl_memory_desc_t weights_desc,
                                                         const_dnnl_memory_desc_t bias_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);

/* If `factors` is NULL, they follow from the shapes. */
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float *factors,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/* Reduces the dimensions whose size in `dst_desc` is 1. */
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                            dnnl_alg_kind_t alg_kind,
                                                            const_dnnl_memory_desc_t src_desc,
                                                            const_dnnl_memory_desc_t dst_desc, float p,
                                                            float eps, const_dnnl_primitive_attr_t attr);

/*
 * Recurrent cells. `flags` is a combination of dnnl_rnn_flags_t.
 */

DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t activation, dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
        float alpha, float beta, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t activation, dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags, float alpha, float beta,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc, const_dnnl_memory_desc_t weights_projection_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc, const_dnnl_memory_desc_t weights_projection_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t dst_iter_c_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_src_iter_c_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_weights_peephole_desc,
        const_dnnl_memory_desc_t diff_weights_projection_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);
DNNL_API dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/*
 * Process-wide settings
 */

/* Number of primitives kept for reuse; 0 disables the cache (environment:
 * ONEDNN_PRIMITIVE_CACHE_CAPACITY). */
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity);
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);

/* Nothing is compiled at run time, so there is nothing to dump or to report to a profiler: arguments are
 * checked and otherwise ignored. */
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags);
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/* The newest instruction set that may be used (environment: ONEDNN_MAX_CPU_ISA); can be set only before its
 * first use. The effective one is the best that the CPU has within that limit. */
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/* Times of the primitives executed on a profiling stream since its creation or the last reset, one entry
 * each. If `data` is NULL, only `*num_entries` is written. */
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);
DNNL_API dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind,
                                                 int *num_entries, uint64_t *data);
#endif

/*
 * Matrix products on the CPU: C = alpha op(A) op(B) + beta C, row-major, `trans*` one of N, n, T, t.
 */

DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                  float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
                                  float beta, float *C, dnnl_dim_t ldc);

/* Integer products first subtract `ao` and `bo` from A and B, and add `co`: one value (`offsetc` F), a column
 * (C) or a row (R) of values. */
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda,
                                         uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta,
                                         int32_t *C, dnnl_dim_t ldc, const int32_t *co);
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda,
                                         int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta,
                                         int32_t *C, dnnl_dim_t ldc, const int32_t *co);

#ifdef __cplusplus
}
#endif

#endif
