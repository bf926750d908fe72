/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several drivers under one loader, which then wraps their handles in its own. Two of them are this driver
 * and a copy of it: neither may be affected by the other, nor by a GPU's driver.
 */
#include "ze_test.h"

enum { N = 1000, ROUNDS = 50 };

static void double_group(const struct native_group *group, void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0];
    dst[group->id[0]] *= 2;
}
static const struct native_arg double_args[] = {{NATIVE_ARG_BUFFER, 8}};
static const struct native_kernel kernels[] = {
        {.name = "double", .run_group = double_group, .args = double_args, .nargs = 1}};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};

/* Objects of one driver. The helpers of ze_test.h use those of the current driver. */
struct side {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    uint32_t *memory;
} sides[2];

static void select_side(const struct side *side) {
    driver = side->driver;
    device = side->device;
    context = side->context;
}

static void create_objects(struct side *side) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t one = 1;
    assert_ok(zeDeviceGet(side->driver, &one, &side->device));
    assert_ok(zeContextCreate(side->driver, &desc, &side->context));
    select_side(side);
    side->module = make_module(&table);
    side->kernel = make_kernel(side->module, "double");
    side->list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    side->pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    side->event = make_event(side->pool, 0);
    side->memory = allocate_shared(N * sizeof *side->memory);
}

static void destroy_objects(struct side *side) {
    assert_ok(zeMemFree(side->context, side->memory));
    assert_ok(zeEventDestroy(side->event));
    assert_ok(zeEventPoolDestroy(side->pool));
    assert_ok(zeCommandListDestroy(side->list));
    assert_ok(zeKernelDestroy(side->kernel));
    assert_ok(zeModuleDestroy(side->module));
    assert_ok(zeContextDestroy(side->context));
}

/* Recognises the driver by its device's name. */
static bool is_ours(ze_driver_handle_t candidate) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_handle_t first = NULL;
    uint32_t one = 1;
    return zeDeviceGet(candidate, &one, &first) == ZE_RESULT_SUCCESS && one
           && zeDeviceGetProperties(first, &properties) == ZE_RESULT_SUCCESS
           && !strncmp(properties.name, "Lode", 4);
}

static int set_up_sides(void **state) {
    (void)state;
    ze_driver_handle_t drivers[3];
    uint32_t count = 3;
    int ours = 0;
    if (zeInit(0) || start_tracer() || zeDriverGet(&count, drivers)) return -1;
    for (uint32_t i = 0; i < count && ours < 2; i++)
        if (is_ours(drivers[i])) sides[ours++].driver = drivers[i];
    if (ours != 2) return -1;
    for (int i = 0; i < 2; i++)
        create_objects(&sides[i]);
    return 0;
}

static int tear_down_sides(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        destroy_objects(&sides[i]);
    return stop_tracer();
}

static void launch(struct side *side) {
    const ze_group_count_t groups = {N, 1, 1};
    assert_ok(zeEventHostReset(side->event));
    assert_ok(zeKernelSetArgumentValue(side->kernel, 0, 8, &side->memory));
    assert_ok(zeCommandListAppendLaunchKernel(side->list, side->kernel, &groups, side->event, 0, NULL));
}

/* Both drivers work at the same time, each on its own objects. */
static void drivers_work_concurrently(void **state) {
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t s = 0; s < 2; s++) {
            for (uint32_t i = 0; i < N; i++)
                sides[s].memory[i] = i + s + round;
            launch(&sides[s]);
        }
        for (uint32_t s = 0; s < 2; s++) {
            assert_ok(zeEventHostSynchronize(sides[s].event, UINT64_MAX));
            for (uint32_t i = 0; i < N; i++)
                assert_int_equal(sides[s].memory[i], 2 * (i + s + round));
        }
    }
}

/* Memory of the other driver is unknown to this one, but can be copied. */
static void memory_of_the_other_driver_is_unknown(void **state) {
    (void)state;
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    assert_ok(zeMemGetAllocProperties(sides[0].context, sides[0].memory, &properties, &owner));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_SHARED);
    assert_ptr_equal(owner, sides[0].device);
    assert_ok(zeMemGetAllocProperties(sides[1].context, sides[0].memory, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    for (uint32_t i = 0; i < N; i++)
        sides[0].memory[i] = 3 * i;
    assert_ok(zeEventHostReset(sides[1].event));
    assert_ok(zeCommandListAppendMemoryCopy(sides[1].list, sides[1].memory, sides[0].memory,
                                            N * sizeof(uint32_t), sides[1].event, 0, NULL));
    assert_ok(zeEventHostSynchronize(sides[1].event, UINT64_MAX));
    assert_memory_equal(sides[0].memory, sides[1].memory, N * sizeof(uint32_t));
    assert_int_not_equal(zeMemFree(sides[1].context, sides[0].memory), ZE_RESULT_SUCCESS);
}

/* A device belongs to its own driver. */
static void devices_are_not_mixed(void **state) {
    (void)state;
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list = NULL;
    assert_ptr_not_equal(sides[0].device, sides[1].device);
    assert_int_not_equal(zeCommandListCreate(sides[0].context, sides[1].device, &desc, &list),
                         ZE_RESULT_SUCCESS);
    assert_null(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(drivers_work_concurrently),
            cmocka_unit_test(memory_of_the_other_driver_is_unknown),
            cmocka_unit_test(devices_are_not_mixed),
    };
    return cmocka_run_group_tests(tests, set_up_sides, tear_down_sides);
}
