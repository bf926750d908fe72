/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_TYPES_H
#define DNNL_TYPES_H

#include "oneapi/dnnl/dnnl_types.h"

#endif
