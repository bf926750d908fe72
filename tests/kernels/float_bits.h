/* SPDX-License-Identifier: Apache-2.0 */
/* Floats as their bits, and back. */
#ifndef LODE_TESTS_KERNELS_FLOAT_BITS_H
#define LODE_TESTS_KERNELS_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#endif
