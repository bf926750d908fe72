/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products by matrix tiles of bf16 whose src or weights have another type: one that bf16 holds every number
 * of, so that products are the same, or f32 where the math mode lets it become bf16. They are moved to bf16
 * first, weights to panels.
 */
#include "kernels/device_info.h"
#include "primitives/check.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"

/* Few rows of results do not pay for moving the weights. */
enum { FEW_ROWS = 32 };

static bool becomes_bf16(const struct plan *plan, int arg) {
    const dnnl_fpmath_mode_t mode = plan->attr.fpmath_mode;
    const bool rounds = mode == dnnl_fpmath_mode_bf16 || mode == dnnl_fpmath_mode_any;
    const uint64_t exact = BIT(dnnl_bf16) | TYPES_FP8 | TYPES_INT8;
    return in_set(exact | (rounds ? BIT(dnnl_f32) : 0), problem_md(&plan->problem, arg)->data_type);
}

static dnnl_dim_t rows_of(const struct problem *problem) {
    const md_t *dst = problem_md(problem, DNNL_ARG_DST);
    if (problem->kind == dnnl_matmul) return dst->dims[dst->ndims - 2];
    return dst->dims[0] * gemm_product(dst->dims + 2, dst->ndims - 2);
}

static dnnl_status_t check(const struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(plan_takes(plan, gemm_tile_of(plan)->kernel));
    if (!becomes_bf16(plan, DNNL_ARG_SRC) || !becomes_bf16(plan, DNNL_ARG_WEIGHTS))
        return plan_skip(plan, "bf16 does not hold every number of src or weights");
    if (in_set(TYPES_INT8, src->data_type)
        || (src->data_type == dnnl_bf16 && weights->data_type == dnnl_bf16))
        return plan_skip(plan, "other kernels take these types as they are");
    if (rows_of(&plan->problem) <= FEW_ROWS) return plan_skip(plan, "few rows");
    return dnnl_success;
}

static dnnl_status_t move(struct plan *plan, const char *rows, const char *panels,
                          const struct implementation *implementations) {
    struct moved moved = {.plan = plan};
    const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
    for (int i = 0; i < 2; i++) {
        if (problem_md(&plan->problem, args[i])->data_type == dnnl_bf16) continue;
        TRY(moved_add(&moved, args[i], dnnl_bf16, i == 0 ? rows : panels));
    }
    return moved_build(&moved, implementations);
}

dnnl_status_t gemm_build_moved_matmul(struct plan *plan) {
    static const struct implementation tiles[] = {{"bf16_gemm_16x32", gemm_build_matmul, &gemm_bf16_16x32},
                                                  {NULL, NULL, NULL}};
    char panels[32], rows[MOVED_TAG];
    TRY(check(plan));
    TRY(gemm_set_matmul_layouts(plan));
    gemm_matmul_tag(plan, panels, sizeof panels);
    return move(plan, row_major_tag(problem_md(&plan->problem, DNNL_ARG_SRC), rows), panels, tiles);
}

dnnl_status_t gemm_build_moved_convolution(struct plan *plan) {
    static const struct implementation tiles[] = {
            {"bf16_gemm_16x32", gemm_build_convolution, &gemm_bf16_16x32}, {NULL, NULL, NULL}};
    const bool grouped = gemm_is_grouped(&plan->problem);
    const int ndims = problem_md(&plan->problem, DNNL_ARG_SRC)->ndims;
    char panels[32];
    TRY(check(plan));
    TRY(convolution_accepts(plan));
    gemm_weights_tag(plan, ndims + grouped, grouped, panels, sizeof panels);
    TRY(gemm_set_any_layouts(plan, panels));
    return move(plan, channels_last(ndims), panels, tiles);
}

dnnl_status_t gemm_build_moved_inner_product(struct plan *plan) {
    static const struct implementation tiles[] = {
            {"bf16_gemm_16x32", gemm_build_inner_product, &gemm_bf16_16x32}, {NULL, NULL, NULL}};
    const int ndims = problem_md(&plan->problem, DNNL_ARG_SRC)->ndims;
    char panels[32];
    TRY(check(plan));
    gemm_weights_tag(plan, ndims, false, panels, sizeof panels);
    TRY(gemm_set_any_layouts(plan, panels));
    return move(plan, channels_last(ndims), panels, tiles);
}
