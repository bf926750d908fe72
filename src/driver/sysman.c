/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System management of the device. There is nothing to manage: the other functions enumerate nothing or
 * refuse.
 */
#include "driver/driver.h"
#include "driver/machine.h"

#include <level_zero/zes_api.h>
#include <stdio.h>

#define UNKNOWN "unknown"

ze_result_t ZE_APICALL zesDeviceGetProperties(zes_device_handle_t device,
                                              zes_device_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    zes_device_properties_t answer = {.stype = properties->stype,
                                      .pNext = properties->pNext,
                                      .core = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES},
                                      .serialNumber = UNKNOWN,
                                      .boardNumber = UNKNOWN,
                                      .brandName = "Lode",
                                      .vendorName = UNKNOWN};
    ze_driver_properties_t driver = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    zeDeviceGetProperties(device, &answer.core);
    zeDriverGetProperties((ze_driver_handle_t)&the_driver, &driver);
    snprintf(answer.modelName, sizeof answer.modelName, "%.63s", machine()->name);
    snprintf(answer.driverVersion, sizeof answer.driverVersion, "%u.%u", driver.driverVersion >> 24,
             driver.driverVersion & 0xffffff);
    *properties = answer;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zesDeviceGetState(zes_device_handle_t device, zes_device_state_t *state) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!state) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    state->reset = 0;
    state->repaired = ZES_REPAIR_STATUS_UNSUPPORTED;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t return_false(zes_device_handle_t device, ze_bool_t *answer) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *answer = 0;
    return ZE_RESULT_SUCCESS;
}

/* About the device's own memory; whether the machine has ECC memory is not known here. */
ze_result_t ZE_APICALL zesDeviceEccAvailable(zes_device_handle_t device, ze_bool_t *available) {
    return return_false(device, available);
}

ze_result_t ZE_APICALL zesDeviceEccConfigurable(zes_device_handle_t device, ze_bool_t *configurable) {
    return return_false(device, configurable);
}
