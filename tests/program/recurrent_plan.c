/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a recurrent product: see recurrent.h. */
#include "program/recurrent.h"
#include "base/verbose.h"
#include "primitives/gemm.h"

/* Where the operands of one product are. */
struct place {
    int arg;
    dnnl_dim_t offset, step;
};

static struct recurrent sizes_of(const struct plan *plan) {
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    return (struct recurrent){.steps = dst->dims[0], .batch = dst->dims[1], .size = dst->dims[2]};
}

static struct gemm_view view_of(const struct recurrent *r, struct place src, struct place dst) {
    struct gemm_view view = {.batch = {1, 1, 1, 1},
                             .rows = 1,
                             .columns = r->batch,
                             .channels = r->size,
                             .depth = r->size,
                             .window = {1, 1, 1},
                             .channel_dim = 2,
                             .column_dim = 1};
    view.src =
            (struct gemm_operand){.arg = src.arg, .offset = src.offset, .step = src.step, .column = r->size};
    view.dst =
            (struct gemm_operand){.arg = dst.arg, .offset = dst.offset, .step = dst.step, .column = r->size};
    return view;
}

/* Packs a (size, size) matrix; the view's weights are then those of every product with it. */
static dnnl_status_t pack(struct plan *plan, const struct recurrent *r, int arg, struct gemm_view *packed) {
    const struct gemm_weights weights = {.groups = 1,
                                         .outputs = r->size,
                                         .inputs = r->size,
                                         .size = {1, 1, 1},
                                         .output = 1,
                                         .input = r->size};
    dnnl_dim_t group;
    packed->weights.arg = arg;
    return gemm_pack(plan, &weights, packed, &group);
}

static dnnl_status_t multiply(struct plan *plan, const struct recurrent *r, struct place src,
                              const struct gemm_view *packed, struct place dst) {
    struct epilogue_build ep;
    TRY(gemm_begin(&ep, plan, 2));
    struct gemm_view view = view_of(r, src, dst);
    view.weights = packed->weights;
    view.weights_panel = packed->weights_panel;
    view.weights_depth = packed->weights_depth;
    ep.dst_arg = dst.arg;
    return gemm_launch(&ep, &view);
}

static dnnl_status_t build(struct plan *plan) {
    const struct recurrent r = sizes_of(plan);
    const dnnl_dim_t state = r.batch * r.size;
    struct gemm_view a = {0}, b = {0};
    TRY(gemm_accepts(plan));
    TRY(pack(plan, &r, DNNL_ARG_WEIGHTS_0, &a));
    TRY(pack(plan, &r, DNNL_ARG_WEIGHTS_1, &b));
    struct place x = {.arg = DNNL_ARG_SRC}, first = {.arg = DNNL_ARG_DST};
    struct place before = {.arg = DNNL_ARG_DST, .step = state};
    struct place after = {.arg = DNNL_ARG_DST, .offset = state, .step = state};
    struct place between = {.arg = ARG_SCRATCHPAD};
    between.offset = (dnnl_dim_t)(plan_scratchpad(plan, (size_t)state * sizeof(float)) / sizeof(float));
    TRY(multiply(plan, &r, x, &a, first));
    TRY(multiply(plan, &r, before, &b, between));
    TRY(multiply(plan, &r, between, &a, after));
    program_repeat(plan->program, 2, (size_t)(r.steps - 1));
    return dnnl_success;
}

static const struct implementation implementations[] = {
        {"recurrent_14x32", build, &gemm_14x32}, {"recurrent_6x16", build, &gemm_6x16}, {NULL, NULL, NULL}};

dnnl_status_t recurrent_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                    const struct recurrent *r) {
    const dnnl_dims_t x = {r->batch, r->size}, weights = {r->size, r->size},
                      h = {r->steps, r->batch, r->size};
    struct problem problem;
    md_t md;
    TRY(problem_init(&problem, dnnl_matmul, 4));
    TRY(md_init_by_string(&md, 2, x, dnnl_f32, "ab"));
    problem_add(&problem, DNNL_ARG_SRC, false, &md);
    TRY(md_init_by_string(&md, 2, weights, dnnl_f32, "ab"));
    problem_add(&problem, DNNL_ARG_WEIGHTS_0, false, &md);
    problem_add(&problem, DNNL_ARG_WEIGHTS_1, false, &md);
    TRY(md_init_by_string(&md, 3, h, dnnl_f32, "abc"));
    problem_add(&problem, DNNL_ARG_DST, true, &md);
    dnnl_status_t status = primitive_desc_create(pd, engine, implementations, &problem, NULL);
    problem_clear(&problem);
    return status;
}
