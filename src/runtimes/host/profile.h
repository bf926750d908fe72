/* SPDX-License-Identifier: Apache-2.0 */
/* The times that a profiling stream of the host runtime collects: one entry per execution. */
#ifndef LODE_RUNTIMES_HOST_PROFILE_H
#define LODE_RUNTIMES_HOST_PROFILE_H

#include "runtimes/executable.h"

dnnl_status_t profile_open(struct stream *stream, unsigned flags);
void profile_close(struct stream *stream);
/* Before an execution: returns the time in ns. After it: adds an entry. Both do nothing on streams that do
 * not profile. */
uint64_t profile_start(struct stream *stream);
void profile_stop(struct stream *stream, uint64_t start);
dnnl_status_t profile_reset(struct stream *stream);
/* Returns at most *count entries; if `ns` is NULL, only their number. */
dnnl_status_t profile_query(struct stream *stream, int *count, uint64_t *ns);

#endif
