/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialisation, the driver handle, and the tables that loaders ask for.
 */
#include "ze_test.h"

#include <dlfcn.h>
#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>
#include <strings.h>

static void drivers_are_counted(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDriverGet(&count, NULL));
    assert_true(count >= 1);
    assert_int_equal(zeDriverGet(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    uint32_t devices = 7;
    ze_device_handle_t found[7] = {0};
    assert_ok(zeDeviceGet(driver, &devices, found));
    assert_int_equal(devices, 1);
    assert_ptr_equal(found[0], device);
}

/* If the device is reported as a CPU, programs that look for GPUs do not find it. */
static bool is_cpu(void) {
    const char *setting = getenv("LODE_ZE_DEVICE_TYPE");
    return setting && !strcasecmp(setting, "cpu");
}

static void init_drivers_filters_by_type(void **state) {
    (void)state;
    const ze_result_t as_gpu = is_cpu() ? ZE_RESULT_ERROR_UNINITIALIZED : ZE_RESULT_SUCCESS;
    struct ze_init_driver_type_desc desc = {.stype = (ze_structure_type_t)NEW_STYPE_INIT_DRIVER_TYPE_DESC};
    uint32_t count = 0;
    assert_int_equal(CALL(zeInitDrivers)(&count, NULL, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = NEW_INIT_DRIVER_TYPE_NPU;
    assert_int_equal(CALL(zeInitDrivers)(&count, NULL, &desc), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(count, 0);
    desc.flags = NEW_INIT_DRIVER_TYPE_GPU | NEW_INIT_DRIVER_TYPE_NPU;
    assert_int_equal(CALL(zeInitDrivers)(&count, NULL, &desc), as_gpu);
    desc.flags = UINT32_MAX;
    assert_ok(CALL(zeInitDrivers)(&count, NULL, &desc));
    assert_int_equal(count, 1);
    ze_driver_handle_t found = NULL;
    assert_ok(CALL(zeInitDrivers)(&count, &found, &desc));
    assert_non_null(found);
    assert_int_equal(CALL(zeInitDrivers)(NULL, NULL, &desc), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(CALL(zeInitDrivers)(&count, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

static void properties_are_filled(void **state) {
    (void)state;
    ze_api_version_t version = 0;
    assert_ok(zeDriverGetApiVersion(driver, &version));
    assert_int_equal(ZE_MAJOR_VERSION(version), 1);
    assert_int_equal(ZE_MINOR_VERSION(version), 14);
    ze_driver_memory_free_ext_properties_t policies = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &policies};
    assert_ok(zeDriverGetProperties(driver, &properties));
    assert_int_not_equal(properties.driverVersion, 0);
    assert_int_equal(policies.freePolicies, 3);
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
    assert_ok(zeDriverGetIpcProperties(driver, &ipc));
    assert_int_equal(ipc.flags, ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL);
    assert_int_equal(zeDriverGetProperties(driver, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeDriverGetProperties(NULL, &properties), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* The core functions that were added to the specification since 1.4, up to the version that is reported,
 * exist. The first ones of the next version do not all: when they do, report it. */
static void functions_of_the_reported_version_exist(void **state) {
    (void)state;
    static const char *const names[] = {
            "zeCommandListHostSynchronize",
            "zeDriverGetLastErrorDescription",
            "zeEventPoolPutIpcHandle",
            "zeMemPutIpcHandle",
            "zeDeviceGetRootDevice",
            "zeCommandQueueGetOrdinal",
            "zeCommandQueueGetIndex",
            "zeCommandListGetDeviceHandle",
            "zeCommandListGetContextHandle",
            "zeCommandListGetOrdinal",
            "zeCommandListImmediateGetIndex",
            "zeCommandListIsImmediate",
            "zeEventPoolGetContextHandle",
            "zeEventPoolGetFlags",
            "zeEventGetEventPool",
            "zeEventGetSignalScope",
            "zeEventGetWaitScope",
            "zeInitDrivers",
            "zeDriverGetDefaultContext",
            "zeDeviceSynchronize",
            "zeCommandListAppendLaunchKernelWithParameters",
            "zeCommandListAppendLaunchKernelWithArguments",
    };
    void *function = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        function = NULL;
        assert_ok(zeDriverGetExtensionFunctionAddress(driver, names[i], &function));
        assert_non_null(function);
    }
    assert_int_not_equal(
            zeDriverGetExtensionFunctionAddress(driver, "zeEventCounterBasedGetIpcHandle", &function),
            ZE_RESULT_SUCCESS);
}

static void extensions_use_the_two_call_protocol(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDriverGetExtensionProperties(driver, &count, NULL));
    assert_true(count > 0);
    ze_driver_extension_properties_t *all = calloc(count, sizeof *all);
    assert_ok(zeDriverGetExtensionProperties(driver, &count, all));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(strncmp(all[i].name, "ZE_", 3), 0);
        assert_int_not_equal(all[i].version, 0);
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(all[i].name, all[j].name);
    }
    free(all);
    void *function = NULL;
    assert_int_not_equal(zeDriverGetExtensionFunctionAddress(driver, "zeNoSuchThing", &function),
                         ZE_RESULT_SUCCESS);
    assert_null(function);
}

static void errors_are_explained(void **state) {
    (void)state;
    const char *text = NULL;
    ze_event_pool_handle_t pool = make_pool(1, 0);
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_event_handle_t event = NULL;
    assert_int_equal(zeEventCreate(pool, &desc, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(CALL(zerGetLastErrorDescription)(&text));
    assert_string_equal(text, "the pool has no event with that index");
    text = NULL;
    assert_ok(CALL(zeDriverGetLastErrorDescription)(driver, &text));
    assert_string_equal(text, "the pool has no event with that index");
    assert_int_equal(CALL(zeDriverGetLastErrorDescription)(driver, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- the tables as a loader gets them, from the library itself -- */

typedef ze_result_t (*get_table)(uint32_t version, void **table);

static void *library_function(const char *name) {
    static void *library;
    char path[4096] = "";
    sscanf(getenv("ZE_ENABLE_ALT_DRIVERS"), "%4095[^,]", path);
    if (!library) library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    void *function = dlsym(library, name);
    if (!function) fail_msg("no %s", name);
    return function;
}

static get_table table_function(const char *name) {
    return (get_table)library_function(name);
}

/* Called on the library: new loaders do not forward these calls after initialisation. */
static void init_checks_flags(void **state) {
    (void)state;
    __typeof__(&zeInit) drivers_init = (__typeof__(&zeInit))library_function("zeInit");
    const ze_result_t as_gpu = is_cpu() ? ZE_RESULT_ERROR_UNINITIALIZED : ZE_RESULT_SUCCESS;
    assert_ok(zeInit(0));
    assert_int_equal(zeInit(ZE_INIT_FLAG_GPU_ONLY), as_gpu);
    assert_int_equal(drivers_init(ZE_INIT_FLAG_GPU_ONLY), as_gpu);
    assert_int_equal(drivers_init(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(drivers_init(0x1000), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_ok(drivers_init(UINT32_MAX)); /* as loaders do to enumerate every driver */
}

/* Each version gets only its own slots; memory after them is not written. */
static void old_loaders_get_old_tables(void **state) {
    (void)state;
    static const struct {
        const char *table;
        uint32_t minor;
        size_t slots;
    } rows[] = {
            {"zeGetGlobalProcAddrTable", 4, 1},       {"zeGetGlobalProcAddrTable", 10, 2},
            {"zeGetDriverProcAddrTable", 0, 5},       {"zeGetDriverProcAddrTable", 4, 6},
            {"zeGetDeviceProcAddrTable", 4, 18},      {"zeGetDeviceProcAddrTable", 17, 28},
            {"zeGetCommandListProcAddrTable", 4, 28}, {"zeGetCommandListProcAddrTable", 8, 29},
            {"zeGetCommandQueueProcAddrTable", 4, 4}, {"zeGetEventProcAddrTable", 4, 7},
            {"zeGetMemProcAddrTable", 4, 10},         {"zeGetKernelExpProcAddrTable", 4, 2},
            {"zesGetDeviceProcAddrTable", 4, 29},     {"zetGetDebugProcAddrTable", 4, 11},
            {"zeGetPhysicalMemProcAddrTable", 4, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *untouched = &driver, *table[128];
        for (size_t slot = 0; slot < 128; slot++)
            table[slot] = untouched;
        assert_ok(table_function(rows[i].table)(ZE_MAKE_VERSION(1, rows[i].minor), table));
        for (size_t slot = 0; slot < 128; slot++)
            assert_int_equal(table[slot] != untouched, slot < rows[i].slots);
    }
}

static void newer_versions_are_accepted(void **state) {
    (void)state;
    void *table[128] = {0};
    get_table global = table_function("zeGetGlobalProcAddrTable");
    assert_int_equal(global(ZE_MAKE_VERSION(2, 0), table), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
    assert_int_equal(global(ZE_MAKE_VERSION(0, 9), table), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
    assert_null(table[0]);
    assert_int_equal(global(ZE_MAKE_VERSION(1, 4), NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ok(global(ZE_MAKE_VERSION(1, 99), table));
    assert_non_null(table[1]);
}

static void unsupported_entry_points_are_refused(void **state) {
    (void)state;
    void *table[128] = {0};
    assert_ok(table_function("zeGetImageProcAddrTable")(ZE_MAKE_VERSION(1, 4), table));
    ze_result_t (*create)(void *, void *, void *, void *) =
            (ze_result_t (*)(void *, void *, void *, void *))table[1];
    assert_int_equal(create(context, device, NULL, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/* Every entry point is found by name, and returns an error for null arguments. */
static void null_arguments_are_errors(void **state) {
    (void)state;
    static const char *const names[] = {
#define TABLE(prefix, name)
#define END(prefix, name)
#define HAVE(function, minor) #function,
#define NEWER(function, minor) #function,
#define REFUSE(function, minor) #function,
#define EMPTY(function, minor) #function,
#include "driver/entries.def"
    };
    typedef ze_result_t (*any)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                               void *, void *, void *, void *, void *, void *);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        any function = (any)library_function(names[i]);
        if (!strncmp(names[i], "zer", 3) || !strcmp(names[i], "zeDriverGetDefaultContext")) continue;
        if (!strcmp(names[i], "zeInit") || !strcmp(names[i], "zesInit")) continue; /* 0 means all types */
        ze_result_t result = function(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                      NULL, NULL, NULL, NULL);
        if (result == ZE_RESULT_SUCCESS) fail_msg("%s accepts null arguments", names[i]);
    }
}

/* Tracing belongs to the loader; the driver refuses its old tracing functions. There are no metrics. */
static void tools_enumerate_nothing(void **state) {
    (void)state;
    const zet_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, .pUserData = &driver};
    zet_tracer_exp_handle_t old = NULL;
    assert_int_equal(zetTracerExpCreate(context, &desc, &old), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(old);
    uint32_t count = 5;
    assert_ok(zetMetricGroupGet(device, &count, NULL));
    assert_int_equal(count, 0);
    zet_device_debug_properties_t debug = {.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES, .flags = 1};
    ze_result_t result = zetDeviceGetDebugProperties(device, &debug);
    assert_true(result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || debug.flags == 0);
}

/* System management finds the device, but nothing to manage. */
static void management_enumerates_nothing(void **state) {
    (void)state;
    uint32_t count = 0;
    ze_driver_handle_t managed = NULL;
    ze_device_handle_t found = NULL;
    assert_ok(CALL(zesInit)(0));
    assert_ok(CALL(zesDriverGet)(&count, NULL));
    assert_int_equal(count, 1);
    assert_ok(CALL(zesDriverGet)(&count, &managed));
    assert_ok(CALL(zesDeviceGet)(managed, &count, &found));
    void *devices[64] = {0};
    assert_ok(table_function("zesGetDeviceProcAddrTable")(ZE_MAKE_VERSION(1, 4), devices));
    ze_result_t (*enumerate)(void *, uint32_t *, void *) =
            (ze_result_t (*)(void *, uint32_t *, void *))devices[12];
    count = 5;
    assert_ok(enumerate(found, &count, NULL)); /* fans */
    assert_int_equal(count, 0);
    assert_int_equal(enumerate(NULL, &count, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_properties_t core = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    __typeof__(&zesDeviceGetProperties) get_properties = (__typeof__(&zesDeviceGetProperties))devices[0];
    assert_ok(get_properties(found, &properties));
    assert_ok(zeDeviceGetProperties(device, &core));
    assert_string_equal(properties.core.name, core.name);
    assert_memory_equal(&properties.core.uuid, &core.uuid, sizeof core.uuid);
    assert_int_equal(properties.numSubdevices, 0);
    assert_string_equal(properties.serialNumber, "unknown");
    assert_true(strlen(properties.modelName) > 0 && strlen(properties.driverVersion) > 0);
    zes_device_state_t condition = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE, .reset = 1};
    __typeof__(&zesDeviceGetState) get_state = (__typeof__(&zesDeviceGetState))devices[1];
    assert_ok(get_state(found, &condition));
    assert_int_equal(condition.reset, 0);
    ze_result_t (*reset)(void *, uint32_t) = (ze_result_t (*)(void *, uint32_t))devices[2];
    assert_int_equal(reset(found, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(init_checks_flags),
            cmocka_unit_test(drivers_are_counted),
            cmocka_unit_test(init_drivers_filters_by_type),
            cmocka_unit_test(properties_are_filled),
            cmocka_unit_test(functions_of_the_reported_version_exist),
            cmocka_unit_test(extensions_use_the_two_call_protocol),
            cmocka_unit_test(errors_are_explained),
            cmocka_unit_test(old_loaders_get_old_tables),
            cmocka_unit_test(newer_versions_are_accepted),
            cmocka_unit_test(unsupported_entry_points_are_refused),
            cmocka_unit_test(management_enumerates_nothing),
            cmocka_unit_test(null_arguments_are_errors),
            cmocka_unit_test(tools_enumerate_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
