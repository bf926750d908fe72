/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of gemm.cl for one register file: HEIGHT columns by two vectors VEC of LANES floats. Included once
 * a shape; NAME gives the names.
 */

/* out[r][v] = column r of src times vector v of the weights, summed over the whole reduction. `m` is a
 * constant where this is called, so that the loops over it unroll and acc stays in registers. */
INLINE void NAME(gemm_tile)(constant struct gemm_params *p, const struct gemm_tile *t, const int m,
                            VEC *out) {
    const i64 column = p->src_column, step = p->weights_depth, depth = p->depth;
    global const float *w = t->weights;
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = (VEC)(0.0f);
    const i64 taps = p->window[0] * p->window[1] * p->window[2];
    i64 d = 0, h = 0, s = 0;
    for (i64 tap = 0; tap < taps; tap++) {
        global const float *a = t->src + d * p->src_window[0] + h * p->src_window[1] + s * p->src_window[2];
#pragma nounroll
        for (i64 i = 0; i < depth; i++, w += step) {
            VEC w0 = VLOAD(0, w), w1 = VLOAD(1, w);
#pragma unroll
            for (int r = 0; r < m; r++) {
                VEC x = (VEC)(a[r * column + i]);
                acc[2 * r] = fma(x, w0, acc[2 * r]);
                acc[2 * r + 1] = fma(x, w1, acc[2 * r + 1]);
                KEEP(acc[2 * r], acc[2 * r + 1]);
            }
        }
        if (++s < p->window[2]) continue;
        s = 0;
        if (++h < p->window[1]) continue;
        h = 0;
        d++;
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        out[r] = acc[r];
}

/* The end of one vector: bias, relu, or the whole epilogue, then the store of the lanes that exist. */
INLINE void NAME(gemm_store)(constant struct gemm_params *p, const struct gemm_tile *t, EPILOGUE_ARGS, VEC x,
                             i64 r, int v) {
    i64 channel = t->channel + v * LANES;
    int count = (int)(p->channels - channel < LANES ? p->channels - channel : LANES);
    global float *dst = t->dst + r * p->dst_column + v * LANES;
    if (count == LANES) {
        if (p->has_bias) x += VLOAD(v, t->bias);
        if (p->plain) x = x > 0 ? x : x * p->relu_slope;
        VSTORE(x, 0, dst);
        return;
    }
    float lanes[LANES];
    VSTORE(x, 0, lanes);
#pragma nounroll
    for (int i = 0; i < count; i++) {
        float y = lanes[i];
        if (p->has_bias) y += t->bias[v * LANES + i];
        if (p->plain) y = y > 0 ? y : y * p->relu_slope;
        dst[i] = y;
    }
}

kernel void NAME(f32_gemm)(ITEM global const float *src, global const float *weights,
                           global const float *bias, global float *dst, EPILOGUE_ARGS,
                           constant struct gemm_params *p) {
    struct gemm_tile t = gemm_locate(p, src, weights, bias, dst, get_global_id(0), get_global_id(1),
                                     get_global_id(2), 2 * LANES);
    int left = (int)(p->columns - t.column < p->tile ? p->columns - t.column : p->tile);
    VEC out[2 * HEIGHT];
    switch (left) {
    case 1: NAME(gemm_tile)(p, &t, 1, out); break;
    case 2: NAME(gemm_tile)(p, &t, 2, out); break;
    case 3: NAME(gemm_tile)(p, &t, 3, out); break;
    case 4: NAME(gemm_tile)(p, &t, 4, out); break;
    case 5: NAME(gemm_tile)(p, &t, 5, out); break;
    case 6: NAME(gemm_tile)(p, &t, 6, out); break;
#if HEIGHT > 6
    case 7: NAME(gemm_tile)(p, &t, 7, out); break;
    case 8: NAME(gemm_tile)(p, &t, 8, out); break;
    case 9: NAME(gemm_tile)(p, &t, 9, out); break;
    case 10: NAME(gemm_tile)(p, &t, 10, out); break;
    case 11: NAME(gemm_tile)(p, &t, 11, out); break;
    case 12: NAME(gemm_tile)(p, &t, 12, out); break;
    case 13: NAME(gemm_tile)(p, &t, 13, out); break;
    case 14: NAME(gemm_tile)(p, &t, 14, out); break;
#endif
    }
#pragma nounroll
    for (int r = 0; r < left; r++)
#pragma nounroll
        for (int v = 0; v < 2 && t.channel + v * LANES < p->channels; v++)
            NAME(gemm_store)(p, &t, EPILOGUE_PASS, out[2 * r + v], r, v);
}

#undef VEC
#undef LANES
#undef VLOAD
#undef VSTORE
#undef NAME
#undef HEIGHT
#undef KEEP
