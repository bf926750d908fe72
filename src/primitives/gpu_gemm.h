/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix-product kernels of GPU-class devices: convolution, inner product and matmul of f32
 * and f16. The kernels read and write any plain layout, and weights in panels, so nothing is copied before.
 */
#ifndef LODE_PRIMITIVES_GPU_GEMM_H
#define LODE_PRIMITIVES_GPU_GEMM_H

#include "primitives/gemm.h"

/* The data of the implementations: one row each in the tables of their primitives. */
extern const struct gemm_tile_shape gpu_gemm_f32, gpu_gemm_f16;

dnnl_status_t gpu_gemm_build_convolution(struct plan *plan);
dnnl_status_t gpu_gemm_build_inner_product(struct plan *plan);
dnnl_status_t gpu_gemm_build_matmul(struct plan *plan);

#endif
