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

/* How usual results are finished. */
struct bf16_usual {
    constant struct gemm_params *params;
    struct bf16_bias bias;
};

INLINE void tile_finish(const void *how, const int *sums, int columns, global uchar *dst, i64 step) {
    const struct bf16_usual *usual = how;
    bf16_store_plain(usual->params, &usual->bias, (const float *)sums, columns, dst, step);
}

#include "kernels/lib/matrix_tiles.h"

INLINE void bf16_tile_pair(constant struct gemm_params *p, struct tile_run *run, const struct tile_pair *pair,
                           global const uchar *src, global const uchar *weights, struct tile_later *later) {
    tile_configure(run, p->tile, (pair->border ? p->edge_depth : p->depth) * run->size);
    tile_start(0, run->wide);
    TILE_PAIR_OF(TILE_BF16);
    tile_finish_all(later);
}

/* Finishes the sums of a tile, whatever the attributes are. */
INLINE void bf16_finish_tile(constant struct gemm_params *p, const struct tile_place *at, struct bf16_tile *t,
                             const struct epilogue_state *e, float *out) {
    t->at.row = at->row, t->at.column = at->column + at->known;
    t->at.dst = at->dst + at->known * p->dst_column;
    t->columns = (int)p->tile - at->known;
    bf16_store(p, t, e, out + at->known * PANEL);
}

/* Range: runs of tiles of all rows, panels, batches. */
#if WANTED(bf16_gemm_16x32)
kernel void bf16_gemm_16x32(ITEM global const uchar *src, global const uchar *weights,
                            global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                            constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct bf16_tile t = {.bias = bias, .dst = dst};
    LINE_ALIGNED float out[2]
                          [2 * TILE_SUMS]; /* those of a pair are finished while the next one is computed */
    t.at = gemm_place_at(p, scalars.step, 0, 0, GEMM_PANEL(p), get_global_id(2), PANEL);
    struct tile_run run = tile_run(p, &t.at, GEMM_TILE(p), sizeof(ushort), TILE_BF16);
    const bool is_usual = bf16_is_plain(p, t.at.channel);
    struct bf16_usual usual = {.params = p};
    struct tile_later later = {.how = &usual};
    if (is_usual) usual.bias = bf16_bias(p, bias, t.at.bias);
    const i64 size = p->epilogue.type == TYPE_F32 ? sizeof(float) : sizeof(ushort);
    for (float *to = out[0]; run.left > 0; to = to == out[0] ? out[1] : out[0]) {
        const struct tile_pair pair = tile_pair(p, &run);
        bf16_tile_pair(p, &run, &pair, src, weights, &later);
        tile_store(&pair, run.wide, to);
        if (is_usual) {
            tile_postpone(p, &pair, (const int *)to, dst, size, &later);
            continue;
        }
        bf16_finish_tile(p, &pair.a, &t, &e, to);
        if (pair.two) bf16_finish_tile(p, &pair.b, &t, &e, to + TILE_SUMS);
    }
    _tile_release();
    tile_finish_all(&later);
}
#endif
