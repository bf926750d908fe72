/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs implementations of a primitive with any number of inputs and outputs, each named by its execution
 * argument, and compares every output with what it must be.
 */
#ifndef LODE_TESTS_PRIMITIVES_EXECUTION_H
#define LODE_TESTS_PRIMITIVES_EXECUTION_H

#include "primitives/attributes.h"

enum { MAX_ARGS = 40, MAX_INPUTS = 16, MAX_OUTPUTS = 8 };

/* A list of arguments that frees what it was given to own. */
struct exec {
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
    bool borrowed[MAX_ARGS];
};
void exec_add(struct exec *exec, int arg, dnnl_memory_t memory);
/* The memory stays the caller's. */
void exec_borrow(struct exec *exec, int arg, dnnl_memory_t memory);
/* A memory of this layout with the array's values. */
void exec_add_array(struct exec *exec, int arg, const struct array *array, const char *tag);
/* The arguments of the attributes. */
void exec_add_attr(struct exec *exec, const struct attr_run *run, const_dnnl_primitive_desc_t pd);
dnnl_memory_t exec_find(const struct exec *exec, int arg);
/* Makes the primitive, runs it and waits. */
dnnl_status_t exec_run(struct exec *exec, const_dnnl_primitive_desc_t pd);
void exec_free(struct exec *exec);

struct input {
    int arg;                   /* 0 ends the list */
    const struct array *array; /* without values: not passed */
    const char *tag;           /* NULL: the layout that the primitive says */
};

struct output {
    int arg;                      /* 0 ends the list */
    const struct array *expected; /* without values: not passed */
    const struct array *error;    /* how far each element may be off; NULL: not at all */
    const struct array *before;   /* content before the execution; NULL: bytes that no result has */
    int in_place_of;              /* the input whose memory this is; 0: it has its own */
    const char *tag;              /* NULL: the layout that the primitive says */
};

/* One problem: what goes in and what must come out. */
struct test_run {
    const char *what;
    const struct attr_run *attr; /* NULL: no attributes */
    const struct exec *extra;    /* further arguments, borrowed; NULL: none */
    bool reorder_inputs;         /* see memory_reordered */
    struct input inputs[MAX_INPUTS];
    struct output outputs[MAX_OUTPUTS];
};

/* How many implementations have run, and a hash of what they gave. */
extern int implementations_run;
extern uint64_t results_hash;
/* How many of them have this text in their name. */
int runs_of(const char *text);

/* Runs the implementation of pd and checks all outputs. On a GPU engine it runs twice, and must give the same
 * bits. */
void run_implementation(const_dnnl_primitive_desc_t pd, const struct test_run *run);
/* Runs the implementation of pd and every one after it, and destroys pd. If its creation gave a status that
 * is not success, that is a failure. */
void run_implementations(dnnl_status_t created, dnnl_primitive_desc_t pd, const struct test_run *run);

/* Stores a number and its bound at a position of two arrays; `error` may be NULL. */
void store_bounded(struct bounded x, int64_t index, struct array *values, struct array *error);

/* Compares with the expected values, rounded to their type. `error` may be NULL. */
void check_array(const char *what, const struct array *expected, const struct array *error,
                 const struct array *actual);

#endif
