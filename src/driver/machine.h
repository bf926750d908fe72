/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operating system tells about this machine: the CPU's name, its caches, its memory. Read once, on
 * first use; a fact that cannot be had is zero. It knows nothing of Level Zero.
 */
#ifndef LODE_DRIVER_MACHINE_H
#define LODE_DRIVER_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { MACHINE_MAX_CACHES = 8 };

struct machine {
    char name[160];
    uint32_t vendor;  /* PCI-SIG number of the CPU's maker */
    uint32_t model;   /* what tells one CPU of a maker from another */
    uint32_t cpus;    /* that this process may run on */
    uint32_t threads; /* that a launch spreads over */
    uint32_t vector_bytes;
    uint32_t mhz;
    int has_half; /* converts half-precision numbers in hardware */
    size_t page;
    uint64_t memory; /* bytes that this process may use */
    uint32_t cache_line;
    uint32_t ncaches;
    struct machine_cache {
        uint32_t level;
        uint64_t size;
    } caches[MACHINE_MAX_CACHES]; /* data and unified, nearest first */
};

const struct machine *machine(void);

/* Bytes that could be allocated now. */
uint64_t machine_free_memory(void);

#endif
