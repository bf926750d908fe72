/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: data under a key, in one piece of bytes that says how long it is and whether it is whole. What
 * cache blobs and cache files are made of. The bytes may come from anywhere: reading trusts nothing.
 */
#ifndef LODE_BASE_RECORD_H
#define LODE_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record {
    const char *key; /* not terminated */
    size_t key_size;
    const void *data;
    size_t data_size;
};

/* Bytes that a record takes. */
size_t record_size(const struct record *record);
void record_write(const struct record *record, uint8_t *bytes);
/* The record at the start of `size` bytes, pointing into them; returns the bytes it takes, or 0 if there is
 * no whole record. */
size_t record_read(struct record *record, const uint8_t *bytes, size_t size);

#endif
