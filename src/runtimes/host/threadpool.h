/* SPDX-License-Identifier: Apache-2.0 */
/* A user's thread pool: a C++ object that implements dnnl::threadpool_interop::threadpool_iface. */
#ifndef LODE_RUNTIMES_HOST_THREADPOOL_H
#define LODE_RUNTIMES_HOST_THREADPOOL_H

#include "base/pool.h"

/* Its threads, as the pool borrows them. `threadpool` must outlive what is returned. */
struct pool_guest threadpool_guest(void *threadpool);

#endif
