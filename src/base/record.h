/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: a key and its data in one block of bytes, with their sizes and a checksum. Cache blobs and cache
 * files consist of records. The bytes may come from anywhere: reading trusts nothing.
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

/* Size of the whole record in bytes. */
size_t record_size(const struct record *record);
void record_write(const struct record *record, uint8_t *bytes);
/* Reads the record at the start of `size` bytes; *record points into them. Returns the size of the record in
 * bytes, or 0 if there is no whole, undamaged record. */
size_t record_read(struct record *record, const uint8_t *bytes, size_t size);

#endif
