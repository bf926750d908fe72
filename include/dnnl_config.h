/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CONFIG_H
#define DNNL_CONFIG_H

#include "oneapi/dnnl/dnnl_config.h"

#endif
