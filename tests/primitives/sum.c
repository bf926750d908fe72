/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of tensors and parametric ReLU against plain loops: numbers of sources, types, layouts, broadcasts. */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 15 };

static const dnnl_dims_t image = {2, 19, 5, 7};
static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "aBcd8b"};
static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16,    dnnl_f16,     dnnl_s32, dnnl_s8,
                                         dnnl_u8,  dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s4};

struct sum_case {
    int count;
    dnnl_data_type_t type, dst_type; /* type of every second source; the others are f32 */
    const char *tag, *dst_tag;       /* of every second source; NULL: no dst is given */
    bool in_place;
};

/* Whole numbers and scales that are powers of two: sums are exact. */
static void run_sum(const struct sum_case *c) {
    struct array srcs[MOST], dst = array_new(4, image, c->dst_tag ? c->dst_type : dnnl_f32);
    dnnl_memory_desc_t mds[MOST], dst_md = c->dst_tag ? md_of(&dst, c->dst_tag) : NULL;
    float scales[MOST];
    struct test_run run = {.what = "sum", .outputs = {{DNNL_ARG_DST, &dst}}};
    for (int i = 0; i < c->count; i++) {
        srcs[i] = array_new(4, image, i % 2 ? c->type : dnnl_f32);
        array_fill(&srcs[i], 3, (unsigned)i);
        mds[i] = md_of(&srcs[i], i % 2 ? c->tag : "abcd");
        scales[i] = (const float[]){1, 0.5f, -1, 2}[(i + c->count) % 4];
        run.inputs[i] = (struct input){DNNL_ARG_MULTIPLE_SRC + i, &srcs[i], NULL};
        for (int64_t k = 0; k < dst.count; k++)
            dst.values[k] += (double)scales[i] * srcs[i].values[k];
    }
    for (int64_t k = 0; k < dst.count; k++)
        dst.values[k] = round_to_type(dst.values[k], dst.type);
    if (c->in_place) run.outputs[0].in_place_of = DNNL_ARG_MULTIPLE_SRC;
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_sum_primitive_desc_create(&pd, test_engine(), dst_md, c->count, scales,
                                                          (const_dnnl_memory_desc_t const *)mds, NULL);
    run_implementations(status, pd, &run);
    for (int i = 0; i < c->count; i++) {
        dnnl_memory_desc_destroy(mds[i]);
        array_free(&srcs[i]);
    }
    if (dst_md) dnnl_memory_desc_destroy(dst_md);
    array_free(&dst);
}

static void sums(void **state) {
    (void)state;
    failures = 0;
    for (int count = 1; count <= MOST; count++)
        for (int t = 0; t < COUNT(tags); t++) {
            run_sum(&(struct sum_case){count, dnnl_f32, dnnl_f32, tags[t], tags[(t + count) % COUNT(tags)],
                                       false});
            run_sum(&(struct sum_case){count, dnnl_s8, dnnl_f32, tags[t], NULL, false});
        }
    for (int a = 0; a < COUNT(types); a++)
        for (int d = 0; d < COUNT(types); d++)
            run_sum(&(struct sum_case){3, types[a], types[d], "acdb", "abcd", false});
    run_sum(&(struct sum_case){4, dnnl_f32, dnnl_f32, "abcd", "abcd", true});
    assert_int_equal(failures, 0);
}

static void run_prelu(int mask, dnnl_data_type_t type, dnnl_data_type_t weights_type, const char *tag,
                      const char *weights_tag) {
    dnnl_dims_t dims, at = {0};
    for (int d = 0; d < 4; d++)
        dims[d] = (mask >> d & 1) != 0 ? image[d] : 1;
    struct array src = array_new(4, image, type), weights = array_new(4, dims, weights_type),
                 dst = array_new(4, image, type);
    array_fill(&src, 4, 1);
    array_fill(&weights, 2, 2);
    do {
        double x = array_at(&src, at);
        dst.values[array_index(&dst, at)] = round_to_type(x > 0 ? x : x * array_at(&weights, at), type);
    } while (next_position(4, image, at));
    dnnl_memory_desc_t from = md_of(&src, tag), slopes = md_of(&weights, weights_tag), to = md_of(&dst, NULL);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_prelu_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_inference, from, slopes, to, NULL);
    run_implementations(status, pd,
                        &(struct test_run){.what = "prelu",
                                           .inputs = {{DNNL_ARG_SRC, &src}, {DNNL_ARG_WEIGHTS, &weights}},
                                           .outputs = {{DNNL_ARG_DST, &dst}}});
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(slopes);
    dnnl_memory_desc_destroy(to);
    array_free(&src);
    array_free(&weights);
    array_free(&dst);
}

static void prelu(void **state) {
    (void)state;
    failures = 0;
    for (int mask = 0; mask < 16; mask++)
        for (int t = 0; t < COUNT(tags); t++) {
            run_prelu(mask, dnnl_f32, dnnl_f32, tags[t], tags[mask % COUNT(tags)]);
            run_prelu(mask, types[mask % COUNT(types)], types[(mask + t) % COUNT(types)], tags[t], NULL);
        }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(prelu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
