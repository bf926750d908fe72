/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the weights of convolutions of bf16 for CPUs with matrix tiles, as sums over flat positions:
 * see params_gradient_tiles.h. An instruction multiplies 16 inputs, 32 positions of each, by these positions
 * of 16 outputs. For that, the image is copied with positions as rows, and places by pairs of positions.
 */
#include "kernels/lib/opencl.h"
#include "kernels/params_gradient_tiles.h"

#include <immintrin.h>

enum { LANES = 16, PANEL = 2 * LANES, PAIR = 2, STEP = 2 * LANES, OUTSIDE = -1 };

/* Where the elements of some flat positions are. Of a row of the window that is folded into channels, only
 * `low` to `high` - 1 are inside. */
struct flat_places {
    i64 offset[FLAT_BLOCK]; /* OUTSIDE: there are none */
    int low[FLAT_BLOCK], high[FLAT_BLOCK];
};

INLINE i64 flat_between(i64 x, i64 most) {
    return x < 0 ? 0 : x < most ? x : most;
}

/* The first lanes. */
INLINE __mmask16 flat_mask(i64 count) {
    return (__mmask16)((1u << flat_between(count, LANES)) - 1);
}

/* `count` positions of a row, the first of which is at position x. */
INLINE void flat_row(constant struct flat_params *p, i64 row, i64 x, int count, const bool folds, i64 *offset,
                     int *low, int *high) {
    const i64 step = p->stride[2] * p->src_stride[2], size = p->size[2], each = p->src_stride[2];
    for (int i = 0; i < count; i++) {
        const i64 at = x + i * p->stride[2];
        if (folds) {
            offset[i] = row + x * each + i * step;
            low[i] = (int)flat_between(-at * each, p->channels);
            high[i] = (int)flat_between((size - at) * each, p->channels);
        } else {
            offset[i] = at >= 0 && at < size ? row + x * each + i * step : OUTSIDE;
        }
    }
}

/* The places of `count` flat positions from `first` on, row by row. */
INLINE void flat_places(constant struct flat_params *p, const i64 *start, i64 first, int count,
                        const bool folds, struct flat_places *places) {
    i64 at[WINDOW_DIMS], n = first;
    for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
        const i64 above = n / p->pitch[d];
        at[d] = n - above * p->pitch[d];
        n = above;
    }
    for (int k = 0, run; k < count; k += run) {
        const i64 depth = at[0] * p->stride[0] + start[0], height = at[1] * p->stride[1] + start[1],
                  left = p->pitch[2] - at[2];
        const i64 row =
                p->src_offset + n * p->src_batch + depth * p->src_stride[0] + height * p->src_stride[1];
        run = (int)(left < count - k ? left : count - k);
        if (n < p->batch && depth >= 0 && depth < p->size[0] && height >= 0 && height < p->size[1])
            flat_row(p, row, at[2] * p->stride[2] + start[2], run, folds, places->offset + k, places->low + k,
                     places->high + k);
        else
            for (int i = k; i < k + run; i++)
                places->offset[i] = OUTSIDE, places->low[i] = places->high[i] = 0;
        at[2] = 0;
        if (++at[1] < p->pitch[1]) continue;
        at[1] = 0;
        if (++at[0] < p->pitch[0]) continue;
        at[0] = 0;
        n++;
    }
}

/* 16 channels of a position, some of which exist. */
INLINE __m512i flat_load(global const ushort *src, const struct flat_places *places, int k, i64 channel,
                         __mmask16 some, const bool folds) {
    if (places->offset[k] == OUTSIDE && !folds) return _mm512_setzero_si512();
    if (folds)
        some &= (__mmask16)(flat_mask(places->high[k] - channel) & ~flat_mask(places->low[k] - channel));
    if (some == 0) return _mm512_setzero_si512(); /* src may be null */
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, src + places->offset[k] + channel));
}

/* Those of two positions, the first in the low halves. */
INLINE __m512i flat_pair(global const ushort *src, const struct flat_places *places, int k, i64 channel,
                         __mmask16 some, const bool folds) {
    const __m512i low = flat_load(src, places, k, channel, some, folds),
                  high = flat_load(src, places, k + 1, channel, some, folds);
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/* 16 rows of 16 words become columns. */
INLINE void turn_words(__m512i *x) {
    __m512i y[LANES];
#pragma unroll
    for (int i = 0; i < LANES; i += 2) {
        y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    /* x[4 * i + j]: words 4 * lane + j of rows 4 * i to 4 * i + 3 */
#pragma unroll
    for (int i = 0; i < LANES; i += 4) {
        x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
        x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
        x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
        x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const __m512i a = _mm512_shuffle_i32x4(x[j], x[4 + j], 0x44),
                      b = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0x44),
                      c = _mm512_shuffle_i32x4(x[j], x[4 + j], 0xee),
                      d = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0xee);
        y[j] = _mm512_shuffle_i32x4(a, b, 0x88);
        y[4 + j] = _mm512_shuffle_i32x4(a, b, 0xdd);
        y[8 + j] = _mm512_shuffle_i32x4(c, d, 0x88);
        y[12 + j] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++)
        x[i] = y[i];
}

INLINE int flat_count(constant struct flat_params *p, i64 first) {
    return (int)(p->length - first < FLAT_BLOCK ? p->length - first : FLAT_BLOCK);
}

/* A block of positions of all channels; callers pass `folds` as a constant. */
INLINE void turn_block(constant struct flat_params *p, global const ushort *src, const i64 *start, i64 first,
                       const bool folds, global ushort *dst) {
    struct flat_places places;
    const int count = flat_count(p, first);
    flat_places(p, start, first, count, folds, &places);
    for (i64 c = 0; c < p->channels; c += LANES) {
        const __mmask16 some = flat_mask(p->channels - c);
        for (int k = 0; k < count; k += STEP) {
            __m512i x[LANES];
#pragma unroll
            for (int i = 0; i < LANES; i++)
                x[i] = flat_pair(src, &places, k + PAIR * i, c, some, folds);
            turn_words(x);
#pragma unroll
            for (int i = 0; i < LANES; i++)
                if (some >> i & 1) _mm512_storeu_si512(dst + (c + i) * p->length + k, x[i]);
        }
    }
}

/* Rows of positions: dst[phase][channel][position]. Range: blocks of positions, phases. */
#if WANTED(bf16_turn_image)
kernel void bf16_turn_image(ITEM global const ushort *src, global ushort *dst,
                            constant struct flat_params *p) {
    const i64 first = (i64)get_global_id(0) * FLAT_BLOCK;
    i64 start[WINDOW_DIMS], phase = get_global_id(1);
    dst += p->dst_offset + phase * p->channels * p->length + first;
    for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
        const i64 above = phase / p->phases[d];
        start[d] = (phase - above * p->phases[d]) * p->phase_step[d] - p->padding[d];
        phase = above;
    }
    if (p->folds)
        turn_block(p, src, start, first, true, dst);
    else
        turn_block(p, src, start, first, false, dst);
}
#endif

/* Panels of pairs of positions: dst[group][panel][pair][channel of the panel]. Range: blocks of positions,
 * several panels of all groups. */
#if WANTED(bf16_pair_places)
kernel void bf16_pair_places(ITEM global const ushort *src, global uint *dst,
                             constant struct flat_params *p) {
    const i64 first = (i64)get_global_id(0) * FLAT_BLOCK, begin = (i64)get_global_id(1) * FLAT_PANELS,
              all = p->groups * p->panels, end = begin + FLAT_PANELS < all ? begin + FLAT_PANELS : all;
    const i64 start[WINDOW_DIMS] = {0, 0, 0};
    struct flat_places places;
    const int count = flat_count(p, first);
    flat_places(p, start, first, count, false, &places);
    for (i64 panel = begin; panel < end; panel++) {
        const i64 group = panel / p->panels, channel = (panel - group * p->panels) * PANEL;
        const __mmask16 some[2] = {flat_mask(p->channels - channel),
                                   flat_mask(p->channels - channel - LANES)};
        global const ushort *from = src + (group * p->channels + channel);
        global uint *to = dst + (p->dst_offset + (panel * p->length + first) / PAIR * PANEL);
        for (int k = 0; k < count; k += PAIR, to += PANEL)
            for (int v = 0; v < 2; v++)
                _mm512_storeu_si512(to + v * LANES, flat_pair(from, &places, k, v * LANES, some[v], false));
    }
}
#endif

/* Tile registers: sums of two vectors of inputs by two of outputs, and what they are sums of. */
#define SUM_00 0
#define SUM_01 1
#define SUM_10 2
#define SUM_11 3
#define INPUTS_0 4
#define INPUTS_1 5
#define OUTPUTS_0 6
#define OUTPUTS_1 7

struct tile_config {
    uchar palette, start_row, reserved[14];
    ushort row_bytes[16];
    uchar rows[16];
};

/* Registers for so many inputs. */
INLINE void gradient_configure(int inputs) {
    struct tile_config config = {.palette = 1};
    const int first = inputs < LANES ? inputs : LANES, second = inputs > LANES ? inputs - LANES : 1;
    for (int k = 0; k < 8; k++)
        config.row_bytes[k] = 4 * LANES, config.rows[k] = LANES;
    config.rows[SUM_00] = config.rows[SUM_01] = config.rows[INPUTS_0] = (uchar)first;
    config.rows[SUM_10] = config.rows[SUM_11] = config.rows[INPUTS_1] = (uchar)second;
    _tile_loadconfig(&config);
}

/* A tap of the window: along each dimension which phase it reads, and how many positions further on. */
struct gradient_tap {
    i64 index[WINDOW_DIMS], phase[WINDOW_DIMS], further[WINDOW_DIMS];
};

INLINE void gradient_tap(constant struct gradient_tiles_params *p, i64 index, struct gradient_tap *tap) {
    for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
        const i64 above = index / p->taps[d], k = index - above * p->taps[d];
        tap->index[d] = k;
        tap->phase[d] = k * p->tap_step[d] % p->phases[d];
        tap->further[d] = k * p->tap_step[d] / p->phases[d];
        index = above;
    }
}

/* The next one; from the last to the first. */
INLINE void gradient_next_tap(constant struct gradient_tiles_params *p, struct gradient_tap *tap) {
    for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
        if (++tap->index[d] < p->taps[d]) {
            for (tap->phase[d] += p->tap_step[d]; tap->phase[d] >= p->phases[d];
                 tap->phase[d] -= p->phases[d])
                tap->further[d]++;
            return;
        }
        tap->index[d] = tap->phase[d] = tap->further[d] = 0;
    }
}

/* Where its inputs begin. */
INLINE i64 gradient_tap_offset(constant struct gradient_tiles_params *p, const struct gradient_tap *tap) {
    const i64 phase = (tap->phase[0] * p->phases[1] + tap->phase[1]) * p->phases[2] + tap->phase[2];
    return phase * p->image_phase + (tap->further[0] * p->pitch[0] + tap->further[1]) * p->pitch[1]
           + tap->further[2];
}

/* dst[input][output] += the products of some steps; stored if `first`. Callers pass the last two as
 * constants. */
INLINE void gradient_sums(global const ushort *a, i64 row, global const ushort *b, i64 steps, bool first,
                          global float *dst, const bool two, const bool wide) {
    const i64 pitch = PANEL * sizeof(float), bytes = row * (i64)sizeof(ushort);
    _tile_zero(SUM_00);
    _tile_zero(SUM_01);
    _tile_zero(SUM_10);
    _tile_zero(SUM_11);
    if (!first) {
        _tile_loadd(SUM_00, dst, pitch);
        if (wide) _tile_loadd(SUM_01, dst + LANES, pitch);
        if (two) _tile_loadd(SUM_10, dst + LANES * PANEL, pitch);
        if (two && wide) _tile_loadd(SUM_11, dst + LANES * PANEL + LANES, pitch);
    }
#pragma nounroll
    for (; steps > 0; steps--, a += STEP, b += STEP * PANEL) {
        _tile_loadd(INPUTS_0, a, bytes);
        _tile_loadd(OUTPUTS_0, b, pitch);
        _tile_dpbf16ps(SUM_00, INPUTS_0, OUTPUTS_0);
        if (wide) {
            _tile_loadd(OUTPUTS_1, b + PANEL, pitch);
            _tile_dpbf16ps(SUM_01, INPUTS_0, OUTPUTS_1);
        }
        if (two) {
            _tile_loadd(INPUTS_1, a + LANES * row, bytes);
            _tile_dpbf16ps(SUM_10, INPUTS_1, OUTPUTS_0);
            if (wide) _tile_dpbf16ps(SUM_11, INPUTS_1, OUTPUTS_1);
        }
    }
    _tile_stored(SUM_00, dst, pitch);
    _tile_stored(SUM_01, dst + LANES, pitch);
    if (!two) return;
    _tile_stored(SUM_10, dst + LANES * PANEL, pitch);
    _tile_stored(SUM_11, dst + LANES * PANEL + LANES, pitch);
}

/* What a work-item computes: tiles x taps of a panel, of a part of the steps. */
struct gradient_tiles_item {
    i64 inputs; /* of a tile; 0: registers are not configured yet */
    i64 first_job, last_job, tile, outputs;
    global const ushort *image, *places;
    global float *dst;
};

/* All jobs, of some steps. */
INLINE void gradient_chunk(constant struct gradient_tiles_params *p, struct gradient_tiles_item *own,
                           struct gradient_tap tap, i64 from, i64 steps, bool first) {
    i64 tile = own->tile;
    global const ushort *places = own->places + from * STEP * PANEL;
    for (i64 j = own->first_job; j < own->last_job; j++) {
        const i64 input = tile * PANEL, left = p->inputs - input, inputs = left < PANEL ? left : PANEL;
        if (inputs != own->inputs) gradient_configure((int)inputs);
        own->inputs = inputs;
        global const ushort *a =
                own->image + (gradient_tap_offset(p, &tap) + input * p->length + from * STEP);
        const i64 k = (tap.index[0] * p->taps[1] + tap.index[1]) * p->taps[2] + tap.index[2];
        global float *dst = own->dst + (k * p->inputs + input) * PANEL;
        const bool two = inputs > LANES, wide = own->outputs > LANES;
        if (two && wide)
            gradient_sums(a, p->length, places, steps, first, dst, true, true);
        else if (two)
            gradient_sums(a, p->length, places, steps, first, dst, true, false);
        else if (wide)
            gradient_sums(a, p->length, places, steps, first, dst, false, true);
        else
            gradient_sums(a, p->length, places, steps, first, dst, false, false);
        gradient_next_tap(p, &tap);
        if (tap.index[0] + tap.index[1] + tap.index[2] == 0) tile++;
    }
}

/* Range: groups of jobs, panels, groups x parts. */
#if WANTED(bf16_weights_gradient_32x32)
kernel void bf16_weights_gradient_32x32(ITEM global const ushort *image, global const ushort *places,
                                        global float *dst, constant struct gradient_tiles_params *p) {
    const i64 panel = get_global_id(1), part = get_global_id(2) / p->groups,
              group = get_global_id(2) - part * p->groups;
    const i64 taps = p->taps[0] * p->taps[1] * p->taps[2], all = p->tiles * taps,
              begin = (i64)get_global_id(0) * p->jobs, end = begin + p->jobs;
    struct gradient_tiles_item own = {.first_job = begin,
                                      .last_job = end < all ? end : all,
                                      .tile = begin / taps,
                                      .outputs = p->outputs - panel * PANEL};
    own.image = image + (p->image_offset + group * p->inputs * p->length);
    own.places = places + (p->places_offset + (group * p->panels + panel) * p->steps * STEP * PANEL);
    own.dst = dst + (p->dst_offset + part * p->dst_part + group * p->dst_group + panel * p->dst_panel);
    struct gradient_tap tap;
    gradient_tap(p, begin - own.tile * taps, &tap);
    const i64 first = part * p->chunks / p->parts, last = (part + 1) * p->chunks / p->parts;
    for (i64 chunk = first; chunk < last; chunk++) {
        const i64 from = chunk * p->chunk, left = p->steps - from;
        gradient_chunk(p, &own, tap, from, left < p->chunk ? left : p->chunk, chunk == first);
    }
    _tile_release();
}
#endif
