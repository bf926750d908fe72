/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of a cell's operands. An operand that is absent is 0, and is not stored. For rnn.cl. */

/* Channels beyond the last are 0. */
OUTLINE void rnn_load_some(float *values, global const uchar *from, int type, i64 offset, int count) {
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        values[i] = i < count ? load_f32(from, type, offset + i) : 0.0f;
}

ACCESS OVERLOAD void rnn_load(VEC *to, const struct rnn_at *at, int operand, int gate) {
    const int type = at->types[operand];
    global const uchar *from = at->rows[operand];
    const i64 offset = rnn_offset(at, operand, gate);
    if (type == TYPE_F32 && at->count == LANES) {
        *to = VLOAD(0, (global const float *)from + offset);
        return;
    }
    *to = V(0.0f);
    if (!rnn_has(at, operand)) return;
    if (type == TYPE_S32 && at->count == LANES) {
        *to = TO_VEC(VLOAD(0, (global const int *)from + offset));
        return;
    }
    float values[LANES];
    rnn_load_some(values, from, type, offset, at->count);
    *to = VLOAD(0, values);
}

OUTLINE void rnn_store_some(global uchar *to, int type, i64 offset, const float *values, int count) {
    store_lanes(to, type, offset, VLOAD(0, values), count);
}

ACCESS OVERLOAD void rnn_store(const struct rnn_at *at, int operand, int gate, VEC x) {
    const int type = at->types[operand];
    if (!rnn_has(at, operand)) return;
    global uchar *to = at->rows[operand];
    const i64 offset = rnn_offset(at, operand, gate);
    if (type == TYPE_F32 && at->count == LANES) {
        VSTORE(x, 0, (global float *)to + offset);
        return;
    }
    float values[LANES];
    VSTORE(x, 0, values);
    rnn_store_some(to, type, offset, values, at->count);
}
