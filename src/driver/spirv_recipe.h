/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a SPIR-V module is made from, and what was made of it: as a structure, and packed into one piece
 * that is the native form of such a module.
 *
 * The code in it is for one version of one OpenCL runtime on one kind of CPU. Where it does not fit, the
 * SPIR-V beside it is compiled again.
 */
#ifndef LODE_DRIVER_SPIRV_RECIPE_H
#define LODE_DRIVER_SPIRV_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spirv_specialization {
    uint32_t id, size;
    uint64_t value;
};

struct spirv_input {
    void *il;
    size_t il_size;
    char *flags; /* OpenCL's */
    struct spirv_specialization *constants;
    size_t nconstants;
};

/* Owns all that it points to. */
struct spirv_recipe {
    struct spirv_input *inputs; /* several are linked */
    size_t ninputs;
    void *code;       /* the OpenCL runtime's binary */
    size_t code_size; /* 0 before compilation */
    uint64_t maker;   /* the runtime and the CPU that the code is for */
};

void spirv_recipe_clear(struct spirv_recipe *recipe);

/* Does it look like a packed recipe, whole or not? */
bool spirv_recipe_is_packed(const void *bytes, size_t size);
/* NULL if there is no memory; to be freed. */
void *spirv_recipe_pack(const struct spirv_recipe *recipe, size_t *size);
/* False if the bytes are damaged, or if there is no memory: then there is nothing to clear. */
bool spirv_recipe_unpack(const void *bytes, size_t size, struct spirv_recipe *recipe);

#endif
