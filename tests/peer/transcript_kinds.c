/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which arguments the creation functions of the other primitives, and of backward passes, reject: a valid
 * call, in which one argument at a time is changed. An x is dnnl_invalid_arguments; a dash is anything else,
 * so that a primitive which only one library implements makes no difference.
 *
 * Left out, because the peer crashes: NULL engines, NULL sources in lists, NULL dilations of pooling, axes
 * outside of the tensor for concat. Left out, because the peer accepts it and computes nonsense: pooling
 * between images with different numbers of dimensions (it reads past the shorter one, and its answer varies).
 */
#define _DEFAULT_SOURCE
#include "transcript.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static dnnl_engine_t engine;
static dnnl_primitive_desc_t made;

struct tensor {
    int ndims; /* 0: NULL */
    dnnl_dims_t dims;
    dnnl_data_type_t type;
    bool any, host_scalar;
};

enum { MAX_TENSORS = 24 };

/* A call: tensors and a few numbers, which each function interprets. */
struct call {
    const char *name;
    int (*create)(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                  dnnl_primitive_attr_t attr);
    int prop, alg;
    int64_t number; /* flags, axis or group size, depending on the function */
    dnnl_dims_t strides, kernel, dilates, left, right;
    struct tensor tensors[MAX_TENSORS];
    enum { NO_POST_OP, POST_ELTWISE, POST_BINARY, POST_OPS } op; /* which post-op to attach */
};

static dnnl_memory_desc_t make(const struct tensor *t) {
    dnnl_memory_desc_t md = NULL;
    if (t->ndims == 0) return NULL;
    if (t->host_scalar) {
        dnnl_memory_desc_create_host_scalar(&md, t->type);
        return md;
    }
    bool open = false;
    dnnl_dims_t strides;
    for (int d = 0; d < t->ndims; d++) {
        open = open || t->dims[d] == DNNL_RUNTIME_DIM_VAL;
        strides[d] = DNNL_RUNTIME_DIM_VAL;
    }
    if (t->any)
        dnnl_memory_desc_create_with_tag(&md, t->ndims, t->dims, t->type, dnnl_format_tag_any);
    else
        dnnl_memory_desc_create_with_strides(&md, t->ndims, t->dims, t->type, open ? strides : NULL);
    return md;
}

static dnnl_primitive_attr_t attr_of(const struct call *c) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_create(&attr);
    dnnl_post_ops_create(&ops);
    if (c->op == POST_ELTWISE) dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
    if (c->op == POST_BINARY) {
        dnnl_memory_desc_t md;
        dnnl_dims_t dims = {1, 1, 1, 1, 1, 1, 1};
        dnnl_memory_desc_create_with_strides(&md, 7, dims, dnnl_f32, NULL);
        dnnl_post_ops_append_binary(ops, dnnl_binary_add, md);
        dnnl_memory_desc_destroy(md);
    }
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_post_ops_destroy(ops);
    return attr;
}

/* Without a forward descriptor the peer crashes on valid backward calls, so this runs in a child: a crash
 * does not count as dnnl_invalid_arguments. */
static int create(const struct call *c, dnnl_primitive_desc_t *pd, dnnl_memory_desc_t *md,
                  dnnl_primitive_attr_t attr) {
    if (!strstr(c->name, "backward")) return c->create(pd, c, md, attr);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        _exit(c->create(pd, c, md, attr));
    }
    int result = 0;
    waitpid(child, &result, 0);
    return WIFEXITED(result) && WEXITSTATUS(result) == dnnl_invalid_arguments ? dnnl_invalid_arguments
                                                                              : dnnl_unimplemented;
}

static void show(const struct call *c, bool null_pd) {
    dnnl_memory_desc_t md[MAX_TENSORS];
    bool possible = true;
    for (int i = 0; i < MAX_TENSORS; i++) {
        md[i] = make(&c->tensors[i]);
        possible = possible && (md[i] || c->tensors[i].ndims == 0);
    }
    dnnl_primitive_attr_t attr = attr_of(c);
    int status = possible ? create(c, null_pd ? NULL : &made, md, attr) : -1;
    if (status == dnnl_success) dnnl_primitive_desc_destroy(made);
    printf("%c", status == dnnl_invalid_arguments ? 'x' : status < 0 ? '?' : '-');
    dnnl_primitive_attr_destroy(attr);
    for (int i = 0; i < MAX_TENSORS; i++)
        dnnl_memory_desc_destroy(md[i]);
}

static int pooling_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                            dnnl_primitive_attr_t attr);

static void vary_tensor(const struct call *valid, int t) {
    static const dnnl_dim_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, DNNL_RUNTIME_DIM_VAL};
    const struct tensor *tensor = &valid->tensors[t];
    struct call c = *valid;
    printf("%s, tensor %d: ", valid->name, t);
    c.tensors[t].ndims = 0;
    show(&c, false);
    c = *valid;
    c.tensors[t].host_scalar = true;
    show(&c, false);
    c = *valid;
    c.tensors[t].any = !tensor->any;
    show(&c, false);
    printf(" ");
    for (int n = 1; n < 8; n++) {
        if (valid->create == pooling_backward && n < 6) continue;
        c = *valid;
        c.tensors[t].ndims = n;
        for (int d = tensor->ndims; d < n; d++)
            c.tensors[t].dims[d] = 1;
        show(&c, false);
    }
    printf(" ");
    for (int type = 1; type <= 16; type++) {
        c = *valid;
        c.tensors[t].type = (dnnl_data_type_t)type;
        show(&c, false);
    }
    for (int d = 0; d < tensor->ndims; d++) {
        printf(" ");
        for (int i = 0; i < COUNT(sizes); i++) {
            c = *valid;
            c.tensors[t].dims[d] = sizes[i];
            show(&c, false);
        }
    }
    printf("\n");
}

static void vary_numbers(const struct call *valid) {
    static const int64_t numbers[] = {
            -(INT64_C(1) << 40), -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 1 << 20};
    static const int algs[] = {0,       1,       2,       3,       0xa,     0xb,     0x20,    0x21,
                               0x22,    0x29,    0x1ff,   0x2ff,   0x3ff,   0xaff,   0xbff,   0x1fff,
                               0x2fff,  0x3fff,  0x1fff0, 0x1fff5, 0x1fffc, 0x1fffd, 0x2fff0, 0x2fff1,
                               0x2fff2, 0x2fff3, 0x2fff4, 0x2fff5, 0x2fff8, 0x2fff9, 0x7fff};
    struct call c = *valid;
    printf("%s: ", valid->name);
    show(&c, false);
    show(&c, true);
    printf(" prop ");
    for (int prop = 0; prop < 260; prop++) {
        c.prop = prop;
        if (prop % 32 == 0 || prop < 4 || prop == 160) show(&c, false);
    }
    c = *valid;
    printf(" alg ");
    for (int i = 0; i < COUNT(algs); i++) {
        c.alg = algs[i];
        show(&c, false);
    }
    c = *valid;
    printf(" number ");
    for (int i = 0; i < COUNT(numbers); i++) {
        c.number = numbers[i];
        show(&c, false);
    }
    c = *valid;
    printf(" post-ops ");
    for (c.op = POST_ELTWISE; c.op < POST_OPS; c.op++)
        show(&c, false);
    printf("\n");
}

static void vary_window(const struct call *valid) {
    static const dnnl_dim_t numbers[] = {INT64_MIN, -2, -1, 0, 1, 2, 3, INT64_C(1) << 62};
    struct call c = *valid;
    dnnl_dim_t *const vectors[] = {c.strides, c.kernel, c.dilates, c.left, c.right};
    if (valid->strides[0] == 0) return;
    printf("%s, window:", valid->name);
    for (int v = 0; v < COUNT(vectors); v++) {
        printf(" ");
        for (int i = 0; i < COUNT(numbers); i++) {
            dnnl_dim_t before = vectors[v][0];
            vectors[v][0] = numbers[i];
            show(&c, false);
            vectors[v][0] = before;
        }
    }
    printf("\n");
}

/* The functions. */

static int convolution_data(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                            dnnl_primitive_attr_t attr) {
    return dnnl_convolution_backward_data_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0],
                                                                md[1], md[2], c->strides, c->dilates, c->left,
                                                                c->right, NULL, attr);
}
static int convolution_weights(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t attr) {
    return dnnl_convolution_backward_weights_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0],
                                                                   md[1], md[3], md[2], c->strides,
                                                                   c->dilates, c->left, c->right, NULL, attr);
}
static int deconvolution(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                         dnnl_primitive_attr_t attr) {
    return dnnl_deconvolution_forward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_alg_kind_t)c->alg, md[0], md[1], md[3], md[2],
            c->strides, c->dilates, c->left, c->right, attr);
}
static int deconvolution_data(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                              dnnl_primitive_attr_t attr) {
    return dnnl_deconvolution_backward_data_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0],
                                                                  md[1], md[2], c->strides, c->dilates,
                                                                  c->left, c->right, NULL, attr);
}
static int deconvolution_weights(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                                 dnnl_primitive_attr_t attr) {
    return dnnl_deconvolution_backward_weights_primitive_desc_create(
            pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1], md[3], md[2], c->strides, c->dilates, c->left,
            c->right, NULL, attr);
}
static int pooling_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                            dnnl_primitive_attr_t attr) {
    return dnnl_pooling_backward_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1],
                                                       c->strides, c->kernel, c->dilates, c->left, c->right,
                                                       NULL, attr);
}
static int product_data(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                        dnnl_primitive_attr_t attr) {
    (void)c;
    return dnnl_inner_product_backward_data_primitive_desc_create(pd, engine, md[0], md[1], md[2], NULL,
                                                                  attr);
}
static int product_weights(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                           dnnl_primitive_attr_t attr) {
    (void)c;
    return dnnl_inner_product_backward_weights_primitive_desc_create(pd, engine, md[0], md[1], md[3], md[2],
                                                                     NULL, attr);
}
static int lrn_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                        dnnl_primitive_attr_t attr) {
    return dnnl_lrn_backward_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1], md[2],
                                                   c->number, 1, 0.75f, 1, NULL, attr);
}
static int binary(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                  dnnl_primitive_attr_t attr) {
    return dnnl_binary_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1], md[2], attr);
}
static int ternary(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                   dnnl_primitive_attr_t attr) {
    return dnnl_binary_primitive_desc_create_v2(pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1], md[2],
                                                md[3], attr);
}
static int concat(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                  dnnl_primitive_attr_t attr) {
    const_dnnl_memory_desc_t sources[] = {md[0], md[1]};
    if (!md[0] || !md[1] || c->number < 0 || c->number > 3) return dnnl_invalid_arguments;
    return dnnl_concat_primitive_desc_create(pd, engine, md[2], 2, (int)c->number, sources, attr);
}
static int sum(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
               dnnl_primitive_attr_t attr) {
    const_dnnl_memory_desc_t sources[] = {md[0], md[1]};
    const float scales[] = {1, 2};
    if (!md[0] || !md[1] || !pd) return dnnl_invalid_arguments;
    return dnnl_sum_primitive_desc_create(pd, engine, md[2], c->number > 1 ? 2 : (int)c->number, scales,
                                          sources, attr);
}
static int reduction(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                     dnnl_primitive_attr_t attr) {
    return dnnl_reduction_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, md[0], md[1],
                                                (float)c->number / 2, 0, attr);
}
static int resampling(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                      dnnl_primitive_attr_t attr) {
    const float factors[] = {2, 2, 2};
    return dnnl_resampling_forward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                         (dnnl_alg_kind_t)c->alg, c->number ? factors : NULL,
                                                         md[0], md[1], attr);
}
static int resampling_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t attr) {
    return dnnl_resampling_backward_primitive_desc_create(pd, engine, (dnnl_alg_kind_t)c->alg, NULL, md[0],
                                                          md[1], NULL, attr);
}
static int shuffle(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                   dnnl_primitive_attr_t attr) {
    return dnnl_shuffle_forward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop, md[0], md[1],
                                                      (int)c->number, 2, attr);
}
static int shuffle_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                            dnnl_primitive_attr_t attr) {
    return dnnl_shuffle_backward_primitive_desc_create(pd, engine, md[0], md[1], 1, c->number, NULL, attr);
}
static int prelu(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                 dnnl_primitive_attr_t attr) {
    return dnnl_prelu_forward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop, md[0], md[1],
                                                    md[2], attr);
}
static int prelu_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                          dnnl_primitive_attr_t attr) {
    (void)c;
    return dnnl_prelu_backward_primitive_desc_create(pd, engine, md[0], md[1], md[2], md[3], md[4], NULL,
                                                     attr);
}
static int batch_norm(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                      dnnl_primitive_attr_t attr) {
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, md[0], md[1], 1e-5f, (unsigned)c->number, attr);
}
static int batch_norm_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t attr) {
    return dnnl_batch_normalization_backward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                                   md[1], md[2], md[0], 1e-5f,
                                                                   (unsigned)c->number, NULL, attr);
}
static int group_norm(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                      dnnl_primitive_attr_t attr) {
    return dnnl_group_normalization_forward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                                  md[0], md[1], c->number, 1e-5f, 0, attr);
}
static int group_norm_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t attr) {
    return dnnl_group_normalization_backward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                                   md[1], md[2], md[0], 2, 1e-5f,
                                                                   (unsigned)c->number, NULL, attr);
}
static int layer_norm(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                      dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, md[0], md[1], md[2], 1e-5f, (unsigned)c->number, attr);
}
static int layer_norm_v2(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                         dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                                     md[0], md[1], md[2], dnnl_bf16, 1e-5f,
                                                                     (unsigned)c->number, attr);
}
static int layer_norm_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,
                                                                   md[1], md[2], md[0], md[3], 1e-5f,
                                                                   (unsigned)c->number, NULL, attr);
}
static int layer_norm_backward_v2(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                                  dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(
            pd, engine, (dnnl_prop_kind_t)c->prop, md[1], md[2], md[0], md[3], dnnl_f32, dnnl_bf16, 1e-5f,
            (unsigned)c->number, NULL, attr);
}
static int vanilla_rnn(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                       dnnl_primitive_attr_t attr) {
    return dnnl_vanilla_rnn_forward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_alg_kind_t)c->alg, (dnnl_rnn_direction_t)c->number,
            md[0], md[1], md[2], md[3], md[4], md[5], md[6], 0, 0, 0, attr);
}
static int vanilla_rnn_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                                dnnl_primitive_attr_t attr) {
    return dnnl_vanilla_rnn_backward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_alg_kind_t)c->alg, (dnnl_rnn_direction_t)c->number,
            md[0], md[1], md[2], md[3], md[4], md[5], md[6], md[7], md[8], md[9], md[10], md[11], md[12],
            md[13], 0, 0, 0, NULL, attr);
}
static int lstm(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                dnnl_primitive_attr_t attr) {
    return dnnl_lstm_forward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_rnn_direction_t)c->number, md[0], md[1], md[2],
            md[3], md[4], md[5], md[6], md[7], md[8], md[9], md[10], 0, attr);
}
static int lstm_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,
                         dnnl_primitive_attr_t attr) {
    return dnnl_lstm_backward_primitive_desc_create(
            pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_rnn_direction_t)c->number, md[0], md[1], md[2],
            md[3], md[4], md[5], md[6], md[7], md[8], md[9], md[10], md[11], md[12], md[13], md[14], md[15],
            md[16], md[17], md[18], md[19], md[20], md[21], 0, NULL, attr);
}

/* The four kinds of GRU; those with attention have it before the weights. */
#define GRU(kind)                                                                                            \
    static int kind(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,                 \
                    dnnl_primitive_attr_t attr) {                                                            \
        return dnnl_##kind##_forward_primitive_desc_create(pd, engine, (dnnl_prop_kind_t)c->prop,            \
                                                           (dnnl_rnn_direction_t)c->number, md[0], md[1],    \
                                                           md[2], md[3], md[4], md[5], md[6], 0, attr);      \
    }                                                                                                        \
    static int kind##_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,      \
                               dnnl_primitive_attr_t attr) {                                                 \
        return dnnl_##kind##_backward_primitive_desc_create(                                                 \
                pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_rnn_direction_t)c->number, md[0], md[1], md[2], \
                md[3], md[4], md[5], md[6], md[7], md[8], md[9], md[10], md[11], md[12], md[13], 0, NULL,    \
                attr);                                                                                       \
    }
GRU(gru)
GRU(lbr_gru)

#define AUGRU(kind)                                                                                          \
    static int kind(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,                 \
                    dnnl_primitive_attr_t attr) {                                                            \
        return dnnl_##kind##_forward_primitive_desc_create(                                                  \
                pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_rnn_direction_t)c->number, md[0], md[1], md[2], \
                md[3], md[4], md[5], md[6], md[7], 0, attr);                                                 \
    }                                                                                                        \
    static int kind##_backward(dnnl_primitive_desc_t *pd, const struct call *c, dnnl_memory_desc_t *md,      \
                               dnnl_primitive_attr_t attr) {                                                 \
        return dnnl_##kind##_backward_primitive_desc_create(                                                 \
                pd, engine, (dnnl_prop_kind_t)c->prop, (dnnl_rnn_direction_t)c->number, md[0], md[1], md[2], \
                md[3], md[4], md[5], md[6], md[7], md[8], md[9], md[10], md[11], md[12], md[13], md[14],     \
                md[15], 0, NULL, attr);                                                                      \
    }
AUGRU(augru)
AUGRU(lbr_augru)

#define F32(ndims, ...) {ndims, {__VA_ARGS__}, dnnl_f32, false, false}
#define S8(ndims, ...) {ndims, {__VA_ARGS__}, dnnl_s8, false, false}

#define WINDOW .strides = {1, 2}, .left = {1, 0}, .right = {1, 0}

/* Tensors of recurrent cells; backward passes have them twice, the second time as gradients. */
#define CELL(directions, gates, biases)                                                                      \
    F32(3, 3, 2, 4), F32(4, 1, directions, 2, 5), F32(5, 1, directions, 4, gates, 5),                        \
            F32(5, 1, directions, 5, gates, 5), F32(4, 1, directions, biases, 5), F32(3, 3, 2, 5),           \
            F32(4, 1, directions, 2, 5)
#define CELL_WITH_ATTENTION(biases)                                                                          \
    F32(3, 3, 2, 4), F32(4, 1, 1, 2, 5), F32(3, 3, 2, 1), F32(5, 1, 1, 4, 3, 5), F32(5, 1, 1, 5, 3, 5),      \
            F32(4, 1, 1, biases, 5), F32(3, 3, 2, 5), F32(4, 1, 1, 2, 5)
#define LSTM(directions, channels)                                                                           \
    F32(3, 3, 2, 4), F32(4, 1, directions, 2, 6), F32(4, 1, directions, 2, 5),                               \
            F32(5, 1, directions, 4, 4, 5), F32(5, 1, directions, 6, 4, 5), F32(4, 1, directions, 3, 5),     \
            F32(4, 1, directions, 5, 6), F32(4, 1, directions, 4, 5), F32(3, 3, 2, channels),                \
            F32(4, 1, directions, 2, 6), F32(4, 1, directions, 2, 5)

static const struct call calls[] = {
        {"convolution, data", convolution_data, 0, dnnl_convolution_direct, WINDOW,
         .tensors = {F32(4, 2, 3, 7, 8), F32(4, 5, 3, 3, 2), F32(4, 2, 5, 7, 4)}},
        {"convolution, weights", convolution_weights, 0, dnnl_convolution_direct, WINDOW,
         .tensors = {F32(4, 2, 3, 7, 8), F32(4, 5, 3, 3, 2), F32(4, 2, 5, 7, 4), F32(1, 5)}},
        {"deconvolution", deconvolution, dnnl_forward_training, dnnl_deconvolution_direct, WINDOW,
         .tensors = {F32(4, 2, 3, 7, 4), F32(4, 5, 3, 3, 2), F32(4, 2, 5, 7, 8), F32(1, 5)}},
        {"deconvolution, data", deconvolution_data, 0, dnnl_deconvolution_direct, WINDOW,
         .tensors = {F32(4, 2, 6, 7, 4), F32(5, 2, 2, 3, 3, 2), F32(4, 2, 4, 7, 8)}},
        {"deconvolution, weights", deconvolution_weights, 0, dnnl_deconvolution_direct, WINDOW,
         .tensors = {F32(4, 2, 3, 7, 4), F32(4, 5, 3, 3, 2), F32(4, 2, 5, 7, 8), F32(1, 5)}},
        {"pooling, backward", pooling_backward, 0, dnnl_pooling_avg_exclude_padding, WINDOW, .kernel = {3, 2},
         .tensors = {F32(4, 2, 3, 7, 8), F32(4, 2, 3, 7, 4)}},
        {"inner product, data", product_data, .tensors = {F32(3, 2, 3, 4), F32(3, 5, 3, 4), F32(2, 2, 5)}},
        {"inner product, weights", product_weights,
         .tensors = {F32(3, 2, 3, 4), F32(3, 5, 3, 4), F32(2, 2, 5), F32(1, 5)}},
        {"lrn, backward", lrn_backward, .alg = dnnl_lrn_across_channels, .number = 5,
         .tensors = {F32(4, 2, 3, 4, 5), F32(4, 2, 3, 4, 5), F32(4, 2, 3, 4, 5)}},
        {"binary", binary, .alg = dnnl_binary_mul,
         .tensors = {F32(3, 2, 3, 4), F32(3, 2, 1, 4), F32(3, 2, 3, 4)}},
        {"ternary", ternary, .alg = dnnl_binary_select,
         .tensors = {F32(3, 2, 3, 4), F32(3, 2, 1, 4), S8(3, 2, 3, 4), F32(3, 2, 3, 4)}},
        {"concat", concat, .number = 1,
         .tensors = {F32(4, 2, 3, 4, 1), F32(4, 2, 5, 4, 1), F32(4, 2, 8, 4, 1)}},
        {"sum", sum, .number = 2, .tensors = {F32(3, 2, 3, 4), F32(3, 2, 3, 4), F32(3, 2, 3, 4)}},
        {"reduction", reduction, .alg = dnnl_reduction_sum, .number = 4,
         .tensors = {F32(3, 2, 3, 4), F32(3, 2, 1, 4)}},
        {"norm", reduction, .alg = dnnl_reduction_norm_lp_max, .number = 4,
         .tensors = {F32(3, 2, 3, 4), F32(3, 2, 1, 4)}},
        {"resampling", resampling, dnnl_forward_inference, dnnl_resampling_linear, .number = 1,
         .tensors = {F32(4, 2, 3, 4, 5), F32(4, 2, 3, 8, 12)}},
        {"resampling, backward", resampling_backward, 0, dnnl_resampling_nearest,
         .tensors = {F32(4, 2, 3, 4, 5), F32(4, 2, 3, 8, 12)}},
        {"shuffle", shuffle, dnnl_forward_training, .number = 1,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"shuffle, backward", shuffle_backward, .number = 3,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"prelu", prelu, dnnl_forward_training,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 1, 6, 1, 1), F32(4, 2, 6, 4, 5)}},
        {"prelu, backward", prelu_backward,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 1, 6, 1, 1), F32(4, 2, 6, 4, 5), F32(4, 1, 6, 1, 1),
                     F32(4, 2, 6, 4, 5)}},
        {"batch normalization", batch_norm, dnnl_forward_training,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"batch normalization, backward", batch_norm_backward, dnnl_backward,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"group normalization", group_norm, dnnl_forward_training, .number = 2,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"group normalization, backward", group_norm_backward, dnnl_backward,
         .tensors = {F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5), F32(4, 2, 6, 4, 5)}},
        {"layer normalization", layer_norm, dnnl_forward_training,
         .tensors = {F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(2, 2, 6)}},
        {"layer normalization, v2", layer_norm_v2, dnnl_forward_inference,
         .tensors = {F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(2, 2, 6)}},
        {"layer normalization, backward", layer_norm_backward, dnnl_backward,
         .tensors = {F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(2, 2, 6)}},
        {"layer normalization, backward, v2", layer_norm_backward_v2, dnnl_backward,
         .tensors = {F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(3, 2, 6, 4), F32(2, 2, 6)}},
        {"rnn", vanilla_rnn, dnnl_forward_training, dnnl_eltwise_tanh, dnnl_unidirectional_left2right,
         .tensors = {CELL(1, 1, 1)}},
        {"rnn, backward", vanilla_rnn_backward, dnnl_backward, dnnl_eltwise_relu,
         dnnl_unidirectional_right2left, .tensors = {CELL(1, 1, 1), CELL(1, 1, 1)}},
        {"lstm", lstm, dnnl_forward_inference, 0, dnnl_bidirectional_concat, .tensors = {LSTM(2, 12)}},
        {"lbr_gru", lbr_gru, dnnl_forward_inference, 0, dnnl_bidirectional_sum, .tensors = {CELL(2, 3, 4)}},
        {"gru", gru, dnnl_forward_training, 0, dnnl_unidirectional_left2right, .tensors = {CELL(1, 3, 3)}},
        {"gru, backward", gru_backward, dnnl_backward, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL(1, 3, 3), CELL(1, 3, 3)}},
        {"lbr_gru, backward", lbr_gru_backward, dnnl_backward, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL(1, 3, 4), CELL(1, 3, 4)}},
        {"augru", augru, dnnl_forward_training, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL_WITH_ATTENTION(3)}},
        {"augru, backward", augru_backward, dnnl_backward, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL_WITH_ATTENTION(3), CELL_WITH_ATTENTION(3)}},
        {"lbr_augru", lbr_augru, dnnl_forward_training, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL_WITH_ATTENTION(4)}},
        {"lbr_augru, backward", lbr_augru_backward, dnnl_backward, 0, dnnl_unidirectional_left2right,
         .tensors = {CELL_WITH_ATTENTION(4), CELL_WITH_ATTENTION(4)}},
        {"lstm, backward", lstm_backward, dnnl_backward, 0, dnnl_unidirectional_left2right,
         .tensors = {LSTM(1, 6), LSTM(1, 6)}},
};

int main(void) {
    engine = cpu_engine();
    for (int i = 0; i < COUNT(calls); i++) {
        vary_numbers(&calls[i]);
        vary_window(&calls[i]);
        for (int t = 0; t < MAX_TENSORS && calls[i].tensors[t].ndims; t++)
            vary_tensor(&calls[i], t);
        fflush(stdout);
    }
    dnnl_engine_destroy(engine);
    return 0;
}
