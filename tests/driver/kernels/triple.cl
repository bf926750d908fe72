/* SPDX-License-Identifier: Apache-2.0 */
/* A function for the kernel in use.cl. */
int triple(int x);
int triple(int x) {
    return 3 * x;
}
