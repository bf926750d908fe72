/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tensors of any type and layout: elements.h. */
#include "elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Small floating-point types. */

static const struct small_float {
    dnnl_data_type_t type;
    int exponent_bits, mantissa_bits;
    double max;
    bool infinity;
} small_floats[] = {
        {dnnl_f16, 5, 10, 65504, true},    {dnnl_bf16, 8, 7, 0x1.fep127, true},
        {dnnl_f8_e5m2, 5, 2, 57344, true}, {dnnl_f8_e4m3, 4, 3, 448, false},
        {dnnl_f4_e2m1, 2, 1, 6, false},
};

static const struct small_float *small_float_of(dnnl_data_type_t type) {
    for (size_t i = 0; i < sizeof(small_floats) / sizeof(small_floats[0]); i++)
        if (small_floats[i].type == type) return &small_floats[i];
    return NULL;
}

static uint64_t small_encode(const struct small_float *format, double value) {
    int mantissa = format->mantissa_bits, bias = (1 << (format->exponent_bits - 1)) - 1, exponent;
    uint64_t sign = signbit(value) ? 1ull << (format->exponent_bits + mantissa) : 0;
    double size = fmin(fabs(value), format->max);
    if (size == 0) return sign;
    frexp(size, &exponent);
    if (exponent - 1 < 1 - bias) exponent = 2 - bias;
    uint64_t units = (uint64_t)rint(ldexp(size, mantissa + 1 - exponent));
    /* A unit more than fits carries into the exponent. */
    return sign | (((uint64_t)(exponent - 2 + bias) << mantissa) + units);
}

static double small_decode(const struct small_float *format, uint64_t bits) {
    int mantissa = format->mantissa_bits, bias = (1 << (format->exponent_bits - 1)) - 1;
    uint64_t units = bits & ((1ull << mantissa) - 1), top = (1ull << format->exponent_bits) - 1;
    uint64_t exponent = bits >> mantissa & top;
    double sign = bits >> (format->exponent_bits + mantissa) & 1 ? -1 : 1;
    if (format->infinity && exponent == top) return units ? NAN : sign * INFINITY;
    if (format->type == dnnl_f8_e4m3 && exponent == top && units == 7) return NAN;
    if (exponent == 0) return sign * ldexp((double)units, 1 - bias - mantissa);
    return sign * ldexp((double)(units + (1ull << mantissa)), (int)exponent - bias - mantissa);
}

/* Integers. */

static bool integer_range(dnnl_data_type_t type, double *low, double *high) {
    static const struct {
        dnnl_data_type_t type;
        double low, high;
    } ranges[] = {
            {dnnl_s32, -2147483648.0, 2147483647.0},
            {dnnl_s8, -128, 127},
            {dnnl_u8, 0, 255},
            {dnnl_s4, -8, 7},
            {dnnl_u4, 0, 15},
            {dnnl_boolean, 0, 1},
            {dnnl_s64, -9e18, 9e18},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (ranges[i].type == type) return *low = ranges[i].low, *high = ranges[i].high, true;
    return false;
}

bool type_is_integer(dnnl_data_type_t type) {
    double low, high;
    return integer_range(type, &low, &high);
}

double type_precision(dnnl_data_type_t type) {
    const struct small_float *format = small_float_of(type);
    if (format) return ldexp(1, -format->mantissa_bits);
    return type_is_integer(type) ? 0 : 0x1p-23;
}

uint64_t element_encode(dnnl_data_type_t type, double value) {
    const struct small_float *format = small_float_of(type);
    double low, high;
    uint64_t bits = 0;
    if (format) return small_encode(format, value);
    if (integer_range(type, &low, &high)) return (uint64_t)(int64_t)rint(fmin(fmax(value, low), high));
    if (type == dnnl_e8m0) return (uint64_t)(ilogb(fabs(value) + 0x1p-126) + 127);
    if (type == dnnl_f64) return memcpy(&bits, &value, sizeof(value)), bits;
    float single = (float)value;
    memcpy(&bits, &single, sizeof(single));
    return bits;
}

double element_decode(dnnl_data_type_t type, uint64_t bits) {
    const struct small_float *format = small_float_of(type);
    float single;
    double value;
    if (format) return small_decode(format, bits);
    switch (type) {
    case dnnl_s32: return (int32_t)bits;
    case dnnl_s64: return (double)(int64_t)bits;
    case dnnl_s8: return (int8_t)bits;
    case dnnl_s4: return (double)(bits & 7) - (double)(bits & 8);
    case dnnl_u8:
    case dnnl_u4:
    case dnnl_boolean: return (double)bits;
    case dnnl_e8m0: return ldexp(1, (int)bits - 127);
    case dnnl_f64: return memcpy(&value, &bits, sizeof(value)), value;
    default: return memcpy(&single, &bits, sizeof(single)), single;
    }
}

/* Elements in buffers. Two elements of a 4-bit type share a byte, the even one has the lower half. */

static bool type_is_half_byte(dnnl_data_type_t type) {
    return type == dnnl_s4 || type == dnnl_u4 || type == dnnl_f4_e2m1;
}

static void put_bits(void *buffer, dnnl_data_type_t type, size_t size, dnnl_dim_t at, uint64_t bits) {
    if (type_is_half_byte(type)) {
        uint8_t *byte = (uint8_t *)buffer + at / 2;
        *byte = (uint8_t)(at & 1 ? (*byte & 15) | bits << 4 : (*byte & 240) | (bits & 15));
    } else {
        memcpy((char *)buffer + (size_t)at * size, &bits, size);
    }
}

static uint64_t get_bits(const void *buffer, dnnl_data_type_t type, size_t size, dnnl_dim_t at) {
    uint64_t bits = 0;
    if (type_is_half_byte(type)) return ((const uint8_t *)buffer)[at / 2] >> (at & 1 ? 4 : 0) & 15;
    memcpy(&bits, (const char *)buffer + (size_t)at * size, size);
    return bits;
}

/* Layouts. */

/* The offset of index `i` of dimension `d`, by the blocks and the stride of that dimension. */
static dnnl_dim_t offset_in_dimension(int d, dnnl_dim_t i, int blocks, const dnnl_dim_t *sizes,
                                      const dnnl_dim_t *dims, dnnl_dim_t stride) {
    dnnl_dim_t offset = 0, unit = 1;
    for (int b = blocks - 1; b >= 0; b--) {
        if (dims[b] == d) {
            offset += i % sizes[b] * unit;
            i /= sizes[b];
        }
        unit *= sizes[b];
    }
    return offset + i * stride;
}

bool layout_get(const_dnnl_memory_desc_t md, struct layout *layout) {
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    dnnl_dims_t *dims, *padded, *strides, *sizes = NULL, *where = NULL;
    dnnl_dim_t start = 0;
    int blocks = 0;
    *layout = (struct layout){.count = 1};
    if (lib_memory_desc_query(md, dnnl_query_format_kind, &kind) || kind != dnnl_blocked) return false;
    lib_memory_desc_query(md, dnnl_query_ndims_s32, &layout->ndims);
    lib_memory_desc_query(md, dnnl_query_data_type, &layout->type);
    lib_memory_desc_query(md, dnnl_query_dims, &dims);
    lib_memory_desc_query(md, dnnl_query_padded_dims, &padded);
    lib_memory_desc_query(md, dnnl_query_strides, &strides);
    lib_memory_desc_query(md, dnnl_query_inner_nblks_s32, &blocks);
    lib_memory_desc_query(md, dnnl_query_inner_blks, &sizes);
    lib_memory_desc_query(md, dnnl_query_inner_idxs, &where);
    lib_memory_desc_query(md, dnnl_query_submemory_offset_s64, &start);
    dnnl_dim_t last = start;
    for (int d = 0; d < layout->ndims; d++) {
        dnnl_dim_t size = layout->dims[d] = (*dims)[d];
        layout->count *= (size_t)size;
        layout->offsets[d] = calloc((size_t)size + 1, sizeof(dnnl_dim_t));
        for (dnnl_dim_t i = 0; i < size; i++)
            layout->offsets[d][i] =
                    offset_in_dimension(d, i, blocks, *sizes, *where, (*strides)[d]) + (d == 0 ? start : 0);
        last += offset_in_dimension(d, (*padded)[d] - 1, blocks, *sizes, *where, (*strides)[d]);
    }
    layout->bytes = (size_t)(last + 1) * lib_data_type_size(layout->type);
    if (type_is_half_byte(layout->type)) layout->bytes = (size_t)(last + 2) / 2;
    return true;
}

void layout_free(struct layout *layout) {
    for (int d = 0; d < layout->ndims; d++)
        free(layout->offsets[d]);
}

static uint32_t hash(uint32_t seed, uint32_t i) {
    uint32_t x = i * 0x9e3779b1u + seed * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* The rows of a layout, one after the other: a row has all indices of the last dimension. */
struct rows {
    const struct layout *layout;
    dnnl_dims_t index;
    size_t row, count; /* of rows */
    dnnl_dim_t offset; /* of the row */
};

static struct rows rows_begin(const struct layout *layout) {
    struct rows rows = {.layout = layout};
    size_t length = (size_t)layout->dims[layout->ndims - 1];
    rows.count = layout->count ? layout->count / length : 0;
    return rows;
}

static bool rows_next(struct rows *rows) {
    const struct layout *layout = rows->layout;
    if (rows->row == rows->count) return false;
    for (int d = layout->ndims - 2; rows->row > 0 && d >= 0; d--) {
        if (++rows->index[d] < layout->dims[d]) break;
        rows->index[d] = 0;
    }
    rows->offset = 0;
    for (int d = 0; d < layout->ndims - 1; d++)
        rows->offset += layout->offsets[d][rows->index[d]];
    rows->row++;
    return true;
}

void layout_fill(const struct layout *layout, void *buffer, int count, const double *values, uint32_t seed) {
    enum { MAX = 32 };
    uint64_t bits[MAX];
    size_t size = lib_data_type_size(layout->type);
    uint32_t i = 0;
    for (int k = 0; k < count && k < MAX; k++)
        bits[k] = element_encode(layout->type, values[k]);
    struct rows rows = rows_begin(layout);
    const dnnl_dim_t *last = layout->offsets[layout->ndims - 1];
    while (rows_next(&rows))
        for (dnnl_dim_t c = 0; c < layout->dims[layout->ndims - 1]; c++, i++)
            put_bits(buffer, layout->type, size, rows.offset + last[c],
                     bits[hash(seed, i) % (uint32_t)count]);
}

void layout_read(const struct layout *layout, const void *buffer, float *values) {
    size_t size = lib_data_type_size(layout->type);
    struct rows rows = rows_begin(layout);
    const dnnl_dim_t *last = layout->offsets[layout->ndims - 1];
    while (rows_next(&rows))
        for (dnnl_dim_t c = 0; c < layout->dims[layout->ndims - 1]; c++) {
            dnnl_dim_t at = rows.offset + last[c];
            if (layout->type == dnnl_f32)
                memcpy(values++, (const float *)buffer + at, sizeof(*values));
            else
                *values++ = (float)element_decode(layout->type, get_bits(buffer, layout->type, size, at));
        }
}
