/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of convolution, deconvolution and inner product (forward, and backward by data and by weights),
 * matmul, pooling and LRN in both libraries: built with the peer, the program writes its results to a file;
 * built with ours, it compares every implementation with that file.
 *
 *     values_compute write FILE      values_compute check FILE
 *
 * Inputs are random numbers between -1 and 1, or random integers. Two sums of n fused or unfused steps, in
 * any order, differ by at most 2 n 2^-24 of the sum of the magnitudes of their terms. That sum is the same
 * product of absolute values, computed by the library itself. A result that is stored with fewer bits may be
 * rounded the other way, by one unit of its type. Integers are exact unless scales make them ties.
 */
#include "primitives/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static bool checking;
static int compared, only_ours;

/* The arrays of a case; those of a backward pass are what goes in and what comes out. */
enum { SRC, WEIGHTS, BIAS, DST, ARRAYS };
enum pass { FORWARD, BY_DATA, BY_WEIGHTS };
struct values {
    const char *name;
    int64_t terms; /* number of terms in a sum */
    struct array arrays[ARRAYS];
    struct attr_case attr;
    enum pass pass;
};

typedef dnnl_status_t (*create_function)(dnnl_primitive_desc_t *pd, const struct values *v,
                                         const void *parameters, const_dnnl_primitive_attr_t attr);

static const int all_args[][ARRAYS] = {
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST},
        {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DIFF_SRC},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_BIAS, DNNL_ARG_DIFF_WEIGHTS},
};

static double unit_of(dnnl_data_type_t type) {
    return type == dnnl_bf16 ? 0x1p-7 : type == dnnl_f16 ? 0x1p-10 : 0x1p-23;
}

static void run(const_dnnl_primitive_desc_t pd, const struct values *v, const struct attr_run *attr,
                bool absolute, struct array *result) {
    const int *args = all_args[v->pass];
    struct exec exec = {0};
    for (int i = 0; i < DST; i++) {
        const struct array *array = &v->arrays[i];
        if (!array->values) continue;
        struct array values = array_new(array->ndims, array->dims, array->type);
        for (int64_t k = 0; k < values.count; k++)
            values.values[k] = absolute ? fabs(array->values[k]) : array->values[k];
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, args[i]);
        exec_add(&exec, args[i], memory_reordered(md, &values));
        array_free(&values);
    }
    exec_add(
            &exec, args[DST],
            memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, args[DST]), &attr->previous));
    exec_add_attr(&exec, attr, pd);
    if (exec_run(&exec, pd) != dnnl_success) failure("%s: execution fails", v->name);
    memory_read(exec_find(&exec, args[DST]), result);
    exec_free(&exec);
}

/* The sums of magnitudes; 0 if there are no sums. */
static struct array magnitudes(const struct values *v, const void *parameters, create_function create) {
    const struct array *dst = &v->arrays[DST];
    struct array result = array_new(dst->ndims, dst->dims, dnnl_f32);
    if (v->terms <= 1 || is_integer(v->arrays[SRC].type)) return result;
    static const struct attr_case plain = {.name = "plain"};
    struct values in_f32 = *v;
    for (int i = 0; i < ARRAYS; i++)
        in_f32.arrays[i].type = dnnl_f32;
    struct attr_run attr;
    dnnl_primitive_desc_t pd;
    attr_run_init(&attr, &plain, &v->arrays[SRC], &v->arrays[WEIGHTS], &in_f32.arrays[DST]);
    if (create(&pd, &in_f32, parameters, attr.attr) == dnnl_success) {
        run(pd, &in_f32, &attr, true, &result);
        dnnl_primitive_desc_destroy(pd);
    } else {
        failure("%s: no sum of magnitudes", v->name);
    }
    attr_run_free(&attr);
    return result;
}

static void compare(const struct values *v, const char *implementation, const double *peer,
                    const struct array *ours, const struct array *magnitude) {
    for (int64_t i = 0; i < ours->count; i++) {
        double slack = is_integer(ours->type) ? 1 : fabs(peer[i]) * unit_of(ours->type);
        slack += 2 * ((double)v->terms + 8) * 0x1p-24 * (magnitude->values[i] + 8);
        if (fabs(peer[i] - ours->values[i]) <= slack) continue;
        failure("%s, %s: element %lld is %.9g, the peer's is %.9g, apart by more than %.3g", v->name,
                implementation, (long long)i, ours->values[i], peer[i], slack);
        return;
    }
    compared++;
}

/* Our side of a case. `peer_status` says whether the peer has values for it. */
static void check_values(const struct values *v, const void *parameters, create_function create) {
    const struct array *dst = &v->arrays[DST];
    int peer_status = 0;
    double *peer = calloc((size_t)dst->count, sizeof *peer);
    if (fread(&peer_status, sizeof peer_status, 1, file) != 1
        || (peer_status == dnnl_success
            && fread(peer, sizeof *peer, (size_t)dst->count, file) != (size_t)dst->count)) {
        failure("%s: the file is too short", v->name);
        free(peer);
        return;
    }
    struct attr_run attr;
    attr_run_init(&attr, &v->attr, &v->arrays[SRC], &v->arrays[WEIGHTS], dst);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = create(&pd, v, parameters, attr.attr);
    if (status != dnnl_success) {
        failure("%s: creation returns %d, the peer's %d", v->name, (int)status, peer_status);
    } else {
        struct array magnitude = magnitudes(v, parameters, create),
                     result = array_new(dst->ndims, dst->dims, dst->type);
        if (peer_status != dnnl_success) only_ours++;
        do {
            const char *info = "";
            dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
            run(pd, v, &attr, false, &result);
            if (peer_status == dnnl_success) compare(v, info, peer, &result, &magnitude);
        } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
        dnnl_primitive_desc_destroy(pd);
        array_free(&magnitude);
        array_free(&result);
    }
    attr_run_free(&attr);
    free(peer);
}

static void write_values(const struct values *v, const void *parameters, create_function create) {
    const struct array *dst = &v->arrays[DST];
    struct attr_run attr;
    attr_run_init(&attr, &v->attr, &v->arrays[SRC], &v->arrays[WEIGHTS], dst);
    dnnl_primitive_desc_t pd;
    int status = create(&pd, v, parameters, attr.attr);
    fwrite(&status, sizeof status, 1, file);
    if (status == dnnl_success) {
        struct array result = array_new(dst->ndims, dst->dims, dst->type);
        run(pd, v, &attr, false, &result);
        fwrite(result.values, sizeof *result.values, (size_t)result.count, file);
        array_free(&result);
        dnnl_primitive_desc_destroy(pd);
    }
    attr_run_free(&attr);
}

/* Integers. Weights are even and small: on CPUs without VNNI the peer halves them for a signed source, and
 * adds two products in 16 bits. */
static void fill_integers(struct array *array, int which) {
    array_fill(array, 30, 11u + (unsigned)which);
    for (int64_t i = 0; which == WEIGHTS && i < array->count; i++)
        array->values[i] *= 2;
}

/* Fills the inputs, runs the case in one library and frees it. */
static void finish(struct values *v, const void *parameters, create_function create) {
    for (int i = 0; i < DST; i++) {
        struct array *array = &v->arrays[i];
        if (!array->values) continue;
        if (is_integer(array->type))
            fill_integers(array, i);
        else
            array_fill_real(array, 11u + (unsigned)i);
    }
    if (checking)
        check_values(v, parameters, create);
    else
        write_values(v, parameters, create);
    for (int i = 0; i < ARRAYS; i++)
        array_free(&v->arrays[i]);
}

/* Convolution and deconvolution. */

struct convolution {
    const char *name;
    int nspatial, groups;
    dnnl_dim_t batch, inputs, outputs;
    dnnl_dims_t in, kernel, stride, dilation, padding;
    struct attr_case attr;
};

#define RELU {.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu}
#define SUM {.kind = dnnl_sum, .alpha = 0.5f}
#define ADD {.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 2}

static const struct convolution convolutions[] = {
        {"first layer", 2, 0, 1, 3, 96, {67, 67}, {11, 11}, {4, 4}, {0, 0}, {0, 0}, {.ops = {RELU}}},
        {"depthwise, padded", 2, 40, 2, 1, 1, {14, 15}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {.ops = {RELU}}},
        {"depthwise, strided", 2, 64, 1, 1, 1, {28, 9}, {5, 5}, {2, 2}, {0, 1}, {2, 4}, {.name = "plain"}},
        {"groups of two", 2, 2, 1, 48, 64, {15, 15}, {5, 5}, {1, 1}, {0, 0}, {2, 2}, {.ops = {RELU}}},
        {"three by three", 2, 0, 2, 33, 47, {13, 13}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {.ops = {SUM, RELU}}},
        {"one by one", 2, 0, 2, 64, 128, {14, 14}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, {.ops = {ADD}}},
        {"depthwise", 2, 40, 1, 1, 1, {12, 12}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {.name = "plain"}},
        {"a line", 1, 0, 2, 16, 24, {50}, {5}, {3}, {0}, {2}, {.name = "plain"}},
        {"a volume",
         3,
         0,
         1,
         8,
         16,
         {6, 7, 8},
         {3, 3, 3},
         {1, 2, 1},
         {0, 0, 0},
         {1, 1, 1},
         {.name = "plain"}},
};

static const struct convolution deconvolutions[] = {
        {"upsampling", 2, 0, 1, 24, 40, {9, 8}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {.ops = {RELU}}},
        {"two by two", 2, 0, 2, 32, 16, {7, 6}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {.ops = {ADD}}},
        {"stride one", 2, 0, 1, 17, 35, {8, 9}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {.ops = {SUM, RELU}}},
        {"dilated", 2, 2, 1, 8, 24, {6, 5}, {3, 2}, {2, 3}, {1, 1}, {2, 1}, {.name = "plain"}},
        {"depthwise, bilinear", 2, 20, 1, 1, 1, {7, 9}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {.name = "plain"}},
        {"a longer line", 1, 0, 2, 16, 24, {15}, {5}, {3}, {0}, {2}, {.name = "plain"}},
};

typedef dnnl_status_t (*create_window)(dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t,
                                       dnnl_alg_kind_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,
                                       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const dnnl_dims_t,
                                       const dnnl_dims_t, const dnnl_dims_t, const dnnl_dims_t,
                                       const_dnnl_primitive_attr_t);

static dnnl_status_t create_either(dnnl_primitive_desc_t *pd, const struct values *v,
                                   const struct convolution *c, const_dnnl_primitive_attr_t attr,
                                   create_window create, dnnl_alg_kind_t alg) {
    dnnl_memory_desc_t md[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        md[i] = v->arrays[i].values ? md_of(&v->arrays[i], NULL) : NULL;
    dnnl_status_t status = create(pd, test_engine(), dnnl_forward_inference, alg, md[SRC], md[WEIGHTS],
                                  md[BIAS], md[DST], c->stride, c->dilation, c->padding, c->padding, attr);
    for (int i = 0; i < ARRAYS; i++)
        dnnl_memory_desc_destroy(md[i]);
    return status;
}

static dnnl_status_t create_convolution(dnnl_primitive_desc_t *pd, const struct values *v,
                                        const void *parameters, const_dnnl_primitive_attr_t attr) {
    return create_either(pd, v, parameters, attr, dnnl_convolution_forward_primitive_desc_create,
                         dnnl_convolution_direct);
}

static dnnl_status_t create_deconvolution(dnnl_primitive_desc_t *pd, const struct values *v,
                                          const void *parameters, const_dnnl_primitive_attr_t attr) {
    return create_either(pd, v, parameters, attr, dnnl_deconvolution_forward_primitive_desc_create,
                         dnnl_deconvolution_direct);
}

typedef dnnl_status_t (*create_window_backward)(dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t,
                                                const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,
                                                const_dnnl_memory_desc_t, const dnnl_dims_t,
                                                const dnnl_dims_t, const dnnl_dims_t, const dnnl_dims_t,
                                                const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t);

/* With the forward pass as a hint. */
static dnnl_status_t create_either_backward(dnnl_primitive_desc_t *pd, const struct values *v,
                                            const struct convolution *c, create_window forward,
                                            create_window_backward backward, dnnl_alg_kind_t alg) {
    dnnl_memory_desc_t diff_dst = md_of(&v->arrays[SRC], NULL), weights = md_of(&v->arrays[WEIGHTS], NULL),
                       diff_src = md_of(&v->arrays[DST], NULL);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = forward(&hint, test_engine(), dnnl_forward_training, alg, diff_src, weights, NULL,
                                   diff_dst, c->stride, c->dilation, c->padding, c->padding, NULL);
    if (status == dnnl_success)
        status = backward(pd, test_engine(), alg, diff_src, weights, diff_dst, c->stride, c->dilation,
                          c->padding, c->padding, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(diff_dst);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(diff_src);
    return status;
}

static dnnl_status_t create_convolution_backward(dnnl_primitive_desc_t *pd, const struct values *v,
                                                 const void *parameters, const_dnnl_primitive_attr_t attr) {
    (void)attr;
    return create_either_backward(pd, v, parameters, dnnl_convolution_forward_primitive_desc_create,
                                  dnnl_convolution_backward_data_primitive_desc_create,
                                  dnnl_convolution_direct);
}

static dnnl_status_t create_deconvolution_backward(dnnl_primitive_desc_t *pd, const struct values *v,
                                                   const void *parameters, const_dnnl_primitive_attr_t attr) {
    (void)attr;
    return create_either_backward(pd, v, parameters, dnnl_deconvolution_forward_primitive_desc_create,
                                  dnnl_deconvolution_backward_data_primitive_desc_create,
                                  dnnl_deconvolution_direct);
}

/* Gradients of weights: of src, diff_dst and results. */
static dnnl_status_t create_gradient(dnnl_primitive_desc_t *pd, const struct values *v,
                                     const struct convolution *c, bool transposed) {
    dnnl_memory_desc_t src = md_of(&v->arrays[SRC], NULL), diff_dst = md_of(&v->arrays[WEIGHTS], NULL),
                       weights = md_of(&v->arrays[DST], NULL);
    const dnnl_alg_kind_t alg = transposed ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    create_window forward = transposed ? dnnl_deconvolution_forward_primitive_desc_create
                                       : dnnl_convolution_forward_primitive_desc_create;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = forward(&hint, test_engine(), dnnl_forward_training, alg, src, weights, NULL,
                                   diff_dst, c->stride, c->dilation, c->padding, c->padding, NULL);
    if (status == dnnl_success)
        status = (transposed ? dnnl_deconvolution_backward_weights_primitive_desc_create
                             : dnnl_convolution_backward_weights_primitive_desc_create)(
                pd, test_engine(), alg, src, weights, NULL, diff_dst, c->stride, c->dilation, c->padding,
                c->padding, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(diff_dst);
    dnnl_memory_desc_destroy(weights);
    return status;
}

static dnnl_status_t create_convolution_gradient(dnnl_primitive_desc_t *pd, const struct values *v,
                                                 const void *parameters, const_dnnl_primitive_attr_t attr) {
    (void)attr;
    return create_gradient(pd, v, parameters, false);
}

static dnnl_status_t create_deconvolution_gradient(dnnl_primitive_desc_t *pd, const struct values *v,
                                                   const void *parameters, const_dnnl_primitive_attr_t attr) {
    (void)attr;
    return create_gradient(pd, v, parameters, true);
}

static struct values convolution_values(const struct convolution *c, bool transposed,
                                        const dnnl_data_type_t *types, const struct attr_case *attr) {
    int g = c->groups ? 1 : 0;
    dnnl_dim_t groups = g ? c->groups : 1;
    dnnl_dims_t src = {c->batch, groups * c->inputs}, dst = {c->batch, groups * c->outputs},
                weights = {groups};
    struct values v = {.name = c->name, .terms = c->inputs, .attr = *attr};
    weights[g] = c->outputs;
    weights[g + 1] = c->inputs;
    for (int i = 0; i < c->nspatial; i++) {
        dnnl_dim_t extent = (c->kernel[i] - 1) * (c->dilation[i] + 1) + 1;
        src[2 + i] = c->in[i];
        dst[2 + i] = transposed ? (c->in[i] - 1) * c->stride[i] + extent - 2 * c->padding[i]
                                : (c->in[i] - extent + 2 * c->padding[i]) / c->stride[i] + 1;
        weights[g + 2 + i] = c->kernel[i];
        v.terms *= c->kernel[i];
    }
    v.arrays[SRC] = array_new(c->nspatial + 2, src, types[SRC]);
    v.arrays[WEIGHTS] = array_new(c->nspatial + 2 + g, weights, types[WEIGHTS]);
    v.arrays[BIAS] = array_new(1, &dst[1], types[BIAS]);
    v.arrays[DST] = array_new(c->nspatial + 2, dst, types[DST]);
    if (v.attr.weights_mask) v.attr.weights_mask = g ? 3 : 1;
    return v;
}

static void convolution(const struct convolution *c, bool transposed, const dnnl_data_type_t *types,
                        const struct attr_case *attr) {
    struct values v = convolution_values(c, transposed, types, attr);
    finish(&v, c, transposed ? create_deconvolution : create_convolution);
}

static void convolution_backward(const struct convolution *c, bool transposed,
                                 const dnnl_data_type_t *types) {
    static const struct attr_case plain = {.name = "plain"};
    struct values v = convolution_values(c, transposed, types, &plain);
    struct array src = v.arrays[SRC];
    v.arrays[SRC] = v.arrays[DST];
    v.arrays[DST] = src;
    array_free(&v.arrays[BIAS]);
    v.terms = v.terms / c->inputs * c->outputs;
    v.pass = BY_DATA;
    finish(&v, c, transposed ? create_deconvolution_backward : create_convolution_backward);
}

static void convolution_gradient(const struct convolution *c, bool transposed,
                                 const dnnl_data_type_t *types) {
    static const struct attr_case plain = {.name = "plain"};
    struct values v = convolution_values(c, transposed, types, &plain);
    struct array weights = v.arrays[WEIGHTS];
    v.arrays[WEIGHTS] = v.arrays[DST];
    v.arrays[DST] = weights;
    array_free(&v.arrays[BIAS]);
    v.terms = v.arrays[WEIGHTS].count / v.arrays[WEIGHTS].dims[1];
    v.pass = BY_WEIGHTS;
    finish(&v, c, transposed ? create_deconvolution_gradient : create_convolution_gradient);
}

static const struct attr_case quantised = {.src_scale = 0.013f,
                                           .weights_scale = 0.007f,
                                           .weights_mask = 1,
                                           .dst_scale = 0.1f,
                                           .src_zero_point = 3,
                                           .dst_zero_point = 2,
                                           .ops = {RELU}};

static void convolutions_all(const struct convolution *all, int count, bool transposed) {
    static const dnnl_data_type_t f32[] = {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32};
    static const dnnl_data_type_t bf16[] = {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16};
    static const dnnl_data_type_t f16[] = {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32};
    static const dnnl_data_type_t s8s8f32[] = {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32};
    static const dnnl_data_type_t u8s8u8[] = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    static const dnnl_data_type_t u8s8s32[] = {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32};
    static const struct attr_case plain = {.name = "plain"};
    for (int i = 0; i < count; i++) {
        convolution(&all[i], transposed, f32, &all[i].attr);
        convolution(&all[i], transposed, bf16, &all[i].attr);
        convolution(&all[i], transposed, f16, &all[i].attr);
        convolution(&all[i], transposed, s8s8f32, &plain);
        convolution(&all[i], transposed, u8s8s32, &plain);
        convolution(&all[i], transposed, u8s8u8, &quantised);
        convolution_backward(&all[i], transposed, f32);
        convolution_backward(&all[i], transposed, bf16);
        convolution_gradient(&all[i], transposed, f32);
        convolution_gradient(&all[i], transposed, bf16);
    }
}

/* Inner product and matmul. */

static dnnl_status_t create_inner_product(dnnl_primitive_desc_t *pd, const struct values *v,
                                          const void *parameters, const_dnnl_primitive_attr_t attr) {
    (void)parameters;
    dnnl_memory_desc_t md[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        md[i] = md_of(&v->arrays[i], NULL);
    dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, md[SRC], md[WEIGHTS], md[BIAS], md[DST], attr);
    for (int i = 0; i < ARRAYS; i++)
        dnnl_memory_desc_destroy(md[i]);
    return status;
}

/* Backward, with the forward pass as a hint. */
static dnnl_status_t create_inner_product_backward(dnnl_primitive_desc_t *pd, const struct values *v,
                                                   const void *parameters, const_dnnl_primitive_attr_t attr) {
    const bool by_data = v->pass == BY_DATA;
    (void)parameters;
    (void)attr;
    dnnl_memory_desc_t src = md_of(&v->arrays[by_data ? DST : SRC], NULL),
                       weights = md_of(&v->arrays[by_data ? WEIGHTS : DST], NULL),
                       dst = md_of(&v->arrays[by_data ? SRC : WEIGHTS], NULL);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(
            &hint, test_engine(), dnnl_forward_training, src, weights, NULL, dst, NULL);
    if (status == dnnl_success)
        status = by_data ? dnnl_inner_product_backward_data_primitive_desc_create(pd, test_engine(), src,
                                                                                  weights, dst, hint, NULL)
                         : dnnl_inner_product_backward_weights_primitive_desc_create(
                                   pd, test_engine(), src, weights, NULL, dst, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void inner_product_backward(enum pass pass, int ndims, const dnnl_dim_t *src,
                                   const dnnl_dim_t *weights, dnnl_data_type_t type) {
    const dnnl_dims_t dst = {src[0], weights[0]};
    const struct array arrays[] = {array_new(ndims, src, type), array_new(ndims, weights, type),
                                   array_new(2, dst, type)};
    struct values v = {.name = pass == BY_DATA ? "inner product by data" : "inner product by weights",
                       .terms = pass == BY_DATA ? weights[0] : src[0],
                       .attr = {.name = "plain"},
                       .pass = pass};
    v.arrays[SRC] = arrays[pass == BY_DATA ? 2 : 0];
    v.arrays[WEIGHTS] = arrays[pass == BY_DATA ? 1 : 2];
    v.arrays[DST] = arrays[pass == BY_DATA ? 0 : 1];
    finish(&v, NULL, create_inner_product_backward);
}

static void inner_products(void) {
    static const struct {
        int ndims;
        dnnl_dim_t outputs;
        dnnl_dims_t src;
    } shapes[] = {{2, 100, {4, 777}}, {4, 65, {2, 16, 6, 6}}, {5, 10, {3, 5, 2, 3, 4}}};
    static const dnnl_data_type_t types[][ARRAYS] = {{dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
                                                     {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
                                                     {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_f32},
                                                     {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32}};
    for (int s = 0; s < COUNT(shapes); s++)
        for (int t = 0; t < COUNT(types); t++) {
            dnnl_dims_t weights = {shapes[s].outputs}, dst = {shapes[s].src[0], shapes[s].outputs};
            struct values v = {.name = "inner product", .terms = 1, .attr = {.ops = {RELU, SUM}}};
            for (int d = 1; d < shapes[s].ndims; d++)
                v.terms *= weights[d] = shapes[s].src[d];
            v.arrays[SRC] = array_new(shapes[s].ndims, shapes[s].src, types[t][SRC]);
            v.arrays[WEIGHTS] = array_new(shapes[s].ndims, weights, types[t][WEIGHTS]);
            v.arrays[BIAS] = array_new(1, &dst[1], types[t][BIAS]);
            v.arrays[DST] = array_new(2, dst, types[t][DST]);
            finish(&v, NULL, create_inner_product);
            if (t > 1) continue;
            inner_product_backward(BY_DATA, shapes[s].ndims, shapes[s].src, weights, types[t][SRC]);
            inner_product_backward(BY_WEIGHTS, shapes[s].ndims, shapes[s].src, weights, types[t][SRC]);
        }
}

static dnnl_status_t create_matmul(dnnl_primitive_desc_t *pd, const struct values *v, const void *parameters,
                                   const_dnnl_primitive_attr_t attr) {
    const char *const *tags = parameters;
    dnnl_memory_desc_t md[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        md[i] = md_of(&v->arrays[i], tags[i]);
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(pd, test_engine(), md[SRC], md[WEIGHTS],
                                                             md[BIAS], md[DST], attr);
    for (int i = 0; i < ARRAYS; i++)
        dnnl_memory_desc_destroy(md[i]);
    return status;
}

static void matmuls(void) {
    static const struct {
        int ndims;
        dnnl_dims_t dims[ARRAYS];
        const char *tags[ARRAYS];
    } shapes[] = {
            {2, {{65, 130}, {130, 70}, {1, 70}, {65, 70}}, {"ab", "ab", "ab", "ab"}},
            {2, {{31, 100}, {100, 33}, {31, 33}, {31, 33}}, {"ba", "ba", "ab", "ab"}},
            {3, {{4, 10, 20}, {1, 20, 30}, {1, 1, 30}, {4, 10, 30}}, {"abc", "acb", "abc", "abc"}},
            {4, {{2, 3, 8, 16}, {2, 3, 16, 8}, {1, 1, 8, 8}, {2, 3, 8, 8}}, {"acbd", "abcd", "abcd", "abdc"}},
    };
    static const dnnl_data_type_t types[][ARRAYS] = {
            {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16}, {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f32, dnnl_f32},
            {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_f32},   {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32}};
    for (int s = 0; s < COUNT(shapes); s++)
        for (int t = 0; t < COUNT(types); t++)
            for (int a = 0; a < 2; a++) {
                int n = shapes[s].ndims;
                struct values v = {.name = "matmul", .terms = shapes[s].dims[SRC][n - 1]};
                if (a == 1)
                    v.attr = (struct attr_case){.src_scale = 0.37f, .dst_scale = 1.3f, .ops = {SUM, RELU}};
                for (int i = 0; i < ARRAYS; i++)
                    v.arrays[i] = array_new(n, shapes[s].dims[i], types[t][i]);
                finish(&v, shapes[s].tags, create_matmul);
            }
}

/* Pooling and LRN. */

struct window {
    int nspatial;
    dnnl_dims_t src, kernel, stride, dilation, padding;
    dnnl_alg_kind_t alg;
    const char *tag;
};

static dnnl_status_t create_pooling(dnnl_primitive_desc_t *pd, const struct values *v, const void *parameters,
                                    const_dnnl_primitive_attr_t attr) {
    const struct window *w = parameters;
    dnnl_memory_desc_t src = md_of(&v->arrays[SRC], w->tag), dst = md_of(&v->arrays[DST], w->tag);
    dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, w->alg, src, dst, w->stride, w->kernel, w->dilation,
            w->padding, w->padding, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void poolings(void) {
    static const struct window windows[] = {
            {2, {2, 37, 13, 13}, {3, 3}, {2, 2}, {0, 0}, {0, 0}, dnnl_pooling_max, "acdb"},
            {2, {1, 16, 12, 11}, {3, 2}, {1, 2}, {0, 0}, {1, 1}, dnnl_pooling_avg_include_padding, "abcd"},
            {2, {1, 20, 12, 11}, {3, 3}, {2, 1}, {1, 1}, {1, 2}, dnnl_pooling_avg_exclude_padding, "acdb"},
            {3, {1, 8, 6, 6, 6}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, dnnl_pooling_max, "acdeb"},
            {1, {3, 4, 40}, {5}, {2}, {0}, {2}, dnnl_pooling_avg_exclude_padding, "abc"},
            {2, {2, 7, 14, 57}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, dnnl_pooling_max, "abcd"},
            {2, {2, 7, 9, 40}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, dnnl_pooling_avg_exclude_padding, "abcd"},
    };
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_s32};
    for (int s = 0; s < COUNT(windows); s++)
        for (int t = 0; t < COUNT(types); t++) {
            const struct window *w = &windows[s];
            struct values v = {.name = "pooling", .terms = 1};
            dnnl_dims_t dst = {w->src[0], w->src[1]};
            for (int i = 0; i < w->nspatial; i++) {
                dnnl_dim_t extent = (w->kernel[i] - 1) * (w->dilation[i] + 1) + 1;
                dst[2 + i] = (w->src[2 + i] - extent + 2 * w->padding[i]) / w->stride[i] + 1;
            }
            v.arrays[SRC] = array_new(w->nspatial + 2, w->src, types[t]);
            v.arrays[DST] = array_new(w->nspatial + 2, dst, types[t]);
            finish(&v, w, create_pooling);
        }
}

struct normalisation {
    dnnl_dims_t dims;
    dnnl_dim_t size;
    float alpha, beta, k;
    dnnl_alg_kind_t alg;
    const char *tag;
};

static dnnl_status_t create_lrn(dnnl_primitive_desc_t *pd, const struct values *v, const void *parameters,
                                const_dnnl_primitive_attr_t attr) {
    const struct normalisation *n = parameters;
    dnnl_memory_desc_t src = md_of(&v->arrays[SRC], n->tag), dst = md_of(&v->arrays[DST], n->tag);
    dnnl_status_t status =
            dnnl_lrn_forward_primitive_desc_create(pd, test_engine(), dnnl_forward_inference, n->alg, src,
                                                   dst, n->size, n->alpha, n->beta, n->k, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void normalisations(void) {
    static const struct normalisation cases[] = {
            {{1, 96, 9, 9}, 5, 1e-4f, 0.75f, 1, dnnl_lrn_across_channels, "acdb"},
            {{2, 30, 7, 6}, 5, 1, 0.75f, 1, dnnl_lrn_across_channels, "abcd"},
            {{2, 32, 7, 6}, 3, 1, 0.5f, 2, dnnl_lrn_across_channels, "acdb"},
            {{2, 20, 8, 8}, 5, 1, 0.75f, 1, dnnl_lrn_within_channel, "acdb"},
            {{2, 16, 8, 8}, 4, 2, 1.25f, 1, dnnl_lrn_within_channel, "aBcd16b"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        struct values v = {.name = "lrn", .terms = 1};
        v.arrays[SRC] = array_new(4, cases[i].dims, dnnl_f32);
        v.arrays[DST] = array_new(4, cases[i].dims, dnnl_f32);
        finish(&v, &cases[i], create_lrn);
    }
}

int main(int argc, char **argv) {
    dnnl_engine_t engine;
    if (argc != 3) return 2;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) {
        printf("SKIP: no CPU engine\n");
        return 77;
    }
    checking = strcmp(argv[1], "check") == 0;
    file = fopen(argv[2], checking ? "rb" : "wb");
    if (!file) return 2;
    convolutions_all(convolutions, COUNT(convolutions), false);
    convolutions_all(deconvolutions, COUNT(deconvolutions), true);
    inner_products();
    matmuls();
    poolings();
    normalisations();
    fclose(file);
    dnnl_engine_destroy(engine);
    if (checking)
        printf("%d results are equal, %d problems are not supported by the peer\n", compared, only_ours);
    return failures ? 1 : 0;
}
