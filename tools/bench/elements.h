/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of every data type as numbers, and the tensors of a library as plain arrays. */
#ifndef LODE_BENCH_ELEMENTS_H
#define LODE_BENCH_ELEMENTS_H

#include "library.h"

#include <stdint.h>

/* The bits of the number of a type that is nearest to `value`, and back. */
uint64_t element_encode(dnnl_data_type_t type, double value);
double element_decode(dnnl_data_type_t type, uint64_t bits);

/* One unit in the last place of numbers near 1; 0 for integers. */
double type_precision(dnnl_data_type_t type);
bool type_is_integer(dnnl_data_type_t type);

/* The layout of a descriptor: the offset of an element is a sum over its dimensions. */
struct layout {
    int ndims;
    dnnl_data_type_t type;
    dnnl_dims_t dims;
    size_t count;                        /* of elements */
    size_t bytes;                        /* of the elements and their padding alone */
    dnnl_dim_t *offsets[DNNL_MAX_NDIMS]; /* by dimension and index */
};

/* False if the layout is not one of strides and blocks. */
bool layout_get(const_dnnl_memory_desc_t md, struct layout *layout);
void layout_free(struct layout *layout);

/* Fills a buffer: element i gets one of `count` values, chosen by a hash of `seed` and i. */
void layout_fill(const struct layout *layout, void *buffer, int count, const double *values, uint32_t seed);

/* Reads all elements in the order of their indices. */
void layout_read(const struct layout *layout, const void *buffer, float *values);

#endif
