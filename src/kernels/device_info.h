/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties of a device that decide which kernels it gets. Every runtime fills this in; rows of
 * kernels.def state what a kernel needs in the same terms. Knows no runtime.
 */
#ifndef LODE_KERNELS_DEVICE_INFO_H
#define LODE_KERNELS_DEVICE_INFO_H

#include <stddef.h>

enum device_class { DEVICE_CPU, DEVICE_GPU };

/* Device features, one bit per feature. The bit of a sub-group size has the value of that size. */
enum device_feature {
    HAS_SUB_GROUP_4 = 4,
    HAS_SUB_GROUP_8 = 8,
    HAS_SUB_GROUP_16 = 16,
    HAS_SUB_GROUP_32 = 32,
    HAS_SUB_GROUP_64 = 64,
    HAS_SUB_GROUPS = 1 << 8,              /* of any size */
    HAS_INTEL_SUB_GROUPS = 1 << 9,        /* cl_intel_subgroups: block reads and writes, shuffles */
    HAS_INTEL_SUB_GROUPS_SHORT = 1 << 10, /* the same for 16-bit elements */
    HAS_LOCAL_MEMORY = 1 << 11,           /* and barriers */
    HAS_FP16 = 1 << 12,
    HAS_FP64 = 1 << 13,
    HAS_INTEGER_DOT = 1 << 14,   /* dot products of four bytes */
    HAS_MATRIX_ENGINE = 1 << 15, /* cl_intel_subgroup_matrix_multiply_accumulate */
    HAS_WIDE_VECTORS = 1 << 16,  /* 64-byte vector registers */
    HAS_BF16_DOT = 1 << 17,      /* a CPU's dot products of pairs of bf16 */
    HAS_MATRIX_TILES = 1 << 18,  /* a CPU's products of tiles of bytes and of bf16 */
};
enum { SUB_GROUP_SIZES = 4 | 8 | 16 | 32 | 64 };

/* Forms that a kernel has or a device accepts. */
enum kernel_form { FORM_NATIVE = 1, FORM_SPIRV = 2, FORM_SOURCE = 4 };

struct device_info {
    enum device_class class;
    unsigned forms;        /* set of enum kernel_form */
    unsigned features;     /* set of enum device_feature */
    int vector_bytes;      /* size of a CPU's vector register: 16, 32 or 64 */
    int compute_units;     /* at least 1; how many groups run at the same time */
    size_t largest_group;  /* work-items */
    size_t local_bytes;    /* local memory per group */
    size_t cache_bytes[3]; /* level 1, 2 and 3; 0: none or unknown */
    /* For verbose lines and lode-info: for example "SYCL with OpenCL", and the name that the driver reports.
     */
    const char *backend;
    char name[256];
    char driver[64]; /* its version, as the driver spells it; empty: none */
};

#endif
