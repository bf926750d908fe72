/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of numbers and their data types: array.h says what each function promises. */
#include "primitives/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers and their bits. */

struct float_format {
    int mantissa, least;   /* bits; exponent of the smallest normal number */
    double most, overflow; /* the largest number, and what larger ones become */
    uint64_t infinity;     /* its bits; those above are NaN; 0: there is none */
};

static const struct float_format formats[] = {
        [dnnl_f16] = {10, -14, 65504, INFINITY, 0x7c00},
        [dnnl_bf16] = {7, -126, 0x1.fep127, INFINITY, 0x7f80},
        [dnnl_f32] = {23, -126, 0x1.fffffep127, INFINITY, 0x7f800000},
        [dnnl_f64] = {52, -1022, 0x1.fffffffffffffp1023, INFINITY, UINT64_C(0x7ff0000000000000)},
        [dnnl_f8_e5m2] = {2, -14, 57344, INFINITY, 0x7c},
        [dnnl_f8_e4m3] = {3, -6, 448, NAN, 0},
        [dnnl_f4_e2m1] = {1, 0, 6, 6, 0},
};

struct range {
    double least, most, of_nan;
};

static bool integer_range(dnnl_data_type_t type, struct range *range) {
    switch (type) {
    case dnnl_s32: *range = (struct range){-0x1p31, 0x1p31 - 1, -0x1p31}; return true;
    case dnnl_s8: *range = (struct range){-128, 127, -128}; return true;
    case dnnl_u8: *range = (struct range){0, 255, 255}; return true;
    case dnnl_s4: *range = (struct range){-8, 7, 0}; return true;
    case dnnl_u4: *range = (struct range){0, 15, 0}; return true;
    default: return false;
    }
}

bool is_integer(dnnl_data_type_t type) {
    struct range range;
    return integer_range(type, &range);
}

double round_to_type(double x, dnnl_data_type_t type) {
    struct range range;
    if (type == dnnl_f64) return x;
    if (type == dnnl_f32) return (double)(float)x;
    if (integer_range(type, &range))
        return isnan(x) ? range.of_nan : fmin(fmax(nearbyint(x), range.least), range.most);
    if (type == dnnl_e8m0) return ldexp(1, ilogb(x));
    if (type == dnnl_f8_e5m2 || type == dnnl_f8_e4m3) x = round_to_type(x, dnnl_f16);
    const struct float_format *f = &formats[type];
    if (x == 0 || isnan(x)) return x;
    int exponent = ilogb(x) > f->least ? ilogb(x) : f->least;
    double unit = ldexp(1, exponent - f->mantissa), y = isinf(x) ? x : nearbyint(x / unit) * unit;
    return fabs(y) > f->most ? copysign(f->overflow, x) : y;
}

/* The bits of a number that the type has. */
static uint64_t encode_float(double x, const struct float_format *f, int bits) {
    uint64_t sign = signbit(x) ? UINT64_C(1) << (bits - 1) : 0;
    if (x == 0) return sign;
    if (!isfinite(x)) return sign | (f->infinity + (isnan(x) ? 1 : 0));
    int exponent = ilogb(x) > f->least ? ilogb(x) : f->least;
    uint64_t mantissa = (uint64_t)(fabs(x) / ldexp(1, exponent - f->mantissa));
    uint64_t biased = (uint64_t)(exponent - f->least);
    return sign | ((biased << f->mantissa) + mantissa);
}

static double decode_float(uint64_t v, const struct float_format *f, int bits) {
    uint64_t magnitude = v & ((UINT64_C(1) << (bits - 1)) - 1),
             mantissa = magnitude & ((UINT64_C(1) << f->mantissa) - 1);
    int exponent = (int)(magnitude >> f->mantissa);
    if (f->infinity && magnitude > f->infinity) return NAN;
    if (f->infinity && magnitude == f->infinity) return v >> (bits - 1) & 1 ? -INFINITY : INFINITY;
    double x = exponent ? ldexp((double)(mantissa + (UINT64_C(1) << f->mantissa)),
                                f->least + exponent - 1 - f->mantissa)
                        : ldexp((double)mantissa, f->least - f->mantissa);
    if (isnan(f->overflow) && x > f->most) x = NAN;
    return v >> (bits - 1) & 1 ? -x : x;
}

static int bits_of(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f64: return 64;
    case dnnl_f32:
    case dnnl_s32: return 32;
    case dnnl_f16:
    case dnnl_bf16: return 16;
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1: return 4;
    default: return 8;
    }
}

static uint64_t bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double f32_of_bits(uint64_t v) {
    uint32_t bits = (uint32_t)v;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static uint64_t encode(double x, dnnl_data_type_t type, int bits) {
    if (type == dnnl_f32) return bits_of_f32((float)x);
    if (is_integer(type)) return (uint64_t)(int64_t)x;
    if (type == dnnl_e8m0) return (uint64_t)(ilogb(x) + 127);
    return encode_float(x, &formats[type], bits);
}

static double decode(uint64_t v, dnnl_data_type_t type, int bits) {
    struct range range;
    if (type == dnnl_f32) return f32_of_bits(v);
    if (type == dnnl_e8m0) return ldexp(1, (int)v - 127);
    if (!integer_range(type, &range)) return decode_float(v, &formats[type], bits);
    bool negative = range.least < 0 && (v >> (bits - 1) & 1);
    return negative ? (double)v - ldexp(1, bits) : (double)v;
}

void store_element(unsigned char *bytes, dnnl_data_type_t type, int64_t index, double x) {
    int bits = bits_of(type), shift = index % 2 ? 4 : 0;
    uint64_t v = encode(x, type, bits);
    if (bits == 4)
        bytes[index / 2] = (unsigned char)((bytes[index / 2] & ~(15 << shift)) | (int)(v & 15) << shift);
    else
        memcpy(bytes + bits / 8 * index, &v, (size_t)bits / 8);
}

double load_element(const unsigned char *bytes, dnnl_data_type_t type, int64_t index) {
    int bits = bits_of(type);
    uint64_t v = 0;
    if (bits == 4)
        v = (uint64_t)bytes[index / 2] >> (index % 2 ? 4 : 0) & 15;
    else
        memcpy(&v, bytes + bits / 8 * index, (size_t)bits / 8);
    return decode(v, type, bits);
}

/* Arrays. */

struct array array_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type) {
    struct array array = {.ndims = ndims, .type = type, .count = 1};
    for (int d = 0; d < ndims; d++) {
        array.dims[d] = dims[d];
        array.count *= dims[d];
    }
    array.values = calloc((size_t)array.count + 1, sizeof *array.values);
    if (!array.values) abort();
    return array;
}

struct array array_like(const struct array *array, dnnl_data_type_t type) {
    return array_new(array->ndims, array->dims, type);
}

void array_free(struct array *array) {
    free(array->values);
    array->values = NULL;
}

uint64_t array_hash(const struct array *array, uint64_t hash) {
    hash ^= 1469598103934665603u;
    for (int64_t i = 0; i < array->count; i++) {
        uint64_t bits;
        memcpy(&bits, &array->values[i], sizeof bits);
        hash = (hash ^ (bits >> 32)) * 1099511628211u;
        hash = (hash ^ (bits & 0xffffffff)) * 1099511628211u;
    }
    return hash;
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void array_fill(struct array *array, int range, unsigned seed) {
    unsigned state = seed * 2654435761u + 1;
    struct range limits;
    bool integer = integer_range(array->type, &limits);
    bool is_unsigned = integer && limits.least == 0;
    for (int64_t i = 0; i < array->count; i++) {
        double x = (double)(next_random(&state) % (unsigned)(2 * range + 1)) - (is_unsigned ? 0 : range);
        array->values[i] = integer ? x : x / 2;
    }
}

void array_fill_real(struct array *array, unsigned seed) {
    unsigned state = seed * 2654435761u + 1;
    for (int64_t i = 0; i < array->count; i++)
        array->values[i] = round_to_type((double)next_random(&state) / 0x1p23 - 1, array->type);
}

int64_t array_index(const struct array *array, const dnnl_dim_t *position) {
    int64_t index = 0;
    for (int d = 0; d < array->ndims; d++)
        index = index * array->dims[d] + (array->dims[d] == 1 ? 0 : position[d]);
    return index;
}

double array_at(const struct array *array, const dnnl_dim_t *position) {
    return array->values[array_index(array, position)];
}

bool next_position(int ndims, const dnnl_dim_t *dims, dnnl_dim_t *position) {
    for (int d = ndims - 1; d >= 0; d--) {
        if (++position[d] < dims[d]) return true;
        position[d] = 0;
    }
    return false;
}
