/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what lodecc needs from textual LLVM IR, as clang's front end writes it, and makes the one change that
 * is needed. It does not parse instructions: names, metadata and linkage are enough.
 */
#ifndef LODECC_IR_H
#define LODECC_IR_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_KERNELS = 1024, MAX_ARGUMENTS = 256 };

struct kernel_argument {
    char *type;             /* as written, without a pointer's address space */
    uint32_t address_space; /* of pointers: 1 global, 2 constant, 3 local */
    bool pointer;
};

struct kernel_info {
    char *name;
    struct kernel_argument arguments[MAX_ARGUMENTS];
    uint32_t narguments;
    uint32_t group_size[3]; /* required, or zeros */
    bool uses_barrier;
};

struct module_info {
    struct kernel_info *kernels; /* array of MAX_KERNELS */
    uint32_t nkernels;
};

struct module_info ir_read(const struct text *ir);
void ir_free(struct module_info *module);

/* Gives every thread its own copy of local memory and of the named variables. */
struct text ir_make_thread_local(const struct text *ir, const char *const *names);

#endif
