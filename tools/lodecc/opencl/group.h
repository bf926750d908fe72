/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that all items of a group call together.
 */

/* -- work-group functions, through an array that the items share -- */

global ulong lode_group_values[1024]; /* thread-local like lode_item; one per item */

LODE size_t lode_group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }
LODE void lode_group_share(const void *value, size_t size) {
    lode_barrier();
    __builtin_memcpy(&lode_group_values[get_local_linear_id()], value, size);
    lode_barrier();
}
#define LODE_GROUP_FOLD(T, name, start, combine)                                                             \
    LODE T lode_fold_##name(T x, size_t end, T first) {                                                      \
        lode_group_share(&x, sizeof x);                                                                      \
        T r = first;                                                                                         \
        for (size_t i = 0; i < end; i++) {                                                                   \
            T y;                                                                                             \
            __builtin_memcpy(&y, &lode_group_values[i], sizeof y);                                           \
            r = combine;                                                                                     \
        }                                                                                                    \
        return r;                                                                                            \
    }                                                                                                        \
    LODE T work_group_reduce_##name(T x) { return lode_fold_##name(x, lode_group_items(), (T)(start)); }     \
    LODE T work_group_scan_exclusive_##name(T x) {                                                           \
        return lode_fold_##name(x, get_local_linear_id(), (T)(start));                                       \
    }                                                                                                        \
    LODE T work_group_scan_inclusive_##name(T x) {                                                           \
        return lode_fold_##name(x, get_local_linear_id() + 1, (T)(start));                                   \
    }
#define LODE_GROUP(T, low, high)                                                                             \
    LODE_GROUP_FOLD(T, add, 0, r + y)                                                                        \
    LODE_GROUP_FOLD(T, min, high, y < r ? y : r)                                                             \
    LODE_GROUP_FOLD(T, max, low, y > r ? y : r)                                                              \
    LODE T work_group_broadcast(T x, size_t id) {                                                            \
        lode_group_share(&x, sizeof x);                                                                      \
        T r;                                                                                                 \
        __builtin_memcpy(&r, &lode_group_values[id], sizeof r);                                              \
        return r;                                                                                            \
    }                                                                                                        \
    LODE T work_group_broadcast(T x, size_t i, size_t j) {                                                   \
        return work_group_broadcast(x, j * get_local_size(0) + i);                                           \
    }                                                                                                        \
    LODE T work_group_broadcast(T x, size_t i, size_t j, size_t k) {                                         \
        return work_group_broadcast(x, (k * get_local_size(1) + j) * get_local_size(0) + i);                 \
    }                                                                                                        \
    LODE T sub_group_broadcast(T x, uint id) {                                                               \
        (void)id;                                                                                            \
        return x;                                                                                            \
    }                                                                                                        \
    LODE T sub_group_reduce_add(T x) { return x; }                                                           \
    LODE T sub_group_reduce_min(T x) { return x; }                                                           \
    LODE T sub_group_reduce_max(T x) { return x; }                                                           \
    LODE T sub_group_scan_inclusive_add(T x) { return x; }                                                   \
    LODE T sub_group_scan_inclusive_min(T x) { return x; }                                                   \
    LODE T sub_group_scan_inclusive_max(T x) { return x; }                                                   \
    LODE T sub_group_scan_exclusive_add(T x) {                                                               \
        (void)x;                                                                                             \
        return 0;                                                                                            \
    }                                                                                                        \
    LODE T sub_group_scan_exclusive_min(T x) {                                                               \
        (void)x;                                                                                             \
        return high;                                                                                         \
    }                                                                                                        \
    LODE T sub_group_scan_exclusive_max(T x) {                                                               \
        (void)x;                                                                                             \
        return low;                                                                                          \
    }
LODE_GROUP(int, INT_MIN, INT_MAX)
LODE_GROUP(uint, 0, UINT_MAX)
LODE_GROUP(long, LONG_MIN, LONG_MAX)
LODE_GROUP(ulong, 0, ULONG_MAX)
LODE_GROUP(float, -INFINITY, INFINITY)
LODE_GROUP(double, -INFINITY, INFINITY)
LODE int work_group_all(int x) { return work_group_reduce_min(x != 0); }
LODE int work_group_any(int x) { return work_group_reduce_max(x != 0); }

/* -- sub-groups of one item each -- */

LODE uint get_sub_group_size(void) { return 1; }
LODE uint get_max_sub_group_size(void) { return 1; }
LODE uint get_num_sub_groups(void) { return (uint)lode_group_items(); }
LODE uint get_enqueued_num_sub_groups(void) { return (uint)lode_group_items(); }
LODE uint get_sub_group_id(void) { return (uint)get_local_linear_id(); }
LODE uint get_sub_group_local_id(void) { return 0; }
LODE int sub_group_all(int x) { return x != 0; }
LODE int sub_group_any(int x) { return x != 0; }
LODE void sub_group_barrier(cl_mem_fence_flags flags) { (void)flags; }
LODE void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { (void)flags, (void)scope; }
