/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_SYCL_HPP
#define DNNL_SYCL_HPP

#include "oneapi/dnnl/dnnl_sycl.hpp"

#endif
