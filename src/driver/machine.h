/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operating system reports about this machine: CPU name, caches, memory. Read once, on first use;
 * unknown values are zero. Knows nothing of Level Zero.
 */
#ifndef LODE_DRIVER_MACHINE_H
#define LODE_DRIVER_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { MACHINE_MAX_CACHES = 8 };

struct machine {
    char name[160];
    uint32_t vendor;  /* PCI-SIG number of the CPU vendor */
    uint32_t model;   /* distinguishes CPUs of a vendor */
    uint32_t cpus;    /* usable by this process */
    uint32_t threads; /* used by a launch */
    uint32_t vector_bytes;
    uint32_t mhz;
    int has_half; /* converts half precision in hardware */
    size_t page;
    uint64_t memory; /* bytes usable by this process */
    uint32_t cache_line;
    uint32_t ncaches;
    struct machine_cache {
        uint32_t level;
        uint64_t size;
    } caches[MACHINE_MAX_CACHES]; /* data and unified, nearest first */
};

const struct machine *machine(void);

/* Bytes available now. */
uint64_t machine_free_memory(void);

#endif
