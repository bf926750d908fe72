/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of every kernel: scales, post-ops, rounding and conversion.
 */
#ifndef LODE_KERNELS_LIB_EPILOGUE_H
#define LODE_KERNELS_LIB_EPILOGUE_H

#include "kernels/lib/opencl.h"

/* The arguments that a kernel with an epilogue takes after its own buffers, and how it passes them on. */
#define EPILOGUE_ARGS                                                                                        \
    global const uchar *e0, global const uchar *e1, global const uchar *e2, global const uchar *e3,          \
            global const uchar *e4, global const uchar *e5, global const uchar *e6, global const uchar *e7,  \
            const struct scalars scalars
#define EPILOGUE_PASS e0, e1, e2, e3, e4, e5, e6, e7, scalars

/* Sixteen results whose logical positions start at `position` and follow each other along dimension `lanes`;
 * `count` of them exist. dst_offset is where the first one goes in dst, counted in elements, the others lie
 * behind it. Returns what is to be stored. */
INLINE float16 epilogue_f32x16(constant struct epilogue *ep, EPILOGUE_ARGS, float16 x, const i64 *position,
                               int lanes, int count, global const float *dst, i64 dst_offset) {
    return x;
}

#endif
