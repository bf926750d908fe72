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
    const dnnl_dim_t *dims = problem_md(&plan->problem, DNNL_ARG_DST)->dims;
    return (struct recurrent){dims[0], dims[1], dims[2], dims[3], dims[4]};
}

/* Packs one matrix; the view's weights are then those of every product with it. */
static dnnl_status_t pack(struct plan *plan, const struct recurrent *r, int arg, dnnl_dim_t index,
                          struct gemm_view *packed) {
    const struct gemm_weights weights = {.groups = 1,
                                         .merged = 1,
                                         .outputs = r->size,
                                         .inputs = r->size,
                                         .size = {1, 1, 1},
                                         .offset = index * r->size * r->size,
                                         .output = 1,
                                         .input = r->size};
    dnnl_dim_t group;
    packed->weights.arg = arg;
    return gemm_pack(plan, &weights, packed, &group);
}

/* `rows` rows of one matrix by a packed one. */
static dnnl_status_t multiply(struct plan *plan, const struct recurrent *r, dnnl_dim_t rows, struct place src,
                              const struct gemm_view *packed, struct place dst) {
    struct epilogue_build ep;
    struct gemm_view view = {.batch = {1, 1, 1, 1},
                             .rows = 1,
                             .columns = rows,
                             .channels = r->size,
                             .depth = r->size,
                             .window = {1, 1, 1},
                             .channel_dim = 4,
                             .column_dim = 3,
                             .weights = packed->weights,
                             .weights_panel = packed->weights_panel,
                             .weights_depth = packed->weights_depth};
    view.src =
            (struct gemm_operand){.arg = src.arg, .offset = src.offset, .step = src.step, .column = r->size};
    view.dst =
            (struct gemm_operand){.arg = dst.arg, .offset = dst.offset, .step = dst.step, .column = r->size};
    TRY(gemm_begin(&ep, plan, 4));
    ep.dst_arg = dst.arg;
    return gemm_launch(&ep, &view);
}

static dnnl_status_t build_layer(struct plan *plan, const struct recurrent *r, dnnl_dim_t layer,
                                 bool backwards) {
    const dnnl_dim_t state = r->batch * r->size, sequence = r->steps * state;
    const dnnl_dim_t index = layer * r->directions + backwards;
    const dnnl_dim_t first = backwards ? sequence - state : 0, step = backwards ? -state : state;
    struct gemm_view a = {0}, b = {0};
    TRY(pack(plan, r, DNNL_ARG_WEIGHTS_0, index, &a));
    TRY(pack(plan, r, DNNL_ARG_WEIGHTS_1, index, &b));
    struct place in = {.arg = DNNL_ARG_SRC};
    if (layer > 0) in = (struct place){.arg = DNNL_ARG_DST, .offset = (index - r->directions) * sequence};
    struct place h = {.arg = DNNL_ARG_DST, .offset = index * sequence};
    struct place before = {.arg = DNNL_ARG_DST, .offset = h.offset + first, .step = step};
    struct place after = {.arg = DNNL_ARG_DST, .offset = h.offset + first + step, .step = step};
    struct place between = {.arg = ARG_SCRATCHPAD};
    between.offset = (dnnl_dim_t)(plan_scratchpad(plan, (size_t)state * sizeof(float)) / sizeof(float));
    TRY(multiply(plan, r, r->steps * r->batch, in, &a, h));
    TRY(multiply(plan, r, r->batch, before, &b, between));
    TRY(multiply(plan, r, r->batch, between, &a, after));
    program_repeat(plan->program, 2, (size_t)(r->steps - 1));
    return dnnl_success;
}

static dnnl_status_t build(struct plan *plan) {
    const struct recurrent r = sizes_of(plan);
    TRY(gemm_accepts(plan));
    for (dnnl_dim_t layer = 0; layer < r.layers; layer++)
        for (int direction = 0; direction < r.directions; direction++)
            TRY(build_layer(plan, &r, layer, direction == 1));
    return dnnl_success;
}

static const struct implementation implementations[] = {
        {"recurrent_14x32", build, &gemm_14x32}, {"recurrent_6x16", build, &gemm_6x16}, {NULL, NULL, NULL}};

dnnl_status_t recurrent_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                    const struct recurrent *r) {
    const dnnl_dims_t x = {r->steps, r->batch, r->size},
                      weights = {r->layers, r->directions, r->size, r->size},
                      h = {r->layers, r->directions, r->steps, r->batch, r->size};
    struct problem problem;
    md_t md;
    TRY(problem_init(&problem, dnnl_matmul, 4));
    TRY(md_init_by_string(&md, 3, x, dnnl_f32, "abc"));
    problem_add(&problem, DNNL_ARG_SRC, false, &md);
    TRY(md_init_by_string(&md, 4, weights, dnnl_f32, "abcd"));
    problem_add(&problem, DNNL_ARG_WEIGHTS_0, false, &md);
    problem_add(&problem, DNNL_ARG_WEIGHTS_1, false, &md);
    TRY(md_init_by_string(&md, 5, h, dnnl_f32, "abcde"));
    problem_add(&problem, DNNL_ARG_DST, true, &md);
    dnnl_status_t status = primitive_desc_create(pd, engine, implementations, &problem, NULL);
    problem_clear(&problem);
    return status;
}
