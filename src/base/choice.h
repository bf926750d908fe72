/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which runtime a plain engine means: the user's choice (ONEDNN_CPU_RUNTIME, ONEDNN_GPU_RUNTIME) or the
 * build's. Knows names only; runtimes/runtimes.c maps them to runtimes.
 */
#ifndef LODE_BASE_CHOICE_H
#define LODE_BASE_CHOICE_H

#include "oneapi/dnnl/dnnl_types.h"

enum runtime_name { RUNTIME_NONE, RUNTIME_HOST, RUNTIME_NULL, RUNTIME_ZE, RUNTIME_OCL, RUNTIME_SYCL };

struct runtime_choice {
    enum runtime_name name;
    unsigned kind;       /* DNNL_RUNTIME_*, for verbose lines */
    const char *unknown; /* the name that the user asked for, if no runtime has it; else NULL */
};

/* Reads the environment once; the answer never changes. Prints nothing, because verbose output calls it. */
const struct runtime_choice *runtime_choice(dnnl_engine_kind_t kind);

#endif
