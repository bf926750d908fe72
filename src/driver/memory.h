/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the driver allocated or knows of. Every kind (host, device, shared, imported, mapped) is
 * ordinary memory of this process; only its attributes differ.
 */
#ifndef LODE_DRIVER_MEMORY_H
#define LODE_DRIVER_MEMORY_H

#include "driver/driver.h"
#include "driver/spans.h"

struct allocation {
    struct span span; /* whole pages, except for borrowed memory */
    size_t size;      /* as requested */
    ze_memory_type_t type;
    bool has_device; /* belongs to the device rather than to all devices */
    bool borrowed;   /* owned by the program: never unmapped here */
    bool imported;   /* opened from a handle of another process */
    uint64_t id;
    int file;        /* descriptor of the file behind it; -1: anonymous memory */
    uint64_t offset; /* where it starts in the file */
};

/* Maps new memory. `like` holds type and flags, and a file and offset unless the file is -1. */
ze_result_t memory_map(const struct allocation *like, size_t size, size_t alignment, void **pointer);
/* Records memory that the program owns. */
ze_result_t memory_borrow(void *base, size_t size, ze_memory_type_t type);

/* Adds to the bytes that the driver has given out. False if that would exceed the machine's memory. */
bool memory_reserve(size_t length);
void memory_unreserve(size_t length);
/* Duplicates the program's descriptor if its file has at least that many bytes, else -1. */
int memory_import_file(const ze_external_memory_import_fd_t *import, uint64_t size);

/* Copies the record of the allocation that contains `pointer`. */
bool memory_look_up(const void *pointer, struct allocation *found);

/* Moves anonymous memory to a shareable file, keeping address and contents. Nobody may write to it
 * meanwhile. */
ze_result_t memory_make_shareable(const void *pointer, struct allocation *found);

/* Removes the allocation that starts at `base` from the table, for memory_dispose. NULL if there is none, or
 * if `imported` differs. */
struct allocation *memory_take(void *base, bool imported);
/* Unmaps the memory and frees the record. */
void memory_dispose(struct allocation *allocation);

#endif
