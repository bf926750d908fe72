/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One native form of a kernel family: includes the .cl file as C and wraps each of its kernels in the
 * interface of native.h. Built by cmake/kernels.cmake with MODULE and MODULE_SOURCE.
 */
#include "kernels/lib/opencl.h"
#include MODULE_SOURCE
#include "kernels/device_info.h"

/* No device runs kernels for wide vectors in a form for narrower ones. */
#ifndef __AVX512F__
#define WITHOUT_WIDE_VECTORS
#endif

#define BUFFER(i) (*(void *const *)args[i])
#define BUFFERS_1 BUFFER(0)
#define BUFFERS_2 BUFFERS_1, BUFFER(1)
#define BUFFERS_3 BUFFERS_2, BUFFER(2)
#define BUFFERS_4 BUFFERS_3, BUFFER(3)
#define BUFFERS_5 BUFFERS_4, BUFFER(4)
#define BUFFERS_6 BUFFERS_5, BUFFER(5)
#define BUFFERS_7 BUFFERS_6, BUFFER(6)
#define BUFFERS_8 BUFFERS_7, BUFFER(7)
#define BUFFERS_9 BUFFERS_8, BUFFER(8)
#define BUFFERS_10 BUFFERS_9, BUFFER(9)
#define BUFFERS_11 BUFFERS_10, BUFFER(10)
#define BUFFERS_12 BUFFERS_11, BUFFER(11)
#define BUFFERS_13 BUFFERS_12, BUFFER(12)
#define BUFFERS_14 BUFFERS_13, BUFFER(13)
#define BUFFERS_15 BUFFERS_14, BUFFER(14)
#define BUFFERS_16 BUFFERS_15, BUFFER(15)

#define SCALARS_0(n)
#define SCALARS_1(n) *(const struct scalars *)args[n],
#define SCALAR_ARG_0(n)
#define SCALAR_ARG_1(n) [n] = {NATIVE_ARG_VALUE, sizeof(struct scalars)},

#define CALL(name, nbuffers, scalars)                                                                        \
    name(item, BUFFERS_##nbuffers, SCALARS_##scalars(nbuffers) BUFFER(nbuffers + scalars))

/* run_group runs all work-items of the group, one after the other; run_item runs one work-item of a kernel
 * with barriers. The object contains only the one that the table names. */
#define WRAP_ALL_FORMS(name, nbuffers, scalars)                                                              \
    static void name##_group(const struct native_group *group, void *const *args) {                          \
        struct native_item it = {.group = group}, *item = &it;                                               \
        for (it.local_id[2] = 0; it.local_id[2] < group->size[2]; it.local_id[2]++)                          \
            for (it.local_id[1] = 0; it.local_id[1] < group->size[1]; it.local_id[1]++)                      \
                for (it.local_id[0] = 0; it.local_id[0] < group->size[0]; it.local_id[0]++)                  \
                    CALL(name, nbuffers, scalars);                                                           \
    }                                                                                                        \
    static void name##_item(const struct native_group *group, const uint32_t id[3], void *const *args) {     \
        const struct native_item it = {.group = group, .local_id = {id[0], id[1], id[2]}}, *item = &it;      \
        CALL(name, nbuffers, scalars);                                                                       \
    }                                                                                                        \
    static const struct native_arg name##_args[nbuffers + scalars + 1] = {                                   \
            [0 ... nbuffers - 1] = {NATIVE_ARG_BUFFER, sizeof(void *)},                                      \
            SCALAR_ARG_##scalars(nbuffers)[nbuffers + scalars] = {NATIVE_ARG_BUFFER, sizeof(void *)}};
#define WRAP_NATIVE_FORM WRAP_ALL_FORMS
#define WRAP_DEVICE_FORMS(name, nbuffers, scalars)

#define KERNEL(family, name, class, needs, forms, nbuffers, scalars, params)                                 \
    WRAP_##forms(name, nbuffers, scalars)
#include "kernels/kernels.def"
#undef KERNEL

#define ROW_ALL_FORMS(kernel_name, barriers, nbuffers, scalars)                                              \
    {.name = #kernel_name,                                                                                   \
     .run_group = (barriers) ? NULL : kernel_name##_group,                                                   \
     .run_item = (barriers) ? kernel_name##_item : NULL,                                                     \
     .args = kernel_name##_args,                                                                             \
     .nargs = nbuffers + scalars + 1,                                                                        \
     .flags = (barriers) ? NATIVE_USES_BARRIER : 0},
#define ROW_NATIVE_FORM ROW_ALL_FORMS
#define ROW_DEVICE_FORMS(kernel_name, barriers, nbuffers, scalars)

#define KERNEL(family, kernel_name, class, needs, forms, nbuffers, scalars, params)                          \
    ROW_##forms(kernel_name, (needs) & HAS_LOCAL_MEMORY, nbuffers, scalars)
static const struct native_kernel kernels[] = {
#include "kernels/kernels.def"
};

const struct native_module MODULE = {
        .magic = NATIVE_MAGIC,
        .version = NATIVE_VERSION,
        .nkernels = sizeof kernels / sizeof kernels[0],
        .kernels = kernels,
};
