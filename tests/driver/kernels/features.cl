/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenCL C 2.0 brought (atomics on pointers to any address space), and kernel attributes. */

kernel void tally(global uint *counts, local uint *scratch) {
    size_t x = get_local_id(0);
    atomic_uint *all = (atomic_uint *)counts, *own = (atomic_uint *)scratch;
    if (x == 0) scratch[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(x % 4 ? all : own, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x == 0) atomic_exchange_explicit(all + 1, scratch[0], memory_order_relaxed, memory_scope_device);
}

__attribute__((work_group_size_hint(8, 2, 1))) __attribute__((vec_type_hint(float4))) kernel void
hinted(global float *dst) {
    dst[get_global_id(0)] = 1;
}

__attribute__((reqd_work_group_size(4, 1, 1))) kernel void required(global float *dst) {
    dst[get_global_id(0)] = 2;
}
