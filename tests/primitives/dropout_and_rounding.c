/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that draw random numbers: dropout and stochastic rounding, against a plain generator and plain
 * loops. The generator is oneDNN's, so results are known exactly.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Philox 4x32, ten rounds: the words that a counter and a key give. */
static void philox(uint32_t c[4], uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key1,
                            (uint32_t)a};
        memcpy(c, next, sizeof next);
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
}

static uint32_t random_at(uint64_t place, int64_t seed, int64_t offset) {
    uint32_t four = (uint32_t)place & ~3u;
    if (offset == 0) {
        uint32_t c[4] = {four, four + 1, four, four + 3};
        philox(c, (uint32_t)seed, (uint32_t)seed);
        return c[2];
    }
    uint32_t c[4] = {(uint32_t)offset, (uint32_t)((uint64_t)offset >> 32), four, (uint32_t)(place >> 32)};
    philox(c, (uint32_t)seed, (uint32_t)((uint64_t)seed >> 32));
    return c[place & 3];
}

/* The test vectors that the generator's authors published. */
static void generator(void **state) {
    (void)state;
    uint32_t zero[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u},
             pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
    philox(zero, 0, 0);
    philox(ones, ~0u, ~0u);
    philox(pi, 0xa4093822, 0x299f31d0);
    assert_memory_equal(zero, ((uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}), 16);
    assert_memory_equal(ones, ((uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}), 16);
    assert_memory_equal(pi, ((uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}), 16);
}

/* Dropout. */

enum mask { NO_MASK, OPEN_MASK, PLAIN_MASK };

struct dropout {
    dnnl_primitive_kind_t kind;
    dnnl_data_type_t type, seed_type;
    bool use_offset, host_scalars;
    enum mask mask;
    float p;
    int64_t seed, offset;
    int adds; /* binary post-ops after it */
};

static const struct dropout dropouts[] = {
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, 0.25f, 42, 0, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, OPEN_MASK, 0.3f, -7, 0, 1},
        {dnnl_eltwise, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0.3f, INT64_C(0x123456789abc), 7, 1},
        {dnnl_eltwise, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0.3f, INT64_C(0x123456789abc), 0, 0},
        {dnnl_eltwise, dnnl_bf16, dnnl_s64, false, true, NO_MASK, 0.7f, INT64_C(-0x123456789abc), 0, 0},
        {dnnl_eltwise, dnnl_s8, dnnl_s32, true, true, OPEN_MASK, 0.5f, -42, INT64_C(0x700000007), 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, 0, 1, 0, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, 1, 1, 0, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, 1.5f, 1, 0, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, -1, 1, 0, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0x1p-20f, 1, 1, 0},
        {dnnl_eltwise, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0x1.fffffep-1f, 1, 1, 0},
        {dnnl_matmul, dnnl_f32, dnnl_s32, false, false, PLAIN_MASK, 0.4f, 42, 0, 0},
        {dnnl_matmul, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0.4f, 42, 9, 2},
        {dnnl_matmul, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0.4f, 42, 9, 9},
        {dnnl_matmul, dnnl_f32, dnnl_s64, true, true, NO_MASK, 0.4f, 42, 9, 1},
        {dnnl_matmul, dnnl_bf16, dnnl_s64, true, false, OPEN_MASK, 0.5f, 3, 4, 1},
        {dnnl_softmax, dnnl_f32, dnnl_s64, true, false, PLAIN_MASK, 0.25f, 5, 6, 1},
        {dnnl_softmax, dnnl_f32, dnnl_s32, false, true, OPEN_MASK, 0.5f, 5, 0, 0},
};

enum { ROWS = 6, DEPTH = 5 };

static dnnl_dim_t width_of(const struct dropout *c) {
    return c->kind == dnnl_softmax ? 32 : 37; /* a softmax of equal numbers over 32 is exact */
}

/* dst before dropout. */
static struct array results(const struct dropout *c, struct array *src, struct array *weights) {
    dnnl_dim_t n = width_of(c), k = c->kind == dnnl_matmul ? DEPTH : n;
    struct array dst = array_new(2, (dnnl_dims_t){ROWS, n}, c->type);
    *src = array_new(2, (dnnl_dims_t){ROWS, k}, c->type);
    *weights = (struct array){0};
    if (c->kind != dnnl_softmax) array_fill(src, 3, 1);
    if (c->kind == dnnl_matmul) {
        *weights = array_new(2, (dnnl_dims_t){k, n}, c->type);
        array_fill(weights, 2, 2);
    }
    for (dnnl_dim_t i = 0; i < dst.count; i++) {
        double x = src->values[i % src->count];
        if (c->kind == dnnl_eltwise) dst.values[i] = x;
        if (c->kind == dnnl_softmax) dst.values[i] = 1.0 / 32;
        for (dnnl_dim_t d = 0; c->kind == dnnl_matmul && d < k; d++)
            dst.values[i] += src->values[i / n * k + d] * weights->values[d * n + i % n];
    }
    return dst;
}

static void drop(const struct dropout *c, const struct array *added, struct array *dst, struct array *mask) {
    float p = c->p < 0 ? 0 : c->p > 1 ? 1 : c->p, rest = c->p != 1 ? 1 / (1 - c->p) : 0;
    for (int64_t i = 0; i < dst->count; i++) {
        uint32_t random = random_at((uint64_t)i, c->seed, c->use_offset ? c->offset : 0);
        mask->values[i] = random > 4294967295.0 * (double)p;
        float x = mask->values[i] != 0 ? (float)dst->values[i] * rest : 0;
        for (int a = 0; a < c->adds; a++)
            x += (float)added->values[i];
        dst->values[i] = (double)x;
    }
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, dnnl_primitive_kind_t kind,
                              const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
                              const_dnnl_memory_desc_t dst, const_dnnl_primitive_attr_t attr) {
    switch ((int)kind) {
    case dnnl_eltwise:
        return dnnl_eltwise_forward_primitive_desc_create(pd, test_engine(), dnnl_forward_training,
                                                          dnnl_eltwise_linear, src, dst, 1, 0, attr);
    case dnnl_softmax:
        return dnnl_softmax_forward_primitive_desc_create(pd, test_engine(), dnnl_forward_training,
                                                          dnnl_softmax_accurate, src, dst, 1, attr);
    default: return dnnl_matmul_primitive_desc_create(pd, test_engine(), src, weights, NULL, dst, attr);
    }
}

static dnnl_primitive_attr_t dropout_attr(const struct dropout *c, const struct array *added,
                                          const struct array *mask) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t added_md = md_of(added, "ab"), mask_md = NULL;
    if (c->mask == NO_MASK)
        MUST(dnnl_memory_desc_create_with_tag(&mask_md, 0, mask->dims, dnnl_data_type_undef,
                                              dnnl_format_tag_undef));
    else
        mask_md = md_of(mask, c->mask == OPEN_MASK ? NULL : "ab");
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_post_ops_create(&ops));
    for (int i = 0; i < c->adds; i++)
        MUST(dnnl_post_ops_append_binary(ops, dnnl_binary_add, added_md));
    MUST(dnnl_primitive_attr_set_post_ops(attr, ops));
    MUST(dnnl_primitive_attr_set_dropout_v2(attr, mask_md, c->seed_type, c->use_offset, c->host_scalars));
    dnnl_post_ops_destroy(ops);
    dnnl_memory_desc_destroy(added_md);
    dnnl_memory_desc_destroy(mask_md);
    return attr;
}

/* A memory of one value, in a buffer or as a host scalar. */
static void pass_value(struct exec *exec, int arg, dnnl_data_type_t type, const void *value, size_t size,
                       bool host_scalar) {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    void *bytes;
    if (host_scalar) {
        MUST(dnnl_memory_desc_create_host_scalar(&md, type));
        MUST(dnnl_memory_create_host_scalar(&memory, md, (void *)value));
    } else {
        md = md_new(1, (dnnl_dims_t){1}, type, "a");
        MUST(dnnl_memory_create(&memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
        MUST(dnnl_memory_map_data(memory, &bytes));
        memcpy(bytes, value, size);
        MUST(dnnl_memory_unmap_data(memory, bytes));
    }
    exec_add(exec, arg, memory);
    dnnl_memory_desc_destroy(md);
}

static void pass_dropout(struct exec *exec, const struct dropout *c) {
    int32_t narrow = (int32_t)c->seed;
    bool wide = c->seed_type == dnnl_s64;
    pass_value(exec, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, &c->p, 4, c->host_scalars);
    pass_value(exec, DNNL_ARG_ATTR_DROPOUT_SEED, c->seed_type, wide ? (const void *)&c->seed : &narrow,
               wide ? 8 : 4, c->host_scalars);
    if (c->use_offset)
        pass_value(exec, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, &c->offset, 8, c->host_scalars);
}

struct arrays {
    struct array src, weights, dst, mask, added;
};

/* Every implementation of one case. */
static void run_dropout(const char *what, const struct dropout *c, const struct arrays *a) {
    struct array none = {0};
    struct exec scalars = {0};
    dnnl_primitive_attr_t attr = dropout_attr(c, &a->added, &a->mask);
    dnnl_memory_desc_t src = md_of(&a->src, "ab"), dst = md_of(&a->dst, "ab"),
                       weights = a->weights.values ? md_of(&a->weights, NULL) : NULL;
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, c->kind, src, weights, dst, attr);
    struct test_run run = {.what = what,
                           .extra = &scalars,
                           .reorder_inputs = true,
                           .inputs = {{DNNL_ARG_SRC, &a->src}, {DNNL_ARG_WEIGHTS, &a->weights}},
                           .outputs = {{DNNL_ARG_DST, &a->dst},
                                       {DNNL_ARG_ATTR_DROPOUT_MASK, c->mask == NO_MASK ? &none : &a->mask}}};
    for (int i = 0; i < c->adds; i++)
        run.inputs[2 + i] =
                (struct input){DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1, &a->added, NULL};
    pass_dropout(&scalars, c);
    run_implementations(status, pd, &run);
    exec_free(&scalars);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    dnnl_primitive_attr_destroy(attr);
}

static void dropout_case(int index) {
    const struct dropout *c = &dropouts[index];
    struct arrays a;
    char what[64];
    snprintf(what, sizeof what, "dropout %d", index);
    a.dst = results(c, &a.src, &a.weights);
    a.mask = array_like(&a.dst, dnnl_u8);
    a.added = array_like(&a.dst, dnnl_f32);
    array_fill(&a.added, 3, 9);
    drop(c, &a.added, &a.dst, &a.mask);
    run_dropout(what, c, &a);
    array_free(&a.src);
    array_free(&a.weights);
    array_free(&a.dst);
    array_free(&a.mask);
    array_free(&a.added);
}

static void dropout(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(dropouts); i++)
        dropout_case(i);
    assert_int_equal(failures, 0);
}

/* Dropout is for some primitives only, whose dst is in logical order and whose mask has the layout of dst. */
static dnnl_status_t create(dnnl_primitive_kind_t kind, dnnl_data_type_t type, const char *tag,
                            const char *mask_tag) {
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = md_new(2, (dnnl_dims_t){8, 8}, type, tag),
                       mask = md_new(2, (dnnl_dims_t){8, 8}, dnnl_u8, mask_tag);
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_dropout(attr, mask));
    dnnl_status_t status =
            kind == dnnl_inner_product
                    ? dnnl_inner_product_forward_primitive_desc_create(
                              &pd, test_engine(), dnnl_forward_training, md, md, NULL, md, attr)
            : kind == dnnl_reorder
                    ? dnnl_reorder_primitive_desc_create(&pd, md, test_engine(), md, test_engine(), attr)
                    : desc_new(&pd, kind, md, md, md, attr);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(mask);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static void dropout_refusals(void **state) {
    (void)state;
    assert_int_equal(create(dnnl_matmul, dnnl_f32, "ab", "ab"), dnnl_success);
    assert_int_equal(create(dnnl_matmul, dnnl_f32, "ba", "ba"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_matmul, dnnl_f32, "ab", "ba"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_matmul, dnnl_s8, "ab", "ab"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_eltwise, dnnl_f32, "ba", "ba"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_softmax, dnnl_f32, "ba", "ba"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_inner_product, dnnl_f32, "ab", "ab"), dnnl_unimplemented);
    assert_int_equal(create(dnnl_reorder, dnnl_f32, "ab", "ab"), dnnl_unimplemented);
}

/* Stochastic rounding. */

static const struct format {
    dnnl_data_type_t type;
    int digits;
    double lowest, most, least; /* `least`: what is smaller becomes 0 */
} formats[] = {
        {dnnl_f32, 24, -0x1.fffffep127, 0x1.fffffep127, 0x1p-126},
        {dnnl_bf16, 8, -0x1.fep127, 0x1.fep127, 0x1p-126},
        {dnnl_f16, 11, -65504, 65504, 0x1p-14},
        {dnnl_f8_e5m2, 3, -57344, 57344, 0x1p-14},
        {dnnl_f8_e4m3, 4, -448, 448, 0x1p-6},
        {dnnl_f4_e2m1, 2, -6, 6, 1},
        {dnnl_s8, 7, -128, 127, 0},
        {dnnl_u8, 8, 0, 255, 0},
};

static double round_stochastically(double exact, uint64_t place, int32_t seed, const struct format *f) {
    bool halves = f->type == dnnl_bf16 || f->type == dnnl_f16;
    uint32_t random = halves ? random_at(place >> 2, seed, 0) >> (place % 4 * 8) & 0xff
                             : random_at(place >> 1, seed, 0) >> (place % 2 * 16) & 0xffff;
    uint32_t cut = (1u << (24 - f->digits)) - 1, bits;
    float x = (float)exact;
    memcpy(&bits, &x, 4);
    bits = (bits + (random & cut)) & ~cut;
    memcpy(&x, &bits, 4);
    double y = fmin(fmax((double)x, f->lowest), f->most);
    return y != 0 && fabs(y) < f->least ? 0 : y;
}

/* A column times a row: every result is one product. Some are too large, some too small. */
static void rounding_case(const struct format *f, int32_t seed) {
    static const double sizes[ROWS] = {1, -1, 300, -0x1p-15, 0x1p17, 0.25};
    const dnnl_dim_t n = 38;
    struct array src = array_new(2, (dnnl_dims_t){ROWS, 1}, dnnl_f32),
                 weights = array_new(2, (dnnl_dims_t){1, n}, dnnl_f32),
                 expected = array_new(2, (dnnl_dims_t){ROWS, n}, f->type);
    array_fill_real(&weights, 5);
    memcpy(src.values, sizes, sizeof sizes);
    for (int64_t i = 0; i < expected.count; i++)
        expected.values[i] =
                round_stochastically(src.values[i / n] * weights.values[i % n], (uint64_t)i, seed, f);
    dnnl_memory_desc_t src_md = md_of(&src, "ab"), weights_md = md_of(&weights, "ab"),
                       dst_md = md_of(&expected, "ab");
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    struct exec scalars = {0};
    char what[64];
    snprintf(what, sizeof what, "rounding to type %d with seed %d", (int)f->type, seed);
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    MUST(desc_new(&pd, dnnl_matmul, src_md, weights_md, dst_md, attr));
    pass_value(&scalars, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, &seed, 4, false);
    run_implementation(pd, &(struct test_run){.what = what,
                                              .extra = &scalars,
                                              .reorder_inputs = true,
                                              .inputs = {{DNNL_ARG_SRC, &src}, {DNNL_ARG_WEIGHTS, &weights}},
                                              .outputs = {{DNNL_ARG_DST, &expected}}});
    exec_free(&scalars);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(src_md);
    dnnl_memory_desc_destroy(weights_md);
    dnnl_memory_desc_destroy(dst_md);
    array_free(&src);
    array_free(&weights);
    array_free(&expected);
}

/* The same as a convolution of one channel: rows are pixels, and numbers follow the memory of dst. */
static void rounding_of_images(const struct format *f, int32_t seed, bool last) {
    static const double sizes[ROWS] = {1, -1, 300, -0x1p-15, 0x1p17, 0.25};
    const dnnl_dim_t n = 38;
    const char *tag = last ? "acdb" : "abcd";
    struct array src = array_new(4, (dnnl_dims_t){1, 1, 1, ROWS}, dnnl_f32),
                 weights = array_new(4, (dnnl_dims_t){n, 1, 1, 1}, dnnl_f32),
                 expected = array_new(4, (dnnl_dims_t){1, n, 1, ROWS}, f->type);
    array_fill_real(&weights, 5);
    memcpy(src.values, sizes, sizeof sizes);
    for (int64_t i = 0; i < expected.count; i++) {
        const int64_t channel = i / ROWS, pixel = i % ROWS, place = last ? pixel * n + channel : i;
        expected.values[i] =
                round_stochastically(src.values[pixel] * weights.values[channel], (uint64_t)place, seed, f);
    }
    dnnl_memory_desc_t src_md = md_of(&src, tag), weights_md = md_of(&weights, NULL),
                       dst_md = md_of(&expected, tag);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    struct exec scalars = {0};
    char what[64];
    snprintf(what, sizeof what, "convolution, rounding to type %d, %s", (int)f->type, tag);
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, src_md, weights_md, NULL,
            dst_md, (dnnl_dims_t){1, 1}, (dnnl_dims_t){0, 0}, (dnnl_dims_t){0, 0}, (dnnl_dims_t){0, 0}, attr);
    pass_value(&scalars, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, &seed, 4, false);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .extra = &scalars,
                                           .reorder_inputs = true,
                                           .inputs = {{DNNL_ARG_SRC, &src}, {DNNL_ARG_WEIGHTS, &weights}},
                                           .outputs = {{DNNL_ARG_DST, &expected}}});
    exec_free(&scalars);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(src_md);
    dnnl_memory_desc_destroy(weights_md);
    dnnl_memory_desc_destroy(dst_md);
    array_free(&src);
    array_free(&weights);
    array_free(&expected);
}

/* oneDNN's CPU engine ignores the seed: it is always 0 there. */
static void rounding(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(formats); i++) {
        rounding_case(&formats[i], 0);
        if (test_peer()) continue;
        rounding_case(&formats[i], 12345);
        if (formats[i].type == dnnl_f4_e2m1) continue;
        rounding_of_images(&formats[i], 12345, false);
        rounding_of_images(&formats[i], 12345, true);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    if (test_peer_is_narrow()) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(generator), cmocka_unit_test(dropout),
                                       cmocka_unit_test(dropout_refusals), cmocka_unit_test(rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
