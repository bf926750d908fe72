/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops of resample_rows, for numbers in the address space FROM and, for results, TO (nothing:
 * private): ADD and SPREAD are the names of the functions that are wanted. No include guard.
 */
#ifdef ADD
/* sum += the weighted rows of n elements; or = if `again` is 0. Callers pass small counts as constants. */
INLINE OVERLOAD void ADD(float *sum, FROM const float *from, const struct row_taps *taps, const int count,
                         int n, const int again) {
    const float start = count > 0 ? -0.0f : 0.0f; /* keeps the sign of zeros */
    int k = 0;
#pragma nounroll
    while (k + 16 <= n) {
        float16 x = (float16)(start);
        if (again) x = vload16(0, sum + k);
        for (int i = 0; i < count; i++)
            x = fma(vload16(0, from + taps->offset[i] + k), weight_vector(taps->weight[i]), x);
        vstore16(x, 0, sum + k);
        k += 16;
        /* The last vector starts early if it can: some sums are computed twice, with the same bits. */
        if (k < n && k + 16 > n && !again) k = n - 16;
    }
#pragma nounroll
    for (; k < n; k++) {
        float x = again ? sum[k] : start;
#pragma nounroll
        for (int i = 0; i < count; i++)
            x = fma(from[taps->offset[i] + k], taps->weight[i], x);
        sum[k] = x;
    }
}

INLINE OVERLOAD void ADD(float *sum, FROM const float *from, const struct row_taps *taps, int n, int again) {
    if (!again && taps->count == 1)
        ADD(sum, from, taps, 1, n, 0);
    else if (!again && taps->count == 2)
        ADD(sum, from, taps, 2, n, 0);
    else if (!again)
        ADD(sum, from, taps, taps->count, n, 0);
    else
        ADD(sum, from, taps, taps->count, n, 1);
}
#endif

#ifdef SPREAD
/* A pixel of `channels`, which are at least eight: the sum of `count` others, `step` apart, with weights
 * that are `pitch` apart. Callers pass small counts as constants. */
INLINE OVERLOAD void SPREAD(TO float *to, FROM const float *from, i64 step, global const float *weights,
                            i64 pitch, const int count, int channels) {
    const float start = count > 0 ? -0.0f : 0.0f;
    int c = 0;
#pragma nounroll
    for (; channels < 16 && c < channels; c += 8) {
        float8 x = (float8)(start);
        if (c + 8 > channels) c = channels - 8;
        for (int k = 0; k < count; k++)
            x = fma(vload8(0, from + k * step + c), weight_vector(weights[k * pitch]).lo, x);
        vstore8(x, 0, to + c);
    }
#pragma nounroll
    for (; c + 64 <= channels; c += 64) {
        float16 x[4];
#pragma unroll
        for (int v = 0; v < 4; v++)
            x[v] = (float16)(start);
        for (int k = 0; k < count; k++) {
            const float16 weight = weight_vector(weights[k * pitch]);
#pragma unroll
            for (int v = 0; v < 4; v++)
                x[v] = fma(vload16(v, from + k * step + c), weight, x[v]);
        }
#pragma unroll
        for (int v = 0; v < 4; v++)
            vstore16(x[v], v, to + c);
    }
#pragma nounroll
    while (c < channels) {
        float16 x = (float16)(start);
        if (c + 16 > channels) c = channels - 16;
        for (int k = 0; k < count; k++)
            x = fma(vload16(0, from + k * step + c), weight_vector(weights[k * pitch]), x);
        vstore16(x, 0, to + c);
        c += 16;
    }
}

/* The same for any count. */
INLINE OVERLOAD void SPREAD(TO float *to, FROM const float *from, i64 step, global const int *entry,
                            i64 pitch, const int channels) {
    global const float *weights = (global const float *)(entry + 2 * pitch);
    const int count = entry[pitch];
    if (count == 2)
        SPREAD(to, from, step, weights, pitch, 2, channels);
    else if (count == 1)
        SPREAD(to, from, step, weights, pitch, 1, channels);
    else
        SPREAD(to, from, step, weights, pitch, count, channels);
}

/* The pixels of a part of a row. */
INLINE OVERLOAD void SPREAD(TO float *to, i64 to_step, FROM const float *from, i64 step,
                            global const int *table, i64 pitch, const struct row_part *part, int channels) {
    global const int *entry = table + part->e;
#pragma nounroll
    for (int i = 0; i < part->n; i++, to += to_step, entry++) {
        FROM const float *first = from + (entry[0] - part->begin) * step;
        if (channels == 16)
            SPREAD(to, first, step, entry, pitch, 16);
        else if (channels == 8)
            SPREAD(to, first, step, entry, pitch, 8);
        else
            SPREAD(to, first, step, entry, pitch, channels);
    }
}

#endif

#undef ADD
#undef SPREAD
#undef FROM
#undef TO
