/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of reorder, eltwise and softmax in both libraries: built with the peer, the program writes the
 * results of the peer's reference implementation, which uses C's math library, to a file; built with ours, it
 * compares every implementation with that file.
 *
 *     values_elements write FILE      values_elements check FILE
 *
 * Reorders must agree exactly; with scales that are not powers of two, a result may be rounded the other way.
 * Functions may differ by a few units of f32 in the computation, relative to the largest term, before the
 * result is rounded to its type.
 *
 * Left out: reorders to 4-bit types from integers, which the peer accepts but gets wrong, and from bf16,
 * which it accepts on CPUs with AVX-512 BF16, where it writes nothing to dst, and refuses on all others.
 */
#include "primitives/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static bool checking;
static int compared, only_ours;

/* Tolerance of a comparison: relative, absolute, and in units of the type. */
struct tolerance {
    double relative, absolute;
    bool one_unit;
};

static double unit_of(dnnl_data_type_t type, double x) {
    int bits = type == dnnl_bf16      ? 7
               : type == dnnl_f16     ? 10
               : type == dnnl_f8_e4m3 ? 3
               : type == dnnl_f8_e5m2 ? 2
                                      : 23;
    if (is_integer(type)) return 1;
    return x == 0 || !isfinite(x) ? 0 : ldexp(1, ilogb(x) - bits);
}

static void compare(const char *what, const double *theirs, const struct array *ours,
                    struct tolerance tolerance) {
    for (int64_t i = 0; i < ours->count; i++) {
        double a = theirs[i], b = ours->values[i];
        double allowed = tolerance.relative * fabs(a) + tolerance.absolute
                         + (tolerance.one_unit ? unit_of(ours->type, a) : 0);
        if (a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed) continue;
        failure("%s: element %lld is %.9g, not %.9g", what, (long long)i, b, a);
        return;
    }
    compared++;
}

/* Runs one implementation. */
static void run_one(const_dnnl_primitive_desc_t pd, const struct array *src, const struct attr_run *run,
                    struct array *result, const char *what) {
    struct exec exec = {0};
    exec_add(&exec, DNNL_ARG_SRC, memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), src));
    exec_add(&exec, DNNL_ARG_DST,
             memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), &run->previous));
    exec_add_attr(&exec, run, pd);
    if (exec_run(&exec, pd) != dnnl_success) failure("%s: execution failed", what);
    memory_read(exec_find(&exec, DNNL_ARG_DST), result);
    exec_free(&exec);
}

/* Writes what the peer's implementation gives. */
static void write_result(const char *what, dnnl_status_t status, const_dnnl_primitive_desc_t pd,
                         const struct array *src, const struct attr_run *run, struct array *result) {
    int known = status == dnnl_success;
    fwrite(&known, sizeof known, 1, file);
    if (!known) return;
    run_one(pd, src, run, result, what);
    fwrite(result->values, sizeof *result->values, (size_t)result->count, file);
}

/* Compares every one of our implementations with what the peer gave, if it gave anything. */
static void check_results(const char *what, dnnl_status_t status, dnnl_primitive_desc_t pd,
                          const struct array *src, const struct attr_run *run, struct array *result,
                          struct tolerance tolerance) {
    struct array theirs = array_like(result, result->type);
    int known = 0;
    if (fread(&known, sizeof known, 1, file) != 1
        || (known
            && fread(theirs.values, sizeof *theirs.values, (size_t)theirs.count, file)
                       != (size_t)theirs.count))
        abort();
    if (known && status != dnnl_success) failure("%s: status %d", what, (int)status);
    if (!known && status == dnnl_success) only_ours++;
    for (; status == dnnl_success; status = dnnl_primitive_desc_next_impl(pd)) {
        run_one(pd, src, run, result, what);
        if (known) compare(what, theirs.values, result, tolerance);
    }
    array_free(&theirs);
}

static void run_all(const char *what, dnnl_status_t status, dnnl_primitive_desc_t pd, const struct array *src,
                    const struct attr_run *run, dnnl_data_type_t type, struct tolerance tolerance) {
    struct array result = array_like(src, type);
    if (checking)
        check_results(what, status, pd, src, run, &result, tolerance);
    else
        write_result(what, status, pd, src, run, &result);
    if (status == dnnl_success) dnnl_primitive_desc_destroy(pd);
    array_free(&result);
}

/* Advances to the last implementation: references are exact where fast ones approximate. */
static void to_last(dnnl_primitive_desc_t *pd, dnnl_status_t (*create)(dnnl_primitive_desc_t *, const void *),
                    const void *arguments) {
    int count = 1, at = 1;
    while (dnnl_primitive_desc_next_impl(*pd) == dnnl_success)
        count++;
    dnnl_primitive_desc_destroy(*pd);
    if (create(pd, arguments) != dnnl_success) abort();
    for (; at < count; at++)
        if (dnnl_primitive_desc_next_impl(*pd) != dnnl_success) abort();
}

/* One case of any of the three primitives. */
struct problem {
    dnnl_primitive_kind_t kind;
    dnnl_alg_kind_t alg;
    float alpha, beta;
    int axis;
    const struct array *src;
    dnnl_data_type_t type;
    const char *src_tag, *dst_tag;
    const_dnnl_primitive_attr_t attr;
};

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const void *arguments) {
    const struct problem *p = arguments;
    dnnl_memory_desc_t src = md_of(p->src, p->src_tag),
                       dst = md_new(p->src->ndims, p->src->dims, p->type, p->dst_tag);
    dnnl_engine_t engine = test_engine();
    dnnl_status_t status;
    if (p->kind == dnnl_reorder)
        status = dnnl_reorder_primitive_desc_create(pd, src, engine, dst, engine, p->attr);
    else if (p->kind == dnnl_eltwise)
        status = dnnl_eltwise_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, p->alg, src,
                                                            dst, p->alpha, p->beta, p->attr);
    else
        status = dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, p->alg, src,
                                                            dst, p->axis, p->attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void run(struct problem *p, const struct attr_case *c, struct tolerance tolerance) {
    struct array dst = array_new(p->src->ndims, p->src->dims, p->type);
    struct attr_run attr;
    char what[200];
    attr_run_init(&attr, c, p->src, p->src, &dst);
    p->attr = attr.attr;
    snprintf(what, sizeof what, "kind %d, algorithm 0x%x(%g, %g), axis %d, %d %s to %d %s, %s", (int)p->kind,
             (int)p->alg, (double)p->alpha, (double)p->beta, p->axis, (int)p->src->type, p->src_tag,
             (int)p->type, p->dst_tag, c->name);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = create(&pd, p);
    if (status == dnnl_success && !checking) to_last(&pd, create, p);
    run_all(what, status, pd, p->src, &attr, p->type, tolerance);
    attr_run_free(&attr);
    array_free(&dst);
}

static const struct attr_case plain = {.name = "plain"};

/* Values over the range of the source type, including halves and ties. */
static void fill(struct array *src, unsigned seed, double most) {
    array_fill_real(src, seed);
    for (int64_t i = 0; i < src->count; i++) {
        double x = src->values[i] * most * (i % 4 == 0 ? 0x1p-6 : i % 4 == 1 ? 0x1p-3 : 1);
        if (is_integer(src->type) || i % 5 == 0)
            x = nearbyint(x) + (i % 10 == 0 && !is_integer(src->type) ? 0.5 : 0);
        src->values[i] = round_to_type(x, src->type);
    }
}

static void reorders(void) {
    static const dnnl_dims_t dims = {3, 10, 6, 8};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16,    dnnl_s32,
                                             dnnl_s8,  dnnl_u8,  dnnl_f8_e5m2, dnnl_f8_e4m3,
                                             dnnl_s4,  dnnl_u4,  dnnl_f4_e2m1};
    static const char *const tags[][2] = {
            {"abcd", "abcd"}, {"abcd", "acdb"}, {"acdb", "abcd"}, {"abcd", "aBcd16b"}, {"aBcd16b", "acdb"}};
    for (int i = 0; i < COUNT(types); i++)
        for (int k = 0; k < COUNT(types); k++)
            for (int t = 0; t < COUNT(tags); t++) {
                bool small = types[i] == dnnl_s4 || types[i] == dnnl_u4 || types[i] == dnnl_f4_e2m1
                             || types[k] == dnnl_s4 || types[k] == dnnl_u4 || types[k] == dnnl_f4_e2m1;
                if (small && (t > 0 || is_integer(types[i]) || types[i] == dnnl_bf16)) continue;
                struct array src = array_new(4, dims, types[i]);
                bool f8 = types[i] == dnnl_f8_e5m2 || types[i] == dnnl_f8_e4m3;
                fill(&src, (unsigned)(i + t),
                     types[i] == dnnl_f4_e2m1         ? 5
                     : f8 || types[k] == dnnl_f8_e4m3 ? 200
                                                      : 300);
                run(&(struct problem){.kind = dnnl_reorder,
                                      .src = &src,
                                      .type = types[k],
                                      .src_tag = tags[t][0],
                                      .dst_tag = tags[t][1]},
                    &plain, (struct tolerance){0});
                array_free(&src);
            }
    static const struct attr_case cases[] = {
            {.name = "scale of src", .src_scale = 0.37f},
            {.name = "scale of dst", .dst_scale = 3.3f, .dst_mask = 2},
            {.name = "both", .src_scale = 0.7f, .dst_scale = 0.11f},
            {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.3f}}},
            {.name = "sum and scales",
             .src_scale = 0.5f,
             .dst_scale = 4,
             .ops = {{.kind = dnnl_sum, .alpha = 2}}},
    };
    for (int c = 0; c < COUNT(cases); c++)
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++) {
                struct array src = array_new(4, dims, types[i]);
                fill(&src, (unsigned)(c + i), 100);
                run(&(struct problem){.kind = dnnl_reorder,
                                      .src = &src,
                                      .type = types[k],
                                      .src_tag = "abcd",
                                      .dst_tag = "acdb"},
                    &cases[c], (struct tolerance){2e-7, 1e-6, true});
                array_free(&src);
            }
}

static void functions(void) {
    static const dnnl_dims_t dims = {2, 17, 5, 6};
    static const float parameters[][2] = {{0, 0}, {0.5f, 0}, {0.25f, 0.5f}, {-1, 2}, {2, 3}, {1.5f, -0.5f}};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_s32};
    static const struct attr_case binary = {
            .name = "binary",
            .ops = {{.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 2},
                    {.kind = dnnl_binary, .alg = dnnl_binary_mul, .mask = 3}}};
    for (int alg = dnnl_eltwise_relu; alg <= dnnl_eltwise_hardswish; alg++)
        for (int p = 0; p < COUNT(parameters); p++)
            for (int t = 0; t < COUNT(types); t++) {
                struct array src = array_new(4, dims, types[t]);
                fill(&src, (unsigned)(alg + p), t < 2 ? 12 : 100);
                struct problem problem = {.kind = dnnl_eltwise,
                                          .alg = (dnnl_alg_kind_t)alg,
                                          .alpha = parameters[p][0],
                                          .beta = parameters[p][1],
                                          .src = &src,
                                          .type = types[t],
                                          .src_tag = "abcd",
                                          .dst_tag = "abcd"};
                struct tolerance tolerance = {2e-6, 1e-6, types[t] != dnnl_f32};
                run(&problem, &plain, tolerance);
                problem.src_tag = problem.dst_tag = "aBcd16b";
                run(&problem, &plain, tolerance);
                if (t == 0) run(&problem, &binary, (struct tolerance){2e-6, 1e-5, false});
                array_free(&src);
            }
}

static void softmaxes(void) {
    static const dnnl_dims_t dims = {3, 20, 4, 5};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    static const struct attr_case cases[] = {
            {.name = "plain"},
            {.name = "scales", .src_scale = 0.7f, .dst_scale = 0.013f},
            {.name = "post-ops",
             .ops = {{.kind = dnnl_binary, .alg = dnnl_binary_mul, .mask = 2},
                     {.kind = dnnl_eltwise, .alg = dnnl_eltwise_linear, .alpha = 2, .beta = 0.3f}}},
    };
    for (int c = 0; c < COUNT(cases); c++)
        for (int axis = 0; axis < 4; axis++)
            for (int i = 0; i < COUNT(types); i++)
                for (int k = 0; k < COUNT(types); k++)
                    for (int t = 0; t < COUNT(tags); t++)
                        for (int a = 0; a < 2; a++) {
                            struct array src = array_new(4, dims, types[i]);
                            fill(&src, (unsigned)(axis + t), 9);
                            run(&(struct problem){.kind = dnnl_softmax,
                                                  .alg = a ? dnnl_softmax_log : dnnl_softmax_accurate,
                                                  .axis = axis,
                                                  .src = &src,
                                                  .type = types[k],
                                                  .src_tag = tags[t],
                                                  .dst_tag = tags[t]},
                                &cases[c],
                                (struct tolerance){2e-6, cases[c].dst_scale != 0 ? 6e-5 : 1e-6,
                                                   types[k] != dnnl_f32});
                            array_free(&src);
                        }
}

int main(int argc, char **argv) {
    dnnl_engine_t engine;
    if (argc != 3) return 2;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return 77;
    dnnl_engine_destroy(engine);
    checking = strcmp(argv[1], "check") == 0;
    file = fopen(argv[2], checking ? "rb" : "wb");
    if (!file) return 2;
    reorders();
    functions();
    softmaxes();
    fclose(file);
    if (checking) printf("%d comparisons, %d problems that only our library computes\n", compared, only_ours);
    return failures ? 1 : 0;
}
