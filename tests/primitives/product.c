/* SPDX-License-Identifier: Apache-2.0 */
/* Suites of products: see product.h. */
#include "primitives/product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

const struct product_types product_rounded[PRODUCT_ROUNDED] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_bf16},
};

void product_free(struct product *p) {
    array_free(&p->src);
    array_free(&p->weights);
    array_free(&p->bias);
    array_free(&p->dst);
    free(p->sums);
    p->sums = NULL;
}

void product_fill(struct product *p, unsigned seed) {
    array_fill(&p->src, 3, seed + 1);
    array_fill(&p->weights, 2, seed + 2);
    if (p->bias.values) array_fill(&p->bias, 4, seed + 3);
}

static void fill_real(struct product *p, unsigned seed) {
    array_fill_real(&p->src, seed + 1);
    array_fill_real(&p->weights, seed + 2);
    array_fill_real(&p->bias, seed + 3);
}

/* Sums of f64 stay f64 if nothing follows them; attributes are computed in f32. */
static bool all_in_f64(const struct product *p, const struct attr_run *run) {
    const struct attr_case *c = run->c;
    return p->src.type == dnnl_f64 && p->dst.type == dnnl_f64 && run->nops == 0 && c->src_scale == 0
           && c->weights_scale == 0 && c->dst_scale == 0;
}

static struct bounded bounded_sum(const struct product *p, const struct sum *sum, double bias) {
    bool integers = is_integer(p->src.type) && is_integer(p->weights.type);
    if (p->rounds) return sum_of_rounded_products(sum, bias);
    if (p->src.type == dnnl_bf16 && p->weights.type == dnnl_bf16) return sum_of_bf16_products(sum, bias);
    return sum_of_products(sum, integers, bias);
}

static double bias_at(const struct product *p, const dnnl_dim_t *position) {
    if (!p->bias.values) return 0;
    return p->bias.ndims == 1 ? p->bias.values[position[p->channels]] : array_at(&p->bias, position);
}

static void store(struct product *p, const struct attr_run *run, const struct sum *sum,
                  const dnnl_dim_t *position, struct array *error) {
    double bias = bias_at(p, position);
    struct bounded x = all_in_f64(p, run) ? sum_of_products_f64(sum, bias)
                                          : attr_run_apply(run, bounded_sum(p, sum, bias), bias,
                                                           position[p->channels], position);
    store_bounded(x, array_index(&p->dst, position), &p->dst, error);
}

static struct sum *sums_of(const struct product_suite *suite, const struct product *p,
                           const struct attr_run *run) {
    struct sum *sums = calloc((size_t)p->dst.count + 1, sizeof *sums);
    dnnl_dims_t out = {0};
    int64_t i = 0;
    assert_non_null(sums);
    if (p->dst.count == 0) return sums;
    do
        sums[i++] = suite->sum(p, run, out);
    while (next_position(p->dst.ndims, p->dst.dims, out));
    return sums;
}

/* The same problem runs with many attributes, and only zero points change its sums. */
void product_reference(const struct product_suite *suite, struct product *p, const struct attr_run *run,
                       struct array *error) {
    bool own = run->src_zeros.values || run->c->weights_zero_point;
    if (!own && !p->sums) p->sums = sums_of(suite, p, run);
    struct sum *sums = own ? sums_of(suite, p, run) : p->sums;
    dnnl_dims_t out = {0};
    int64_t i = 0;
    if (p->dst.count > 0) do
            store(p, run, &sums[i++], out, error);
        while (next_position(p->dst.ndims, p->dst.dims, out));
    if (own) free(sums);
}

void product_allow(dnnl_primitive_attr_t attr, const struct product *p) {
    dnnl_fpmath_mode_t mode = p->src.type == dnnl_f32 ? dnnl_fpmath_mode_strict : dnnl_fpmath_mode_any;
    if (p->rounds) dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16);
    if (is_integer(p->weights.type) && !is_integer(p->src.type))
        dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 1);
}

dnnl_status_t product_create(dnnl_primitive_desc_t *pd, const struct product_suite *suite,
                             const struct product *p, int layout, const_dnnl_primitive_attr_t attr) {
    struct product_tags tags = suite->tags(p, layout);
    struct product_mds md = {md_of(&p->src, tags.src), md_of(&p->weights, tags.weights),
                             p->bias.values ? md_of(&p->bias, tags.bias) : NULL, md_of(&p->dst, tags.dst)};
    dnnl_status_t status = suite->create(pd, p, &md, attr);
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.bias);
    dnnl_memory_desc_destroy(md.dst);
    return status;
}

static void run_product(const struct product_suite *suite, struct product *p, const struct attr_case *c,
                        int layout, bool exact, const char *what) {
    struct attr_case by_channel = *c;
    struct attr_run run;
    struct array error = array_like(&p->dst, dnnl_f64);
    if (c->weights_mask == -1) by_channel.weights_mask = p->by_channel;
    attr_run_init(&run, &by_channel, &p->src, &p->weights, &p->dst);
    product_allow(run.attr, p);
    product_reference(suite, p, &run, &error);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = product_create(&pd, suite, p, layout, run.attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .attr = &run,
                                           .inputs = {{DNNL_ARG_SRC, &p->src},
                                                      {DNNL_ARG_WEIGHTS, &p->weights},
                                                      {DNNL_ARG_BIAS, &p->bias}},
                                           .outputs = {{DNNL_ARG_DST, &p->dst, .error = exact ? NULL : &error,
                                                        .before = attr_run_before(&run)}}});
    attr_run_free(&run);
    array_free(&error);
}

static bool is_quantised(const struct product_suite *suite, dnnl_data_type_t type) {
    const bool fp8 = type == dnnl_f8_e4m3 || type == dnnl_f8_e5m2;
    return is_integer(type) || (fp8 && suite->fp8_is_quantised);
}

void product_exact_numbers(void **state) {
    const struct product_suite *suite = *state;
    for (int t = 0; t < suite->ntypes; t++)
        for (int s = 0; s < suite->nshapes; s++) {
            struct product p = suite->make(s, &suite->types[t]);
            p.rounds = suite->rounds;
            product_fill(&p, (unsigned)(10 * s + t));
            for (int a = 0; a < suite->nattrs; a++) {
                const struct product_attr *attr = &suite->attrs[a];
                if (attr->numbers == FOR_REALS) continue;
                if (attr->numbers == FOR_INTEGERS && !is_quantised(suite, p.src.type)) continue;
                int layout = (t + s + a) % PRODUCT_LAYOUTS;
                char what[128];
                snprintf(what, sizeof what, "shape %d, types %d, layout %d, %s", s, t, layout, attr->c.name);
                run_product(suite, &p, &attr->c, layout, true, what);
            }
            product_free(&p);
        }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static int attrs_of_reals(const struct product_suite *suite) {
    int count = 0;
    while (count < suite->nattrs && suite->attrs[count].numbers != FOR_INTEGERS)
        count++;
    return count;
}

/* The kernels for GPUs alone have really run. */
static void check_gpu_runs(void) {
    if (!test_gpu()) return;
    printf("%d runs of f32_gpu_gemm, %d of f16_gpu_gemm\n", runs_of("f32_gpu_gemm"), runs_of("f16_gpu_gemm"));
    assert_true(runs_of("f32_gpu_gemm") > 0 && runs_of("f16_gpu_gemm") > 0);
}

bool product_has_tiles(void) {
    const int amx = dnnl_cpu_isa_avx512_core_amx;
    return (dnnl_get_effective_cpu_isa() & amx) == amx && !test_gpu() && !getenv("LODE_TEST_DEVICE_CLASS");
}

void product_check_tiles(const char *kernel) {
    if (!product_has_tiles()) return;
    printf("%d runs of %s\n", runs_of(kernel), kernel);
    assert_true(runs_of(kernel) > 0);
}

static bool has_types(const struct product_suite *suite, dnnl_data_type_t src, dnnl_data_type_t weights) {
    for (int t = 0; t < suite->ntypes; t++)
        if (suite->types[t].src == src && suite->types[t].weights == weights) return true;
    return false;
}

/* Products of integers are exact: int8.c has those. */
void product_real_numbers(void **state) {
    const struct product_suite *suite = *state;
    int before = implementations_run, nattrs = attrs_of_reals(suite);
    for (int t = 0; t < suite->ntypes; t++)
        for (int s = 0; s < suite->nshapes; s++) {
            if (is_integer(suite->types[t].src)) continue;
            struct product p = suite->make(s, &suite->types[t]);
            p.rounds = suite->rounds;
            fill_real(&p, (unsigned)(s + t));
            for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++) {
                const struct attr_case *c = &suite->attrs[(t + s + layout) % nattrs].c;
                char what[128];
                snprintf(what, sizeof what, "real numbers, shape %d, types %d, layout %d, %s", s, t, layout,
                         c->name);
                run_product(suite, &p, c, layout, false, what);
            }
            product_free(&p);
        }
    printf("%d runs\n", implementations_run - before);
    check_gpu_runs();
    if (has_types(suite, dnnl_bf16, dnnl_bf16)) product_check_tiles("bf16_gemm_16x32");
    if (suite->rounds || has_types(suite, dnnl_f8_e5m2, dnnl_f8_e4m3)
        || has_types(suite, dnnl_f8_e4m3, dnnl_f8_e5m2))
        product_check_tiles("bf16_gemm_moved");
    assert_int_equal(failures, 0);
}
