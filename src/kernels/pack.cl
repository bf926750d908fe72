/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies into the layouts that the matrix-product kernels read: channels-last with padding, and weights in
 * panels. Launched before them when the user's tensors have other layouts.
 */
#include "kernels/lib/opencl.h"
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

/* Range: rows, depths, batch. */
#if WANTED(f32_copy_padded)
kernel void f32_copy_padded(ITEM global const float *src, global float *dst, constant struct copy_params *p) {
    struct row row = locate_row(p, get_global_id(0), get_global_id(1), get_global_id(2));
    src += row.src;
    dst += row.dst;
    for (i64 w = 0; w < p->size[2]; w++, dst += p->dst_stride[2]) {
        i64 sw = w - p->front[2];
        if (row.inside && sw >= 0 && sw < p->src_size[2])
            copy_pixel(p, src + sw * p->src_stride[2], dst);
        else
            clear_pixel(p, dst);
    }
}
#endif

/* Only what f32_copy_padded sets to zero. Range: rows, depths, batch. */
#if WANTED(f32_clear_border)
kernel void f32_clear_border(ITEM global float *dst, constant struct copy_params *p) {
    struct row row = locate_row(p, get_global_id(0), get_global_id(1), get_global_id(2));
    const i64 first = row.inside ? p->front[2] : p->size[2], last = p->front[2] + p->src_size[2];
    dst += row.dst;
#pragma nounroll
    for (i64 w = 0; w < first; w++)
        clear_pixel(p, dst + w * p->dst_stride[2]);
#pragma nounroll
    for (i64 w = last; row.inside && w < p->size[2]; w++)
        clear_pixel(p, dst + w * p->dst_stride[2]);
}
#endif

/* The weights that one work-item packs: `count` outputs. */
struct block {
    i64 src, count;
};

INLINE struct block locate_block(constant struct pack_params *p, i64 tap, i64 panel, i64 group) {
    i64 w = tap % p->size[2], h = tap / p->size[2] % p->size[1], d = tap / p->size[2] / p->size[1];
    i64 first = panel * p->width;
    struct block block = {
            .src = p->src_offset + group * p->src_group + first * p->src_output + d * p->src_stride[0]
                   + h * p->src_stride[1] + w * p->src_stride[2],
            .count = p->outputs - first < p->width ? p->outputs - first : p->width,
    };
    return block;
}

/* Range: taps, panels, groups. */
#if WANTED(f32_pack_panels)
kernel void f32_pack_panels(ITEM global const float *src, global float *dst, constant struct pack_params *p) {
    i64 tap = get_global_id(0), panel = get_global_id(1), group = get_global_id(2);
    i64 taps = get_global_size(0), panels = get_global_size(1);
    struct block block = locate_block(p, tap, panel, group);
    src += block.src;
    dst += p->dst_offset + (((group * panels + panel) * taps + tap) * p->inputs) * p->width;
    for (i64 i = 0; i < p->inputs; i++, dst += p->width) {
#pragma nounroll
        for (i64 o = 0; o < p->width; o++)
            dst[o] = o < block.count ? src[i * p->src_input + o * p->src_output] : 0.0f;
    }
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

/* Range: rows, depths, batch. */
#if WANTED(int8_copy_padded)
kernel void int8_copy_padded(ITEM global const uchar *src, global uchar *dst,
                             constant struct int8_copy_params *p) {
    struct row row = locate_row(&p->copy, get_global_id(0), get_global_id(1), get_global_id(2));
    dst += row.dst;
    for (i64 w = 0; w < p->copy.size[2]; w++, dst += p->copy.dst_stride[2]) {
        i64 sw = w - p->copy.front[2];
        bool inside = row.inside && sw >= 0 && sw < p->copy.src_size[2];
        i64 channels = inside ? p->copy.channels : 0;
        /* src is NULL if there are no channels. */
        if (channels > 0)
            flip_pixel(src + row.src + sw * p->copy.src_stride[2], p->copy.src_channel, channels,
                       (uchar)p->flip, dst);
#pragma nounroll
        for (i64 c = channels; c < p->padded; c++)
            dst[c] = (uchar)p->flip;
    }
}
#endif

/* Range: taps, panels, groups. */
#if WANTED(int8_pack_panels)
kernel void int8_pack_panels(ITEM global const uchar *src, global uchar *dst,
                             constant struct pack_params *p) {
    i64 tap = get_global_id(0), panel = get_global_id(1), group = get_global_id(2);
    i64 taps = get_global_size(0), panels = get_global_size(1), quads = (p->inputs + 3) / 4;
    struct block block = locate_block(p, tap, panel, group);
    src += block.src;
    dst += p->dst_offset + ((group * panels + panel) * taps + tap) * quads * 4 * p->width;
    for (i64 first = 0; first < p->inputs; first += 4)
#pragma nounroll
        for (i64 o = 0; o < p->width; o++)
#pragma nounroll
            for (i64 i = first; i < first + 4; i++)
                *dst++ = o < block.count && i < p->inputs ? src[i * p->src_input + o * p->src_output] : 0;
}
#endif
