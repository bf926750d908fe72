/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses of the creation functions of convolution, inner product, matmul, pooling and LRN for good and bad
 * arguments: a valid call, in which one argument at a time is changed.
 *
 * Left out, because the peer crashes: NULL engines, NULL dilations of pooling. Left out, because the peer
 * accepts it and computes nonsense: pooling from four dimensions to five. Left out, because we support more
 * than the peer: see we_do_more().
 */
#include "transcript.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static dnnl_engine_t engine;

/* One call with all arguments; each primitive uses those it has. */
enum { SRC, WEIGHTS, BIAS, DST, TENSORS };
enum { STRIDES, KERNEL, DILATES, LEFT, RIGHT, VECTORS };

struct tensor {
    bool null, host_scalar;
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t type;
    dnnl_format_tag_t tag;
};

struct call {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    struct tensor tensors[TENSORS];
    dnnl_dims_t vectors[VECTORS];
    bool null_vectors[VECTORS], null_pd;
    dnnl_dim_t local_size;
    dnnl_primitive_attr_t attr;
};

static dnnl_memory_desc_t make(const struct tensor *t) {
    dnnl_memory_desc_t md = NULL;
    if (t->null) return NULL;
    if (t->host_scalar)
        dnnl_memory_desc_create_host_scalar(&md, t->type);
    else if (dnnl_memory_desc_create_with_tag(&md, t->ndims, t->dims, t->type, t->tag) != dnnl_success) {
        dnnl_dims_t strides;
        for (int d = 0; d < t->ndims; d++)
            strides[d] = DNNL_RUNTIME_DIM_VAL;
        dnnl_memory_desc_create_with_strides(&md, t->ndims, t->dims, t->type, strides);
    }
    return md;
}

static int create(const struct call *c, dnnl_primitive_desc_t *pd, dnnl_memory_desc_t *md) {
    const dnnl_dim_t *v[VECTORS];
    for (int i = 0; i < VECTORS; i++)
        v[i] = c->null_vectors[i] ? NULL : c->vectors[i];
    switch (c->kind) {
    case dnnl_convolution:
        return dnnl_convolution_forward_primitive_desc_create(pd, engine, c->prop, c->alg, md[SRC],
                                                              md[WEIGHTS], md[BIAS], md[DST], v[STRIDES],
                                                              v[DILATES], v[LEFT], v[RIGHT], c->attr);
    case dnnl_inner_product:
        return dnnl_inner_product_forward_primitive_desc_create(pd, engine, c->prop, md[SRC], md[WEIGHTS],
                                                                md[BIAS], md[DST], c->attr);
    case dnnl_matmul:
        return dnnl_matmul_primitive_desc_create(pd, engine, md[SRC], md[WEIGHTS], md[BIAS], md[DST],
                                                 c->attr);
    case dnnl_pooling:
        return dnnl_pooling_forward_primitive_desc_create(pd, engine, c->prop, c->alg, md[SRC], md[DST],
                                                          v[STRIDES], v[KERNEL], v[DILATES], v[LEFT],
                                                          v[RIGHT], c->attr);
    default:
        return dnnl_lrn_forward_primitive_desc_create(pd, engine, c->prop, c->alg, md[SRC], md[DST],
                                                      c->local_size, 1e-4f, 0.75f, 1, c->attr);
    }
}

static int status_of(const struct call *c) {
    dnnl_memory_desc_t md[TENSORS];
    bool possible = true;
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)(intptr_t)0x5a5a;
    for (int i = 0; i < TENSORS; i++) {
        md[i] = make(&c->tensors[i]);
        possible = possible && (md[i] || c->tensors[i].null);
    }
    int status = possible ? create(c, c->null_pd ? NULL : &pd, md) : -1;
    if (status == dnnl_success)
        dnnl_primitive_desc_destroy(pd);
    else if (pd != (dnnl_primitive_desc_t)(intptr_t)0x5a5a)
        printf(" (written)");
    for (int i = 0; i < TENSORS; i++)
        dnnl_memory_desc_destroy(md[i]);
    return status;
}

/* Shows only whether the arguments are invalid; -: valid, whether it can be computed or not. */
static void show_validity(const struct call *c) {
    printf("%s", status_of(c) == dnnl_invalid_arguments ? "x" : "-");
}

static void show(const struct call *c) {
    printf(" %d", status_of(c));
}

/* Variations that apply to every primitive. */

static const char *const names[TENSORS] = {"src", "weights", "bias", "dst"};
static const dnnl_dim_t odd_sizes[] = {0, 1, 2, 3, 5, 7, 17, DNNL_RUNTIME_DIM_VAL};
static const dnnl_dim_t odd_numbers[] = {
        INT64_MIN,        -(INT64_C(1) << 62), -3,       -2, -1, 0, 1, 2, 3, 4, 7, 8, 9,
        INT64_C(1) << 31, INT64_C(1) << 62,    INT64_MAX};

static void vary_tensors(const struct call *valid) {
    for (int t = 0; t < TENSORS; t++) {
        if (valid->tensors[t].null) continue;
        struct call c = *valid;
        c.tensors[t].null = true;
        printf("%s null:", names[t]);
        show(&c);
        c = *valid;
        c.tensors[t].host_scalar = true;
        printf(" host scalar:");
        show(&c);
        c = *valid;
        c.tensors[t].tag = dnnl_format_tag_any;
        printf(" any:");
        show(&c);
        printf(" ndims:");
        for (int n = 1; n <= 7; n++) {
            if (valid->kind == dnnl_pooling && t == DST && n == 5) continue;
            c = *valid;
            c.tensors[t].ndims = n;
            for (int d = valid->tensors[t].ndims; d < n; d++)
                c.tensors[t].dims[d] = 1;
            c.tensors[t].tag = dnnl_format_tag_any;
            show(&c);
        }
        printf("\n%s types:", names[t]);
        for (int type = 1; type <= 16; type++) {
            c = *valid;
            c.tensors[t].type = (dnnl_data_type_t)type;
            show_validity(&c);
        }
        printf("\n%s sizes:", names[t]);
        for (int d = 0; d < valid->tensors[t].ndims; d++)
            for (int i = 0; i < COUNT(odd_sizes); i++) {
                c = *valid;
                c.tensors[t].dims[d] = odd_sizes[i];
                c.tensors[t].tag = dnnl_format_tag_any;
                show(&c);
            }
        printf("\n");
    }
}

static void vary_vectors(const struct call *valid, int first_null) {
    static const char *const vectors[VECTORS] = {"strides", "kernel", "dilates", "left", "right"};
    for (int v = 0; v < VECTORS; v++)
        for (int i = 0; i < 2; i++) {
            printf("%s[%d]:", vectors[v], i);
            for (int n = 0; n < COUNT(odd_numbers); n++) {
                struct call c = *valid;
                c.vectors[v][i] = odd_numbers[n];
                show(&c);
            }
            printf("\n");
        }
    for (int v = first_null; v < VECTORS; v++) {
        struct call c = *valid;
        c.null_vectors[v] = true;
        printf("%s null:", vectors[v]);
        show(&c);
        printf("\n");
    }
}

static void vary_kinds(const struct call *valid) {
    static const int algs[] = {0,     1,     2,     3,     4,     0xa,   0xb,    0x20,
                               0x1ff, 0x2ff, 0x3ff, 0x4ff, 0xaff, 0xbff, 0xfffff};
    struct call c = *valid;
    printf("prop:");
    for (int prop = 0; prop < 400; prop++) {
        c.prop = (dnnl_prop_kind_t)prop;
        int status = status_of(&c);
        if (status != dnnl_invalid_arguments) printf(" %d:%d", prop, status);
    }
    c = *valid;
    printf("\nalg:");
    for (int i = 0; i < COUNT(algs); i++) {
        c.alg = (dnnl_alg_kind_t)algs[i];
        show_validity(&c);
    }
    c = *valid;
    c.null_pd = true;
    printf("\nnull pd:");
    show(&c);
    c.tensors[SRC].type = dnnl_s64;
    show(&c);
    printf("\n");
}

/* Attributes. */

static void set_op(dnnl_primitive_attr_t attr, int op, int ndims) {
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t md;
    dnnl_dims_t ones = {1, 1, 1, 1, 1, 1};
    dnnl_post_ops_create(&ops);
    dnnl_memory_desc_create_with_strides(&md, op == 6 ? ndims + 1 : ndims, ones,
                                         op == 7 ? dnnl_f64 : dnnl_f32, NULL);
    switch (op) {
    case 0: dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0); break;
    case 1: dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef); break;
    case 2: dnnl_post_ops_append_sum(ops, 1, 3, dnnl_data_type_undef); break;
    case 3: dnnl_post_ops_append_sum(ops, 1, 0, dnnl_s8); break;
    case 4: dnnl_post_ops_append_sum(ops, 1, 0, dnnl_f32); break;
    case 5:
    case 6:
    case 7: dnnl_post_ops_append_binary(ops, dnnl_binary_add, md); break;
    case 8: dnnl_post_ops_append_prelu(ops, 0); break;
    }
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_post_ops_destroy(ops);
    dnnl_memory_desc_destroy(md);
}

static void set_mode(dnnl_primitive_attr_t attr, int mode) {
    switch (mode) {
    case 0: dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16); break;
    case 1: dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_strict, 1); break;
    case 2: dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_any, 1); break;
    case 3: dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_relaxed); break;
    case 4: dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_any); break;
    case 5: dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_f32); break;
    case 6: dnnl_primitive_attr_set_deterministic(attr, 1); break;
    case 7: dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user); break;
    case 8: dnnl_primitive_attr_set_rnn_data_qparams(attr, 2, 3); break;
    }
}

/* Masks that the peer accepts as valid but cannot compute. */
static bool we_do_more(dnnl_primitive_kind_t kind, bool zero_points, int arg, int mask) {
    if (kind == dnnl_convolution)
        return zero_points ? arg == DNNL_ARG_WEIGHTS : arg == DNNL_ARG_DST && mask == 2;
    if (kind != dnnl_matmul || zero_points) return false;
    return (arg == DNNL_ARG_SRC && mask > 0 && mask < 4) || (arg == DNNL_ARG_DST && mask == 1);
}

/* Modes that only permit an optimisation: integers as floats, sums in f32. */
static bool mode_only_permits(dnnl_primitive_kind_t kind, int mode) {
    bool product = kind == dnnl_convolution || kind == dnnl_inner_product || kind == dnnl_matmul;
    return product && (mode == 2 || (mode == 5 && kind != dnnl_convolution));
}

static void vary_attr(const struct call *valid, const char *name) {
    struct call c = *valid;
    int ndims = valid->tensors[DST].ndims;
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    for (int zero = 0; zero < 2; zero++)
        for (int a = 0; a < COUNT(args); a++) {
            printf("%s, %s %d:", name, zero ? "zero points" : "scales", args[a]);
            for (int mask = 0; mask < 9; mask++) {
                if (we_do_more(c.kind, zero, args[a], mask)) continue;
                dnnl_primitive_attr_create(&c.attr);
                if (zero)
                    dnnl_primitive_attr_set_zero_points_mask(c.attr, args[a], mask);
                else
                    dnnl_primitive_attr_set_scales_mask(c.attr, args[a], mask);
                show(&c);
                dnnl_primitive_attr_destroy(c.attr);
            }
            printf("\n");
        }
    printf("%s, post-ops:", name);
    for (int op = 0; op < 9; op++) {
        dnnl_primitive_attr_create(&c.attr);
        set_op(c.attr, op, ndims);
        show(&c);
        dnnl_primitive_attr_destroy(c.attr);
    }
    printf("\n%s, modes:", name);
    for (int mode = 0; mode < 9; mode++) {
        if (mode_only_permits(c.kind, mode)) continue;
        dnnl_primitive_attr_create(&c.attr);
        set_mode(c.attr, mode);
        show(&c);
        dnnl_primitive_attr_destroy(c.attr);
    }
    printf("\n");
}

static struct call with_types(const struct call *call, dnnl_data_type_t src, dnnl_data_type_t weights,
                              dnnl_data_type_t bias, dnnl_data_type_t dst) {
    struct call c = *call;
    c.tensors[SRC].type = src;
    c.tensors[WEIGHTS].type = weights;
    c.tensors[BIAS].type = bias;
    c.tensors[DST].type = dst;
    return c;
}

static void show_call(const char *name, const struct call *valid) {
    printf("== %s:", name);
    show(valid);
    printf("\n");
    vary_kinds(valid);
    vary_tensors(valid);
}

static void convolution(void) {
    const struct call valid = {
            .kind = dnnl_convolution,
            .prop = dnnl_forward_inference,
            .alg = dnnl_convolution_direct,
            .tensors = {{.ndims = 4, .dims = {2, 3, 7, 8}, .type = dnnl_f32, .tag = dnnl_nchw},
                        {.ndims = 4, .dims = {5, 3, 3, 2}, .type = dnnl_f32, .tag = dnnl_oihw},
                        {.ndims = 1, .dims = {5}, .type = dnnl_f32, .tag = dnnl_a},
                        {.ndims = 4, .dims = {2, 5, 7, 4}, .type = dnnl_f32, .tag = dnnl_nchw}},
            .vectors = {[STRIDES] = {1, 2}, [DILATES] = {0, 0}, [LEFT] = {1, 0}, [RIGHT] = {1, 0}},
    };
    show_call("convolution", &valid);
    vary_vectors(&valid, STRIDES);
    vary_attr(&valid, "f32");
    struct call c = with_types(&valid, dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8);
    vary_attr(&c, "int8");
    c = valid;
    c.tensors[WEIGHTS] =
            (struct tensor){.ndims = 5, .dims = {2, 2, 3, 3, 2}, .type = dnnl_f32, .tag = dnnl_goihw};
    c.tensors[SRC].dims[1] = 6;
    c.tensors[DST].dims[1] = c.tensors[BIAS].dims[0] = 4;
    show_call("convolution with groups", &c);
    c = with_types(&c, dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8);
    vary_attr(&c, "int8 with groups");
}

static void inner_product(void) {
    const struct call valid = {
            .kind = dnnl_inner_product,
            .prop = dnnl_forward_training,
            .tensors = {{.ndims = 4, .dims = {2, 3, 2, 5}, .type = dnnl_f32, .tag = dnnl_nchw},
                        {.ndims = 4, .dims = {7, 3, 2, 5}, .type = dnnl_f32, .tag = dnnl_oihw},
                        {.ndims = 1, .dims = {7}, .type = dnnl_f32, .tag = dnnl_a},
                        {.ndims = 2, .dims = {2, 7}, .type = dnnl_f32, .tag = dnnl_nc}},
    };
    show_call("inner product", &valid);
    vary_attr(&valid, "f32");
    struct call c = with_types(&valid, dnnl_s8, dnnl_s8, dnnl_f32, dnnl_u8);
    vary_attr(&c, "int8");
}

static void matmul(void) {
    const struct call valid = {
            .kind = dnnl_matmul,
            .tensors = {{.ndims = 2, .dims = {3, 5}, .type = dnnl_f32, .tag = dnnl_ab},
                        {.ndims = 2, .dims = {5, 7}, .type = dnnl_f32, .tag = dnnl_ab},
                        {.ndims = 2, .dims = {1, 7}, .type = dnnl_f32, .tag = dnnl_ab},
                        {.ndims = 2, .dims = {3, 7}, .type = dnnl_f32, .tag = dnnl_ab}},
    };
    show_call("matmul", &valid);
    vary_attr(&valid, "f32");
    struct call c = with_types(&valid, dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8);
    vary_attr(&c, "int8");
    c = valid;
    c.tensors[SRC] = (struct tensor){.ndims = 4, .dims = {2, 1, 3, 5}, .type = dnnl_f32, .tag = dnnl_abcd};
    c.tensors[WEIGHTS] =
            (struct tensor){.ndims = 4, .dims = {1, 3, 5, 7}, .type = dnnl_f32, .tag = dnnl_abcd};
    c.tensors[BIAS] = (struct tensor){.ndims = 4, .dims = {1, 3, 1, 7}, .type = dnnl_f32, .tag = dnnl_abcd};
    c.tensors[DST] = (struct tensor){.ndims = 4, .dims = {2, 3, 3, 7}, .type = dnnl_f32, .tag = dnnl_abcd};
    show_call("matmul with batches", &c);
}

static void pooling(void) {
    const struct call valid = {
            .kind = dnnl_pooling,
            .prop = dnnl_forward_inference,
            .alg = dnnl_pooling_max,
            .tensors = {{.ndims = 4, .dims = {2, 3, 7, 8}, .type = dnnl_f32, .tag = dnnl_nchw},
                        {.null = true},
                        {.null = true},
                        {.ndims = 4, .dims = {2, 3, 7, 4}, .type = dnnl_f32, .tag = dnnl_nchw}},
            .vectors = {[STRIDES] = {1, 2},
                        [KERNEL] = {3, 2},
                        [DILATES] = {0, 0},
                        [LEFT] = {1, 0},
                        [RIGHT] = {1, 0}},
    };
    show_call("pooling", &valid);
    vary_vectors(&valid, LEFT);
    vary_attr(&valid, "max");
    struct call c = valid;
    c.alg = dnnl_pooling_avg_exclude_padding;
    vary_vectors(&c, LEFT);
}

static void lrn(void) {
    const struct call valid = {
            .kind = dnnl_lrn,
            .prop = dnnl_forward_training,
            .alg = dnnl_lrn_across_channels,
            .tensors = {{.ndims = 4, .dims = {2, 3, 7, 8}, .type = dnnl_f32, .tag = dnnl_nchw},
                        {.null = true},
                        {.null = true},
                        {.ndims = 4, .dims = {2, 3, 7, 8}, .type = dnnl_f32, .tag = dnnl_nchw}},
            .local_size = 5,
    };
    show_call("lrn", &valid);
    vary_attr(&valid, "f32");
    printf("local size:");
    for (int i = 0; i < COUNT(odd_numbers); i++) {
        struct call c = valid;
        c.local_size = odd_numbers[i];
        show(&c);
    }
    printf("\n");
}

int main(void) {
    engine = cpu_engine();
    convolution();
    inner_product();
    matmul();
    pooling();
    lrn();
    dnnl_engine_destroy(engine);
    return 0;
}
