/* SPDX-License-Identifier: Apache-2.0 */
/* How fast this machine copies memory: what work that only moves data is compared with. */
#ifndef LODE_BENCH_BANDWIDTH_H
#define LODE_BENCH_BANDWIDTH_H

/* Bytes read and written per second by the better of two copies of much more than fits in caches, with a
 * thread per CPU. 0 if there is no memory for it. */
double copy_bandwidth(void);

#endif
