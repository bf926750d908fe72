/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that an ELF image is safe to pass to the dynamic linker, which trusts every header and every offset
 * in the dynamic section.
 */
#ifndef LODE_DRIVER_ELF_CHECK_H
#define LODE_DRIVER_ELF_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* NULL if it is safe, else what is wrong. */
const char *elf_check(const unsigned char *image, size_t size);

/* Removes constructors, destructors and RELRO from a checked image: a module is only kernels and data. */
void elf_disarm(unsigned char *image);

#endif
