/* SPDX-License-Identifier: Apache-2.0 */
/* The libOpenCL stub: handles are small integers. There are two platforms; each device is on one. */
#ifndef LODE_TESTS_RUNTIMES_OPENCL_STUB_H
#define LODE_TESTS_RUNTIMES_OPENCL_STUB_H

#include <CL/cl.h>

/* In the order in which the platforms list them. */
enum { FIRST_CPU = 1, GPU_WITHOUT_COMPILER, ACCELERATOR, GPU, SECOND_CPU, STUB_DEVICES };

/* Each device has one context and one queue. */
#define STUB_DEVICE(device) ((cl_device_id)(uintptr_t)(device))
#define STUB_CONTEXT(device) ((cl_context)(uintptr_t)(0x100 + (device)))
#define STUB_QUEUE(device) ((cl_command_queue)(uintptr_t)(0x200 + (device)))
#define STUB_NUMBER(handle) ((int)((uintptr_t)(handle) & 0xff))

#endif
