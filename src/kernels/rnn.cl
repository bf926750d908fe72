/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells of recurrent networks, forward and backward: everything of a step but its matrix products. On
 * CPUs a work-item computes RNN_CHUNK channels of a row, sixteen at a time; on GPUs one element. Operands
 * that are written may be those that are read: every element is read before it is written, by the same
 * work-item.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/math.h"
#include "kernels/params_rnn.h"

enum { RNN_NO_TYPE = 0 }; /* of an operand that is absent */
/* Products of the inputs of all steps do not stay in the L2 cache: they are fetched so many channels ahead.
 */
enum { RNN_AHEAD = 64 };

/* Where a work-item is. */
struct rnn_at {
    constant struct rnn_params *p;
    global uchar *rows[RNN_OPERANDS]; /* first gate and channel */
    int types[RNN_OPERANDS];
    i64 channel;
    int count; /* channels that exist */
};

INLINE void rnn_locate(struct rnn_at *at, constant struct rnn_params *p, global uchar *scratchpad,
                       global uchar *workspace, u32 step, i64 row) {
    at->p = p;
#pragma nounroll
    for (int i = 0; i < RNN_OPERANDS; i++) {
        constant struct rnn_operand *o = &p->operands[i];
        const i64 size = o->type == TYPE_F32 || o->type == TYPE_S32 ? 4 : 1; /* there are no others */
        const i64 first = (o->offset + step * o->step + row * o->row) * size;
        at->types[i] = o->area == RNN_ABSENT ? RNN_NO_TYPE : o->type;
        at->rows[i] = o->area == RNN_ABSENT ? scratchpad
                                            : first + (o->area == RNN_WORKSPACE ? workspace : scratchpad);
    }
}

INLINE int rnn_has(const struct rnn_at *at, int operand) {
    return at->types[operand] != RNN_NO_TYPE;
}

/* From the beginning of the row, in elements. */
INLINE i64 rnn_offset(const struct rnn_at *at, int operand, int gate) {
    return gate * at->p->operands[operand].gate + at->channel;
}

/* Loads and stores are inlined where that costs no more than native code. */
#ifdef __OPENCL_C_VERSION__
#define ACCESS OUTLINE
#else
#define ACCESS INLINE
#endif

#define LANES 16
#include "kernels/lib/store_lanes.h"
#include "kernels/lib/rnn_memory.h"
#include "kernels/lib/rnn_cell.h"
#ifdef NATIVE_AVX2
#include "kernels/lib/rnn_lstm.h"
#endif
#include "kernels/lib/rnn_backward.h"
#undef LANES

#define LANES 1
#include "kernels/lib/lanes.h"
ACCESS OVERLOAD void rnn_load(VEC *to, const struct rnn_at *at, int operand, int gate) {
    *to = 0.0f;
    if (rnn_has(at, operand))
        *to = load_f32(at->rows[operand], at->types[operand], rnn_offset(at, operand, gate));
}
ACCESS OVERLOAD void rnn_store(const struct rnn_at *at, int operand, int gate, VEC x) {
    if (rnn_has(at, operand))
        store_f32(at->rows[operand], at->types[operand], rnn_offset(at, operand, gate), x);
}
#include "kernels/lib/rnn_cell.h"
#include "kernels/lib/rnn_backward.h"
#undef LANES

/* Range: chunks of all rows. */
#if WANTED(rnn_cell_16)
kernel void rnn_cell_16(ITEM global uchar *scratchpad, global uchar *workspace, const struct scalars scalars,
                        constant struct rnn_params *p) {
    const i64 chunks = (p->channels + RNN_CHUNK - 1) / RNN_CHUNK, index = (i64)get_global_id(0);
    struct rnn_at at;
    rnn_locate(&at, p, scratchpad, workspace, scalars.step, index / chunks);
    at.channel = index % chunks * RNN_CHUNK;
    const i64 end = at.channel + RNN_CHUNK < p->channels ? at.channel + RNN_CHUNK : p->channels;
#ifdef NATIVE_AVX2
    const int whole = (int)((end - at.channel) / 16 * 16);
    if (lstm_is_plain(&at)) {
        rnn_lstm_chunk(&at, whole);
        at.channel += whole;
    }
#endif
#pragma nounroll
    for (; at.channel < end; at.channel += 16) {
        at.count = (int)(end - at.channel < 16 ? end - at.channel : 16);
        if (p->op < RNN_VANILLA_BACK)
            rnn_cell(&at, (float16)(0.0f));
        else
            rnn_backward(&at, (float16)(0.0f));
    }
}
#endif

/* Range: elements. */
#if WANTED(rnn_cell_items)
kernel void rnn_cell_items(ITEM global uchar *scratchpad, global uchar *workspace,
                           const struct scalars scalars, constant struct rnn_params *p) {
    const i64 index = (i64)get_global_id(0), row = index / p->channels;
    struct rnn_at at;
    if (row >= p->rows) return;
    rnn_locate(&at, p, scratchpad, workspace, scalars.step, row);
    at.channel = index % p->channels;
    at.count = 1;
    if (p->op < RNN_VANILLA_BACK)
        rnn_cell(&at, 0.0f);
    else
        rnn_backward(&at, 0.0f);
}
#endif

/* Range: pieces of RNN_CONSTANTS_EACH. */
#if WANTED(rnn_constants)
kernel void rnn_constants(ITEM global float *scratchpad, constant struct rnn_constants_params *p) {
    const i64 first = (i64)get_global_id(0) * RNN_CONSTANTS_EACH, end = first + RNN_CONSTANTS_EACH;
#pragma nounroll
    for (i64 i = first; i < end && i < p->count; i++)
        scratchpad[p->offset + i] = p->values[i % p->period];
}
#endif
