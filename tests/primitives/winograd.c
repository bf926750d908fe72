/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution by Winograd's algorithm, and what users see of weights that are transformed for it.
 *
 * The bound on its error: with tiles of n x n results, src d and weights g of one pair of channels,
 *
 *   dst = A' [sum over input channels of (G g G') . (B' d B)] A
 *
 * Every operation of an implementation is an addition, a multiplication or both at once, so a result is off
 * by at most gamma_m of the same expression of absolute values, |A'| [sum of (|G| |g| |G'|) . (|B'| |d| |B|)]
 * |A|, where m is the largest number of roundings that a term goes through: 4 in each of the two products
 * with G (one of them that of a number of G, which is not exact), 3 in each of those with B and with A, one
 * for each input channel and one for their product, one for the bias.
 */
#include "primitives/images.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDINGS = 2 * (4 + 3 + 3) + 2, MOST_POINTS = 6 };

/* The matrices as they are defined, by their points; the last one is infinity. */
struct matrices {
    int side, points;
    double a[4][MOST_POINTS], b[MOST_POINTS][MOST_POINTS], g[MOST_POINTS][3];
};

/* Coefficients of the product of (x - point) over all finite points but one. */
static void product_without(const double *points, int count, int without, double *coefficients) {
    int degree = 0;
    memset(coefficients, 0, MOST_POINTS * sizeof *coefficients);
    coefficients[0] = 1;
    for (int i = 0; i < count; i++) {
        if (i == without) continue;
        degree++;
        for (int k = degree; k >= 0; k--)
            coefficients[k] = (k > 0 ? coefficients[k - 1] : 0) - points[i] * coefficients[k];
    }
}

static struct matrices matrices_of(int side) {
    static const double points[2][5] = {{0, 1, -1}, {0, 0.625, -0.625, 1.5, -1.5}};
    const double *p = points[side == 4];
    struct matrices m = {.side = side, .points = side + 2};
    const int finite = side + 1;
    for (int i = 0; i < finite; i++) {
        double scale = 1;
        product_without(p, finite, i, m.b[i]);
        for (int k = 0; k < finite; k++)
            if (k != i) scale *= p[i] - p[k];
        for (int k = 0; k < 3; k++)
            m.g[i][k] = pow(p[i], k) / scale;
        for (int k = 0; k < side; k++)
            m.a[k][i] = pow(p[i], k);
    }
    product_without(p, finite, -1, m.b[finite]);
    m.g[finite][2] = m.a[side - 1][finite] = 1;
    return m;
}

static struct matrices absolute(struct matrices m) {
    for (int i = 0; i < m.points; i++) {
        for (int k = 0; k < m.points; k++)
            m.b[i][k] = fabs(m.b[i][k]);
        for (int k = 0; k < 3; k++)
            m.g[i][k] = fabs(m.g[i][k]);
        for (int k = 0; k < m.side; k++)
            m.a[k][i] = fabs(m.a[k][i]);
    }
    return m;
}

/* to = m x m', where x is a square and `m` has rows of `pitch` numbers. */
static void transform(const double *m, int pitch, int points, int size, const double *x, double *to) {
    for (int i = 0; i < points; i++)
        for (int j = 0; j < points; j++) {
            to[i * points + j] = 0;
            for (int k = 0; k < size; k++)
                for (int l = 0; l < size; l++)
                    to[i * points + j] += m[i * pitch + k] * m[j * pitch + l] * x[k * size + l];
        }
}

/* All squares of weights or src, transformed. */
static double *transformed_weights(const struct product *p, const struct matrices *m, bool magnitudes) {
    const dnnl_dim_t pairs = p->weights.dims[0] * p->weights.dims[1];
    const int positions = m->points * m->points;
    double *all = malloc((size_t)(pairs * positions) * sizeof *all), x[9];
    for (dnnl_dim_t i = 0; i < pairs; i++) {
        for (int k = 0; k < 9; k++)
            x[k] = magnitudes ? fabs(p->weights.values[i * 9 + k]) : p->weights.values[i * 9 + k];
        transform(m->g[0], 3, m->points, 3, x, all + i * positions);
    }
    return all;
}

static double src_at(const struct product *p, dnnl_dim_t image, dnnl_dim_t row, dnnl_dim_t column) {
    const dnnl_dim_t *dims = p->src.dims;
    const bool inside = row >= 0 && row < dims[2] && column >= 0 && column < dims[3];
    return inside ? p->src.values[(image * dims[2] + row) * dims[3] + column] : 0;
}

/* The results of one tile for all output channels, and their bounds before attributes. */
struct tile {
    dnnl_dim_t batch, row, column;
};

static void compute_tile(const struct product *p, const struct matrices *m, const double *weights,
                         bool magnitudes, const struct tile *t, double *results) {
    const struct shape *s = p->shape;
    const dnnl_dim_t inputs = p->src.dims[1], outputs = p->dst.dims[1];
    const int positions = m->points * m->points;
    double d[MOST_POINTS * MOST_POINTS], *v = malloc((size_t)(inputs * positions) * sizeof *v);
    for (dnnl_dim_t c = 0; c < inputs; c++) {
        for (int k = 0; k < positions; k++) {
            double x = src_at(p, t->batch * inputs + c, t->row - s->left[0] + k / m->points,
                              t->column - s->left[1] + k % m->points);
            d[k] = magnitudes ? fabs(x) : x;
        }
        transform(m->b[0], MOST_POINTS, m->points, m->points, d, v + c * positions);
    }
    for (dnnl_dim_t o = 0; o < outputs; o++) {
        double sums[MOST_POINTS * MOST_POINTS] = {0};
        for (dnnl_dim_t c = 0; c < inputs; c++)
            for (int k = 0; k < positions; k++)
                sums[k] += weights[(o * inputs + c) * positions + k] * v[c * positions + k];
        transform(m->a[0], MOST_POINTS, m->side, m->points, sums, results + o * m->side * m->side);
    }
    free(v);
}

/* Stores the plain sums, with bounds, and what attributes make of them. `sums` are exact values. */
static void store_tile(struct product *p, const struct attr_run *run, const struct matrices *m,
                       const struct tile *t, const double *values, const double *magnitudes,
                       struct array *error) {
    const double roundings = (double)(p->src.dims[1] + ROUNDINGS), u = 0x1p-24;
    for (dnnl_dim_t o = 0; o < p->dst.dims[1]; o++)
        for (int k = 0; k < m->side * m->side; k++) {
            const dnnl_dim_t at[4] = {t->batch, o, t->row + k / m->side, t->column + k % m->side};
            if (at[2] >= p->dst.dims[2] || at[3] >= p->dst.dims[3]) continue;
            const double bias = p->bias.values ? p->bias.values[o] : 0;
            const int i = (int)o * m->side * m->side + k;
            const double bound = roundings * u / (1 - roundings * u) * (magnitudes[i] + fabs(bias));
            struct bounded x = attr_run_apply(run, (struct bounded){values[i], bound}, bias, o, at);
            store_bounded(x, array_index(&p->dst, at), &p->dst, error);
        }
}

/* The reference computes in f64 by the same algorithm; test_reference compares that with a plain loop. */
static void reference(struct product *p, const struct attr_run *run, int side, struct array *error) {
    const struct matrices m = matrices_of(side), absolutes = absolute(m);
    double *weights = transformed_weights(p, &m, false), *heavy = transformed_weights(p, &absolutes, true);
    const size_t count = (size_t)(p->dst.dims[1] * side * side);
    double *values = malloc(count * sizeof *values), *magnitudes = malloc(count * sizeof *magnitudes);
    struct tile t;
    for (t.batch = 0; t.batch < p->dst.dims[0]; t.batch++)
        for (t.row = 0; t.row < p->dst.dims[2]; t.row += side)
            for (t.column = 0; t.column < p->dst.dims[3]; t.column += side) {
                compute_tile(p, &m, weights, false, &t, values);
                compute_tile(p, &absolutes, heavy, true, &t, magnitudes);
                store_tile(p, run, &m, &t, values, magnitudes, error);
            }
    free(weights);
    free(heavy);
    free(values);
    free(magnitudes);
}

#define SHAPE(batch, inputs, outputs, height, width, top, left, bottom, right)                               \
    {2,      0,      batch,  inputs,      outputs,         {height, width},                                  \
     {3, 3}, {1, 1}, {0, 0}, {top, left}, {bottom, right}, false}
static const struct shape shapes[] = {
        SHAPE(1, 16, 32, 8, 8, 1, 1, 1, 1),   SHAPE(2, 3, 5, 9, 7, 1, 1, 1, 1),
        SHAPE(1, 17, 33, 13, 10, 0, 0, 0, 0), SHAPE(2, 40, 24, 6, 11, 0, 2, 1, 0),
        SHAPE(1, 64, 48, 14, 14, 2, 1, 2, 2), SHAPE(3, 1, 1, 3, 3, 0, 0, 0, 0),
        SHAPE(1, 130, 20, 5, 5, 1, 1, 1, 1),  SHAPE(2, 20, 70, 2, 9, 1, 1, 1, 1), /* tiles of 2x2 */
        SHAPE(1, 300, 36, 2, 5, 1, 2, 1, 0),  SHAPE(1, 5, 18, 1, 1, 1, 1, 1, 1),
        SHAPE(1, 8, 16, 4, 4, 3, 4, 5, 3), /* tiles that see only padding */
        SHAPE(0, 4, 8, 6, 6, 1, 1, 1, 1),
};
/* Several iterations of the loop over tiles: one that ends within an image and one that is not full. */
static const struct shape large_shapes[] = {SHAPE(3, 24, 16, 63, 66, 1, 1, 1, 1)};

static const struct product_types types[] = {{dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
                                             {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
                                             {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_s8}};

static const struct attr_case attrs[] = {
        {.name = "plain"},
        {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}},
        {.name = "clip", .ops = {ELTWISE(dnnl_eltwise_clip, -1, 6)}},
        {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 1}}},
        {.name = "sum and relu", .ops = {{.kind = dnnl_sum, .alpha = 1}, ELTWISE(dnnl_eltwise_relu, 0, 0)}},
        {.name = "half of a sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}},
        {.name = "binary", .ops = {BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_max, -1)}},
        {.name = "tanh", .ops = {ELTWISE(dnnl_eltwise_tanh, 0, 0)}},
};

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const_dnnl_primitive_attr_t attr) {
    const struct shape *s = p->shape;
    return dnnl_convolution_forward_primitive_desc_create(pd, test_engine(), prop, alg, md->src, md->weights,
                                                          md->bias, md->dst, s->stride, s->dilation, s->left,
                                                          s->right, attr);
}

static dnnl_status_t create_winograd(dnnl_primitive_desc_t *pd, const struct product *p,
                                     const struct product_mds *md, const_dnnl_primitive_attr_t attr) {
    return create(pd, p, md, dnnl_forward_training, dnnl_convolution_winograd, attr);
}

static const struct product_suite suite = {.sum = images_sum, .tags = images_tags, .create = create_winograd};

static int side_of(const_dnnl_primitive_desc_t pd) {
    const char *name = "";
    MUST(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name));
    return strcmp(name, "f32_winograd_2x2") == 0 ? 2 : strcmp(name, "f32_winograd_4x4") == 0 ? 4 : 0;
}

static void run_one(const struct shape *shape, const struct product_types *t, const struct attr_case *c,
                    int layout) {
    struct product p = images_make(shape, t);
    struct array error = array_like(&p.dst, dnnl_f64);
    struct attr_run run;
    dnnl_primitive_desc_t pd;
    char what[128];
    snprintf(what, sizeof what, "shape %dx%d to %d, layout %d, %s", (int)shape->batch, (int)shape->inputs,
             (int)shape->outputs, layout, c->name);
    array_fill_real(&p.src, 1);
    array_fill_real(&p.weights, 2);
    array_fill_real(&p.bias, 3);
    attr_run_init(&run, c, &p.src, &p.weights, &p.dst);
    MUST(product_create(&pd, &suite, &p, layout, run.attr));
    assert_int_not_equal(side_of(pd), 0);
    reference(&p, &run, side_of(pd), &error);
    run_implementation(pd, &(struct test_run){.what = what,
                                              .attr = &run,
                                              .reorder_inputs = true,
                                              .inputs = {{DNNL_ARG_SRC, &p.src},
                                                         {DNNL_ARG_WEIGHTS, &p.weights},
                                                         {DNNL_ARG_BIAS, &p.bias}},
                                              .outputs = {{DNNL_ARG_DST, &p.dst, .error = &error,
                                                           .before = attr_run_before(&run)}}});
    dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
    array_free(&error);
    product_free(&p);
}

static void results(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int a = 0; a < COUNT(attrs); a++)
            run_one(&shapes[s], &types[(s + a) % COUNT(types)], &attrs[a], (s + a) % PRODUCT_LAYOUTS);
    for (int s = 0; s < COUNT(large_shapes); s++)
        run_one(&large_shapes[s], &types[0], &attrs[4], 0);
    printf("%d runs with tiles of 2x2, %d of 4x4\n", runs_of("f32_winograd_2x2"),
           runs_of("f32_winograd_4x4"));
    assert_true(runs_of("f32_winograd_2x2") > 0 && runs_of("f32_winograd_4x4") > 0);
    assert_int_equal(failures, 0);
}

/* The reference of this file gives what the plain loop of all convolutions gives. */
static void reference_is_convolution(void **state) {
    (void)state;
    for (int side = 2; side <= 4; side += 2) {
        struct product p = images_make(&shapes[3], &types[0]);
        struct array plain = array_like(&p.dst, dnnl_f64), error = array_like(&p.dst, dnnl_f64);
        struct attr_run run;
        p.dst.type = dnnl_f64;
        array_fill_real(&p.src, 1);
        array_fill_real(&p.weights, 2);
        array_fill_real(&p.bias, 3);
        attr_run_init(&run, &attrs[0], &p.src, &p.weights, &p.dst);
        product_reference(&suite, &p, &run, &error);
        memcpy(plain.values, p.dst.values, (size_t)p.dst.count * sizeof(double));
        reference(&p, &run, side, &error);
        for (int64_t i = 0; i < p.dst.count; i++)
            assert_true(fabs(plain.values[i] - p.dst.values[i]) < 1e-12);
        attr_run_free(&run);
        array_free(&plain);
        array_free(&error);
        product_free(&p);
    }
}

/* Transformed weights. */

/* A descriptor of a convolution with 3x3 weights whose layouts are all `any`; `weights` instead of its own.
 */
static dnnl_status_t describe(dnnl_primitive_desc_t *pd, dnnl_dim_t channels, dnnl_dim_t size,
                              dnnl_alg_kind_t alg, const_dnnl_memory_desc_t weights) {
    const struct shape shape = SHAPE(1, channels, channels, size, size, 1, 1, 1, 1);
    struct product p = images_make(&shape, &types[1]);
    struct product_mds md = {md_of(&p.src, NULL), md_of(&p.weights, NULL), NULL, md_of(&p.dst, NULL)};
    struct product_mds given = md;
    if (weights) given.weights = (dnnl_memory_desc_t)weights;
    dnnl_status_t status = create(pd, &p, &given, dnnl_forward_inference, alg, NULL);
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.dst);
    product_free(&p);
    return status;
}

static dnnl_alg_kind_t alg_of(const_dnnl_primitive_desc_t pd) {
    dnnl_alg_kind_t alg;
    MUST(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg));
    return alg;
}

/* `auto` is what pays; the direct algorithm is what it is. */
static void algorithms(void **state) {
    static const struct {
        dnnl_dim_t channels, size;
        dnnl_alg_kind_t asked, given;
        int side;
    } rows[] = {
            {64, 56, dnnl_convolution_auto, dnnl_convolution_winograd, 4},
            {512, 7, dnnl_convolution_auto, dnnl_convolution_winograd, 2},
            {64, 5, dnnl_convolution_auto, dnnl_convolution_direct, 0},
            {3, 56, dnnl_convolution_auto, dnnl_convolution_direct, 0},
            {64, 5, dnnl_convolution_winograd, dnnl_convolution_winograd, 4},
            {64, 56, dnnl_convolution_direct, dnnl_convolution_direct, 0},
    };
    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        dnnl_primitive_desc_t pd;
        MUST(describe(&pd, rows[i].channels, rows[i].size, rows[i].asked, NULL));
        assert_int_equal(alg_of(pd), rows[i].given);
        assert_int_equal(side_of(pd), rows[i].side);
        dnnl_primitive_desc_destroy(pd);
    }
}

static void layout_is_opaque(void **state) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t copy, from_blob;
    dnnl_format_kind_t kind;
    const dnnl_dims_t *strides;
    uint8_t blob[2048];
    size_t size;
    (void)state;
    MUST(describe(&pd, 64, 56, dnnl_convolution_auto, NULL));
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    MUST(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind));
    assert_int_equal(kind, dnnl_format_kind_opaque);
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_strides, &strides), dnnl_invalid_arguments);
    assert_int_equal(dnnl_memory_desc_get_size(md), (36 + 9) * 64 * 64 * 4);
    MUST(dnnl_memory_desc_clone(&copy, md));
    assert_true(dnnl_memory_desc_equal(copy, md));
    MUST(dnnl_memory_desc_get_blob(NULL, &size, md));
    assert_true(size <= sizeof blob);
    MUST(dnnl_memory_desc_get_blob(blob, &size, md));
    MUST(dnnl_memory_desc_create_with_blob(&from_blob, blob));
    assert_true(dnnl_memory_desc_equal(from_blob, md));
    dnnl_memory_desc_destroy(copy);
    dnnl_memory_desc_destroy(from_blob);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_memory_t reordered(dnnl_memory_t from, const_dnnl_memory_desc_t to_md) {
    const_dnnl_memory_desc_t from_md;
    dnnl_primitive_desc_t pd;
    struct exec exec = {0};
    dnnl_memory_t to = memory_new(to_md, NULL);
    MUST(dnnl_memory_get_memory_desc(from, &from_md));
    MUST(dnnl_reorder_primitive_desc_create(&pd, from_md, test_engine(), to_md, test_engine(), NULL));
    exec_borrow(&exec, DNNL_ARG_FROM, from);
    exec_borrow(&exec, DNNL_ARG_TO, to);
    MUST(exec_run(&exec, pd));
    exec_free(&exec);
    dnnl_primitive_desc_destroy(pd);
    return to;
}

/* Reorders give weights back as they were, also from one form through another. */
static void weights_come_back(void **state) {
    static const char *const tags[] = {"abcd", "Acdb32a"};
    dnnl_primitive_desc_t pd, other;
    (void)state;
    MUST(describe(&pd, 512, 7, dnnl_convolution_winograd, NULL));
    MUST(describe(&other, 512, 56, dnnl_convolution_winograd, NULL));
    struct array weights = array_new(4, (dnnl_dims_t){512, 512, 3, 3}, dnnl_f32),
                 back = array_like(&weights, dnnl_f32);
    array_fill(&weights, 1, 7);
    for (int i = 0; i < COUNT(tags); i++) {
        dnnl_memory_desc_t md = md_of(&weights, tags[i]);
        dnnl_memory_t chain[4] = {memory_new(md, &weights)};
        chain[1] = reordered(chain[0], dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0));
        chain[2] = reordered(chain[1], dnnl_primitive_desc_query_md(other, dnnl_query_weights_md, 0));
        chain[3] = reordered(chain[2], md);
        assert_true(memory_read(chain[3], &back));
        for (int64_t k = 0; k < weights.count; k++)
            assert_true(back.values[k] == weights.values[k]);
        for (int k = 0; k < COUNT(chain); k++)
            dnnl_memory_destroy(chain[k]);
        dnnl_memory_desc_destroy(md);
    }
    array_free(&weights);
    array_free(&back);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(other);
}

/* Weights of another form are not these, and no other algorithm reads them. */
static void bad_use(void **state) {
    dnnl_primitive_desc_t pd, other, none = NULL;
    dnnl_primitive_attr_t attr;
    (void)state;
    MUST(describe(&pd, 512, 7, dnnl_convolution_winograd, NULL));
    MUST(describe(&other, 512, 56, dnnl_convolution_winograd, NULL));
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    const_dnnl_memory_desc_t large = dnnl_primitive_desc_query_md(other, dnnl_query_weights_md, 0);
    dnnl_memory_desc_t plain = md_new(4, (dnnl_dims_t){512, 512, 3, 3}, dnnl_f32, "abcd");
    dnnl_engine_t engine = test_engine();
    assert_false(dnnl_memory_desc_equal(md, large));
    assert_int_equal(describe(&none, 512, 7, dnnl_convolution_direct, md), dnnl_unimplemented);
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    assert_int_equal(dnnl_reorder_primitive_desc_create(&none, plain, engine, md, engine, attr),
                     dnnl_unimplemented);
    dnnl_primitive_attr_destroy(attr);
    /* A user who transformed weights once may use them for images of any size. */
    MUST(describe(&none, 512, 56, dnnl_convolution_auto, md));
    assert_int_equal(side_of(none), 2);
    dnnl_primitive_desc_destroy(none);
    dnnl_memory_desc_destroy(plain);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(other);
}

/* Windows that it is not for. */
static void refused(void **state) {
    static const struct shape others[] = {
            {2, 0, 1, 16, 16, {8, 8}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false},
            {2, 0, 1, 16, 16, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},
            {2, 0, 1, 16, 16, {8, 8}, {5, 5}, {1, 1}, {0, 0}, {2, 2}, {2, 2}, false},
            {2, 2, 1, 16, 16, {8, 8}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
            {1, 0, 1, 16, 16, {8}, {3}, {1}, {0}, {1}, {1}, false},
    };
    (void)state;
    for (int i = 0; i < COUNT(others); i++) {
        struct product p = images_make(&others[i], &types[0]);
        dnnl_primitive_desc_t pd = NULL;
        assert_int_equal(product_create(&pd, &suite, &p, 0, NULL), dnnl_unimplemented);
        product_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(reference_is_convolution),
            cmocka_unit_test(results),
            cmocka_unit_test(algorithms),
            cmocka_unit_test(layout_is_opaque),
            cmocka_unit_test(weights_come_back),
            cmocka_unit_test(bad_use),
            cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
