/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL runtime: any device of any platform, source or SPIR-V, buffers or USM. */
#include "runtimes/opencl/opencl.h"

const struct runtime opencl_runtime = {
        .name = "ocl",
        .device_count = opencl_device_count,
        .device_open = opencl_device_open,
        .device_close = opencl_device_close,
        .handles_release = opencl_handles_release,
        .buffer_kind = BUFFER_OBJECT,
        .buffer_alloc = opencl_buffer_alloc,
        .buffer_free = opencl_buffer_free,
        .buffer_map = opencl_buffer_map,
        .buffer_unmap = opencl_buffer_unmap,
        .buffer_adopt = opencl_buffer_adopt,
        .kernel_load = opencl_kernel_load,
        .kernel_export = opencl_kernel_export,
        .params_load = opencl_params_load,
        .params_free = opencl_params_free,
        .kernels_save = opencl_kernels_save,
        .kernels_restore = opencl_kernels_restore,
        .blob_id = opencl_blob_id,
        .stream_open = opencl_stream_open,
        .stream_close = opencl_stream_close,
        .stream_wait = opencl_stream_wait,
        .stream_records = opencl_stream_records,
        .execute = opencl_execute,
        .profiling_reset = opencl_profiling_reset,
        .profiling_query = opencl_profiling_query,
};
