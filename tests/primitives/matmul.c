/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products against plain loops: shapes x types x attributes x layouts, on every implementation that
 * takes the problem; quantisation by groups; weights of few bits; sizes that are known only at execution.
 */
#include "primitives/product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct shape {
    int ndims;
    dnnl_dims_t src, weights, dst, bias;
};

static const struct shape shapes[] = {
        {2, {3, 5}, {5, 4}, {3, 4}, {1, 4}},
        {2, {1, 40}, {40, 33}, {1, 33}, {1, 33}},
        {2, {17, 8}, {8, 2}, {17, 2}, {17, 1}},
        {2, {6, 1}, {1, 6}, {6, 6}, {1, 1}},
        {3, {2, 3, 4}, {2, 4, 6}, {2, 3, 6}, {1, 1, 6}},
        {3, {1, 3, 4}, {5, 4, 2}, {5, 3, 2}, {5, 1, 2}},
        {4, {2, 1, 3, 4}, {1, 3, 4, 2}, {2, 3, 3, 2}, {2, 3, 3, 2}},
        {5, {2, 1, 2, 2, 6}, {2, 3, 1, 6, 4}, {2, 3, 2, 2, 4}, {1, 1, 1, 1, 4}},
        {2, {4, 0}, {0, 4}, {4, 4}, {1, 4}}, /* K is 0 */
        {2, {75, 38}, {38, 70}, {75, 70}, {1, 70}},
        {3, {3, 20, 34}, {1, 34, 64}, {3, 20, 64}, {1, 1, 64}},
        {4, {2, 3, 16, 20}, {2, 3, 20, 34}, {2, 3, 16, 34}, {1, 1, 1, 34}}, /* attention */
        {4, {1, 2, 4, 140}, {1, 1, 140, 34}, {1, 2, 4, 34}, {1, 1, 4, 1}},
        {2, {0, 3}, {3, 4}, {0, 4}, {1, 4}},
        {2, {7, 37}, {37, 200}, {7, 200}, {1, 200}}, /* few rows, and many columns */
        {2, {7, 128}, {128, 37}, {7, 37}, {1, 37}},  /* few rows, and whole vectors along the sum */
        {2, {5, 1152}, {1152, 6}, {5, 6}, {1, 6}},
        {2, {8, 130}, {130, 256}, {8, 256}, {1, 256}},  /* rows of weights that are far apart */
        {2, {1, 66}, {66, 4096}, {1, 4096}, {1, 4096}}, /* several units of channels at a time */
        {3, {2, 1, 70}, {2, 70, 128}, {2, 1, 128}, {1, 1, 128}},
        {3, {2, 35, 101}, {2, 101, 40}, {2, 35, 40}, {1, 1, 40}}, /* steps of matrix tiles with a rest */
};

static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32},
        {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_u8},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_f64, dnnl_f64, dnnl_data_type_undef, dnnl_f64},
        {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f16, dnnl_bf16},
        {dnnl_f8_e4m3, dnnl_f8_e4m3, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16},
        {dnnl_f32, dnnl_f16, dnnl_f16, dnnl_s8},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f8_e4m3},
        {dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_bf16, dnnl_f8_e5m2},
        {dnnl_f16, dnnl_f8_e4m3, dnnl_f32, dnnl_f16},
        {dnnl_bf16, dnnl_f4_e2m1, dnnl_f32, dnnl_f32},
        {dnnl_f8_e4m3, dnnl_f4_e2m1, dnnl_f32, dnnl_f32},
        {dnnl_f4_e2m1, dnnl_f8_e5m2, dnnl_f32, dnnl_bf16},
        {dnnl_f32, dnnl_f32, dnnl_s8, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_f32, dnnl_f64},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_u8},
        {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_u8},
        {dnnl_s8, dnnl_u8, dnnl_s8, dnnl_f16},
        {dnnl_f32, dnnl_s8, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_u8, dnnl_f32, dnnl_bf16},
        {dnnl_f16, dnnl_s4, dnnl_f32, dnnl_f16},
        {dnnl_f32, dnnl_u4, dnnl_data_type_undef, dnnl_f32},
        {dnnl_u8, dnnl_s4, dnnl_data_type_undef, dnnl_f32},
};

static const struct product_attr attrs[] = {
        {FOR_ALL, {.name = "plain"}},
        {FOR_ALL,
         {.name = "post-ops",
          .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0),
                  {.kind = dnnl_sum, .alpha = 0.5f},
                  BINARY(dnnl_binary_add, 3)}}},
        {FOR_ALL, {.name = "scales", .src_scale = 0.5f, .weights_scale = 2, .dst_scale = 0.25f}},
        {FOR_ALL, {.name = "scales by column", .src_scale = 2, .weights_scale = 0.5f, .weights_mask = -1}},
        PRODUCT_FUNCTIONS,
        {FOR_INTEGERS,
         {.name = "zero points",
          .src_zero_point = 1,
          .weights_zero_point = 2,
          .dst_zero_point = 3,
          .dst_scale = 2}},
        {FOR_INTEGERS,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .src_zero_point = 2,
          .dst_zero_point = 1,
          .host_scalars = true}},
};

static const char *const tags[PRODUCT_LAYOUTS][6] = {{NULL},
                                                     {0, 0, "ab", "abc", "abcd", "abcde"},
                                                     {0, 0, "ba", "acb", "adbc", "abced"},
                                                     {0, 0, "AB8b8a", "aBC4b4c", "abCD8c8d", "abcdE16e"}};

static struct product make_of(const struct shape *s, const struct product_types *t) {
    struct product p = {.src = array_new(s->ndims, s->src, t->src),
                        .weights = array_new(s->ndims, s->weights, t->weights),
                        .dst = array_new(s->ndims, s->dst, t->dst),
                        .channels = s->ndims - 1,
                        .by_channel = 1 << (s->ndims - 1)};
    if (t->bias) p.bias = array_new(s->ndims, s->bias, t->bias);
    return p;
}

static struct product make(int shape, const struct product_types *t) {
    return make_of(&shapes[shape], t);
}

/* The sum at one position of dst. */
static struct sum multiply(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out) {
    int n = p->dst.ndims;
    struct sum sum = {0};
    for (dnnl_dim_t k = 0; k < p->src.dims[n - 1]; k++) {
        dnnl_dims_t src = {0}, weights = {0};
        for (int d = 0; d < n; d++)
            src[d] = weights[d] = out[d];
        src[n - 1] = weights[n - 2] = k;
        sum_add(&sum, (array_at(&p->src, src) - attr_run_src_zero(run, src))
                              * (array_at(&p->weights, weights) - run->c->weights_zero_point));
    }
    return sum;
}

static struct product_tags tags_of(const struct product *p, int layout) {
    const char *tag = tags[layout][p->dst.ndims];
    return (struct product_tags){tag, tag, tags[1][p->dst.ndims], tag};
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    (void)p;
    return dnnl_matmul_primitive_desc_create(pd, test_engine(), md->src, md->weights, md->bias, md->dst,
                                             attr);
}

static const struct product_suite suite = {.ntypes = COUNT(types),
                                           .nshapes = COUNT(shapes),
                                           .nattrs = COUNT(attrs),
                                           .types = types,
                                           .attrs = attrs,
                                           .make = make,
                                           .sum = multiply,
                                           .tags = tags_of,
                                           .create = create};

/* Large enough to be rounded to bf16 where the math mode allows it. */
static const struct shape rounded_shapes[] = {
        {2, {40, 202}, {202, 140}, {40, 140}, {1, 140}},
        {3, {3, 65, 64}, {1, 64, 96}, {3, 65, 96}, {1, 1, 96}},
        {3, {2, 260, 34}, {2, 34, 70}, {2, 260, 70}, {1, 1, 70}},
};

static struct product make_rounded(int shape, const struct product_types *t) {
    return make_of(&rounded_shapes[shape], t);
}

static const struct product_suite rounded_suite = {.ntypes = PRODUCT_ROUNDED,
                                                   .nshapes = COUNT(rounded_shapes),
                                                   .nattrs = 5, /* those of real numbers */
                                                   .rounds = true,
                                                   .types = product_rounded,
                                                   .attrs = attrs,
                                                   .make = make_rounded,
                                                   .sum = multiply,
                                                   .tags = tags_of,
                                                   .create = create};

/* Products as gradients are: dst in rows, src or weights or both transposed. */

static struct product_tags transposed_tags(const struct product *p, int layout) {
    const int ndims = p->dst.ndims;
    const char *rows = tags[1][ndims], *columns = tags[2][ndims];
    const struct product_tags known[PRODUCT_LAYOUTS] = {{columns, rows, rows, rows},
                                                        {columns, columns, rows, rows},
                                                        {columns, NULL, rows, rows},
                                                        {rows, columns, rows, rows}};
    return known[layout];
}

static const struct product_types transposed_types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32},
};

static const struct product_suite transposed = {.ntypes = COUNT(transposed_types),
                                                .nshapes = COUNT(shapes),
                                                .nattrs = 1,
                                                .types = transposed_types,
                                                .attrs = attrs,
                                                .make = make,
                                                .sum = multiply,
                                                .tags = transposed_tags,
                                                .create = create};

/* Scales and zero points that change along K and N. */

struct group_case {
    const char *name;
    struct product_types types;
    dnnl_dims_t src_scale, weights_scale, weights_zero; /* groups along the two dimensions; 0: none */
    dnnl_data_type_t scale_type, zero_type;
};

static const struct group_case group_cases[] = {
        {"weights by K", {dnnl_f32, dnnl_s8, 0, dnnl_f32}, {0}, {16, 1}, {0}, dnnl_f32, dnnl_s32},
        {"weights by K and N", {dnnl_bf16, dnnl_u4, 0, dnnl_f32}, {0}, {32, 1}, {16, 1}, dnnl_f16, dnnl_u8},
        {"columns in groups", {dnnl_f16, dnnl_s4, 0, dnnl_f16}, {0}, {16, 16}, {16, 16}, dnnl_f16, dnnl_s8},
        {"f4 by K", {dnnl_f4_e2m1, dnnl_f4_e2m1, 0, dnnl_f32}, {1, 32}, {32, 1}, {0}, dnnl_e8m0, dnnl_s8},
        {"f8 by K", {dnnl_f8_e4m3, dnnl_f8_e5m2, 0, dnnl_bf16}, {1, 16}, {16, 1}, {0}, dnnl_f32, dnnl_s8},
        {"integers", {dnnl_u8, dnnl_s8, 0, dnnl_f32}, {1, 32}, {16, 1}, {0}, dnnl_f32, dnnl_s32},
        {"integers with zero points",
         {dnnl_s8, dnnl_s8, 0, dnnl_f32},
         {0},
         {32, 1},
         {16, 1},
         dnnl_f32,
         dnnl_s8},
};

/* Rows and columns: few by many, and others. */
static const dnnl_dims_t group_sizes[] = {{3, 128}, {9, 32}, {1, 320}};
enum { GROUP_K = 64 };

/* A parameter for each group of a matrix: which argument it is, and its values. */
struct grouped {
    int kind, arg;
    const dnnl_dim_t *groups; /* {0}: there is none */
    struct array array;
};

struct group_run {
    struct product p;
    struct grouped src_scales, weights_scales, zeros;
};

static void grouped_init(struct grouped *g, const struct array *matrix, dnnl_data_type_t type) {
    if (g->groups[0] == 0) return;
    dnnl_dims_t dims = {matrix->dims[0] / g->groups[0], matrix->dims[1] / g->groups[1]};
    g->array = array_new(2, dims, type);
    for (int64_t i = 0; i < g->array.count; i++)
        g->array.values[i] = g->kind == DNNL_ARG_ATTR_SCALES ? ldexp(1, (int)(i % 4) - 2) : (double)(i % 3);
}

static double grouped_at(const struct grouped *g, dnnl_dim_t row, dnnl_dim_t column, double none) {
    if (!g->array.values) return none;
    return g->array.values[row / g->groups[0] * g->array.dims[1] + column / g->groups[1]];
}

/* Adds the parameter to the attributes and the arguments. */
static void grouped_use(const struct grouped *g, dnnl_primitive_attr_t attr, struct exec *exec) {
    if (!g->array.values) return;
    if (g->kind == DNNL_ARG_ATTR_SCALES)
        dnnl_primitive_attr_set_scales(attr, g->arg, 3, 2, g->groups, g->array.type);
    else
        dnnl_primitive_attr_set_zero_points(attr, g->arg, 3, 2, g->groups, g->array.type);
    exec_add_array(exec, g->kind | g->arg, &g->array, "ab");
}

static void group_reference(struct group_run *r) {
    const double *src = r->p.src.values, *weights = r->p.weights.values;
    const dnnl_dim_t rows = r->p.dst.dims[0], columns = r->p.dst.dims[1];
    for (dnnl_dim_t m = 0; m < rows; m++)
        for (dnnl_dim_t n = 0; n < columns; n++) {
            double sum = 0;
            for (dnnl_dim_t k = 0; k < GROUP_K; k++)
                sum += src[m * GROUP_K + k] * grouped_at(&r->src_scales, m, k, 1)
                       * (weights[k * columns + n] - grouped_at(&r->zeros, k, n, 0))
                       * grouped_at(&r->weights_scales, k, n, 1);
            r->p.dst.values[m * columns + n] = sum;
        }
}

static struct group_run group_run_new(const struct group_case *g, const dnnl_dim_t *size) {
    struct group_run r = {.p = {.src = array_new(2, (dnnl_dims_t){size[0], GROUP_K}, g->types.src),
                                .weights = array_new(2, (dnnl_dims_t){GROUP_K, size[1]}, g->types.weights),
                                .dst = array_new(2, (dnnl_dims_t){size[0], size[1]}, g->types.dst)},
                          .src_scales = {DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC, g->src_scale, {0}},
                          .weights_scales = {DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS, g->weights_scale, {0}},
                          .zeros = {DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS, g->weights_zero, {0}}};
    product_fill(&r.p, 3);
    grouped_init(&r.src_scales, &r.p.src, g->scale_type);
    grouped_init(&r.weights_scales, &r.p.weights, g->scale_type);
    grouped_init(&r.zeros, &r.p.weights, g->zero_type);
    group_reference(&r);
    return r;
}

static void group_run_free(struct group_run *r) {
    product_free(&r->p);
    array_free(&r->src_scales.array);
    array_free(&r->weights_scales.array);
    array_free(&r->zeros.array);
}

static void run_groups(const struct group_case *g, const dnnl_dim_t *size, int layout) {
    static const struct attr_case plain = {.name = "groups"};
    struct group_run r = group_run_new(g, size);
    struct attr_run run;
    struct exec exec = {0};
    attr_run_init(&run, &plain, &r.p.src, &r.p.weights, &r.p.dst);
    product_allow(run.attr, &r.p);
    grouped_use(&r.src_scales, run.attr, &exec);
    grouped_use(&r.weights_scales, run.attr, &exec);
    grouped_use(&r.zeros, run.attr, &exec);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = product_create(&pd, &suite, &r.p, layout, run.attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = g->name,
                               .extra = &exec,
                               .inputs = {{DNNL_ARG_SRC, &r.p.src}, {DNNL_ARG_WEIGHTS, &r.p.weights}},
                               .outputs = {{DNNL_ARG_DST, &r.p.dst}}});
    exec_free(&exec);
    attr_run_free(&run);
    group_run_free(&r);
}

static void groups(void **state) {
    (void)state;
    enum { LAYOUTS = 3 }; /* any, rows, columns */
    for (int i = 0; i < COUNT(group_cases); i++)
        for (int n = 0; n < COUNT(group_sizes) * LAYOUTS; n++)
            run_groups(&group_cases[i], group_sizes[n / LAYOUTS], n % LAYOUTS);
    assert_int_equal(failures, 0);
}

/* One primitive whose sizes are open, executed with several sets of sizes. */

static dnnl_memory_desc_t open_md(dnnl_dim_t rows, dnnl_data_type_t type) {
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    dnnl_memory_desc_t md;
    assert_int_equal(dnnl_memory_desc_create_with_strides(&md, 2, (dnnl_dims_t){rows, open}, type,
                                                          (dnnl_dims_t){open, 1}),
                     dnnl_success);
    return md;
}

static dnnl_primitive_desc_t open_desc(const struct product *p, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src = open_md(DNNL_RUNTIME_DIM_VAL, p->src.type),
                       weights = open_md(DNNL_RUNTIME_DIM_VAL, p->weights.type),
                       dst = open_md(DNNL_RUNTIME_DIM_VAL, p->dst.type),
                       bias = p->bias.values ? open_md(1, p->bias.type) : NULL;
    assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, bias, dst, attr),
                     dnnl_success);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    if (bias) dnnl_memory_desc_destroy(bias);
    return pd;
}

static void run_open(struct product *p, const char *what) {
    static const struct attr_case relu = {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}};
    struct attr_run run;
    attr_run_init(&run, &relu, &p->src, &p->weights, &p->dst);
    product_allow(run.attr, p);
    product_reference(&suite, p, &run, NULL);
    dnnl_primitive_desc_t pd = open_desc(p, run.attr);
    run_implementation(pd, &(struct test_run){.what = what,
                                              .inputs = {{DNNL_ARG_SRC, &p->src, "ab"},
                                                         {DNNL_ARG_WEIGHTS, &p->weights, "ab"},
                                                         {DNNL_ARG_BIAS, &p->bias, "ab"}},
                                              .outputs = {{DNNL_ARG_DST, &p->dst, .tag = "ab"}}});
    dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
}

static void open_sizes(void **state) {
    (void)state;
    enum { SHAPES = 4 };
    for (int i = 0; i < COUNT(types) * SHAPES; i++) {
        const struct product_types *t = &types[i / SHAPES];
        struct product p = make(i % SHAPES, t);
        char what[64];
        snprintf(what, sizeof what, "open sizes, types %d, shape %d", i / SHAPES, i % SHAPES);
        product_fill(&p, (unsigned)i);
        if (!t->bias || (p.bias.dims[0] == 1 && p.bias.dims[1] != 1)) run_open(&p, what);
        product_free(&p);
    }
    assert_int_equal(failures, 0);
}

/* Only the number of rows is open: the library chooses the layout of weights, one for all numbers of rows. */

static dnnl_primitive_desc_t open_rows_desc(const struct product *p, const_dnnl_primitive_attr_t attr) {
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    dnnl_memory_desc_t src = md_new(2, (dnnl_dims_t){open, p->src.dims[1]}, p->src.type, "ab");
    dnnl_memory_desc_t dst = md_new(2, (dnnl_dims_t){open, p->dst.dims[1]}, p->dst.type, "ab");
    dnnl_memory_desc_t weights = md_of(&p->weights, NULL);
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, NULL, dst, attr),
                     dnnl_success);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
    return pd;
}

static void run_open_rows(dnnl_dim_t rows, const struct product_types *t, const char *what) {
    enum { K = 40, N = 33 };
    static const struct attr_case relu = {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}};
    struct product p = {.src = array_new(2, (dnnl_dims_t){rows, K}, t->src),
                        .weights = array_new(2, (dnnl_dims_t){K, N}, t->weights),
                        .dst = array_new(2, (dnnl_dims_t){rows, N}, t->dst)};
    struct attr_run run;
    struct exec exec = {0};
    product_fill(&p, (unsigned)rows);
    attr_run_init(&run, &relu, &p.src, &p.weights, &p.dst);
    product_allow(run.attr, &p);
    product_reference(&suite, &p, &run, NULL);
    dnnl_primitive_desc_t pd = open_rows_desc(&p, run.attr);
    const_dnnl_memory_desc_t chosen = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    exec_add(&exec, DNNL_ARG_WEIGHTS, memory_reordered(chosen, &p.weights));
    run_implementation(pd, &(struct test_run){.what = what,
                                              .extra = &exec,
                                              .inputs = {{DNNL_ARG_SRC, &p.src, "ab"}},
                                              .outputs = {{DNNL_ARG_DST, &p.dst, .tag = "ab"}}});
    dnnl_primitive_desc_destroy(pd);
    exec_free(&exec);
    attr_run_free(&run);
    product_free(&p);
}

static void open_rows(void **state) {
    (void)state;
    static const dnnl_dim_t rows[] = {1, 2, 50, 129};
    for (int i = 0; i < COUNT(types); i++)
        for (int r = 0; r < COUNT(rows); r++) {
            char what[64];
            snprintf(what, sizeof what, "open rows, types %d, %d rows", i, (int)rows[r]);
            run_open_rows(rows[r], &types[i], what);
        }
    assert_int_equal(failures, 0);
}

/* Factors of f32 become bf16 where the math mode allows it, and only there. These are numbers that both have.
 */

static void run_mode(dnnl_fpmath_mode_t mode, bool rounds) {
    struct product p = {.src = array_new(2, (dnnl_dims_t){140, 130}, dnnl_f32),
                        .weights = array_new(2, (dnnl_dims_t){130, 70}, dnnl_f32),
                        .dst = array_new(2, (dnnl_dims_t){140, 70}, dnnl_f32)};
    struct attr_run run;
    static const struct attr_case plain = {.name = "plain"};
    dnnl_primitive_desc_t pd;
    const char *info = "";
    product_fill(&p, (unsigned)mode);
    attr_run_init(&run, &plain, &p.src, &p.weights, &p.dst);
    product_reference(&suite, &p, &run, NULL);
    assert_int_equal(dnnl_primitive_attr_set_fpmath_mode(run.attr, mode), dnnl_success);
    const struct product_mds md = {md_of(&p.src, "ab"), md_of(&p.weights, "ab"), NULL, md_of(&p.dst, "ab")};
    const dnnl_status_t status = create(&pd, &p, &md, run.attr);
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
    assert_int_equal(strcmp(info, "bf16_gemm_moved") == 0, rounds && product_has_tiles());
    run_implementations(status, pd,
                        &(struct test_run){.what = "math mode",
                                           .attr = &run,
                                           .inputs = {{DNNL_ARG_SRC, &p.src}, {DNNL_ARG_WEIGHTS, &p.weights}},
                                           .outputs = {{DNNL_ARG_DST, &p.dst}}});
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.dst);
    attr_run_free(&run);
    product_free(&p);
}

static void math_modes(void **state) {
    (void)state;
    run_mode(dnnl_fpmath_mode_strict, false);
    run_mode(dnnl_fpmath_mode_f16, false);
    run_mode(dnnl_fpmath_mode_tf32, false);
    run_mode(dnnl_fpmath_mode_bf16, true);
    run_mode(dnnl_fpmath_mode_any, true);
    assert_int_equal(failures, 0);
}

/* Blocks of several panels, more rows than are multiplied without packing plain weights, weights that are
 * turned in whole vectors, and, in the layout that the library chooses, several panels of a work-item. */

static void run_large(const dnnl_dim_t size[3], const char *tag, const struct attr_case *attr) {
    struct product p = {.src = array_new(2, (dnnl_dims_t){size[0], size[1]}, dnnl_f32),
                        .weights = array_new(2, (dnnl_dims_t){size[1], size[2]}, dnnl_f32),
                        .dst = array_new(2, (dnnl_dims_t){size[0], size[2]}, dnnl_f32)};
    dnnl_memory_desc_t src = md_of(&p.src, "ab"), weights = md_of(&p.weights, tag), dst = md_of(&p.dst, "ab");
    dnnl_primitive_desc_t pd;
    struct attr_run run;
    struct exec exec = {0};
    char what[64];
    snprintf(what, sizeof what, "%d x %d x %d, weights %s, %s", (int)size[0], (int)size[1], (int)size[2],
             tag ? tag : "any", attr->name);
    product_fill(&p, (unsigned)size[0]);
    attr_run_init(&run, attr, &p.src, &p.weights, &p.dst);
    product_reference(&suite, &p, &run, NULL);
    assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, NULL, dst, run.attr),
                     dnnl_success);
    const_dnnl_memory_desc_t chosen = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    exec_add(&exec, DNNL_ARG_WEIGHTS, memory_reordered(chosen, &p.weights));
    run_implementation(pd, &(struct test_run){.what = what,
                                              .extra = &exec,
                                              .inputs = {{DNNL_ARG_SRC, &p.src, "ab"}},
                                              .outputs = {{DNNL_ARG_DST, &p.dst, .tag = "ab"}}});
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    exec_free(&exec);
    attr_run_free(&run);
    product_free(&p);
}

static void large(void **state) {
    (void)state;
    static const dnnl_dim_t sizes[][3] = {{61, 140, 1030}, {253, 20, 70},  {300, 34, 70},
                                          {30, 48, 96},    {16, 20, 4090}, {300, 70, 1000}};
    static const char *const layouts[] = {"ab", "ba", NULL};
    static const struct attr_case ends[] = {{.name = "plain"},
                                            {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}}};
    for (int i = 0; i < COUNT(sizes) * COUNT(layouts) * COUNT(ends); i++)
        run_large(sizes[i / 2 / COUNT(layouts)], layouts[i / 2 % COUNT(layouts)], &ends[i % 2]);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite),         PRODUCT_TESTS(&transposed),
                                       PRODUCT_TESTS(&rounded_suite), cmocka_unit_test(groups),
                                       cmocka_unit_test(open_sizes),  cmocka_unit_test(open_rows),
                                       cmocka_unit_test(math_modes),  cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
