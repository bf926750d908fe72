/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing for tables in memory: eight bytes a step. Not for anything that leaves the process.
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

#endif
