/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_DEBUG_H
#define DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_debug.h"

#endif
