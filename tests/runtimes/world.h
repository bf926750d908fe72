/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of Level Zero's tests: engines, vectors, matrices, and expected results. */
#ifndef LODE_TESTS_RUNTIMES_WORLD_H
#define LODE_TESTS_RUNTIMES_WORLD_H

#include "runtimes/ze.h"
#include "test.h"

#include "oneapi/dnnl/dnnl_ze.h"

/* The test's own context, an engine in it, and the descriptor of vectors of N floats. */
enum { N = 1000 };
struct world {
    ze_context_handle_t context;
    dnnl_engine_t engine;
    dnnl_memory_desc_t vector;
};
struct world make_world(void);
void free_world(struct world *w);

/* A primitive with one launch: dst = alpha * src + beta. */
dnnl_primitive_t make_linear(const struct world *w, float alpha, float beta);
dnnl_status_t run(dnnl_primitive_t primitive, dnnl_stream_t stream, dnnl_memory_t src, dnnl_memory_t dst,
                  int ndeps, const ze_event_handle_t *deps, ze_event_handle_t *event);
dnnl_memory_t make_vector(const struct world *w, void *handle);
/* Fills with first, first + 1, … */
void fill(dnnl_memory_t memory, float first);
/* Expects alpha * x + beta for the values x of fill(). */
void expect_linear(dnnl_memory_t memory, float first, float alpha, float beta);

/* x -> 2x+1, STEPS times: exact, and sensitive to the order. */
enum { STEPS = 10 };
void expect_steps(dnnl_memory_t memory, float first);

dnnl_stream_t make_stream(const struct world *w, ze_command_list_handle_t list);

struct user_events {
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[4];
};
struct user_events make_events(const struct world *w);
void free_events(struct user_events *events);

/* A primitive with several launches and a scratchpad: a matrix product. */
/* The elements of a product lie apart: it is computed in scratchpad, and another launch delivers it. */
enum { M = 64, K = 96, COLUMNS = 80, PRODUCT_STEP = 2 };
struct product {
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t mds[3];
    dnnl_memory_t a, b, c;
};
struct product make_product(const struct world *w);
void free_product(struct product *p);
void fill_matrix(dnnl_memory_t memory, int count, int seed);
void multiply(const struct product *p, dnnl_stream_t stream, ze_event_handle_t *event);
void expect_product(const struct product *p);

#endif
