/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remarks on what a program gets away with here, but not with every driver. Printed to standard error if
 * LODE_ZE_LOG is 1, each once.
 */
#ifndef LODE_DRIVER_NOTE_H
#define LODE_DRIVER_NOTE_H

#include <stdatomic.h>

void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define NOTE_ONCE(...)                                                                                       \
    do {                                                                                                     \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                          \
        if (!atomic_flag_test_and_set(&said)) note(__VA_ARGS__);                                             \
    } while (0)

#endif
