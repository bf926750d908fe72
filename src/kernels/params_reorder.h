/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of reorders, from any type and layout to any other. Epilogues that do not fit in one launch go
 * this way, too.
 */
#ifndef LODE_KERNELS_PARAMS_REORDER_H
#define LODE_KERNELS_PARAMS_REORDER_H

#include "kernels/params.h"

/* How an element travels: as a float through the epilogue, as an exact integer, or as its bits. */
enum { REORDER_FLOAT = 0, REORDER_INTEGER = 1, REORDER_BITS = 2 };

struct reorder_params {
    i32 travel, bits; /* enum above; bits of an element of dst */
    struct tensor src;
    struct quant_source src_zero_point;
    struct walk walk; /* of dst */
    struct epilogue epilogue;
};

#endif
