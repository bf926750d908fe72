/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for Level Zero's loader, for machines whose libze_loader.so.1 is missing or too old. It has the
 * loader's soname and exports the functions that only a loader has; all others come from the driver, which it
 * links. There is one driver and no layer: handles are the driver's own, and there is no tracing.
 */
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdio.h>

/* The version it reports. SYCL's adapters ask for entry points of 1.20 and later. */
enum { LOADER_MAJOR = 1, LOADER_MINOR = 32, LOADER_PATCH = 0 };
#define SPECIFICATION ZE_MAKE_VERSION(1, 17)

#define EXPORT ZE_DLLEXPORT

EXPORT ze_result_t ZE_APICALL zeLoaderInit(void) {
    return ZE_RESULT_SUCCESS;
}

EXPORT void *ZE_APICALL zeLoaderGetTracingHandle(void) {
    return NULL;
}

/* The table stays empty: there is no tracer. */
EXPORT ze_result_t ZE_APICALL zelGetTracerApiProcAddrTable(uint32_t version, void *table) {
    (void)version;
    return table ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

EXPORT ze_result_t ZE_APICALL zelGetTracingLayerState(bool *enabled) {
    if (!enabled) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *enabled = false;
    return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t ZE_APICALL zelEnableTracingLayer(void) {
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

EXPORT ze_result_t ZE_APICALL zelDisableTracingLayer(void) {
    return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t ZE_APICALL zelTracerCreate(const zel_tracer_desc_t *desc, zel_tracer_handle_t *tracer) {
    if (!desc || !tracer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* No tracer can exist, so every handle is invalid. */
EXPORT ze_result_t ZE_APICALL zelTracerDestroy(zel_tracer_handle_t tracer) {
    (void)tracer;
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

EXPORT ze_result_t ZE_APICALL zelTracerSetPrologues(zel_tracer_handle_t tracer,
                                                    zel_core_callbacks_t *callbacks) {
    (void)callbacks;
    return zelTracerDestroy(tracer);
}

EXPORT ze_result_t ZE_APICALL zelTracerSetEpilogues(zel_tracer_handle_t tracer,
                                                    zel_core_callbacks_t *callbacks) {
    (void)callbacks;
    return zelTracerDestroy(tracer);
}

EXPORT ze_result_t ZE_APICALL zelTracerSetEnabled(zel_tracer_handle_t tracer, ze_bool_t enable) {
    (void)enable;
    return zelTracerDestroy(tracer);
}

EXPORT ze_result_t ZE_APICALL zelTracerResetAllCallbacks(zel_tracer_handle_t tracer) {
    return zelTracerDestroy(tracer);
}

EXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version) {
    if (!version) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    snprintf(version->component_name, sizeof version->component_name, "loader");
    version->spec_version = (ze_api_version_t)SPECIFICATION;
    version->component_lib_version = (zel_version_t){LOADER_MAJOR, LOADER_MINOR, LOADER_PATCH};
    return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t ZE_APICALL zelGetLoaderVersion(zel_component_version_t *version) {
    return zelLoaderGetVersion(version);
}

EXPORT ze_result_t ZE_APICALL zelLoaderGetVersionsInternal(size_t *count, zel_component_version_t *versions) {
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (versions && *count) zelLoaderGetVersion(versions);
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t ZE_APICALL zelLoaderGetVersions(size_t *count, zel_component_version_t *versions) {
    return zelLoaderGetVersionsInternal(count, versions);
}

EXPORT ze_result_t ZE_APICALL zelLoaderTranslateHandleInternal(zel_handle_type_t type, void *in, void **out) {
    (void)type;
    if (!in || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *out = in;
    return ZE_RESULT_SUCCESS;
}

EXPORT ze_result_t ZE_APICALL zelLoaderTranslateHandle(zel_handle_type_t type, void *in, void **out) {
    return zelLoaderTranslateHandleInternal(type, in, out);
}

EXPORT ze_result_t ZE_APICALL zelSetDriverTeardown(void) {
    return ZE_RESULT_SUCCESS;
}

EXPORT void ZE_APICALL zelSetDelayLoaderContextTeardown(void) {}

EXPORT void ZE_APICALL zelLoaderContextTeardown(void) {}

EXPORT bool ZE_APICALL zelCheckIsLoaderInTearDown(void) {
    return false;
}

/* The driver is never unloaded, so the callback is never called. */
static void ZE_APICALL ignore_callback(uint32_t index) {
    (void)index;
}

EXPORT ze_result_t ZE_APICALL zelRegisterTeardownCallback(void (*callback)(void),
                                                          void (**loader_callback)(uint32_t),
                                                          uint32_t *index) {
    if (!callback) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (!loader_callback || !index) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *loader_callback = ignore_callback;
    *index = 1;
    return ZE_RESULT_SUCCESS;
}
