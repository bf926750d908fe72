/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics. All memory is the host's, so scopes and address spaces do not matter.
 */

/* -- the atomics of OpenCL C 1.x -- */

#define LODE_ATOMIC(T, prefix)                                                                               \
    LODE T prefix##add(volatile T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }            \
    LODE T prefix##sub(volatile T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }            \
    LODE T prefix## and (volatile T * p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }         \
    LODE T prefix## or (volatile T * p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }           \
    LODE T prefix## xor (volatile T * p, T v) {                                                              \
        return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                                                   \
    } LODE T prefix##min(volatile T *p, T v) {                                                               \
        return __atomic_fetch_min(p, v, __ATOMIC_RELAXED);                                                   \
    }                                                                                                        \
    LODE T prefix##max(volatile T *p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); }            \
    LODE T prefix##inc(volatile T *p) { return prefix##add(p, (T)1); }                                       \
    LODE T prefix##dec(volatile T *p) { return prefix##sub(p, (T)1); }                                       \
    LODE T prefix##xchg(volatile T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }          \
    LODE T prefix##cmpxchg(volatile T *p, T expected, T v) {                                                 \
        __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                 \
        return expected;                                                                                     \
    }
LODE_ATOMIC(int, atomic_)
LODE_ATOMIC(uint, atomic_)
LODE_ATOMIC(int, atom_)
LODE_ATOMIC(uint, atom_)
LODE_ATOMIC(long, atom_)
LODE_ATOMIC(ulong, atom_)
LODE float atomic_xchg(volatile float *p, float v) {
    return as_float(__atomic_exchange_n((volatile uint *)p, as_uint(v), __ATOMIC_RELAXED));
}

/* -- the atomics of OpenCL C 2.0 and later -- */

#define atomic_init(p, v) __opencl_atomic_init(p, v)
#define atomic_load_explicit(p, order, ...) __opencl_atomic_load(p, order, memory_scope_all_svm_devices)
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store_explicit(p, v, order, ...)                                                              \
    __opencl_atomic_store(p, v, order, memory_scope_all_svm_devices)
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)
#define atomic_exchange_explicit(p, v, order, ...)                                                           \
    __opencl_atomic_exchange(p, v, order, memory_scope_all_svm_devices)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(p, e, v, success, failure, ...)                              \
    __opencl_atomic_compare_exchange_strong(p, e, v, success, failure, memory_scope_all_svm_devices)
#define atomic_compare_exchange_strong(p, e, v)                                                              \
    atomic_compare_exchange_strong_explicit(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_fetch_add_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_add(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_sub_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_sub(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_and_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_and(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_or_explicit(p, v, order, ...)                                                           \
    __opencl_atomic_fetch_or(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_xor_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_xor(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_min_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_min(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_max_explicit(p, v, order, ...)                                                          \
    __opencl_atomic_fetch_max(p, v, order, memory_scope_all_svm_devices)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_xor(p, v) atomic_fetch_xor_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_min(p, v) atomic_fetch_min_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_max(p, v) atomic_fetch_max_explicit(p, v, memory_order_seq_cst)
#define atomic_flag_test_and_set(p)                                                                          \
    (__opencl_atomic_exchange((volatile atomic_int *)(p), 1, memory_order_seq_cst,                           \
                              memory_scope_all_svm_devices)                                                  \
     != 0)
#define atomic_flag_clear(p)                                                                                 \
    __opencl_atomic_store((volatile atomic_int *)(p), 0, memory_order_seq_cst, memory_scope_all_svm_devices)
#define atomic_work_item_fence(flags, order, scope) __atomic_thread_fence(__ATOMIC_SEQ_CST)
