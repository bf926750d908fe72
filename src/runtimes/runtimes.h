/* SPDX-License-Identifier: Apache-2.0 */
/* The list of runtimes, and which of them a plain engine of each kind uses. */
#ifndef LODE_RUNTIMES_RUNTIMES_H
#define LODE_RUNTIMES_RUNTIMES_H

#include "runtimes/runtime.h"

/* The runtime of dnnl_engine_create(kind, …), or NULL if there is none. For GPUs ONEDNN_GPU_RUNTIME (ZE, OCL,
 * SYCL or NONE) decides, else the build's default; ONEDNN_CPU_RUNTIME=NULL replaces the CPU with the null
 * runtime. */
const struct runtime *runtime_for(dnnl_engine_kind_t kind);

#endif
