/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the kernels that copy tensors into the layouts of the matrix-product kernels. */
#ifndef LODE_KERNELS_PARAMS_PACK_H
#define LODE_KERNELS_PARAMS_PACK_H

#include "kernels/params.h"

/* dst[n][d][h][w][c] = src[n][d - front[0]][h - front[1]][w - front[2]][c] where src has that element, else
 * 0. */
struct copy_params {
    i64 src_offset, dst_offset;
    i64 batch, size[3], channels; /* of dst */
    i64 src_size[3], front[3];
    i64 src_batch, src_stride[3], src_channel;
    i64 dst_batch, dst_stride[3], dst_channel;
};
PARAMS_SIZE(copy_params, 8 * 23);

/* The same for bytes, xored with `flip`; padding becomes `flip`. dst has `padded` channels.
 */
struct int8_copy_params {
    struct copy_params copy;
    i64 padded;
    i32 flip, pad;
};
PARAMS_SIZE(int8_copy_params, 8 * 25);

/* dst[g][o / width][tap][i][o % width] = src[g][o][tap][i], 0 where o is past the end. For elements of one or
 * two bytes, `quad` inputs, four or two, are adjacent: dst[g][o / width][tap][i / quad][o % width][i % quad],
 * 0 where i is past the end.
 */
struct pack_params {
    i64 src_offset, dst_offset;
    i64 groups, outputs, inputs, size[3], width; /* taps are size[0] x size[1] x size[2] */
    i64 src_group, src_output, src_input, src_stride[3];
    i64 each;         /* inputs that a work-item packs: a multiple of four */
    i32 panels_first; /* the first two dimensions of the range are exchanged */
    i32 panels;       /* of a work-item */
};
PARAMS_SIZE(pack_params, 8 * 17);

/* Groups that are too narrow for a panel: `blocks` of them become one, whose weights are 0 between an input
 * of one and an output of another. groups, inputs, outputs and src_group are those of the user. */
struct diagonal_params {
    struct pack_params pack;
    i64 blocks, depth; /* depth: inputs of the packed panel, a multiple of `quad` */
    i32 bytes, quad;   /* of an element; adjacent inputs */
};
PARAMS_SIZE(diagonal_params, 8 * 20);

#endif
