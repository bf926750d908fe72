/* SPDX-License-Identifier: Apache-2.0 */
/* memory_lanes.h and activations for vectors of doubles, after lib/lanes.h with DOUBLES and lib/epilogue.h.
 */
#ifndef LODE_KERNELS_LIB_DOUBLES_LANES_H
#define LODE_KERNELS_LIB_DOUBLES_LANES_H

INLINE OVERLOAD void load_lanes(VEC *to, global const double *from, i64 count, double none) {
    if (count >= LANES) {
        *to = VLOAD(0, from);
        return;
    }
    double values[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        values[i] = i < count ? from[i] : none;
    *to = VLOAD(0, values);
}

INLINE OVERLOAD void store_lanes(VEC from, global double *to, i64 count) {
    double values[LANES];
    VSTORE(from, 0, values);
#pragma nounroll
    for (int i = 0; i < LANES && i < count; i++)
        to[i] = values[i];
}

/* Post-ops are computed in f32. */
INLINE OVERLOAD double8 activation_apply(constant struct activation *a, double8 x) {
    if (a->alg == 0) return x;
#ifdef __OPENCL_C_VERSION__
    const float8 y = convert_float8(x);
#else
    const float8 y = __builtin_convertvector(x, float8);
#endif
    return convert_double8(activation_apply(a, y));
}

INLINE OVERLOAD double4 activation_apply(constant struct activation *a, double4 x) {
    double8 twice;
    twice.lo = x, twice.hi = x;
    return activation_apply(a, twice).lo;
}

#endif
