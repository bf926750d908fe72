/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void note(const char *format, ...) {
    const char *setting = getenv("LODE_ZE_LOG");
    if (!setting || strcmp(setting, "1") != 0) return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "ze_lode_cpu: %s\n", text);
}
