/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_SYCL_H
#define DNNL_SYCL_H

#include "oneapi/dnnl/dnnl_sycl.h"

#endif
