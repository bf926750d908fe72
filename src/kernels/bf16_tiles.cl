/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bf16 for CPUs with matrix tiles: as bf16_gemm.cl, with the same weights
 * and the same end, but a work-item computes a run of tiles by one panel. Every output is one chain over the
 * reduction, of sums of 32 steps.
 */
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"

#define LANES 16
#include "kernels/lib/lanes.h"

enum { PANEL = 2 * LANES };

#include "kernels/lib/bf16_end.h"

#include "kernels/lib/matrix_tiles.h"

INLINE void bf16_tile_pair(constant struct gemm_params *p, struct tile_run *run, const struct tile_pair *pair,
                           global const uchar *src, global const uchar *weights, float *out) {
    tile_configure(run, p->tile, (tile_is_border(p, pair) ? p->edge_depth : p->depth) * run->size);
    tile_start(0, run->wide);
    TILE_PAIR_OF(TILE_BF16);
    tile_store(pair, run->wide, out);
}

/* Range: runs of tiles of all rows, panels, batches. */
#if WANTED(bf16_gemm_16x32)
kernel void bf16_gemm_16x32(ITEM global const uchar *src, global const uchar *weights,
                            global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                            constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct bf16_tile t = {.bias = bias, .dst = dst};
    LINE_ALIGNED float out[2][TILE_SUMS];
    const i64 panel = GEMM_PANEL(p), batch = get_global_id(2);
    struct tile_run run = tile_run(p, GEMM_TILE(p), sizeof(ushort), TILE_BF16, panel * PANEL);
    for (i64 tile = run.first; tile < run.last;) {
        const struct tile_pair pair = tile_pair(p, &run, scalars.step, tile, panel, batch);
        bf16_tile_pair(p, &run, &pair, src, weights, out[0]);
        for (int k = 0; k < pair.count; k++) {
            const int known = pair.known[k];
            t.at = pair.at[k];
            t.at.column += known;
            t.at.dst += known * p->dst_column;
            t.columns = (int)p->tile - known;
            bf16_store(p, &t, &e, out[k] + known * PANEL);
        }
        tile += pair.count;
    }
    _tile_release();
}
#endif
