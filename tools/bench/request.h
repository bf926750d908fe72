/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request: one primitive to be run, as a verbose line describes it. Plain data without pointers, because it
 * is sent to another process as it is. Parsing needs no library.
 */
#ifndef LODE_BENCH_REQUEST_H
#define LODE_BENCH_REQUEST_H

#include "oneapi/dnnl/dnnl_types.h"

#include <stdbool.h>

enum { MAX_TENSORS = 40, MAX_POST_OPS = 16, MAX_QUANTS = 12, TAG_SIZE = 40 };

struct tensor {
    char name[20]; /* of the verbose line; further ones of the same name get a number: "src", "src1" */
    dnnl_data_type_t type;
    bool any;             /* the library chooses the layout */
    bool strided;         /* `strides` say what the layout is, else `tag` does */
    bool unknown_strides; /* "strided": some that leave gaps */
    bool special;         /* holds more than its elements, so that only a primitive can tell its layout */
    int mask;             /* -1, or the dimensions that are not broadcast */
    int ndims, stride_count;
    dnnl_dims_t dims, strides;
    char tag[TAG_SIZE];
};

/* Scales or zero points of an argument. */
struct quant {
    int arg, mask, group_ndims;
    dnnl_dim_t groups[DNNL_MAX_NDIMS];
    dnnl_data_type_t type;
    bool host_scalar;
};

struct post_op {
    dnnl_primitive_kind_t kind; /* sum, eltwise, binary, prelu or convolution (depthwise) */
    dnnl_alg_kind_t alg;
    float alpha, beta, scale;
    int zero_point, mask;
    dnnl_data_type_t type;
    char tag[TAG_SIZE]; /* of a binary one; empty: plain */
    int kernel, stride, padding;
};

struct attributes {
    bool user_scratchpad, fpmath_for_integers, deterministic;
    dnnl_fpmath_mode_t fpmath;
    dnnl_accumulation_mode_t accumulation;
    int scale_count, zero_point_count, post_op_count;
    struct quant scales[MAX_QUANTS], zero_points[MAX_QUANTS];
    struct post_op post_ops[MAX_POST_OPS];
};

/* What a request says, as text. */
struct request_text {
    char kind[32], direction[24], memory[1024], attributes[512], auxiliary[128], shape[256];
};

struct request {
    struct request_text text;
    long count;      /* how often it was asked for */
    double at_most;  /* a goal: the time over the other library's; 0 if there is none */
    double at_least; /* a goal: bytes per second over those of a copy; 0 if there is none */
    char title[48];  /* what it is to a reader; may be empty */
    char why[128];   /* why it cannot be run; empty if it can */
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t direction;
    dnnl_alg_kind_t alg, activation;
    dnnl_rnn_direction_t rnn_direction;
    float alpha, beta, p, eps;
    int axis, spatial;
    dnnl_dim_t group, local_size;
    unsigned flags;
    dnnl_dims_t kernel, strides, dilates, padding_l, padding_r;
    int tensor_count;
    struct tensor tensors[MAX_TENSORS];
    struct attributes attributes;
};

/* Fills in the rest of a request from its text; `why` says what could not be understood. */
void request_parse(struct request *request);

/* Steps of that, each false with `why` if it fails. */
bool parse_attributes(struct request *request);
bool parse_shape(struct request *request);

/* Writes `why` and returns false. */
bool request_reject(struct request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The tensor of a name, NULL if there is none or it is undefined. */
struct tensor *request_tensor(const struct request *request, const char *name);

bool request_is_backward(const struct request *request);

/* Parameters that the text leaves open ("x", parsed as not a number) get values that fit the function. */
void fill_parameters(dnnl_alg_kind_t alg, float *alpha, float *beta);

/* A number, or not a number for a placeholder. */
float parse_number(const char *text);

#endif
