/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL runtime for the CPU that accepts SPIR-V and plain pointers, if this machine has one. Searched on
 * first use in libOpenCL.so.1 or the library named by LODE_ZE_OPENCL; an empty name disables it.
 */
#ifndef LODE_DRIVER_OPENCL_H
#define LODE_DRIVER_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdint.h>

#define OPENCL_FUNCTIONS(F)                                                                                  \
    F(GetPlatformIDs)                                                                                        \
    F(GetDeviceIDs)                                                                                          \
    F(GetDeviceInfo)                                                                                         \
    F(CreateContext)                                                                                         \
    F(CreateCommandQueueWithProperties)                                                                      \
    F(CreateProgramWithIL)                                                                                   \
    F(CreateProgramWithBinary)                                                                               \
    F(SetProgramSpecializationConstant)                                                                      \
    F(BuildProgram)                                                                                          \
    F(CompileProgram)                                                                                        \
    F(LinkProgram)                                                                                           \
    F(GetProgramInfo)                                                                                        \
    F(GetProgramBuildInfo)                                                                                   \
    F(ReleaseProgram)                                                                                        \
    F(CreateKernel)                                                                                          \
    F(ReleaseKernel)                                                                                         \
    F(GetKernelWorkGroupInfo)                                                                                \
    F(SetKernelArg)                                                                                          \
    F(SetKernelArgSVMPointer)                                                                                \
    F(EnqueueNDRangeKernel)                                                                                  \
    F(WaitForEvents)                                                                                         \
    F(ReleaseEvent)                                                                                          \
    F(GetExtensionFunctionAddressForPlatform)

struct opencl {
#define F(name) __typeof__(&cl##name) name;
    OPENCL_FUNCTIONS(F)
#undef F
    /* Extension functions; NULL if the runtime lacks them. */
    cl_int(CL_API_CALL *SetKernelArgMemPointer)(cl_kernel, cl_uint, const void *);
    cl_int(CL_API_CALL *GetGlobalVariable)(cl_device_id, cl_program, const char *, size_t *, void **);
    cl_int(CL_API_CALL *GetFunction)(cl_device_id, cl_program, const char *, cl_ulong *);
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    unsigned version;     /* newest SPIR-V version supported: ZE_MAKE_VERSION(1, 4) */
    size_t sub_groups[7]; /* sizes that kernels may require; zero-terminated */
    uint64_t identity;    /* of the runtime and its device; tells whether compiled code fits */
    const char *library;  /* the path of the library */
};

/* False if that library has no suitable runtime. */
bool opencl_open(struct opencl *cl, const char *library);

/* This process's OpenCL runtime, or NULL. */
const struct opencl *opencl(void);

/* A queue that nobody else uses until it is given back. In-order queues launch faster than one for all that
 * is out of order: 2.2 instead of 2.8 us (2026-11). NULL if there cannot be one. */
struct opencl_queue {
    cl_command_queue queue;
    struct opencl_queue *next; /* in the stack of idle queues */
};
struct opencl_queue *opencl_take_queue(const struct opencl *cl);
void opencl_give_queue(struct opencl_queue *queue);

#endif
