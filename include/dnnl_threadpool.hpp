/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_THREADPOOL_HPP
#define DNNL_THREADPOOL_HPP

#include "oneapi/dnnl/dnnl_threadpool.hpp"

#endif
