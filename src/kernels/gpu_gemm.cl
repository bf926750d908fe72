/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of f32 and f16 for GPU-class devices: one sub-group computes a tile of 16
 * results by one panel of 32 output channels, in registers. Lane l loads src for result l of the tile and
 * computes channels l and l + 16 of every result. Every output is one chain of fma in f32 over (d, h, w, i)
 * in that order, as in the universal kernels, so neither tiles nor devices change a bit.
 *
 * Whatever is kept in registers besides the sums is kept small: the compilers for some GPUs spill otherwise.
 *
 * Range: work-groups of GPU_GEMM_SUBGROUPS tiles, panels, batches.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/subgroup.h"
#include "kernels/params_gpu_gemm.h"

/* Where a tile stands. */
struct gpu_tile {
    i64 src, weights, bias, dst; /* offsets of the panel's first channel and the batch's first result */
    int first, count;            /* results: of the tile, and of the batch */
    int room;                    /* channels from the panel's first on */
    int lane;
    int plane, row, column; /* where the window of result first + lane stands, or that of the last one */
};

INLINE void gpu_locate_batch(constant struct gpu_gemm_params *p, struct gpu_tile *t, uint batch) {
#pragma unroll
    for (int i = GPU_GEMM_BATCHES - 1; i >= 0; i--) {
        constant struct gpu_gemm_batch *b = &p->batch[i];
        if (b->size == 1) continue;
        uint rest = batch / (uint)b->size;
        int index = (int)(batch - rest * (uint)b->size);
        batch = rest;
        t->src += index * b->src;
        t->weights += index * b->weights;
        t->bias += index * b->bias;
        t->dst += index * b->dst;
        t->plane += index * b->step;
    }
}

INLINE struct gpu_tile gpu_locate(constant struct gpu_gemm_params *p) {
    int panel = (int)get_group_id(1), channel = panel * GPU_GEMM_PANEL;
    struct gpu_tile t = {.src = p->src_offset,
                         .weights = p->weights_offset + (i64)panel * p->weights_panel,
                         .bias = p->bias_offset + channel,
                         .dst = p->dst_offset + (i64)channel * p->dst_channel,
                         .count = p->rows * p->columns,
                         .room = p->channels - channel,
                         .lane = (int)get_sub_group_local_id()};
    gpu_locate_batch(p, &t, (uint)get_group_id(2));
    t.first = (int)(get_group_id(0) * GPU_GEMM_SUBGROUPS + get_sub_group_id()) * GPU_GEMM_HEIGHT;
    int m = t.first + t.lane < t.count ? t.first + t.lane : t.count - 1;
    t.row = p->rows == 1 ? 0 : m / p->columns;
    t.column = m - t.row * p->columns;
    return t;
}

/* Does tap k of the window at `place` lie inside the image? */
INLINE bool gpu_inside(constant struct gpu_gemm_window *w, int place, int k) {
    return (uint)(place * w->stride + k * w->step - w->padding) < (uint)w->size;
}

/* acc[r][v] += value r of the sub-group times the lane's weight v. */
INLINE void gpu_step(float a, float2 b, float *acc) {
#pragma unroll
    for (int r = 0; r < GPU_GEMM_HEIGHT; r++) {
        float x = sub_group_broadcast(a, r);
        acc[2 * r] = fma(x, b.x, acc[2 * r]);
        acc[2 * r + 1] = fma(x, b.y, acc[2 * r + 1]);
    }
}

/* The bias of a channel of the panel. */
INLINE float gpu_bias(constant struct gpu_gemm_params *p, const struct gpu_tile *t, global const uchar *bias,
                      int n) {
    if (p->bias_type == 0 || n >= t->room) return 0.0f;
    if (p->bias_type == TYPE_F16) return f16_to_f32(((global const ushort *)bias)[t->bias + n]);
    return ((global const float *)bias)[t->bias + n];
}

/* The scale of the weights of a channel of the panel. */
INLINE float gpu_weights_scale(constant struct gpu_gemm_params *p, const struct gpu_tile *t,
                               global const float *scales, int n) {
    if (p->weights_scaled == GPU_GEMM_UNSCALED || n >= t->room) return 1.0f;
    return scales[p->weights_scaled == GPU_GEMM_SCALED_BY_CHANNEL ? p->channels - t->room + n : 0];
}

/* acc times the scales of src and weights. */
INLINE void gpu_scale(constant struct gpu_gemm_params *p, const struct gpu_tile *t,
                      global const float *src_scale, global const float *weights_scale, float *acc) {
    float src = p->src_scaled ? src_scale[0] : 1.0f;
    float weights0 = gpu_weights_scale(p, t, weights_scale, t->lane);
    float weights1 = gpu_weights_scale(p, t, weights_scale, t->lane + GPU_GEMM_LANES);
#pragma unroll
    for (int r = 0; r < GPU_GEMM_HEIGHT; r++) {
        acc[2 * r] = acc[2 * r] * src * weights0;
        acc[2 * r + 1] = acc[2 * r + 1] * src * weights1;
    }
}

/* A relu or a clip, or nothing: without a branch, since this is unrolled for all results of a tile. */
INLINE float gpu_activation(constant struct gpu_gemm_params *p, float x) {
    float relu = x > 0.0f ? x : x * p->slope, clip = x > p->least ? x : p->least;
    return !p->clips ? relu : clip > p->most ? p->most : clip;
}

#if WANTED(f32_gpu_gemm_16x32)
#define ELEMENT float
#define NAME(name) name##_f32
#define KERNEL_NAME f32_gpu_gemm_16x32
#define LOAD(from) (*(from))
#define LOAD_4(from) vload4(0, from)
#define LOAD_BLOCK(from) as_float2(intel_sub_group_block_read2((global const uint *)(from)))
#define STORE(x, i, dst) (((global float *)dst)[i] = (x))
#include "kernels/lib/gpu_gemm_tile.h"
#endif

#if WANTED(f16_gpu_gemm_16x32)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define ELEMENT half
#define NAME(name) name##_f16
#define KERNEL_NAME f16_gpu_gemm_16x32
#define LOAD(from) convert_float(*(from))
#define LOAD_4(from) convert_float4(as_half4(vload2(0, (global const uint *)(from))))
#define LOAD_BLOCK(from)                                                                                     \
    convert_float2(as_half2(intel_sub_group_block_read_us2((global const ushort *)(from))))
#define STORE(x, i, dst)                                                                                     \
    (p->dst_type == TYPE_F16 ? vstore_half(x, i, (global half *)dst) : (void)(((global float *)dst)[i] = (x)))
#include "kernels/lib/gpu_gemm_tile.h"
#endif
