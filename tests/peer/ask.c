/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads requests, one per line, and prints the status of each descriptor's creation (acceptance.py). A
 * request:
 *
 *     convolution prop=bd src=f32/2x8x5x5/acdb wei=f32/16x8x3x3/any dst=f32/2x16x5x5/any s=1x1 d=0x0 l=1x1
 * r=1x1
 *
 * Tensors are type/dims/layout: a tag, `any`, or nothing for row-major; * is a size that is known only at
 * execution. What a kind of primitive reads is in its function below. Attributes are words with an @, their
 * parameters after colons: @scale:wei:1 @elt:eltwise_relu @bin:binary_add:f32/1x16x1x1/abcd. Backward passes
 * get a forward descriptor for the same tensors, or, where there is none, for f32 in any layout. -1: a
 * tensor, -2: an attribute cannot be made; -3: there is no forward descriptor.
 */
#include "count.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exported by both libraries, declared by no public header. */
dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *, int, const dnnl_dims_t,
                                                      dnnl_data_type_t, const char *);

enum { WORDS = 64, TENSORS = 96 };
enum { BAD_TENSOR = -1, BAD_ATTR = -2, NO_HINT = -3 };

struct request {
    int count;
    char *words[WORDS];
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    int status; /* of tensors and attributes */
    int ntensors;
    dnnl_memory_desc_t tensors[TENSORS];
    dnnl_primitive_desc_t hint, pd;
};

static dnnl_engine_t engine;

static void stop(const char *what, const char *word) {
    fprintf(stderr, "%s: %s\n", what, word);
    exit(1);
}

/* Names. */

static dnnl_alg_kind_t alg_named(const char *name) {
    enum { LAST = 0x40000 };
    static const char *names[LAST];
    if (!name) return dnnl_alg_kind_undef;
    for (int v = 1; !names[0] && v < LAST; v++)
        names[v] = dnnl_alg_kind2str((dnnl_alg_kind_t)v);
    names[0] = "";
    for (int v = 1; v < LAST; v++)
        if (strcmp(names[v], name) == 0) return (dnnl_alg_kind_t)v;
    stop("no such algorithm", name);
    return dnnl_alg_kind_undef;
}

static dnnl_data_type_t type_named(const char *name, size_t length) {
    for (int t = 1; t < 20; t++) {
        const char *text = dnnl_dt2str((dnnl_data_type_t)t);
        if (strlen(text) == length && strncmp(text, name, length) == 0) return (dnnl_data_type_t)t;
    }
    stop("no such type", name);
    return dnnl_data_type_undef;
}

static int arg_named(const char *name) {
    static const struct {
        const char *name;
        int arg;
    } args[] = {{"src", DNNL_ARG_SRC},   {"src1", DNNL_ARG_SRC_1},        {"wei", DNNL_ARG_WEIGHTS},
                {"bia", DNNL_ARG_BIAS},  {"dst", DNNL_ARG_DST},           {"dsrc", DNNL_ARG_DIFF_SRC},
                {"mean", DNNL_ARG_MEAN}, {"first", DNNL_ARG_MULTIPLE_SRC}};
    for (int i = 0; i < COUNT(args); i++)
        if (strcmp(args[i].name, name) == 0) return args[i].arg;
    stop("no such argument", name);
    return 0;
}

static dnnl_prop_kind_t prop_named(const char *name) {
    static const struct {
        const char *name;
        dnnl_prop_kind_t prop;
    } props[] = {{"ft", dnnl_forward_training},
                 {"fi", dnnl_forward_inference},
                 {"b", dnnl_backward},
                 {"bd", dnnl_backward_data},
                 {"bw", dnnl_backward_weights}};
    for (int i = 0; name && i < COUNT(props); i++)
        if (strcmp(props[i].name, name) == 0) return props[i].prop;
    return dnnl_forward_inference;
}

/* Words of a request: key=value. */

static const char *value_of(const struct request *r, const char *key) {
    size_t length = strlen(key);
    for (int i = 1; i < r->count; i++)
        if (strncmp(r->words[i], key, length) == 0 && r->words[i][length] == '=')
            return r->words[i] + length + 1;
    return NULL;
}

static long number_of(const struct request *r, const char *key, long otherwise) {
    const char *text = value_of(r, key);
    return text ? strtol(text, NULL, 0) : otherwise;
}

static int read_dims(const char *text, dnnl_dim_t *dims) {
    int n = 0;
    while (isdigit((unsigned char)*text) || *text == '*' || *text == '-') {
        char *end = (char *)text + 1;
        dims[n++] = *text == '*' ? DNNL_RUNTIME_DIM_VAL : strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return n;
}

static const dnnl_dim_t *dims_of(const struct request *r, const char *key, dnnl_dims_t dims) {
    const char *text = value_of(r, key);
    memset(dims, 0, sizeof(dnnl_dims_t));
    return text && read_dims(text, dims) > 0 ? dims : NULL;
}

static dnnl_memory_desc_t keep(struct request *r, dnnl_status_t status, dnnl_memory_desc_t md) {
    if (status != dnnl_success) r->status = BAD_TENSOR;
    if (status != dnnl_success || r->ntensors == TENSORS) return NULL;
    return r->tensors[r->ntensors++] = md;
}

static dnnl_memory_desc_t tensor(struct request *r, const char *text) {
    dnnl_memory_desc_t md = NULL;
    dnnl_dims_t dims;
    const char *slash = strchr(text, '/');
    dnnl_data_type_t type = type_named(text, slash ? (size_t)(slash - text) : strlen(text));
    if (!slash) return keep(r, dnnl_memory_desc_create_host_scalar(&md, type), md);
    int ndims = read_dims(slash + 1, dims);
    const char *layout = strchr(slash + 1, '/');
    layout = layout ? layout + 1 : "";
    dnnl_status_t status =
            strcmp(layout, "any") == 0
                    ? dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, dnnl_format_tag_any)
            : *layout ? dnnl_memory_desc_create_with_string_tag(&md, ndims, dims, type, layout)
                      : dnnl_memory_desc_create_with_strides(&md, ndims, dims, type, NULL);
    return keep(r, status, md);
}

static dnnl_memory_desc_t tensor_of(struct request *r, const char *key) {
    const char *text = value_of(r, key);
    return text ? tensor(r, text) : NULL;
}

/* The same tensor in f32 and any layout. */
static dnnl_memory_desc_t plain(struct request *r, const_dnnl_memory_desc_t md) {
    dnnl_memory_desc_t made = NULL;
    const dnnl_dims_t *dims;
    int ndims;
    if (!md) return NULL;
    dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    dnnl_memory_desc_query(md, dnnl_query_dims, &dims);
    return keep(r, dnnl_memory_desc_create_with_tag(&made, ndims, *dims, dnnl_f32, dnnl_format_tag_any),
                made);
}

/* Attributes. */

enum { FIELDS = 8 };

static void split(char *text, const char *fields[FIELDS]) {
    memset(fields, 0, FIELDS * sizeof *fields);
    for (int i = 0; i < FIELDS && text; i++) {
        fields[i] = text;
        text = strchr(text, ':');
        if (text) *text++ = 0;
    }
}

static float real(const char *field) {
    return field ? strtof(field, NULL) : 0;
}

static int whole(const char *field) {
    return field && *field ? atoi(field) : 0;
}

static dnnl_data_type_t type_or(const char *field, dnnl_data_type_t otherwise) {
    return field && *field ? type_named(field, strlen(field)) : otherwise;
}

/* scale:argument:mask:type:groups:on the host:mode, or zp. */
static dnnl_status_t add_quant(struct request *r, const char *f[FIELDS]) {
    dnnl_dims_t groups;
    int ngroups = f[4] ? read_dims(f[4], groups) : 0, arg = arg_named(f[1]), mask = whole(f[2]);
    if (strcmp(f[0], "zp") == 0)
        return dnnl_primitive_attr_set_zero_points_v2(r->attr, arg, mask, ngroups, ngroups ? groups : NULL,
                                                      type_or(f[3], dnnl_s32), whole(f[5]));
    dnnl_quantization_mode_t mode =
            f[6] ? (dnnl_quantization_mode_t)whole(f[6]) : dnnl_quantization_mode_static_sazp;
    return dnnl_primitive_attr_set_scales_v3(r->attr, arg, mask, ngroups, ngroups ? groups : NULL,
                                             type_or(f[3], dnnl_f32), whole(f[5]), mode);
}

static dnnl_status_t add_post_op(struct request *r, const char *f[FIELDS]) {
    if (strcmp(f[0], "elt") == 0)
        return dnnl_post_ops_append_eltwise(r->ops, alg_named(f[1]), real(f[2]), real(f[3]));
    if (strcmp(f[0], "sum") == 0)
        return dnnl_post_ops_append_sum(r->ops, f[1] ? real(f[1]) : 1, whole(f[2]),
                                        type_or(f[3], dnnl_data_type_undef));
    if (strcmp(f[0], "prelu") == 0) return dnnl_post_ops_append_prelu(r->ops, whole(f[1]));
    if (strcmp(f[0], "dw") == 0)
        return dnnl_post_ops_append_dw(r->ops, type_or(f[1], dnnl_f32), type_or(f[2], dnnl_f32),
                                       type_or(f[3], dnnl_f32), whole(f[4]), whole(f[5]), whole(f[6]));
    if (strcmp(f[0], "bin") == 0)
        return dnnl_post_ops_append_binary_v2(r->ops, alg_named(f[1]), tensor(r, f[2]),
                                              f[3] ? tensor(r, f[3]) : NULL);
    stop("no such attribute", f[0]);
    return dnnl_success;
}

static dnnl_status_t add_attr(struct request *r, const char *f[FIELDS]) {
    if (strcmp(f[0], "scale") == 0 || strcmp(f[0], "zp") == 0) return add_quant(r, f);
    if (strcmp(f[0], "dropout") == 0) return dnnl_primitive_attr_set_dropout(r->attr, tensor(r, f[1]));
    if (strcmp(f[0], "round") == 0)
        return dnnl_primitive_attr_set_rounding(r->attr, arg_named(f[1]), (dnnl_rounding_mode_t)whole(f[2]));
    if (strcmp(f[0], "fpmath") == 0)
        return dnnl_primitive_attr_set_fpmath_mode_v2(r->attr, (dnnl_fpmath_mode_t)whole(f[1]), whole(f[2]));
    if (strcmp(f[0], "acc") == 0)
        return dnnl_primitive_attr_set_accumulation_mode(r->attr, (dnnl_accumulation_mode_t)whole(f[1]));
    if (strcmp(f[0], "det") == 0) return dnnl_primitive_attr_set_deterministic(r->attr, 1);
    return add_post_op(r, f);
}

static void read_attributes(struct request *r) {
    dnnl_primitive_attr_create(&r->attr);
    dnnl_post_ops_create(&r->ops);
    for (int i = 1; i < r->count; i++) {
        const char *fields[FIELDS];
        if (r->words[i][0] != '@') continue;
        split(r->words[i] + 1, fields);
        if (add_attr(r, fields) != dnnl_success) r->status = BAD_ATTR;
    }
    if (dnnl_primitive_attr_set_post_ops(r->attr, r->ops) != dnnl_success) r->status = BAD_ATTR;
}

/* Kinds. Each returns the status of its creation function. */

#define CREATE(function, ...) (r->status ? r->status : (int)(function)(&r->pd, engine, __VA_ARGS__, r->attr))
/* The forward descriptor of a backward pass: `first`, else `second`, which are calls. */
#define HINT(first, second)                                                                                  \
    do {                                                                                                     \
        if (r->status) return r->status;                                                                     \
        if ((first) != dnnl_success && (second) != dnnl_success) return NO_HINT;                             \
    } while (0)

typedef dnnl_status_t window_forward(dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t,
                                     dnnl_alg_kind_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,
                                     const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const dnnl_dims_t,
                                     const dnnl_dims_t, const dnnl_dims_t, const dnnl_dims_t,
                                     const_dnnl_primitive_attr_t);

static int product_with_window(struct request *r, bool inverse) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_alg_kind_t alg = inverse ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    dnnl_memory_desc_t src = tensor_of(r, "src"), wei = tensor_of(r, "wei"), bia = tensor_of(r, "bia"),
                       dst = tensor_of(r, "dst");
    dnnl_dims_t w[4];
    const dnnl_dim_t *s = dims_of(r, "s", w[0]), *d = dims_of(r, "d", w[1]), *p = dims_of(r, "l", w[2]),
                     *q = dims_of(r, "r", w[3]);
    window_forward *forward = inverse ? dnnl_deconvolution_forward_primitive_desc_create
                                      : dnnl_convolution_forward_primitive_desc_create;
    if (value_of(r, "alg")) alg = alg_named(value_of(r, "alg"));
    if (prop == dnnl_forward_training || prop == dnnl_forward_inference)
        return CREATE(forward, prop, alg, src, wei, bia, dst, s, d, p, q);
    HINT(forward(&r->hint, engine, dnnl_forward_training, alg, src, wei, bia, dst, s, d, p, q, NULL),
         forward(&r->hint, engine, dnnl_forward_training, alg, plain(r, src), plain(r, wei), plain(r, bia),
                 plain(r, dst), s, d, p, q, NULL));
    if (prop == dnnl_backward_data)
        return CREATE(inverse ? dnnl_deconvolution_backward_data_primitive_desc_create
                              : dnnl_convolution_backward_data_primitive_desc_create,
                      alg, src, wei, dst, s, d, p, q, r->hint);
    return CREATE(inverse ? dnnl_deconvolution_backward_weights_primitive_desc_create
                          : dnnl_convolution_backward_weights_primitive_desc_create,
                  alg, src, wei, bia, dst, s, d, p, q, r->hint);
}

static int convolution(struct request *r) {
    return product_with_window(r, false);
}

static int deconvolution(struct request *r) {
    return product_with_window(r, true);
}

static int inner_product(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_memory_desc_t src = tensor_of(r, "src"), wei = tensor_of(r, "wei"), bia = tensor_of(r, "bia"),
                       dst = tensor_of(r, "dst");
    if (prop == dnnl_forward_training || prop == dnnl_forward_inference)
        return CREATE(dnnl_inner_product_forward_primitive_desc_create, prop, src, wei, bia, dst);
    HINT(dnnl_inner_product_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, src, wei,
                                                          bia, dst, NULL),
         dnnl_inner_product_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training,
                                                          plain(r, src), plain(r, wei), plain(r, bia),
                                                          plain(r, dst), NULL));
    if (prop == dnnl_backward_data)
        return CREATE(dnnl_inner_product_backward_data_primitive_desc_create, src, wei, dst, r->hint);
    return CREATE(dnnl_inner_product_backward_weights_primitive_desc_create, src, wei, bia, dst, r->hint);
}

static int matmul(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), wei = tensor_of(r, "wei"), bia = tensor_of(r, "bia"),
                       dst = tensor_of(r, "dst");
    return CREATE(dnnl_matmul_primitive_desc_create, src, wei, bia, dst);
}

static int eltwise(struct request *r) {
    dnnl_alg_kind_t alg = alg_named(value_of(r, "alg"));
    const float a = 0.5f, b = 0.75f;
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop_named(value_of(r, "prop")) != dnnl_backward_data)
        return CREATE(dnnl_eltwise_forward_primitive_desc_create, dnnl_forward_training, alg, src, dst, a, b);
    HINT(dnnl_eltwise_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, alg, src, src, a,
                                                    b, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_eltwise_backward_primitive_desc_create, alg, dst, dst, src, a, b, r->hint);
}

static int binary(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), src1 = tensor_of(r, "src1"), src2 = tensor_of(r, "src2"),
                       dst = tensor_of(r, "dst");
    return CREATE(dnnl_binary_primitive_desc_create_v2, alg_named(value_of(r, "alg")), src, src1, src2, dst);
}

static int sum(struct request *r) {
    const float scales[] = {1, 0.5f};
    dnnl_memory_desc_t dst = tensor_of(r, "dst");
    const_dnnl_memory_desc_t src[] = {tensor_of(r, "src"), tensor_of(r, "src1")};
    return r->status ? r->status
                     : (int)dnnl_sum_primitive_desc_create(&r->pd, engine, dst, 2, scales, src, r->attr);
}

static int concat(struct request *r) {
    dnnl_memory_desc_t dst = tensor_of(r, "dst");
    const_dnnl_memory_desc_t src[] = {tensor_of(r, "src"), tensor_of(r, "src1")};
    int axis = (int)number_of(r, "axis", 1);
    return r->status ? r->status
                     : (int)dnnl_concat_primitive_desc_create(&r->pd, engine, dst, 2, axis, src, r->attr);
}

static int reduction(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    return CREATE(dnnl_reduction_primitive_desc_create, alg_named(value_of(r, "alg")), src, dst, 2, 0.5f);
}

static int batch_normalization(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    unsigned flags = (unsigned)number_of(r, "flags", 0);
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop != dnnl_backward && prop != dnnl_backward_data)
        return CREATE(dnnl_batch_normalization_forward_primitive_desc_create, prop, src, dst, 0.25f, flags);
    HINT(dnnl_batch_normalization_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, src,
                                                                src, 0.25f, flags, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_batch_normalization_backward_primitive_desc_create, prop, dst, dst, src, 0.25f, flags,
                  r->hint);
}

static int group_normalization(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    unsigned flags = (unsigned)number_of(r, "flags", 0);
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop != dnnl_backward && prop != dnnl_backward_data)
        return CREATE(dnnl_group_normalization_forward_primitive_desc_create, prop, src, dst, 2, 0.25f,
                      flags);
    HINT(dnnl_group_normalization_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, src,
                                                                src, 2, 0.25f, flags, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_group_normalization_backward_primitive_desc_create, prop, dst, dst, src, 2, 0.25f,
                  flags, r->hint);
}

static int layer_normalization(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    unsigned flags = (unsigned)number_of(r, "flags", 0);
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst"), stat = tensor_of(r, "stat");
    dnnl_data_type_t type = type_or(value_of(r, "ss"), dnnl_f32);
    if (prop != dnnl_backward && prop != dnnl_backward_data)
        return CREATE(dnnl_layer_normalization_forward_primitive_desc_create_v2, prop, src, dst, stat, type,
                      0.25f, flags);
    HINT(dnnl_layer_normalization_forward_primitive_desc_create_v2(
                 &r->hint, engine, dnnl_forward_training, src, src, stat, dnnl_f32, 0.25f, flags, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_layer_normalization_backward_primitive_desc_create_v2, prop, dst, dst, src, stat, type,
                  type, 0.25f, flags, r->hint);
}

static int softmax(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_alg_kind_t alg = alg_named(value_of(r, "alg"));
    int axis = (int)number_of(r, "axis", 1);
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop != dnnl_backward_data)
        return CREATE(dnnl_softmax_forward_primitive_desc_create, prop, alg, src, dst, axis);
    HINT(dnnl_softmax_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, alg, dst, dst,
                                                    axis, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_softmax_backward_primitive_desc_create, alg, src, src, dst, axis, r->hint);
}

static int pooling(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_alg_kind_t alg = alg_named(value_of(r, "alg"));
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    dnnl_dims_t w[5];
    const dnnl_dim_t *s = dims_of(r, "s", w[0]), *d = dims_of(r, "d", w[1]), *p = dims_of(r, "l", w[2]),
                     *q = dims_of(r, "r", w[3]), *k = dims_of(r, "k", w[4]);
    if (prop != dnnl_backward_data)
        return CREATE(dnnl_pooling_forward_primitive_desc_create, prop, alg, src, dst, s, k, d, p, q);
    HINT(dnnl_pooling_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, alg, src, dst, s,
                                                    k, d, p, q, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_pooling_backward_primitive_desc_create, alg, src, dst, s, k, d, p, q, r->hint);
}

static int lrn(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_alg_kind_t alg = alg_named(value_of(r, "alg"));
    dnnl_dim_t size = number_of(r, "n", 3);
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop != dnnl_backward_data)
        return CREATE(dnnl_lrn_forward_primitive_desc_create, prop, alg, src, dst, size, 1, 0.75f, 1);
    HINT(dnnl_lrn_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, alg, src, src, size,
                                                1, 0.75f, 1, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_lrn_backward_primitive_desc_create, alg, dst, dst, src, size, 1, 0.75f, 1, r->hint);
}

static int resampling(struct request *r) {
    dnnl_prop_kind_t prop = prop_named(value_of(r, "prop"));
    dnnl_alg_kind_t alg = alg_named(value_of(r, "alg"));
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    if (prop != dnnl_backward_data)
        return CREATE(dnnl_resampling_forward_primitive_desc_create, prop, alg, NULL, src, dst);
    HINT(dnnl_resampling_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, alg, NULL,
                                                       src, dst, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_resampling_backward_primitive_desc_create, alg, NULL, src, dst, r->hint);
}

static int shuffle(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    int axis = (int)number_of(r, "axis", 1);
    dnnl_dim_t groups = number_of(r, "g", 2);
    if (prop_named(value_of(r, "prop")) != dnnl_backward_data)
        return CREATE(dnnl_shuffle_forward_primitive_desc_create, dnnl_forward_training, src, dst, axis,
                      groups);
    HINT(dnnl_shuffle_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, src, dst, axis,
                                                    groups, NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_shuffle_backward_primitive_desc_create, src, dst, axis, groups, r->hint);
}

static int prelu(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), wei = tensor_of(r, "wei"), dst = tensor_of(r, "dst");
    if (prop_named(value_of(r, "prop")) != dnnl_backward)
        return CREATE(dnnl_prelu_forward_primitive_desc_create, dnnl_forward_training, src, wei, dst);
    HINT(dnnl_prelu_forward_primitive_desc_create(&r->hint, engine, dnnl_forward_training, src, wei, src,
                                                  NULL),
         dnnl_unimplemented);
    return CREATE(dnnl_prelu_backward_primitive_desc_create, src, wei, dst, wei, dst, r->hint);
}

static int reorder(struct request *r) {
    dnnl_memory_desc_t src = tensor_of(r, "src"), dst = tensor_of(r, "dst");
    return r->status ? r->status
                     : (int)dnnl_reorder_primitive_desc_create(&r->pd, src, engine, dst, engine, r->attr);
}

static int lstm(struct request *r) {
    dnnl_memory_desc_t t[10];
    static const char *const keys[] = {"sl", "si", "sc", "wl", "wi", "bia", "dl", "di", "dc", "wj"};
    for (int i = 0; i < COUNT(keys); i++)
        t[i] = tensor_of(r, keys[i]);
    return CREATE(dnnl_lstm_forward_primitive_desc_create, prop_named(value_of(r, "prop")),
                  dnnl_unidirectional_left2right, t[0], t[1], t[2], t[3], t[4], NULL, t[9], t[5], t[6], t[7],
                  t[8], 0);
}

static int gru(struct request *r) {
    dnnl_memory_desc_t t[7];
    static const char *const keys[] = {"sl", "si", "wl", "wi", "bia", "dl", "di"};
    for (int i = 0; i < COUNT(keys); i++)
        t[i] = tensor_of(r, keys[i]);
    return CREATE(dnnl_gru_forward_primitive_desc_create, prop_named(value_of(r, "prop")),
                  dnnl_unidirectional_left2right, t[0], t[1], t[2], t[3], t[4], t[5], t[6], 0);
}

static const struct {
    const char *name;
    int (*create)(struct request *);
} kinds[] = {
#define KIND(name) {#name, name}
        KIND(convolution),
        KIND(deconvolution),
        KIND(inner_product),
        KIND(matmul),
        KIND(eltwise),
        KIND(binary),
        KIND(sum),
        KIND(concat),
        KIND(reduction),
        KIND(lrn),
        KIND(softmax),
        KIND(pooling),
        KIND(resampling),
        KIND(shuffle),
        KIND(prelu),
        KIND(reorder),
        KIND(lstm),
        KIND(gru),
        KIND(batch_normalization),
        KIND(group_normalization),
        KIND(layer_normalization),
};

static int create(struct request *r) {
    for (int i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, r->words[0]) == 0) return kinds[i].create(r);
    stop("no such kind", r->words[0]);
    return 0;
}

static int ask(char *line) {
    struct request r = {.count = 0};
    for (char *word = strtok(line, " \n"); word && r.count < WORDS; word = strtok(NULL, " \n"))
        r.words[r.count++] = word;
    read_attributes(&r);
    int status = create(&r);
    dnnl_primitive_desc_destroy(r.pd);
    dnnl_primitive_desc_destroy(r.hint);
    while (r.ntensors > 0)
        dnnl_memory_desc_destroy(r.tensors[--r.ntensors]);
    dnnl_post_ops_destroy(r.ops);
    dnnl_primitive_attr_destroy(r.attr);
    return status;
}

int main(void) {
    static char line[4096];
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) {
        printf("no CPU engine\n");
        return 0;
    }
    while (fgets(line, sizeof line, stdin))
        printf("%d\n", ask(line));
    dnnl_engine_destroy(engine);
    return 0;
}
