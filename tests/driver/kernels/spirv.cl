/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the test of SPIR-V modules. */

struct params {
    int factor;
    float4 shift;
    short small;
};

kernel void scale(global float *dst, global const float *src, struct params p, uchar bias,
                  local float *scratch) {
    size_t i = get_global_id(0), x = get_local_id(0);
    scratch[x] = src[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    dst[i] = scratch[get_local_size(0) - 1 - x] * p.factor + p.shift.z + p.small + bias;
}

__attribute__((reqd_work_group_size(16, 1, 1))) kernel void sixteen(global uint *dst) {
    dst[get_global_id(0)] = get_group_id(0);
}

kernel void follow(global uint *const global *pointers, global uint *dst) {
    dst[get_global_id(0)] = pointers[get_global_id(0)][1];
}

global int counter = 40;

int plus_two(int value) {
    return value + 2;
}

kernel void count_up(global int *dst) {
    counter = plus_two(counter);
    *dst = counter;
}
