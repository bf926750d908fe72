/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as kernels see them: see tensor.h. */
#include "primitives/tensor.h"
#include "base/round.h"
#include "core/md_layout.h"
#include "runtimes/runtime.h"

/* Kernels cannot include the public headers; this checks that their constants are the same. */
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(TENSOR_DIMS, DNNL_MAX_NDIMS);
SAME(TYPE_F16, dnnl_f16);
SAME(TYPE_BF16, dnnl_bf16);
SAME(TYPE_F32, dnnl_f32);
SAME(TYPE_S32, dnnl_s32);
SAME(TYPE_S8, dnnl_s8);
SAME(TYPE_U8, dnnl_u8);
SAME(TYPE_F64, dnnl_f64);
SAME(TYPE_BOOLEAN, dnnl_boolean);
SAME(TYPE_F8_E5M2, dnnl_f8_e5m2);
SAME(TYPE_F8_E4M3, dnnl_f8_e4m3);
SAME(TYPE_S4, dnnl_s4);
SAME(TYPE_U4, dnnl_u4);
SAME(TYPE_E8M0, dnnl_e8m0);
SAME(TYPE_F4_E2M1, dnnl_f4_e2m1);
SAME(TYPE_F4_E3M0, dnnl_f4_e3m0);
SAME(TYPE_S64, dnnl_s64);
SAME(ELTWISE_RELU, dnnl_eltwise_relu);
SAME(ELTWISE_TANH, dnnl_eltwise_tanh);
SAME(ELTWISE_ELU, dnnl_eltwise_elu);
SAME(ELTWISE_SQUARE, dnnl_eltwise_square);
SAME(ELTWISE_ABS, dnnl_eltwise_abs);
SAME(ELTWISE_SQRT, dnnl_eltwise_sqrt);
SAME(ELTWISE_LINEAR, dnnl_eltwise_linear);
SAME(ELTWISE_SOFT_RELU, dnnl_eltwise_soft_relu);
SAME(ELTWISE_HARDSIGMOID, dnnl_eltwise_hardsigmoid);
SAME(ELTWISE_LOGISTIC, dnnl_eltwise_logistic);
SAME(ELTWISE_EXP, dnnl_eltwise_exp);
SAME(ELTWISE_GELU_TANH, dnnl_eltwise_gelu_tanh);
SAME(ELTWISE_SWISH, dnnl_eltwise_swish);
SAME(ELTWISE_LOG, dnnl_eltwise_log);
SAME(ELTWISE_CLIP, dnnl_eltwise_clip);
SAME(ELTWISE_CLIP_V2, dnnl_eltwise_clip_v2);
SAME(ELTWISE_POW, dnnl_eltwise_pow);
SAME(ELTWISE_GELU_ERF, dnnl_eltwise_gelu_erf);
SAME(ELTWISE_ROUND, dnnl_eltwise_round);
SAME(ELTWISE_MISH, dnnl_eltwise_mish);
SAME(ELTWISE_HARDSWISH, dnnl_eltwise_hardswish);
SAME(ELTWISE_RELU_DST, dnnl_eltwise_relu_use_dst_for_bwd);
SAME(ELTWISE_TANH_DST, dnnl_eltwise_tanh_use_dst_for_bwd);
SAME(ELTWISE_ELU_DST, dnnl_eltwise_elu_use_dst_for_bwd);
SAME(ELTWISE_SQRT_DST, dnnl_eltwise_sqrt_use_dst_for_bwd);
SAME(ELTWISE_LOGISTIC_DST, dnnl_eltwise_logistic_use_dst_for_bwd);
SAME(ELTWISE_EXP_DST, dnnl_eltwise_exp_use_dst_for_bwd);
SAME(ELTWISE_CLIP_V2_DST, dnnl_eltwise_clip_v2_use_dst_for_bwd);
SAME(BINARY_ADD, dnnl_binary_add);
SAME(BINARY_MUL, dnnl_binary_mul);
SAME(BINARY_MAX, dnnl_binary_max);
SAME(BINARY_MIN, dnnl_binary_min);
SAME(BINARY_DIV, dnnl_binary_div);
SAME(BINARY_SUB, dnnl_binary_sub);
SAME(BINARY_GE, dnnl_binary_ge);
SAME(BINARY_GT, dnnl_binary_gt);
SAME(BINARY_LE, dnnl_binary_le);
SAME(BINARY_LT, dnnl_binary_lt);
SAME(BINARY_EQ, dnnl_binary_eq);
SAME(BINARY_NE, dnnl_binary_ne);
SAME(BINARY_SELECT, dnnl_binary_select);

i32 eltwise_code(dnnl_alg_kind_t alg) {
    switch ((int)alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd: return ELTWISE_RELU;
    case dnnl_eltwise_tanh_use_dst_for_bwd: return ELTWISE_TANH;
    case dnnl_eltwise_elu_use_dst_for_bwd: return ELTWISE_ELU;
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return ELTWISE_SQRT;
    case dnnl_eltwise_logistic_use_dst_for_bwd: return ELTWISE_LOGISTIC;
    case dnnl_eltwise_exp_use_dst_for_bwd: return ELTWISE_EXP;
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return ELTWISE_CLIP;
    default: return (i32)alg;
    }
}

void tensor_init(struct tensor *tensor, const md_t *md) {
    *tensor = (struct tensor){.type = (i32)md->data_type,
                              .ndims = md->ndims,
                              .nblocks = md->blocking.inner_nblks,
                              .offset = md->offset0};
    for (int d = 0; d < md->ndims; d++) {
        tensor->dims[d] = md->dims[d];
        /* Tensors without blocks are broadcast by stride 0. */
        tensor->strides[d] = md->dims[d] == 1 ? 0 : md->blocking.strides[d];
    }
    for (int b = 0; b < md->blocking.inner_nblks; b++) {
        tensor->block_size[b] = (i32)md->blocking.inner_blks[b];
        tensor->block_dim[b] = (i32)md->blocking.inner_idxs[b];
    }
}

static void walk_loop(struct walk *walk, dnnl_dim_t size, dnnl_dim_t stride, int dim, dnnl_dim_t step) {
    walk->count *= size;
    if (size == 1) return;
    walk->loops[walk->nloops++] =
            (struct walk_loop){.size = size, .stride = stride, .dim = dim, .step = (i32)step};
}

static void walk_loops(struct walk *walk, const md_t *md) {
    dnnl_dims_t block;
    int order[DNNL_MAX_NDIMS];
    md_blocks(md, block);
    md_order(md, order);
    for (int i = 0; i < md->ndims; i++) {
        int d = order[i];
        walk_loop(walk, md->padded_dims[d] / block[d], md->blocking.strides[d], d, block[d]);
    }
    dnnl_dim_t stride = 1;
    for (int b = 0; b < md->blocking.inner_nblks; b++)
        stride *= md->blocking.inner_blks[b];
    for (int b = 0; b < md->blocking.inner_nblks; b++) {
        int d = (int)md->blocking.inner_idxs[b];
        dnnl_dim_t size = md->blocking.inner_blks[b];
        stride /= size, block[d] /= size;
        walk_loop(walk, size, stride, d, block[d]);
    }
}

struct range range_of_items(dnnl_dim_t items, size_t group) {
    return (struct range){.groups = {((size_t)items + group - 1) / group, 1, 1}, .group_size = {group, 1, 1}};
}

struct range range_of_groups(dnnl_dim_t x, dnnl_dim_t y, dnnl_dim_t z) {
    return (struct range){.groups = {(size_t)x, (size_t)y, (size_t)z}, .group_size = {1, 1, 1}};
}

size_t full_group(const struct device *device) {
    enum { GPU_GROUP = 64 };
    const struct device_info *info = &device->info;
    if (info->class == DEVICE_CPU) return 1;
    return info->largest_group && info->largest_group < GPU_GROUP ? info->largest_group : GPU_GROUP;
}

static dnnl_dim_t between(dnnl_dim_t low, dnnl_dim_t x, dnnl_dim_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Elements per work-item: an even number, so that 4-bit types come in whole bytes; few enough that all
 * compute units have work, but not so few that the start of a walk matters. */
static dnnl_dim_t cpu_span(const struct device_info *info, dnnl_dim_t count, dnnl_dim_t cost) {
    enum { MOST = 256, FEW = 64, WORK = 4096 };
    dnnl_dim_t most = between(FEW, count / info->compute_units, MOST);
    return between(1, WORK / (cost > 0 ? cost : 1) / 2, most / 2) * 2;
}

dnnl_dim_t work_of_item(const struct device *device, dnnl_dim_t elements) {
    enum { LEAST = 8192, MOST = 65536, ITEMS = 16, WHOLE = 1024 };
    return between(LEAST, elements / device->info.compute_units / ITEMS / WHOLE * WHOLE, MOST);
}

static dnnl_dim_t gpu_span(const struct device_info *info, dnnl_dim_t count, dnnl_dim_t cost) {
    enum { MOST = 8, CHEAP = 16, ITEMS = 1024 }; /* ITEMS: more than a compute unit has in flight */
    if (cost > CHEAP) return 2;
    return between(1, count / info->compute_units / ITEMS / 2, MOST / 2) * 2;
}

struct range walk_init(struct walk *walk, const md_t *md, const struct device *device) {
    return walk_init_cost(walk, md, device, 1);
}

void walk_cut(struct walk *walk, const md_t *md) {
    *walk = (struct walk){.ndims = md->ndims, .offset = md->offset0, .count = 1};
    for (int d = 0; d < md->ndims; d++)
        walk->dims[d] = md->dims[d];
    walk_loops(walk, md);
}

bool walk_distance(const md_t *md, int dim, dnnl_dim_t step, dnnl_dim_t size, i64 *stride) {
    dnnl_dims_t blocks;
    dnnl_dim_t inner = 1;
    int found = 0;
    md_blocks(md, blocks);
    if (step % blocks[dim] == 0) {
        *stride = md->blocking.strides[dim] * (step / blocks[dim]);
        return true;
    }
    for (int b = md->blocking.inner_nblks - 1; b >= 0; b--) {
        if (md->blocking.inner_idxs[b] == dim) {
            found++;
            *stride = inner * step;
        }
        inner *= md->blocking.inner_blks[b];
    }
    return found == 1 && step * size <= blocks[dim] && blocks[dim] % (step * size) == 0;
}

struct range walk_init_cost(struct walk *walk, const md_t *md, const struct device *device, dnnl_dim_t cost) {
    walk_cut(walk, md);
    bool cpu = device->info.class == DEVICE_CPU;
    walk->span = (cpu ? cpu_span : gpu_span)(&device->info, walk->count, cost);
    /* If the order of the walk is not that of the bytes, a single work-item must take all of them. */
    if (dt_bits(md->data_type) < 8 && (!md_is_dense(md, true) || md->offset0 % 2 != 0))
        walk->span = walk->count > 0 ? walk->count : 1;
    return range_of_items(divide_up(walk->count, walk->span), full_group(device));
}
