/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products with a sparse matrix, compressed or as coordinates, as src or as weights: against plain
 * loops over the same matrix with its zeros. What is not supported is refused.
 */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4096 };

/* A sparse matrix: coordinates, sorted by rows unless they are shuffled. */
struct sparse {
    dnnl_dims_t dims;
    int count;
    int32_t rows[MOST], columns[MOST];
    double values[MOST];
};

struct sparse_case {
    dnnl_dim_t m, n, k;
    int every; /* one of so many elements is not zero; 0: all are */
};

static const struct sparse_case cases[] = {
        {1, 1, 1, 1},   {5, 7, 9, 3},   {16, 16, 16, 2},  {17, 70, 33, 4},  {3, 64, 40, 1},
        {33, 5, 20, 5}, {4, 130, 8, 0}, {40, 30, 50, 30}, {2, 3, 300, 150}, {0, 3, 4, 2},
};

static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16};

/* Small numbers, here and there; several may be at the same place. */
static void sparse_fill(struct sparse *s, dnnl_dim_t rows, dnnl_dim_t columns, int every) {
    *s = (struct sparse){.dims = {rows, columns}};
    for (dnnl_dim_t i = 0; every > 0 && i < rows * columns; i++) {
        if (i * 7 % every != 0) continue;
        for (int twice = 0; twice < (i % 11 == 0 ? 2 : 1); twice++, s->count++) {
            s->rows[s->count] = (int32_t)(i / columns);
            s->columns[s->count] = (int32_t)(i % columns);
            s->values[s->count] = (double)(i % 5) - 2 + twice;
        }
    }
    assert_true(s->count < MOST);
}

/* Coordinates may be in any order. */
static void sparse_shuffle(struct sparse *s) {
    for (int i = 0; i < s->count; i++) {
        int other = (int)((unsigned)i * 7919u % (unsigned)s->count);
        int32_t row = s->rows[i], column = s->columns[i];
        double value = s->values[i];
        s->rows[i] = s->rows[other], s->columns[i] = s->columns[other], s->values[i] = s->values[other];
        s->rows[other] = row, s->columns[other] = column, s->values[other] = value;
    }
}

static struct array sparse_array(const struct sparse *s, dnnl_data_type_t type) {
    struct array array = array_new(2, s->dims, type);
    for (int i = 0; i < s->count; i++)
        array.values[s->rows[i] * s->dims[1] + s->columns[i]] += s->values[i];
    return array;
}

static dnnl_memory_desc_t sparse_md(const struct sparse *s, dnnl_sparse_encoding_t encoding,
                                    dnnl_data_type_t type) {
    dnnl_memory_desc_t md;
    if (encoding == dnnl_csr)
        MUST(dnnl_memory_desc_create_with_csr_encoding(&md, 2, s->dims, type, s->count, dnnl_s32, dnnl_s32));
    else
        MUST(dnnl_memory_desc_create_with_coo_encoding(&md, 2, s->dims, type, s->count, dnnl_s32));
    return md;
}

static void write_handle(dnnl_memory_t memory, int handle, const int32_t *values, int count) {
    void *to;
    MUST(dnnl_memory_map_data_v2(memory, &to, handle));
    if (to) memcpy(to, values, (size_t)count * sizeof values[0]);
    MUST(dnnl_memory_unmap_data_v2(memory, to, handle));
}

static void write_values(dnnl_memory_t memory, const struct sparse *s, dnnl_data_type_t type) {
    void *to;
    MUST(dnnl_memory_map_data_v2(memory, &to, 0));
    for (int i = 0; i < s->count; i++)
        store_element(to, type, i, s->values[i]);
    MUST(dnnl_memory_unmap_data_v2(memory, to, 0));
}

static dnnl_memory_t sparse_memory(const_dnnl_memory_desc_t md, const struct sparse *s,
                                   dnnl_sparse_encoding_t encoding, dnnl_data_type_t type) {
    void *handles[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    static int32_t pointers[MOST];
    dnnl_memory_t memory;
    MUST(dnnl_memory_create_v2(&memory, md, test_engine(), 3, handles));
    write_values(memory, s, type);
    if (encoding == dnnl_coo) {
        write_handle(memory, 1, s->rows, s->count);
        write_handle(memory, 2, s->columns, s->count);
        return memory;
    }
    for (dnnl_dim_t r = 0, i = 0; r <= s->dims[0]; r++) {
        while (i < s->count && s->rows[i] < r)
            i++;
        pointers[r] = (int32_t)i;
    }
    write_handle(memory, 1, s->columns, s->count);
    write_handle(memory, 2, pointers, (int)s->dims[0] + 1);
    return memory;
}

/* A product: one operand is `sparse`, the other is dense. */
struct sparse_run {
    const struct sparse *sparse;
    struct array matrix, dense, dst; /* the sparse one with its zeros */
    dnnl_sparse_encoding_t encoding;
    bool as_src;
};

static void multiply(struct sparse_run *r) {
    const struct array *src = r->as_src ? &r->matrix : &r->dense,
                       *weights = r->as_src ? &r->dense : &r->matrix;
    for (dnnl_dim_t m = 0; m < src->dims[0]; m++)
        for (dnnl_dim_t n = 0; n < weights->dims[1]; n++) {
            double sum = 0;
            for (dnnl_dim_t k = 0; k < src->dims[1]; k++)
                sum += src->values[m * src->dims[1] + k] * weights->values[k * weights->dims[1] + n];
            r->dst.values[m * r->dst.dims[1] + n] = sum;
        }
}

static void execute(struct sparse_run *r, const char *what) {
    dnnl_data_type_t type = r->dst.type;
    dnnl_memory_desc_t sparse = sparse_md(r->sparse, r->encoding, type), dense = md_of(&r->dense, NULL),
                       dst = md_of(&r->dst, "ab");
    dnnl_primitive_desc_t pd = NULL;
    struct exec exec = {0};
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(&pd, test_engine(), r->as_src ? sparse : dense,
                                                             r->as_src ? dense : sparse, NULL, dst, NULL);
    int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
    exec_add(&exec, args[!r->as_src], sparse_memory(sparse, r->sparse, r->encoding, type));
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .extra = &exec,
                                           .inputs = {{args[r->as_src], &r->dense, NULL}},
                                           .outputs = {{DNNL_ARG_DST, &r->dst}}});
    exec_free(&exec);
    dnnl_memory_desc_destroy(sparse);
    dnnl_memory_desc_destroy(dense);
    dnnl_memory_desc_destroy(dst);
}

static void run_case(const struct sparse_case *c, dnnl_sparse_encoding_t encoding, bool as_src, bool shuffled,
                     dnnl_data_type_t type) {
    static struct sparse s;
    char what[128];
    sparse_fill(&s, as_src ? c->m : c->k, as_src ? c->k : c->n, c->every);
    if (shuffled) sparse_shuffle(&s);
    struct sparse_run r = {
            .sparse = &s,
            .encoding = encoding,
            .as_src = as_src,
            .matrix = sparse_array(&s, type),
            .dense = array_new(2, (dnnl_dims_t){as_src ? c->k : c->m, as_src ? c->n : c->k}, type),
            .dst = array_new(2, (dnnl_dims_t){c->m, c->n}, type)};
    array_fill(&r.dense, 2, (unsigned)c->n);
    multiply(&r);
    snprintf(what, sizeof what, "%s%s as %s, type %d, %dx%dx%d", shuffled ? "shuffled " : "",
             encoding == dnnl_csr ? "csr" : "coo", as_src ? "src" : "weights", (int)type, (int)c->m,
             (int)c->n, (int)c->k);
    execute(&r, what);
    array_free(&r.matrix);
    array_free(&r.dense);
    array_free(&r.dst);
}

static void products(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(cases); i++)
        for (int t = 0; t < COUNT(types); t++)
            for (int as_src = 0; as_src < 2; as_src++) {
                run_case(&cases[i], dnnl_csr, as_src, false, types[t]);
                run_case(&cases[i], dnnl_coo, as_src, false, types[t]);
                /* oneDNN wants coordinates sorted by rows. */
                if (!test_peer()) run_case(&cases[i], dnnl_coo, as_src, true, types[t]);
            }
    assert_int_equal(failures, 0);
    print_message("%d runs\n", implementations_run);
}

/* What is refused. */

static dnnl_status_t create(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
                            const_dnnl_memory_desc_t bias, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t dst = md_new(2, (dnnl_dims_t){4, 4}, dnnl_f32, "ab");
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, bias, dst, attr);
    if (pd) dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void refusals(void **state) {
    (void)state;
    const dnnl_dims_t dims = {4, 4}, row = {1, 4};
    dnnl_memory_desc_t csr, packed, wide,
            dense = md_new(2, dims, dnnl_f32, "ab"), turned = md_new(2, dims, dnnl_f32, "ba"),
            bias = md_new(2, row, dnnl_f32, "ab"), bf16 = md_new(2, dims, dnnl_bf16, "ab");
    dnnl_primitive_attr_t attr;
    MUST(dnnl_memory_desc_create_with_csr_encoding(&csr, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
    MUST(dnnl_memory_desc_create_with_csr_encoding(&wide, 2, dims, dnnl_f32, 3, dnnl_s64, dnnl_s64));
    MUST(dnnl_memory_desc_create_with_packed_encoding(&packed, 2, dims, dnnl_f32, 3));
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0));
    assert_int_equal(create(csr, dense, NULL, NULL), dnnl_success);
    assert_int_equal(create(csr, csr, NULL, NULL), dnnl_unimplemented);
    assert_int_equal(create(dense, packed, NULL, NULL), dnnl_unimplemented);
    assert_int_equal(create(wide, dense, NULL, NULL), dnnl_unimplemented);
    assert_int_equal(create(csr, turned, NULL, NULL), dnnl_unimplemented);
    assert_int_equal(create(csr, bf16, NULL, NULL), dnnl_unimplemented);
    assert_int_equal(create(csr, dense, bias, NULL), dnnl_unimplemented);
    assert_int_equal(create(csr, dense, NULL, attr), dnnl_unimplemented);
    dnnl_memory_desc_t all[] = {csr, packed, wide, dense, turned, bias, bf16};
    for (int i = 0; i < COUNT(all); i++)
        dnnl_memory_desc_destroy(all[i]);
    dnnl_primitive_attr_destroy(attr);
}

/* A sparse argument must have all its buffers. */
static void missing_buffers(void **state) {
    (void)state;
    if (test_peer()) skip();
    static struct sparse s;
    sparse_fill(&s, 4, 4, 2);
    dnnl_memory_desc_t sparse = sparse_md(&s, dnnl_csr, dnnl_f32),
                       dense = md_new(2, (dnnl_dims_t){4, 4}, dnnl_f32, "ab");
    dnnl_primitive_desc_t pd;
    MUST(dnnl_matmul_primitive_desc_create(&pd, test_engine(), sparse, dense, NULL, dense, NULL));
    for (int missing = 0; missing < 3; missing++) {
        struct exec exec = {0};
        exec_add(&exec, DNNL_ARG_SRC, sparse_memory(sparse, &s, dnnl_csr, dnnl_f32));
        exec_add(&exec, DNNL_ARG_WEIGHTS, memory_new(dense, NULL));
        exec_add(&exec, DNNL_ARG_DST, memory_new(dense, NULL));
        MUST(dnnl_memory_set_data_handle_v2(exec_find(&exec, DNNL_ARG_SRC), NULL, missing));
        assert_int_equal(exec_run(&exec, pd), dnnl_invalid_arguments);
        exec_free(&exec);
    }
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(sparse);
    dnnl_memory_desc_destroy(dense);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(refusals),
                                       cmocka_unit_test(missing_buffers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
