/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library-wide functions: version, verbose output, math mode, JIT files, instruction sets, profiling, the
 * primitive cache, and the BLAS-like functions. Setters return a status if C's do.
 */
#ifndef ONEAPI_DNNL_CPP_SERVICE_HPP
#define ONEAPI_DNNL_CPP_SERVICE_HPP

#include "oneapi/dnnl/cpp/enums.hpp"

namespace dnnl {

using version_t = dnnl_version_t;

inline const version_t *version() {
    return dnnl_version();
}

/// 0 nothing, 1 executions, 2 also creations. The environment variable ONEDNN_VERBOSE has more levels.
inline status set_verbose(int level) {
    return static_cast<status>(dnnl_set_verbose(level));
}

inline bool verbose_profiling_enabled() {
    int enabled = 0;
    dnnl_verbose_profiling_enabled(&enabled);
    return enabled != 0;
}

/// The math mode of attributes that do not set one.
inline fpmath_mode get_default_fpmath_mode() {
    return static_cast<fpmath_mode>(detail::told<dnnl_fpmath_mode_t>("could not get the default fpmath mode",
                                                                     dnnl_get_default_fpmath_mode));
}
inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

inline status set_jit_dump(int enable) {
    return static_cast<status>(dnnl_set_jit_dump(enable));
}
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}
inline status set_jit_profiling_jitdumpdir(const char *dir) {
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir));
}
/// For std::string, which this header need not include.
template <typename String>
auto set_jit_profiling_jitdumpdir(const String &dir) -> decltype(set_jit_profiling_jitdumpdir(dir.c_str())) {
    return set_jit_profiling_jitdumpdir(dir.c_str());
}

/// Limits the instruction sets that may be used. Only before the first use of the library.
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}
inline status set_cpu_isa_hints(cpu_isa_hints isa_hints) {
    return static_cast<status>(dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(isa_hints)));
}
inline cpu_isa_hints get_cpu_isa_hints() {
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}

#ifdef DNNL_EXPERIMENTAL_PROFILING
enum class profiling_data_kind {
    undef = dnnl_profiling_data_kind_undef,
    time = dnnl_profiling_data_kind_time, ///< nanoseconds
};

/// Discards what a stream with flags::profiling has measured so far.
inline void reset_profiling(stream &astream) {
    error::wrap_c_api(dnnl_reset_profiling(astream.get()), "could not reset profiling");
}

/// One entry per primitive executed since the last reset.
template <typename = void>
std::vector<uint64_t> get_profiling_data(stream &astream, profiling_data_kind data_kind) {
    const dnnl_profiling_data_kind_t kind = static_cast<dnnl_profiling_data_kind_t>(data_kind);
    int count = 0;
    error::wrap_c_api(dnnl_query_profiling_data(astream.get(), kind, &count, nullptr),
                      "could not get the number of profiling entries");
    std::vector<uint64_t> data(count);
    if (count > 0)
        error::wrap_c_api(dnnl_query_profiling_data(astream.get(), kind, &count, data.data()),
                          "could not get profiling data");
    return data;
}
#endif

/// How many primitives are kept for reuse; 0 keeps none.
inline int get_primitive_cache_capacity() {
    return detail::told<int>("could not get the capacity of the primitive cache",
                             dnnl_get_primitive_cache_capacity);
}
inline void set_primitive_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
                      "could not set the capacity of the primitive cache");
}

// C = alpha * op(A) * op(B) + beta * C, row major; op transposes for 'T' or 't'. The integer functions first
// subtract the offsets ao and bo, and add co: one value ('F'), one per row ('R') or one per column ('C').

inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                    const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta, float *C,
                    dnnl_dim_t ldc) {
    return static_cast<status>(dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B,
                           dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
                           const int32_t *co) {
    return static_cast<status>(dnnl_gemm_u8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb,
                                                 bo, beta, C, ldc, co));
}

inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B,
                           dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
                           const int32_t *co) {
    return static_cast<status>(dnnl_gemm_s8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb,
                                                 bo, beta, C, ldc, co));
}

} // namespace dnnl

#endif
