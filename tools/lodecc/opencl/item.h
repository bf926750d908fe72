/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-item functions and barriers. Included before the user's source and after clang's opencl-c-base.h, in
 * OpenCL C 3.0 for the host CPU.
 *
 * After the front end, lodecc makes two kinds of variables thread-local: lode_item, and everything in local
 * memory. All items of a group run in one thread, one after the other or in turns, so they share these
 * variables, and other groups do not see them.
 */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

#define LODE static inline __attribute__((overloadable, always_inline, unused))

/* struct native_group of kernels/native.h, in OpenCL's types. */
struct lode_group {
    uint id[3], count[3], size[3], ndims;
    ulong offset[3];
    void (*barrier)(const struct lode_group *group);
};

struct lode_item {
    const struct lode_group *group;
    uint local_id[3];
};
global struct lode_item lode_item; /* of the running item */

LODE uint get_work_dim(void) { return lode_item.group->ndims; }
LODE size_t get_local_id(uint d) { return d < 3 ? lode_item.local_id[d] : 0; }
LODE size_t get_local_size(uint d) { return d < 3 ? lode_item.group->size[d] : 1; }
LODE size_t get_enqueued_local_size(uint d) { return get_local_size(d); }
LODE size_t get_group_id(uint d) { return d < 3 ? lode_item.group->id[d] : 0; }
LODE size_t get_num_groups(uint d) { return d < 3 ? lode_item.group->count[d] : 1; }
LODE size_t get_global_offset(uint d) { return d < 3 ? lode_item.group->offset[d] : 0; }
LODE size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
LODE size_t get_global_id(uint d) {
    return get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d);
}
LODE size_t get_local_linear_id(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
LODE size_t get_global_linear_id(void) {
    return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1)
            - get_global_offset(1))
                   * get_global_size(0)
           + get_global_id(0) - get_global_offset(0);
}

/* lodecc looks for calls of this function: kernels that reach it run their items on separate stacks. */
__attribute__((noinline)) void lode_barrier(void) {
    struct lode_item self = lode_item;
    self.group->barrier(self.group);
    lode_item = self;
}

LODE void barrier(cl_mem_fence_flags flags) {
    (void)flags;
    lode_barrier();
}
LODE void work_group_barrier(cl_mem_fence_flags flags) {
    (void)flags;
    lode_barrier();
}
LODE void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
    (void)flags, (void)scope;
    lode_barrier();
}
LODE void mem_fence(cl_mem_fence_flags flags) {
    (void)flags;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}
LODE void read_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }
LODE void write_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }

int printf(constant const char *restrict format, ...) __attribute__((format(printf, 1, 2)));
