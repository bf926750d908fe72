/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a SPIR-V module is built from, plus the compiled code: as a structure, and packed as the native
 * binary of such a module.
 *
 * The code fits one version of one OpenCL runtime on one CPU model. Elsewhere the SPIR-V is compiled again.
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
    char *flags; /* in OpenCL's syntax */
    struct spirv_specialization *constants;
    size_t nconstants;
};

/* Owns everything it points to. */
struct spirv_recipe {
    struct spirv_input *inputs; /* several are linked together */
    size_t ninputs;
    void *code;       /* binary from the OpenCL runtime */
    size_t code_size; /* 0 before compilation */
    uint64_t target;  /* identifies the runtime and CPU that the code fits */
};

void spirv_recipe_clear(struct spirv_recipe *recipe);

/* Does it start like a packed recipe? It may still be damaged. */
bool spirv_recipe_is_packed(const void *bytes, size_t size);
/* NULL when out of memory; the caller frees it. */
void *spirv_recipe_pack(const struct spirv_recipe *recipe, size_t *size);
/* False if the bytes are damaged or out of memory; then the recipe is empty. */
bool spirv_recipe_unpack(const void *bytes, size_t size, struct spirv_recipe *recipe);

#endif
