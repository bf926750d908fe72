/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIR-V modules, compiled (in another process) and run (in this one) by an OpenCL runtime for the CPU. A
 * launch waits for the runtime's: streams stay in order without its help.
 */
#define _GNU_SOURCE
#include "driver/append_launch.h"
#include "driver/limits.h"
#include "driver/module.h"
#include "driver/opencl.h"
#include "driver/spirv_compiler.h"
#include "driver/spirv_recipe.h"
#include "driver/spirv_scan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a module's kernels are behind kernel_code.backend. */
struct spirv_code {
    cl_kernel kernel;
    pthread_mutex_t lock; /* of its arguments, until they are submitted */
};

struct spirv_module {
    struct spirv_scan scan;
    cl_program program;
    struct spirv_code *codes;
    uint32_t ncodes;
};

uint32_t spirv_version(void) {
    return opencl() && spirv_compiler_is_there() ? opencl()->version : 0;
}

/* -- launching -- */

static cl_int set_argument(const struct opencl *cl, cl_kernel kernel, const struct launch_command *launch,
                           uint32_t i) {
    const struct native_arg *arg = &launch->code->args[i];
    if (arg->kind == NATIVE_ARG_LOCAL) return cl->SetKernelArg(kernel, i, launch->local_sizes[i], NULL);
    if (arg->kind == NATIVE_ARG_VALUE) return cl->SetKernelArg(kernel, i, arg->size, launch->arguments[i]);
    void *pointer;
    memcpy(&pointer, launch->arguments[i], sizeof pointer);
    return cl->SetKernelArgMemPointer ? cl->SetKernelArgMemPointer(kernel, i, pointer)
                                      : cl->SetKernelArgSVMPointer(kernel, i, pointer);
}

static cl_int submit(const struct opencl *cl, const struct launch_command *launch, const uint32_t groups[3],
                     cl_event *event) {
    struct spirv_code *code = (struct spirv_code *)launch->code->backend;
    size_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = launch->offset[i];
        local[i] = launch->group_size[i];
        global[i] = (size_t)groups[i] * local[i];
    }
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&code->lock);
    for (uint32_t i = 0; !error && i < launch->code->nargs; i++)
        error = set_argument(cl, code->kernel, launch, i);
    if (!error)
        error = cl->EnqueueNDRangeKernel(cl->queue, code->kernel, 3, offset, global, local, 0, NULL, event);
    pthread_mutex_unlock(&code->lock);
    return error;
}

static void spirv_launch(const struct launch_command *launch, const uint32_t groups[3]) {
    if (!groups[0] || !groups[1] || !groups[2]) return;
    const struct opencl *cl = opencl();
    cl_event event = NULL;
    cl_int error = submit(cl, launch, groups, &event);
    if (!error) error = cl->WaitForEvents(1, &event);
    if (event) cl->ReleaseEvent(event);
    if (error) device_lose("the OpenCL runtime refused a launch");
}

/* -- what it is made from -- */

/* What a recipe points into. */
struct ingredients {
    void *input; /* as it was given, but aligned */
    char *flags;
    struct spirv_specialization *constants;
    void *code;
};

static void throw_away(struct ingredients *ingredients) {
    free(ingredients->input);
    free(ingredients->flags);
    free(ingredients->constants);
    free(ingredients->code);
}

/* Flags of Level Zero in OpenCL's words; what only other compilers understand is left out. */
static char *translate_flags(const char *flags, struct log *log) {
    static const struct {
        const char *ours, *theirs;
    } words[] = {
            {"-ze-opt-disable", "-cl-opt-disable"},
            {"-ze-fp64-gen-conv-emu", ""},
            {"-ze-opt-greater-than-4GB-buffer-required", ""},
            {"-ze-opt-large-register-file", ""},
            {"-ze-opt-has-buffer-offset-arg", ""},
    };
    char *result = calloc(strlen(flags) + 2, 1), *copy = strdup(flags), *rest = NULL;
    if (!result || !copy) {
        free(result);
        free(copy);
        return NULL;
    }
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *translated = word;
        if (!strncmp(word, "-ze-", 4) || !strncmp(word, "-vc-", 4) || !strncmp(word, "-library-", 9))
            translated = "";
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (!strcmp(word, words[i].ours)) translated = words[i].theirs;
        if (!translated[0]) log_add(log, "build flag %s is for other devices\n", word);
        if (result[0] && translated[0]) strcat(result, " ");
        strcat(result, translated);
    }
    free(copy);
    return result;
}

static uint32_t constant_size(const struct spirv_scan *scan, uint32_t id) {
    for (uint32_t i = 0; i < scan->nconstants; i++)
        if (scan->constants[i].id == id) return scan->constants[i].size;
    return 0;
}

static ze_result_t add_constants(const ze_module_constants_t *given, const struct spirv_scan *scan,
                                 struct ingredients *ingredients, struct spirv_recipe *recipe,
                                 struct log *log) {
    if (!given || !given->numConstants) return ZE_RESULT_SUCCESS;
    if (!given->pConstantIds || !given->pConstantValues) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ingredients->constants = calloc(given->numConstants, sizeof *ingredients->constants);
    if (!ingredients->constants) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    recipe->constants = ingredients->constants;
    for (uint32_t i = 0; i < given->numConstants; i++) {
        uint32_t id = given->pConstantIds[i], size = constant_size(scan, id);
        if (!size) {
            log_add(log, "the module has no specialization constant %u\n", id);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
        struct spirv_specialization *constant = &ingredients->constants[recipe->nconstants++];
        *constant = (struct spirv_specialization){.id = id, .size = size};
        memcpy(&constant->value, given->pConstantValues[i], size);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t read_recipe(const struct module_source *source, struct spirv_scan *scan,
                               struct ingredients *ingredients, struct spirv_recipe *recipe,
                               struct log *log) {
    bool packed = spirv_recipe_is_packed(source->bytes, source->size);
    ingredients->input = malloc(source->size);
    ingredients->flags = translate_flags(source->flags ? source->flags : "", log);
    if (!ingredients->input || !ingredients->flags) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(ingredients->input, source->bytes, source->size);
    *recipe = (struct spirv_recipe){
            .il = ingredients->input, .il_size = source->size, .flags = ingredients->flags};
    if (packed && !spirv_recipe_unpack(ingredients->input, source->size, recipe)) {
        log_add(log, "a damaged SPIR-V binary\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    const char *why = spirv_scan(recipe->il, recipe->il_size, scan);
    if (why) {
        log_add(log, "not a SPIR-V module: %s\n", why);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    return packed ? ZE_RESULT_SUCCESS : add_constants(source->constants, scan, ingredients, recipe, log);
}

/* -- building -- */

static bool load_code(struct spirv_module *data, const struct spirv_recipe *recipe) {
    const struct opencl *cl = opencl();
    const unsigned char *code = recipe->code;
    cl_int status = 0, error = 0;
    cl_program program = cl->CreateProgramWithBinary(cl->context, 1, &cl->device, &recipe->code_size, &code,
                                                     &status, &error);
    if (error || status || cl->BuildProgram(program, 1, &cl->device, recipe->flags, NULL, NULL)) {
        if (program) cl->ReleaseProgram(program);
        return false;
    }
    data->program = program;
    return true;
}

/* Code that came with the module serves where it fits. */
static ze_result_t make_program(struct spirv_module *data, struct spirv_recipe *recipe, void **code,
                                struct log *log) {
    const struct opencl *cl = opencl();
    if (!cl) {
        log_add(log, "SPIR-V needs an OpenCL runtime for the CPU that takes it, and this machine has none\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (recipe->code_size && recipe->maker == cl->identity && load_code(data, recipe))
        return ZE_RESULT_SUCCESS;
    ze_result_t result = spirv_compile(cl, recipe, code, log);
    if (result || load_code(data, recipe)) return result;
    log_add(log, "the OpenCL runtime does not load the code that it made\n");
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static size_t kernel_number(const struct opencl *cl, cl_kernel kernel, cl_kernel_work_group_info what) {
    size_t value[3] = {0};
    cl->GetKernelWorkGroupInfo(kernel, cl->device, what, sizeof value, value, NULL);
    return value[0];
}

static uint32_t at_most(size_t value, uint32_t limit) {
    return value < 1 ? 1 : value > limit ? limit : (uint32_t)value;
}

static ze_result_t make_kernel(struct module *module, struct spirv_module *data,
                               struct spirv_kernel *kernel) {
    const struct opencl *cl = opencl();
    cl_int error = 0;
    struct spirv_code *backend = &data->codes[data->ncodes];
    backend->kernel = cl->CreateKernel(data->program, kernel->name, &error);
    if (error) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    pthread_mutex_init(&backend->lock, NULL);
    data->ncodes++;
    module->codes[module->ncodes++] = (struct kernel_code){
            .name = kernel->name,
            .args = kernel->args,
            .nargs = kernel->nargs,
            .required_size = {kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]},
            .local_size = (uint32_t)kernel_number(cl, backend->kernel, CL_KERNEL_LOCAL_MEM_SIZE),
            .max_group_size =
                    at_most(kernel_number(cl, backend->kernel, CL_KERNEL_WORK_GROUP_SIZE), MAX_GROUP_SIZE),
            .max_sub_group_size = at_most(
                    kernel_number(cl, backend->kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 64),
            .any_argument_size = true,
            .launch = spirv_launch,
            .backend = backend,
    };
    return ZE_RESULT_SUCCESS;
}

static uint64_t arguments_size(const struct spirv_kernel *kernel) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < kernel->nargs; i++)
        size += kernel->args[i].size;
    return size;
}

static ze_result_t make_kernels(struct module *module, struct spirv_module *data, struct log *log) {
    uint32_t count = data->scan.nkernels;
    module->codes = calloc(count ? count : 1, sizeof *module->codes);
    data->codes = calloc(count ? count : 1, sizeof *data->codes);
    if (!module->codes || !data->codes) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; !result && i < count; i++) {
        struct spirv_kernel *kernel = &data->scan.kernels[i];
        if (kernel->unsupported || arguments_size(kernel) > MAX_ARGUMENTS_SIZE)
            log_add(log, "kernel %s is left out: it takes images, samplers or too much\n", kernel->name);
        else
            result = make_kernel(module, data, kernel);
        if (result) log_add(log, "kernel %s cannot be made\n", kernel->name);
    }
    return result;
}

static void spirv_destroy(struct module *module) {
    struct spirv_module *data = module->data;
    for (uint32_t i = 0; i < data->ncodes; i++) {
        opencl()->ReleaseKernel(data->codes[i].kernel);
        pthread_mutex_destroy(&data->codes[i].lock);
    }
    if (data->program) opencl()->ReleaseProgram(data->program);
    spirv_scan_free(&data->scan);
    free(data->codes);
    free(data);
}

static void *spirv_global(const struct module *module, const char *name, size_t *size) {
    const struct opencl *cl = opencl();
    const struct spirv_module *data = module->data;
    void *pointer = NULL;
    if (!cl->GetGlobalVariable || cl->GetGlobalVariable(cl->device, data->program, name, size, &pointer))
        return NULL;
    return pointer;
}

static void *spirv_function(const struct module *module, const char *name) {
    const struct opencl *cl = opencl();
    const struct spirv_module *data = module->data;
    cl_ulong address = 0;
    if (!cl->GetFunction || cl->GetFunction(cl->device, data->program, name, &address)) return NULL;
    return (void *)(uintptr_t)address;
}

static const struct module_backend spirv_backend = {
        .destroy = spirv_destroy,
        .global = spirv_global,
        .function = spirv_function,
};

ze_result_t spirv_module_build(struct module *module, const struct module_source *source, struct log *log) {
    struct spirv_module *data = calloc(1, sizeof *data);
    if (!data) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    module->data = data;
    module->backend = &spirv_backend;
    struct ingredients ingredients = {0};
    struct spirv_recipe recipe;
    ze_result_t result = read_recipe(source, &data->scan, &ingredients, &recipe, log);
    if (!result) result = make_program(data, &recipe, &ingredients.code, log);
    if (!result) result = make_kernels(module, data, log);
    if (!result && !(module->binary = spirv_recipe_pack(&recipe, &module->binary_size)))
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    throw_away(&ingredients);
    return result;
}
