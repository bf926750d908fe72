/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of gpu_gemm.cl for one type of src and weights. Included once per type; NAME gives the names, and
 * ELEMENT, LOAD, LOAD_4, LOAD_BLOCK and STORE say how values become floats and results are stored.
 */

/* acc += `count` steps, four at a time. The lane's values of src follow each other at `a`; lanes that are not
 * `inside` have zeros. */
INLINE void NAME(gpu_steps_4)(global const ELEMENT *a, global const ELEMENT *w, int step, int count,
                              bool inside, float *acc) {
#pragma nounroll
    for (int i = 0; i < count; i += 4, a += 4, w += 4 * step) {
        float4 x = 0.0f;
        if (inside) x = LOAD_4(a);
        gpu_step(x.s0, LOAD_BLOCK(w), acc);
        gpu_step(x.s1, LOAD_BLOCK(w + step), acc);
        gpu_step(x.s2, LOAD_BLOCK(w + 2 * step), acc);
        gpu_step(x.s3, LOAD_BLOCK(w + 3 * step), acc);
    }
}

/* acc += the steps from `i` on, whatever the layouts. */
INLINE void NAME(gpu_steps)(constant struct gpu_gemm_params *p, const struct gpu_tile *t,
                            global const ELEMENT *a, global const ELEMENT *w, int i, bool inside,
                            float *acc) {
    const int lane = t->lane * p->weights_channel, next = GPU_GEMM_LANES * p->weights_channel;
#pragma nounroll
    for (; i < p->depth; i++) {
        global const ELEMENT *row = w + i * p->weights_depth;
        float x = 0.0f;
        float2 y = 0.0f;
        if (inside) x = LOAD(a + i * p->src_channel);
        if (t->lane < t->room) y.x = LOAD(row + lane);
        if (t->lane + GPU_GEMM_LANES < t->room) y.y = LOAD(row + lane + next);
        gpu_step(x, y, acc);
    }
}

/* acc += the whole reduction, tap by tap of the window. */
INLINE void NAME(gpu_tile)(constant struct gpu_gemm_params *p, const struct gpu_tile *t,
                           global const ELEMENT *src, global const ELEMENT *weights, float *acc) {
    constant struct gpu_gemm_window *window = p->window;
    const bool blocks = p->dense && p->blocks && (p->padded || t->room >= GPU_GEMM_PANEL);
    const int fours = blocks ? p->depth & ~3 : 0;
    const int place = t->row * p->src_row + t->column * p->src_column;
    for (int d = 0; d < window[0].taps; d++)
        for (int h = 0; h < window[1].taps; h++)
            for (int w = 0; w < window[2].taps; w++) {
                bool inside = !p->clipped
                              || (gpu_inside(&window[0], t->plane, d) && gpu_inside(&window[1], t->row, h)
                                  && gpu_inside(&window[2], t->column, w));
                global const ELEMENT *a = src + (d * window[0].src + h * window[1].src + w * window[2].src);
                global const ELEMENT *b =
                        weights + (d * window[0].weights + h * window[1].weights + w * window[2].weights);
                NAME(gpu_steps_4)(a + place, b, p->weights_depth, fours, inside, acc);
                NAME(gpu_steps)(p, t, a + place, b, fours, inside, acc);
            }
}

INLINE void NAME(gpu_store)(constant struct gpu_gemm_params *p, const struct gpu_tile *t,
                            global const uchar *bias, global ELEMENT *dst, const float *acc) {
    int n0 = t->lane, n1 = n0 + GPU_GEMM_LANES, rows = t->count - t->first;
    float bias0 = gpu_bias(p, t, bias, n0), bias1 = gpu_bias(p, t, bias, n1);
    int place = t->row * p->dst_row + t->column * p->dst_column;
#pragma unroll
    for (int r = 0; r < GPU_GEMM_HEIGHT; r++) {
        int row = sub_group_broadcast(place, r);
        float x = gpu_activation(p, acc[2 * r] + bias0);
        float y = gpu_activation(p, acc[2 * r + 1] + bias1);
        if (r < rows && n0 < t->room) STORE(x, t->dst + (row + n0 * p->dst_channel), dst);
        if (r < rows && n1 < t->room) STORE(y, t->dst + (row + n1 * p->dst_channel), dst);
    }
}

kernel void KERNEL_NAME(global const ELEMENT *src, global const ELEMENT *weights, global const uchar *bias,
                        global const float *src_scale, global const float *weights_scale, global uchar *dst,
                        constant struct gpu_gemm_params *p) {
    struct gpu_tile t = gpu_locate(p);
    if (t.first >= t.count) return;
    float acc[2 * GPU_GEMM_HEIGHT];
#pragma unroll
    for (int i = 0; i < 2 * GPU_GEMM_HEIGHT; i++)
        acc[i] = 0.0f;
    NAME(gpu_tile)(p, &t, src + t.src, weights + t.weights, acc);
    if (p->src_scaled || p->weights_scaled) gpu_scale(p, &t, src_scale, weights_scale, acc);
    NAME(gpu_store)(p, &t, bias, (global ELEMENT *)dst, acc);
}

#undef ELEMENT
#undef NAME
#undef KERNEL_NAME
#undef LOAD
#undef LOAD_4
#undef LOAD_BLOCK
#undef STORE
