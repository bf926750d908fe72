/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the answers of primitive descriptors to every query, for primitives with user-defined layouts. What
 * depends on the implementation (names, scratchpads, estimates) is left out.
 */
#include "transcript.h"

#include <stdint.h>
#include <string.h>

static dnnl_engine_t engine;

static void print_md(const_dnnl_memory_desc_t desc) {
    int ndims = -1;
    dnnl_data_type_t type = dnnl_data_type_undef;
    const dnnl_dims_t *dims = NULL;
    if (!desc) {
        printf(" none");
        return;
    }
    dnnl_memory_desc_query(desc, dnnl_query_ndims_s32, &ndims);
    dnnl_memory_desc_query(desc, dnnl_query_data_type, &type);
    dnnl_memory_desc_query(desc, dnnl_query_dims, &dims);
    printf(" %d:%d", ndims, ndims ? (int)type : 0);
    for (int d = 0; d < ndims; d++)
        printf("x%lld", (long long)(*dims)[d]);
}

/* How the answer to a query is printed. */
enum form { SKIPPED, STATUS, ENGINE, WORD, FLOAT, LONG, DIMS, FACTORS };

static enum form form_of(int what) {
    switch (what) {
    case dnnl_query_time_estimate_f64:
    case dnnl_query_scratchpad_engine: return SKIPPED; /* supported here, but not by the peer */
    case dnnl_query_memory_consumption_s64:
    case dnnl_query_impl_info_str:
    case dnnl_query_cache_blob_id: return STATUS;
    case dnnl_query_engine:
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine: return ENGINE;
    case dnnl_query_cache_blob_id_size_s64:
    case dnnl_query_local_size_s64:
    case dnnl_query_group_size_s64: return LONG;
    case dnnl_query_strides:
    case dnnl_query_dilations:
    case dnnl_query_padding_l:
    case dnnl_query_padding_r:
    case dnnl_query_kernel: return DIMS;
    case dnnl_query_factors: return FACTORS;
    case dnnl_query_epsilon_f32:
    case dnnl_query_alpha_f32:
    case dnnl_query_beta_f32:
    case dnnl_query_k_f32:
    case dnnl_query_p_f32: return FLOAT;
    default: return WORD;
    }
}

static void print_value(const_dnnl_primitive_desc_t pd, int what, int index) {
    union {
        int word;
        float real;
        int64_t longer;
        const dnnl_dims_t *dims;
        const float *factors;
        void *pointer;
        char room[64];
    } value;
    enum form form = form_of(what);
    if (form == SKIPPED) return;
    memset(&value, 0x55, sizeof(value));
    int status = dnnl_primitive_desc_query(pd, (dnnl_query_t)what, index, &value);
    printf("  %d[%d] -> %d", what, index, status);
    if (status == dnnl_success) switch (form) {
        case ENGINE: printf(" %d", value.pointer == engine); break;
        case WORD: printf(" %#x", (unsigned)value.word); break;
        case FLOAT: printf(" %g", (double)value.real); break;
        case LONG: printf(" %lld", (long long)value.longer); break;
        case DIMS:
            for (int d = 0; d < 3; d++)
                printf(" %lld", (long long)(*value.dims)[d]);
            break;
        case FACTORS: printf(" %g %g", (double)value.factors[0], (double)value.factors[1]); break;
        default: break;
        }
    else
        printf(" %#x", (unsigned)value.word); /* untouched */
    printf("\n");
}

static void print_mds(const_dnnl_primitive_desc_t pd) {
    for (int what = dnnl_query_some_md; what <= dnnl_query_scratchpad_md; what++)
        for (int index = -1; index < 5; index++) {
            const_dnnl_memory_desc_t desc = NULL;
            int status = dnnl_primitive_desc_query(pd, (dnnl_query_t)what, index, &desc);
            printf("  %d[%d] -> %d", what, index, status);
            if (status == dnnl_success) print_md(desc);
            print_md(dnnl_primitive_desc_query_md(pd, (dnnl_query_t)what, index));
            printf("\n");
        }
}

static void print_exec_arg(const_dnnl_primitive_desc_t pd, int arg) {
    const_dnnl_memory_desc_t desc = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    int ndims = -1;
    if (desc) dnnl_memory_desc_query(desc, dnnl_query_ndims_s32, &ndims);
    if (ndims == 0) return;
    printf("  argument %d", arg);
    print_md(desc);
    printf("\n");
}

/* Indices of the binary post-ops of attr_with_post_ops. */
static const int binary_post_ops[] = {1, 3};

/* `made` points to the descriptor; it is read after the call that creates it. */
static void print_all(const char *name, dnnl_status_t status, dnnl_primitive_desc_t *made) {
    dnnl_primitive_desc_t pd = *made;
    printf("%s -> %d\n", name, status);
    if (status != dnnl_success) return;
    for (int what = -1; what < dnnl_query_some_md; what++)
        print_value(pd, what, 0);
    for (int what = dnnl_query_ndims_s32; what < dnnl_query_ndims_s32 + 16; what++)
        print_value(pd, what, 0);
    print_value(pd, dnnl_query_alg_kind, 3);
    print_value(pd, dnnl_query_num_of_inputs_s32, -1);
    print_value(pd, 9999, 0);
    print_mds(pd);
    for (int arg = -1; arg < 300; arg++)
        if (arg != DNNL_ARG_SCRATCHPAD) print_exec_arg(pd, arg);
    for (int i = 0; i < 2; i++) { /* the peer accepts other indices here, too */
        print_exec_arg(pd, DNNL_ARG_ATTR_MULTIPLE_POST_OP(binary_post_ops[i]) | DNNL_ARG_SRC_1);
        print_exec_arg(pd, DNNL_ARG_ATTR_MULTIPLE_POST_OP(binary_post_ops[i]) | DNNL_ARG_SRC_2);
    }
    for (int what = 0; what < dnnl_query_some_md; what++) {
        int number = dnnl_primitive_desc_query_s32(pd, (dnnl_query_t)what, 0);
        if (number) printf("  number %d: %d\n", what, number);
    }
    while ((status = dnnl_primitive_desc_next_impl(pd)) == dnnl_success)
        ;
    printf("  at the end %d %d\n", status, dnnl_primitive_desc_next_impl(pd));
    print_value(pd, dnnl_query_primitive_kind, 0);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_primitive_attr_t attr_with_post_ops(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_create(&attr);
    dnnl_post_ops_create(&ops);
    dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef);
    dnnl_post_ops_append_binary(ops, dnnl_binary_add, MD(ab, f32, 1, 5));
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
    dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, MD(ab, f32, 3, 5), MD(ab, s8, 3, 5));
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0);
    dnnl_post_ops_destroy(ops);
    return attr;
}

static void primitives(void) {
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_dims_t one = {1, 1, 1}, two = {2, 2, 2}, none = {0, 0, 0};
    print_all("convolution",
              dnnl_convolution_forward_primitive_desc_create(
                      &pd, engine, dnnl_forward_inference, dnnl_convolution_direct, MD(nhwc, f32, 2, 8, 7, 7),
                      MD(oihw, f32, 16, 8, 3, 3), MD(x, f32, 16), MD(nhwc, f32, 2, 16, 4, 4), two, NULL, one,
                      one, NULL),
              &pd);
    print_all("convolution, groups, no bias, any algorithm",
              dnnl_convolution_forward_primitive_desc_create(
                      &pd, engine, dnnl_forward_training, dnnl_convolution_auto, MD(nwc, f32, 2, 8, 7),
                      MD(goiw, f32, 2, 8, 4, 3), NULL, MD(nwc, f32, 2, 16, 5), one, one, one, one, NULL),
              &pd);
    print_all("eltwise",
              dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
                                                         dnnl_eltwise_linear, MD(abcd, f32, 2, 3, 4, 5),
                                                         MD(abcd, f32, 2, 3, 4, 5), 0.25f, 1e-7f, NULL),
              &pd);
    print_all("lrn",
              dnnl_lrn_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                     dnnl_lrn_across_channels, MD(nchw, f32, 2, 16, 4, 5),
                                                     MD(nchw, f32, 2, 16, 4, 5), 5, 1e-4f, 0.75f, 1, NULL),
              &pd);
    print_all("pooling",
              dnnl_pooling_forward_primitive_desc_create(
                      &pd, engine, dnnl_forward_training, dnnl_pooling_max, MD(nhwc, f32, 2, 16, 7, 7),
                      MD(nhwc, f32, 2, 16, 4, 4), two, two, none, none, one, NULL),
              &pd);
    print_all("pooling, average",
              dnnl_pooling_forward_primitive_desc_create(
                      &pd, engine, dnnl_forward_inference, dnnl_pooling_avg_exclude_padding,
                      MD(nwc, f32, 2, 16, 7), MD(nwc, f32, 2, 16, 4), two, two, none, none, one, NULL),
              &pd);
    print_all("softmax",
              dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_training, dnnl_softmax_log,
                                                         MD(abcd, f32, 2, 3, 4, 5), MD(abcd, f32, 2, 3, 4, 5),
                                                         1, NULL),
              &pd);
    print_all("inner product",
              dnnl_inner_product_forward_primitive_desc_create(
                      &pd, engine, dnnl_forward_training, MD(nchw, f32, 2, 16, 4, 5),
                      MD(oihw, f32, 10, 16, 4, 5), MD(x, f32, 10), MD(nc, f32, 2, 10), NULL),
              &pd);
    print_all("matmul",
              dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, f32, 3, 4), MD(ab, f32, 4, 5),
                                                MD(ab, f32, 1, 5), MD(ab, f32, 3, 5), NULL),
              &pd);
    dnnl_primitive_attr_t attr = attr_with_post_ops();
    print_all("matmul with post-ops",
              dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, u8, 3, 4), MD(ab, s8, 4, 5), NULL,
                                                MD(ab, f32, 3, 5), attr),
              &pd);
    dnnl_primitive_attr_destroy(attr);
    print_all("reorder",
              dnnl_reorder_primitive_desc_create(&pd, MD(abcd, f32, 2, 3, 4, 5), engine,
                                                 MD(acdb, bf16, 2, 3, 4, 5), engine, NULL),
              &pd);
}

static void bad_arguments(void) {
    dnnl_primitive_desc_t pd = NULL, copy = NULL;
    const_dnnl_primitive_attr_t attr = NULL;
    dnnl_engine_t found = NULL;
    int number = 0;
    MUST(dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, f32, 3, 4), MD(ab, f32, 4, 5), NULL,
                                           MD(ab, f32, 3, 5), NULL));
    SHOW(dnnl_primitive_desc_query(NULL, dnnl_query_engine, 0, &found));
    SHOW(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, NULL));
    SHOW(dnnl_primitive_desc_query(pd, dnnl_query_src_md, 0, NULL));
    SHOW(dnnl_primitive_desc_query(pd, dnnl_query_engine, 5, &found));
    SHOW(dnnl_primitive_desc_query(pd, (dnnl_query_t)-1, 0, &number));
    SHOW(dnnl_primitive_desc_query_md(NULL, dnnl_query_src_md, 0) != NULL);
    SHOW(dnnl_primitive_desc_query_md(pd, dnnl_query_engine, 0) != NULL);
    SHOW(dnnl_primitive_desc_query_s32(NULL, dnnl_query_num_of_inputs_s32, 0));
    SHOW(dnnl_primitive_desc_query_s32(pd, dnnl_query_src_md, 0));
    SHOW(dnnl_primitive_desc_query_s32(pd, dnnl_query_primitive_kind, 0));
    SHOW(dnnl_primitive_desc_get_attr(NULL, &attr));
    SHOW(dnnl_primitive_desc_get_attr(pd, NULL));
    SHOW(dnnl_primitive_desc_get_attr(pd, &attr));
    SHOW(dnnl_primitive_desc_clone(NULL, pd));
    SHOW(dnnl_primitive_desc_clone(&copy, NULL));
    SHOW(dnnl_primitive_desc_clone(&copy, pd));
    SHOW(dnnl_primitive_desc_destroy(pd));
    SHOW(dnnl_primitive_desc_query_s32(copy, dnnl_query_num_of_inputs_s32, 0));
    SHOW(dnnl_primitive_desc_destroy(copy));
    SHOW(dnnl_primitive_desc_destroy(NULL));
    SHOW(dnnl_primitive_desc_next_impl(NULL));
}

int main(void) {
    engine = cpu_engine();
    primitives();
    bad_arguments();
    release_all();
    dnnl_engine_destroy(engine);
    return 0;
}
