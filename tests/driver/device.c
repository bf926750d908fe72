/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device handle: its properties say the truth about this CPU, in the shapes that programs expect.
 */
#include "ze_test.h"

#include <sys/wait.h>

static void device_says_what_it_is(void **state) {
    (void)state;
    ze_eu_count_ext_t units = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &units};
    assert_ok(zeDeviceGetProperties(device, &properties));
    const char *wish = getenv("LODE_ZE_DEVICE_TYPE");
    assert_int_equal(properties.type, wish && !strcmp(wish, "cpu") ? ZE_DEVICE_TYPE_CPU : ZE_DEVICE_TYPE_GPU);
    assert_int_equal(strncmp(properties.name, "Lode CPU", 8), 0);
    assert_true(properties.numEUsPerSubslice >= 1);
    assert_int_equal(units.numTotalEUs, properties.numEUsPerSubslice);
    assert_ptr_equal(properties.pNext, &units);
    assert_int_equal(properties.timerResolution, 1);
    assert_true(properties.kernelTimestampValidBits < 64);
    assert_true(properties.maxMemAllocSize > 1 << 20);
    ze_device_properties_t cycles = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    assert_ok(zeDeviceGetProperties(device, &cycles));
    assert_int_equal(cycles.timerResolution, 1000000000);
    assert_memory_equal(&cycles.uuid, &properties.uuid, sizeof cycles.uuid);
    assert_int_equal(zeDeviceGetProperties(device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeDeviceGetProperties(NULL, &cycles), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static ze_device_uuid_t own_uuid(void) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (zeDeviceGetProperties(device, &properties)) abort();
    return properties.uuid;
}

/* Another process sees the same device: this program, started again, only says its identity. */
static void identity_is_stable(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 3);
        execl("/proc/self/exe", "device", "--identity", NULL);
        _exit(99);
    }
    close(ends[1]);
    ze_device_uuid_t own = own_uuid(), other = {{0}};
    assert_int_equal(read(ends[0], &other, sizeof other), sizeof other);
    assert_memory_equal(&own, &other, sizeof own);
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    close(ends[0]);
}

static void handles_of_another_kind_are_refused(void **state) {
    (void)state;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (validated()) skip();
    assert_int_equal(zeDeviceGetProperties((ze_device_handle_t)context, &properties),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void limits_are_sane(void **state) {
    (void)state;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_ok(zeDeviceGetComputeProperties(device, &compute));
    assert_true(compute.maxTotalGroupSize >= 256 && compute.maxGroupSizeX >= 256);
    assert_true(compute.maxSharedLocalMemory >= 32768);
    assert_true(compute.numSubGroupSizes >= 1);
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(device, &module));
    assert_true(module.flags & ZE_DEVICE_MODULE_FLAG_FP64);
    assert_true(module.maxArgumentsSize >= 1024);
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES,
                                          .maxSamplers = 3};
    assert_ok(zeDeviceGetImageProperties(device, &image));
    assert_int_equal(image.maxSamplers + image.maxImageDims1D + image.maxReadImageArgs, 0);
}

static void queue_groups_can_do_everything(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDeviceGetCommandQueueGroupProperties(device, &count, NULL));
    assert_int_equal(count, 1);
    ze_command_queue_group_properties_t group = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    assert_ok(zeDeviceGetCommandQueueGroupProperties(device, &count, &group));
    assert_true(group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_true(group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_true(group.numQueues >= 1);
}

static void memory_is_the_machines(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDeviceGetMemoryProperties(device, &count, NULL));
    assert_int_equal(count, 1);
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    assert_ok(zeDeviceGetMemoryProperties(device, &count, &memory));
    assert_true(memory.totalSize <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    ze_device_memory_access_properties_t access = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    assert_ok(zeDeviceGetMemoryAccessProperties(device, &access));
    assert_true(access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    uint32_t caches = 0;
    assert_ok(zeDeviceGetCacheProperties(device, &caches, NULL));
    ze_device_cache_properties_t cache[8] = {{.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES}};
    assert_true(caches <= 8);
    if (caches) assert_ok(zeDeviceGetCacheProperties(device, &caches, cache));
    for (uint32_t i = 0; i < caches; i++)
        assert_true(cache[i].cacheSize > 0);
    ze_device_external_memory_properties_t external = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    assert_ok(zeDeviceGetExternalMemoryProperties(device, &external));
}

static void it_is_alone(void **state) {
    (void)state;
    uint32_t count = 5;
    assert_ok(zeDeviceGetSubDevices(device, &count, NULL));
    assert_int_equal(count, 0);
    ze_bool_t can = 0;
    assert_ok(zeDeviceCanAccessPeer(device, device, &can));
    assert_int_equal(can, 1);
    ze_device_handle_t root = device;
    assert_ok(CALL(zeDeviceGetRootDevice)(device, &root));
    assert_null(root);
    assert_ok(zeDeviceGetStatus(device));
}

static void clocks_run(void **state) {
    (void)state;
    uint64_t host[2], own[2];
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host[0], &own[0]));
    usleep(2000);
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host[1], &own[1]));
    assert_true(own[1] - own[0] >= 2000000);
    assert_true(host[1] - host[0] >= 2000000);
    assert_true(own[1] < UINT64_C(1) << 62);
}

static void vectors_have_a_width(void **state) {
    (void)state;
    uint32_t count = 1;
    struct ze_device_vector_width_properties_ext widths = {
            .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_VECTOR_WIDTH_PROPERTIES};
    assert_ok(CALL(zeDeviceGetVectorWidthPropertiesExt)(device, &count, &widths));
    assert_int_equal(count, 1);
    assert_int_equal(widths.native_vector_width_float * 4, widths.vector_width_size);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--identity")) {
        if (find_device()) return 1;
        ze_device_uuid_t uuid = own_uuid();
        return write(3, &uuid, sizeof uuid) == sizeof uuid ? 0 : 2;
    }
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(device_says_what_it_is),
            cmocka_unit_test(identity_is_stable),
            cmocka_unit_test(handles_of_another_kind_are_refused),
            cmocka_unit_test(limits_are_sane),
            cmocka_unit_test(queue_groups_can_do_everything),
            cmocka_unit_test(memory_is_the_machines),
            cmocka_unit_test(it_is_alone),
            cmocka_unit_test(clocks_run),
            cmocka_unit_test(vectors_have_a_width),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
