/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of runtimes. */
#include "runtimes/runtimes.h"
#include "base/env.h"
#include "core/verbose.h"

#include <pthread.h>
#include <strings.h>

/* One row a name that ONEDNN_CPU_RUNTIME or ONEDNN_GPU_RUNTIME may have. */
struct choice {
    const char *name;
    const struct runtime *runtime; /* NULL: none, or not in this build */
};

static const struct choice cpu_choices[] = {
        {"HOST", &host_runtime},
        {"NULL", &null_runtime},
        {NULL, NULL},
};

static const struct choice gpu_choices[] = {
        {"ZE", &level_zero_runtime},
        {"OCL", &opencl_runtime},
        {"NONE", NULL},
        {NULL, NULL},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct runtime *cpu_runtime, *gpu_runtime;

static const struct choice *find(const struct choice *choices, const char *name) {
    for (; choices->name; choices++)
        if (strcasecmp(name, choices->name) == 0) return choices;
    return NULL;
}

static const struct runtime *chosen(const char *variable, const struct choice *choices,
                                    const char *otherwise) {
    const char *name = env_get(variable);
    const struct choice *choice = find(choices, name ? name : otherwise);
    if (choice) return choice->runtime;
    verbose_line("common,warn,runtime,ONEDNN_%s=%s is none of this library's", variable, name);
    choice = find(choices, otherwise);
    return choice ? choice->runtime : NULL;
}

static void choose(void) {
    cpu_runtime = chosen("CPU_RUNTIME", cpu_choices, "HOST");
    gpu_runtime = chosen("GPU_RUNTIME", gpu_choices, LODE_GPU_RUNTIME);
}

const struct runtime *runtime_for(dnnl_engine_kind_t kind) {
    pthread_once(&once, choose);
    return kind == dnnl_cpu ? cpu_runtime : gpu_runtime;
}
