/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch, layer and group normalisation, forward, against plain loops in double: shapes x layouts x flags x
 * types x attributes, with their statistics and workspaces, on every implementation that takes the problem.
 */
#include "primitives/normalizations.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All tensors of a problem. Arrays that it does not have are without values. */
struct tensors {
    struct array src, other, mean, variance, scale, shift, dst, dst_error, mean_error, variance_error, mask;
};

/* Mean and variance of every statistic. */
static void measure(const struct problem *p, struct tensors *t) {
    struct sum *sums = calloc((size_t)t->mean.count, sizeof *sums),
               *squares = calloc((size_t)t->mean.count, sizeof *squares);
    dnnl_dims_t at = {0};
    do
        sum_add(&sums[statistic_of(p, &t->src, at)], array_at(&t->src, at));
    while (next_position(t->src.ndims, t->src.dims, at));
    for (int64_t i = 0; i < t->mean.count; i++) {
        struct bounded mean = bounded_div(sum_of_terms(&sums[i]), exactly((double)sums[i].terms));
        if (p->exact_means) mean = exactly(mean.value);
        store_bounded(p->flags & dnnl_rms_norm ? exactly(0) : mean, i, &t->mean, &t->mean_error);
    }
    do {
        int64_t i = statistic_of(p, &t->src, at);
        struct bounded mean = {t->mean.values[i], t->mean_error.values[i]};
        struct bounded d = exactly(array_at(&t->src, at));
        if (!(p->flags & dnnl_rms_norm)) d = bounded_sub(d, mean);
        sum_add_bounded(&squares[i], bounded_mul(d, d));
    } while (next_position(t->src.ndims, t->src.dims, at));
    for (int64_t i = 0; i < t->mean.count; i++)
        store_bounded(bounded_div(sum_of_terms(&squares[i]), exactly((double)squares[i].terms)), i,
                      &t->variance, &t->variance_error);
    free(sums);
    free(squares);
}

static struct bounded element(const struct problem *p, const struct tensors *t, const dnnl_dim_t *at) {
    int64_t i = statistic_of(p, &t->src, at);
    dnnl_dim_t channel = at[channel_dim(p, &t->src)];
    struct bounded mean = {t->mean.values[i], t->mean_error.values[i]},
                   variance = {t->variance.values[i], t->variance_error.values[i]};
    struct bounded root = bounded_function(sqrt, bounded_add(variance, exactly((double)epsilon)), ULPS_SQRT);
    struct bounded x = exactly(array_at(&t->src, at));
    if (!(p->flags & dnnl_rms_norm)) x = bounded_sub(x, mean);
    x = bounded_mul(x, bounded_div(exactly(1), root));
    if (t->scale.values) x = bounded_mul(x, exactly(t->scale.values[channel]));
    if (t->shift.values) x = bounded_add(x, exactly(t->shift.values[channel]));
    return t->other.values ? bounded_add(x, exactly(array_at(&t->other, at))) : x;
}

static void reference(const struct problem *p, struct tensors *t, const struct attr_run *run) {
    dnnl_dims_t at = {0};
    if (t->src.count == 0) return;
    if (!(p->flags & dnnl_use_global_stats)) measure(p, t);
    do {
        struct bounded x = element(p, t, at);
        int64_t i = array_index(&t->dst, at);
        if (t->mask.values) t->mask.values[i] = x.value > 0;
        if (p->flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu)) x = bounded_max(x, exactly(0));
        store_bounded(attr_run_apply(run, x, 0, 0, at), i, &t->dst, &t->dst_error);
    } while (next_position(t->src.ndims, t->src.dims, at));
}

/* Sizes and numbers. */

static void make_tensors(struct tensors *t, const struct problem *p, const struct array *src,
                         dnnl_data_type_t dst_type) {
    dnnl_data_type_t weights = p->weights_type ? p->weights_type : dnnl_f32;
    bool given = p->flags & dnnl_use_global_stats;
    *t = (struct tensors){.src = *src};
    t->dst = array_like(src, dst_type);
    t->dst_error = array_like(src, dnnl_f64);
    t->mean = statistics_new(p, src, dnnl_f32);
    t->variance = array_like(&t->mean, dnnl_f32);
    t->mean_error = array_like(&t->mean, dnnl_f64);
    t->variance_error = array_like(&t->mean, dnnl_f64);
    if (given) {
        array_fill(&t->mean, 2, 5);
        array_fill(&t->variance, 3, 6);
        for (int64_t i = 0; i < t->mean.count; i++)
            t->variance.values[i] = fabs(t->variance.values[i]) + 0.25;
    }
    if (p->flags & dnnl_use_scale) t->scale = array_new(1, &src->dims[channel_dim(p, src)], weights);
    if (p->flags & dnnl_use_shift) t->shift = array_new(1, &src->dims[channel_dim(p, src)], weights);
    if (t->scale.values) array_fill_real(&t->scale, 7);
    if (t->shift.values) array_fill_real(&t->shift, 8);
    if (p->flags & dnnl_fuse_norm_add_relu) t->other = array_like(src, src->type);
    if (t->other.values) array_fill(&t->other, 2, 9);
    bool relu = p->flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
    if (relu && p->prop == dnnl_forward_training) t->mask = array_like(src, dnnl_u8);
}

/* src belongs to the caller. */
static void free_tensors(struct tensors *t) {
    struct array *all[] = {&t->other, &t->mean,      &t->variance,   &t->scale,          &t->shift,
                           &t->dst,   &t->dst_error, &t->mean_error, &t->variance_error, &t->mask};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

/* What goes in and comes out. The workspace is not read: what it holds is the library's business, and is
 * checked by the backward pass; here it must only be there. */
static struct test_run run_of(const struct problem *p, struct tensors *t, const struct attr_run *attr,
                              const char *what) {
    struct test_run run = {.what = what, .attr = attr};
    bool given = p->flags & dnnl_use_global_stats, rms = p->flags & dnnl_rms_norm,
         stored = !given && p->prop == dnnl_forward_training;
    int n = 0;
    run.inputs[n++] = (struct input){DNNL_ARG_SRC, &t->src, NULL};
    if (t->other.values) run.inputs[n++] = (struct input){DNNL_ARG_SRC_1, &t->other, NULL};
    if (t->scale.values) run.inputs[n++] = (struct input){DNNL_ARG_SCALE, &t->scale, NULL};
    if (t->shift.values) run.inputs[n++] = (struct input){DNNL_ARG_SHIFT, &t->shift, NULL};
    if (given && !rms) run.inputs[n++] = (struct input){DNNL_ARG_MEAN, &t->mean, NULL};
    if (given) run.inputs[n++] = (struct input){DNNL_ARG_VARIANCE, &t->variance, NULL};
    n = 0;
    run.outputs[n++] = (struct output){
            .arg = DNNL_ARG_DST,
            .expected = &t->dst,
            .error = &t->dst_error,
            .in_place_of = p->in_place ? DNNL_ARG_SRC : 0,
    };
    if (stored && !rms)
        run.outputs[n++] =
                (struct output){.arg = DNNL_ARG_MEAN, .expected = &t->mean, .error = &t->mean_error};
    if (stored)
        run.outputs[n++] = (struct output){
                .arg = DNNL_ARG_VARIANCE, .expected = &t->variance, .error = &t->variance_error};
    return run;
}

static const struct attr_case plain = {.name = "plain"};

/* The workspace must say which results are positive, in the order of dst in memory; plain layouts only. */
static void check_workspace(const struct exec *exec, const struct tensors *t, const struct problem *p,
                            const char *what) {
    dnnl_memory_t memory = exec_find(exec, DNNL_ARG_WORKSPACE);
    if (!memory || strcmp(p->src_tag, "abcd") != 0 || test_peer()) return;
    struct array bytes = array_new(1, &t->mask.count, dnnl_u8);
    int64_t wrong = 0;
    memory_read(memory, &bytes);
    /* Results within their error of 0 may go either way. */
    for (int64_t i = 0; i < bytes.count; i++)
        wrong += bytes.values[i] != t->mask.values[i] && fabs(t->dst.values[i]) > t->dst_error.values[i];
    if (wrong) failure("%s: %lld wrong elements in the workspace", what, (long long)wrong);
    array_free(&bytes);
}

static void run_problem(const struct problem *p, const struct array *src, dnnl_data_type_t dst_type,
                        const struct attr_case *c) {
    static const char *const kinds[] = {"batch", "layer", "group"};
    struct tensors t;
    struct attr_run attr;
    make_tensors(&t, p, src, dst_type);
    attr_run_init(&attr, c, src, src, &t.dst);
    reference(p, &t, &attr);
    char what[256];
    snprintf(what, sizeof what,
             "%s, propagation 0x%x, flags 0x%x, %lldx%lldx%lld… in %lld, %d %s to %d %s, %s%s",
             kinds[p->kind], (unsigned)p->prop, p->flags, (long long)src->dims[0], (long long)src->dims[1],
             (long long)(src->ndims > 2 ? src->dims[2] : 1), (long long)p->groups, (int)src->type, p->src_tag,
             (int)dst_type, p->dst_tag ? p->dst_tag : "any", c->name, p->in_place ? ", in place" : "");
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = normalization_desc(&pd, p, p->prop, &t.src, &t.dst, &t.mean, attr.attr);
    struct test_run run = run_of(p, &t, &attr, what);
    struct exec extra = {0};
    add_workspace(&extra, status, pd, src);
    run.extra = &extra;
    bool refused = test_peer() && status == dnnl_unimplemented;
    if (!refused) run_implementations(status, pd, &run);
    check_workspace(&extra, &t, p, what);
    exec_free(&extra);
    attr_run_free(&attr);
    free_tensors(&t);
}

static const dnnl_prop_kind_t props[] = {dnnl_forward_inference, dnnl_forward_training};

static void run_shape(enum kind kind, const struct shape *shape, const char *tag, unsigned seed) {
    struct array src = array_new(shape->ndims, shape->dims, dnnl_f32);
    array_fill_real(&src, seed);
    for (int64_t i = 0; i < src.count; i++)
        src.values[i] = (double)(float)(src.values[i] * 2 + 1);
    for (int f = 0; f < normalization_flags[kind].count; f++)
        for (int k = 0; k < COUNT(props); k++) {
            struct problem p = {.kind = kind,
                                .prop = props[k],
                                .flags = normalization_flags[kind].flags[f],
                                .groups = shape->groups,
                                .src_tag = tag};
            run_problem(&p, &src, dnnl_f32, &plain);
            p.dst_tag = tag;
            p.in_place = true;
            run_problem(&p, &src, dnnl_f32, &plain);
            p.in_place = false;
            p.dst_tag = shape->tags[0];
            if (kind != BATCH) run_problem(&p, &src, dnnl_f32, &plain);
        }
    array_free(&src);
}

static void run_shapes(enum kind kind) {
    const struct shape *shapes = normalization_shapes[kind];
    failures = 0;
    for (int s = 0; shapes[s].ndims > 0; s++)
        for (int t = 0; shapes[s].tags[t]; t++)
            run_shape(kind, &shapes[s], shapes[s].tags[t], (unsigned)(s + t));
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void layer_shapes(void **state) {
    (void)state;
    run_shapes(LAYER);
}

/* Types. */

static void run_types(enum kind kind, const struct shape *shape, const dnnl_data_type_t *types, int count) {
    failures = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            if (kind == BATCH && i != k) continue;
            struct array src = array_new(shape->ndims, shape->dims, types[i]);
            array_fill(&src, 3, (unsigned)(i + k));
            for (int t = 0; shape->tags[t]; t++)
                for (int given = 0; given < 2; given++) {
                    unsigned flags = dnnl_use_scale | dnnl_use_shift | (given ? dnnl_use_global_stats : 0);
                    if (kind == BATCH && is_integer(types[i]) && !given) continue;
                    struct problem p = {.kind = kind,
                                        .prop = dnnl_forward_inference,
                                        .flags = flags,
                                        .groups = shape->groups,
                                        .src_tag = shape->tags[t],
                                        .dst_tag = shape->tags[t]};
                    run_problem(&p, &src, types[k], &plain);
                }
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

static const dnnl_data_type_t all_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
static const struct attr_case attr_cases[] = {
        {.name = "post-ops",
         .ops = {ELTWISE(dnnl_eltwise_linear, 2, 1), BINARY(dnnl_binary_mul, 2), BINARY(dnnl_binary_add, 1)}},
        {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0, 0)}},
        {.name = "scale of src", .src_scale = 0.5f},
        {.name = "both", .src_scale = 2, .dst_scale = 1.0f / 32, .ops = {BINARY(dnnl_binary_add, 3)}},
        {.name = "host scalars", .src_scale = 2, .dst_scale = 1.0f / 64, .host_scalars = true},
};

static void run_attributes(enum kind kind, const struct shape *shape) {
    failures = 0;
    for (int c = 0; c < COUNT(attr_cases); c++) {
        bool scales = attr_cases[c].src_scale != 0;
        struct array src = array_new(shape->ndims, shape->dims, scales ? dnnl_s8 : dnnl_f32);
        array_fill(&src, 3, (unsigned)c);
        for (int t = 0; shape->tags[t]; t++) {
            struct problem p = {.kind = kind,
                                .prop = dnnl_forward_inference,
                                .flags = dnnl_use_scale | dnnl_use_shift,
                                .groups = shape->groups,
                                .src_tag = shape->tags[t],
                                .dst_tag = shape->tags[t]};
            run_problem(&p, &src, scales ? dnnl_u8 : dnnl_f32, &attr_cases[c]);
        }
        array_free(&src);
    }
    assert_int_equal(failures, 0);
}

static void layer_types(void **state) {
    (void)state;
    static const struct shape shape = {3, {3, 21, 34}, 0, {"abc", "acb", "aBc16b"}};
    run_types(LAYER, &shape, all_types, COUNT(all_types));
}

/* Statistics of other layouts; scales and shifts of other types. */
static void layer_weights(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 4, 21};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    static const char *const tags[] = {"ab", "ba"};
    for (int i = 0; i < COUNT(types); i++)
        for (int t = 0; t < COUNT(tags); t++)
            for (int given = 0; given < 2; given++) {
                struct array src = array_new(3, dims, dnnl_f32);
                array_fill_real(&src, (unsigned)i);
                struct problem p = {.kind = LAYER,
                                    .prop = dnnl_forward_training,
                                    .flags = dnnl_use_scale | dnnl_use_shift
                                             | (given ? dnnl_use_global_stats : 0),
                                    .src_tag = "abc",
                                    .dst_tag = "bac",
                                    .stat_tag = tags[t],
                                    .weights_type = types[i]};
                run_problem(&p, &src, dnnl_f32, &plain);
                array_free(&src);
            }
    assert_int_equal(failures, 0);
}

static void layer_attributes(void **state) {
    (void)state;
    static const struct shape shape = {3, {3, 4, 34}, 0, {"abc", "bac"}};
    run_attributes(LAYER, &shape);
}

/* A variance far below the square of the mean must not drown in rounding errors. All sums and means are exact
 * here, in any order, so what is left is the error of the sum of squares. */
static void large_means(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {4, 6, 16, 16};
    static const char *const tags[] = {"abcd", "acdb"};
    for (int kind = 0; kind < 3; kind++)
        for (int t = 0; t < COUNT(tags); t++) {
            struct array src = array_new(4, dims, dnnl_f32);
            array_fill(&src, 2, 3);
            for (int64_t i = 0; i < src.count; i++)
                src.values[i] += 4096;
            struct problem p = {.kind = (enum kind)kind,
                                .prop = dnnl_forward_training,
                                .groups = 3,
                                .src_tag = tags[t],
                                .dst_tag = tags[t],
                                .exact_means = true};
            run_problem(&p, &src, dnnl_f32, &plain);
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

static void batch_shapes(void **state) {
    (void)state;
    run_shapes(BATCH);
}

static void batch_types(void **state) {
    (void)state;
    static const struct shape shape = {4, {3, 21, 3, 4}, 0, {"abcd", "acdb", "aBcd16b"}};
    run_types(BATCH, &shape, all_types, COUNT(all_types) - 1);
}

static void batch_attributes(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {2, 19, 3, 5};
    static const struct attr_case relu = {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0, 0)}};
    struct array src = array_new(4, dims, dnnl_f32);
    array_fill(&src, 3, 1);
    run_problem(&(struct problem){.kind = BATCH,
                                  .prop = dnnl_forward_inference,
                                  .flags = dnnl_use_global_stats | dnnl_use_scale,
                                  .src_tag = "acdb"},
                &src, dnnl_f32, &relu);
    array_free(&src);
    assert_int_equal(failures, 0);
}

static void group_shapes(void **state) {
    (void)state;
    run_shapes(GROUP);
}

static void group_types(void **state) {
    (void)state;
    static const struct shape shape = {4, {3, 24, 3, 4}, 3, {"abcd", "acdb", "aBcd8b"}};
    run_types(GROUP, &shape, all_types, COUNT(all_types));
}

static void group_attributes(void **state) {
    (void)state;
    static const struct shape shape = {4, {3, 24, 3, 4}, 3, {"abcd", "acdb"}};
    run_attributes(GROUP, &shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(batch_shapes),     cmocka_unit_test(batch_types),
            cmocka_unit_test(batch_attributes), cmocka_unit_test(layer_shapes),
            cmocka_unit_test(layer_types),      cmocka_unit_test(layer_weights),
            cmocka_unit_test(layer_attributes), cmocka_unit_test(group_shapes),
            cmocka_unit_test(group_types),      cmocka_unit_test(group_attributes),
            cmocka_unit_test(large_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
