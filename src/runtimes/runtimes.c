/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of runtimes. */
#include "runtimes/runtimes.h"
#include "oneapi/dnnl/dnnl_config.h"

#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

static const struct {
    const char *name; /* in ONEDNN_CPU_RUNTIME or ONEDNN_GPU_RUNTIME */
    const struct runtime *runtime;
} cpu_runtimes[] = {
        {"HOST", &host_runtime},
        {"NULL", &null_runtime},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct runtime *cpu_runtime = &host_runtime;

static void choose(void) {
    const char *wanted = getenv("ONEDNN_CPU_RUNTIME");
    for (size_t i = 0; wanted && i < sizeof cpu_runtimes / sizeof cpu_runtimes[0]; i++)
        if (strcasecmp(wanted, cpu_runtimes[i].name) == 0) cpu_runtime = cpu_runtimes[i].runtime;
}

const struct runtime *runtime_for(dnnl_engine_kind_t kind) {
    pthread_once(&once, choose);
    return kind == dnnl_cpu ? cpu_runtime : NULL;
}
