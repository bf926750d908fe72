/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake driver between the Level Zero runtime and the first real driver. It counts calls and objects,
 * records appended commands, and can fail calls, hide newer functions, or act as a GPU with its own memory
 * that accepts only SPIR-V. For tests that link the library's objects.
 */
#ifndef LODE_TESTS_RUNTIMES_FAKE_H
#define LODE_TESTS_RUNTIMES_FAKE_H

#include "runtimes/level_zero/loader.h"

enum appended { APPENDED_LAUNCH, APPENDED_BARRIER, APPENDED_RESET, APPENDED_COPY };

extern struct fake {
    _Atomic long calls;
    long fail_at; /* number of the call that fails; 0: none */
    ze_result_t failure;
    _Atomic long live; /* objects created and not yet destroyed */
    long modules_from_spirv, modules_from_binary;
    ze_device_handle_t device;
    bool copies_first;    /* the first queue group only copies, the second computes */
    uint64_t timer_hertz; /* of kernel timestamps; 0: the driver's own */
    bool gpu;             /* no native modules, no system memory; binaries come from SPIR-V */

    int nappended;
    struct {
        enum appended what;
        ze_event_handle_t signal;
        uint32_t nwaits;
        ze_event_handle_t wait; /* the first */
    } appended[256];
} fake;

/* Installs the fake between the runtime and the first device's driver. False if there is no device. */
bool fake_install(void);
/* Another device of the same driver. */
ze_device_handle_t fake_second_device(void);
/* Hides every function newer than specification 1.0, or restores them. */
void fake_hide_newer(bool hide);
/* The same for the functions of the mutable command list extension only. */
void fake_hide_mutable(bool hide);
/* The functions exist, as in a loader, but return "unsupported". */
void fake_refuse_mutable(void);
/* Clears failures and records. */
void fake_reset(void);

#endif
