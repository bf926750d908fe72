/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The class that a runtime reports for a device. LODE_TEST_DEVICE_CLASS=GPU, which is for tests, makes CPUs
 * report the class GPU, so that GPU kernels can run without a GPU.
 */
#ifndef LODE_RUNTIMES_DEVICE_CLASS_H
#define LODE_RUNTIMES_DEVICE_CLASS_H

#include "kernels/device_info.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline enum device_class device_class_of(bool is_cpu) {
    const char *wanted = getenv("LODE_TEST_DEVICE_CLASS");
    return is_cpu && !(wanted && strcmp(wanted, "GPU") == 0) ? DEVICE_CPU : DEVICE_GPU;
}

#endif
