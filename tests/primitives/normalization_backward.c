/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch, layer and group normalisation, backward, against plain loops in double: shapes x layouts x flags x
 * types, after a forward primitive that gives statistics and workspace, on every implementation that takes
 * the problem; what must be refused.
 */
#include "primitives/normalizations.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* All tensors of a problem. Arrays that it does not have are without values. */
struct tensors {
    struct array src, other, scale, shift, dst;                             /* forward */
    struct array mean, variance, diff_dst;                                  /* backward, inputs */
    struct array diff_src, diff_scale, diff_shift, diff_other;              /* and results, */
    struct array diff_src_error, diff_scale_error, diff_shift_error, empty; /* and their errors */
};

static bool has_relu(const struct problem *p) {
    return p->flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
}

/* Forward: statistics and the results that a ReLU passes on. */

static void make_inputs(struct tensors *t, const struct problem *p, const struct array *src,
                        const dnnl_data_type_t *types) {
    const dnnl_data_type_t weights = p->weights_type ? p->weights_type : dnnl_f32;
    const int channel = channel_dim(p, src);
    *t = (struct tensors){.src = *src, .dst = array_like(src, src->type)};
    t->mean = statistics_new(p, src, dnnl_f32);
    t->variance = array_like(&t->mean, dnnl_f32);
    array_fill(&t->mean, 2, 5);
    array_fill(&t->variance, 3, 6);
    for (int64_t i = 0; i < t->mean.count; i++)
        t->variance.values[i] = fabs(t->variance.values[i]) + 0.25;
    if (p->flags & dnnl_use_scale) t->scale = array_new(1, &src->dims[channel], weights);
    if (p->flags & dnnl_use_shift) t->shift = array_new(1, &src->dims[channel], weights);
    if (t->scale.values) array_fill_real(&t->scale, 7);
    if (t->shift.values) array_fill_real(&t->shift, 8);
    if (p->flags & dnnl_fuse_norm_add_relu) t->other = array_like(src, src->type);
    if (t->other.values) array_fill(&t->other, 2, 9);
    t->diff_dst = array_like(src, types[1]);
    array_fill_real(&t->diff_dst, 10);
}

static void add_statistic(struct exec *exec, const_dnnl_primitive_desc_t pd, int arg,
                          const struct array *array) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    exec_add(exec, arg, memory_new(md, array));
}

static void add_forward_inputs(struct exec *exec, const struct problem *p, const struct tensors *t,
                               const_dnnl_primitive_desc_t pd) {
    exec_add_array(exec, DNNL_ARG_SRC, &t->src, p->src_tag);
    if (t->other.values) add_statistic(exec, pd, DNNL_ARG_SRC_1, &t->other);
    if (t->scale.values) exec_add_array(exec, DNNL_ARG_SCALE, &t->scale, "a");
    if (t->shift.values) exec_add_array(exec, DNNL_ARG_SHIFT, &t->shift, "a");
    add_statistic(exec, pd, DNNL_ARG_DST, NULL);
    if (!(p->flags & dnnl_rms_norm)) add_statistic(exec, pd, DNNL_ARG_MEAN, &t->mean);
    add_statistic(exec, pd, DNNL_ARG_VARIANCE, &t->variance);
}

/* Runs the forward primitive: its workspace is added to `kept`, its statistics and dst are read back. */
static dnnl_status_t run_forward(const struct problem *p, struct tensors *t, dnnl_primitive_desc_t *pd,
                                 struct exec *kept) {
    struct exec exec = {0};
    dnnl_status_t status = normalization_desc(pd, p, dnnl_forward_training, &t->src, &t->dst, &t->mean, NULL);
    if (status != dnnl_success) return status;
    add_workspace(kept, status, *pd, &t->src);
    add_forward_inputs(&exec, p, t, *pd);
    if (kept->nargs) exec_borrow(&exec, DNNL_ARG_WORKSPACE, exec_find(kept, DNNL_ARG_WORKSPACE));
    status = exec_run(&exec, *pd);
    if (t->src.count > 0) {
        memory_read(exec_find(&exec, DNNL_ARG_DST), &t->dst);
        if (!(p->flags & dnnl_rms_norm)) memory_read(exec_find(&exec, DNNL_ARG_MEAN), &t->mean);
        memory_read(exec_find(&exec, DNNL_ARG_VARIANCE), &t->variance);
    }
    exec_free(&exec);
    return status;
}

/* The reference. */

static struct bounded gradient_at(const struct problem *p, const struct tensors *t, const dnnl_dim_t *at) {
    bool passed = !has_relu(p) || array_at(&t->dst, at) > 0;
    return exactly(passed ? array_at(&t->diff_dst, at) : 0);
}

static struct bounded distance_at(const struct problem *p, const struct tensors *t, const dnnl_dim_t *at) {
    struct bounded x = exactly(array_at(&t->src, at));
    if (p->flags & dnnl_rms_norm) return x;
    return bounded_sub(x, exactly(t->mean.values[statistic_of(p, &t->src, at)]));
}

static struct bounded scale_at(const struct problem *p, const struct tensors *t, const dnnl_dim_t *at) {
    return exactly(t->scale.values ? t->scale.values[at[channel_dim(p, &t->src)]] : 1);
}

static struct bounded factor_at(const struct problem *p, const struct tensors *t, const dnnl_dim_t *at) {
    struct bounded variance = exactly(t->variance.values[statistic_of(p, &t->src, at)]);
    return bounded_div(exactly(1),
                       bounded_function(sqrt, bounded_add(variance, exactly((double)epsilon)), ULPS_SQRT));
}

/* Sums over statistics of diff_dst * scale, alone and times the distance from the mean; and over channels. */
struct sums {
    struct sum *first, *second, *scale, *shift;
};

static void add_up(const struct problem *p, const struct tensors *t, struct sums *sums) {
    dnnl_dims_t at = {0};
    do {
        struct bounded d = gradient_at(p, t, at), distance = distance_at(p, t, at);
        struct bounded scaled = bounded_mul(d, scale_at(p, t, at));
        int64_t i = statistic_of(p, &t->src, at), c = at[channel_dim(p, &t->src)];
        sum_add_bounded(&sums->first[i], scaled);
        sum_add_bounded(&sums->second[i], bounded_mul(scaled, distance));
        sum_add_bounded(&sums->scale[c], bounded_mul(bounded_mul(d, distance), factor_at(p, t, at)));
        sum_add_bounded(&sums->shift[c], d);
    } while (next_position(t->src.ndims, t->src.dims, at));
}

static struct bounded gradient(const struct problem *p, const struct tensors *t, const struct sums *sums,
                               const dnnl_dim_t *at) {
    int64_t i = statistic_of(p, &t->src, at);
    struct bounded factor = factor_at(p, t, at), count = exactly((double)sums->first[i].terms);
    struct bounded x = bounded_mul(gradient_at(p, t, at), bounded_mul(scale_at(p, t, at), factor));
    if (p->flags & dnnl_use_global_stats) return x;
    struct bounded b = bounded_mul(bounded_div(sum_of_terms(&sums->second[i]), count), factor);
    b = bounded_mul(bounded_mul(b, factor), factor);
    struct bounded rest = bounded_mul(distance_at(p, t, at), b);
    if (!(p->flags & dnnl_rms_norm))
        rest = bounded_add(rest, bounded_mul(bounded_div(sum_of_terms(&sums->first[i]), count), factor));
    return bounded_sub(x, rest);
}

static void reference(const struct problem *p, struct tensors *t) {
    const dnnl_dim_t channels = t->src.dims[channel_dim(p, &t->src)];
    struct sums sums = {calloc((size_t)t->mean.count + 1, sizeof(struct sum)),
                        calloc((size_t)t->mean.count + 1, sizeof(struct sum)),
                        calloc((size_t)channels + 1, sizeof(struct sum)),
                        calloc((size_t)channels + 1, sizeof(struct sum))};
    dnnl_dims_t at = {0};
    if (t->src.count > 0) add_up(p, t, &sums);
    if (t->src.count > 0) do {
            int64_t i = array_index(&t->src, at);
            store_bounded(gradient(p, t, &sums, at), i, &t->diff_src, &t->diff_src_error);
            if (t->diff_other.values) t->diff_other.values[i] = gradient_at(p, t, at).value;
        } while (next_position(t->src.ndims, t->src.dims, at));
    for (dnnl_dim_t c = 0; c < channels; c++) {
        struct bounded scale = sum_of_terms(&sums.scale[c]), shift = sum_of_terms(&sums.shift[c]);
        if (t->diff_scale.values) store_bounded(scale, c, &t->diff_scale, &t->diff_scale_error);
        if (t->diff_shift.values) store_bounded(shift, c, &t->diff_shift, &t->diff_shift_error);
    }
    free(sums.first);
    free(sums.second);
    free(sums.scale);
    free(sums.shift);
}

static void make_results(struct tensors *t, const struct problem *p, dnnl_data_type_t type) {
    t->diff_src = array_like(&t->src, type);
    t->diff_src_error = array_like(&t->src, dnnl_f64);
    if (p->prop == dnnl_backward && t->scale.values) {
        t->diff_scale = array_like(&t->scale, t->scale.type);
        t->diff_scale_error = array_like(&t->scale, dnnl_f64);
    }
    if (p->prop == dnnl_backward && t->shift.values) {
        t->diff_shift = array_like(&t->shift, t->shift.type);
        t->diff_shift_error = array_like(&t->shift, dnnl_f64);
    }
    if (t->other.values) t->diff_other = array_like(&t->src, t->diff_dst.type);
}

/* src belongs to the caller. */
static void free_tensors(struct tensors *t) {
    struct array *all[] = {&t->other,
                           &t->scale,
                           &t->shift,
                           &t->dst,
                           &t->mean,
                           &t->variance,
                           &t->diff_dst,
                           &t->diff_src,
                           &t->diff_scale,
                           &t->diff_shift,
                           &t->diff_other,
                           &t->diff_src_error,
                           &t->diff_scale_error,
                           &t->diff_shift_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, const struct tensors *t,
                              const_dnnl_primitive_desc_t hint) {
    const dnnl_data_type_t weights = p->weights_type ? p->weights_type : dnnl_f32;
    dnnl_memory_desc_t src = md_of(&t->src, p->src_tag), diff_dst = md_of(&t->diff_dst, p->diff_dst_tag),
                       diff_src = md_of(&t->diff_src, p->diff_src_tag),
                       statistics = p->stat_tag ? md_of(&t->mean, p->stat_tag) : NULL;
    dnnl_status_t status;
    if (p->kind == BATCH)
        status = dnnl_batch_normalization_backward_primitive_desc_create(
                pd, test_engine(), p->prop, diff_src, diff_dst, src, epsilon, p->flags, hint, NULL);
    else if (p->kind == LAYER)
        status = dnnl_layer_normalization_backward_primitive_desc_create_v2(
                pd, test_engine(), p->prop, diff_src, diff_dst, src, statistics, weights, weights, epsilon,
                p->flags, hint, NULL);
    else
        status = dnnl_group_normalization_backward_primitive_desc_create(pd, test_engine(), p->prop, diff_src,
                                                                         diff_dst, src, p->groups, epsilon,
                                                                         p->flags, hint, NULL);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(diff_dst);
    dnnl_memory_desc_destroy(diff_src);
    if (statistics) dnnl_memory_desc_destroy(statistics);
    return status;
}

static struct test_run run_of(const struct problem *p, const struct tensors *t, const struct exec *extra,
                              const char *what) {
    return (struct test_run){.what = what,
                             .extra = extra,
                             .inputs = {{DNNL_ARG_SRC, &t->src},
                                        {DNNL_ARG_MEAN, p->flags & dnnl_rms_norm ? &t->empty : &t->mean},
                                        {DNNL_ARG_VARIANCE, &t->variance},
                                        {DNNL_ARG_DIFF_DST, &t->diff_dst},
                                        {DNNL_ARG_SCALE, &t->scale}},
                             .outputs = {{DNNL_ARG_DIFF_SRC, &t->diff_src, .error = &t->diff_src_error,
                                          .in_place_of = p->in_place ? DNNL_ARG_DIFF_DST : 0},
                                         {DNNL_ARG_DIFF_SCALE, &t->diff_scale, .error = &t->diff_scale_error},
                                         {DNNL_ARG_DIFF_SHIFT, &t->diff_shift, .error = &t->diff_shift_error},
                                         {DNNL_ARG_DIFF_SRC_1, &t->diff_other}}};
}

/* Types: of src, diff_dst and diff_src. */
static void run_problem(const struct problem *p, const struct array *src, const dnnl_data_type_t *types) {
    static const char *const kinds[] = {"batch", "layer", "group"};
    struct tensors t;
    struct exec extra = {0};
    dnnl_primitive_desc_t hint = NULL, pd = NULL;
    char what[256];
    snprintf(what, sizeof what,
             "%s, propagation 0x%x, flags 0x%x, %lldx%lldx%lld… in %lld, %d %s, %d %s to "
             "%d %s%s",
             kinds[p->kind], (unsigned)p->prop, p->flags, (long long)src->dims[0], (long long)src->dims[1],
             (long long)(src->ndims > 2 ? src->dims[2] : 1), (long long)p->groups, (int)types[0], p->src_tag,
             (int)types[1], p->diff_dst_tag ? p->diff_dst_tag : "any", (int)types[2],
             p->diff_src_tag ? p->diff_src_tag : "any", p->in_place ? ", in place" : "");
    make_inputs(&t, p, src, types);
    make_results(&t, p, types[2]);
    dnnl_status_t status = run_forward(p, &t, &hint, &extra);
    if (status != dnnl_success && !test_peer())
        failure("%s: the forward primitive gives %d", what, (int)status);
    reference(p, &t);
    if (status == dnnl_success) status = desc_new(&pd, p, &t, hint);
    struct test_run run = run_of(p, &t, &extra, what);
    bool refused = test_peer() && status == dnnl_unimplemented;
    if (!refused) run_implementations(status, pd, &run);
    dnnl_primitive_desc_destroy(hint);
    exec_free(&extra);
    free_tensors(&t);
}

static const dnnl_data_type_t f32[] = {dnnl_f32, dnnl_f32, dnnl_f32};
static const dnnl_prop_kind_t props[] = {dnnl_backward, dnnl_backward_data};

static void run_shape(enum kind kind, const struct shape *shape, const char *tag, unsigned seed) {
    enum { LARGE = 100000 }; /* elements; these run in one layout only */
    const struct normalization_flags *flags = &normalization_flags[kind];
    struct array src = array_new(shape->ndims, shape->dims, dnnl_f32);
    array_fill_real(&src, seed);
    for (int64_t i = 0; i < src.count; i++)
        src.values[i] = (double)(float)(src.values[i] * 2 + 1);
    for (int f = 0; f < flags->count; f++)
        for (int k = 0; k < COUNT(props); k++) {
            struct problem p = {.kind = kind,
                                .prop = props[k],
                                .flags = flags->flags[f],
                                .groups = shape->groups,
                                .src_tag = tag};
            run_problem(&p, &src, f32);
            p.diff_dst_tag = p.diff_src_tag = tag;
            p.in_place = true;
            run_problem(&p, &src, f32);
            if (p.prop == dnnl_backward_data || src.count > LARGE) continue;
            p.in_place = false;
            p.diff_dst_tag = shape->tags[0];
            run_problem(&p, &src, f32);
            p.diff_src_tag = NULL;
            p.dst_tag = shape->tags[0];
            run_problem(&p, &src, f32);
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

static void batch_shapes(void **state) {
    (void)state;
    run_shapes(BATCH);
}

/* Every combination of types that the kind has. */
static void run_types(enum kind kind, const struct shape *shape) {
    static const dnnl_data_type_t list[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    failures = 0;
    for (int i = 0; i < 27; i++) {
        const dnnl_data_type_t types[] = {list[i % 3], list[i / 3 % 3], list[i / 9]};
        if (kind == BATCH && (types[0] != types[1] || types[0] != types[2])) continue;
        struct array src = array_new(shape->ndims, shape->dims, types[0]);
        array_fill(&src, 3, (unsigned)i);
        for (int t = 0; shape->tags[t]; t++)
            for (int given = 0; given < 2; given++) {
                struct problem p = {.kind = kind,
                                    .prop = dnnl_backward,
                                    .flags = dnnl_use_scale | dnnl_use_shift
                                             | (given ? dnnl_use_global_stats : 0),
                                    .groups = shape->groups,
                                    .src_tag = shape->tags[t],
                                    .diff_dst_tag = shape->tags[t]};
                run_problem(&p, &src, types);
            }
        array_free(&src);
    }
    assert_int_equal(failures, 0);
}

static void batch_types(void **state) {
    (void)state;
    static const struct shape shape = {4, {3, 21, 3, 4}, 0, {"abcd", "acdb", "aBcd16b"}};
    run_types(BATCH, &shape);
}

static void layer_shapes(void **state) {
    (void)state;
    run_shapes(LAYER);
}

static void layer_types(void **state) {
    (void)state;
    static const struct shape shape = {3, {3, 21, 34}, 0, {"abc", "acb", "aBc16b"}};
    run_types(LAYER, &shape);
}

/* Statistics of other layouts; scales and shifts of other types. */
static void layer_weights(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 4, 21};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    static const char *const tags[] = {"ab", "ba", NULL};
    for (int i = 0; i < COUNT(types); i++)
        for (int t = 0; t < COUNT(tags); t++)
            for (int given = 0; given < 2; given++) {
                struct array src = array_new(3, dims, dnnl_f32);
                array_fill_real(&src, (unsigned)i);
                struct problem p = {.kind = LAYER,
                                    .prop = dnnl_backward,
                                    .flags = dnnl_use_scale | dnnl_use_shift
                                             | (given ? dnnl_use_global_stats : 0),
                                    .src_tag = "abc",
                                    .diff_dst_tag = "bac",
                                    .stat_tag = tags[t],
                                    .weights_type = types[i]};
                run_problem(&p, &src, f32);
                array_free(&src);
            }
    assert_int_equal(failures, 0);
}

static void group_shapes(void **state) {
    (void)state;
    run_shapes(GROUP);
}

static void group_types(void **state) {
    (void)state;
    static const struct shape shape = {4, {3, 24, 3, 4}, 3, {"abcd", "acdb", "aBcd8b"}};
    run_types(GROUP, &shape);
}

static void batch_refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 4, 3, 3}, other = {2, 4, 3, 5};
    dnnl_memory_desc_t md = md_new(4, dims, dnnl_f32, "abcd"), wrong = md_new(4, other, dnnl_f32, "abcd"),
                       half = md_new(4, dims, dnnl_bf16, "abcd"), bytes = md_new(4, dims, dnnl_s8, "abcd");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd, hint;
    MUST(dnnl_batch_normalization_forward_primitive_desc_create(&hint, test_engine(), dnnl_forward_training,
                                                                md, md, epsilon, 0, NULL));
    const struct {
        dnnl_prop_kind_t prop;
        dnnl_memory_desc_t diff_src, diff_dst, src;
        unsigned flags;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_forward_training, md, md, md, 0, dnnl_invalid_arguments},
            {dnnl_backward, NULL, md, md, 0, dnnl_invalid_arguments},
            {dnnl_backward, md, NULL, md, 0, dnnl_invalid_arguments},
            {dnnl_backward, md, md, NULL, 0, dnnl_invalid_arguments},
            {dnnl_backward, md, wrong, md, 0, dnnl_invalid_arguments},
            {dnnl_backward, md, md, md, dnnl_rms_norm, dnnl_invalid_arguments},
            {dnnl_backward, md, md, half, 0, dnnl_unimplemented},
            {dnnl_backward, bytes, bytes, bytes, 0, dnnl_unimplemented},
            {dnnl_backward, md, md, md, dnnl_fuse_norm_relu, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_batch_normalization_backward_primitive_desc_create(
                                 &pd, test_engine(), cases[i].prop, cases[i].diff_src, cases[i].diff_dst,
                                 cases[i].src, epsilon, cases[i].flags, hint, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(half);
    dnnl_memory_desc_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(batch_shapes), cmocka_unit_test(batch_types), cmocka_unit_test(batch_refusals),
            cmocka_unit_test(layer_shapes), cmocka_unit_test(layer_types), cmocka_unit_test(layer_weights),
            cmocka_unit_test(group_shapes), cmocka_unit_test(group_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
