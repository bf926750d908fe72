/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ API: header-only over dnnl.h, source compatible with oneDNN's. Failures throw dnnl::error; objects
 * are shared references (dnnl::handle) to those of C.
 *
 *     engine, stream, error      dnnl_common.hpp
 *     enumerations               cpp/enums.hpp
 *     memory, memory::desc       cpp/memory.hpp
 *     primitive, its descriptor  cpp/primitive.hpp, cpp/primitive_desc.hpp
 *     attributes, post-ops       cpp/attributes.hpp
 *     every primitive            cpp/convolution.hpp, cpp/normalization.hpp, cpp/primitives.hpp, cpp/rnn.hpp
 *     version, cache, BLAS       cpp/service.hpp
 *
 * Each primitive is a class with a nested primitive_desc, whose constructors take an engine, the problem (for
 * a backward primitive also the forward descriptor, as a hint), optional attributes, and allow_empty: whether
 * a problem that no implementation takes leaves an empty descriptor instead of throwing. A descriptor is also
 * constructible from one of C of the same kind and propagation, which it copies.
 */
#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include "oneapi/dnnl/cpp/convolution.hpp"
#include "oneapi/dnnl/cpp/normalization.hpp"
#include "oneapi/dnnl/cpp/primitives.hpp"
#include "oneapi/dnnl/cpp/rnn.hpp"
#include "oneapi/dnnl/cpp/service.hpp"

#undef DNNL_SAME_
#undef DNNL_CREATION_BY_
#undef DNNL_CREATION_
#undef DNNL_PRIMITIVE_
#undef DNNL_PRIMITIVE_DESC_
#undef DNNL_PRIMITIVE_WITH_
#undef DNNL_FORWARD_

namespace oneapi {
namespace dnnl = ::dnnl;
}

#endif
