/* SPDX-License-Identifier: Apache-2.0 */
/* What level_zero_hello runs. lodecc turns it into a module. */
kernel void hello(global const char *src, global char *dst, uint shift) {
    size_t i = get_global_id(0);
    char c = src[i];
    dst[i] = c >= 'a' && c <= 'z' ? (char)('a' + (c - 'a' + shift) % 26) : c;
}
