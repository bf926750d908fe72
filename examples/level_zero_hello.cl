/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of level_zero_hello. lodecc compiles it to a module. */
kernel void hello(global const char *src, global char *dst, uint shift) {
    size_t i = get_global_id(0);
    char c = src[i];
    dst[i] = c >= 'a' && c <= 'z' ? (char)('a' + (c - 'a' + shift) % 26) : c;
}
