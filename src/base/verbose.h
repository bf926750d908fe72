/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONEDNN_VERBOSE: lines on stdout in oneDNN's format. Asking whether a kind of line is on costs one load.
 * Knows nothing of plans: callers pass the text of a line.
 */
#ifndef LODE_BASE_VERBOSE_H
#define LODE_BASE_VERBOSE_H

#include "oneapi/dnnl/dnnl_types.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum verbose_kind {
    VERBOSE_ERROR = 1 << 0,     /* something failed: on by default */
    VERBOSE_CHECK = 1 << 1,     /* bad arguments of a creation function */
    VERBOSE_DISPATCH = 1 << 2,  /* why an implementation was skipped */
    VERBOSE_CREATE = 1 << 3,    /* profile_create */
    VERBOSE_EXEC = 1 << 4,      /* profile_exec */
    VERBOSE_EXTERNALS = 1 << 5, /* profile_externals */
    VERBOSE_WARN = 1 << 6,
    VERBOSE_DEBUG = 1 << 7, /* debuginfo of level 1 and more */
    VERBOSE_ALL = (1 << 8) - 1,
};

extern _Atomic unsigned verbose_state; /* kinds that are on; 0: the environment has not been read yet */
unsigned verbose_start(void);          /* reads the environment, once; returns the state */
void verbose_set(unsigned kinds);      /* overrides the environment */

static inline bool verbose_on(enum verbose_kind kind) {
    unsigned state = atomic_load_explicit(&verbose_state, memory_order_acquire);
    if (state == 0) state = verbose_start();
    return (state & kind) != 0;
}

/* True for the components that ONEDNN_VERBOSE=filter=REGEX lets through: primitives by their verbose names,
 * "gemm_api". */
bool verbose_wants(const char *component);
double verbose_now_ms(void);

/* Prints "onednn_verbose,v1,<text>\n" in one write, with a timestamp if timestamps are on. Before the first
 * line, prints lines that describe the library and the machine. */
void verbose_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies a text that becomes one field of a line: tools split lines at commas, so it gets semicolons. */
void verbose_field(char *to, size_t size, const char *from);

/* Prints the reason for a failed check or an error, if such lines are on, and returns `status`:
 *   return fail(dnnl_invalid_arguments, "memory", "bad ndims: %d", ndims);
 * `component` is an object ("memory", "engine", "attr") or a primitive ("convolution"). fail_exec is for
 * failures at execution. Out of memory and runtime errors are errors; everything else is a check. The line
 * names the file and line of the call. */
#define fail(status, component, ...)                                                                         \
    verbose_fail(status, FAILS_BY_STATUS, component, __FILE__, __LINE__, __VA_ARGS__)
#define fail_exec(status, component, ...)                                                                    \
    verbose_fail(status, FAILS_EXEC, component, __FILE__, __LINE__, __VA_ARGS__)
/* For a caller's mistake, whatever the status: printed only if checks are on. */
#define fail_check(status, component, ...)                                                                   \
    verbose_fail(status, FAILS_CHECK, component, __FILE__, __LINE__, __VA_ARGS__)

/* The two most common reasons. */
#define fail_null(component)                                                                                 \
    fail(dnnl_invalid_arguments, component, "one of the mandatory arguments is nullptr")
#define fail_param(component, name) fail(dnnl_invalid_arguments, component, "bad param: %s", name)

/* Returns on failure. Prints nothing: the failing call has printed the reason. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        dnnl_status_t status_ = (call);                                                                      \
        if (status_ != dnnl_success) return status_;                                                         \
    } while (0)

enum fail_kind { FAILS_BY_STATUS, FAILS_EXEC, FAILS_CHECK };
dnnl_status_t verbose_fail(dnnl_status_t status, enum fail_kind kind, const char *component, const char *file,
                           int line, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
