/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_SYCL_TYPES_H
#define DNNL_SYCL_TYPES_H

#include "oneapi/dnnl/dnnl_sycl_types.h"

#endif
