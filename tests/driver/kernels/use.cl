/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that needs a function of triple.cl. */
int triple(int x);
kernel void use(global int *dst) {
    dst[get_global_id(0)] = triple(dst[get_global_id(0)]);
}
