/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bytes for CPUs with matrix tiles: as int8_gemm.cl, with the same
 * weights and the same end, but src may have a sign, and a work-item computes a run of tiles by one panel.
 */
#define HEIGHT MATRIX_TILE
#include "kernels/lib/opencl.h"

#include <immintrin.h>

#include "kernels/lib/int8_end.h"

/* How usual results, bytes of whole panels, are finished. */
struct int8_usual {
    constant struct int8_fused *fused;
    const struct int8_channels *channels;
};

INLINE void tile_finish(const void *how, const int *sums, int columns, global uchar *dst, i64 step) {
    const struct int8_usual *usual = how;
    int8_fused_panels(usual->fused, usual->channels, (const IVEC *)sums, columns, dst, step);
}

#include "kernels/lib/matrix_tiles.h"

INLINE void int8_tile_pair(constant struct gemm_params *p, struct tile_run *run, const struct tile_pair *pair,
                           global const uchar *src, global const uchar *weights, const IVEC *start,
                           struct tile_later *later) {
    tile_configure(run, p->tile, pair->border ? p->edge_depth : p->depth);
    tile_start(start, run->wide);
    if (run->type == TILE_UNSIGNED)
        TILE_PAIR_OF(TILE_UNSIGNED);
    else
        TILE_PAIR_OF(TILE_SIGNED);
    tile_finish_all(later);
}

/* Finishes the sums of a tile, whatever the attributes are. */
INLINE void int8_finish_tile(constant struct int8_gemm_params *p, const struct tile_place *at,
                             struct int8_tile *t, const struct epilogue_state *e,
                             const struct int8_channels *c, global const int *sums, const IVEC *out) {
    t->at.row = at->row, t->at.column = at->column;
    t->at.src = at->src, t->at.dst = at->dst;
    int8_end(p, t, e, c, sums, out + 2 * at->known, at->known, (int)p->gemm.tile - at->known);
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
    const struct int8_usual usual = {&p->fused, &c};
    struct tile_later later = {.how = &usual};
    LINE_ALIGNED IVEC
            out[2][2 * 2 * HEIGHT]; /* those of a pair are finished while the next one is computed */
    t.at = gemm_place_at(g, scalars.step, 0, 0, GEMM_PANEL(g), get_global_id(2), PANEL);
    const i64 left = g->channels - t.at.channel;
    struct tile_run run = tile_run(g, &t.at, GEMM_TILE(g), 1, p->is_signed ? TILE_SIGNED : TILE_UNSIGNED);
    t.count[0] = (int)(left < LANES ? left : LANES);
    t.count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    int8_channels(p, &t, &e, sums, &c);
    const bool is_usual = int8_is_panel(&p->fused, &t, &c);
    for (IVEC *to = out[0]; run.left > 0; to = to == out[0] ? out[1] : out[0]) {
        const struct tile_pair pair = tile_pair(g, &run);
        int8_tile_pair(g, &run, &pair, src, weights, p->sums == SUMS_NONE ? 0 : c.start, &later);
        tile_store(&pair, run.wide, to);
        if (is_usual) {
            tile_postpone(g, &pair, (const int *)to, dst, 1, &later);
            continue;
        }
        int8_finish_tile(p, &pair.a, &t, &e, &c, sums, to);
        if (pair.two) int8_finish_tile(p, &pair.b, &t, &e, &c, sums, to + 2 * HEIGHT);
    }
    _tile_release();
    tile_finish_all(&later);
}
#endif
