/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine under test, and memory objects of any layout and type that arrays are written to and read from.
 * Knows the public API only, so that the same program runs with any library that has it.
 */
#ifndef LODE_TESTS_PRIMITIVES_MEMORY_H
#define LODE_TESTS_PRIMITIVES_MEMORY_H

#include "primitives/array.h"

/* Failures are counted, and the first 20 are printed. */
extern int failures;
void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Aborts with the text of the call if its status is not success. */
void must_succeed(dnnl_status_t status, const char *call);
#define MUST(call) must_succeed(call, #call)

/* The engine under test and its stream: made by the first call. That is the CPU, or, with
 * LODE_TEST_ENGINE=gpu, the first GPU engine that runs the kernels for GPUs alone, with
 * LODE_TEST_ENGINE=device the first device of ONEDNN_GPU_RUNTIME. If there is none, the program is skipped.
 */
dnnl_engine_t test_engine(void);
dnnl_stream_t test_stream(void);
bool test_gpu(void);
/* True if the library under test is the peer's, which may refuse a case (LODE_TEST_PEER is set). */
bool test_peer(void);
/* True, with a line that says so, if that is the peer on a CPU without VNNI: there it does not have
 * everything that it has elsewhere, and its sums of bytes saturate. */
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

#endif
