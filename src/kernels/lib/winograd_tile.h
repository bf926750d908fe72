/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transforms of winograd.cl for tiles of N x N results. Included once per size; NAME(x) appends it to a
 * name.
 */
enum { NAME(SIDE) = N + 2 };

/* A tile of src, for one vector of channels; `at` is the offset of its first pixel, which may be in the
 * padding. */
INLINE void NAME(src_tile)(constant struct winograd_src_params *p, global const float *src, i64 at, i64 row,
                           i64 column, i64 left, global float *to) {
    enum { SIDE = NAME(SIDE) };
    VEC x[SIDE], y[SIDE * SIDE];
    for (int j = 0; j < SIDE; j++, at += p->image.column) {
        const bool inside = column + j >= 0 && column + j < p->image.width;
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            x[i] = V(0.0f);
            if (inside && row + i >= 0 && row + i < p->image.height)
                load_lanes(&x[i], src + (at + i * p->image.row), left, 0.0f);
        }
        NAME(transform_src)(x, y + j, SIDE);
    }
    for (int i = 0; i < SIDE; i++) {
        NAME(transform_src)(y + i * SIDE, x, 1);
#pragma unroll
        for (int j = 0; j < SIDE; j++, to += p->parts.position)
            VSTORE(x[j], 0, to);
    }
}

/* A tile of products, for one vector of channels. */
INLINE void NAME(dst_tile)(constant struct winograd_dst_params *p, global const float *from,
                           const struct tile *tile, VEC bias, i64 left, global float *to) {
    enum { SIDE = NAME(SIDE) };
    const i64 rows = p->image.height - tile->row, columns = p->image.width - tile->column;
    VEC x[SIDE], y[N * SIDE];
    for (int j = 0; j < SIDE; j++, from += p->parts.position) {
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            x[i] = VLOAD(0, from + i * SIDE * p->parts.position);
        NAME(transform_dst)(x, y + j, SIDE);
    }
#pragma nounroll
    for (int i = 0; i < N && i < rows; i++) {
        NAME(transform_dst)(y + i * SIDE, x, 1);
#pragma nounroll
        for (int j = 0; j < N && j < columns; j++)
            store_result(p, to + i * p->image.row + j * p->image.column, x[j] + bias, left);
    }
}

/* Range: groups of channels, tiles. */
#if WANTED(NAME(f32_winograd_src))
kernel void NAME(f32_winograd_src)(ITEM global const float *src, global float *parts,
                                   const struct scalars scalars, constant struct winograd_src_params *p) {
    const struct tile tile = locate_tile(&p->tiles, scalars.step, get_global_id(1), N);
    const i64 row = tile.row - p->padding[0], column = tile.column - p->padding[1];
    const i64 first = get_global_id(0) * WINOGRAD_CHANNELS, last = last_channel(first, p->image.channels);
    const i64 at = pixel(&p->image, tile.batch, row, column);
    if (!tile.exists) return;
    parts += p->parts.offset + tile.part * p->parts.tile;
#pragma nounroll
    for (i64 c = first; c < last; c += LANES)
        NAME(src_tile)(p, src, at + c, row, column, last - c, parts + c);
}
#endif

/* Range: groups of channels, tiles. */
#if WANTED(NAME(f32_winograd_dst))
kernel void NAME(f32_winograd_dst)(ITEM global const float *parts, global const float *bias,
                                   global float *dst, const struct scalars scalars,
                                   constant struct winograd_dst_params *p) {
    const struct tile tile = locate_tile(&p->tiles, scalars.step, get_global_id(1), N);
    const i64 first = get_global_id(0) * WINOGRAD_CHANNELS, last = last_channel(first, p->image.channels);
    if (!tile.exists) return;
    parts += p->parts.offset + tile.part * p->parts.tile;
    dst += pixel(&p->image, tile.batch, tile.row, tile.column);
#pragma nounroll
    for (i64 c = first; c < last; c += LANES) {
        VEC b = V(-0.0f); /* changes nothing */
        if (p->has_bias) load_lanes(&b, bias + p->bias_offset + c, last - c, 0.0f);
        NAME(dst_tile)(p, parts + c, &tile, b, last - c, dst + c);
    }
}
#endif

/* Range: groups of input channels, panels. */
#if WANTED(NAME(f32_winograd_weights))
kernel void NAME(f32_winograd_weights)(ITEM global const float *src, global float *dst,
                                       constant struct winograd_weights_params *p) {
    enum { SIDE = NAME(SIDE) };
    const i64 first = get_global_id(0) * WINOGRAD_INPUTS, output = get_global_id(1) * p->panel;
    const i64 last = first + WINOGRAD_INPUTS < p->inputs ? first + WINOGRAD_INPUTS : p->inputs;
    src += p->src_offset + output * p->output;
    dst += p->dst_offset + get_global_id(1) * p->panels;
#pragma nounroll
    for (i64 i = first; i < last; i++)
#pragma nounroll
        for (i64 o = 0; o < p->panel; o += LANES) {
            VEC x[9], y[3 * SIDE], z[SIDE];
            load_weights(p, src + i * p->input + o * p->output, p->outputs - output - o, x);
#pragma unroll
            for (int j = 0; j < 3; j++) {
                const VEC column[3] = {x[j], x[3 + j], x[6 + j]};
                NAME(transform_weights)(column, y + j, 3);
            }
#pragma nounroll
            for (int k = 0; k < SIDE; k++) {
                NAME(transform_weights)(y + 3 * k, z, 1);
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    VSTORE(z[j], 0, dst + (k * SIDE + j) * p->position + i * p->panel + o);
            }
        }
}
#endif

#undef N
#undef NAME
