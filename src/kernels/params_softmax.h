/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of softmax. A line is what one softmax is taken over; rows are the walk through dst without the
 * loops of the axis, and line the walk along the axis alone. Sums of a line have 16 parts, element i in part
 * i % 16.
 */
#ifndef LODE_KERNELS_PARAMS_SOFTMAX_H
#define LODE_KERNELS_PARAMS_SOFTMAX_H

#include "kernels/params.h"

enum { SOFTMAX_PARTS = 16 };

struct softmax_params {
    i32 log, axis;  /* log: the logarithm is asked for */
    i32 plain, pad; /* plain: the epilogue is empty */
    i64 length;     /* of a line, without padding */
    struct tensor src;
    struct walk rows, line;
    struct epilogue epilogue;
};

#endif
