/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of runtimes. */
#include "runtimes/runtimes.h"
#include "base/env.h"

#include <pthread.h>
#include <strings.h>

/* One row a name that ONEDNN_CPU_RUNTIME or ONEDNN_GPU_RUNTIME may have. */
struct choice {
    const char *name;
    const struct runtime *runtime; /* NULL: none */
};

static const struct choice cpu_choices[] = {
        {"HOST", &host_runtime},
        {"SYCL", &sycl_runtime},
        {"NULL", &null_runtime},
        {NULL, NULL},
};

static const struct choice gpu_choices[] = {
        {"ZE", &level_zero_runtime},
        {"OCL", &opencl_runtime},
        {"SYCL", &sycl_runtime},
        {"NONE", NULL},
        {NULL, NULL},
};

/* A choice that was made: by the environment, or else by the build. */
static struct chosen {
    const struct runtime *runtime;
    const char *unknown; /* a name that is in no row */
} cpu, gpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct chosen choose_one(const char *variable, const struct choice *choices, const char *otherwise) {
    const char *name = env_get(variable);
    if (!name) name = otherwise;
    for (; choices->name; choices++)
        if (strcasecmp(name, choices->name) == 0) return (struct chosen){.runtime = choices->runtime};
    return (struct chosen){.unknown = name};
}

/* Prints nothing: verbose output itself asks which runtimes there are. */
static void choose(void) {
    cpu = choose_one("CPU_RUNTIME", cpu_choices, "HOST");
    gpu = choose_one("GPU_RUNTIME", gpu_choices, LODE_GPU_RUNTIME);
}

static const struct chosen *chosen_for(dnnl_engine_kind_t kind) {
    pthread_once(&once, choose);
    return kind == dnnl_cpu ? &cpu : &gpu;
}

const struct runtime *runtime_for(dnnl_engine_kind_t kind) {
    return chosen_for(kind)->runtime;
}

const char *runtime_unknown(dnnl_engine_kind_t kind) {
    return chosen_for(kind)->unknown;
}
