/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that bypass the caches, for large results that nothing reads soon: memory is written without being
 * read first. STREAM(x, i, p) is vstore for a p that STREAMS_TO(p, x); a kernel that used it ends with
 * STREAM_END, after which other threads may read.
 */
#ifndef LODE_KERNELS_LIB_STREAM_H
#define LODE_KERNELS_LIB_STREAM_H

#include "kernels/lib/opencl.h"

#if defined(__x86_64__) && !defined(__OPENCL_VERSION__)
#define STREAMS_TO(p, x) ((ulong)(p) % sizeof(x) == 0)
#define STREAM(x, i, p) __builtin_nontemporal_store(x, (__typeof__(x) *)(p) + (i))
#define STREAM_END() __builtin_ia32_sfence()
#else
#define STREAMS_TO(p, x) false
#define STREAM(x, i, p) VSTORE(x, i, p)
#define STREAM_END()
#endif

#endif
