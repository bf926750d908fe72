/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix products of bf16 on CPUs with matrix tiles or dot products of pairs of bf16: see
 * gemm.h. Elsewhere, operands of bf16 are widened to f32.
 */
#include "primitives/tensor.h"
#include "kernels/params_gemm.h"
#include "base/round.h"
#include "primitives/check.h"
#include "primitives/gemm.h"

static dnnl_status_t accepts_rest(const struct plan *plan) {
    const unsigned results =
            BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s32) | TYPES_INT8 | TYPES_FP8;
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    if (!in_set(results, problem_md(&plan->problem, DNNL_ARG_DST)->data_type)
        || (bias && !in_set(results, bias->data_type)))
        return plan_skip(plan, "unsupported type of dst or bias");
    if (!attr_only_has(&plan->attr,
                       ATTR_POST_OPS | ATTR_DROPOUT | ATTR_FPMATH | ATTR_ACCUMULATION | ATTR_SCALES))
        return plan_skip(plan, "attributes other than post-ops, dropout and scales");
    if (!gemm_scales_fit(plan)) return plan_skip(plan, "scales change within a sum");
    return dnnl_success;
}

static dnnl_status_t accepts(const struct plan *plan) {
    if (problem_md(&plan->problem, DNNL_ARG_SRC)->data_type != dnnl_bf16
        || problem_md(&plan->problem, DNNL_ARG_WEIGHTS)->data_type != dnnl_bf16)
        return plan_skip(plan, "src or weights are not bf16");
    return accepts_rest(plan);
}

/* Moving weights pays off if they are used for more columns than this. */
enum { FEW_COLUMNS = 32 };

bool gemm_rounds(const struct plan *plan, dnnl_dim_t columns, dnnl_dim_t products) {
    enum { FEW_PRODUCTS = 1 << 20 };
    const dnnl_fpmath_mode_t mode = plan->attr.fpmath_mode;
    return (mode == dnnl_fpmath_mode_bf16 || mode == dnnl_fpmath_mode_any) && columns > FEW_COLUMNS
           && products > FEW_PRODUCTS && (plan->device->info.features & HAS_MATRIX_TILES);
}

/* Weights that each batch has its own of are used for fewer columns. Measured 2026-11-18 on a Xeon with AMX:
 * 12 products of 128x64 by 64x128 of f32 took longer. */
static bool pays_off(const struct plan *plan, bool rounds) {
    enum { BATCHES = 8 }; /* count as so many times less */
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const bool matmul = plan->problem.kind == dnnl_matmul;
    const int last = dst->ndims - 1;
    const dnnl_dim_t channels = dst->dims[matmul ? last : 1], results = md_nelems(dst, false);
    if (channels == 0 || results == 0) return false;
    const dnnl_dim_t all = md_nelems(weights, false),
                     depth = matmul ? weights->dims[last - 1] : all / channels,
                     each = matmul ? dst->dims[last - 1] : results / channels,
                     columns = all > depth * channels ? each / BATCHES : each;
    return rounds ? gemm_rounds(plan, columns, results * depth) : columns > FEW_COLUMNS;
}

static dnnl_status_t accepts_moved(const struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    const dnnl_data_type_t of_src = src->data_type,
                           of_weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS)->data_type;
    const uint64_t narrow = BIT(dnnl_bf16) | TYPES_FP8, taken = narrow | BIT(dnnl_f32);
    if (!in_set(taken, of_src) || !in_set(taken | TYPES_INT8, of_weights))
        return plan_skip(plan, "src or weights do not become bf16");
    if (of_src == dnnl_bf16 && of_weights == dnnl_bf16) return plan_skip(plan, "src and weights are bf16");
    if (src->dims[plan->problem.kind == dnnl_matmul ? src->ndims - 1 : 1] % 2 != 0)
        return plan_skip(plan, "the reduction has an odd length");
    if (!pays_off(plan, of_src == dnnl_f32 || of_weights == dnnl_f32))
        return plan_skip(plan, "f32 must not become bf16, or moving would not pay off");
    return accepts_rest(plan);
}

enum { DOT_WIDTH = 32 };
static const struct gemm_tile_shape dot_14x32 = {&gemm_bf16, 14,  DOT_WIDTH, &kernel_bf16_dot_14x32,
                                                 NULL,       NULL};

static dnnl_status_t launch_product(struct epilogue_build *ep, struct gemm_view *view) {
    const struct gemm_tile_shape *tile = view->weights_depth == 1 ? &dot_14x32 : gemm_tile_of(ep->plan);
    struct launch *launch;
    struct gemm_params *p = plan_launch(ep->plan, tile->kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    gemm_fill(p, view, tile);
    launch->range = tile->type->tiles ? gemm_tiles_range(view, tile, p) : gemm_range(view, tile, p->tiles);
    launch_bind(launch, view->src.arg);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, view->bias.arg);
    TRY(gemm_find_scales(ep, &p->epilogue));
    TRY(epilogue_end_activation(ep, launch, &p->epilogue, &p->activation));
    gemm_describe_end(&p->epilogue, &p->scaled, &p->finished);
    p->plain = !p->scaled && !p->finished && (p->epilogue.type == TYPE_F32 || p->epilogue.type == TYPE_BF16);
    return dnnl_success;
}

const struct gemm_type gemm_bf16 = {.bytes = 2,
                                    .quad = 2,
                                    .pack = &kernel_bf16_pack_panels,
                                    .accepts = accepts,
                                    .launch = launch_product,
                                    .dot = DOT_WIDTH};

const struct gemm_type gemm_bf16_tiles = {.bytes = 2,
                                          .quad = 2,
                                          .pack = &kernel_bf16_pack_panels,
                                          .accepts = accepts,
                                          .launch = launch_product,
                                          .tiles = true};

const struct gemm_type gemm_moved_tiles = {.bytes = 2,
                                           .quad = 2,
                                           .pack = &kernel_bf16_pack_panels,
                                           .accepts = accepts_moved,
                                           .launch = launch_product,
                                           .reads = dnnl_bf16,
                                           .tiles = true};
