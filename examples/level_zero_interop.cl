/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own kernel in level_zero_interop.c: converts bytes to numbers between 0 and 1. */
kernel void to_float(global const uchar *src, global float *dst) {
    size_t i = get_global_id(0);
    dst[i] = (float)src[i] / 255.0f;
}
