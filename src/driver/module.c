/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points of modules and build logs.
 */
#include "driver/module.h"
#include "driver/deferred.h"
#include "driver/limits.h"
#include "driver/spirv_recipe.h"

#include <stdlib.h>
#include <string.h>

struct build_log {
    struct object object;
    struct log log;
};

bool module_keep_binary(struct module *module, const void *bytes, size_t size) {
    module->binary = malloc(size);
    if (!module->binary) return false;
    memcpy(module->binary, bytes, size);
    module->binary_size = size;
    return true;
}

/* The largest power of two that divides a type's size, which is the strictest alignment it can need. */
static uint32_t alignment_of(uint32_t size) {
    uint32_t alignment = size & (~size + 1);
    return alignment > RECORD_ALIGNMENT ? RECORD_ALIGNMENT : alignment ? alignment : 1;
}

static bool lay_out_arguments(struct kernel_code *code) {
    code->offsets = calloc(code->nargs ? code->nargs : 1, sizeof *code->offsets);
    if (!code->offsets) return false;
    for (uint32_t i = 0; i < code->nargs; i++) {
        code->offsets[i] = (uint32_t)round_up(code->block_size, alignment_of(code->args[i].size));
        code->block_size = code->offsets[i] + code->args[i].size;
    }
    return true;
}

static void module_free(void *pointer) {
    struct module *module = pointer;
    if (module->backend) module->backend->destroy(module);
    for (uint32_t i = 0; i < module->ncodes; i++)
        free(module->codes[i].offsets);
    free(module->codes);
    free(module->binary);
    object_delete(module);
}

/* Launches in flight run its code. */
static void module_dispose(void *module) {
    defer(module_free, module);
}

static void log_dispose(void *pointer) {
    struct build_log *log = pointer;
    free(log->log.text);
    object_delete(log);
}

static ze_result_t build(struct module *module, const struct module_source *source, struct log *log) {
    const struct module_input *first = source->inputs;
    bool spirv =
            source->format == ZE_MODULE_FORMAT_IL_SPIRV || spirv_recipe_is_packed(first->bytes, first->size);
    ze_result_t result =
            spirv ? spirv_module_build(module, source, log) : native_module_build(module, first, log);
    for (uint32_t i = 0; !result && i < module->ncodes; i++)
        if (!lay_out_arguments(&module->codes[i])) result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return result;
}

/* Returns the log to the program, if it asked for it. */
static ze_result_t return_log(struct log *log, ze_module_build_log_handle_t *made) {
    struct build_log *object = made ? object_new(OBJECT_BUILD_LOG, sizeof *object, log_dispose) : NULL;
    if (object) {
        object->log = *log;
        *made = (ze_module_build_log_handle_t)object;
        return ZE_RESULT_SUCCESS;
    }
    free(log->text);
    return made ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

static ze_result_t check_inputs(const struct module_source *source) {
    if ((uint32_t)source->format > ZE_MODULE_FORMAT_NATIVE) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (source->format == ZE_MODULE_FORMAT_NATIVE && source->ninputs > 1)
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a native module has exactly one input");
    for (uint32_t i = 0; i < source->ninputs; i++) {
        if (!source->inputs[i].bytes) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (!source->inputs[i].size) return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    return ZE_RESULT_SUCCESS;
}

/* Reads the input from the descriptor, or several from its extension. */
static ze_result_t read_source(const ze_module_desc_t *desc, struct module_source *source) {
    const ze_module_program_exp_desc_t *several =
            chain_find(desc->pNext, ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    *source = (struct module_source){.format = desc->format, .ninputs = several ? several->count : 1};
    if (!source->ninputs) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (several && (!several->inputSizes || !several->pInputModules))
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    source->inputs = calloc(source->ninputs, sizeof *source->inputs);
    if (!source->inputs) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    source->inputs[0] =
            (struct module_input){desc->pInputModule, desc->inputSize, desc->pBuildFlags, desc->pConstants};
    for (uint32_t i = 0; several && i < several->count; i++)
        source->inputs[i] = (struct module_input){several->pInputModules[i], several->inputSizes[i],
                                                  several->pBuildFlags ? several->pBuildFlags[i] : NULL,
                                                  several->pConstants ? several->pConstants[i] : NULL};
    return check_inputs(source);
}

static ze_result_t create(const struct module_source *source, ze_module_handle_t *made,
                          ze_module_build_log_handle_t *made_log) {
    struct module *module = object_new(OBJECT_MODULE, sizeof *module, module_dispose);
    if (!module) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    struct log log = {0};
    ze_result_t result = build(module, source, &log);
    if (result && log.text) explain_with(result, "%s", log.text);
    ze_result_t log_result = return_log(&log, made_log);
    if (!result) result = log_result;
    if (result)
        object_close(module);
    else
        *made = (ze_module_handle_t)module;
    return result;
}

ze_result_t ZE_APICALL zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const ze_module_desc_t *desc, ze_module_handle_t *made,
                                      ze_module_build_log_handle_t *made_log) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct module_source source;
    ze_result_t result = read_source(desc, &source);
    if (!result) result = create(&source, made, made_log);
    free(source.inputs);
    return result;
}

ze_result_t ZE_APICALL zeModuleDestroy(ze_module_handle_t handle) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(module);
    return ZE_RESULT_SUCCESS;
}

/* Modules do not import from each other, so there is nothing to link. */
ze_result_t ZE_APICALL zeModuleDynamicLink(uint32_t count, ze_module_handle_t *modules,
                                           ze_module_build_log_handle_t *made_log) {
    if (!modules) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    for (uint32_t i = 0; i < count; i++)
        if (!to_module(modules[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return return_log(&(struct log){0}, made_log);
}

ze_result_t ZE_APICALL zeModuleInspectLinkageExt(ze_linkage_inspection_ext_desc_t *desc, uint32_t count,
                                                 ze_module_handle_t *modules,
                                                 ze_module_build_log_handle_t *made_log) {
    if (!desc || !modules || !made_log) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags > 7) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    for (uint32_t i = 0; i < count; i++)
        if (!to_module(modules[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct log log = {0};
    log_add(&log, "imports: none\nunresolvable imports: none\nexports: none\n");
    return return_log(&log, made_log);
}

ze_result_t ZE_APICALL zeModuleGetNativeBinary(ze_module_handle_t handle, size_t *size, uint8_t *bytes) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!size) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (bytes) memcpy(bytes, module->binary, *size < module->binary_size ? *size : module->binary_size);
    if (!bytes || *size > module->binary_size) *size = module->binary_size;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetGlobalPointer(ze_module_handle_t handle, const char *name, size_t *size,
                                                void **pointer) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!name) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    size_t found_size = 0;
    void *found = module->backend->global ? module->backend->global(module, name, &found_size) : NULL;
    if (!found) return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    if (size) *size = found_size;
    if (pointer) *pointer = found;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetFunctionPointer(ze_module_handle_t handle, const char *name,
                                                  void **pointer) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!name || !pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    void *found = module->backend->function ? module->backend->function(module, name) : NULL;
    if (!found) return ZE_RESULT_ERROR_INVALID_FUNCTION_NAME;
    *pointer = found;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetKernelNames(ze_module_handle_t handle, uint32_t *count,
                                              const char **names) {
    struct module *module = to_module(handle);
    if (!module) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    for (uint32_t i = 0; names && i < *count && i < module->ncodes; i++)
        names[i] = module->codes[i].name;
    if (!names || *count == 0 || *count > module->ncodes) *count = module->ncodes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetProperties(ze_module_handle_t handle, ze_module_properties_t *properties) {
    if (!to_module(handle)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->flags = 0;
    return ZE_RESULT_SUCCESS;
}

static struct build_log *to_log(ze_module_build_log_handle_t handle) {
    return object_is(handle, OBJECT_BUILD_LOG) ? (struct build_log *)handle : NULL;
}

ze_result_t ZE_APICALL zeModuleBuildLogDestroy(ze_module_build_log_handle_t handle) {
    struct build_log *log = to_log(handle);
    if (!log) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(log);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleBuildLogGetString(ze_module_build_log_handle_t handle, size_t *size,
                                                 char *text) {
    struct build_log *log = to_log(handle);
    if (!log) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!size) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    size_t whole = log->log.length + 1;
    if (text && *size) {
        size_t copied = (*size < whole ? *size : whole) - 1;
        if (copied) memcpy(text, log->log.text, copied);
        text[copied] = 0;
    }
    if (!text || *size == 0 || *size > whole) *size = whole;
    return ZE_RESULT_SUCCESS;
}
