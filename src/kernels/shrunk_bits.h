/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits and numbers in as few bytes as their surroundings foretell. A bit is coded arithmetically, at the
 * price of how unlikely it was. Several contexts (hashes of what stands before it) each remember how often
 * the bit was set; a mixer adds up what they say, with weights that follow who was right.
 *
 * Reading runs the same code as writing, and only integers are computed with, so that both foretell the same
 * anywhere. Probabilities have 12 bits where they are mixed, 16 where they are coded, 22 where they are kept.
 */
#ifndef LODE_KERNELS_SHRUNK_BITS_H
#define LODE_KERNELS_SHRUNK_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    MAX_CONTEXTS = 5,
    COUNT_BITS = 10, /* the lower ones of a slot: how many bits it has seen, at most... */
    MAX_COUNT = 127,
    PHASES = 32, /* of a number: each has its own weights */
    MIXERS = 4 * PHASES,
    LARGEST = 2047, /* of what is mixed: 256 times the logarithm of the odds */
    LEARNING = 2,
};

struct coder {
    bool writing;
    uint8_t *at, *end;
    uint32_t low, high, code; /* what is still possible, and where the input is in it */
    uint32_t *slots;
    int slot_bits;
    int weights[MIXERS][MAX_CONTEXTS];
    int16_t stretched[4096]; /* the inverse of squash */
    uint32_t shares[MAX_COUNT + 1];
};

static inline uint32_t mix_hash(uint32_t a, uint32_t b) {
    uint32_t hash = a * 0x9e3779b1u ^ b * 0x85ebca6bu;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return hash ^ hash >> 13;
}

/* 4096 / (1 + exp(-x / 256)), between points that are 128 apart. */
static inline int squash(int x) {
    static const int16_t points[] = {1,    2,    3,    6,    10,   16,   27,   45,   73,   120,  194,
                                     310,  488,  747,  1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785,
                                     3901, 3975, 4024, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094};
    if (x > LARGEST) return 4095;
    if (x < -LARGEST) return 0;
    const int point = (x >> 7) + 16, part = x & 127;
    return (points[point] * (128 - part) + points[point + 1] * part + 64) >> 7;
}

static inline uint8_t next_byte(struct coder *coder) {
    return coder->at < coder->end ? *coder->at++ : 0;
}

/* Enough slots for what `count` numbers can teach; more would take longer to set up than to use. */
static inline int slot_bits_for(size_t count) {
    int bits = 12;
    while (bits < 20 && count >> (bits - 4))
        bits++;
    return bits;
}

/* `bytes` are read, or written where there must be room for everything; they hold `count` numbers. False: out
 * of memory. */
static inline bool coder_start(struct coder *coder, bool writing, uint8_t *bytes, size_t size, size_t count) {
    *coder = (struct coder){.writing = writing, .at = bytes, .end = bytes + size, .high = UINT32_MAX};
    coder->slot_bits = slot_bits_for(count);
    coder->slots = malloc(sizeof *coder->slots << coder->slot_bits);
    if (!coder->slots) return false;
    for (size_t i = 0; i < (size_t)1 << coder->slot_bits; i++)
        coder->slots[i] = 1u << 31;
    for (int i = 0; i < MIXERS * MAX_CONTEXTS; i++)
        coder->weights[i / MAX_CONTEXTS][i % MAX_CONTEXTS] = 3 * (1 << 16) / 10;
    for (int x = -LARGEST, from = 0; x <= LARGEST; x++)
        for (const int to = squash(x); from <= to; from++)
            coder->stretched[from] = (int16_t)x;
    coder->stretched[4095] = LARGEST;
    for (int i = 0; i <= MAX_COUNT; i++)
        coder->shares[i] = (2 << 16) / (2 * (uint32_t)i + 3);
    for (int i = 0; i < 4 && !writing; i++)
        coder->code = coder->code << 8 | next_byte(coder);
    return true;
}

/* Ends a text that was written. */
static inline void coder_flush(struct coder *coder) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *coder->at++ = (uint8_t)(coder->high >> shift);
}

/* A bit whose probability to be set is of 65536. */
static inline bool code_bit(struct coder *coder, bool bit, uint32_t probability) {
    const uint64_t range = coder->high - coder->low;
    const uint32_t middle = coder->low + (uint32_t)(range * probability >> 16);
    if (!coder->writing) bit = coder->code <= middle;
    if (bit)
        coder->high = middle;
    else
        coder->low = middle + 1;
    for (; (coder->low ^ coder->high) >> 24 == 0; coder->low <<= 8, coder->high = coder->high << 8 | 0xff) {
        if (coder->writing)
            *coder->at++ = (uint8_t)(coder->high >> 24);
        else
            coder->code = coder->code << 8 | next_byte(coder);
    }
    return bit;
}

/* Moves a slot towards a bit, the less the more it has seen. */
static inline void learn(const struct coder *coder, uint32_t *slot, bool bit) {
    const uint32_t count = *slot & ((1u << COUNT_BITS) - 1);
    const int64_t old = *slot >> COUNT_BITS, aim = bit ? (1 << 22) - 1 : 0;
    const uint32_t now = (uint32_t)(old + ((aim - old) * coder->shares[count] >> 16));
    *slot = now << COUNT_BITS | (count < MAX_COUNT ? count + 1 : count);
}

/* A bit that `count` contexts foretell. `place` tells bits of the same contexts apart. */
static inline bool code_mixed(struct coder *coder, bool bit, const uint32_t *contexts, int count,
                              uint32_t place, int mixer) {
    uint32_t *slots[MAX_CONTEXTS];
    int said[MAX_CONTEXTS], *weights = coder->weights[mixer];
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        slots[i] = &coder->slots[mix_hash(contexts[i] + (uint32_t)i, place) >> (32 - coder->slot_bits)];
        said[i] = coder->stretched[*slots[i] >> 20];
        sum += (int64_t)weights[i] * said[i];
    }
    const int64_t most = LARGEST + 1, mixed = sum >> 16;
    const int foretold = squash((int)(mixed > most ? most : mixed < -most ? -most : mixed));
    const int bounded = foretold < 1 ? 1 : foretold > 4094 ? 4094 : foretold;
    bit = code_bit(coder, bit, (uint32_t)bounded * 16 + 8);
    const int error = ((bit ? 4096 : 0) - foretold) * LEARNING;
    for (int i = 0; i < count; i++) {
        weights[i] += (said[i] * error + 512) >> 10;
        learn(coder, slots[i], bit);
    }
    return bit;
}

/* A number: how many bits it has, then those below its highest. */
static inline uint32_t code_number(struct coder *coder, uint32_t number, const uint32_t *contexts, int count,
                                   int mixers) {
    enum { SIZE_BITS = 6, NEAR = 12 };
    const uint32_t size = number ? 32 - (uint32_t)__builtin_clz(number) : 0;
    uint32_t node = 1;
    for (int i = SIZE_BITS - 1; i >= 0; i--)
        node = node * 2 + code_mixed(coder, size >> i & 1, contexts, count, node, mixers + i);
    const int bits = node & ((1 << SIZE_BITS) - 1);
    if (bits < 2) return (uint32_t)bits;
    uint32_t known = 1;
    for (int i = bits - 2; i >= 0; i--) {
        const int behind = bits - 1 - i; /* bits known; of more than NEAR, the first ones tell places apart */
        const uint32_t place = behind <= NEAR ? known : known >> (behind - NEAR) | (uint32_t)i << 20;
        const int phase = SIZE_BITS + (i < 15 ? i : 15);
        known = known * 2
                | code_mixed(coder, number >> i & 1, contexts, count, (uint32_t)bits << 25 ^ place ^ 1u << 24,
                             mixers + phase);
    }
    return known;
}

#endif
