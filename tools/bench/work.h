/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a request, as far as it follows from its tensors. */
#ifndef LODE_BENCH_WORK_H
#define LODE_BENCH_WORK_H

#include "request.h"

struct work {
    double operations, bytes;
    double depth; /* how many terms the longest sum has */
};

struct work request_work(const struct request *request);

#endif
