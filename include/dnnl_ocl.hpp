/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_OCL_HPP
#define DNNL_OCL_HPP

#include "oneapi/dnnl/dnnl_ocl.hpp"

#endif
