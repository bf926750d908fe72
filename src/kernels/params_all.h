/* SPDX-License-Identifier: Apache-2.0 */
/* Every parameter block, for code that needs their sizes: the table of kernels and the tests. */
#ifndef LODE_KERNELS_PARAMS_ALL_H
#define LODE_KERNELS_PARAMS_ALL_H

#include "kernels/params_convolution.h"
#include "kernels/params_depthwise.h"
#include "kernels/params_depthwise_planes.h"
#include "kernels/params_doubles.h"
#include "kernels/params_eltwise.h"
#include "kernels/params_f64.h"
#include "kernels/params_gemm.h"
#include "kernels/params_gpu_gemm.h"
#include "kernels/params_gradient_tiles.h"
#include "kernels/params_int8_gemm.h"
#include "kernels/params_lrn.h"
#include "kernels/params_matmul.h"
#include "kernels/params_normalization.h"
#include "kernels/params_normalization_backward.h"
#include "kernels/params_pack.h"
#include "kernels/params_pooling.h"
#include "kernels/params_reduction.h"
#include "kernels/params_reorder.h"
#include "kernels/params_resampling.h"
#include "kernels/params_rnn.h"
#include "kernels/params_rows.h"
#include "kernels/params_softmax.h"
#include "kernels/params_sparse.h"
#include "kernels/params_weights_gradient.h"
#include "kernels/params_widening.h"
#include "kernels/params_winograd.h"

#endif
