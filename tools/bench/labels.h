/* SPDX-License-Identifier: Apache-2.0 */
/* Short texts that tell requests apart. */
#ifndef LODE_BENCH_LABELS_H
#define LODE_BENCH_LABELS_H

#include "request.h"

struct label {
    char kind[48];     /* "convolution bwd data" */
    char types[64];    /* "u8:s8:f32" */
    char shape[256];   /* "1x64x56x56 oc64 k3 p1" */
    char details[256]; /* layouts, algorithm and attributes: "acdb:any:acdb post-ops:sum" */
};

struct label request_label(const struct request *request);

#endif
