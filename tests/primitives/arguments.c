/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of creation functions: the statuses that oneDNN gives, and nothing written. */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static dnnl_memory_desc_t src, weights, dst, open_src;
static const dnnl_dims_t ones = {1, 1}, zeros = {0, 0}, negative = {-1, 0}, huge = {INT64_MAX, INT64_MAX};

static int convolution(dnnl_prop_kind_t prop, int alg, dnnl_memory_desc_t s, dnnl_memory_desc_t w,
                       dnnl_memory_desc_t d, const dnnl_dim_t *strides, const dnnl_dim_t *dilates,
                       const dnnl_dim_t *padding) {
    dnnl_primitive_desc_t pd = NULL;
    int status =
            dnnl_convolution_forward_primitive_desc_create(&pd, test_engine(), prop, (dnnl_alg_kind_t)alg, s,
                                                           w, NULL, d, strides, dilates, padding, NULL, NULL);
    if (status != dnnl_success) assert_null(pd);
    dnnl_primitive_desc_destroy(pd);
    return status;
}

static void convolutions(void **state) {
    (void)state;
    const int direct = dnnl_convolution_direct;
    const dnnl_prop_kind_t forward = dnnl_forward_inference;
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, zeros, zeros), dnnl_success);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, NULL, zeros), dnnl_success);
    assert_int_equal(convolution(dnnl_backward_data, direct, src, weights, dst, ones, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, 77, src, weights, dst, ones, zeros, zeros), dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, NULL, weights, dst, ones, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, NULL, dst, ones, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, NULL, ones, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, NULL, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, zeros, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, zeros, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, negative, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, zeros, negative),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, huge, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, src, weights, dst, ones, zeros, huge),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, dst, weights, src, ones, zeros, zeros),
                     dnnl_invalid_arguments);
    assert_int_equal(convolution(forward, direct, open_src, weights, dst, ones, zeros, zeros),
                     dnnl_unimplemented);
}

static void null_objects(void **state) {
    (void)state;
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_matmul_primitive_desc_create(NULL, test_engine(), src, src, NULL, src, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_convolution_forward_primitive_desc_create(NULL, test_engine(), dnnl_forward,
                                                                    dnnl_convolution_auto, src, weights, NULL,
                                                                    dst, ones, zeros, zeros, zeros, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_convolution_forward_primitive_desc_create(&pd, NULL, dnnl_forward,
                                                                    dnnl_convolution_auto, src, weights, NULL,
                                                                    dst, ones, zeros, zeros, zeros, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_lrn_forward_primitive_desc_create(&pd, NULL, dnnl_forward, dnnl_lrn_across_channels,
                                                            src, src, 5, 1, 0.75f, 1, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_pooling_forward_primitive_desc_create(&pd, NULL, dnnl_forward, dnnl_pooling_max,
                                                                src, src, ones, ones, NULL, zeros, NULL,
                                                                NULL),
                     dnnl_invalid_arguments);
    assert_null(pd);
}

/* A scale that was declared as a host scalar must be passed as one, and any other must not. */
static void host_scalars(void **state) {
    (void)state;
    const dnnl_dims_t one = {1};
    const int arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC;
    dnnl_memory_desc_t byte = md_new(4, (dnnl_dims_t){1, 1, 5, 5}, dnnl_s8, "abcd"), scalar_md,
                       buffer_md = md_new(1, one, dnnl_f32, "a");
    dnnl_memory_t scales[2]; /* a buffer, a host scalar */
    float scale = 2;
    assert_int_equal(dnnl_memory_desc_create_host_scalar(&scalar_md, dnnl_f32), dnnl_success);
    scales[0] = memory_new(buffer_md, NULL);
    assert_int_equal(dnnl_memory_create_host_scalar(&scales[1], scalar_md, &scale), dnnl_success);
    dnnl_memory_t tensors[3];
    for (int i = 0; i < 3; i++)
        tensors[i] = memory_new(byte, NULL);
    for (int declared = 0; declared < 2; declared++) {
        dnnl_primitive_attr_t attr;
        dnnl_primitive_desc_t pd;
        assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
        assert_int_equal(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, declared,
                                                           dnnl_quantization_mode_static_sazp),
                         dnnl_success);
        assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, test_engine(), byte, byte, NULL, byte, attr),
                         dnnl_success);
        for (int passed = 0; passed < 2; passed++) {
            struct exec exec = {.nargs = 4,
                                .args = {{DNNL_ARG_SRC, tensors[0]},
                                         {DNNL_ARG_WEIGHTS, tensors[1]},
                                         {DNNL_ARG_DST, tensors[2]},
                                         {arg, scales[passed]}}};
            assert_int_equal(exec_run(&exec, pd), passed == declared ? dnnl_success : dnnl_invalid_arguments);
        }
        dnnl_primitive_desc_destroy(pd);
        dnnl_primitive_attr_destroy(attr);
    }
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(tensors[i]);
    for (int i = 0; i < 2; i++)
        dnnl_memory_destroy(scales[i]);
    dnnl_memory_desc_destroy(byte);
    dnnl_memory_desc_destroy(buffer_md);
    dnnl_memory_desc_destroy(scalar_md);
}

int main(void) {
    const dnnl_dims_t src_dims = {1, 3, 5, 5}, weights_dims = {4, 3, 3, 3}, dst_dims = {1, 4, 3, 3};
    const dnnl_dims_t open_dims = {DNNL_RUNTIME_DIM_VAL, 3, 5, 5};
    src = md_new(4, src_dims, dnnl_f32, "abcd");
    weights = md_new(4, weights_dims, dnnl_f32, "abcd");
    dst = md_new(4, dst_dims, dnnl_f32, "abcd");
    open_src = md_new(4, open_dims, dnnl_f32, "abcd");
    const struct CMUnitTest tests[] = {cmocka_unit_test(convolutions), cmocka_unit_test(null_objects),
                                       cmocka_unit_test(host_scalars)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(open_src);
    return failed;
}
