/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base of the C++ API: errors, handles of C objects, engines, streams, math modes. Knows nothing of
 * memory or primitives; those are in dnnl.hpp.
 */
#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

#include <cstdlib>
#include <exception>
#include <new>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl_common.h"

/// oneDNN's header brings these along, and programs count on it; this API does not need them. A program that
/// includes what it uses compiles faster with DNNL_LEAN_HEADERS defined.
#ifndef DNNL_LEAN_HEADERS
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#endif

/// Whether failures throw dnnl::error (1) or print their message and stop the program (0).
/// Follows the compiler's setting unless the user defines it first.
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__EXCEPTIONS) || defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DNNL_TRAP() __builtin_trap()
#elif defined(_MSC_VER)
#include <atomic>
#define DNNL_TRAP() __debugbreak()
#else
#include <atomic>
#define DNNL_TRAP() std::abort()
#endif

#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, msg) throw ::dnnl::error(status, msg)
#else
#include <cstdio>
#define DNNL_THROW_ERROR(status, msg)                                                                        \
    do {                                                                                                     \
        (void)(status);                                                                                      \
        std::fputs(msg, stderr);                                                                             \
        std::fputc('\n', stderr);                                                                            \
        DNNL_TRAP();                                                                                         \
    } while (0)
#endif

namespace dnnl {

/// Every failure of this API. The message is a string literal and outlives the exception.
struct error : public std::exception {
    dnnl_status_t status;
    const char *message;

    error(dnnl_status_t astatus, const char *amessage) : status(astatus), message(amessage) {}

    const char *what() const noexcept override { return message; }

    /// Throws if the status of a C function is not dnnl_success.
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage) {
        if (astatus != dnnl_success) DNNL_THROW_ERROR(astatus, amessage);
    }
};

namespace detail {

/// Calls a C function that creates an object: its first argument receives the object.
template <typename T, typename F, typename... Args>
T made(const char *failure, F *create, Args... args) {
    T object = T();
    error::wrap_c_api(create(&object, args...), failure);
    return object;
}

/// Calls a C function that returns a value: its last argument receives the value.
template <typename T, typename F, typename... Args>
T told(const char *failure, F *tell, Args... args) {
    T value = T();
    error::wrap_c_api(tell(args..., &value), failure);
    return value;
}

// Parts of classes are in templates to make this header cheap to include: members of templates are compiled
// only when used.

/// Reads bytes with read(size_t *size, uint8_t *bytes), which returns only the size if bytes is null.
template <typename F>
std::vector<uint8_t> read_blob(const char *failure, F read) {
    size_t size = 0;
    error::wrap_c_api(read(&size, nullptr), failure);
    std::vector<uint8_t> blob(size);
    error::wrap_c_api(read(&size, blob.data()), failure);
    return blob;
}

/// A thread-safe counter that starts at one.
class reference_count {
  public:
#if defined(__GNUC__) || defined(__clang__) // the built-ins spare <atomic>, a large header
    void add() { __atomic_add_fetch(&n_, 1, __ATOMIC_RELAXED); }
    bool drop() { return __atomic_sub_fetch(&n_, 1, __ATOMIC_ACQ_REL) == 0; }

  private:
    long n_ = 1;
#else
    void add() { n_.fetch_add(1, std::memory_order_relaxed); }
    bool drop() { return n_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  private:
    std::atomic<long> n_{1};
#endif
};

template <typename T, dnnl_status_t (*destroy)(T)>
struct destroyed_by {
    static dnnl_status_t destructor(T object) { return destroy(object); }
};

} // namespace detail

/// How to destroy the C object of a handle<T>: a static function `destructor`.
template <typename T>
struct handle_traits {};

namespace detail {

/// A C object and the number of handles that refer to it. A null function destroys nothing.
template <typename T>
struct shared_object {
    T object;
    dnnl_status_t (*destroy)(T);
    reference_count handles;
};

} // namespace detail

/// A shared reference to a C object: copies refer to the same object, the last one destroys it. A weak handle
/// does not own its object.
template <typename T, typename traits = handle_traits<T>>
struct handle {
    handle() = default;
    handle(const handle &other) : data_(other.data_) {
        if (data_) data_->handles.add();
    }
    handle(handle &&other) noexcept : data_(other.data_) { other.data_ = nullptr; }
    handle &operator=(const handle &other) { return *this = handle(other); }
    handle &operator=(handle &&other) noexcept {
        shared *const taken = other.data_;
        other.data_ = nullptr;
        replace(taken);
        return *this;
    }
    ~handle() { replace(nullptr); }

    /// Owns object, unless weak.
    explicit handle(T object, bool weak = false) { reset(object, weak); }

    void reset(T object, bool weak = false) {
        replace(object ? share(object, weak ? nullptr : &traits::destructor) : nullptr);
    }

    /// The C object. Throws dnnl_invalid_arguments if there is none, unless that is allowed.
    T get(bool allow_empty = false) const {
        if (!allow_empty && !data_)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the handle refers to no object");
        return data_ ? data_->object : T();
    }

    explicit operator T() const { return get(true); }
    explicit operator bool() const { return data_ != nullptr; }

    bool operator==(const handle &other) const { return get(true) == other.get(true); }
    bool operator!=(const handle &other) const { return !(*this == other); }

  protected:
    bool operator==(const T other) const { return get(true) == other; }
    bool operator!=(const T other) const { return !(*this == other); }

  private:
    using shared = detail::shared_object<T>;
    shared *data_ = nullptr;

    static shared *share(T object, dnnl_status_t (*destroy)(T)) {
        shared *const result = new (std::nothrow) shared{object, destroy, {}};
        if (result) return result;
        if (destroy) destroy(object);
        DNNL_THROW_ERROR(dnnl_out_of_memory, "there is no memory for a handle");
    }

    void replace(shared *data) {
        if (data_ && data_->handles.drop()) {
            if (data_->destroy) data_->destroy(data_->object);
            delete data_;
        }
        data_ = data;
    }
};

template <>
struct handle_traits<dnnl_engine_t> : detail::destroyed_by<dnnl_engine_t, dnnl_engine_destroy> {};

template <>
struct handle_traits<dnnl_stream_t> : detail::destroyed_by<dnnl_stream_t, dnnl_stream_destroy> {};

/// A compute device: the CPU, or a device of a GPU runtime.
struct engine : public handle<dnnl_engine_t> {
    enum class kind {
        any = dnnl_any_engine, ///< none in particular
        cpu = dnnl_cpu,
        gpu = dnnl_gpu,
    };

    using handle::handle;
    engine() = default;
    engine(kind akind, size_t index) {
        reset(detail::made<dnnl_engine_t>("could not create an engine", dnnl_engine_create,
                                          static_cast<dnnl_engine_kind_t>(akind), index));
    }

    static size_t get_count(kind akind) {
        return dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(akind));
    }

    kind get_kind() const {
        return static_cast<kind>(detail::told<dnnl_engine_kind_t>("could not get the kind of an engine",
                                                                  dnnl_engine_get_kind, get()));
    }
};

inline dnnl_engine_kind_t convert_to_c(engine::kind akind) {
    return static_cast<dnnl_engine_kind_t>(akind);
}

/// Executes primitives, in order unless created otherwise. Work may be pending until wait().
struct stream : public handle<dnnl_stream_t> {
    enum class flags : unsigned {
        in_order = dnnl_stream_in_order,
        out_of_order = dnnl_stream_out_of_order,
        default_flags = dnnl_stream_default_flags,
#ifdef DNNL_EXPERIMENTAL_PROFILING
        profiling = dnnl_stream_profiling, ///< see get_profiling_data()
#endif
    };

    using handle::handle;
    stream() = default;
    explicit stream(const engine &aengine, flags aflags = flags::default_flags) {
        reset(detail::made<dnnl_stream_t>("could not create a stream", dnnl_stream_create, aengine.get(),
                                          static_cast<unsigned>(aflags)));
    }

    engine get_engine() const {
        return engine(detail::told<dnnl_engine_t>("could not get the engine of a stream",
                                                  dnnl_stream_get_engine, get()),
                      true);
    }

    /// Returns when everything submitted so far is done.
    stream &wait() {
        error::wrap_c_api(dnnl_stream_wait(get()), "could not wait for a stream");
        return *this;
    }
};

/// Defines bitmask operators for an unsigned enum class.
#define DNNL_DEFINE_BITMASK_OPS(enum_name)                                                                   \
    inline enum_name operator|(enum_name a, enum_name b) {                                                   \
        return static_cast<enum_name>(static_cast<unsigned>(a) | static_cast<unsigned>(b));                  \
    }                                                                                                        \
    inline enum_name operator&(enum_name a, enum_name b) {                                                   \
        return static_cast<enum_name>(static_cast<unsigned>(a) & static_cast<unsigned>(b));                  \
    }                                                                                                        \
    inline enum_name operator^(enum_name a, enum_name b) {                                                   \
        return static_cast<enum_name>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));                  \
    }                                                                                                        \
    inline enum_name operator~(enum_name a) {                                                                \
        return static_cast<enum_name>(~static_cast<unsigned>(a));                                            \
    }                                                                                                        \
    inline enum_name &operator|=(enum_name &a, enum_name b) {                                                \
        return a = a | b;                                                                                    \
    }                                                                                                        \
    inline enum_name &operator&=(enum_name &a, enum_name b) {                                                \
        return a = a & b;                                                                                    \
    }                                                                                                        \
    inline enum_name &operator^=(enum_name &a, enum_name b) {                                                \
        return a = a ^ b;                                                                                    \
    }

DNNL_DEFINE_BITMASK_OPS(stream::flags)

/// Which shorter types may be used for f32 computations.
enum class fpmath_mode {
    strict = dnnl_fpmath_mode_strict, ///< none
    bf16 = dnnl_fpmath_mode_bf16,
    f16 = dnnl_fpmath_mode_f16,
    tf32 = dnnl_fpmath_mode_tf32,
    any = dnnl_fpmath_mode_any,
};

inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) {
    return static_cast<dnnl_fpmath_mode_t>(mode);
}

/// The type in which sums are accumulated.
enum class accumulation_mode {
    strict = dnnl_accumulation_mode_strict,   ///< f32 or f64 for floats, s32 for integers
    relaxed = dnnl_accumulation_mode_relaxed, ///< partial sums may rest in the type of source or destination
    any = dnnl_accumulation_mode_any,
    s32 = dnnl_accumulation_mode_s32,
    f32 = dnnl_accumulation_mode_f32,
    f16 = dnnl_accumulation_mode_f16,
};

inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

} // namespace dnnl

#endif
