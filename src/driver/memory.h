/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the driver gave out or knows of. Every kind of it (host, device, shared, imported, mapped) is
 * ordinary memory of this process; what differs is what is remembered about it.
 */
#ifndef LODE_DRIVER_MEMORY_H
#define LODE_DRIVER_MEMORY_H

#include "driver/driver.h"
#include "driver/spans.h"

struct allocation {
    struct span span; /* whole pages, but for borrowed memory */
    size_t size;      /* as asked for */
    ze_memory_type_t type;
    uint32_t context; /* its number */
    bool has_device;  /* belongs to the device, not to all devices */
    bool borrowed;    /* somebody else's memory: known, never unmapped */
    bool imported;    /* opened from a handle of another process */
    uint64_t id;
    int file;        /* descriptor of what backs it, -1 for anonymous memory */
    uint64_t offset; /* where it begins there */
};

/* Maps memory of its own and remembers it. `like` gives type and flags, and a file and offset if not -1. */
ze_result_t memory_map(struct context *context, const struct allocation *like, size_t size, size_t alignment,
                       void **pointer);
/* Remembers memory that is somebody else's. */
ze_result_t memory_borrow(struct context *context, void *base, size_t size, ze_memory_type_t type);

/* Counts bytes of memory that the driver gives out, up to what the machine has. False: no more. */
bool memory_reserve(size_t length);
void memory_unreserve(size_t length);
/* A descriptor of our own for a file of the program's that has at least that many bytes, or -1. */
int memory_import_file(const ze_external_memory_import_fd_t *import, uint64_t size);

/* Copies what is known about the allocation that `pointer` lies in. */
bool memory_look_up(const struct context *context, const void *pointer, struct allocation *found);

/* Turns anonymous memory into a shareable file at the same address, contents and all. Nobody may write to it
 * meanwhile. */
ze_result_t memory_make_shareable(const struct context *context, const void *pointer,
                                  struct allocation *found);

/* Takes the allocation that begins at `base` out of the known ones, for memory_dispose. NULL if none does, or
 * if it was not made that way. */
struct allocation *memory_take(const struct context *context, void *base, bool imported);
/* Gives its memory back. */
void memory_dispose(struct allocation *allocation);

/* What a context's end does to memory that was not freed. */
void memory_dispose_all(const struct context *context);

#endif
