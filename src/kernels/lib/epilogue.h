/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of every kernel: scales, post-ops, zero point; one result at a time for universal kernels, a vector
 * at a time for fast ones. A kernel that has an epilogue
 *
 *   kernel void example(ITEM …own buffers…, global uchar *dst, EPILOGUE_ARGS, constant struct example *p) {
 *       struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
 *       …
 *       x = epilogue_scale(&e, x, position) + bias;
 *       store_f32(dst, p->epilogue.type, offset, epilogue_finish(&e, x, position));
 *
 * takes dst as the last of its own buffers; primitives/epilogue.c binds dst and the epilogue's buffers after
 * it. Positions are logical positions in dst.
 */
#ifndef LODE_KERNELS_LIB_EPILOGUE_H
#define LODE_KERNELS_LIB_EPILOGUE_H

#include "kernels/lib/convert.h"
#include "kernels/lib/eltwise.h"
#include "kernels/lib/random.h"
#include "kernels/lib/tensor.h"

/* The arguments that a kernel with an epilogue takes after its own buffers, and how it passes them on. */
#define EPILOGUE_ARGS                                                                                        \
    global const uchar *e0, global const uchar *e1, global const uchar *e2, global const uchar *e3,          \
            global const uchar *e4, global const uchar *e5, global const uchar *e6, global const uchar *e7,  \
            const struct scalars scalars
#define EPILOGUE_PASS e0, e1, e2, e3, e4, e5, e6, e7, scalars
#define EPILOGUE_STATE(epilogue_) {(epilogue_), {e0, e1, e2, e3, e4, e5, e6, e7}, scalars}

struct epilogue_state {
    constant struct epilogue *epilogue;
    global const uchar *buffers[EPILOGUE_BUFFERS];
    struct scalars scalars;
};

INLINE i64 quant_offset(constant struct quant_source *q, const i64 *position) {
    i64 offset = 0;
#pragma nounroll
    for (int d = 0; d < q->ndims; d++)
        if (q->stride[d] != 0)
            offset += (q->group[d] == 1 ? position[d] : position[d] / q->group[d]) * q->stride[d];
    return offset;
}

/* The quantisation parameter for the result at `position`; `none` if there is no such parameter. */
INLINE float quant_value(const struct epilogue_state *e, constant struct quant_source *q, const i64 *position,
                         float none) {
    if (q->from == QUANT_NONE) return none;
    if (q->from == QUANT_SCALAR) return as_float(e->scalars.values[q->index]);
    return load_f32(e->buffers[q->index], q->type, quant_offset(q, position));
}

/* The same as an integer. */
INLINE int quant_integer(const struct epilogue_state *e, constant struct quant_source *q,
                         const i64 *position) {
    if (q->from == QUANT_NONE) return 0;
    if (q->from == QUANT_SCALAR) return s32_from_f32(as_float(e->scalars.values[q->index]));
    return load_s32(e->buffers[q->index], q->type, quant_offset(q, position));
}

/* x times the scales of src and weights, for kernels that apply them after the sum. */
INLINE float epilogue_scale(const struct epilogue_state *e, float x, const i64 *position) {
    x *= quant_value(e, &e->epilogue->src_scale, position, 1.0f);
    return x * quant_value(e, &e->epilogue->weights_scale, position, 1.0f);
}

INLINE ulong scalar_64(const struct epilogue_state *e, int index) {
    return (ulong)e->scalars.values[index + 1] << 32 | e->scalars.values[index];
}

INLINE ulong dropout_seed(const struct epilogue_state *e) {
    constant struct dropout_source *d = &e->epilogue->dropout;
    if (d->scalar >= 0) return scalar_64(e, d->scalar + 1);
    if (d->seed_type == TYPE_S32) return (ulong)(i64)((global const int *)e->buffers[d->seed])[0];
    return ((global const ulong *)e->buffers[d->seed])[0];
}

INLINE ulong dropout_offset(const struct epilogue_state *e) {
    constant struct dropout_source *d = &e->epilogue->dropout;
    if (!d->has_offset) return 0;
    return d->scalar >= 0 ? scalar_64(e, d->scalar + 3) : ((global const ulong *)e->buffers[d->offset])[0];
}

/* The largest random number that drops a result: (2^32 - 1) * p, rounded down. */
INLINE uint dropout_limit(float p) {
    if (!(p > 0.0f)) return 0;
    if (p >= 1.0f) return 0xffffffffu;
    uint bits = as_uint(p), exponent = bits >> 23;
    if (exponent < 87) return 0; /* below 2^-40 */
    return (uint)((ulong)0xffffffffu * ((bits & 0x7fffffu) | 0x800000u) >> (150 - exponent));
}

/* Drops one result, or scales it up to make up for those that are dropped, and writes the mask. */
OUTLINE float epilogue_dropout(const struct epilogue_state *e, constant struct epilogue_op *op, float x,
                               const i64 *position) {
    constant struct dropout_source *d = &e->epilogue->dropout;
    float p = d->scalar >= 0 ? as_float(e->scalars.values[d->scalar])
                             : ((global const float *)e->buffers[d->probability])[0];
    ulong place = (ulong)tensor_offset(&op->src1, position), offset = dropout_offset(e);
    uint random = offset != 0 ? random_at(place, dropout_seed(e), offset)
                              : random_without_offset((uint)place, (uint)dropout_seed(e));
    int keep = p == p && random > dropout_limit(p);
    if (d->mask >= 0) ((global uchar *)e->buffers[d->mask])[tensor_offset(&op->src2, position)] = (uchar)keep;
    if (!keep) return 0.0f;
    return x * (p != 1.0f ? f32_div(1.0f, 1.0f - p) : 0.0f);
}

/* Stochastic rounding to a number that dst can hold. */
OUTLINE float round_stochastically(constant struct rounding *r, global const uchar *seed_buffer, float x,
                                   const i64 *position) {
    if (x != x) return x;
    uint place = (uint)tensor_offset(&r->dst, position), seed = ((global const uint *)seed_buffer)[0];
    int shift = r->bits == 8 ? 2 : 1, within = (int)(place & ((1u << shift) - 1));
    uint random = random_without_offset(place >> shift, seed) >> (within * r->bits) & ((1u << r->bits) - 1);
    uint cut = (1u << r->cut) - 1;
    float y = as_float((as_uint(x) + (random & cut)) & ~cut);
    y = y < r->lowest ? r->lowest : y > r->most ? r->most : y;
    return (y > 0.0f && y < r->least) || (y < 0.0f && y > -r->least) ? 0.0f : y;
}

INLINE float epilogue_round(const struct epilogue_state *e, float x, const i64 *position) {
    constant struct rounding *r = &e->epilogue->rounding;
    return round_stochastically(r, e->buffers[r->seed], x, position);
}

/* The values of an operand for a vector of results along dimension `lanes`; `count` of LANES exist. */
#define LANES 1
#include "kernels/lib/epilogue_lanes.h"
#undef LANES
#define LANES 8
#include "kernels/lib/epilogue_lanes.h"
#undef LANES
#define LANES 16
#include "kernels/lib/epilogue_lanes.h"
#undef LANES

/* The result at one position, ready to be stored. */
INLINE float epilogue_finish(const struct epilogue_state *e, float x, const i64 *position) {
    epilogue_apply(e, &x, position, 0, 1);
    return x;
}

#endif
