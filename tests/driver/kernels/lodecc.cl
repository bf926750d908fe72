/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the test of lodecc: common features of OpenCL C. */

typedef struct {
    int factor;
    float4 shift;
} params_t;

constant float weights[4] = {0.5f, 1.0f, 2.0f, 4.0f};
global int module_number = 7;

kernel void add(global const float *a, global const float *b, global float *dst, uint n) {
    size_t i = get_global_id(0);
    if (i < n) dst[i] = a[i] + b[i];
}

kernel void vectors(global const float4 *src, global float4 *dst, params_t p, float4 v) {
    size_t i = get_global_id(0);
    float4 x = src[i] * (float)p.factor + p.shift.wzyx + v * weights[i & 3] + (float)module_number;
    dst[i] = (float4)(x.xy, dot(x, x), length(x.xyz));
}

kernel void functions(global const float *src, global float *dst) {
    size_t i = get_global_id(0);
    float x = src[i];
    float4 v = (float4)(x, x + 1, x + 2, x + 3);
    dst[i * 8 + 0] = sin(x) + exp(v).y;
    dst[i * 8 + 1] = clamp(x, -1.0f, 1.0f) + mix(1.0f, 3.0f, 0.25f);
    dst[i * 8 + 2] = convert_uchar_sat_rte(x * 100) + convert_int4_rtn(v).z;
    dst[i * 8 + 3] = as_float(as_uint(x) & 0x7fffffff) + fabs(v).w;
    dst[i * 8 + 4] = select(1.0f, 2.0f, isgreater(x, 0.0f)) + any(v < 0);
    dst[i * 8 + 5] = fma(x, x, x) + rsqrt(4.0f) + pow(2.0f, 3.0f);
    dst[i * 8 + 6] = popcount(255) + clz(1) + mul_hi(1 << 30, 8) + rotate(0x80000001u, 1u) + max(3, 4);
    vstore4(v.s3210, 0, dst + i * 8 + 4);
    dst[i * 8 + 7] += vload2(0, src + i).x;
}

/* Sums a group by a tree in local memory. */
kernel void reduce(global const int *src, global int *dst, local int *scratch) {
    local int total;
    size_t x = get_local_id(0);
    scratch[x] = src[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (x < step) scratch[x] += scratch[x + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x == 0) total = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    dst[get_global_id(0)] = total;
}

/* A barrier inside a function, in a two-dimensional group of required size. */
void turn(local float tile[8][8], float x) {
    tile[get_local_id(0)][get_local_id(1)] = x;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
__attribute__((reqd_work_group_size(8, 8, 1))) kernel void transpose(global const float *src,
                                                                     global float *dst) {
    local float tile[8][8];
    size_t width = get_global_size(0), height = get_global_size(1);
    turn(tile, src[get_global_id(1) * width + get_global_id(0)]);
    size_t x = get_group_id(1) * 8 + get_local_id(0), y = get_group_id(0) * 8 + get_local_id(1);
    dst[y * height + x] = tile[get_local_id(1)][get_local_id(0)];
}

kernel void histogram(global const uchar *src, global volatile int *bins) {
    atomic_inc(&bins[src[get_global_id(0)]]);
}

/* The floating-point atomics that the device reports, in global and local memory. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void float_atomics(global atomic_float *floats, global atomic_double *doubles,
                          global atomic_half *halves, global float *dst) {
    float x = (float)get_global_id(0);
    atomic_fetch_add_explicit(&floats[0], 1.0f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&floats[1], -x, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&floats[2], x, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&doubles[0], 0.5, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&doubles[1], -(double)x, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&doubles[2], (double)x, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&halves[0], (half)3.0f, memory_order_relaxed, memory_scope_device);
    local atomic_float mine[3];
    if (get_local_id(0) == 0)
        for (int i = 0; i < 3; i++)
            atomic_init(&mine[i], 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&mine[0], 2.0f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&mine[1], -(float)get_local_id(0), memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&mine[2], (float)get_local_id(0), memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0)) return;
    for (int i = 0; i < 3; i++)
        dst[get_group_id(0) * 4 + i] =
                atomic_load_explicit(&mine[i], memory_order_relaxed, memory_scope_device);
    dst[get_group_id(0) * 4 + 3] =
            atomic_load_explicit(&halves[0], memory_order_relaxed, memory_scope_device);
}

kernel void together(global const int *src, global int *dst) {
    size_t i = get_global_id(0);
    int x = src[i];
    dst[i * 4 + 0] = work_group_reduce_add(x);
    dst[i * 4 + 1] = work_group_scan_inclusive_add(x);
    dst[i * 4 + 2] = work_group_broadcast(x, 2);
    dst[i * 4 + 3] = work_group_all(x > 0) * 2 + work_group_any(x > 5);
}

kernel void where(global uint *dst) {
    if (get_global_linear_id() != 0) return;
    dst[0] = get_work_dim();
    for (uint d = 0; d < 3; d++) {
        dst[1 + d] = get_global_size(d);
        dst[4 + d] = get_num_groups(d);
        dst[7 + d] = get_global_offset(d);
        dst[10 + d] = get_global_id(d);
    }
}
