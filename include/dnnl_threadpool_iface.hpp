/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_THREADPOOL_IFACE_HPP
#define DNNL_THREADPOOL_IFACE_HPP

#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

#endif
