/* SPDX-License-Identifier: Apache-2.0 */
/* Suites of products: see product.h. */
#include "primitives/product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

void product_free(struct product *p) {
    array_free(&p->src);
    array_free(&p->weights);
    array_free(&p->bias);
    array_free(&p->dst);
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

void product_add(struct product_sum *sum, double term) {
    sum->value += term;
    sum->magnitude += fabs(term);
}

void product_store(struct product *p, const struct attr_run *run, const struct product_sum *sum, double steps,
                   double bias, int64_t channel, const dnnl_dim_t *position, struct array *tolerance) {
    int64_t i = array_index(&p->dst, position);
    p->dst.values[i] = attr_run_apply(run, sum->value, bias, channel, position);
    tolerance->values[i] = (steps + 4) * 0x1p-24 * (sum->magnitude + fabs(bias) + 4);
}

static bool is_integer(dnnl_data_type_t type) {
    return type == dnnl_s8 || type == dnnl_u8 || type == dnnl_s4 || type == dnnl_u4;
}

void product_allow(dnnl_primitive_attr_t attr, const struct product *p) {
    dnnl_fpmath_mode_t mode = p->src.type == dnnl_f32 ? dnnl_fpmath_mode_strict : dnnl_fpmath_mode_any;
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
    struct array tolerance = array_new(p->dst.ndims, p->dst.dims, dnnl_f32);
    if (c->weights_mask == -1) by_channel.weights_mask = p->by_channel;
    attr_run_init(&run, &by_channel, &p->src, &p->weights, &p->dst);
    product_allow(run.attr, p);
    suite->reference(p, &run, &tolerance);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = product_create(&pd, suite, p, layout, run.attr);
    const struct input inputs[] = {
            {DNNL_ARG_SRC, &p->src}, {DNNL_ARG_WEIGHTS, &p->weights}, {DNNL_ARG_BIAS, &p->bias}};
    if (status != dnnl_success)
        failure("%s: creation gives %d", what, (int)status);
    else
        run_implementations(pd, &run, inputs, COUNT(inputs), &p->dst, exact ? NULL : &tolerance, what);
    attr_run_free(&run);
    array_free(&tolerance);
}

void product_numbers(void **state) {
    const struct product_suite *suite = *state;
    for (int t = 0; t < suite->ntypes; t++)
        for (int s = 0; s < suite->nshapes; s++)
            for (int a = 0; a < suite->nattrs; a++) {
                const struct product_types *types = &suite->types[t];
                const struct product_attr *attr = &suite->attrs[a];
                if (attr->quantised && !is_integer(types->src)) continue;
                int layout = (t + s + a) % PRODUCT_LAYOUTS;
                struct product p = suite->make(s, types);
                product_fill(&p, (unsigned)(10 * s + t));
                char what[128];
                snprintf(what, sizeof what, "shape %d, types %d, layout %d, %s", s, t, layout, attr->c.name);
                run_product(suite, &p, &attr->c, layout, true, what);
                product_free(&p);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

void product_real_numbers(void **state) {
    const struct product_suite *suite = *state;
    for (int s = 0; s < suite->nshapes; s++)
        for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++) {
            struct product p = suite->make(s, &suite->types[0]);
            fill_real(&p, (unsigned)s);
            char what[128];
            snprintf(what, sizeof what, "real numbers, shape %d, layout %d", s, layout);
            run_product(suite, &p, &suite->attrs[layout % suite->nreal].c, layout, false, what);
            product_free(&p);
        }
    assert_int_equal(failures, 0);
}
