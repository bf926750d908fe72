/* SPDX-License-Identifier: Apache-2.0 */
/* A tool of the build: shrinks a SPIR-V module or a text. shrink spirv|text <file> <output> */
#include "kernels/shrunk.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a file, `bytes` each, lowest first. */
static uint32_t *read_numbers(const char *path, size_t bytes, size_t *count) {
    FILE *from = fopen(path, "rb");
    if (!from) return NULL;
    fseek(from, 0, SEEK_END);
    *count = (size_t)ftell(from) / bytes;
    rewind(from);
    uint32_t *numbers = calloc(*count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < *count * bytes; i++)
        numbers[i / bytes] |= (uint32_t)(fgetc(from) & 0xff) << i % bytes * 8;
    const bool failed = ferror(from);
    fclose(from);
    if (!failed) return numbers;
    free(numbers);
    return NULL;
}

static bool write_bytes(const char *path, const uint8_t *bytes, size_t size) {
    FILE *to = fopen(path, "wb");
    if (!to) return false;
    const bool written = fwrite(bytes, 1, size, to) == size;
    return fclose(to) == 0 && written;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: shrink spirv|text <file> <output>\n"), 2;
    const enum shrunk_kind kind = strcmp(argv[1], "text") == 0 ? SHRUNK_TEXT : SHRUNK_SPIRV;
    size_t count, size;
    uint32_t *numbers = read_numbers(argv[2], kind == SHRUNK_TEXT ? 1 : 4, &count);
    uint8_t *bytes = numbers ? shrink_numbers(kind, numbers, count, &size) : NULL;
    const bool done = bytes && write_bytes(argv[3], bytes, size);
    if (!done) fprintf(stderr, "cannot shrink %s\n", argv[2]);
    free(numbers);
    free(bytes);
    return !done;
}
