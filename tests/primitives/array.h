/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of numbers in logical order, and how each data type stores a number. Knows nothing about memory
 * objects or primitives.
 */
#ifndef LODE_TESTS_PRIMITIVES_ARRAY_H
#define LODE_TESTS_PRIMITIVES_ARRAY_H

#include "oneapi/dnnl/dnnl.h"

#include <stdbool.h>
#include <stdint.h>

/* Values in logical order, the last dimension running fastest. */
struct array {
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t type;
    int64_t count;
    double *values; /* NULL: there is no such tensor */
};

struct array array_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type);
/* An array of the same shape. */
struct array array_like(const struct array *array, dnnl_data_type_t type);
void array_free(struct array *array);
/* Whole numbers from -range to range (from 0 for unsigned types), halves of them for floats: sums and
 * products of a few are exact. */
void array_fill(struct array *array, int range, unsigned seed);
/* Numbers between -1 and 1, rounded to the type. */
void array_fill_real(struct array *array, unsigned seed);
/* Hash of all bits of the values, continued from `hash`; 0 starts a new one. */
uint64_t array_hash(const struct array *array, uint64_t hash);
int64_t array_index(const struct array *array, const dnnl_dim_t *position);
/* The element at a position; dimensions of size 1 are broadcast. */
double array_at(const struct array *array, const dnnl_dim_t *position);
/* Steps to the next position; false after the last one. */
bool next_position(int ndims, const dnnl_dim_t *dims, dnnl_dim_t *position);

bool is_integer(dnnl_data_type_t type);

/* What a number becomes when it is stored: rounded to nearest even; too large integers saturate, too large
 * floats become infinite if the type has infinities. 8-bit floats are rounded from f16, and NaN becomes the
 * smallest s8 and s32, the largest u8 and a 4-bit 0, as in oneDNN. e8m0 takes positive numbers. */
double round_to_type(double x, dnnl_data_type_t type);

/* Element `index` of a buffer. The number that is stored must be one that the type has. */
void store_element(unsigned char *bytes, dnnl_data_type_t type, int64_t index, double x);
double load_element(const unsigned char *bytes, dnnl_data_type_t type, int64_t index);

#endif
