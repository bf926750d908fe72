/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of reorders, from any type and layout to any other. Epilogues that do not fit in one launch are
 * computed by reorders too.
 */
#ifndef LODE_KERNELS_PARAMS_REORDER_H
#define LODE_KERNELS_PARAMS_REORDER_H

#include "kernels/params.h"

/* How an element is carried from src to dst: as a float through the epilogue, as an exact integer, as raw
 * bits, or as a float without the epilogue. */
enum { REORDER_FLOAT = 0, REORDER_INTEGER = 1, REORDER_BITS = 2, REORDER_CONVERT = 3 };

struct reorder_params {
    i32 travel, bits; /* enum above; bits of an element of dst */
    struct tensor src;
    struct quant_source src_zero_point;
    struct walk walk; /* of dst */
    struct epilogue epilogue;
};

/* The last step of a product whose dst has dynamic scales: each group of f32 results gets a scale that makes
 * its largest element fit the type of dst. A group has sizes[d] elements along dimension d. */
enum { SCALE_POWER_OF_TWO = 1, SCALE_ANY = 2 };
struct quantize_params {
    i32 scale, scale_type; /* enum above; dnnl_data_type_t */
    i32 ndims;
    f32 most;                /* largest value of the type of dst */
    i64 groups, span;        /* number of groups; groups per work-item */
    i64 elements;            /* per group */
    i64 counts[TENSOR_DIMS]; /* groups along each dimension; the scales have the same order */
    i64 sizes[TENSOR_DIMS];
    struct tensor src, dst;
    struct rounding rounding; /* the seed is one of the kernel's own buffers */
};

/* Reorders between layouts whose dimensions each have at most two inner blocks: loops with one stride in src
 * and one in dst. A dimension with blocks has several loops; the sum of their index * step is the position,
 * which must stay below limits[dim]. Beyond it, dst has padding (pads[dim]) or nothing. Loops that need no
 * such check have the dimension TENSOR_DIMS. */
struct tile_loop {
    i64 size, src_stride, dst_stride;
    i32 dim, step;
};
PARAMS_SIZE(tile_loop, 32);

struct reorder_tiles_params {
    i32 nouter, transpose; /* transpose: y is dense in src, and x is not */
    i64 src_offset, dst_offset;
    struct tile_loop x, y, z;   /* x is dense in dst; y is dense in src, if x is not; z follows x in dst */
    i64 tile_x, tile_y, tile_z; /* the tile of a work-item */
    i64 limits[TENSOR_DIMS + 1];
    i32 pads[TENSOR_DIMS + 1];
    i32 src_type, dst_type, dst_bits;   /* for the kernel that converts */
    i32 copy_bits;                      /* 8 or 16: elements keep their type; 0: they are converted */
    i32 groups;                         /* these transpose, and x is a group of 32 bits, which are aligned */
    i32 streams, pad;                   /* streams: what is written bypasses the caches */
    struct tile_loop loops[WALK_LOOPS]; /* around the tiles, outermost first */
};

/* Concatenation of short rows: `run` elements of each source, side by side in dst. */
enum { CONCAT_SOURCES = 8 }; /* of one launch */
struct concat_source {
    i64 src_offset, src_stride, dst_offset, run;
};
PARAMS_SIZE(concat_source, 32);

struct concat_rows_params {
    i64 rows, span; /* span: rows of a work-item */
    i64 dst_stride;
    i32 count, streams; /* count: of sources; streams: what is written bypasses the caches */
    struct concat_source sources[CONCAT_SOURCES];
};
PARAMS_SIZE(concat_rows_params, 32 + 8 * 32);

/* All loops, outermost first, for work-items that take one element at a time. Dimensions with a block are
 * numbered: their positions, limits and pads are lanes of vectors. */
enum { REORDER_BLOCKED = 4 };
struct item_loop {
    i64 src_stride, dst_stride;
    u32 size;
    i32 blocked, step; /* blocked: number of the dimension; REORDER_BLOCKED: needs no check */
    i32 pad;
};
PARAMS_SIZE(item_loop, 32);

struct reorder_items_params {
    i32 src_type, dst_type, dst_bits;
    i32 copy_bits; /* bits of an element that keeps its type; 0: elements are converted */
    i64 src_offset, dst_offset;
    u32 count; /* product of all sizes */
    i32 nloops;
    i32 limits[REORDER_BLOCKED], pads[REORDER_BLOCKED]; /* pads: -1 where dst has padding, else 0 */
    struct item_loop loops[WALK_LOOPS];
};

#endif
