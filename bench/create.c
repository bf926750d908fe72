/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time to create a convolution (AlexNet's third), descriptor and primitive: with the primitive cache off, and
 * on a cache hit. Prints the median of each in microseconds.
 */
#include "bench.h"

enum { RUNS = 400 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double create_once(dnnl_engine_t engine, dnnl_memory_desc_t src, dnnl_memory_desc_t weights,
                          dnnl_memory_desc_t bias, dnnl_memory_desc_t dst) {
    const dnnl_dims_t ones = {1, 1}, zeros = {0, 0};
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const double start = now_us();
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_convolution_direct, src, weights, bias, dst,
                                                         ones, zeros, ones, ones, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    const double us = now_us() - start;
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
    return us;
}

int main(void) {
    dnnl_engine_t engine;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    const dnnl_dim_t src_dims[] = {1, 256, 13, 13}, weights_dims[] = {384, 256, 3, 3}, bias_dims[] = {384};
    const dnnl_dim_t dst_dims[] = {1, 384, 13, 13};
    dnnl_memory_desc_t src = f32_desc(4, src_dims, dnnl_format_tag_any);
    dnnl_memory_desc_t weights = f32_desc(4, weights_dims, dnnl_format_tag_any);
    dnnl_memory_desc_t bias = f32_desc(1, bias_dims, dnnl_a);
    dnnl_memory_desc_t dst = f32_desc(4, dst_dims, dnnl_format_tag_any);

    static const struct {
        const char *name;
        int capacity;
    } cases[] = {{"create_convolution", 0}, {"create_convolution_cached", 1024}};
    static double us[RUNS];
    for (int c = 0; c < 2; c++) {
        CHECK(dnnl_set_primitive_cache_capacity(cases[c].capacity));
        create_once(engine, src, weights, bias, dst);
        for (int i = 0; i < RUNS; i++)
            us[i] = create_once(engine, src, weights, bias, dst);
        qsort(us, RUNS, sizeof(us[0]), by_value);
        printf("%s %.2f us\n", cases[c].name, us[RUNS / 2]);
    }
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(weights));
    CHECK(dnnl_memory_desc_destroy(bias));
    CHECK(dnnl_memory_desc_destroy(dst));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
