/* SPDX-License-Identifier: Apache-2.0 */
/* How SPIR-V and sources are kept in the library: a twelfth of the one, a sixth of the other. */
#ifndef LODE_KERNELS_SHRUNK_H
#define LODE_KERNELS_SHRUNK_H

#include <stddef.h>
#include <stdint.h>

/* What numbers are, which decides what foretells them. */
enum shrunk_kind {
    SHRUNK_SPIRV, /* words of a module */
    SHRUNK_TEXT,  /* characters */
};

/* Both return memory that the caller frees; NULL: out of memory. */
uint8_t *shrink_numbers(enum shrunk_kind kind, const uint32_t *numbers, size_t count, size_t *size);
uint32_t *expand_numbers(enum shrunk_kind kind, const void *shrunk, size_t size, size_t *count);

#endif
