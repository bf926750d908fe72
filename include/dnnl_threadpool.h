/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_THREADPOOL_H
#define DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_threadpool.h"

#endif
