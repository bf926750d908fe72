/* SPDX-License-Identifier: Apache-2.0 */
/* Loading programs onto devices: see executable.h. */
#include "runtimes/executable.h"
#include "base/verbose.h"

#include <stdlib.h>

void executable_free(struct executable *executable) {
    if (!executable) return;
    const struct runtime *runtime = executable->device->runtime;
    if (runtime->params_free && executable->params)
        runtime->params_free(executable->device, executable->program->nlaunches, executable->blocks,
                             executable->params);
    program_release(executable->program);
    free(executable);
}

static struct executable *executable_new(struct device *device, struct program *program) {
    size_t n = (size_t)program->nlaunches;
    struct executable *executable = calloc(1, sizeof *executable + 2 * n * sizeof(void *));
    if (!executable) return NULL;
    executable->device = device;
    executable->program = program_retain(program);
    executable->blocks = executable->kernels + n;
    return executable;
}

static dnnl_status_t load(struct executable *executable) {
    const struct program *program = executable->program;
    struct device *device = executable->device;
    for (int i = 0; i < program->nlaunches; i++) {
        TRY(device->runtime->kernel_load(device, program->launches[i]->kernel, &executable->kernels[i]));
        executable->blocks[i] = program->params + program->launches[i]->offset;
    }
    if (!device->runtime->params_load || program->nlaunches == 0) return dnnl_success;
    return device->runtime->params_load(device, program, executable->blocks, &executable->params);
}

dnnl_status_t executable_load(struct executable **executable, struct device *device,
                              struct program *program) {
    struct executable *made = executable_new(device, program);
    if (!made) return dnnl_out_of_memory;
    dnnl_status_t status = load(made);
    if (status == dnnl_success)
        *executable = made;
    else
        executable_free(made);
    return status;
}
