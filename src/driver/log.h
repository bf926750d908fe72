/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a build says, line after line.
 */
#ifndef LODE_DRIVER_LOG_H
#define LODE_DRIVER_LOG_H

#include <stddef.h>

/* A line that there is no memory for is lost. */
struct log {
    char *text; /* NULL while empty; to be freed */
    size_t length;
};

void log_add(struct log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
