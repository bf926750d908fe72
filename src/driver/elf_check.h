/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is this an ELF image that the dynamic linker can be trusted with? It maps what the headers say and believes
 * every offset in the dynamic section, so all of that is checked first.
 */
#ifndef LODE_DRIVER_ELF_CHECK_H
#define LODE_DRIVER_ELF_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* NULL if so, else why not. */
const char *elf_check(const unsigned char *image, size_t size);

/* Takes out of a checked image what is run or protected when it is loaded: a module is kernels and data, and
 * has no constructors. */
void elf_disarm(unsigned char *image);

#endif
