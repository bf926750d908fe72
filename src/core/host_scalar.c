/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the value of a host scalar to the form that a kernel reads. */
#include "core/objects.h"

#include <math.h>
#include <string.h>

static float f16_to_f32(uint16_t h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                  : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
                                 : ldexpf((float)mantissa, -24);
    return h >> 15 ? -value : value;
}

static float bits_to_f32(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double scalar_value(const struct dnnl_memory *memory) {
    uint64_t bits = memory->scalar.bits;
    switch (memory->md.data_type) {
    case dnnl_f32: return memory->scalar.f32;
    case dnnl_s32: return memory->scalar.s32;
    case dnnl_f16: return f16_to_f32((uint16_t)bits);
    case dnnl_bf16: return bits_to_f32((uint32_t)(uint16_t)bits << 16);
    case dnnl_s8: return (int8_t)bits;
    case dnnl_u8: return (uint8_t)bits;
    case dnnl_s64: return (double)(int64_t)bits;
    default: return NAN;
    }
}

static uint64_t scalar_integer(const struct dnnl_memory *memory) {
    if (memory->md.data_type == dnnl_s64) return memory->scalar.bits;
    return (uint64_t)(int64_t)scalar_value(memory);
}

uint32_t host_scalar_bits(const struct dnnl_memory *memory, enum scalar_form form) {
    if (form == SCALAR_LOW) return (uint32_t)scalar_integer(memory);
    if (form == SCALAR_HIGH) return (uint32_t)(scalar_integer(memory) >> 32);
    float f = (float)scalar_value(memory);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
