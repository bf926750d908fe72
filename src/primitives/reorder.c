/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders: creation and plans. From any type and layout to any other, with scales, zero points and a sum.
 */
#include "base/round.h"
#include "core/cross_device.h"
#include "primitives/epilogue.h"
#include "primitives/tensor.h"
#include "kernels/params_reorder.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/rnn.h"
#include "primitives/rows.h"
#include "runtimes/runtime.h"

static const char component[] = "reorder";

static const struct attr_rules rules = {
        .parts = ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS | ATTR_RNN,
        .quant_types = true,
        .post_ops = BIT(dnnl_sum),
};

static bool has_groups(const struct quant *quant) {
    return quant && quant->group_ndims > 0;
}

/* Scales are for src and dst; groups divide every dimension of src that has more than one value. */
static dnnl_status_t check_scales(const attr_t *attr, const md_t *src) {
    const struct quant *of_src = quants_find(&attr->scales, DNNL_ARG_SRC);
    const struct quant *of_dst = quants_find(&attr->scales, DNNL_ARG_DST);
    SUPPORT(ONLY_FOR(&attr->scales, DNNL_ARG_SRC, DNNL_ARG_DST), "scales of another argument");
    REQUIRE(!has_groups(of_dst), "groups of scales for dst");
    REQUIRE((!of_src && !of_dst) || !in_set(TYPES_INT4, src->data_type) || (of_src && of_src->mask > 0),
            "4-bit integers with scales, but not several of src");
    if (!has_groups(of_src)) return dnnl_success;
    int first = src->ndims - of_src->group_ndims;
    for (int i = 0; i < of_src->group_ndims; i++) {
        REQUIRE((of_src->mask & (1 << (first + i))) != 0,
                "groups of scales along a dimension without scales");
        REQUIRE(src->dims[first + i] % of_src->groups[i] == 0, "groups that do not divide the dimension");
    }
    return dnnl_success;
}

static dnnl_status_t check_zero_points(const attr_t *attr, const md_t *src, const md_t *dst) {
    const uint64_t integers = TYPES_INT8 | TYPES_INT4 | BIT(dnnl_s32) | BIT(dnnl_s64);
    REQUIRE(!quants_find(&attr->zero_points, DNNL_ARG_SRC) || in_set(integers, src->data_type),
            "a zero point of src, whose type has none");
    REQUIRE(!quants_find(&attr->zero_points, DNNL_ARG_DST) || in_set(integers, dst->data_type),
            "a zero point of dst, whose type has none");
    return dnnl_success;
}

static dnnl_status_t check_sum(const attr_t *attr) {
    const struct dnnl_post_ops *ops = &attr->post_ops;
    SUPPORT(ops->len <= 1, "more than one post-op");
    SUPPORT(ops->len == 0 || ops->entries[0].kind == dnnl_sum, "a post-op that is not a sum");
    SUPPORT(ops->len == 0
                    || (ops->entries[0].sum.zero_point == 0
                        && ops->entries[0].sum.data_type == dnnl_data_type_undef),
            "a sum with a zero point or in another type");
    return dnnl_success;
}

static dnnl_status_t check_attributes(const struct dnnl_engine *engine, const attr_t *attr, const md_t *src,
                                      const md_t *dst) {
    TRY(check_attr(component, engine, attr, &rules));
    if (attr_is_default(attr)) return dnnl_success;
    TRY(check_zero_points(attr, src, dst));
    TRY(check_scales(attr, src));
    return check_sum(attr);
}

/* Run-time sizes must be run-time values in both src and dst. */
static dnnl_status_t check_descriptors(const md_t *src, const md_t *dst) {
    REQUIRE(src && dst, "src or dst is NULL");
    REQUIRE(!md_is_any(src) && !md_is_any(dst), "the layout of src or dst is undefined");
    TRY(check_same_dims(component, "src", src, "dst", dst));
    SUPPORT((md_is_blocked(src) || md_is_winograd(src)) && (md_is_blocked(dst) || md_is_winograd(dst)),
            "a layout that is not blocked");
    return dnnl_success;
}

static dnnl_status_t check_sizes(const struct problem *problem) {
    return check_same_dims(component, "src", problem_md(problem, DNNL_ARG_FROM), "dst",
                           problem_md(problem, DNNL_ARG_TO));
}

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *pd, const_dnnl_memory_desc_t src,
                                                 dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst,
                                                 dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attr) {
    REQUIRE(pd && src_engine && dst_engine, "an argument is NULL");
    TRY(check_descriptors(src, dst));
    dnnl_engine_t engine = engine_between(src_engine, dst_engine);
    TRY(check_attributes(engine, attr, src, dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_reorder, 2));
    problem_add(&problem, DNNL_ARG_FROM, false, src);
    problem_add(&problem, DNNL_ARG_TO, true, dst);
    problem.check_sizes = check_sizes;
    TRY(create_desc(component, pd, engine, &problem, attr));
    primitive_desc_set_engines(*pd, src_engine, dst_engine);
    return dnnl_success;
}

static bool is_integer(dnnl_data_type_t type) {
    return in_set(TYPES_INT8 | TYPES_INT4 | BIT(dnnl_s32) | BIT(dnnl_s64), type);
}

static i32 travel_of(const struct plan *plan, const md_t *src, const md_t *dst) {
    if (!attr_is_default(&plan->attr)) return REORDER_FLOAT;
    if (src->data_type == dst->data_type) return REORDER_BITS;
    return is_integer(src->data_type) && is_integer(dst->data_type) ? REORDER_INTEGER : REORDER_CONVERT;
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct epilogue_build ep;
    if (!attr_only_has(&plan->attr, ~(unsigned)ATTR_RNN)) return plan_skip(plan, "scales of networks");
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM);
    struct launch *launch;
    struct walk walk;
    struct range range = walk_init(&walk, &ep.dst, plan->device);
    struct reorder_params *p = plan_launch(plan, &kernel_reorder_universal, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->walk = walk;
    p->travel = travel_of(plan, src, &ep.dst);
    p->bits = dt_bits(ep.dst.data_type);
    tensor_init(&p->src, src);
    launch_bind(launch, DNNL_ARG_FROM);
    TRY(epilogue_zero_point(&ep, &p->src_zero_point, DNNL_ARG_FROM, NULL));
    TRY(epilogue_scale(&ep, &p->epilogue.src_scale, DNNL_ARG_FROM, NULL));
    return epilogue_end(&ep, launch, &p->epilogue);
}

/* Tiles: the two layouts as loops with a stride in src and a stride in dst. */

struct loops {
    int count;
    struct tile_loop loops[WALK_LOOPS];
    dnnl_dims_t limits;
    bool pads[DNNL_MAX_NDIMS];
};

/* The inner blocks of a dimension with their strides, outermost first. */
enum { INNER_BLOCKS = 2 };
struct inner_blocks {
    int count; /* -1: too many */
    dnnl_dim_t size[INNER_BLOCKS], stride[INNER_BLOCKS], all;
};

static struct inner_blocks inner_blocks(const md_t *md, int d) {
    struct inner_blocks blocks = {.all = 1};
    dnnl_dim_t stride = 1;
    for (int b = md->blocking.inner_nblks - 1; b >= 0; b--) {
        dnnl_dim_t size = md->blocking.inner_blks[b];
        if (md->blocking.inner_idxs[b] == d) {
            if (blocks.count == INNER_BLOCKS) return (struct inner_blocks){.count = -1};
            for (int i = blocks.count++; i > 0; i--)
                blocks.size[i] = blocks.size[i - 1], blocks.stride[i] = blocks.stride[i - 1];
            blocks.size[0] = size, blocks.stride[0] = stride;
            blocks.all *= size;
        }
        stride *= size;
    }
    return blocks;
}

static void add_loop(struct loops *l, struct tile_loop loop) {
    if (loop.size != 1) l->loops[l->count++] = loop;
}

/* The stride of block i of a dimension in a tensor that has these blocks, or none. */
static dnnl_dim_t stride_of_block(const md_t *md, int d, const struct inner_blocks *own, int i,
                                  dnnl_dim_t step) {
    return own->count > 0 ? own->stride[i] : md->blocking.strides[d] * step;
}

static void add_blocks(struct loops *l, const md_t *src, const md_t *dst, int d,
                       const struct inner_blocks *of_src, const struct inner_blocks *of_dst) {
    const struct inner_blocks *blocks = of_src->count > 0 ? of_src : of_dst;
    dnnl_dim_t step = blocks->all, outer = divide_up(src->dims[d], step);
    l->limits[d] = src->dims[d];
    l->pads[d] = of_dst->count > 0;
    add_loop(l, (struct tile_loop){outer, src->blocking.strides[d] * (of_src->count > 0 ? 1 : step),
                                   dst->blocking.strides[d] * (of_dst->count > 0 ? 1 : step), d, (i32)step});
    for (int i = 0; i < blocks->count; i++) {
        step /= blocks->size[i];
        add_loop(l, (struct tile_loop){blocks->size[i], stride_of_block(src, d, of_src, i, step),
                                       stride_of_block(dst, d, of_dst, i, step), d, (i32)step});
    }
}

/* The stride of the part of a large block that is a small one, or of the blocks if they are small. */
static dnnl_dim_t stride_of_part(const md_t *md, int d, const struct inner_blocks *own, dnnl_dim_t small) {
    return own->all == small ? md->blocking.strides[d] : own->stride[0] * small;
}

/* A block in each, of which one is a multiple of the other, and no padding. */
static bool add_nested_blocks(struct loops *l, const md_t *src, const md_t *dst, int d,
                              const struct inner_blocks *of_src, const struct inner_blocks *of_dst) {
    const bool larger = of_dst->all > of_src->all;
    const dnnl_dim_t large = larger ? of_dst->all : of_src->all, small = larger ? of_src->all : of_dst->all;
    if (large % small != 0 || src->dims[d] % large != 0) return false;
    add_loop(l, (struct tile_loop){src->dims[d] / large, src->blocking.strides[d] * (large / of_src->all),
                                   dst->blocking.strides[d] * (large / of_dst->all), TENSOR_DIMS, 1});
    add_loop(l, (struct tile_loop){large / small, stride_of_part(src, d, of_src, small),
                                   stride_of_part(dst, d, of_dst, small), TENSOR_DIMS, 1});
    add_loop(l, (struct tile_loop){small, of_src->stride[0], of_dst->stride[0], TENSOR_DIMS, 1});
    return true;
}

static bool add_dimension(struct loops *l, const md_t *src, const md_t *dst, int d) {
    const struct inner_blocks of_src = inner_blocks(src, d), of_dst = inner_blocks(dst, d);
    if (of_src.count < 0 || of_dst.count < 0) return false;
    if (of_src.count > 0 && of_dst.count > 0 && (of_src.count > 1 || of_dst.count > 1)) return false;
    if (of_src.count == 0 && of_dst.count == 0) {
        add_loop(l, (struct tile_loop){src->dims[d], src->blocking.strides[d], dst->blocking.strides[d],
                                       TENSOR_DIMS, 1});
        return true;
    }
    if (src->dims[d] > INT32_MAX) return false; /* reorder_items uses 32-bit positions */
    if (of_src.count > 0 && of_dst.count > 0 && of_src.all != of_dst.all)
        return add_nested_blocks(l, src, dst, d, &of_src, &of_dst);
    add_blocks(l, src, dst, d, &of_src, &of_dst);
    return true;
}

static void sort_by_dst(struct loops *l) {
    for (int i = 1; i < l->count; i++)
        for (int k = i; k > 0 && l->loops[k].dst_stride > l->loops[k - 1].dst_stride; k--) {
            struct tile_loop moved = l->loops[k];
            l->loops[k] = l->loops[k - 1];
            l->loops[k - 1] = moved;
        }
}

/* Adjacent loops that are contiguous in both src and dst become one loop. */
static void merge_loops(struct loops *l) {
    int count = 0;
    for (int i = 0; i < l->count; i++) {
        struct tile_loop *inner = &l->loops[i], *outer = &l->loops[count > 0 ? count - 1 : 0];
        bool merge = count > 0 && inner->dim == TENSOR_DIMS && outer->dim == TENSOR_DIMS
                     && outer->src_stride == inner->src_stride * inner->size
                     && outer->dst_stride == inner->dst_stride * inner->size;
        if (merge)
            *outer = (struct tile_loop){inner->size * outer->size, inner->src_stride, inner->dst_stride,
                                        TENSOR_DIMS, 1};
        else
            l->loops[count++] = *inner;
    }
    l->count = count;
}

static const struct tile_loop one_step = {1, 0, 0, TENSOR_DIMS, 1};

static struct tile_loop take_loop(struct loops *l, int index) {
    if (index < 0) return one_step;
    struct tile_loop taken = l->loops[index];
    for (int i = index; i + 1 < l->count; i++)
        l->loops[i] = l->loops[i + 1];
    l->count--;
    return taken;
}

static int dense_in_src(const struct loops *l) {
    for (int i = 0; i < l->count; i++)
        if (l->loops[i].src_stride == 1) return i;
    return -1;
}

/* The loop around x in a tile: the one that is dense in src, unless x is dense there. Otherwise the next one
 * in dst, except the outer loop of x's own dimension, because the end of x would depend on it. */
static int choose_y(const struct loops *l, const struct tile_loop *x) {
    int y = x->src_stride == 1 ? -1 : dense_in_src(l);
    if (y >= 0) return y;
    for (y = l->count - 1; y >= 0; y--)
        if (l->loops[y].dim == TENSOR_DIMS || l->loops[y].dim != x->dim) break;
    return y;
}

/* The loop around y: where short runs of src continue, so that whole lines of the cache are read; otherwise
 * the next one in dst. */
static int choose_z(const struct loops *l, const struct tile_loop *dense) {
    enum { SHORT = 64 };
    if (dense->src_stride == 1 && dense->size < SHORT)
        for (int z = 0; z < l->count; z++)
            if (l->loops[z].src_stride == dense->size) return z;
    return l->count - 1;
}

static dnnl_dim_t at_most(dnnl_dim_t a, dnnl_dim_t b) {
    return a < b ? a : b;
}

static dnnl_dim_t share(dnnl_dim_t elements, dnnl_dim_t of) {
    return elements > of ? elements / of : 1;
}

/* Cuts a loop into equal tiles of at most `most` steps, or a few more: whole vectors. */
static dnnl_dim_t tile_of(const struct tile_loop *loop, dnnl_dim_t most) {
    enum { LANES = 16 };
    if (loop->size <= most || most < LANES) return at_most(loop->size, most);
    return divide_up(divide_up(loop->size, divide_up(loop->size, most)), LANES) * LANES;
}

/* The elements of a row of dst that are transposed together: several lines of the cache, if as many of src
 * can be, too. */
static dnnl_dim_t side_of_tile(dnnl_dim_t work, int bits) {
    enum { LEAST = 64, MOST_BITS = 2048 };
    const dnnl_dim_t side = MOST_BITS / bits;
    return side > LEAST && side * side <= work ? side : LEAST;
}

/* Tiles of about `work` elements. If one loop is dense in src and another in dst, tiles have whole cache
 * lines of both. */
static void fill_tiles(struct reorder_tiles_params *p, struct loops *l, dnnl_dim_t work, int bits) {
    int last = l->count - 1;
    p->x = take_loop(l, last >= 0 && l->loops[last].dst_stride == 1 ? last : -1);
    p->y = take_loop(l, choose_y(l, &p->x));
    p->transpose = p->y.src_stride == 1 && p->x.src_stride != 1;
    p->z = take_loop(l, choose_z(l, p->transpose ? &p->y : &p->x));
    p->tile_x = p->transpose ? side_of_tile(work, bits) : tile_of(&p->x, work);
    p->tile_y = tile_of(&p->y, share(work, at_most(p->x.size, p->tile_x)));
    p->tile_z = share(work, at_most(p->x.size, p->tile_x) * p->tile_y);
    p->nouter = l->count;
    for (int i = 0; i < l->count; i++)
        p->loops[i] = l->loops[i];
    for (int d = 0; d <= TENSOR_DIMS; d++) {
        p->limits[d] = d < TENSOR_DIMS && l->limits[d] ? l->limits[d] : INT64_MAX;
        p->pads[d] = d < TENSOR_DIMS && l->pads[d];
    }
}

/* Tiles of results that bypass the caches: rows of src without a gap between them, which are read in the
 * order of the memory, and two lines of dst of each column. Half of the L2 cache must hold them. */
static void take_whole_rows(struct reorder_tiles_params *p, size_t cache, int bits) {
    enum { LINES = 2, LINE_BITS = 512, PAGE = 4096, LEAST = 1 << 16 };
    const dnnl_dim_t side = LINES * LINE_BITS / bits, bytes = side * p->y.size * bits / 8;
    if (!p->transpose || p->x.size < side || p->x.src_stride != p->y.size) return;
    if (p->y.dst_stride * bits / 8 > PAGE || bytes < LEAST || (size_t)bytes > cache / 2) return;
    p->tile_x = side;
    p->tile_y = p->y.size;
    p->tile_z = 1;
}

static size_t tiles(const struct tile_loop *loop, dnnl_dim_t tile) {
    return (size_t)divide_up(loop->size, tile);
}

static struct range tiles_range(const struct reorder_tiles_params *p) {
    size_t outer = 1;
    for (int i = 0; i < p->nouter; i++)
        outer *= (size_t)p->loops[i].size;
    return (struct range){
            .groups = {tiles(&p->x, p->tile_x), tiles(&p->y, p->tile_y) * tiles(&p->z, p->tile_z), outer},
            .group_size = {1, 1, 1}};
}

/* Both layouts as loops, from the outermost of dst to the innermost. False: inner blocks do not match, or
 * there are too many. */
static bool find_loops(struct loops *l, const md_t *src, const md_t *dst) {
    *l = (struct loops){0};
    for (int d = 0; d < src->ndims; d++)
        if (!add_dimension(l, src, dst, d)) return false;
    sort_by_dst(l);
    merge_loops(l);
    return true;
}

static dnnl_status_t plan_loops(const struct plan *plan, struct loops *l) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    if (!find_loops(l, src, dst)) return plan_skip(plan, "inner blocks do not match, or there are too many");
    return dnnl_success;
}

bool copies_rows(const md_t *from, const md_t *to, struct copied_rows *copied) {
    struct loops l;
    if (from->data_type != to->data_type || !find_loops(&l, from, to) || l.count != 2) return false;
    const struct tile_loop *outer = &l.loops[0], *inner = &l.loops[1];
    *copied = (struct copied_rows){outer->size, inner->size, outer->src_stride, outer->dst_stride};
    return outer->dim == TENSOR_DIMS && inner->dim == TENSOR_DIMS && inner->src_stride == 1
           && inner->dst_stride == 1;
}

/* Both layouts as tiles. */
static dnnl_status_t plan_tiles(struct plan *plan, struct reorder_tiles_params *tiled) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    struct loops l;
    *tiled = (struct reorder_tiles_params){.src_offset = src->offset0, .dst_offset = dst->offset0};
    TRY(plan_loops(plan, &l));
    if (md_nelems(dst, true) == 0) return dnnl_success;
    fill_tiles(tiled, &l, work_of_item(plan->device, md_nelems(dst, true)), dt_bits(dst->data_type));
    if (src->data_type == dst->data_type && md_size(dst, 0) >= plan_cache(plan))
        take_whole_rows(tiled, plan->device->info.cache_bytes[1], dt_bits(dst->data_type));
    return dnnl_success;
}

static dnnl_status_t launch_tiles(struct plan *plan, const struct kernel *kernel,
                                  const struct reorder_tiles_params *tiled) {
    if (md_nelems(problem_md(&plan->problem, DNNL_ARG_TO), true) == 0) return dnnl_success;
    struct launch *launch;
    struct reorder_tiles_params *p = plan_launch(plan, kernel, tiles_range(tiled), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *tiled;
    launch_bind(launch, DNNL_ARG_FROM);
    launch_bind(launch, DNNL_ARG_TO);
    launch_may_stream_to(launch, DNNL_ARG_TO, &p->streams);
    return dnnl_success;
}

/* The row's data is the kernel, whose elements have as many bits. */
static dnnl_status_t build_tiles(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    struct reorder_tiles_params tiled;
    TRY(plan_takes(plan, kernel));
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    if (src->data_type != dst->data_type
        || dt_bits(src->data_type) != (kernel == &kernel_x64_reorder_tiles ? 64 : 32))
        return plan_skip(plan, "src and dst are not of the same type with this number of bits");
    TRY(plan_tiles(plan, &tiled));
    return launch_tiles(plan, kernel, &tiled);
}

/* True if converting through f32 gives the same result as converting directly. */
static bool converts(dnnl_data_type_t src, dnnl_data_type_t dst) {
    const uint64_t types =
            BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s32) | TYPES_INT8 | TYPES_FP8;
    return src != dst && in_set(types, src) && in_set(types, dst);
}

static dnnl_status_t build_converting_tiles(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    struct reorder_tiles_params tiled;
    int bits = dt_bits(dst->data_type);
    bool copies = src->data_type == dst->data_type && (bits == 8 || bits == 16);
    TRY(plan_takes(plan, &kernel_convert_tiles));
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    if (!copies && !converts(src->data_type, dst->data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    TRY(plan_tiles(plan, &tiled));
    tiled.src_type = (i32)src->data_type;
    tiled.dst_type = (i32)dst->data_type;
    tiled.dst_bits = bits;
    tiled.copy_bits = copies ? bits : 0;
    tiled.groups = copies && tiled.transpose && tiled.x.size * bits == 32
                   && tiled.y.dst_stride * bits % 32 == 0 && dst->offset0 * bits % 32 == 0;
    return launch_tiles(plan, &kernel_convert_tiles, &tiled);
}

/* One element at a time. */

/* False: too many elements, or too many dimensions with blocks, for the kernel. */
static bool fill_items(struct reorder_items_params *p, const struct loops *l) {
    int number[TENSOR_DIMS + 1], numbered = 0;
    uint64_t count = 1;
    for (int d = 0; d <= TENSOR_DIMS; d++) {
        number[d] = REORDER_BLOCKED;
        if (d == TENSOR_DIMS || !l->limits[d]) continue;
        if (numbered == REORDER_BLOCKED) return false;
        p->limits[numbered] = (i32)l->limits[d];
        p->pads[numbered] = l->pads[d] ? -1 : 0;
        number[d] = numbered++;
    }
    for (int n = numbered; n < REORDER_BLOCKED; n++)
        p->limits[n] = INT32_MAX;
    p->nloops = l->count;
    for (int i = 0; i < l->count; i++) {
        const struct tile_loop *loop = &l->loops[i];
        if (loop->size > INT32_MAX || (count *= (uint64_t)loop->size) > INT32_MAX) return false;
        p->loops[i] = (struct item_loop){loop->src_stride,  loop->dst_stride, (u32)loop->size,
                                         number[loop->dim], loop->step,       0};
    }
    p->count = (u32)count;
    return true;
}

static dnnl_status_t launch_items(struct plan *plan, const struct reorder_items_params *made) {
    enum { MOST = 8, ITEMS = 1024 };
    struct launch *launch;
    dnnl_dim_t span = at_most(share(made->count, plan->device->info.compute_units * ITEMS), MOST);
    struct range range = range_of_items(divide_up(made->count, span), full_group(plan->device));
    struct reorder_items_params *p = plan_launch(plan, &kernel_reorder_items, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, DNNL_ARG_FROM);
    launch_bind(launch, DNNL_ARG_TO);
    return dnnl_success;
}

static dnnl_status_t build_items(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    struct loops l;
    int bits = dt_bits(dst->data_type);
    bool copies = src->data_type == dst->data_type && bits >= 8;
    struct reorder_items_params made = {.src_type = (i32)src->data_type,
                                        .dst_type = (i32)dst->data_type,
                                        .dst_bits = bits,
                                        .copy_bits = copies ? bits : 0,
                                        .src_offset = src->offset0,
                                        .dst_offset = dst->offset0};
    TRY(plan_takes(plan, &kernel_reorder_items));
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    if (!copies && !converts(src->data_type, dst->data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    TRY(plan_loops(plan, &l));
    if (md_nelems(dst, true) == 0) return dnnl_success;
    if (!fill_items(&made, &l)) return plan_skip(plan, "too many elements or dimensions with blocks");
    return launch_items(plan, &made);
}

/* Through f32, with any attributes. */
static dnnl_status_t build_rows(struct plan *plan) {
    struct rows rows;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM),
               *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    i32 travel = travel_of(plan, src, dst);
    bool whole = src->data_type == dnnl_s64 || dst->data_type == dnnl_s64; /* more digits than a float has */
    if (!attr_only_has(&plan->attr, ~(unsigned)ATTR_RNN)) return plan_skip(plan, "scales of networks");
    if (travel == REORDER_BITS || (travel == REORDER_INTEGER && whole))
        return plan_skip(plan, "elements that are not computed as f32");
    if (dt_bits(dst->data_type) < 8) return plan_skip(plan, "elements of dst of less than a byte");
    rows_begin(&rows, plan, DNNL_ARG_TO);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_FROM), ROW_NONE);
    int zero_point = rows_zero_point(&rows, DNNL_ARG_FROM, NULL);
    if (zero_point != ROW_NONE) rows_binary(&rows, dnnl_binary_sub, zero_point, ROW_NONE, ROW_NONE);
    int scale = rows_scale(&rows, DNNL_ARG_FROM, NULL);
    if (scale != ROW_NONE) rows_binary(&rows, dnnl_binary_mul, scale, ROW_NONE, ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

/* Groups of 32 bits, the layout of packed weights. */
static bool has_groups_of_32(const md_t *md) {
    const int bits = dt_bits(md->data_type), last = md->blocking.inner_nblks - 1;
    return last >= 0 && bits >= 8 && md->blocking.inner_blks[last] * bits == 32;
}

/* Is dst dense where src is not? */
static bool turns(const struct loops *l) {
    if (l->count == 0) return false;
    const struct tile_loop *last = &l->loops[l->count - 1];
    return last->dst_stride == 1 && last->src_stride != 1 && dense_in_src(l) >= 0;
}

/* Is it faster to convert and to move apart? The smaller type is what is moved. */
static bool is_small(const md_t *md, bool converts_first) {
    const int bits = dt_bits(md->data_type);
    return bits == 8 || (bits == 16 && converts_first);
}

/* Elements that change their value or type and their places, too: a launch that does both reads against the
 * order of the memory. Small elements of dst are converted in the layout of src first, then moved; small ones
 * of src are moved, then converted. */
static dnnl_status_t build_apart(struct plan *plan) {
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_FROM),
               dst = *problem_md(&plan->problem, DNNL_ARG_TO);
    const bool converts_first = dt_bits(dst.data_type) <= dt_bits(src.data_type);
    const md_t *kept = converts_first ? &src : &dst, *small = converts_first ? &dst : &src;
    md_t between;
    struct loops l;
    TRY(plan_takes(plan, &kernel_convert_tiles));
    if (src.data_type == dst.data_type && attr_is_default(&plan->attr))
        return plan_skip(plan, "elements keep their values and type");
    if (!attr_only_has(&plan->attr, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_GROUPS))
        return plan_skip(plan, "a sum, or scales of networks");
    if (!is_small(small, converts_first)) return plan_skip(plan, "neither src nor dst has small elements");
    if (!md_is_plain(kept) || !md_is_dense(kept, false))
        return plan_skip(plan, "the tensor of the larger type is not plain and dense");
    TRY(plan_loops(plan, &l));
    if (!turns(&l) && !(converts_first && has_groups_of_32(&dst)))
        return plan_skip(plan, "src and dst are dense along the same dimension");
    TRY(epilogue_add_arguments(plan, &dst));
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    TRY(md_init_by_strides(&between, kept->ndims, kept->dims, small->data_type, kept->blocking.strides));
    plan_place(plan, &between);
    const attr_t *attr = &plan->attr;
    TRY(append_reorder(plan, DNNL_ARG_FROM, &src, ARG_SCRATCHPAD, &between, converts_first ? attr : NULL));
    return append_reorder(plan, ARG_SCRATCHPAD, &between, DNNL_ARG_TO, &dst, converts_first ? NULL : attr);
}

/* Takes away the innermost block if that is a pair of 16-bit values of the dimension around all blocks, as in
 * "AcdB32a2b": in a tensor of our own, one of the pair then follows the other, as in "Acdb32a". */
static bool ungroup(md_t *md) {
    const int last = md->blocking.inner_nblks - 1, d = last < 0 ? 0 : (int)md->blocking.inner_idxs[last];
    if (last < 1 || dt_bits(md->data_type) != 16 || md->blocking.inner_blks[last] != 2) return false;
    dnnl_dim_t inner = 2;
    for (int i = 0; i < last; i++) {
        if (md->blocking.inner_idxs[i] == d) return false;
        inner *= md->blocking.inner_blks[i];
    }
    if (md->blocking.strides[d] != inner) return false;
    md->blocking.inner_nblks = last;
    md->blocking.strides[d] /= 2;
    md->padded_dims[d] = md->dims[d];
    return true;
}

/* Between layouts of packed weights whose pairs are of different dimensions: large tiles without pairs. */
static dnnl_status_t build_regrouped(struct plan *plan) {
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_FROM),
               dst = *problem_md(&plan->problem, DNNL_ARG_TO);
    md_t from = src, to = dst;
    TRY(plan_takes(plan, &kernel_convert_tiles));
    if (src.data_type != dst.data_type || !attr_is_default(&plan->attr))
        return plan_skip(plan, "elements change their type, or attributes");
    if (!ungroup(&from) || !ungroup(&to))
        return plan_skip(plan, "src or dst has no pairs of 16 bits around its blocks");
    if (from.blocking.inner_idxs[from.blocking.inner_nblks]
        == to.blocking.inner_idxs[to.blocking.inner_nblks])
        return plan_skip(plan, "pairs are of the same dimension");
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    plan_place(plan, &from);
    plan_place(plan, &to);
    TRY(append_reorder(plan, DNNL_ARG_FROM, &src, ARG_SCRATCHPAD, &from, NULL));
    TRY(append_reorder(plan, ARG_SCRATCHPAD, &from, ARG_SCRATCHPAD, &to, NULL));
    return append_reorder(plan, ARG_SCRATCHPAD, &to, DNNL_ARG_TO, &dst, NULL);
}

const struct implementation reorder_implementations[] = {
        {"rnn_reorder_rows", rnn_build_reorder, NULL},
        {"x32_reorder_tiles", build_tiles, &kernel_x32_reorder_tiles},
        {"x64_reorder_tiles", build_tiles, &kernel_x64_reorder_tiles},
        {"reorder_apart", build_apart, NULL},
        {"reorder_regrouped", build_regrouped, NULL},
        {"reorder_rows", build_rows, NULL},
        {"convert_tiles", build_converting_tiles, NULL},
        {"reorder_items", build_items, NULL},
        {"reorder_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};

/* The execution arguments of the two tensors of a reorder that is a part of another plan. */
struct ends {
    int from, to;
};

/* Attributes of an end in scratchpad are those of the whole plan. */
static int whole_arg(int arg, const void *data) {
    const struct ends *ends = data;
    const int kinds = DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS, kind = arg & kinds,
              end = arg & ~kinds;
    if (end != DNNL_ARG_FROM && end != DNNL_ARG_TO) return arg;
    const int whole = end == DNNL_ARG_FROM ? ends->from : ends->to;
    return kind && whole == ARG_SCRATCHPAD ? arg : kind | whole;
}

dnnl_status_t append_reorder(struct plan *plan, int from_arg, const md_t *from, int to_arg, const md_t *to,
                             const attr_t *attr) {
    const struct ends ends = {from_arg, to_arg};
    struct problem problem;
    attr_t none;
    TRY(problem_init(&problem, dnnl_reorder, 2));
    problem_add(&problem, DNNL_ARG_FROM, false, from);
    problem_add(&problem, DNNL_ARG_TO, true, to);
    attr_init(&none);
    dnnl_status_t status =
            plan_append(plan, reorder_implementations, &problem, attr ? attr : &none, whole_arg, &ends);
    attr_clear(&none);
    problem_clear(&problem);
    return status;
}
