/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text and files.
 */
#define _GNU_SOURCE
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "lodecc: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

void text_append(struct text *text, const void *bytes, size_t length) {
    if (text->length + length + 1 > text->room) {
        text->room = 2 * (text->length + length + 1);
        text->bytes = realloc(text->bytes, text->room);
        if (!text->bytes) die("out of memory");
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

static char *format_list(const char *format, va_list arguments) {
    char *result;
    if (vasprintf(&result, format, arguments) < 0) die("out of memory");
    return result;
}

void text_add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *piece = format_list(format, arguments);
    va_end(arguments);
    text_append(text, piece, strlen(piece));
    free(piece);
}

void text_free(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}

char *text_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *result = format_list(format, arguments);
    va_end(arguments);
    return result;
}

struct text file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) die("%s: %s", path, strerror(errno));
    struct text text = {0};
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        text_append(&text, block, n);
    text_append(&text, "", 0);
    if (ferror(file)) die("%s: cannot be read", path);
    fclose(file);
    return text;
}

void file_write(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (!file) die("%s: %s", path, strerror(errno));
    if (fwrite(bytes, 1, length, file) != length || fclose(file)) die("%s: cannot be written", path);
}
