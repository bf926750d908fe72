/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix products of doubles: see gemm.h and kernels/f64_gemm.cl. Also sums of doubles, and
 * matmul with tensors that the kernels do not read, or read better transposed.
 */
#include "base/round.h"
#include "base/verbose.h"
#include "kernels/params_f64.h"
#include "kernels/params_gemm.h"
#include "primitives/apart.h"
#include "primitives/check.h"
#include "primitives/f64.h"
#include "primitives/gemm.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

#include <stdio.h>

const struct gemm_tile_shape gemm_f64_14x16 = {&gemm_f64, 14, 16, &kernel_f64_gemm_14x16, NULL, NULL};
const struct gemm_tile_shape gemm_f64_6x8 = {&gemm_f64, 6, 8, &kernel_f64_gemm_6x8, NULL, NULL};
const struct gemm_tile_shape gemm_f64_depthwise_6x16 = {&gemm_f64, 6,   16, &kernel_f64_depthwise_6x16,
                                                        NULL,      NULL};
static const struct gemm_tile_shape dot_16x8 = {
        &gemm_f64, F64_DOT_HEIGHT, F64_DOT_WIDTH, &kernel_f64_dot_16x8, NULL, NULL};

/* One f32 scale of src, and one of weights for each output. Those of dst are launches that follow. */
static bool takes_scale(const struct plan *plan, const struct quant *scale) {
    const int channel = problem_md(&plan->problem, DNNL_ARG_DST)->ndims - 1;
    if (scale->arg == DNNL_ARG_DST) return true;
    if (plan->problem.kind != dnnl_matmul || scale->group_ndims > 0) return false;
    if (!scale->host_scalar && scale->data_type != dnnl_f32) return false;
    return scale->mask == 0 || (scale->arg == DNNL_ARG_WEIGHTS && scale->mask == 1 << channel);
}

static dnnl_status_t accepts(const struct plan *plan) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
        const md_t *md = problem_md(&plan->problem, args[i]);
        if (md && md->data_type != dnnl_f64) return plan_skip(plan, "a tensor is not f64");
    }
    if (!attr_only_has(&plan->attr, ATTR_POST_OPS | ATTR_SCALES | ATTR_FPMATH | ATTR_ACCUMULATION))
        return plan_skip(plan, "attributes other than post-ops and scales");
    for (int i = 0; i < plan->attr.scales.count; i++)
        if (!takes_scale(plan, &plan->attr.scales.entries[i]))
            return plan_skip(plan, "scales that change with rows, or within a sum");
    return dnnl_success;
}

/* Weights that are dense along the reduction are not packed for few rows. */
static const struct gemm_tile_shape *tile_for(const struct plan *plan, const struct gemm_view *view) {
    return view->weights_depth == 1 ? &dot_16x8 : gemm_tile_of(plan);
}

static dnnl_status_t launch(struct epilogue_build *ep, struct gemm_view *view) {
    const struct gemm_tile_shape *tile = tile_for(ep->plan, view);
    const struct range range = gemm_range(view, tile, divide_up(view->columns, tile->height));
    struct launch *launch;
    struct gemm_params *p = plan_launch(ep->plan, tile->kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    gemm_fill(p, view, tile);
    launch_bind(launch, view->src.arg);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, view->bias.arg);
    TRY(gemm_find_scales(ep, &p->epilogue));
    TRY(epilogue_end(ep, launch, &p->epilogue));
    gemm_describe_end(&p->epilogue, &p->scaled, &p->finished);
    return dnnl_success;
}

const struct gemm_type gemm_f64 = {.bytes = sizeof(double),
                                   .quad = 1,
                                   .accepts = accepts,
                                   .launch = launch,
                                   .reads = dnnl_f64,
                                   .dot = F64_DOT_WIDTH};

/* matmul. */

static bool is_read(const md_t *md, bool rows) {
    return md_is_any(md) || (rows ? gemm_has_rows(md) : md_is_plain(md));
}

dnnl_status_t f64_build_moved_matmul(struct plan *plan) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    struct moved moved = {.plan = plan};
    TRY(plan_takes(plan, &kernel_f64_gemm_6x8));
    TRY(accepts(plan));
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
        const md_t *md = problem_md(&plan->problem, args[i]);
        char plain[DNNL_MAX_NDIMS + 1];
        if (is_read(md, args[i] == DNNL_ARG_DST)) continue;
        if (!md_is_blocked(md)) return plan_skip(plan, "a layout is not blocked");
        snprintf(plain, sizeof plain, "%.*s", md->ndims, "abcdefghijkl");
        TRY(moved_add(&moved, args[i], dnnl_f64, plain));
    }
    if (moved.count == 0) return plan_skip(plan, "the layouts of src, weights and dst are read as they are");
    return moved_build(&moved, matmul_implementations);
}

/* The transpose of a product is that of the transposed operands in the other order. */

static dnnl_status_t transpose(md_t *to, const md_t *from) {
    int order[DNNL_MAX_NDIMS];
    for (int d = 0; d < from->ndims; d++)
        order[d] = d;
    order[from->ndims - 2] = from->ndims - 1, order[from->ndims - 1] = from->ndims - 2;
    return md_permute(to, from, order);
}

static bool has_columns(const md_t *md) {
    return md_is_plain(md) && !gemm_has_rows(md) && md->blocking.strides[md->ndims - 2] == 1;
}

static int exchanged_arg(int arg, const void *data) {
    const int scales = arg & DNNL_ARG_ATTR_SCALES, of = arg & ~DNNL_ARG_ATTR_SCALES;
    (void)data;
    return of == DNNL_ARG_SRC       ? scales | DNNL_ARG_WEIGHTS
           : of == DNNL_ARG_WEIGHTS ? scales | DNNL_ARG_SRC
                                    : arg;
}

/* One scale of src becomes that of weights, and the reverse. */
static dnnl_status_t exchange_scales(attr_t *to, const attr_t *from) {
    TRY(attr_copy(to, from));
    to->scales.count = 0;
    for (int i = 0; i < from->scales.count; i++) {
        struct quant scale = from->scales.entries[i];
        scale.arg = exchanged_arg(scale.arg, NULL);
        dnnl_status_t status = quants_set(&to->scales, &scale);
        if (status != dnnl_success) {
            attr_clear(to);
            return status;
        }
    }
    return dnnl_success;
}

static bool has_one_scale_each(const attr_t *attr) {
    for (int i = 0; i < attr->scales.count; i++)
        if (attr->scales.entries[i].mask != 0) return false;
    return true;
}

static dnnl_status_t append_transposed(struct plan *plan) {
    const struct problem *whole = &plan->problem;
    struct problem part;
    attr_t attr;
    TRY(problem_copy(&part, whole));
    dnnl_status_t status = transpose(problem_md(&part, DNNL_ARG_SRC), problem_md(whole, DNNL_ARG_WEIGHTS));
    if (status == dnnl_success)
        status = transpose(problem_md(&part, DNNL_ARG_WEIGHTS), problem_md(whole, DNNL_ARG_SRC));
    if (status == dnnl_success)
        status = transpose(problem_md(&part, DNNL_ARG_DST), problem_md(whole, DNNL_ARG_DST));
    if (status == dnnl_success) status = exchange_scales(&attr, &plan->attr);
    if (status == dnnl_success) {
        status = plan_append(plan, matmul_implementations, &part, &attr, exchanged_arg, NULL);
        attr_clear(&attr);
    }
    problem_clear(&part);
    return status;
}

dnnl_status_t f64_build_transposed_matmul(struct plan *plan) {
    const struct problem *whole = &plan->problem;
    const md_t *src = problem_md(whole, DNNL_ARG_SRC), *weights = problem_md(whole, DNNL_ARG_WEIGHTS),
               *dst = problem_md(whole, DNNL_ARG_DST);
    TRY(plan_takes(plan, &kernel_f64_gemm_6x8));
    TRY(accepts(plan));
    if (!md_is_plain(src) || !has_columns(weights) || !has_columns(dst))
        return plan_skip(plan, "the columns of weights and dst are not dense");
    if (problem_md(whole, DNNL_ARG_BIAS)) return plan_skip(plan, "there is a bias");
    if (!has_one_scale_each(&plan->attr)) return plan_skip(plan, "scales vary");
    if (apart_has_rest(&plan->attr)) return apart_build(plan, matmul_implementations);
    return append_transposed(plan);
}

/* Sums. */

static dnnl_status_t launch_sums(struct plan *plan, int src, const struct f64_sums_params *made, int dst) {
    struct launch *launch;
    const struct range range =
            range_of_items(divide_up(made->columns, 8) * made->parts, full_group(plan->device));
    struct f64_sums_params *p = plan_launch(plan, &kernel_f64_sums, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, src);
    launch_bind(launch, dst);
    return dnnl_success;
}

dnnl_status_t f64_append_sums(struct plan *plan, const struct f64_sums_request *r) {
    enum { MOST = 16, SHORT = 64 }; /* parts, and rows that are not worth one */
    const dnnl_dim_t wanted = divide_up(r->rows, SHORT), parts = wanted > MOST ? MOST : wanted;
    struct f64_sums_params p = {.src_offset = r->src_offset,
                                .src_row = r->src_row,
                                .dst_offset = r->dst_offset,
                                .rows = r->rows,
                                .part = r->rows,
                                .parts = 1,
                                .columns = r->columns};
    if (parts <= 1) return launch_sums(plan, r->src_arg, &p, r->dst_arg);
    p.part = divide_up(r->rows, parts), p.parts = divide_up(r->rows, p.part);
    p.dst_offset = (dnnl_dim_t)(plan_scratchpad(plan, (size_t)(p.parts * r->columns) * sizeof(double))
                                / sizeof(double));
    TRY(launch_sums(plan, r->src_arg, &p, ARG_SCRATCHPAD));
    const struct f64_sums_params rest = {.src_offset = p.dst_offset,
                                         .src_row = r->columns,
                                         .dst_offset = r->dst_offset,
                                         .rows = p.parts,
                                         .part = p.parts,
                                         .parts = 1,
                                         .columns = r->columns};
    return launch_sums(plan, ARG_SCRATCHPAD, &rest, r->dst_arg);
}
