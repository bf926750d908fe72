/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Level Zero loader that finds three devices in one driver: a CPU, an FPGA and a GPU, in this order. It
 * links the embedded driver, which has all other functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <level_zero/ze_api.h>

static char fpga, gpu; /* their addresses serve as handles */

ZE_DLLEXPORT ze_result_t ZE_APICALL zeDeviceGet(ze_driver_handle_t driver, uint32_t *count,
                                                ze_device_handle_t *devices) {
    __typeof__(&zeDeviceGet) real;
    *(void **)&real = dlsym(RTLD_NEXT, "zeDeviceGet");
    uint32_t one = 1, room = *count;
    *count = 3;
    if (room < 3) return ZE_RESULT_SUCCESS;
    devices[1] = (ze_device_handle_t)&fpga;
    devices[2] = (ze_device_handle_t)&gpu;
    return real(driver, &one, devices);
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeDeviceGetProperties(ze_device_handle_t device,
                                                          ze_device_properties_t *properties) {
    __typeof__(&zeDeviceGetProperties) real;
    *(void **)&real = dlsym(RTLD_NEXT, "zeDeviceGetProperties");
    if (device != (void *)&fpga && device != (void *)&gpu) return real(device, properties);
    *properties = (ze_device_properties_t){
            .stype = properties->stype,
            .type = device == (void *)&gpu ? ZE_DEVICE_TYPE_GPU : ZE_DEVICE_TYPE_FPGA,
    };
    return ZE_RESULT_SUCCESS;
}
