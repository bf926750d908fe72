/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and the code in them. Where the code came from (linked into this process, an ELF image, SPIR-V for
 * somebody else's compiler) is known to its backend only: kernels and launches see kernel_code.
 */
#ifndef LODE_DRIVER_MODULE_H
#define LODE_DRIVER_MODULE_H

#include "driver/command.h"
#include "driver/driver.h"
#include "driver/log.h"
#include "kernels/native.h"

struct module;

/* A kernel that can be launched, whoever's handle it is launched through. Lives as long as its module. */
struct kernel_code {
    const char *name;
    const struct native_arg *args;
    uint32_t nargs;
    uint32_t required_size[3]; /* of groups, or zeros */
    uint32_t local_size;       /* declared inside */
    uint32_t max_group_size;
    uint32_t max_sub_group_size;
    uint32_t max_together;  /* groups that surely run at the same time */
    bool any_argument_size; /* values are cut or zero-extended to what the kernel declares */
    void (*launch)(const struct launch_command *launch, const uint32_t groups[3]);
    const void *backend; /* the backend's own: what `launch` runs */

    /* Set by module_adopt: where each argument's value lies in a kernel's block of them. */
    uint32_t *offsets;
    uint32_t block_size;
};

/* What a kind of module can do. NULL means it cannot. */
struct module_backend {
    void (*destroy)(struct module *module);
    void *(*global)(const struct module *module, const char *name, size_t *size);
    void *(*function)(const struct module *module, const char *name);
};

struct module {
    struct object object;
    struct context *context;
    const struct module_backend *backend;
    void *data; /* the backend's */
    struct kernel_code *codes;
    uint32_t ncodes;
    unsigned char *binary; /* what zeModuleCreate takes as native; owned */
    size_t binary_size;
};

/* What a backend makes a module from. */
struct module_input {
    const unsigned char *bytes;
    size_t size;
    const char *flags; /* NULL or text */
    const ze_module_constants_t *constants;
};
struct module_source {
    ze_module_format_t format;
    struct module_input *inputs;
    uint32_t ninputs;
};

/* Each fills in backend, data, codes and binary of an empty module, or says in the log why not. */
ze_result_t native_module_build(struct module *module, const struct module_input *input, struct log *log);
ze_result_t spirv_module_build(struct module *module, const struct module_source *source, struct log *log);

/* The newest SPIR-V version that modules may have, 0 if there is nobody to compile it. */
uint32_t spirv_version(void);
/* Sizes of sub-groups that its kernels may ask for, at most that many; returns how many there are. */
uint32_t spirv_sub_groups(uint32_t most, uint32_t *sizes);

/* Copies bytes for zeModuleGetNativeBinary. */
bool module_keep_binary(struct module *module, const void *bytes, size_t size);

static inline struct module *to_module(ze_module_handle_t handle) {
    return object_is(handle, OBJECT_MODULE) ? (struct module *)handle : NULL;
}

#endif
