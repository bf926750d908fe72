/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build tool that shrinks SPIR-V to about two fifths. Nearly all of its words are small numbers, so each is
 * written as a variable number of bytes: seven bits per byte, lowest first, with the highest bit set in all
 * bytes but the last. Of the bytes that this gives, runs that were there before are replaced by where they
 * were. kernel_spirv reads it. Usage: shrink <module> <output>
 *
 * The output: the number of bytes before replacement, then in turn the length of a piece of bytes and the
 * bytes themselves, the length of a run and how far back it is. Numbers are written as words are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 4, HASHES = 1 << 16, TRIES = 64 };

/* Bytes, and for each the last one before it whose next bytes have the same hash. */
struct text {
    uint8_t *bytes;
    size_t size;
    int64_t *before, *latest;
};

static size_t put_number(uint8_t *to, uint32_t number) {
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        to[size++] = (uint8_t)(number & 0x7f) | 0x80;
    to[size++] = (uint8_t)number;
    return size;
}

static void write_number(FILE *to, size_t number) {
    uint8_t bytes[5];
    fwrite(bytes, put_number(bytes, (uint32_t)number), 1, to);
}

static int read_module(FILE *from, struct text *text) {
    unsigned char bytes[4];
    enum { LONGEST = 5 };
    if (fseek(from, 0, SEEK_END)) return 1;
    const long size = ftell(from);
    rewind(from);
    if (size < 0) return 1;
    const size_t most = (size_t)size / 4 * LONGEST + 1;
    text->bytes = malloc(most);
    text->before = malloc(most * sizeof *text->before);
    text->latest = malloc(HASHES * sizeof *text->latest);
    if (!text->bytes || !text->before || !text->latest) return 1;
    memset(text->latest, 0xff, HASHES * sizeof *text->latest); /* -1: none */
    while (fread(bytes, sizeof bytes, 1, from) == 1)
        text->size += put_number(text->bytes + text->size,
                                 bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24);
    return ferror(from);
}

static int64_t *latest_like(const struct text *text, size_t at) {
    uint32_t next;
    memcpy(&next, text->bytes + at, sizeof next);
    return &text->latest[next * 2654435761u >> 16];
}

static void remember(struct text *text, size_t at) {
    if (at + SHORTEST > text->size) return;
    int64_t *latest = latest_like(text, at);
    text->before[at] = *latest;
    *latest = (int64_t)at;
}

static size_t common_length(const struct text *text, size_t one, size_t two) {
    size_t length = 0;
    while (two + length < text->size && text->bytes[one + length] == text->bytes[two + length])
        length++;
    return length;
}

/* The longest run from `at` on that was there before, among the latest ones, and how far back. */
static size_t find_run(const struct text *text, size_t at, size_t *distance) {
    size_t best = 0;
    if (at + SHORTEST > text->size) return 0;
    int64_t from = *latest_like(text, at);
    for (int i = 0; i < TRIES && from >= 0; i++, from = text->before[from]) {
        const size_t length = common_length(text, (size_t)from, at);
        if (length <= best) continue;
        best = length;
        *distance = at - (size_t)from;
    }
    return best < SHORTEST ? 0 : best;
}

static void write_piece(FILE *to, const struct text *text, size_t begin, size_t end) {
    write_number(to, end - begin);
    fwrite(text->bytes + begin, 1, end - begin, to);
}

static int write_shrunk(FILE *to, struct text *text) {
    size_t begin = 0, at = 0;
    write_number(to, text->size);
    while (at < text->size) {
        size_t distance = 0, length = find_run(text, at, &distance);
        if (length == 0) {
            remember(text, at++);
            continue;
        }
        write_piece(to, text, begin, at);
        write_number(to, length);
        write_number(to, distance);
        for (; length > 0; length--)
            remember(text, at++);
        begin = at;
    }
    if (begin < at) write_piece(to, text, begin, at);
    return ferror(to);
}

int main(int argc, char **argv) {
    struct text text = {0};
    FILE *from = argc == 3 ? fopen(argv[1], "rb") : NULL, *to = from ? fopen(argv[2], "wb") : NULL;
    int failed = !to || read_module(from, &text) || write_shrunk(to, &text);
    if (to && fclose(to)) failed = 1;
    if (from) fclose(from);
    if (failed) fprintf(stderr, "cannot shrink %s\n", argc > 1 ? argv[1] : "nothing");
    free(text.bytes);
    free(text.before);
    free(text.latest);
    return failed;
}
