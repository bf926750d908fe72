/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies into the layouts that the matrix-product kernels read: channels-last with padding, and weights in
 * panels. Launched before them when the user's tensors have other layouts.
 */
#include "kernels/lib/transpose.h"
#include "kernels/params_pack.h"

INLINE void copy_pixel(constant struct copy_params *p, global const float *src, global float *dst) {
    const i64 src_step = p->src_channel, dst_step = p->dst_channel, channels = p->channels;
    if (src_step == 1 && dst_step == 1) {
        for (i64 c = 0; c < channels; c++)
            dst[c] = src[c];
        return;
    }
#pragma nounroll
    for (i64 c = 0; c < channels; c++)
        dst[c * dst_step] = src[c * src_step];
}

INLINE void clear_pixel(constant struct copy_params *p, global float *dst) {
#pragma nounroll
    for (i64 c = 0; c < p->channels; c++)
        dst[c * p->dst_channel] = 0.0f;
}

/* The source of a work-item's row of dst, if it exists. */
struct row {
    i64 src, dst;
    bool inside;
};

INLINE struct row locate_row(constant struct copy_params *p, i64 h, i64 d, i64 n) {
    i64 sh = h - p->front[1], sd = d - p->front[0];
    struct row row = {
            .src = p->src_offset + n * p->src_batch + sd * p->src_stride[0] + sh * p->src_stride[1],
            .dst = p->dst_offset + n * p->dst_batch + d * p->dst_stride[0] + h * p->dst_stride[1],
            .inside = sh >= 0 && sh < p->src_size[1] && sd >= 0 && sd < p->src_size[0],
    };
    return row;
}

INLINE void clear_pixels(constant struct copy_params *p, global float *dst, i64 first, i64 last) {
#pragma nounroll
    for (i64 w = first; w < last; w++)
        clear_pixel(p, dst + w * p->dst_stride[2]);
}

/* A row of dst that has a source, from w = first to last - 1. Pixels that lie one after the other are copied
 * at once. */
INLINE void copy_pixels(constant struct copy_params *p, global const float *src, global float *dst, i64 first,
                        i64 last) {
    const i64 n = p->channels;
    src += (first - p->front[2]) * p->src_stride[2];
    dst += first * p->dst_stride[2];
    if (p->src_channel == 1 && p->dst_channel == 1 && p->src_stride[2] == n && p->dst_stride[2] == n) {
        for (i64 i = 0; i < (last - first) * n; i++)
            dst[i] = src[i];
        return;
    }
    for (i64 w = first; w < last; w++, src += p->src_stride[2], dst += p->dst_stride[2])
        copy_pixel(p, src, dst);
}

/* Range: rows, depths, batch. */
#if WANTED(f32_copy_padded)
kernel void f32_copy_padded(ITEM global const float *src, global float *dst, constant struct copy_params *p) {
    struct row row = locate_row(p, get_global_id(0), get_global_id(1), get_global_id(2));
    const i64 end = p->front[2] + p->src_size[2], last = end < p->size[2] ? end : p->size[2];
    const i64 first = row.inside && last > p->front[2] ? p->front[2] : p->size[2];
    dst += row.dst;
    clear_pixels(p, dst, 0, first);
    if (first == p->size[2] || p->channels == 0) return; /* without channels, src may be NULL */
    copy_pixels(p, src + row.src, dst, first, last);
    clear_pixels(p, dst, last, p->size[2]);
}
#endif

/* Only what f32_copy_padded sets to zero. Range: rows, depths, batch. */
#if WANTED(f32_clear_border)
kernel void f32_clear_border(ITEM global float *dst, constant struct copy_params *p) {
    struct row row = locate_row(p, get_global_id(0), get_global_id(1), get_global_id(2));
    const i64 first = row.inside ? p->front[2] : p->size[2], last = p->front[2] + p->src_size[2];
    dst += row.dst;
    clear_pixels(p, dst, 0, first);
    if (row.inside) clear_pixels(p, dst, last, p->size[2]);
}
#endif

/* The weights that one work-item packs: inputs `first` to `last` - 1 of one or several panels with `count`
 * outputs in all, all taps. */
struct block {
    i64 src, dst; /* offsets of the first tap and input */
    i64 first, last, count, taps;
};

/* `depth` is the number of inputs in the packed panel. */
/* Where outputs are dense, panels of the same inputs, which may share lines of the cache, follow each other.
 */
#define PACK_BLOCK(p, depth)                                                                                 \
    locate_block(p, depth, get_global_id((p)->panels_first ? 1 : 0),                                         \
                 get_global_id((p)->panels_first ? 0 : 1), get_global_id(2))

INLINE struct block locate_block(constant struct pack_params *p, i64 depth, i64 index, i64 item, i64 group) {
    const i64 panel = item * p->panels, output = panel * p->width, most = p->panels * p->width,
              panels = (p->outputs + p->width - 1) / p->width;
    struct block b = {.first = index * p->each, .taps = p->size[0] * p->size[1] * p->size[2]};
    b.last = b.first + p->each < p->inputs ? b.first + p->each : p->inputs;
    b.count = p->outputs - output < most ? p->outputs - output : most;
    b.src = p->src_offset + group * p->src_group + output * p->src_output + b.first * p->src_input;
    b.dst = p->dst_offset + ((group * panels + panel) * b.taps * depth + b.first) * p->width;
    return b;
}

INLINE i64 tap_offset(constant struct pack_params *p, i64 tap) {
    i64 rows = tap / p->size[2], d = rows / p->size[1];
    return d * p->src_stride[0] + (rows - d * p->size[1]) * p->src_stride[1]
           + (tap - rows * p->size[2]) * p->src_stride[2];
}

INLINE void pack_outputs(global const float *src, i64 step, i64 count, i64 width, global float *dst) {
    if (step == 1)
        for (i64 o = 0; o < count; o++)
            dst[o] = src[o];
    else
#pragma nounroll
        for (i64 o = 0; o < count; o++)
            dst[o] = src[o * step];
#pragma nounroll
    for (i64 o = count; o < width; o++)
        dst[o] = 0.0f;
}

/* Asks for the outputs of a later input: in a wide matrix each is in a page of its own, where the hardware
 * does not look ahead. */
INLINE void ask_for_input(constant struct pack_params *p, global const float *from) {
    enum { AHEAD = 16, LINE = 16 };
    from += AHEAD * p->src_input;
    PREFETCH(from);
    if (p->width > LINE) PREFETCH(from + p->width - 1);
}

/* Range: blocks of inputs, panels, groups. */
#if WANTED(f32_pack_panels)
kernel void f32_pack_panels(ITEM global const float *src, global float *dst, constant struct pack_params *p) {
    const struct block b = PACK_BLOCK(p, p->inputs);
    for (i64 tap = 0; tap < b.taps; tap++) {
        global const float *from = src + b.src + tap_offset(p, tap);
        global float *to = dst + b.dst + tap * p->inputs * p->width;
        for (i64 i = b.first; i < b.last; i++, from += p->src_input, to += p->width) {
            if (p->src_output == 1) ask_for_input(p, from);
            pack_outputs(from, p->src_output, b.count, p->width, to);
        }
    }
}
#endif

/* Row i of a tap of the packed panel holds the outputs of input i: all are 0 but those of its own group. */
INLINE void pack_diagonal_row(constant struct diagonal_params *d, global const uchar *src, i64 from, i64 i,
                              i64 output, global uchar *dst, i64 to) {
    constant struct pack_params *p = &d->pack;
    const i64 block = i / p->inputs, first = block * p->outputs - output;
    from += block * p->src_group + (i - block * p->inputs) * p->src_input;
#pragma nounroll
    for (i64 o = 0; o < p->width; o++) {
        const i64 at = to + o * d->quad, own = o - first;
        const bool there = block < d->blocks && own >= 0 && own < p->outputs;
        if (d->bytes == 1)
            dst[at] = there ? src[from + own * p->src_output] : 0;
        else if (d->bytes == 8)
            ((global ulong *)dst)[at] = there ? ((global const ulong *)src)[from + own * p->src_output] : 0;
        else
            ((global float *)dst)[at] =
                    there ? ((global const float *)src)[from + own * p->src_output] : 0.0f;
    }
}

/* Range: taps, panels, groups of blocks. */
#if WANTED(pack_diagonal)
kernel void pack_diagonal(ITEM global const uchar *src, global uchar *dst,
                          constant struct diagonal_params *d) {
    constant struct pack_params *p = &d->pack;
    const i64 tap = get_global_id(0), panel = get_global_id(1), group = get_global_id(2);
    const i64 from = p->src_offset + group * d->blocks * p->src_group + tap_offset(p, tap);
    const i64 place = (group * get_global_size(1) + panel) * get_global_size(0) + tap;
    const i64 to = p->dst_offset + place * d->depth * p->width;
    for (i64 i = 0; i < d->depth; i++)
        pack_diagonal_row(d, src, from, i, panel * p->width, dst,
                          to + i / d->quad * d->quad * p->width + i % d->quad);
}
#endif

/* Bytes. */

INLINE void flip_pixel(global const uchar *src, i64 step, i64 channels, uchar flip, global uchar *dst) {
    if (step == 1) {
        for (i64 c = 0; c < channels; c++)
            dst[c] = src[c] ^ flip;
        return;
    }
#pragma nounroll
    for (i64 c = 0; c < channels; c++)
        dst[c] = src[c * step] ^ flip;
}

/* Pixels of three bytes become pixels of four. Sixteen bytes are read for four pixels: the last ones are
 * copied one at a time. */
INLINE void flip_thirds(global const uchar *src, i64 pixels, uchar flip, global uchar *dst) {
    i64 w = 0;
#pragma nounroll
    for (; w + 6 <= pixels; w += 4) {
        uchar16 x = vload16(0, src + 3 * w).s012f345f678f9abf;
        x.s37bf = (uchar4)(0);
        vstore16(x ^ (uchar16)(flip), 0, dst + 4 * w);
    }
    for (; w < pixels; w++) {
        dst[4 * w] = src[3 * w] ^ flip;
        dst[4 * w + 1] = src[3 * w + 1] ^ flip;
        dst[4 * w + 2] = src[3 * w + 2] ^ flip;
        dst[4 * w + 3] = flip;
    }
}

/* Some pixels of a row that has a source. */
INLINE void flip_pixels(constant struct int8_copy_params *p, global const uchar *src, i64 pixels,
                        global uchar *dst) {
    const i64 channels = p->copy.channels, step = p->copy.src_stride[2];
    const uchar flip = (uchar)p->flip;
    const bool dense = p->copy.src_channel == 1 && step == channels && p->copy.dst_stride[2] == p->padded;
    if (dense && channels == p->padded) {
        flip_pixel(src, 1, pixels * channels, flip, dst);
        return;
    }
    if (dense && channels == 3) {
        flip_thirds(src, pixels, flip, dst);
        return;
    }
    for (i64 w = 0; w < pixels; w++, src += step, dst += p->copy.dst_stride[2]) {
        flip_pixel(src, p->copy.src_channel, channels, flip, dst);
#pragma nounroll
        for (i64 c = channels; c < p->padded; c++)
            dst[c] = flip;
    }
}

/* Pixels of the padding. */
INLINE void flip_nothing(constant struct int8_copy_params *p, i64 pixels, global uchar *dst) {
    const uchar flip = (uchar)p->flip;
    for (i64 w = 0; w < pixels; w++, dst += p->copy.dst_stride[2])
        for (i64 c = 0; c < p->padded; c++)
            dst[c] = flip;
}

/* Range: rows, depths, batch. */
#if WANTED(int8_copy_padded)
kernel void int8_copy_padded(ITEM global const uchar *src, global uchar *dst,
                             constant struct int8_copy_params *p) {
    struct row row = locate_row(&p->copy, get_global_id(0), get_global_id(1), get_global_id(2));
    const i64 size = p->copy.size[2], front = p->copy.front[2], end = front + p->copy.src_size[2];
    const i64 first = front < size ? front : size, last = end < size ? end : size;
    /* src is NULL if there are no channels. */
    const bool inside = row.inside && p->copy.channels > 0 && first < last;
    dst += row.dst;
    flip_nothing(p, inside ? first : size, dst);
    if (!inside) return;
    flip_pixels(p, src + row.src, last - first, dst + first * p->copy.dst_stride[2]);
    flip_nothing(p, size - last, dst + last * p->copy.dst_stride[2]);
}
#endif

/* The adjacent inputs of a panel's outputs, one word each, from a tap's inputs on of which `inputs` exist. */
struct words {
    i64 input, output; /* strides, in bytes */
    i64 inputs, count, width;
};

/* Of sixteen outputs. */
INLINE uint16 word_vector(global const uchar *src, i64 input, const int bytes) {
    if (bytes == 2)
        return convert_uint16(vload16(0, (global const ushort *)src))
               | convert_uint16(vload16(0, (global const ushort *)(src + input))) << 16;
    return convert_uint16(vload16(0, src)) | convert_uint16(vload16(0, src + input)) << 8
           | convert_uint16(vload16(0, src + 2 * input)) << 16
           | convert_uint16(vload16(0, src + 3 * input)) << 24;
}

/* Of one output; src need not be aligned for words. */
INLINE void pack_word(const struct words *w, global const uchar *src, const int bytes, global uchar *dst) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int input = bytes == 2 ? i / 2 : i, byte = bytes == 2 ? i % 2 : 0;
        dst[i] = input < w->inputs ? src[input * w->input + byte] : 0;
    }
}

/* From output `o` on. */
INLINE void pack_words(const struct words *w, i64 o, global const uchar *src, const int bytes,
                       global uchar *dst) {
    const bool whole = w->inputs >= 4 / bytes;
    if (whole && w->output == bytes)
        for (; o + 16 <= w->count; o += 16)
            vstore16(word_vector(src + o * bytes, w->input, bytes), 0, (global uint *)dst + o);
    if (whole && w->input == bytes)
#pragma nounroll
        for (; o < w->count; o++)
            vstore4(vload4(0, src + o * w->output), 0, dst + 4 * o);
#pragma nounroll
    for (; o < w->count; o++)
        pack_word(w, src + o * w->output, bytes, dst + 4 * o);
#pragma nounroll
    for (; o < w->width; o++)
        ((global uint *)dst)[o] = 0;
}

/* Dense inputs: squares of eight words of eight outputs, output by output, because outputs are often so far
 * apart that they compete for lines of the caches. */
enum { SQUARE = 8, PACK_AHEAD = 64 };

/* Words that need not be aligned. */
INLINE float8 load_words(global const uchar *src) {
    int words[SQUARE];
#pragma unroll
    for (int i = 0; i < SQUARE; i++)
        words[i] = as_int(vload4(i, src));
    return as_float8(vload8(0, words));
}

INLINE void pack_square(global const uchar *src, i64 output, global uchar *dst, i64 row) {
    float8 words[SQUARE];
#pragma unroll
    for (int i = 0; i < SQUARE; i++)
        words[i] = load_words(src + i * output);
    transpose_8x8(words);
#pragma unroll
    for (int i = 0; i < SQUARE; i++)
        vstore8(words[i], 0, (global float *)(dst + i * row));
}

/* `count` words of each of `outputs` outputs. */
INLINE void pack_squares(const struct words *w, global const uchar *src, i64 count, i64 outputs,
                         global uchar *dst) {
    for (i64 o = 0; o < outputs; o += SQUARE)
        for (i64 i = 0; i < count; i += SQUARE)
            pack_square(src + o * w->output + 4 * i, w->output, dst + 4 * (i * w->width + o), 4 * w->width);
}

/* The panels of a work-item, `step` bytes apart, with `count` outputs in all. */
struct panels {
    i64 count, step, ahead; /* ahead: 0, or how far to ask for inputs, in bytes */
};

INLINE void pack_ask(const struct words *w, const struct panels *p, global const uchar *src,
                     const int bytes) {
    if (p->ahead)
#pragma unroll
        for (int j = 0; j < 4 / bytes; j++)
            PREFETCH_FAR(src + p->ahead + j * w->input);
}

/* So many words of whole panels, of outputs that are dense. */
INLINE void pack_whole(const struct words *w, const struct panels *p, i64 words, global const uchar *src,
                       const int bytes, global uchar *dst) {
    const i64 panels = p->count / w->width;
#pragma nounroll
    for (i64 i = 0; i < words; i++, src += 4 / bytes * w->input, dst += 4 * w->width) {
        pack_ask(w, p, src, bytes);
#pragma nounroll
        for (i64 n = 0; n < panels; n++)
#pragma nounroll
            for (i64 o = 0; o < w->width; o += 16)
                vstore16(word_vector(src + (n * w->width + o) * bytes, w->input, bytes), 0,
                         (global uint *)(dst + n * p->step) + o);
    }
}

/* One word of any panels; of the first one, from output `o` on. */
INLINE void pack_rest(struct words *w, const struct panels *p, i64 o, global const uchar *src,
                      const int bytes, global uchar *dst) {
    pack_ask(w, p, src, bytes);
    for (i64 n = 0; n < p->count; n += w->width, src += w->width * bytes, dst += p->step) {
        w->count = p->count - n < w->width ? p->count - n : w->width;
        pack_words(w, o, src, bytes, dst);
    }
}

/* The panels of a work-item, of elements of so many bytes; several, if outputs are dense. */
INLINE void pack_panels(constant struct pack_params *p, const struct block *at, global const uchar *src,
                        const int bytes, global uchar *dst) {
    const i64 quad = 4 / bytes, depth = (p->inputs + quad - 1) / quad * quad;
    const struct block b = *at;
    struct words w = {.input = p->src_input * bytes, .output = p->src_output * bytes, .width = p->width};
    const struct panels panels = {.count = b.count,
                                  .step = b.taps * depth * p->width * bytes,
                                  .ahead = p->panels_first ? PACK_AHEAD * w.input : 0};
    const bool dense = w.input == bytes,
               whole = w.output == bytes && !dense && w.width % 16 == 0 && b.count % w.width == 0;
    const i64 words = (b.last - b.first) / quad, squares = dense ? words & ~(i64)(SQUARE - 1) : 0;
    const i64 outputs = dense ? b.count & ~(i64)(SQUARE - 1) : 0,
              first = b.first + (whole ? words * quad : 0);
    for (i64 tap = 0; tap < b.taps; tap++) {
        global const uchar *from = src + (b.src + tap_offset(p, tap)) * bytes;
        global uchar *to = dst + (b.dst + tap * depth * p->width) * bytes;
        pack_squares(&w, from, squares, outputs, to);
        if (whole) pack_whole(&w, &panels, words, from, bytes, to);
        from += (first - b.first) * w.input, to += (first - b.first) * p->width * bytes;
        for (i64 i = first; i < b.last; i += quad, from += quad * w.input, to += 4 * p->width) {
            w.inputs = b.last - i;
            pack_rest(&w, &panels, i < b.first + squares * quad ? outputs : 0, from, bytes, to);
        }
    }
}

/* Range: blocks of inputs, panels or several of them, groups. */
#if WANTED(int8_pack_panels)
kernel void int8_pack_panels(ITEM global const uchar *src, global uchar *dst,
                             constant struct pack_params *p) {
    const struct block b = PACK_BLOCK(p, (p->inputs + 3) / 4 * 4);
    pack_panels(p, &b, src, 1, dst);
}
#endif

/* The same for two bytes. */
#if WANTED(bf16_pack_panels)
kernel void bf16_pack_panels(ITEM global const uchar *src, global uchar *dst,
                             constant struct pack_params *p) {
    const struct block b = PACK_BLOCK(p, (p->inputs + 1) / 2 * 2);
    pack_panels(p, &b, src, 2, dst);
}
#endif
