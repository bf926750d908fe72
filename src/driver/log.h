/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build log, one line at a time.
 */
#ifndef LODE_DRIVER_LOG_H
#define LODE_DRIVER_LOG_H

#include <stddef.h>

/* If out of memory, lines are dropped. */
struct log {
    char *text; /* NULL while empty; the owner frees it */
    size_t length;
};

void log_add(struct log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
