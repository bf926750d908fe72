/* SPDX-License-Identifier: Apache-2.0 */
/* The times that a profiling stream of the host runtime collects: one entry an execution. */
#ifndef LODE_RUNTIMES_HOST_PROFILE_H
#define LODE_RUNTIMES_HOST_PROFILE_H

#include "runtimes/executable.h"

dnnl_status_t profile_open(struct stream *stream, unsigned flags);
void profile_close(struct stream *stream);
/* Now in ns, and the end of what began then; free on streams that do not profile. */
uint64_t profile_start(struct stream *stream);
void profile_stop(struct stream *stream, uint64_t start);
dnnl_status_t profile_reset(struct stream *stream);
/* At most *count entries (ns may be NULL: only their number is asked). */
dnnl_status_t profile_query(struct stream *stream, int *count, uint64_t *ns);

#endif
