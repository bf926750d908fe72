/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bytes for CPUs with matrix tiles: as int8_gemm.cl, with the same
 * weights and the same end, but src may have a sign, and a work-item computes a run of tiles by one panel.
 */
#define HEIGHT MATRIX_TILE
#include "kernels/lib/opencl.h"

#include <immintrin.h>

#include "kernels/lib/int8_end.h"

#include "kernels/lib/matrix_tiles.h"

INLINE void int8_tile_pair(constant struct gemm_params *p, struct tile_run *run, const struct tile_pair *pair,
                           global const uchar *src, global const uchar *weights, const IVEC *start,
                           IVEC *out) {
    tile_configure(run, p->tile, tile_is_border(p, pair) ? p->edge_depth : p->depth);
    tile_start(start, run->wide);
    if (run->type == TILE_UNSIGNED)
        TILE_PAIR_OF(TILE_UNSIGNED);
    else
        TILE_PAIR_OF(TILE_SIGNED);
    tile_store(pair, run->wide, out);
}

/* Range: runs of tiles of all rows, panels, batches. */
#if WANTED(int8_gemm_16x32)
kernel void int8_gemm_16x32(ITEM global const uchar *src, global const uchar *weights,
                            global const uchar *bias, global const int *sums, global uchar *dst,
                            EPILOGUE_ARGS, constant struct int8_gemm_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&p->gemm.epilogue);
    struct int8_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    struct int8_channels c;
    LINE_ALIGNED IVEC out[2][2 * HEIGHT];
    const i64 panel = GEMM_PANEL(g), batch = get_global_id(2), left = g->channels - panel * PANEL;
    struct tile_run run =
            tile_run(g, GEMM_TILE(g), 1, p->is_signed ? TILE_SIGNED : TILE_UNSIGNED, panel * PANEL);
    t.count[0] = (int)(left < LANES ? left : LANES);
    t.count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    for (i64 tile = run.first; tile < run.last;) {
        const struct tile_pair pair = tile_pair(g, &run, scalars.step, tile, panel, batch);
        t.at = pair.at[0];
        if (tile == run.first) int8_channels(p, &t, &e, sums, &c);
        int8_tile_pair(g, &run, &pair, src, weights, p->sums == SUMS_NONE ? 0 : c.start, out[0]);
        for (int k = 0; k < pair.count; k++) {
            const int known = pair.known[k];
            t.at = pair.at[k];
            int8_end(p, &t, &e, &c, sums, out[k] + 2 * known, known, (int)g->tile - known);
        }
        tile += pair.count;
    }
    _tile_release();
}
#endif
