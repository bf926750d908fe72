/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inner product, backward, and forward in f64 or of few images by plain weights: all are matrix products,
 * planned as such. With an image as one
 * row of a matrix, dst = src * weights^T, diff_src = diff_dst * weights and diff_weights = diff_dst^T * src.
 * Images and weights must be dense in the same order for that; others are moved first. Where the layout of
 * weights is open, it is the one that the kernels of f32 read or write from one end to the other.
 */
#include "base/verbose.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/inner_product.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/weights_gradient.h"

#include <stdio.h>

/* Types of src, weights, bias and dst, or of their gradients. */
static const struct type_row data_rows[] = {
        {TYPES_RESULT, TYPES_FLOAT, 0, TYPES_FLOAT},
        {BIT(dnnl_f64), BIT(dnnl_f64), 0, BIT(dnnl_f64)},
};
static const struct type_row weights_rows[] = {
        {TYPES_FLOAT, TYPES_RESULT, TYPES_RESULT, TYPES_FLOAT},
        {BIT(dnnl_f64), BIT(dnnl_f64), BIT(dnnl_f64), BIT(dnnl_f64)},
};
static const struct type_row forward_rows[] = {
        {BIT(dnnl_f64), BIT(dnnl_f64), TYPES_RESULT, BIT(dnnl_f64)},
};

static const struct type_row few_rows[] = {
        {BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32)},
        {BIT(dnnl_bf16), BIT(dnnl_bf16), BIT(dnnl_f32) | BIT(dnnl_bf16), BIT(dnnl_f32) | BIT(dnnl_bf16)},
        {BIT(dnnl_f16), BIT(dnnl_f16), BIT(dnnl_f32) | BIT(dnnl_f16), BIT(dnnl_f32) | BIT(dnnl_f16)},
};

/* A row of a table: which execution arguments are the image, the weights, the bias and the outputs, and which
 * types they may have. */
struct direction {
    int image, weights, bias, outputs;
    const struct type_row *rows;
    int nrows;
};
#define ROWS(rows) rows, sizeof rows / sizeof rows[0]
static const struct direction by_data = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_BIAS,
                                         DNNL_ARG_DIFF_DST, ROWS(data_rows)};
static const struct direction by_weights = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS,
                                            DNNL_ARG_DIFF_DST, ROWS(weights_rows)};
const struct direction inner_product_by_matmul = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST,
                                                  ROWS(forward_rows)};

const struct direction inner_product_of_few = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST,
                                               ROWS(few_rows)};

static const struct direction *direction_of(const struct plan *plan) {
    return plan->implementation->data;
}

static const char *logical_order(int ndims) {
    static const char *const tags[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    return tags[ndims];
}

/* The open one of image and weights takes the order of the other. */
static dnnl_status_t decide_layouts(struct plan *plan, md_t *image, md_t *weights) {
    md_t *outputs = problem_md(&plan->problem, direction_of(plan)->outputs);
    const int ndims = image->ndims;
    const char *first = logical_order(ndims), *last = channels_last(ndims);
    const md_t *known = md_is_any(image) ? weights : image;
    const char *order = ndims > 2 && md_is_plain(known) && md_is_run(known, first) ? first : last;
    TRY(md_set_any(image, order));
    TRY(md_set_any(weights, order));
    TRY(md_set_any(outputs, "ab"));
    if (!md_is_blocked(image) || !md_is_blocked(weights) || !md_is_blocked(outputs))
        return plan_skip(plan, "a layout is not blocked");
    return dnnl_success;
}

static bool are_runs(const md_t *image, const md_t *weights, const char *tag) {
    return md_is_run(image, tag) && md_is_run(weights, tag);
}

/* Is what follows the first dimension one run, in the same order in both? Matrices are used as they are. */
static bool are_matrices(const md_t *image, const md_t *weights) {
    const int ndims = image->ndims;
    return ndims == 2 || are_runs(image, weights, logical_order(ndims))
           || are_runs(image, weights, channels_last(ndims));
}

static dnnl_status_t move(struct plan *plan, const md_t *image, const md_t *weights) {
    const struct direction *direction = direction_of(plan);
    const char *last = channels_last(image->ndims);
    struct moved moved = {.plan = plan};
    if (!md_is_run(image, last)) TRY(moved_add(&moved, direction->image, image->data_type, last));
    if (!md_is_run(weights, last)) TRY(moved_add(&moved, direction->weights, weights->data_type, last));
    return moved_build(&moved, plan->implementations);
}

/* Everything that follows the first dimension, as one. */
static dnnl_status_t flatten(md_t *to, const md_t *from) {
    *to = *from;
    if (from->ndims == 2) return dnnl_success;
    const dnnl_dim_t length = gemm_product(from->dims + 1, from->ndims - 1);
    const dnnl_dims_t dims = {from->dims[0], length},
                      strides = {from->dims[0] == 1 ? length : from->blocking.strides[0], 1};
    TRY(md_init_by_strides(to, 2, dims, from->data_type, strides));
    to->offset0 = from->offset0;
    return dnnl_success;
}

static int data_arg(int arg, const void *data) {
    (void)data;
    switch (arg) {
    case DNNL_ARG_SRC: return DNNL_ARG_DIFF_DST;
    case DNNL_ARG_DST: return DNNL_ARG_DIFF_SRC;
    default: return arg;
    }
}

static int weights_arg(int arg, const void *data) {
    (void)data;
    switch (arg) {
    case DNNL_ARG_SRC: return DNNL_ARG_DIFF_DST;
    case DNNL_ARG_WEIGHTS: return DNNL_ARG_SRC;
    default: return DNNL_ARG_DIFF_WEIGHTS;
    }
}

static int forward_arg(int arg, const void *data) {
    (void)data;
    return arg;
}

static dnnl_status_t append_product(struct plan *plan, const struct implementation *implementations,
                                    const md_t *src, const md_t *weights, const md_t *bias, const md_t *dst,
                                    int (*whole_arg)(int arg, const void *data)) {
    struct problem part;
    TRY(problem_init(&part, dnnl_matmul, 4));
    problem_add(&part, DNNL_ARG_SRC, false, src);
    problem_add(&part, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&part, DNNL_ARG_BIAS, false, bias);
    problem_add(&part, DNNL_ARG_DST, true, dst);
    dnnl_status_t status = plan_append(plan, implementations, &part, &plan->attr, whole_arg, NULL);
    problem_clear(&part);
    return status;
}

static dnnl_status_t append_gradient(struct plan *plan, const md_t *image, const md_t *weights) {
    static const int transposed[] = {1, 0};
    md_t rows, matrix, diff_dst = *problem_md(&plan->problem, DNNL_ARG_DIFF_DST);
    TRY(flatten(&rows, image));
    TRY(flatten(&matrix, weights));
    if (direction_of(plan) == &by_data)
        return append_product(plan, matmul_implementations, &diff_dst, &matrix, NULL, &rows, data_arg);
    TRY(md_permute(&diff_dst, &diff_dst, transposed));
    return append_product(plan, matmul_implementations, &diff_dst, &rows, NULL, &matrix, weights_arg);
}

/* dst = src * weights^T, with the bias as one row. */
static dnnl_status_t append_forward(struct plan *plan, const md_t *image, const md_t *weights) {
    static const int transposed[] = {1, 0};
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    const md_t dst = *problem_md(&plan->problem, DNNL_ARG_DST);
    md_t rows, matrix, row;
    TRY(flatten(&rows, image));
    TRY(flatten(&matrix, weights));
    TRY(md_permute(&matrix, &matrix, transposed));
    if (bias) {
        const dnnl_dims_t dims = {1, bias->dims[0]},
                          strides = {bias->dims[0] * bias->blocking.strides[0], bias->blocking.strides[0]};
        TRY(md_init_by_strides(&row, 2, dims, bias->data_type, strides));
        row.offset0 = bias->offset0;
    }
    return append_product(plan, matmul_implementations, &rows, &matrix, bias ? &row : NULL, &dst,
                          forward_arg);
}

static dnnl_status_t build(struct plan *plan) {
    const struct direction *direction = direction_of(plan);
    md_t *image = problem_md(&plan->problem, direction->image),
         *weights = problem_md(&plan->problem, direction->weights),
         *bias = problem_md(&plan->problem, direction->bias);
    if (!types_fit(direction->rows, direction->nrows, image, weights, bias,
                   problem_md(&plan->problem, direction->outputs)))
        return plan_skip(plan, "unsupported types");
    TRY(decide_layouts(plan, image, weights));
    if (bias) TRY(md_set_any(bias, "a"));
    if (!are_matrices(image, weights)) return move(plan, image, weights);
    if (direction == &inner_product_by_matmul || direction == &inner_product_of_few)
        return append_forward(plan, image, weights);
    TRY(append_gradient(plan, image, weights));
    return append_bias_gradient(plan);
}

/* Weights in panels. */

static dnnl_status_t decide_panels(struct plan *plan, md_t *image, md_t *weights, const char *tag) {
    md_t *diff_dst = problem_md(&plan->problem, DNNL_ARG_DIFF_DST);
    static const struct type_row all_f32 = {BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32)};
    if (!types_fit(&all_f32, 1, image, weights, problem_md(&plan->problem, DNNL_ARG_DIFF_BIAS), diff_dst))
        return plan_skip(plan, "a tensor is not f32");
    if (gemm_rounds(plan, diff_dst->dims[0], diff_dst->dims[0] * md_nelems(weights, false)))
        return plan_skip(plan, "f32 is rounded to bf16, which matmul does");
    TRY(md_set_any(image, channels_last(image->ndims)));
    TRY(md_set_any(weights, tag));
    TRY(md_set_any(diff_dst, "ab"));
    if (!md_matches_tag(weights, tag)) return plan_skip(plan, "weights are not in panels");
    if (!md_is_run(image, channels_last(image->ndims)))
        return plan_skip(plan, "images are not channels-last");
    return dnnl_success;
}

/* diff_src = diff_dst * weights, with panels of the elements of an image: for instance "cdBa32b". The row's
 * data is the implementation of matmul. */
static dnnl_status_t build_data_panels(struct plan *plan) {
    const struct implementation *product = plan->implementation->data;
    const int panel = ((const struct gemm_tile_shape *)product->data)->panel;
    md_t *image = problem_md(&plan->problem, DNNL_ARG_DIFF_SRC),
         *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS), rows, matrix;
    char tag[32], matrix_tag[16];
    snprintf(tag, sizeof tag, "%.*sBa%db", image->ndims - 2, "cde", panel);
    snprintf(matrix_tag, sizeof matrix_tag, "Ba%db", panel);
    if (image->ndims > 2 && image->dims[1] % panel != 0)
        return plan_skip(plan, "channels do not fill panels");
    TRY(decide_panels(plan, image, weights, tag));
    TRY(flatten(&rows, image));
    const dnnl_dims_t dims = {weights->dims[0], rows.dims[1]};
    TRY(md_init_by_string(&matrix, 2, dims, dnnl_f32, matrix_tag));
    matrix.offset0 = weights->offset0;
    const md_t diff_dst = *problem_md(&plan->problem, DNNL_ARG_DIFF_DST);
    return append_product(plan, product, &diff_dst, &matrix, NULL, &rows, data_arg);
}

/* diff_weights as those of a convolution at one position, with panels of outputs: for instance "Acdb32a". */
static dnnl_status_t build_weights_panels(struct plan *plan) {
    md_t *image = problem_md(&plan->problem, DNNL_ARG_SRC),
         *weights = problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS), rows;
    const md_t *places = problem_md(&plan->problem, DNNL_ARG_DIFF_DST);
    char tag[32];
    TRY(plan_takes(plan, gemm_tile_of(plan)->kernel));
    gemm_weights_tag(plan, image->ndims, false, tag, sizeof tag);
    TRY(decide_panels(plan, image, weights, tag));
    TRY(flatten(&rows, image));
    if (!is_dense_image(&rows) || !is_dense_image(places)) return plan_skip(plan, "rows are not dense");
    const md_t results = *weights;
    struct window one = {.size = {1, 1, 1}, .taps = {1, 1, 1}, .stride = {1, 1, 1}, .step = {1, 1, 1}};
    TRY(gradient_append_product(plan,
                                &(struct gradient_product){.image = image_of(DNNL_ARG_SRC, &rows),
                                                           .places = image_of(DNNL_ARG_DIFF_DST, places),
                                                           .window = one,
                                                           .groups = 1,
                                                           .inputs = rows.dims[1],
                                                           .outputs = places->dims[1],
                                                           .panel = results.blocking.strides[0],
                                                           .arg = DNNL_ARG_DIFF_WEIGHTS,
                                                           .results = &results}));
    return append_bias_gradient(plan);
}

#define BY(name, tile)                                                                                       \
    {                                                                                                        \
        name, build_data_panels, (const struct implementation[]) {                                           \
            {name, gemm_build_matmul, tile}, {                                                               \
                NULL, NULL, NULL                                                                             \
            }                                                                                                \
        }                                                                                                    \
    }

const struct implementation inner_product_backward_data[] = {
        BY("f32_gemm_14x32", &gemm_14x32),
        BY("f32_gemm_6x16", &gemm_6x16),
        {"matmul", build, &by_data},
        {NULL, NULL, NULL},
};

const struct implementation inner_product_backward_weights[] = {
        {"f32_weights_gradient_14x32", build_weights_panels, &gemm_gradient_14x32},
        {"f32_weights_gradient_6x16", build_weights_panels, &gemm_gradient_6x16},
        {"matmul", build, &by_weights},
        {NULL, NULL, NULL},
};

dnnl_status_t inner_product_build_by_matmul(struct plan *plan) {
    return build(plan);
}

/* The kernels of matmul read plain weights as they are. */
dnnl_status_t inner_product_build_few(struct plan *plan) {
    enum { FEW = 32 };
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    if (plan->device->info.class != DEVICE_CPU || src->dims[0] > FEW)
        return plan_skip(plan, "not a CPU, or many images");
    if (md_is_any(src) || md_is_any(weights) || !md_is_plain(src) || !md_is_plain(weights)
        || !are_matrices(src, weights))
        return plan_skip(plan, "images and weights are not matrices");
    if (plan->attr.scales.count > 0) return plan_skip(plan, "scales");
    return build(plan);
}
