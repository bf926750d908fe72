/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void log_add(struct log *log, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t room = log->length + (size_t)length + 1;
    char *text = length < 0 ? NULL : realloc(log->text, room);
    if (!text) return;
    va_start(arguments, format);
    vsnprintf(text + log->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    log->text = text;
    log->length = room - 1;
}
