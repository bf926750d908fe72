/* SPDX-License-Identifier: Apache-2.0 */
/* Engines by name, as every tool of ours spells them: "cpu", "ze:0", "ocl:1", "sycl:0". */
#ifndef LODE_BENCH_ENGINES_H
#define LODE_BENCH_ENGINES_H

#include "oneapi/dnnl/dnnl_common_types.h"

#include <stdbool.h>

struct engine_runtime {
    const char *name, *title;
    const char *gpu, *cpu;       /* values of ONEDNN_GPU_RUNTIME and ONEDNN_CPU_RUNTIME, NULL: as they are */
    dnnl_engine_kind_t kinds[2]; /* of its engines, in numbering order */
};

/* Of one name each; then "gpu", which stands for whichever runtime the environment chooses. */
enum { ENGINE_RUNTIMES = 4 };
extern const struct engine_runtime engine_runtimes[ENGINE_RUNTIMES + 1];

/* Makes plain engines those of the runtime. A library reads the environment once, so this must come before
 * its first call. */
void engine_runtime_choose(const struct engine_runtime *runtime);

/* Chooses a runtime and opens one of its engines. */
bool engine_open(const char *name, dnnl_engine_t *engine);

#endif
