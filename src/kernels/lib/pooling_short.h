/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward, of windows whose taps and stride along the row are constants: each output is loaded once
 * for all elements of the row that it reads. Their sums stay in registers until the last reader was added.
 * Every element has a reader (taps >= stride). Included by pooling_gather.h.
 */
enum { SHORT_TAPS = 3 };

/* What a loop is compiled for: vectors of channels, algorithm, type of both images, window. */
struct short_form {
    int n;
    bool max;
    int type, taps, stride;
};

/* Adds the maxima of one output of one row. */
INLINE void short_maxima(constant struct pooling_backward_images_params *p, const struct short_form f,
                         global const uchar *named, i64 tap, const float16 *d,
                         float16 (*sum)[GATHER_VECTORS]) {
#pragma unroll
    for (int i = 0; i < f.n; i++) {
        const uchar16 most = vload16(0, named + i * p->workspace.pitch);
#pragma unroll
        for (int t = 0; t < f.taps; t++) {
            const int16 here = convert_int16(most == (uchar16)((uchar)(tap + t)));
            sum[t][i] = here ? sum[t][i] + d[i] : sum[t][i];
        }
    }
}

/* Adds output o of all rows that read this one. inside: its window is in the image along the row. */
INLINE void short_output(constant struct pooling_backward_images_params *p, const struct gather *g,
                         const struct short_form f, i64 o, bool inside, float16 (*sum)[GATHER_VECTORS]) {
    const i64 from = g->from + o * p->diff_dst.stride[2], named = g->named + o * p->workspace.stride[2];
    float16 d[GATHER_VECTORS], average[GATHER_VECTORS];
#pragma unroll
    for (int i = 0; i < f.n; i++)
        average[i] = (float16)(0.0f);
#pragma nounroll
    for (int s = 0; s < g->sources; s++) {
        const struct gather_source *source = &g->source[s];
        pool_load(d, g->diff_dst, f.type, from + source->from, p->diff_dst.pitch, f.n, 16, p->diff_dst.end);
        if (f.max) {
            short_maxima(p, f, g->workspace + named + source->named, source->tap, d, sum);
            continue;
        }
        float weight = source->weight;
        if (!inside) weight = f32_div(1.0f, source->inside * (float)taps_inside(&p->window, 2, o));
#pragma unroll
        for (int i = 0; i < f.n; i++)
            average[i] = fma(d[i], (float16)(weight), average[i]);
    }
    if (f.max) return;
#pragma unroll
    for (int t = 0; t < f.taps; t++)
#pragma unroll
        for (int i = 0; i < f.n; i++)
            sum[t][i] += average[i];
}

/* Stores element i of the row, if it is of this part. */
INLINE void short_store(constant struct pooling_backward_images_params *p, const struct gather *g,
                        const struct short_form f, i64 i, const float16 *sum) {
    if (i < g->first || i >= g->last) return;
    const i64 to = g->to + i * p->diff_src.stride[2];
#pragma unroll
    for (int v = 0; v < f.n; v++)
        store_vector(g->diff_src, f.type, to + v * p->diff_src.pitch, sum[v]);
}

INLINE void short_row(constant struct pooling_backward_images_params *p, const struct gather *g,
                      const struct short_form f) {
    constant struct window *w = &p->window;
    const bool same = p->alg != POOLING_AVG_EXCLUDE_PADDING;
    float16 sum[SHORT_TAPS][GATHER_VECTORS];
#pragma unroll
    for (int t = 0; t < f.taps; t++)
#pragma unroll
        for (int i = 0; i < f.n; i++)
            sum[t][i] = (float16)(0.0f);
    i64 o = g->r.first, at = o * f.stride - w->padding[2];
#pragma nounroll
    for (; at < g->last; o++, at += f.stride) {
        if (o < p->places[2]) short_output(p, g, f, o, same || (at >= 0 && at + f.taps <= w->size[2]), sum);
#pragma unroll
        for (int t = 0; t < f.stride; t++)
            short_store(p, g, f, at + t, sum[t]);
#pragma unroll
        for (int t = 0; t < f.taps; t++)
#pragma unroll
            for (int i = 0; i < f.n; i++)
                sum[t][i] = t + f.stride < f.taps ? sum[t + f.stride][i] : (float16)(0.0f);
    }
}

/* The windows: taps, stride. */
#define SHORT_WINDOWS(X, ...) X(3, 2, __VA_ARGS__) X(2, 2, __VA_ARGS__) X(3, 1, __VA_ARGS__)

/* Separate functions, so that each has all registers to itself. */
#define SHORT_OF(taps_, stride_, type_, n_)                                                                  \
    OUTLINE void short_##taps_##stride_##_##type_##_##n_(constant struct pooling_backward_images_params *p,  \
                                                         const struct gather *g) {                           \
        if (p->alg == POOLING_MAX)                                                                           \
            short_row(p, g, (struct short_form){n_, true, type_, taps_, stride_});                           \
        else                                                                                                 \
            short_row(p, g, (struct short_form){n_, false, type_, taps_, stride_});                          \
    }
SHORT_WINDOWS(SHORT_OF, TYPE_F32, 1)
SHORT_WINDOWS(SHORT_OF, TYPE_F32, 4)
#ifdef NATIVE_AVX512
SHORT_WINDOWS(SHORT_OF, TYPE_BF16, 4)
#endif

/* Returns the number of vectors, of which `left` channels remain; 0: no loop is for this. */
INLINE int short_some(constant struct pooling_backward_images_params *p, const struct gather *g, i64 left) {
    const int type = p->diff_src_type == p->diff_dst_type ? p->diff_src_type : 0;
#define SHORT_CALL(taps_, stride_, type_, n_)                                                                \
    if (type == type_ && left >= n_ * 16 && p->window.taps[2] == taps_ && p->window.stride[2] == stride_) {  \
        short_##taps_##stride_##_##type_##_##n_(p, g);                                                       \
        return n_;                                                                                           \
    }
    SHORT_WINDOWS(SHORT_CALL, TYPE_F32, 4)
    SHORT_WINDOWS(SHORT_CALL, TYPE_F32, 1)
#ifdef NATIVE_AVX512
    SHORT_WINDOWS(SHORT_CALL, TYPE_BF16, 4)
#endif
#undef SHORT_CALL
    return 0;
}
