/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of runtimes. */
#include "runtimes/runtimes.h"
#include "base/choice.h"

static const struct runtime *const runtimes[] = {
        [RUNTIME_NONE] = NULL,           [RUNTIME_HOST] = &host_runtime,
        [RUNTIME_NULL] = &null_runtime,  [RUNTIME_ZE] = &level_zero_runtime,
        [RUNTIME_OCL] = &opencl_runtime, [RUNTIME_SYCL] = &sycl_runtime,
};

const struct runtime *runtime_for(dnnl_engine_kind_t kind) {
    return runtimes[runtime_choice(kind)->name];
}
