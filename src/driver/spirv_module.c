/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIR-V modules: compiled in another process and run in this one by an OpenCL runtime for the CPU. A launch
 * waits until the runtime has finished it, which keeps streams in order.
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

/* The backend of a kernel's kernel_code. */
struct spirv_code {
    cl_kernel kernel;
    pthread_mutex_t lock; /* from setting arguments until the launch is submitted */
    struct last_argument {
        bool set;
        uint32_t local_size;
        unsigned char *value;
    } *last; /* the kernel's arguments as they are; their values follow them */
};

struct spirv_module {
    struct spirv_scan *scans; /* one per input */
    size_t nscans;
    cl_program program;
    struct spirv_code *codes;
    uint32_t ncodes;
};

uint32_t spirv_version(void) {
    return opencl() && spirv_compiler_exists() ? opencl()->version : 0;
}

uint32_t spirv_sub_groups(uint32_t most, uint32_t *sizes) {
    const size_t *sub_groups = spirv_version() ? opencl()->sub_groups : NULL;
    uint32_t count = 0;
    for (; sub_groups && count < most && sub_groups[count]; count++)
        sizes[count] = (uint32_t)sub_groups[count];
    return count;
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

/* Sets the arguments that differ from those of the last launch: each takes 0.1 us. */
static cl_int set_arguments(const struct opencl *cl, struct spirv_code *code,
                            const struct launch_command *launch) {
    for (uint32_t i = 0; i < launch->code->nargs; i++) {
        struct last_argument *last = &code->last[i];
        uint32_t size = launch->code->args[i].size;
        if (last->set && last->local_size == launch->local_sizes[i]
            && memcmp(last->value, launch->arguments[i], size) == 0)
            continue;
        last->set = false;
        cl_int error = set_argument(cl, code->kernel, launch, i);
        if (error) return error;
        last->set = true;
        last->local_size = launch->local_sizes[i];
        memcpy(last->value, launch->arguments[i], size);
    }
    return CL_SUCCESS;
}

static cl_int submit(const struct opencl *cl, cl_command_queue queue, const struct launch_command *launch,
                     const uint32_t groups[3], cl_event *event) {
    struct spirv_code *code = (struct spirv_code *)launch->code->backend;
    size_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = launch->offset[i];
        local[i] = launch->group_size[i];
        global[i] = (size_t)groups[i] * local[i];
    }
    pthread_mutex_lock(&code->lock);
    cl_int error = set_arguments(cl, code, launch);
    if (!error)
        error = cl->EnqueueNDRangeKernel(queue, code->kernel, 3, offset, global, local, 0, NULL, event);
    pthread_mutex_unlock(&code->lock);
    return error;
}

static void spirv_launch(const struct launch_command *launch, const uint32_t groups[3]) {
    if (!groups[0] || !groups[1] || !groups[2]) return;
    const struct opencl *cl = opencl();
    struct opencl_queue *queue = opencl_take_queue(cl);
    cl_event event = NULL;
    cl_int error = queue ? submit(cl, queue->queue, launch, groups, &event) : CL_OUT_OF_HOST_MEMORY;
    if (!error) error = cl->WaitForEvents(1, &event);
    if (event) cl->ReleaseEvent(event);
    if (queue) opencl_give_queue(queue);
    if (error) device_lose("the OpenCL runtime refused a launch");
}

/* -- reading inputs -- */

/* Translates a Level Zero build flag to OpenCL's; empty for flags that only other compilers know. */
static const char *translate_flag(const char *flag) {
    static const char *const ignored[] = {"-ze-", "-vc-", "-library-"};
    if (!strcmp(flag, "-ze-opt-disable")) return "-cl-opt-disable";
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (!strncmp(flag, ignored[i], strlen(ignored[i]))) return "";
    return flag;
}

/* Without a version, the OpenCL compiler knows only what OpenCL C 1.2 has. */
#define NEWEST_LANGUAGE "-cl-std=CL3.0"

static char *translate_flags(const char *flags, struct log *log) {
    char *result = calloc(strlen(flags) + sizeof NEWEST_LANGUAGE " ", 1), *copy = strdup(flags), *rest = NULL;
    if (!result || !copy) {
        free(result);
        free(copy);
        return NULL;
    }
    if (!strstr(flags, "-cl-std=")) strcpy(result, NEWEST_LANGUAGE);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *translated = translate_flag(word);
        if (!translated[0]) log_add(log, "build flag %s is ignored: it is for other devices\n", word);
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
                                 struct spirv_input *input, struct log *log) {
    if (!given || !given->numConstants) return ZE_RESULT_SUCCESS;
    if (!given->pConstantIds || !given->pConstantValues) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    input->constants = calloc(given->numConstants, sizeof *input->constants);
    if (!input->constants) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < given->numConstants; i++) {
        uint32_t id = given->pConstantIds[i], size = constant_size(scan, id);
        if (!size) {
            log_add(log, "the module has no specialization constant %u\n", id);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
        struct spirv_specialization *constant = &input->constants[input->nconstants++];
        *constant = (struct spirv_specialization){.id = id, .size = size};
        memcpy(&constant->value, given->pConstantValues[i], size);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t scan_inputs(struct spirv_module *data, const struct spirv_recipe *recipe,
                               struct log *log) {
    data->scans = calloc(recipe->ninputs, sizeof *data->scans);
    if (!data->scans) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < recipe->ninputs; i++) {
        const char *why = spirv_scan(recipe->inputs[i].il, recipe->inputs[i].il_size, &data->scans[i]);
        if (why) {
            log_add(log, "not a SPIR-V module: %s\n", why);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
        data->nscans++;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t unpack(struct spirv_module *data, const struct module_source *source,
                          struct spirv_recipe *recipe, struct log *log) {
    const struct module_input *only = source->inputs;
    if (source->ninputs != 1 || !spirv_recipe_unpack(only->bytes, only->size, recipe)) {
        log_add(log, "damaged SPIR-V binary\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    return scan_inputs(data, recipe, log);
}

static ze_result_t read_inputs(struct spirv_module *data, const struct module_source *source,
                               struct spirv_recipe *recipe, struct log *log) {
    recipe->inputs = calloc(source->ninputs, sizeof *recipe->inputs);
    if (!recipe->inputs) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < source->ninputs; i++) {
        const struct module_input *given = &source->inputs[i];
        struct spirv_input *input = &recipe->inputs[recipe->ninputs++];
        input->il = malloc(given->size);
        input->il_size = given->size;
        input->flags = translate_flags(given->flags ? given->flags : "", log);
        if (!input->il || !input->flags) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        memcpy(input->il, given->bytes, given->size);
    }
    ze_result_t result = scan_inputs(data, recipe, log);
    for (uint32_t i = 0; !result && i < source->ninputs; i++)
        result = add_constants(source->inputs[i].constants, &data->scans[i], &recipe->inputs[i], log);
    return result;
}

/* -- building -- */

static bool load_code(struct spirv_module *data, const struct spirv_recipe *recipe) {
    const struct opencl *cl = opencl();
    const unsigned char *code = recipe->code;
    cl_int status = 0, error = 0;
    cl_program program = cl->CreateProgramWithBinary(cl->context, 1, &cl->device, &recipe->code_size, &code,
                                                     &status, &error);
    if (error || status || cl->BuildProgram(program, 1, &cl->device, recipe->inputs[0].flags, NULL, NULL)) {
        if (program) cl->ReleaseProgram(program);
        return false;
    }
    data->program = program;
    return true;
}

/* Uses the code that came with the module if it fits this machine, else compiles. */
static ze_result_t make_program(struct spirv_module *data, struct spirv_recipe *recipe, struct log *log) {
    const struct opencl *cl = opencl();
    if (!cl) {
        log_add(log, "SPIR-V modules need an OpenCL runtime for the CPU that accepts SPIR-V; this machine "
                     "has none\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (recipe->code_size && recipe->target == cl->identity && load_code(data, recipe))
        return ZE_RESULT_SUCCESS;
    ze_result_t result = spirv_compile(cl, recipe, log);
    if (result || load_code(data, recipe)) return result;
    log_add(log, "the OpenCL runtime cannot load the code it compiled\n");
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

static uint64_t arguments_size(const struct spirv_kernel *kernel) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < kernel->nargs; i++)
        size += kernel->args[i].size;
    return size;
}

static struct last_argument *make_last(const struct spirv_kernel *kernel) {
    struct last_argument *last = calloc(1, kernel->nargs * sizeof *last + arguments_size(kernel) + 1);
    unsigned char *value = last ? (unsigned char *)(last + kernel->nargs) : NULL;
    for (uint32_t i = 0; last && i < kernel->nargs; i++) {
        last[i].value = value;
        value += kernel->args[i].size;
    }
    return last;
}

static ze_result_t make_kernel(struct module *module, struct spirv_module *data,
                               struct spirv_kernel *kernel) {
    const struct opencl *cl = opencl();
    cl_int error = 0;
    struct spirv_code *backend = &data->codes[data->ncodes];
    backend->kernel = cl->CreateKernel(data->program, kernel->name, &error);
    if (error) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    pthread_mutex_init(&backend->lock, NULL);
    backend->last = make_last(kernel);
    data->ncodes++;
    if (!backend->last) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    module->codes[module->ncodes++] = (struct kernel_code){
            .name = kernel->name,
            .attributes = kernel->attributes,
            .args = kernel->args,
            .nargs = kernel->nargs,
            .required_size = {kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]},
            .local_size = (uint32_t)kernel_number(cl, backend->kernel, CL_KERNEL_LOCAL_MEM_SIZE),
            .max_group_size =
                    at_most(kernel_number(cl, backend->kernel, CL_KERNEL_WORK_GROUP_SIZE), MAX_GROUP_SIZE),
            .max_sub_group_size = at_most(
                    kernel_number(cl, backend->kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 64),
            .max_concurrent = 1, /* OpenCL guarantees no more */
            .any_argument_size = true,
            .launch = spirv_launch,
            .backend = backend,
    };
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_kernels_of(struct module *module, struct spirv_module *data, struct spirv_scan *scan,
                                   struct log *log) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; !result && i < scan->nkernels; i++) {
        struct spirv_kernel *kernel = &scan->kernels[i];
        if (kernel->unsupported || arguments_size(kernel) > MAX_ARGUMENTS_SIZE)
            log_add(log, "kernel %s is left out: it takes images, samplers or too many arguments\n",
                    kernel->name);
        else
            result = make_kernel(module, data, kernel);
        if (result) log_add(log, "kernel %s cannot be created\n", kernel->name);
    }
    return result;
}

static ze_result_t make_kernels(struct module *module, struct spirv_module *data, struct log *log) {
    size_t count = 1;
    for (size_t i = 0; i < data->nscans; i++)
        count += data->scans[i].nkernels;
    module->codes = calloc(count, sizeof *module->codes);
    data->codes = calloc(count, sizeof *data->codes);
    if (!module->codes || !data->codes) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; !result && i < data->nscans; i++)
        result = make_kernels_of(module, data, &data->scans[i], log);
    return result;
}

static void spirv_destroy(struct module *module) {
    struct spirv_module *data = module->data;
    for (uint32_t i = 0; i < data->ncodes; i++) {
        opencl()->ReleaseKernel(data->codes[i].kernel);
        pthread_mutex_destroy(&data->codes[i].lock);
        free(data->codes[i].last);
    }
    if (data->program) opencl()->ReleaseProgram(data->program);
    for (size_t i = 0; i < data->nscans; i++)
        spirv_scan_free(&data->scans[i]);
    free(data->scans);
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
    struct spirv_recipe recipe = {0};
    bool packed = spirv_recipe_is_packed(source->inputs->bytes, source->inputs->size);
    ze_result_t result = (packed ? unpack : read_inputs)(data, source, &recipe, log);
    if (!result) result = make_program(data, &recipe, log);
    if (!result) result = make_kernels(module, data, log);
    if (!result && !(module->binary = spirv_recipe_pack(&recipe, &module->binary_size)))
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    spirv_recipe_clear(&recipe);
    return result;
}
