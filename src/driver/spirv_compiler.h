/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler of SPIR-V: an OpenCL runtime's, in a process of its own. Compilers take SPIR-V to be valid and
 * crash where it is not, and a program that tries a damaged module shall live on.
 */
#ifndef LODE_DRIVER_SPIRV_COMPILER_H
#define LODE_DRIVER_SPIRV_COMPILER_H

#include "driver/log.h"
#include "driver/opencl.h"
#include "driver/spirv_recipe.h"

#include <level_zero/ze_api.h>

/* Where the compiler stands, seen from the driver. */
#define SPIRV_COMPILER_PLACE "lode/spirv-compiler"

/* How long it may take: damage can send a compiler round in circles. */
static inline unsigned spirv_compiler_seconds(const struct spirv_recipe *recipe) {
    size_t size = 0;
    for (size_t i = 0; i < recipe->ninputs; i++)
        size += recipe->inputs[i].il_size;
    return 60 + (unsigned)(size / 4096);
}

/*
 * It is called with the path of an OpenCL library, a packed recipe as its standard input and a file for its
 * standard output, where it leaves an answer: this, then the log, then the code.
 */
#define SPIRV_ANSWER_MAGIC UINT64_C(0x31534e415653444c) /* "LDSVANS1" */
struct spirv_answer {
    uint64_t magic; /* written last: without it there is no answer */
    int64_t error;  /* OpenCL's */
    uint64_t log_size, code_size;
};

bool spirv_compiler_is_there(void);

/* Adds the code to the recipe. */
ze_result_t spirv_compile(const struct opencl *cl, struct spirv_recipe *recipe, struct log *log);

#endif
