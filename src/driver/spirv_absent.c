/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands for spirv_module.c where the driver was built without OpenCL's headers.
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
    log_add(log, "this driver was built without SPIR-V: OpenCL's headers were missing\n");
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
