/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_HPP
#define DNNL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#endif
