/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that is not what it seems: puts itself between the Level Zero runtime and the first driver, counts
 * calls and objects, notes what is appended, and can fail, forget newer functions, or pretend to be a GPU
 * that has memory of its own and takes SPIR-V only. For tests that link the library's objects.
 */
#ifndef LODE_TESTS_RUNTIMES_FAKE_H
#define LODE_TESTS_RUNTIMES_FAKE_H

#include "runtimes/level_zero/loader.h"

enum appended { APPENDED_LAUNCH, APPENDED_BARRIER, APPENDED_RESET, APPENDED_COPY };

extern struct fake {
    _Atomic long calls;
    long fail_at; /* this call fails; 0: none does */
    ze_result_t failure;
    _Atomic long live; /* objects made and not yet destroyed */
    long modules_from_spirv, modules_from_binary;
    ze_device_handle_t device;
    bool copies_first;    /* the first queue group copies, the second one computes */
    uint64_t timer_hertz; /* of kernel timestamps; 0: the driver's own */
    bool gpu;             /* no native modules, no memory of the system; binaries are made of SPIR-V */

    int nappended;
    struct {
        enum appended what;
        ze_event_handle_t signal;
        uint32_t nwaits;
        ze_event_handle_t wait; /* the first */
    } appended[256];
} fake;

/* Between the runtime and the driver of the first device from now on. False: there is no device. */
bool fake_install(void);
/* Another device of the same driver. */
ze_device_handle_t fake_second_device(void);
/* The driver loses every function that is newer than specification 1.0, and gets them back. */
void fake_forget_newer(bool forget);
/* The same with the functions of the extension for mutable lists alone. */
void fake_forget_mutable(bool forget);
/* Or they are there, as in a loader, and the driver behind it does not support them. */
void fake_refuse_mutable(void);
/* No failure, empty notes. */
void fake_reset(void);

#endif
