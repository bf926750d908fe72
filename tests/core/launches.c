/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the launches of all primitives on the null device: every kernel is for the device's class, the
 * device has the features that it needs, and on a GPU every group is full. LODE_TEST_DEVICE_CLASS sets the
 * device's class.
 */
#define _GNU_SOURCE
#include "core/objects.h"
#include "core/plan.h"
#include "runtimes/runtime.h"
#include "test.h"

#include <stdio.h>

enum { FULL = 64 }; /* least number of work-items in a group on a GPU */

static dnnl_engine_t engine;
static int checked; /* number of launches */

static dnnl_memory_desc_t desc(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                               dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    return md;
}

static void check_launch(const struct launch *launch) {
    const struct device_info *info = &engine->device->info;
    const size_t *size = launch->range.group_size;
    const char *why = "";
    if (!kernel_runs_on(launch->kernel, info, &why)) fail_msg("%s: %s", launch->kernel->name, why);
    if (info->class == DEVICE_GPU && size[0] * size[1] * size[2] < FULL)
        fail_msg("%s in groups of %zu x %zu x %zu", launch->kernel->name, size[0], size[1], size[2]);
    if (size[0] * size[1] * size[2] > info->largest_group)
        fail_msg("%s: groups are too large", launch->kernel->name);
    checked++;
}

/* Checks every implementation that supports the problem. Takes ownership of the descriptor. */
static void check_all(dnnl_status_t status, dnnl_primitive_desc_t pd) {
    for (assert_ok(status); status == dnnl_success; status = dnnl_primitive_desc_next_impl(pd)) {
        const struct program *program = pd->plan->program;
        for (int i = 0; i < program->nlaunches; i++)
            check_launch(program->launches[i]);
    }
    assert_int_equal(status, dnnl_last_impl_reached);
    dnnl_primitive_desc_destroy(pd);
}

/* -- problems of each kind, with the types and layouts that have special kernels -- */

static const dnnl_dims_t image = {2, 32, 17, 19};
static const dnnl_format_tag_t image_tags[] = {dnnl_nchw, dnnl_nhwc, dnnl_nChw16c};
static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s8};

static void eltwise(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        for (int t = 0; t < COUNT(image_tags); t++) {
            dnnl_primitive_desc_t pd;
            dnnl_memory_desc_t md = desc(4, image, types[i], image_tags[t]);
            dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
                    &pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL);
            check_all(status, pd);
            dnnl_memory_desc_destroy(md);
        }
}

static void softmax(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        for (int axis = 0; axis < 4; axis++) {
            dnnl_primitive_desc_t pd;
            dnnl_memory_desc_t md = desc(4, image, types[i], dnnl_nhwc);
            dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
                    &pd, engine, dnnl_forward_inference, dnnl_softmax_accurate, md, md, axis, NULL);
            check_all(status, pd);
            dnnl_memory_desc_destroy(md);
        }
}

static void reorder(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        for (int from = 0; from < COUNT(image_tags); from++)
            for (int to = 0; to < COUNT(image_tags); to++) {
                dnnl_primitive_desc_t pd;
                dnnl_memory_desc_t src = desc(4, image, types[i], image_tags[from]);
                dnnl_memory_desc_t dst = desc(4, image, types[to], image_tags[to]);
                dnnl_status_t status =
                        dnnl_reorder_primitive_desc_create(&pd, src, engine, dst, engine, NULL);
                check_all(status, pd);
                dnnl_memory_desc_destroy(src), dnnl_memory_desc_destroy(dst);
            }
}

static void lrn(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(image_tags); t++) {
        dnnl_primitive_desc_t pd;
        dnnl_memory_desc_t md = desc(4, image, dnnl_f32, image_tags[t]);
        dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(
                &pd, engine, dnnl_forward_inference, dnnl_lrn_across_channels, md, md, 5, 1, 1, 1, NULL);
        check_all(status, pd);
        dnnl_memory_desc_destroy(md);
    }
}

static void pooling(void **state) {
    (void)state;
    const dnnl_dims_t pooled = {2, 32, 8, 9}, two = {2, 2}, zero = {0};
    for (int t = 0; t < COUNT(image_tags); t++) {
        dnnl_primitive_desc_t pd;
        dnnl_memory_desc_t src = desc(4, image, dnnl_f32, image_tags[t]);
        dnnl_memory_desc_t dst = desc(4, pooled, dnnl_f32, image_tags[t]);
        dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
                                                                          dnnl_pooling_max, src, dst, two,
                                                                          two, zero, zero, zero, NULL);
        check_all(status, pd);
        dnnl_memory_desc_destroy(src), dnnl_memory_desc_destroy(dst);
    }
}

static void convolution(void **state) {
    (void)state;
    const dnnl_dims_t kernel = {32, 32, 3, 3}, one = {1, 1}, zero = {0};
    for (int i = 0; i < COUNT(types); i++) {
        dnnl_primitive_desc_t pd;
        dnnl_memory_desc_t src = desc(4, image, types[i], dnnl_format_tag_any);
        dnnl_memory_desc_t weights = desc(4, kernel, types[i], dnnl_format_tag_any);
        dnnl_memory_desc_t dst = desc(4, image, types[i], dnnl_format_tag_any);
        dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
                &pd, engine, dnnl_forward_inference, dnnl_convolution_direct, src, weights, NULL, dst, one,
                zero, one, one, NULL);
        check_all(status, pd);
        dnnl_memory_desc_destroy(src), dnnl_memory_desc_destroy(weights), dnnl_memory_desc_destroy(dst);
    }
}

static void inner_product(void **state) {
    (void)state;
    const dnnl_dims_t a = {33, 100}, b = {64, 100}, c = {33, 64};
    for (int i = 0; i < COUNT(types); i++) {
        dnnl_primitive_desc_t pd;
        dnnl_memory_desc_t src = desc(2, a, types[i], dnnl_format_tag_any);
        dnnl_memory_desc_t weights = desc(2, b, types[i], dnnl_format_tag_any);
        dnnl_memory_desc_t dst = desc(2, c, types[i], dnnl_format_tag_any);
        dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(
                &pd, engine, dnnl_forward_inference, src, weights, NULL, dst, NULL);
        check_all(status, pd);
        dnnl_memory_desc_destroy(src), dnnl_memory_desc_destroy(weights), dnnl_memory_desc_destroy(dst);
    }
}

static void matmul_with(dnnl_data_type_t type, dnnl_data_type_t dst_type, const_dnnl_primitive_attr_t attr) {
    const dnnl_dims_t a = {33, 128}, b = {128, 64}, c = {33, 64};
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src = desc(2, a, type, dnnl_ab), weights = desc(2, b, type, dnnl_ab);
    dnnl_memory_desc_t dst = desc(2, c, dst_type, dnnl_ab);
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(&pd, engine, src, weights, NULL, dst, attr);
    check_all(status, pd);
    dnnl_memory_desc_destroy(src), dnnl_memory_desc_destroy(weights), dnnl_memory_desc_destroy(dst);
}

/* Also f64, and dynamic scales, which a launch after the product computes. */
static void matmul(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        matmul_with(types[i], types[i], NULL);
    matmul_with(dnnl_f64, dnnl_f64, NULL);
    dnnl_primitive_attr_t attr;
    const dnnl_dims_t groups = {1, 32};
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0,
                                                dnnl_quantization_mode_dynamic_mx));
    matmul_with(dnnl_f32, dnnl_f8_e4m3, attr);
    dnnl_primitive_attr_destroy(attr);
}

static int begin(void **state) {
    (void)state;
    setenv("ONEDNN_CPU_RUNTIME", "NULL", 1);
    engine = test_engine();
    const char *wanted = getenv("LODE_TEST_DEVICE_CLASS");
    assert_int_equal(engine->device->info.class,
                     wanted && strcmp(wanted, "GPU") == 0 ? DEVICE_GPU : DEVICE_CPU);
    return 0;
}

static int end(void **state) {
    (void)state;
    dnnl_engine_destroy(engine);
    printf("%d launches\n", checked);
    return checked < 100;
}

int main(void) {
    setenv("LODE_TEST_ALL_REORDERS", "1", 1);
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(eltwise),       cmocka_unit_test(softmax), cmocka_unit_test(reorder),
            cmocka_unit_test(lrn),           cmocka_unit_test(pooling), cmocka_unit_test(convolution),
            cmocka_unit_test(inner_product), cmocka_unit_test(matmul),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
