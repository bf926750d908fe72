/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that provide Level Zero: the official loader and the embedded driver, each opened on first
 * use and never closed. Both may be in use at once, and a handle of one is invalid in the other, so every
 * driver and device here has the function table that its handles belong to. Knows nothing of Lode's objects.
 */
#ifndef LODE_RUNTIMES_LEVEL_ZERO_LOADER_H
#define LODE_RUNTIMES_LEVEL_ZERO_LOADER_H

#include "base/verbose.h"

#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

/* Names that are newer than the headers we build with. */
#define LZ_QUEUE_FLAG_IN_ORDER (1u << 1)
#define LZ_LIST_FLAG_IN_ORDER (1u << 3)

/* A library's functions: ze->Init(0). */
struct level_zero {
    bool usable;
#define ENTRY(name) __typeof__(ze##name) *name;
#define ENTRY_OPTIONAL(name) __typeof__(ze##name) *name;
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY
#undef ENTRY_OPTIONAL
    __typeof__(zelLoaderTranslateHandle) *TranslateHandle; /* NULL: handles are the driver's own */
    void *library;
};

/* Functions that old loaders lack. They then come from the driver itself and take the driver's own handles:
 * `inner`. */
struct newer_functions {
#define ENTRY_NEWER(name, parameters) ze_result_t(ZE_APICALL *name) parameters;
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY_NEWER
    bool inner;
};

struct found_driver {
    const struct level_zero *ze;
    ze_driver_handle_t handle;
    struct newer_functions newer;
};

struct found_device {
    const struct found_driver *driver;
    ze_device_handle_t handle;
};

/* Every device of every driver, in the order of engines: GPUs, other devices, the embedded driver's. The list
 * never changes within a process. */
const struct found_device *lz_devices(size_t *count);

/* The driver of a user's handle, searched in every loaded library; NULL: not found. */
const struct found_driver *lz_driver(ze_driver_handle_t handle);

/* The handle that the functions in `newer` take. */
void *lz_newer_handle(const struct found_driver *driver, zel_handle_type_t type, void *handle);

/* Does the device accept modules of kernels/native.h? Then it is the embedded driver's, with or without a
 * loader. */
bool lz_is_native(const ze_device_properties_t *properties);

const char *lz_result_name(ze_result_t result);
/* Converts a result to a status. */
dnnl_status_t lz_status(ze_result_t result);

/* return lz_fail(result, "stream", "zeCommandListCreateImmediate"); */
#define lz_fail(result, component, function)                                                                 \
    fail(lz_status(result), component, "%s: %s (0x%x)", function, lz_result_name(result), (unsigned)(result))

#endif
