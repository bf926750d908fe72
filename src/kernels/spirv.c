/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the SPIR-V of kernels in the format that shrink.c writes. */
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

static uint32_t read_number(const uint8_t **at) {
    uint32_t number = 0;
    int shift = 0;
    for (; **at & 0x80; ++*at, shift += 7)
        number |= (uint32_t)(**at & 0x7f) << shift;
    return number | (uint32_t)*(*at)++ << shift;
}

/* Pieces of bytes, and between them runs that were there before. */
static void expand(const uint8_t *at, const uint8_t *end, uint8_t *to) {
    while (at < end) {
        const uint32_t piece = read_number(&at);
        memcpy(to, at, piece);
        to += piece, at += piece;
        if (at == end) return;
        uint32_t length = read_number(&at);
        const uint8_t *from = to - read_number(&at);
        for (; length > 0; length--)
            *to++ = *from++; /* a run may overlap itself */
    }
}

static size_t count_words(const uint8_t *bytes, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !(bytes[i] & 0x80);
    return count;
}

uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size) {
    const uint8_t *shrunk = (const uint8_t *)kernel->spirv;
    const size_t length = read_number(&shrunk);
    uint8_t *bytes = malloc(length);
    if (!bytes) return NULL;
    expand(shrunk, (const uint8_t *)kernel->spirv_end, bytes);
    const size_t count = count_words(bytes, length);
    uint32_t *words = malloc(count * sizeof *words);
    const uint8_t *at = bytes;
    for (size_t i = 0; words && i < count; i++)
        words[i] = read_number(&at);
    free(bytes);
    *size = count * sizeof *words;
    return words;
}
