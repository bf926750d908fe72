/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers for dropout and stochastic rounding: Philox 4x32 with ten rounds. The counter is the index
 * of the result, so a number depends only on that index and the seed.
 */
#ifndef LODE_KERNELS_LIB_RANDOM_H
#define LODE_KERNELS_LIB_RANDOM_H

#include "kernels/lib/opencl.h"

/* One of the four words for a 128-bit counter and a 64-bit key. */
OUTLINE uint philox(uint c0, uint c1, uint c2, uint c3, uint key0, uint key1, int word) {
#pragma nounroll
    for (int round = 0; round < 10; round++) {
        ulong a = (ulong)0xD2511F53u * c0, b = (ulong)0xCD9E8D57u * c2;
        c0 = (uint)(b >> 32) ^ c1 ^ key0;
        c1 = (uint)b;
        c2 = (uint)(a >> 32) ^ c3 ^ key1;
        c3 = (uint)a;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

/* Four consecutive numbers share one counter. */
INLINE uint random_at(ulong place, ulong seed, ulong offset) {
    ulong four = place & ~3ul;
    return philox((uint)offset, (uint)(offset >> 32), (uint)four, (uint)(four >> 32), (uint)seed,
                  (uint)(seed >> 32), (int)(place & 3));
}

/* Without an offset all four are the same number: oneDNN 3.13 does this, and networks that were trained with
 * it expect it. */
INLINE uint random_without_offset(uint place, uint seed) {
    uint four = place & ~3u;
    return philox(four, four + 1, four, four + 3, seed, seed, 2);
}

#endif
