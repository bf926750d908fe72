/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of sizes: how many pieces of size b hold a? */
#ifndef LODE_BASE_ROUND_H
#define LODE_BASE_ROUND_H

#include <stdint.h>

static inline int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

#endif
