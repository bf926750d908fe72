/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool interface that users of oneDNN's THREADPOOL builds implement. */
#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

namespace dnnl {
namespace threadpool_interop {

struct threadpool_iface {
    static constexpr uint64_t ASYNCHRONOUS = 1; ///< parallel_for() may return before the work is done

    // The order of the virtual functions is part of the ABI.
    virtual int get_num_threads() const = 0;
    /// Is the calling thread one of the pool's?
    virtual bool get_in_parallel() const = 0;
    /// Calls fn(i, n) for each i below n.
    virtual void parallel_for(int n, const std::function<void(int, int)> &fn) = 0;
    /// 0 or ASYNCHRONOUS.
    virtual uint64_t get_flags() const = 0;
    /// Returns when all submitted work is done.
    virtual void wait() = 0;

    virtual ~threadpool_iface() = default;
};

} // namespace threadpool_interop
} // namespace dnnl

#endif
