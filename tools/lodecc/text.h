/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes files, and builds text. If out of memory, or if a file cannot be read or written, ends the
 * program with a message: this is a compiler driver, not a library.
 */
#ifndef LODECC_TEXT_H
#define LODECC_TEXT_H

#include <stddef.h>

struct text {
    char *bytes; /* zero-terminated; NULL while empty */
    size_t length, room;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append(struct text *text, const void *bytes, size_t length);
void text_free(struct text *text);

struct text file_read(const char *path);
void file_write(const char *path, const void *bytes, size_t length);

/* A new string. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
