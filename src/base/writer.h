/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds text piece by piece in a buffer of fixed size, with snprintf's contract: text that does not fit is
 * counted, and the buffer is always terminated.
 */
#ifndef LODE_BASE_WRITER_H
#define LODE_BASE_WRITER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct writer {
    char *text;
    size_t size;
    int length; /* of the whole text, whether or not it fits */
};

__attribute__((format(printf, 2, 3))) static inline void put(struct writer *writer, const char *format, ...) {
    size_t used = (size_t)writer->length < writer->size ? (size_t)writer->length : writer->size;
    va_list args;
    va_start(args, format);
    writer->length += vsnprintf(writer->text + used, writer->size - used, format, args);
    va_end(args);
}

/* Where the next piece goes, for functions with snprintf's contract; add their return value to length. */
static inline char *writer_end(const struct writer *writer) {
    return writer->text + ((size_t)writer->length < writer->size ? (size_t)writer->length : writer->size);
}
static inline size_t writer_room(const struct writer *writer) {
    return (size_t)writer->length < writer->size ? writer->size - (size_t)writer->length : 0;
}

#endif
