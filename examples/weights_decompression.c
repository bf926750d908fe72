/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A product with weights of 4 bits, as large language models store them.
 *
 *   weights_decompression [ENGINE]    default: cpu
 *
 * src is f32, weights are u4 with a zero point and a scale for each group of 32 rows of a column. The library
 * widens the weights while it multiplies; nothing is stored in f32. Integer weights with floating-point src
 * need the user's consent: the second argument of dnnl_primitive_attr_set_fpmath_mode_v2. Exit status 1 if
 * results differ from a plain loop; 77: there is no such engine.
 */
#include "example.h"

#include <math.h>

enum { ROWS = 3, K = 128, N = 48, GROUP = 32, GROUPS = K / GROUP };

static dnnl_memory_t make_memory(dnnl_engine_t engine, dnnl_dim_t rows, dnnl_dim_t columns,
                                 dnnl_data_type_t type) {
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){rows, columns}, type, dnnl_ab);
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

/* Two weights share a byte, the first one in its lower half. */
static int weight_at(const uint8_t *weights, int k, int n) {
    const int i = k * N + n;
    return i % 2 ? weights[i / 2] >> 4 : weights[i / 2] & 15;
}

static void fill_bytes(dnnl_memory_t memory, uint8_t mask, uint32_t *random) {
    uint8_t *bytes;
    CHECK(dnnl_memory_map_data(memory, (void **)&bytes));
    for (size_t i = 0; i < dnnl_memory_desc_get_size(desc_of(memory)); i++)
        bytes[i] = (uint8_t)((int)(128.0f + 127.0f * random_float(random)) & mask);
    CHECK(dnnl_memory_unmap_data(memory, bytes));
}

static dnnl_primitive_attr_t make_attr(void) {
    const dnnl_dims_t groups = {GROUP, 1};
    const int each = 1 << 0 | 1 << 1; /* both dimensions of the weights */
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, each, 2, groups, dnnl_f32));
    CHECK(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, each, 2, groups, dnnl_u8));
    CHECK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_strict, 1));
    return attr;
}

static double largest_difference(const float *src, const uint8_t *weights, const float *scales,
                                 const uint8_t *zero_points, const float *dst) {
    double largest = 0;
    for (int m = 0; m < ROWS; m++)
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                const int group = k / GROUP * N + n;
                sum += (double)src[m * K + k] * (weight_at(weights, k, n) - zero_points[group])
                       * (double)scales[group];
            }
            largest = fmax(largest, fabs(sum - (double)dst[m * N + n]));
        }
    return largest;
}

int main(int argc, char **argv) {
    enum { SRC, WEIGHTS, SCALES, ZERO_POINTS, DST, TENSORS };
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "cpu");
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    uint32_t random = 1;
    dnnl_memory_t m[TENSORS] = {make_memory(engine, ROWS, K, dnnl_f32), make_memory(engine, K, N, dnnl_u4),
                                make_memory(engine, GROUPS, N, dnnl_f32),
                                make_memory(engine, GROUPS, N, dnnl_u8),
                                make_memory(engine, ROWS, N, dnnl_f32)};
    fill(m[SRC], 1.0f, &random);
    fill(m[SCALES], 0.1f, &random);
    fill_bytes(m[WEIGHTS], 0xff, &random);
    fill_bytes(m[ZERO_POINTS], 0x0f, &random);

    dnnl_primitive_attr_t attr = make_attr();
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, desc_of(m[SRC]), desc_of(m[WEIGHTS]), NULL,
                                            desc_of(m[DST]), attr));
    CHECK(dnnl_primitive_create(&product, pd));
    CHECK(dnnl_primitive_execute(
            product, stream, TENSORS,
            (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, m[SRC]},
                                {DNNL_ARG_WEIGHTS, m[WEIGHTS]},
                                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, m[SCALES]},
                                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, m[ZERO_POINTS]},
                                {DNNL_ARG_DST, m[DST]}}));
    CHECK(dnnl_stream_wait(stream));

    void *values[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        CHECK(dnnl_memory_map_data(m[i], &values[i]));
    const double difference = largest_difference(values[SRC], values[WEIGHTS], values[SCALES],
                                                 values[ZERO_POINTS], values[DST]);
    for (int i = 0; i < TENSORS; i++) {
        CHECK(dnnl_memory_unmap_data(m[i], values[i]));
        CHECK(dnnl_memory_destroy(m[i]));
    }
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    printf("%d x %d weights of 4 bits: largest difference from a plain loop %g\n", K, N, difference);
    return difference < 1e-3 ? 0 : 1;
}
