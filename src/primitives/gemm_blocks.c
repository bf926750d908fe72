/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How matrix products are cut into blocks: one row of sizes per instruction set, with the date and the
 * machine of each measurement. Knows no problem. The shapes of register tiles are in the names of kernels.
 */
#include "primitives/gemm.h"

/* Of all rows: `cached` was measured on 2026-11-16 on an EPYC with AVX-512, one thread; `run_floats` to
 * `items` on 2026-11-18 on an EPYC (Zen 4), with both instruction sets: to begin a work-item costs as much as
 * 300 fma. */

/* AVX2 and less, 16 registers. `deep` to `few_columns`: 2026-11-17 on an EPYC (Zen 4). 16 products of 16x512
 * by 512x512 were faster (a convolution that has them took 678 us instead of 961), one of 32x512 by 512x8192
 * slower (2040 us instead of 1586). */
static const struct gemm_blocks avx2 = {
        .cached = 1 << 18,
        .run_floats = 4096,
        .run_tiles = 8,
        .items = 32,
        .deep = 1024,
        .deep_if_large = 256,
        .large = 1 << 21,
        .few_columns = 16,
};

/* AVX-512, 32 registers. `deep` to `few_columns` are those of AVX2, not measured apart. `colliding`:
 * 2026-11-16 on an EPYC, one thread, where 1x1 convolutions of 1024 and 2048 channels took 0.6 to 0.8 of the
 * time. */
static const struct gemm_blocks avx512 = {
        .cached = 1 << 18,
        .run_floats = 4096,
        .run_tiles = 8,
        .items = 32,
        .deep = 1024,
        .deep_if_large = 256,
        .large = 1 << 21,
        .few_columns = 16,
        .colliding = 8,
};

/* AMX, 8 tile registers: 2026-11-18 on a Xeon (Sapphire Rapids). To begin a work-item (configuring registers,
 * quantities of channels) costs about as much as 30 products of tiles, the end of a tile as much as 10. */
static const struct gemm_blocks amx = {
        .cached = 1 << 18,
        .large = 1 << 21,
        .items = 16,
        .run_products = 600,
        .end_products = 10,
};

const struct gemm_blocks *gemm_blocks_of(const struct gemm_tile_shape *tile) {
    enum { PANEL_OF_16_REGISTERS = 16 };
    if (tile->type->tiles) return &amx;
    return tile->panel > PANEL_OF_16_REGISTERS ? &avx512 : &avx2;
}
