/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which runtime a plain engine means: the user's choice (ONEDNN_CPU_RUNTIME, ONEDNN_GPU_RUNTIME) or the
 * build's. Only names: what stands behind them is in runtimes/runtimes.c.
 */
#ifndef LODE_BASE_CHOICE_H
#define LODE_BASE_CHOICE_H

#include "oneapi/dnnl/dnnl_types.h"

enum runtime_name { RUNTIME_NONE, RUNTIME_HOST, RUNTIME_NULL, RUNTIME_ZE, RUNTIME_OCL, RUNTIME_SYCL };

struct runtime_choice {
    enum runtime_name name;
    unsigned kind;       /* DNNL_RUNTIME_*, for verbose lines */
    const char *unknown; /* what the user asked for instead, if no runtime has that name */
};

/* Read once; the same answer ever after. Prints nothing: verbose output itself asks. */
const struct runtime_choice *runtime_choice(dnnl_engine_kind_t kind);

#endif
