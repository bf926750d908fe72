/* SPDX-License-Identifier: Apache-2.0 */
/* libOpenCL, opened on first use, and the names of its errors. Knows nothing of Lode's objects. */
#ifndef LODE_RUNTIMES_OPENCL_LOADER_H
#define LODE_RUNTIMES_OPENCL_LOADER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "base/verbose.h"

/* libOpenCL's functions: cl.Finish(queue). Valid after opencl_load() has succeeded. */
extern struct opencl_entries {
#define ENTRY(name) __typeof__(cl##name) *name;
#include "runtimes/opencl/entry_points.def"
#undef ENTRY
    __typeof__(clCreateProgramWithIL) *CreateProgramWithIL; /* NULL before OpenCL 2.1 */
} cl;

/* Functions of a platform's USM extension. */
struct usm_entries {
#define ENTRY_USM(name) __typeof__(cl##name) *name;
#include "runtimes/opencl/entry_points.def"
#undef ENTRY_USM
};

/* Functions of a platform's command buffers. */
struct command_buffer_entries {
#define ENTRY_COMMAND_BUFFER(name) __typeof__(cl##name) *name;
#include "runtimes/opencl/entry_points.def"
#undef ENTRY_COMMAND_BUFFER
};

/* Opens libOpenCL once per process. False: there is none; the first call printed why. */
bool opencl_load(void);
/* False: the platform lacks one of them. */
bool opencl_load_usm(cl_platform_id platform, struct usm_entries *usm);
bool opencl_load_command_buffers(cl_platform_id platform, struct command_buffer_entries *commands);
/* An extension's function, or NULL. */
void *opencl_extension(cl_platform_id platform, const char *name);

const char *opencl_error_name(cl_int error);
dnnl_status_t opencl_status(cl_int error);

/* return opencl_fail(error, "stream", "clFinish"); */
#define opencl_fail(error, component, function)                                                              \
    fail(opencl_status(error), component, "%s: %s (%d)", function, opencl_error_name(error), (int)(error))

#endif
