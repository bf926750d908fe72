/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONEDNN_VERBOSE: lines on stdout in oneDNN's format. Asking whether a kind of line is on costs one load.
 */
#ifndef LODE_CORE_VERBOSE_H
#define LODE_CORE_VERBOSE_H

#include "oneapi/dnnl/dnnl_types.h"

#include <stdbool.h>
#include <stdint.h>

enum verbose_kind {
    VERBOSE_ERROR = 1 << 0,     /* something failed: on by default */
    VERBOSE_CHECK = 1 << 1,     /* bad arguments of a creation function */
    VERBOSE_DISPATCH = 1 << 2,  /* why an implementation was passed over */
    VERBOSE_CREATE = 1 << 3,    /* profile_create */
    VERBOSE_EXEC = 1 << 4,      /* profile_exec */
    VERBOSE_EXTERNALS = 1 << 5, /* profile_externals */
    VERBOSE_WARN = 1 << 6,
    VERBOSE_DEBUG = 1 << 7,
};

bool verbose_on(enum verbose_kind kind);
/* True for the primitives and components that ONEDNN_VERBOSE=filter=REGEX lets through. */
bool verbose_wants(const char *component);
double verbose_now_ms(void);

/* Prints "onednn_verbose,v1,<text>\n" in one write, with the timestamp if that is asked for. */
void verbose_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the reason of a failed check or error, if such lines are on, and returns `status`:
 *   return fail(dnnl_invalid_arguments, "memory", "bad ndims: %d", ndims);
 * `component` is an object ("memory", "engine", "attr") or a primitive ("convolution"). */
dnnl_status_t fail(dnnl_status_t status, const char *component, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
