/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_version: the release of oneDNN whose API this is, and the commit of this build. */
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

const dnnl_version_t *dnnl_version(void) {
    static const dnnl_version_t version = {
            .major = DNNL_VERSION_MAJOR,
            .minor = DNNL_VERSION_MINOR,
            .patch = DNNL_VERSION_PATCH,
            .hash = DNNL_VERSION_HASH,
            .cpu_runtime = DNNL_CPU_RUNTIME,
            .gpu_runtime = DNNL_GPU_RUNTIME,
    };
    return &version;
}
