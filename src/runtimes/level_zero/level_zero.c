/* SPDX-License-Identifier: Apache-2.0 */
/* The Level Zero runtime: its table of runtime.h's functions. */
#include "runtimes/level_zero/level_zero.h"

const struct runtime level_zero_runtime = {
        .name = "ze",
        .device_count = lz_device_count,
        .device_open = lz_device_open,
        .device_close = lz_device_close,
        .buffer_kind = BUFFER_POINTER,
        .buffer_alloc = lz_buffer_alloc,
        .buffer_free = lz_buffer_free,
        .buffer_map = lz_buffer_map,
        .buffer_unmap = lz_buffer_unmap,
        .buffer_adopt = lz_buffer_adopt,
        .kernel_load = lz_kernel_load,
        .kernel_export = lz_kernel_export,
        .params_load = lz_params_load,
        .params_free = lz_params_free,
        .kernels_save = lz_kernels_save,
        .kernels_restore = lz_kernels_restore,
        .blob_id = lz_blob_id,
        .stream_open = lz_stream_open,
        .stream_close = lz_stream_close,
        .stream_wait = lz_stream_wait,
        .stream_records = lz_stream_records,
        .execute = lz_execute,
        .profiling_reset = lz_profiling_reset,
        .profiling_query = lz_profiling_query,
        .profiling_cycles = lz_profiling_cycles,
};
