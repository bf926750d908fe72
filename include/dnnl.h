/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_H
#define DNNL_H

#include "oneapi/dnnl/dnnl.h"

#endif
