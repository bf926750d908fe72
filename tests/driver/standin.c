/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in loader has all functions that only a loader has, and no tracing.
 */
#include "ze_test.h"

#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/loader/ze_loader.h>

static void *loader;

static int open_loader(void **state) {
    (void)state;
    loader = dlopen("libze_loader.so.1", RTLD_NOW);
    return loader ? 0 : -1;
}

static void all_functions_are_found(void **state) {
    (void)state;
    static const char *const names[] = {
            "zeInit",
            "zeInitDrivers",
            "zeCommandListAppendLaunchKernel",
            "zesInit",
            "zetMetricGroupGet",
            "zelCheckIsLoaderInTearDown",
            "zelDisableTracingLayer",
            "zelEnableTracingLayer",
            "zelGetLoaderVersion",
            "zelGetTracerApiProcAddrTable",
            "zelGetTracingLayerState",
            "zelLoaderContextTeardown",
            "zelLoaderGetVersions",
            "zelLoaderTranslateHandle",
            "zelRegisterTeardownCallback",
            "zelSetDelayLoaderContextTeardown",
            "zelSetDriverTeardown",
            "zelTracerCreate",
            "zelTracerDestroy",
            "zelTracerResetAllCallbacks",
            "zelTracerSetEnabled",
            "zelTracerSetEpilogues",
            "zelTracerSetPrologues",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!dlsym(loader, names[i])) fail_msg("%s is missing", names[i]);
}

static void versions_are_reported(void **state) {
    (void)state;
    zel_component_version_t versions[2];
    size_t count = 0;
    __typeof__(&zelLoaderGetVersions) get_versions;
    *(void **)&get_versions = dlsym(loader, "zelLoaderGetVersions");
    assert_ok(get_versions(&count, NULL));
    assert_int_equal(count, 1);
    assert_ok(get_versions(&count, versions));
    assert_string_equal(versions[0].component_name, "loader");
    assert_true(versions[0].component_lib_version.minor >= 20);
}

static void there_is_no_tracing(void **state) {
    (void)state;
    ze_result_t (*enable)(void), (*state_of)(bool *);
    __typeof__(&zelTracerCreate) create;
    *(void **)&enable = dlsym(loader, "zelEnableTracingLayer");
    *(void **)&state_of = dlsym(loader, "zelGetTracingLayerState");
    *(void **)&create = dlsym(loader, "zelTracerCreate");
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_tracer_handle_t made = NULL;
    bool enabled = true;
    assert_int_equal(enable(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_ok(state_of(&enabled));
    assert_false(enabled);
    assert_int_equal(create(&desc, &made), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(all_functions_are_found),
            cmocka_unit_test(versions_are_reported),
            cmocka_unit_test(there_is_no_tracing),
    };
    return cmocka_run_group_tests(tests, open_loader, NULL);
}
