/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bytes for CPUs with matrix tiles: as int8_gemm.cl, with the same
 * weights and the same end, but src may have a sign, and a work-item computes a run of tiles by one panel.
 */
#define HEIGHT MATRIX_TILE
#include "kernels/lib/opencl.h"

#include <immintrin.h>

#include "kernels/lib/int8_end.h"

/* Sums that are finished while the next ones are computed: some columns of up to two tiles. */
struct tile_work {
    constant struct int8_fused *fused;
    const struct int8_channels *channels;
    i64 step; /* from one column of dst to the next */
    struct int8_columns {
        const IVEC *sums;
        global uchar *dst;
        int count;
    } columns[2];
    int tiles; /* the last `tiles` of these are left */
};

OUTLINE void int8_finish_columns(struct tile_work *work, int most) {
    struct int8_columns *c = &work->columns[2 - work->tiles];
    const int count = c->count < most ? c->count : most;
    int8_fused_panels(work->fused, work->channels, c->sums, count, c->dst, work->step);
    c->sums += 2 * count, c->dst += count * work->step, c->count -= count;
    if (c->count == 0) work->tiles--;
}

INLINE void tile_work_on(struct tile_work *work) {
    if (work->tiles > 0) int8_finish_columns(work, 4);
}

INLINE void int8_finish_work(struct tile_work *work) {
    while (work->tiles > 0)
        int8_finish_columns(work, HEIGHT);
}

#include "kernels/lib/matrix_tiles.h"

INLINE void int8_tile_pair(constant struct gemm_params *p, struct tile_run *run, const struct tile_pair *pair,
                           global const uchar *src, global const uchar *weights, const IVEC *start,
                           struct tile_work *work) {
    tile_configure(run, p->tile, pair->border ? p->edge_depth : p->depth);
    tile_start(start, run->wide);
    if (run->type == TILE_UNSIGNED)
        TILE_PAIR_OF(TILE_UNSIGNED);
    else
        TILE_PAIR_OF(TILE_SIGNED);
    int8_finish_work(work);
}

/* The sums of a pair, to be finished later. */
INLINE void int8_postpone(constant struct gemm_params *p, const struct tile_pair *pair, global uchar *dst,
                          const IVEC *out, struct tile_work *work) {
    const struct int8_columns a = {.sums = out + 2 * pair->a.known,
                                   .dst = dst + pair->a.dst + pair->a.known * p->dst_column,
                                   .count = (int)p->tile - pair->a.known},
                              b = {.sums = out + 2 * (HEIGHT + pair->b.known),
                                   .dst = dst + pair->b.dst + pair->b.known * p->dst_column,
                                   .count = (int)p->tile - pair->b.known};
    work->step = p->dst_column;
    work->tiles = 1 + pair->two;
    work->columns[0] = a;
    work->columns[1] = pair->two ? b : a;
}

/* The same, finished now, whatever the attributes are. */
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
    struct tile_work work = {.fused = &p->fused, .channels = &c};
    LINE_ALIGNED IVEC
            out[2][2 * 2 * HEIGHT]; /* those of a pair are finished while the next one is computed */
    t.at = gemm_place_at(g, scalars.step, 0, 0, GEMM_PANEL(g), get_global_id(2), PANEL);
    const i64 left = g->channels - t.at.channel;
    struct tile_run run = tile_run(g, &t.at, GEMM_TILE(g), 1, p->is_signed ? TILE_SIGNED : TILE_UNSIGNED);
    t.count[0] = (int)(left < LANES ? left : LANES);
    t.count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    int8_channels(p, &t, &e, sums, &c);
    const bool later = int8_is_panel(&p->fused, &t, &c);
    for (IVEC *to = out[0]; run.left > 0; to = to == out[0] ? out[1] : out[0]) {
        const struct tile_pair pair = tile_pair(g, &run);
        int8_tile_pair(g, &run, &pair, src, weights, p->sums == SUMS_NONE ? 0 : c.start, &work);
        tile_store(&pair, run.wide, to);
        if (later) {
            int8_postpone(g, &pair, dst, to, &work);
            continue;
        }
        int8_finish_tile(p, &pair.a, &t, &e, &c, sums, to);
        if (pair.two) int8_finish_tile(p, &pair.b, &t, &e, &c, sums, to + 2 * HEIGHT);
    }
    _tile_release();
    int8_finish_work(&work);
}
#endif
