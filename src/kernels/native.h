/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between native kernels and the code that runs them: the host runtime, the embedded Level Zero
 * driver, or a program that loaded a module made by lodecc. Depends on nothing but <stdint.h>.
 *
 * A native kernel runs one work-group, all its work-items, in the calling thread. It owns nothing, keeps no
 * state between calls and may run in many threads at once.
 */
#ifndef LODE_KERNELS_NATIVE_H
#define LODE_KERNELS_NATIVE_H

#include <stdint.h>

#define NATIVE_VERSION 1
#define NATIVE_MAGIC UINT64_C(0x31564954414e444c) /* "LDNATIV1", little-endian */

/* A work-group of a launch. */
struct native_group {
    uint32_t id[3];     /* of this group */
    uint32_t count[3];  /* groups in the launch */
    uint32_t size[3];   /* work-items in a group */
    uint32_t ndims;     /* 1..3: the result of get_work_dim */
    uint64_t offset[3]; /* global offset */

    /* Waits for the other work-items of the group at a barrier. NULL unless the kernel has
     * NATIVE_USES_BARRIER: then the caller runs each work-item on a stack of its own, through
     * native_kernel.run_item. */
    void (*barrier)(const struct native_group *group);
};

enum native_arg_kind {
    NATIVE_ARG_BUFFER = 0, /* a pointer to global or constant memory; NULL is allowed */
    NATIVE_ARG_VALUE = 1,  /* `size` bytes */
    NATIVE_ARG_LOCAL = 2,  /* a pointer to local memory that the caller provides, aligned to 128 bytes */
};

struct native_arg {
    uint32_t kind;
    uint32_t size; /* of the argument's value: 8 for pointers */
};

/* args[i] is the address of the i-th argument's value, as the kernel declares it. */
typedef void (*native_run_group)(const struct native_group *group, void *const *args);
typedef void (*native_run_item)(const struct native_group *group, const uint32_t local_id[3],
                                void *const *args);

enum native_kernel_flags {
    NATIVE_USES_BARRIER = 1, /* use run_item, with one stack per work-item; run_group is NULL */
};

struct native_kernel {
    const char *name;
    native_run_group run_group;
    native_run_item run_item; /* NULL unless NATIVE_USES_BARRIER */
    const struct native_arg *args;
    uint32_t nargs;
    uint32_t flags;
    uint32_t group_size[3]; /* required work-group size, or zeros */
    uint32_t local_size;    /* bytes of local memory declared inside the kernel */
};

struct native_module {
    uint64_t magic;
    uint32_t version;
    uint32_t nkernels;
    const struct native_kernel *kernels;
};

/* A native module that is already in this process. A caller passes it to zeModuleCreate instead of an ELF
 * image, so that code linked into a library need not be shipped twice. */
#define NATIVE_REFERENCE_MAGIC UINT64_C(0x314645525649444c) /* "LDIVREF1" */
struct native_reference {
    uint64_t magic;
    uint64_t process; /* getpid(): a reference is valid only in its own process */
    const struct native_module *module;
};

#define NATIVE_MODULE_SYMBOL "lode_native_module" /* exported by a module's ELF image */

/* Follows a module's ELF image: a checksum of all bytes before it. */
#define NATIVE_SEAL_MAGIC UINT64_C(0x314c41455344444c) /* "LDDSEAL1" */
struct native_seal {
    uint64_t magic;
    uint64_t checksum;
};

/* FNV-1a, 64 bits. */
static inline uint64_t native_checksum(const unsigned char *bytes, uint64_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
