/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, memories and attributes for tests of primitives: harness.h says what each function promises. */
#include "primitives/harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exported by the library, declared by no public header. */
dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *, int, const dnnl_dims_t,
                                                      dnnl_data_type_t, const char *);

int failures;

void failure(const char *format, ...) {
    if (++failures > 20) return;
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static void must(dnnl_status_t status, const char *what) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s: status %d\n", what, (int)status);
    abort();
}
#define MUST(call) must(call, #call)

/* Numbers and their bits. */

struct float_format {
    int mantissa, least; /* bits; exponent of the smallest normal number */
    uint64_t infinity;   /* its bits; those above are NaN; 0: there is none */
};

static const struct float_format formats[] = {
        [dnnl_f16] = {10, -14, 0x7c00},      [dnnl_bf16] = {7, -126, 0x7f80},
        [dnnl_f32] = {23, -126, 0x7f800000}, [dnnl_f64] = {52, -1022, UINT64_C(0x7ff0000000000000)},
        [dnnl_f8_e5m2] = {2, -14, 0x7c},     [dnnl_f8_e4m3] = {3, -6, 0},
        [dnnl_f4_e2m1] = {1, 0, 0},
};

struct range {
    double least, most;
};

static bool integer_range(dnnl_data_type_t type, struct range *range) {
    switch (type) {
    case dnnl_s32: *range = (struct range){-0x1p31, 0x1p31 - 1}; return true;
    case dnnl_s8: *range = (struct range){-128, 127}; return true;
    case dnnl_u8: *range = (struct range){0, 255}; return true;
    case dnnl_s4: *range = (struct range){-8, 7}; return true;
    case dnnl_u4: *range = (struct range){0, 15}; return true;
    default: return false;
    }
}

double round_to_type(double x, dnnl_data_type_t type) {
    struct range range;
    if (integer_range(type, &range)) return fmin(fmax(nearbyint(x), range.least), range.most);
    if (x == 0 || !isfinite(x)) return x;
    const struct float_format *f = &formats[type];
    int exponent = ilogb(x) > f->least ? ilogb(x) : f->least;
    double unit = ldexp(1, exponent - f->mantissa);
    return nearbyint(x / unit) * unit;
}

/* The bits of a number that the type can hold. */
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

static void store(unsigned char *bytes, dnnl_data_type_t type, int64_t index, double x) {
    int bits = bits_of(type);
    struct range range;
    uint64_t v = integer_range(type, &range) ? (uint64_t)(int64_t)x : encode_float(x, &formats[type], bits);
    if (type == dnnl_f32) {
        float f = (float)x;
        memcpy(bytes + 4 * index, &f, 4);
    } else if (type == dnnl_f64) {
        memcpy(bytes + 8 * index, &x, 8);
    } else if (bits == 4) {
        int shift = index % 2 ? 4 : 0;
        bytes[index / 2] = (unsigned char)((bytes[index / 2] & ~(15 << shift)) | (int)(v & 15) << shift);
    } else {
        memcpy(bytes + bits / 8 * index, &v, (size_t)bits / 8);
    }
}

static double load(const unsigned char *bytes, dnnl_data_type_t type, int64_t index) {
    int bits = bits_of(type);
    uint64_t v = 0;
    struct range range;
    if (bits == 4)
        v = (uint64_t)bytes[index / 2] >> (index % 2 ? 4 : 0) & 15;
    else
        memcpy(&v, bytes + bits / 8 * index, (size_t)bits / 8);
    if (type == dnnl_f32) {
        float f;
        memcpy(&f, bytes + 4 * index, 4);
        return (double)f;
    }
    if (type == dnnl_f64) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    if (!integer_range(type, &range)) return decode_float(v, &formats[type], bits);
    bool negative = range.least < 0 && (v >> (bits - 1) & 1);
    return negative ? (double)v - ldexp(1, bits) : (double)v;
}

/* Arrays. */

struct array array_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type) {
    struct array array = {.ndims = ndims, .type = type, .count = 1};
    for (int d = 0; d < ndims; d++) {
        array.dims[d] = dims[d];
        array.count *= dims[d];
    }
    array.values = calloc((size_t)array.count + 1, sizeof *array.values);
    return array;
}

void array_free(struct array *array) {
    free(array->values);
    array->values = NULL;
}

uint64_t array_hash(const struct array *array, uint64_t hash) {
    hash ^= 1469598103934665603u;
    for (int64_t i = 0; i < array->count; i++) {
        float value = (float)array->values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
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

/* Engines, descriptors, memories. */

dnnl_engine_t test_engine(void) {
    static dnnl_engine_t engine;
    if (!engine) MUST(dnnl_engine_create(&engine, dnnl_cpu, 0));
    return engine;
}

dnnl_stream_t test_stream(void) {
    static dnnl_stream_t stream;
    if (!stream) MUST(dnnl_stream_create(&stream, test_engine(), dnnl_stream_default_flags));
    return stream;
}

bool test_peer(void) {
    return getenv("LODE_TEST_PEER") != NULL;
}

bool test_peer_is_narrow(void) {
    unsigned vnni = dnnl_cpu_isa_avx512_core_vnni;
    if (!test_peer() || (dnnl_get_effective_cpu_isa() & vnni) == vnni) return false;
    printf("SKIP: the peer is exact, and has it all, on CPUs with VNNI only\n");
    return true;
}

dnnl_memory_desc_t md_new(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, const char *tag) {
    dnnl_memory_desc_t md = NULL;
    if (tag)
        MUST(dnnl_memory_desc_create_with_string_tag(&md, ndims, dims, type, tag));
    else
        MUST(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, dnnl_format_tag_any));
    return md;
}

dnnl_memory_desc_t md_of(const struct array *array, const char *tag) {
    return md_new(array->ndims, array->dims, array->type, tag);
}

/* A blocked descriptor, taken apart. */
struct layout {
    int ndims, nblocks;
    dnnl_dim_t offset;
    dnnl_data_type_t type;
    const dnnl_dims_t *dims, *padded, *strides, *blocks, *block_dims;
};

static struct layout layout_of(const_dnnl_memory_desc_t md) {
    struct layout l = {0};
    MUST(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &l.ndims));
    MUST(dnnl_memory_desc_query(md, dnnl_query_data_type, &l.type));
    MUST(dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &l.offset));
    MUST(dnnl_memory_desc_query(md, dnnl_query_dims, &l.dims));
    MUST(dnnl_memory_desc_query(md, dnnl_query_padded_dims, &l.padded));
    MUST(dnnl_memory_desc_query(md, dnnl_query_strides, &l.strides));
    MUST(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &l.nblocks));
    if (l.nblocks == 0) return l;
    MUST(dnnl_memory_desc_query(md, dnnl_query_inner_blks, &l.blocks));
    MUST(dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &l.block_dims));
    return l;
}

static int64_t offset_of(const struct layout *l, const dnnl_dim_t *position) {
    dnnl_dims_t outer;
    int64_t offset = l->offset, stride = 1;
    memcpy(outer, position, sizeof *outer * (size_t)l->ndims);
    for (int b = l->nblocks - 1; b >= 0; b--) {
        dnnl_dim_t d = (*l->block_dims)[b], size = (*l->blocks)[b];
        offset += outer[d] % size * stride;
        outer[d] /= size;
        stride *= size;
    }
    for (int d = 0; d < l->ndims; d++)
        offset += outer[d] * (*l->strides)[d];
    return offset;
}

dnnl_memory_t memory_new(const_dnnl_memory_desc_t md, const struct array *array) {
    dnnl_memory_t memory;
    MUST(dnnl_memory_create(&memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    size_t size = dnnl_memory_desc_get_size(md);
    if (size == 0) return memory;
    void *bytes;
    MUST(dnnl_memory_map_data(memory, &bytes));
    memset(bytes, array ? 0 : 0x55, size);
    if (array && array->count > 0) {
        struct layout l = layout_of(md);
        dnnl_dims_t position = {0};
        do
            store(bytes, l.type, offset_of(&l, position), array_at(array, position));
        while (next_position(l.ndims, *l.dims, position));
    }
    MUST(dnnl_memory_unmap_data(memory, bytes));
    return memory;
}

static bool inside(const struct layout *l, const dnnl_dim_t *position) {
    for (int d = 0; d < l->ndims; d++)
        if (position[d] >= (*l->dims)[d]) return false;
    return true;
}

bool memory_read(dnnl_memory_t memory, struct array *array) {
    const_dnnl_memory_desc_t md;
    MUST(dnnl_memory_get_memory_desc(memory, &md));
    if (dnnl_memory_desc_get_size(md) == 0) return true;
    struct layout l = layout_of(md);
    dnnl_dims_t position = {0};
    bool padding_is_zero = true;
    void *bytes;
    MUST(dnnl_memory_map_data(memory, &bytes));
    do {
        double x = load(bytes, l.type, offset_of(&l, position));
        if (inside(&l, position))
            array->values[array_index(array, position)] = x;
        else
            padding_is_zero = padding_is_zero && x == 0;
    } while (next_position(l.ndims, *l.padded, position));
    MUST(dnnl_memory_unmap_data(memory, bytes));
    return padding_is_zero;
}

/* Attributes. */

static struct array masked_array(const struct array *like, int mask, dnnl_data_type_t type) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++)
        dims[d] = mask >> d & 1 ? like->dims[d] : 1;
    return array_new(like->ndims, dims, type);
}

static void add_op(struct attr_run *run, dnnl_post_ops_t ops, const struct op_case *op,
                   const struct array *dst) {
    struct array *operand = &run->operands[run->nops];
    dnnl_data_type_t type = op->type ? op->type : dnnl_f32;
    dnnl_memory_desc_t md = NULL;
    switch (op->kind) {
    case dnnl_eltwise: MUST(dnnl_post_ops_append_eltwise(ops, op->alg, op->alpha, op->beta)); break;
    case dnnl_sum: MUST(dnnl_post_ops_append_sum(ops, op->alpha, op->zero_point, op->type)); break;
    case dnnl_prelu:
        MUST(dnnl_post_ops_append_prelu(ops, op->mask));
        *operand = masked_array(dst, op->mask, dnnl_f32);
        break;
    default:
        *operand = masked_array(dst, op->mask, type);
        md = md_of(operand, run->nops % 2
                                    ? NULL
                                    : (const char *[]){"a", "ab", "abc", "acdb", "abcde"}[dst->ndims - 1]);
        MUST(dnnl_post_ops_append_binary(ops, op->alg, md));
        dnnl_memory_desc_destroy(md);
    }
    if (operand->values) array_fill(operand, 2, 77u + (unsigned)run->nops);
    run->nops++;
}

/* Scales or zero points of one argument. */
static void add_quant(struct attr_run *run, bool scale, int arg, int mask) {
    bool scalar = run->c->host_scalars && mask == 0;
    if (scale && !scalar) MUST(dnnl_primitive_attr_set_scales_mask(run->attr, arg, mask));
    if (scale && scalar)
        MUST(dnnl_primitive_attr_set_scales_v3(run->attr, arg, 0, 0, NULL, dnnl_f32, 1,
                                               dnnl_quantization_mode_static_sazp));
    if (!scale && !scalar) MUST(dnnl_primitive_attr_set_zero_points_mask(run->attr, arg, mask));
    if (!scale && scalar)
        MUST(dnnl_primitive_attr_set_zero_points_v2(run->attr, arg, 0, 0, NULL, dnnl_s32, 1));
}

static void fill_scales(struct array *scales, float first) {
    for (int64_t i = 0; i < scales->count; i++)
        scales->values[i] = ldexp((double)first, (int)(i % 3));
}

void attr_run_init(struct attr_run *run, const struct attr_case *c, const struct array *src,
                   const struct array *weights, const struct array *dst) {
    *run = (struct attr_run){.c = c};
    MUST(dnnl_primitive_attr_create(&run->attr));
    if (c->src_scale != 0) {
        add_quant(run, true, DNNL_ARG_SRC, c->src_mask);
        run->src_scales = masked_array(src, c->src_mask, dnnl_f32);
        fill_scales(&run->src_scales, c->src_scale);
    }
    if (c->weights_scale != 0) {
        add_quant(run, true, DNNL_ARG_WEIGHTS, c->weights_mask);
        run->weights_scales = masked_array(weights, c->weights_mask, dnnl_f32);
        fill_scales(&run->weights_scales, c->weights_scale);
    }
    if (c->dst_scale != 0) {
        add_quant(run, true, DNNL_ARG_DST, c->dst_mask);
        run->dst_scales = masked_array(dst, c->dst_mask, dnnl_f32);
        fill_scales(&run->dst_scales, c->dst_scale);
    }
    if (c->src_zero_point || c->src_zero_mask) {
        add_quant(run, false, DNNL_ARG_SRC, c->src_zero_mask);
        run->src_zeros = masked_array(src, c->src_zero_mask, dnnl_s32);
        for (int64_t i = 0; i < run->src_zeros.count; i++)
            run->src_zeros.values[i] = (double)(c->src_zero_point + i % 3);
    }
    if (c->weights_zero_point) add_quant(run, false, DNNL_ARG_WEIGHTS, 0);
    if (c->dst_zero_point || c->dst_zero_mask) {
        add_quant(run, false, DNNL_ARG_DST, c->dst_zero_mask);
        run->dst_zeros = masked_array(dst, c->dst_zero_mask, dnnl_s32);
        for (int64_t i = 0; i < run->dst_zeros.count; i++)
            run->dst_zeros.values[i] = (double)(c->dst_zero_point + i % 3);
    }
    dnnl_post_ops_t ops;
    MUST(dnnl_post_ops_create(&ops));
    while (run->nops < MAX_OPS && c->ops[run->nops].kind != dnnl_undefined_primitive)
        add_op(run, ops, &c->ops[run->nops], dst);
    MUST(dnnl_primitive_attr_set_post_ops(run->attr, ops));
    dnnl_post_ops_destroy(ops);
    run->previous = array_new(dst->ndims, dst->dims, dst->type);
    array_fill(&run->previous, 3, 5);
}

void attr_run_free(struct attr_run *run) {
    for (int i = 0; i < MAX_OPS; i++)
        array_free(&run->operands[i]);
    array_free(&run->src_scales);
    array_free(&run->weights_scales);
    array_free(&run->dst_scales);
    array_free(&run->src_zeros);
    array_free(&run->dst_zeros);
    array_free(&run->previous);
    dnnl_primitive_attr_destroy(run->attr);
}

static double eltwise(const struct op_case *op, double x) {
    switch (op->alg) {
    case dnnl_eltwise_relu: return x > 0 ? x : (double)op->alpha * x;
    case dnnl_eltwise_linear: return (double)op->alpha * x + (double)op->beta;
    case dnnl_eltwise_abs: return fabs(x);
    case dnnl_eltwise_clip: return fmin(fmax(x, (double)op->alpha), (double)op->beta);
    default: abort();
    }
}

static double binary(dnnl_alg_kind_t alg, double x, double y) {
    switch (alg) {
    case dnnl_binary_add: return x + y;
    case dnnl_binary_mul: return x * y;
    case dnnl_binary_sub: return x - y;
    case dnnl_binary_max: return fmax(x, y);
    case dnnl_binary_min: return fmin(x, y);
    default: abort();
    }
}

static double apply_op(const struct attr_run *run, int i, double x, const dnnl_dim_t *position) {
    const struct op_case *op = &run->c->ops[i];
    double y = run->operands[i].values ? array_at(&run->operands[i], position) : 0;
    switch (op->kind) {
    case dnnl_eltwise: return eltwise(op, x);
    case dnnl_sum: return x + (double)op->alpha * (array_at(&run->previous, position) - op->zero_point);
    case dnnl_prelu: return x > 0 ? x : x * y;
    default: return binary(op->alg, x, y);
    }
}

double attr_run_apply(const struct attr_run *run, double sum, double bias, int64_t channel,
                      const dnnl_dim_t *position) {
    const struct attr_case *c = run->c;
    double x = sum;
    if (c->src_scale != 0) x *= array_at(&run->src_scales, position);
    if (c->weights_scale != 0) x *= run->weights_scales.values[c->weights_mask ? channel : 0];
    x += bias;
    for (int i = 0; i < run->nops; i++)
        x = apply_op(run, i, x, position);
    if (c->dst_scale != 0) x /= array_at(&run->dst_scales, position);
    if (run->dst_zeros.values) x += array_at(&run->dst_zeros, position);
    return x;
}

double attr_run_src_zero(const struct attr_run *run, const dnnl_dim_t *src_position) {
    return run->src_zeros.values ? array_at(&run->src_zeros, src_position) : 0;
}

/* Execution. */

void exec_add(struct exec *exec, int arg, dnnl_memory_t memory) {
    exec->args[exec->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

void exec_add_array(struct exec *exec, int arg, const struct array *array, const char *tag) {
    dnnl_memory_desc_t md = md_of(array, tag);
    exec_add(exec, arg, memory_new(md, array));
    dnnl_memory_desc_destroy(md);
}

static void add_vector(struct exec *exec, int arg, const struct array *array) {
    struct array flat = *array;
    flat.ndims = 1;
    flat.dims[0] = array->count;
    exec_add_array(exec, arg, &flat, "a");
}

static void add_scalar(struct exec *exec, int arg, dnnl_data_type_t type, double value) {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    float f = (float)value;
    int32_t i = (int32_t)value;
    MUST(dnnl_memory_desc_create_host_scalar(&md, type));
    MUST(dnnl_memory_create_host_scalar(&memory, md, type == dnnl_f32 ? (void *)&f : (void *)&i));
    exec_add(exec, arg, memory);
    dnnl_memory_desc_destroy(md);
}

static void add_parameter(struct exec *exec, const struct attr_run *run, int arg, int mask,
                          const struct array *array) {
    if (run->c->host_scalars && mask == 0)
        add_scalar(exec, arg, array->type, array->values[0]);
    else
        add_vector(exec, arg, array);
}

static void add_operand(struct exec *exec, const_dnnl_primitive_desc_t pd, int arg,
                        const struct array *operand) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    if (!md)
        failure("post-op argument %d has no descriptor", arg);
    else
        exec_add(exec, arg, memory_new(md, operand));
}

void exec_add_attr(struct exec *exec, const struct attr_run *run, const_dnnl_primitive_desc_t pd) {
    const struct attr_case *c = run->c;
    double weights_zero = c->weights_zero_point;
    struct array zero = {.ndims = 1, .dims = {1}, .type = dnnl_s32, .count = 1, .values = &weights_zero};
    if (c->src_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, c->src_mask, &run->src_scales);
    if (c->weights_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, c->weights_mask,
                      &run->weights_scales);
    if (c->dst_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, c->dst_mask, &run->dst_scales);
    if (run->src_zeros.values)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, c->src_zero_mask, &run->src_zeros);
    if (c->weights_zero_point)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, 0, &zero);
    if (run->dst_zeros.values)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, c->dst_zero_mask, &run->dst_zeros);
    for (int i = 0; i < run->nops; i++) {
        int post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i);
        if (c->ops[i].kind == dnnl_binary) add_operand(exec, pd, post_op | DNNL_ARG_SRC_1, &run->operands[i]);
        if (c->ops[i].kind == dnnl_prelu) {
            /* Slopes have no descriptor of their own: dense, channels last. */
            static const char *const tags[] = {"a", "ab", "acb", "acdb", "acdeb"};
            dnnl_memory_desc_t md = md_of(&run->operands[i], tags[run->operands[i].ndims - 1]);
            exec_add(exec, post_op | DNNL_ARG_WEIGHTS, memory_new(md, &run->operands[i]));
            dnnl_memory_desc_destroy(md);
        }
    }
}

dnnl_memory_t exec_find(const struct exec *exec, int arg) {
    for (int i = 0; i < exec->nargs; i++)
        if (exec->args[i].arg == arg) return exec->args[i].memory;
    return NULL;
}

dnnl_status_t exec_run(struct exec *exec, const_dnnl_primitive_desc_t pd) {
    dnnl_primitive_t primitive;
    dnnl_status_t status = dnnl_primitive_create(&primitive, pd);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_execute(primitive, test_stream(), exec->nargs, exec->args);
    if (status == dnnl_success) status = dnnl_stream_wait(test_stream());
    dnnl_primitive_destroy(primitive);
    return status;
}

void exec_free(struct exec *exec) {
    for (int i = 0; i < exec->nargs; i++)
        dnnl_memory_destroy(exec->args[i].memory);
    exec->nargs = 0;
}

dnnl_memory_t memory_reordered(const_dnnl_memory_desc_t md, const struct array *array) {
    static const char *const plain[] = {"a", "ab", "abc", "abcd", "abcde", "abcdef"};
    dnnl_memory_desc_t plain_md = md_of(array, plain[array->ndims - 1]);
    struct exec exec = {0};
    dnnl_memory_t result;
    dnnl_primitive_desc_t pd;
    MUST(dnnl_memory_create(&result, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    MUST(dnnl_reorder_primitive_desc_create(&pd, plain_md, test_engine(), md, test_engine(), NULL));
    exec_add(&exec, DNNL_ARG_SRC, memory_new(plain_md, array));
    exec_add(&exec, DNNL_ARG_DST, result);
    MUST(exec_run(&exec, pd));
    exec.nargs = 1; /* the result lives on */
    exec_free(&exec);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(plain_md);
    return result;
}

int implementations_run;
uint64_t results_hash;

static void compare(const char *what, const struct array *expected, const struct array *tolerance,
                    const struct array *actual) {
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < expected->count; i++) {
        double e = tolerance ? expected->values[i] : round_to_type(expected->values[i], expected->type);
        double a = actual->values[i], margin = tolerance ? tolerance->values[i] : 0;
        if (e == a || fabs(e - a) <= margin || (isnan(e) && isnan(a))) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong)
        failure("%s: %lld of %lld wrong, element %lld is %.17g instead of %.17g", what, (long long)wrong,
                (long long)expected->count, (long long)first, actual->values[first], expected->values[first]);
}

void check_equal(const char *what, const struct array *expected, const struct array *actual) {
    compare(what, expected, NULL, actual);
}

static bool keeps_dst(const struct attr_run *run) {
    for (int i = 0; i < run->nops; i++)
        if (run->c->ops[i].kind == dnnl_sum) return true;
    return false;
}

static void add_input(struct exec *exec, const_dnnl_primitive_desc_t pd, int arg, const struct array *array) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    exec_add(exec, arg, memory_new(md, array));
}

void run_unary(const_dnnl_primitive_desc_t pd, const struct attr_run *run, const struct array *src,
               bool in_place, struct array *dst, const char *what) {
    struct exec exec = {0};
    dnnl_memory_t from = memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), src);
    dnnl_memory_t to =
            in_place ? from : memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), NULL);
    if (run) exec_add_attr(&exec, run, pd);
    exec_add(&exec, DNNL_ARG_DST, to);
    exec_add(&exec, DNNL_ARG_SRC, from);
    dnnl_status_t status = exec_run(&exec, pd);
    if (status != dnnl_success)
        failure("%s: execution gives %d", what, (int)status);
    else if (!memory_read(to, dst))
        failure("%s: padding is not zero", what);
    if (in_place) exec.nargs--; /* the same memory twice */
    exec_free(&exec);
}

static void run_one(const_dnnl_primitive_desc_t pd, const struct attr_run *run, const struct input *inputs,
                    int ninputs, struct array *result, const char *what) {
    struct exec exec = {0};
    for (int i = 0; i < ninputs; i++)
        if (inputs[i].array->values) add_input(&exec, pd, inputs[i].arg, inputs[i].array);
    add_input(&exec, pd, DNNL_ARG_DST, keeps_dst(run) ? &run->previous : NULL);
    exec_add_attr(&exec, run, pd);
    dnnl_status_t status = exec_run(&exec, pd);
    if (status != dnnl_success)
        failure("%s: execution gives %d", what, (int)status);
    else if (!memory_read(exec_find(&exec, DNNL_ARG_DST), result))
        failure("%s: padding is not zero", what);
    exec_free(&exec);
}

void run_implementations(dnnl_primitive_desc_t pd, const struct attr_run *run, const struct input *inputs,
                         int ninputs, const struct array *expected, const struct array *tolerance,
                         const char *what) {
    struct array first = {0};
    do {
        char text[256];
        const char *info = "";
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
        snprintf(text, sizeof text, "%s, %s", what, info);
        struct array result = array_new(expected->ndims, expected->dims, expected->type);
        run_one(pd, run, inputs, ninputs, &result, text);
        compare(text, expected, tolerance, &result);
        results_hash = array_hash(&result, results_hash);
        if (!first.values) {
            first = result;
        } else {
            if (memcmp(first.values, result.values, sizeof(double) * (size_t)result.count))
                failure("%s: not the bits of the first implementation", text);
            array_free(&result);
        }
        implementations_run++;
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    array_free(&first);
    dnnl_primitive_desc_destroy(pd);
}
