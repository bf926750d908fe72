/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and their code. Only a module's backend knows where the code comes from (this process, an ELF
 * image, SPIR-V compiled by an OpenCL runtime): kernels and launches see kernel_code.
 */
#ifndef LODE_DRIVER_MODULE_H
#define LODE_DRIVER_MODULE_H

#include "driver/command.h"
#include "driver/driver.h"
#include "driver/log.h"
#include "kernels/native.h"

struct module;

/* A kernel that can be launched through any kernel handle. Lives as long as its module. */
struct kernel_code {
    const char *name;
    const char *attributes; /* of its source; NULL: not known */
    const struct native_arg *args;
    uint32_t nargs;
    uint32_t required_size[3]; /* of a group, or zeros */
    uint32_t local_size;       /* bytes declared in the kernel */
    uint32_t max_group_size;
    uint32_t max_sub_group_size;
    uint32_t max_concurrent; /* groups guaranteed to run concurrently */
    bool any_argument_size;  /* values are truncated or zero-extended to the declared size */
    void (*launch)(const struct launch_command *launch, const uint32_t groups[3]);
    const void *backend; /* private to the backend */

    /* Set by module_adopt: offset of each argument in a kernel's block of values. */
    uint32_t *offsets;
    uint32_t block_size;
};

/* Operations of a kind of module. NULL: not supported. */
struct module_backend {
    void (*destroy)(struct module *module);
    void *(*global)(const struct module *module, const char *name, size_t *size);
    void *(*function)(const struct module *module, const char *name);
};

struct module {
    struct object object;
    const struct module_backend *backend;
    void *data; /* private to the backend */
    struct kernel_code *codes;
    uint32_t ncodes;
    unsigned char *binary; /* for zeModuleGetNativeBinary; owned */
    size_t binary_size;
};

/* What a backend makes a module from. */
struct module_input {
    const unsigned char *bytes;
    size_t size;
    const char *flags; /* NULL or a string */
    const ze_module_constants_t *constants;
};
struct module_source {
    ze_module_format_t format;
    struct module_input *inputs;
    uint32_t ninputs;
};

/* Each fills in backend, data, codes and binary of an empty module, or logs why it cannot. */
ze_result_t native_module_build(struct module *module, const struct module_input *input, struct log *log);
ze_result_t spirv_module_build(struct module *module, const struct module_source *source, struct log *log);

/* The newest SPIR-V version that modules may use, 0 if nothing here can compile SPIR-V. */
uint32_t spirv_version(void);
/* Writes at most `most` sub-group sizes that kernels may require; returns how many there are. */
uint32_t spirv_sub_groups(uint32_t most, uint32_t *sizes);

/* Copies bytes for zeModuleGetNativeBinary. */
bool module_keep_binary(struct module *module, const void *bytes, size_t size);

static inline struct module *to_module(ze_module_handle_t handle) {
    return object_is(handle, OBJECT_MODULE) ? (struct module *)handle : NULL;
}

#endif
