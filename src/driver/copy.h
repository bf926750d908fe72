/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills memory on all cores.
 */
#ifndef LODE_DRIVER_COPY_H
#define LODE_DRIVER_COPY_H

#include <stddef.h>

/* The ranges may overlap; then one core copies. */
void copy_memory(void *dst, const void *src, size_t size);

/* size: bytes, rows, slices. pitch: bytes from row to row and from slice to slice. The boxes must not
 * overlap. */
void copy_box(void *dst, const size_t dst_pitch[2], const void *src, const size_t src_pitch[2],
              const size_t size[3]);

/* Repeats a pattern of at most MAX_FILL_PATTERN bytes; size is a multiple of pattern_size. */
void fill_memory(void *dst, size_t size, const void *pattern, size_t pattern_size);

#endif
