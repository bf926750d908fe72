/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the pooling kernels. */
#ifndef LODE_KERNELS_PARAMS_POOLING_H
#define LODE_KERNELS_PARAMS_POOLING_H

#include "kernels/params_window.h"

enum { POOLING_MAX = 0, POOLING_AVG_INCLUDE_PADDING, POOLING_AVG_EXCLUDE_PADDING };

enum { POOLING_LANES = 16, POOLING_PLANES = 4 }; /* outputs by channels in a block of the planes kernel */
/* The most of the folded kernel at once: elements of a row of the image, outputs of a row, rows of outputs;
 * and floats for all these rows of the image. */
enum { POOLING_ROW = 1024, POOLING_OUTPUTS = 256, POOLING_ROWS = 8, POOLING_SPACE = 4096 };

struct pooling_params {
    struct window window;
    i32 alg;              /* POOLING_* */
    i32 workspace_type;   /* type of the workspace, the indices of the maxima's taps; 0: no workspace */
    i32 exact;            /* maxima of s32, which f32 cannot hold exactly */
    f32 lowest;           /* the maximum of no taps */
    i64 taps;             /* in a whole window */
    i64 workspace_offset; /* from an element of dst to that of the workspace */
    struct walk walk;     /* dst; the workspace has the same layout */
    struct tensor src;
    struct epilogue epilogue;
};

struct pooling_dense_params {
    struct window_images images;
    i32 alg;
    f32 lowest;
    i32 workspace_type; /* in training */
    i32 src_type;
    i32 finished;             /* the epilogue has post-ops */
    i32 bytes;                /* src and dst are s8 or u8, and nothing needs their values as floats */
    i32 exact;                /* a maximum of s32 without post-ops; `lowest` has the bits of the lowest */
    i32 streams;              /* results bypass the caches */
    i64 workspace_offset;     /* from an element of dst to that of the workspace */
    i64 src_pitch, dst_pitch; /* from a vector of channels to the next */
    i64 src_end;              /* offset of the end of src; not for blocks */
    i64 span, rows;           /* of a work-item: outputs of a row, rows */
    i64 taps;
    i64 lines_ahead; /* of src that are asked for with each output of the most vectors */
    struct epilogue epilogue;
};

/* f32 images with dense rows; channels have a stride. */
struct pooling_planes_params {
    struct window_images images;
    i64 src_channel, dst_channel;
    i64 src_end;        /* offset of the end of src */
    i64 rows, channels; /* per work-item */
    i64 taps;
    i32 alg;
    f32 lowest;
    i32 workspace_type;   /* 0: not in training */
    i32 global_average;   /* of whole planes, whose elements are one dense run */
    i64 workspace_offset; /* from an element of dst to that of the workspace */
    i32 slides;  /* maxima of three elements of a row, with one of padding, one apart; not in training */
    i32 streams; /* results bypass the caches */
};

/* The same for any type, and with post-ops. */
struct pooling_folded_params {
    struct window_images images;
    i64 src_channel, dst_channel;
    i64 src_end;           /* offset of the end of src */
    i64 rows, channels;    /* per work-item */
    i64 outputs, together; /* outputs of a row and rows that are computed at once */
    i64 pitch;             /* floats from one folded row to the next */
    i64 taps;
    i32 alg;
    f32 lowest;
    i32 src_type;
    i32 workspace_type;   /* 0: not in training */
    i32 global_average;   /* of whole planes, whose elements are one dense run */
    i32 finished;         /* the epilogue has post-ops */
    i32 by_channel;       /* rows that are computed at once are those of several channels */
    i32 exact;            /* maxima of s32 */
    i64 workspace_offset; /* from an element of dst to that of the workspace */
    struct epilogue epilogue;
};

/* Backward, any layout. */
struct pooling_backward_params {
    struct window window;
    i32 alg, type; /* type of diff_src */
    i64 taps;
    i64 places[WINDOW_DIMS]; /* the spatial sizes of diff_dst */
    struct walk walk;        /* diff_src */
    struct tensor diff_dst, workspace;
};

/* Backward, images without blocks or in blocks of 16 channels. */
struct pooling_image {
    i64 offset, batch, channel, stride[WINDOW_DIMS];
    i64 pitch; /* from a vector of channels to the next */
    i64 end;   /* offset of the end; not for blocks */
};
enum { POOLING_SOURCES = 256 }; /* the most rows of outputs that read an element */
enum { POOLING_TABLE = 256 };   /* the most taps that it takes */
struct pooling_backward_images_params {
    struct window window; /* missing spatial dimensions come first */
    i32 alg, workspace_type;
    i32 diff_src_type, diff_dst_type;
    i64 taps;
    i64 places[WINDOW_DIMS];
    i64 channels;
    i64 span;        /* of a work-item: elements of a row; planes kernel: channels */
    i64 rows, block; /* rows of a work-item; planes kernel: outputs of a row that are computed at once */
    i32 plain;       /* f32, a workspace of u8 or none, no dilation along rows */
    i32 brief;       /* a workspace of u8 or none, no dilation along rows */
    struct pooling_image diff_src, diff_dst, workspace;
};

#endif
