/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group copies: every item copies everything, with the same result. Included only if the source mentions
 * them.
 */

#define LODE_ASYNC(T)                                                                                        \
    LODE event_t async_work_group_copy(T *dst, const T *src, size_t n, event_t event) {                      \
        for (size_t i = 0; i < n; i++)                                                                       \
            dst[i] = src[i];                                                                                 \
        return event;                                                                                        \
    }                                                                                                        \
    LODE event_t async_work_group_strided_copy(local T *dst, const global T *src, size_t n, size_t stride,   \
                                               event_t event) {                                              \
        for (size_t i = 0; i < n; i++)                                                                       \
            dst[i] = src[i * stride];                                                                        \
        return event;                                                                                        \
    }                                                                                                        \
    LODE event_t async_work_group_strided_copy(global T *dst, const local T *src, size_t n, size_t stride,   \
                                               event_t event) {                                              \
        for (size_t i = 0; i < n; i++)                                                                       \
            dst[i * stride] = src[i];                                                                        \
        return event;                                                                                        \
    }                                                                                                        \
    LODE void prefetch(const global T *p, size_t n) { (void)p, (void)n; }
#define LODE_ASYNC_ALL(T) LODE_ASYNC(T) LODE_ASYNC(T##2) LODE_ASYNC(T##4) LODE_ASYNC(T##8) LODE_ASYNC(T##16)
LODE_NUMBERS(LODE_ASYNC_ALL)
#define wait_group_events(n, events) lode_barrier()
