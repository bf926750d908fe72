/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIR-V modules.
 */
#include "driver/module.h"

uint32_t spirv_version(void) {
    return 0;
}

bool is_spirv_binary(const unsigned char *bytes, size_t size) {
    (void)bytes, (void)size;
    return false;
}

ze_result_t spirv_module_build(struct module *module, const struct module_source *source, struct log *log) {
    (void)module, (void)source;
    log_add(log, "SPIR-V needs an OpenCL runtime for the CPU that takes it; there is none here\n");
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
