/* SPDX-License-Identifier: Apache-2.0 */
/* Names of runtimes, and which of them the environment selects. */
#include "base/choice.h"
#include "base/env.h"
#include "oneapi/dnnl/dnnl_config.h"

#include <pthread.h>
#include <strings.h>

struct row {
    const char *word;
    struct runtime_choice choice;
};

static const struct row cpu_rows[] = {
        {"HOST", {.name = RUNTIME_HOST, .kind = DNNL_RUNTIME_OMP}},
        {"SYCL", {.name = RUNTIME_SYCL, .kind = DNNL_RUNTIME_SYCL}},
        {"NULL", {.name = RUNTIME_NULL, .kind = DNNL_RUNTIME_NONE}},
        {NULL, {.kind = DNNL_RUNTIME_NONE}},
};

static const struct row gpu_rows[] = {
        {"ZE", {.name = RUNTIME_ZE, .kind = DNNL_RUNTIME_ZE}},
        {"OCL", {.name = RUNTIME_OCL, .kind = DNNL_RUNTIME_OCL}},
        {"SYCL", {.name = RUNTIME_SYCL, .kind = DNNL_RUNTIME_SYCL}},
        {"NONE", {.name = RUNTIME_NONE, .kind = DNNL_RUNTIME_NONE}},
        {NULL, {.kind = DNNL_RUNTIME_NONE}},
};

static struct runtime_choice cpu, gpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct runtime_choice choose_one(const char *variable, const struct row *rows, const char *otherwise) {
    const char *word = env_get(variable);
    if (!word) word = otherwise;
    while (rows->word && strcasecmp(word, rows->word) != 0)
        rows++;
    struct runtime_choice choice = rows->choice;
    if (!rows->word) choice.unknown = word;
    return choice;
}

static void choose(void) {
    cpu = choose_one("CPU_RUNTIME", cpu_rows, "HOST");
    gpu = choose_one("GPU_RUNTIME", gpu_rows, LODE_GPU_RUNTIME);
}

const struct runtime_choice *runtime_choice(dnnl_engine_kind_t kind) {
    pthread_once(&once, choose);
    return kind == dnnl_cpu ? &cpu : &gpu;
}
