/* SPDX-License-Identifier: Apache-2.0 */
/* Opens engines by name: engines.h. */
#define _POSIX_C_SOURCE 200809L
#include "engines.h"

#include "library.h"

#include <stdlib.h>
#include <string.h>

const struct engine_runtime engine_runtimes[ENGINE_RUNTIMES + 1] = {
        {"cpu", "CPU", NULL, NULL, {dnnl_cpu}},     {"ze", "Level Zero", "ZE", NULL, {dnnl_gpu}},
        {"ocl", "OpenCL", "OCL", NULL, {dnnl_gpu}}, {"sycl", "SYCL", "SYCL", "SYCL", {dnnl_gpu, dnnl_cpu}},
        {"gpu", "GPU", NULL, NULL, {dnnl_gpu}},
};

void engine_runtime_choose(const struct engine_runtime *runtime) {
    if (runtime->gpu) setenv("ONEDNN_GPU_RUNTIME", runtime->gpu, 1);
    if (runtime->cpu) setenv("ONEDNN_CPU_RUNTIME", runtime->cpu, 1);
}

static bool open_indexed(const struct engine_runtime *runtime, size_t index, dnnl_engine_t *engine) {
    engine_runtime_choose(runtime);
    for (int k = 0; k < 2 && runtime->kinds[k]; k++) {
        const size_t count = lib_engine_get_count(runtime->kinds[k]);
        if (index < count) return lib_engine_create(engine, runtime->kinds[k], index) == dnnl_success;
        index -= count;
    }
    return false;
}

bool engine_open(const char *name, dnnl_engine_t *engine) {
    const size_t length = strcspn(name, ":");
    for (int i = 0; i <= ENGINE_RUNTIMES; i++) {
        const char *known = engine_runtimes[i].name;
        if (strlen(known) == length && !strncmp(name, known, length))
            return open_indexed(&engine_runtimes[i], name[length] ? strtoul(name + length + 1, NULL, 10) : 0,
                                engine);
    }
    return false;
}
