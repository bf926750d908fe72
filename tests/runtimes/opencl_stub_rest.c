/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that opencl_stub.c does not define: they must exist and succeed. Knows no OpenCL types. */
#define ENTRY(name) long cl##name(void);
#include "runtimes/opencl/entry_points.def"
#undef ENTRY

#define ENTRY(name)                                                                                          \
    __attribute__((weak, visibility("default"))) long cl##name(void) {                                       \
        return 0;                                                                                            \
    }
#include "runtimes/opencl/entry_points.def"
