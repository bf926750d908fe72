/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points of kernels.
 */
#include "driver/kernel.h"
#include "driver/limits.h"
#include "driver/machine.h"

#include <stdlib.h>
#include <string.h>

static const struct kernel_code *find_code(const struct module *module, const char *name) {
    for (uint32_t i = 0; i < module->ncodes; i++)
        if (strcmp(module->codes[i].name, name) == 0) return &module->codes[i];
    return NULL;
}

static void kernel_dispose(void *pointer) {
    struct kernel *kernel = pointer;
    free(kernel->values);
    free(kernel->states);
    object_release(kernel->module);
    object_delete(kernel);
}

static void set_default_size(struct kernel *kernel) {
    for (int i = 0; i < 3; i++)
        kernel->group_size[i] = kernel->code->required_size[i] ? kernel->code->required_size[i] : 1;
}

ze_result_t ZE_APICALL zeKernelCreate(ze_module_handle_t handle, const ze_kernel_desc_t *desc,
                                      ze_kernel_handle_t *made) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !desc->pKernelName || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags > 3) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const struct kernel_code *code = find_code(module, desc->pKernelName);
    if (!code) return explain_with(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "no kernel %s", desc->pKernelName);
    struct kernel *kernel = object_new(OBJECT_KERNEL, sizeof *kernel, kernel_dispose);
    if (!kernel) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    kernel->module = module;
    kernel->code = code;
    object_hold(module);
    set_default_size(kernel);
    kernel->values = calloc(1, code->block_size + 1);
    kernel->states = calloc(code->nargs + 1, sizeof *kernel->states);
    if (!kernel->values || !kernel->states) {
        object_close(kernel);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *made = (ze_kernel_handle_t)kernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelDestroy(ze_kernel_handle_t handle) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(kernel);
    return ZE_RESULT_SUCCESS;
}

/* -- arguments -- */

static ze_result_t wrong_size(const struct kernel_code *code, uint32_t index, size_t size) {
    return explain_with(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                        "argument %u of %s has %u bytes, not %zu", index, code->name, code->args[index].size,
                        size);
}

ze_result_t argument_check(const struct kernel_code *code, uint32_t index, size_t size, const void *value) {
    if (index >= code->nargs)
        return explain_with(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "%s has %u arguments", code->name,
                            code->nargs);
    const struct native_arg *arg = &code->args[index];
    bool any_size = code->any_argument_size && arg->kind == NATIVE_ARG_VALUE;
    if (arg->kind != NATIVE_ARG_LOCAL)
        return size == arg->size || any_size ? ZE_RESULT_SUCCESS : wrong_size(code, index, size);
    if (value || size == 0)
        return explain_with(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                            "argument %u of %s is local memory: it takes a size and no value", index,
                            code->name);
    return ZE_RESULT_SUCCESS;
}

ze_result_t argument_write(const struct kernel_code *code, uint32_t index, size_t size, const void *value,
                           unsigned char *values, uint32_t *local_size) {
    ze_result_t result = argument_check(code, index, size, value);
    if (result) return result;
    const struct native_arg *arg = &code->args[index];
    unsigned char *place = values + code->offsets[index];
    memset(place, 0, arg->size);
    *local_size = arg->kind != NATIVE_ARG_LOCAL ? 0 : size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    if (value) memcpy(place, value, size < arg->size ? size : arg->size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetArgumentValue(ze_kernel_handle_t handle, uint32_t index, size_t size,
                                                const void *value) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    uint32_t local_size = 0;
    ze_result_t result = argument_write(kernel->code, index, size, value, kernel->values, &local_size);
    if (!result) kernel->states[index] = (struct argument_state){true, local_size};
    return result;
}

/* -- group sizes -- */

ze_result_t check_group_size(const struct kernel_code *code, const uint32_t size[3]) {
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0 || size[i] > MAX_GROUP_SIZE) return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
        if (code->required_size[i] && code->required_size[i] != size[i])
            return explain_with(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                                "%s requires another group size", code->name);
        items *= size[i];
    }
    return items <= code->max_group_size ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
}

ze_result_t ZE_APICALL zeKernelSetGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y, uint32_t z) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const uint32_t size[3] = {x, y, z};
    ze_result_t result = check_group_size(kernel->code, size);
    if (!result) memcpy(kernel->group_size, size, sizeof size);
    return result;
}

static uint32_t largest_divisor(uint32_t number, uint32_t limit) {
    uint32_t divisor = limit < number ? limit : number;
    while (number % divisor)
        divisor--;
    return divisor;
}

/* Prefers long rows, but leaves enough groups for all threads. */
ze_result_t ZE_APICALL zeKernelSuggestGroupSize(ze_kernel_handle_t handle, uint32_t gx, uint32_t gy,
                                                uint32_t gz, uint32_t *x, uint32_t *y, uint32_t *z) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!x || !y || !z) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!gx || !gy || !gz) return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
    const struct kernel_code *code = kernel->code;
    uint64_t share = (uint64_t)gx * gy * gz / (4 * machine()->threads) + 1;
    uint32_t limit = code->max_group_size < 256 ? code->max_group_size : 256;
    if (share < limit) limit = (uint32_t)share;
    if (code->required_size[0]) {
        *x = code->required_size[0];
        *y = code->required_size[1];
        *z = code->required_size[2];
        return ZE_RESULT_SUCCESS;
    }
    *x = largest_divisor(gx, limit);
    *y = largest_divisor(gy, limit / *x);
    *z = largest_divisor(gz, limit / *x / *y);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t handle, uint32_t *count) {
    const struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *count = kernel->code->max_concurrent;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetGlobalOffsetExp(ze_kernel_handle_t handle, uint32_t x, uint32_t y,
                                                  uint32_t z) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    kernel->offset[0] = x;
    kernel->offset[1] = y;
    kernel->offset[2] = z;
    return ZE_RESULT_SUCCESS;
}

/* -- hints: accepted and ignored -- */

ze_result_t ZE_APICALL zeKernelSetCacheConfig(ze_kernel_handle_t handle, ze_cache_config_flags_t flags) {
    if (!to_kernel(handle)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return flags > 3 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSchedulingHintExp(ze_kernel_handle_t handle,
                                                 ze_scheduling_hint_exp_desc_t *hint) {
    if (!to_kernel(handle)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!hint) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return hint->flags > 7 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

/* All memory is accessible, so the flags are only stored. */
ze_result_t ZE_APICALL zeKernelSetIndirectAccess(ze_kernel_handle_t handle,
                                                 ze_kernel_indirect_access_flags_t flags) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (flags > 7) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    kernel->indirect_access = flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetIndirectAccess(ze_kernel_handle_t handle,
                                                 ze_kernel_indirect_access_flags_t *flags) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!flags) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *flags = kernel->indirect_access;
    return ZE_RESULT_SUCCESS;
}

/* -- queries -- */

/* Level Zero's two-call protocol for strings; the size includes the terminating zero. */
static void return_text(const char *text, size_t *size, char *to) {
    size_t whole = strlen(text) + 1;
    if (to && *size) {
        size_t copied = (*size < whole ? *size : whole) - 1;
        memcpy(to, text, copied);
        to[copied] = 0;
    }
    if (!to || *size == 0 || *size > whole) *size = whole;
}

ze_result_t ZE_APICALL zeKernelGetName(ze_kernel_handle_t handle, size_t *size, char *name) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!size) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return_text(kernel->code->name, size, name);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetSourceAttributes(ze_kernel_handle_t handle, uint32_t *size, char **text) {
    const struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!size) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    size_t whole = *size;
    return_text(kernel->code->attributes ? kernel->code->attributes : "", &whole, text ? *text : NULL);
    *size = (uint32_t)whole;
    return ZE_RESULT_SUCCESS;
}

static void fill_kernel_extension(const struct kernel *kernel, struct chain *link) {
    switch ((uint32_t)link->stype) {
    case ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES:
        ((ze_kernel_preferred_group_size_properties_t *)link)->preferredMultiple =
                kernel->code->max_sub_group_size;
        break;
    case NEW_STYPE_KERNEL_MAX_GROUP_SIZE_PROPERTIES:
        ((struct ze_kernel_max_group_size_properties_ext *)link)->maxGroupSize = kernel->code->max_group_size;
        break;
    default: break;
    }
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

ze_result_t ZE_APICALL zeKernelGetProperties(ze_kernel_handle_t handle, ze_kernel_properties_t *properties) {
    struct kernel *kernel = to_kernel(handle);
    if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const struct kernel_code *code = kernel->code;
    ze_kernel_properties_t answer = {
            .stype = properties->stype,
            .pNext = properties->pNext,
            .numKernelArgs = code->nargs,
            .requiredGroupSizeX = code->required_size[0],
            .requiredGroupSizeY = code->required_size[1],
            .requiredGroupSizeZ = code->required_size[2],
            .maxSubgroupSize = code->max_sub_group_size,
            .maxNumSubgroups = code->max_group_size / code->max_sub_group_size,
            .localMemSize = code->local_size,
    };
    const uint64_t id[2] = {hash_text(code->name), NATIVE_MAGIC};
    memcpy(answer.uuid.kid, id, sizeof answer.uuid.kid);
    memcpy(answer.uuid.mid, &id[1], sizeof id[1]);
    *properties = answer;
    for (struct chain *link = properties->pNext; link; link = link->pNext)
        fill_kernel_extension(kernel, link);
    return ZE_RESULT_SUCCESS;
}
