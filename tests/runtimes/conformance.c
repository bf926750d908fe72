/* SPDX-License-Identifier: Apache-2.0 */
/* The conformance suite of runtimes: every test on every place of this machine. */
#include "runtimes/conformance.h"

extern const struct test object_tests[], execution_tests[], cross_device_tests[], stress_tests[],
        primitive_tests[];

const struct test *const parts[] = {object_tests, execution_tests, cross_device_tests,
                                    stress_tests, primitive_tests, NULL};
const char *const default_places = NULL;
