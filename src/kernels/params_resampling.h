/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of resampling, forward and backward alike: `to` is what is computed, `from` what it is computed
 * from. Sizes are depth, height, width. Along each of them, a table says which elements a result is the sum
 * of: a run of elements, and a weight for each.
 */
#ifndef LODE_KERNELS_PARAMS_RESAMPLING_H
#define LODE_KERNELS_PARAMS_RESAMPLING_H

#include "kernels/params.h"

enum {
    RESAMPLE_ENTRIES = 16,   /* of a table, that one work-item makes */
    RESAMPLE_READ = 4096,    /* elements of a row that are summed at a time */
    RESAMPLE_RESULTS = 4096, /* of a row, at a time */
    RESAMPLE_NARROW = 8      /* pixels with fewer channels are computed a vector of a row at a time */
};

/* A table in scratchpad, from number `table` on: the first element of each result, how many there are, and
 * one weight per tap; `length` entries each. */
struct resample_axis {
    i64 from, to; /* sizes */
    i64 taps;     /* the most elements of a result */
    i64 repeat;   /* entries per result: channels of a pixel */
    i64 length;
    i64 table;
};
PARAMS_SIZE(resample_axis, 48);

struct resample_tables_params {
    i32 linear, backward;
    i64 items[3]; /* work-items of each axis */
    struct resample_axis axis[3];
};
PARAMS_SIZE(resample_tables_params, 32 + 3 * 48);

/* A tensor: planes are channels, or blocks of them. */
struct resampled {
    i32 type, reserved;
    i64 offset, batch, plane, stride[3];
};
PARAMS_SIZE(resampled, 56);

struct resampling_params {
    struct resample_axis axis[3];
    struct resampled from, to;
    i64 planes;
    i64 inner;          /* channels of a pixel */
    i64 rows;           /* of all planes; items: elements */
    i64 share;          /* rows of a work-item */
    i64 piece;          /* entries of the width at a time */
    i64 block;          /* channels at a time */
    i64 readable;       /* where `from` ends */
    i32 copy;           /* every result is one element */
    i32 channels_first; /* items: the order of elements */
    i32 streams, pad;   /* streams: copies bypass the caches */
};
PARAMS_SIZE(resampling_params, 3 * 48 + 2 * 56 + 72);

#endif
