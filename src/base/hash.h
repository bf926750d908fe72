/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash for tables and checksums, eight bytes per step. Not collision-resistant.
 */
#ifndef LODE_BASE_HASH_H
#define LODE_BASE_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static inline uint64_t hash_float(uint64_t hash, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return hash_word(hash, bits);
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    uint64_t word;
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = hash_word(hash, word);
    }
    word = size;
    for (size_t i = 0; i < size; i++)
        word = word << 8 | p[i];
    return hash_word(hash, word);
}

#endif
