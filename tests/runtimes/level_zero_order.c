/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device order: GPUs come before other devices and the CPU's driver comes last, in whatever order the loader
 * finds them. Runs with the loader of three_devices.c.
 */
#include "runtimes/level_zero/loader.h"
#undef fail /* cmocka's */
#include "test.h"

static void gpus_come_first(void **state) {
    (void)state;
    size_t count = 0;
    const struct found_device *devices = lz_devices(&count);
    static const ze_device_type_t types[] = {ZE_DEVICE_TYPE_GPU, ZE_DEVICE_TYPE_FPGA};
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        assert_int_equal(devices[i].driver->ze->DeviceGetProperties(devices[i].handle, &properties),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(lz_is_native(&properties), i == 2);
        if (i < 2) assert_int_equal(properties.type, types[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gpus_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
