/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the SPIR-V of kernels in the format that shrink.c writes: seven bits of a word per byte. */
#include "kernels/kernel.h"

#include <stdlib.h>

static size_t count_words(const struct kernel *kernel) {
    size_t count = 0;
    for (const char *byte = kernel->spirv; byte < kernel->spirv_end; byte++)
        count += !(*byte & 0x80);
    return count;
}

uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size) {
    size_t count = count_words(kernel);
    uint32_t *words = calloc(count, sizeof *words);
    if (!words) return NULL;
    const char *byte = kernel->spirv;
    for (size_t i = 0; i < count; i++) {
        int shift = 0;
        for (; *byte & 0x80; byte++, shift += 7)
            words[i] |= (uint32_t)(*byte & 0x7f) << shift;
        words[i] |= (uint32_t)*byte++ << shift;
    }
    *size = count * sizeof *words;
    return words;
}
