/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SPIR-V compiler of an OpenCL runtime, in a separate process: such compilers do not validate their input
 * and may crash, and a damaged module must not take the program down.
 */
#ifndef LODE_DRIVER_SPIRV_COMPILER_H
#define LODE_DRIVER_SPIRV_COMPILER_H

#include "driver/log.h"
#include "driver/opencl.h"
#include "driver/spirv_recipe.h"

#include <level_zero/ze_api.h>

/* Path of the compiler, relative to the driver's folder. */
#define SPIRV_COMPILER_PATH "lode/spirv-compiler"

/* Time limit: a damaged module can send a compiler into an endless loop. */
static inline unsigned spirv_compiler_seconds(const struct spirv_recipe *recipe) {
    size_t size = 0;
    for (size_t i = 0; i < recipe->ninputs; i++)
        size += recipe->inputs[i].il_size;
    return 60 + (unsigned)(size / 4096);
}

/*
 * The compiler's argument is the path of an OpenCL library. Standard input is a packed recipe; standard
 * output is a file to which it writes an answer: this header, the log, the code.
 */
#define SPIRV_ANSWER_MAGIC UINT64_C(0x31534e415653444c) /* "LDSVANS1" */
struct spirv_answer {
    uint64_t magic; /* written last: without it the answer is incomplete */
    int64_t error;  /* OpenCL error code */
    uint64_t log_size, code_size;
};

bool spirv_compiler_exists(void);

/* Compiles the recipe and stores the code in it. */
ze_result_t spirv_compile(const struct opencl *cl, struct spirv_recipe *recipe, struct log *log);

#endif
