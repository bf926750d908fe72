/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of primitives share: arrays of numbers in logical order, their way into and out of memory
 * objects of any layout and type, and attributes with a reference of what they do. It knows the public API
 * only, so that the same program runs with any library that has it.
 *
 * Numbers are chosen so that everything is exact: small integers, halves, scales that are powers of two. Then
 * results are compared for equality.
 */
#ifndef LODE_TESTS_PRIMITIVES_HARNESS_H
#define LODE_TESTS_PRIMITIVES_HARNESS_H

#include "count.h"
#include "oneapi/dnnl/dnnl.h"

#include <stdbool.h>
#include <stdint.h>

/* Values in logical order, the last dimension running fastest. */
struct array {
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t type;
    int64_t count;
    double *values;
};

struct array array_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type);
void array_free(struct array *array);
/* Whole numbers from -range to range (from 0 for unsigned types), halves of them for floats. */
void array_fill(struct array *array, int range, unsigned seed);
/* Numbers between -1 and 1, rounded to the type. */
void array_fill_real(struct array *array, unsigned seed);
/* Of the values as floats, and of what was hashed before; 0: nothing. */
uint64_t array_hash(const struct array *array, uint64_t hash);
int64_t array_index(const struct array *array, const dnnl_dim_t *position);
/* The element at a position; dimensions of size 1 are broadcast. */
double array_at(const struct array *array, const dnnl_dim_t *position);
/* Steps to the next position; false after the last one. */
bool next_position(int ndims, const dnnl_dim_t *dims, dnnl_dim_t *position);

/* What a number becomes when it is stored: nearest even, integers saturated. */
double round_to_type(double x, dnnl_data_type_t type);

/* The engine under test and its stream: made by the first call. */
dnnl_engine_t test_engine(void);
dnnl_stream_t test_stream(void);
/* True if the library under test is the peer's, which may refuse a case (LODE_TEST_PEER is set). */
bool test_peer(void);
/* True, with a word about it, if that is the peer on a CPU without VNNI: there it leaves out what it has
 * elsewhere, and its sums of bytes saturate. */
bool test_peer_is_narrow(void);

/* A descriptor; tag NULL is `any`. Aborts if the library refuses. */
dnnl_memory_desc_t md_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, const char *tag);
dnnl_memory_desc_t md_of(const struct array *array, const char *tag);
/* A memory with the array's values, zeros in the padding; without an array, bytes that no result has. */
dnnl_memory_t memory_new(const_dnnl_memory_desc_t md, const struct array *array);
/* The same through a reorder: the peer hides sums of weights behind some of its layouts. */
dnnl_memory_t memory_reordered(const_dnnl_memory_desc_t md, const struct array *array);
/* Reads a memory back. False if its padding is not zero. */
bool memory_read(dnnl_memory_t memory, struct array *array);

/* Attributes. */

struct op_case {
    dnnl_primitive_kind_t kind; /* eltwise, sum, binary, prelu; undef ends the list */
    dnnl_alg_kind_t alg;
    float alpha, beta;     /* eltwise; sum: alpha is the scale */
    int zero_point;        /* sum */
    int mask;              /* binary and prelu: dimensions of dst that the operand has */
    dnnl_data_type_t type; /* binary: of the operand, 0: f32; sum: of dst's previous content, 0: its own */
};

#define ELTWISE(alg_, alpha_, beta_) {.kind = dnnl_eltwise, .alg = alg_, .alpha = alpha_, .beta = beta_}
#define BINARY(alg_, mask_) {.kind = dnnl_binary, .alg = alg_, .mask = mask_}

enum { MAX_OPS = 14, MAX_ARGS = 40 };

struct attr_case {
    const char *name;
    float src_scale, weights_scale, dst_scale; /* 0: none; weights_scale doubles from channel to channel */
    int src_mask, weights_mask, dst_mask;      /* of the scales */
    int src_zero_point, weights_zero_point, dst_zero_point;
    int src_zero_mask, dst_zero_mask;
    bool host_scalars;
    struct op_case ops[MAX_OPS];
};

/* An attribute with its arguments for one problem. */
struct attr_run {
    const struct attr_case *c;
    dnnl_primitive_attr_t attr;
    int nops;
    struct array operands[MAX_OPS];
    struct array src_scales, weights_scales, dst_scales, src_zeros, dst_zeros;
    struct array previous; /* content of dst before, where there is a sum */
};

/* `weights_dims` and so on give the sizes that masks refer to. */
void attr_run_init(struct attr_run *run, const struct attr_case *c, const struct array *src,
                   const struct array *weights, const struct array *dst);
void attr_run_free(struct attr_run *run);
/* What becomes of a sum (bias not added yet), exactly, before it is stored. `channel` is the index into the
 * scales of weights. */
double attr_run_apply(const struct attr_run *run, double sum, double bias, int64_t channel,
                      const dnnl_dim_t *position);
double attr_run_src_zero(const struct attr_run *run, const dnnl_dim_t *src_position);

/* Execution: a list of arguments that frees what it made. */
struct exec {
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
};
void exec_add(struct exec *exec, int arg, dnnl_memory_t memory);
/* A memory of this layout with the array's values. */
void exec_add_array(struct exec *exec, int arg, const struct array *array, const char *tag);
/* The arguments of the attributes. */
void exec_add_attr(struct exec *exec, const struct attr_run *run, const_dnnl_primitive_desc_t pd);
dnnl_memory_t exec_find(const struct exec *exec, int arg);
/* Makes the primitive, runs it and waits. */
dnnl_status_t exec_run(struct exec *exec, const_dnnl_primitive_desc_t pd);
void exec_free(struct exec *exec);

/* Failures are counted and printed, the first ones at least. */
extern int failures;
void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Compares for equality, the expected values being rounded to their type. */
void check_equal(const char *what, const struct array *expected, const struct array *actual);

/* Runs one implementation of a primitive that makes dst of src, perhaps in place, and reads dst back. `run`
 * may be NULL. */
void run_unary(const_dnnl_primitive_desc_t pd, const struct attr_run *run, const struct array *src,
               bool in_place, struct array *dst, const char *what);

struct input {
    int arg;
    const struct array *array; /* without values: not passed */
};

/* Runs the implementation of pd and every one after it, and destroys pd. Each result must be `expected`,
 * exactly, or within `tolerance` where that is given; all results must be the same. They are counted, and
 * hashed. */
extern int implementations_run;
extern uint64_t results_hash;
void run_implementations(dnnl_primitive_desc_t pd, const struct attr_run *run, const struct input *inputs,
                         int ninputs, const struct array *expected, const struct array *tolerance,
                         const char *what);

#endif
