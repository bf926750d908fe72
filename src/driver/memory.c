/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps memory and keeps the table of allocations.
 *
 * Every allocation is mapped separately, large ones in huge pages to reduce TLB misses. It moves to a file
 * only when it is shared with another process.
 */
#define _GNU_SOURCE
#include "driver/memory.h"
#include "driver/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* protects everything below except last_id */
static struct span *known;                                 /* all allocations, by address */
static uint64_t bytes_mapped;                              /* by this driver */
static _Atomic uint64_t last_id;                           /* allocation numbers are never reused */

bool memory_reserve(size_t length) {
    pthread_rwlock_wrlock(&lock);
    bool fits = length <= machine()->memory && bytes_mapped <= machine()->memory - length;
    if (fits) bytes_mapped += length;
    pthread_rwlock_unlock(&lock);
    return fits;
}

void memory_unreserve(size_t length) {
    pthread_rwlock_wrlock(&lock);
    bytes_mapped -= length;
    pthread_rwlock_unlock(&lock);
}

/* Maps `length` bytes at a multiple of `alignment`: maps more, then trims. */
static void *map_aligned(size_t length, size_t alignment, int file, uint64_t offset) {
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    size_t spare = alignment - machine()->page;
    if (spare == 0) return mmap(NULL, length, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
    char *room = mmap(NULL, length + spare, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return MAP_FAILED;
    char *base = (char *)round_up((uintptr_t)room, alignment);
    void *mapped = mmap(base, length, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, (off_t)offset);
    if (mapped == MAP_FAILED) {
        munmap(room, length + spare);
        return MAP_FAILED;
    }
    if (base != room) munmap(room, (size_t)(base - room));
    if (room + spare != base) munmap(base + length, (size_t)(room + spare - base));
    return base;
}

static struct allocation *first_overlap(uintptr_t base, size_t length) {
    struct span *next = spans_after(known, base);
    return next && next->base < base + length ? (struct allocation *)next : NULL;
}

/* Adds an allocation. The operating system just handed out these addresses, so borrowed memory recorded there
 * was freed by its owner without notice: its entries are dropped. */
static void add_allocation(struct allocation *allocation) {
    struct allocation *stale;
    allocation->id = atomic_fetch_add(&last_id, 1) + 1;
    pthread_rwlock_wrlock(&lock);
    while ((stale = first_overlap(allocation->span.base, allocation->span.length))) {
        spans_remove(&known, &stale->span);
        free(stale);
    }
    spans_insert(&known, &allocation->span);
    pthread_rwlock_unlock(&lock);
}

static ze_result_t out_of_memory(const struct allocation *like) {
    return like->type == ZE_MEMORY_TYPE_HOST ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                             : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

ze_result_t memory_map(const struct allocation *like, size_t size, size_t alignment, void **pointer) {
    size_t length = round_up(size, machine()->page);
    if (alignment < machine()->page) alignment = machine()->page;
    if (length >= HUGE_PAGE && alignment < HUGE_PAGE && like->file < 0) alignment = HUGE_PAGE;
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (!memory_reserve(length)) {
        free(allocation);
        return explain(out_of_memory(like), "more than this machine has");
    }
    void *base = map_aligned(length, alignment, like->file, like->offset);
    if (base == MAP_FAILED) {
        memory_unreserve(length);
        free(allocation);
        return explain(out_of_memory(like), "the operating system refused the mapping");
    }
    if (length >= HUGE_PAGE && like->file < 0) madvise(base, length, MADV_HUGEPAGE);
    *allocation = *like;
    allocation->span = (struct span){.base = (uintptr_t)base, .length = length};
    allocation->size = size;
    add_allocation(allocation);
    *pointer = base;
    return ZE_RESULT_SUCCESS;
}

ze_result_t memory_borrow(void *base, size_t size, ze_memory_type_t type) {
    struct allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *allocation = (struct allocation){
            .span = {.base = (uintptr_t)base, .length = size},
            .size = size,
            .type = type,
            .borrowed = true,
            .file = -1,
    };
    allocation->id = atomic_fetch_add(&last_id, 1) + 1;
    pthread_rwlock_wrlock(&lock);
    bool overlaps = first_overlap((uintptr_t)base, size) != NULL;
    if (!overlaps) spans_insert(&known, &allocation->span);
    pthread_rwlock_unlock(&lock);
    if (!overlaps) return ZE_RESULT_SUCCESS;
    free(allocation);
    return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the memory is already registered");
}

int memory_import_file(const ze_external_memory_import_fd_t *import, uint64_t size) {
    struct stat status;
    int file = fcntl(import->fd, F_DUPFD_CLOEXEC, 0);
    if (file >= 0 && !fstat(file, &status) && (uint64_t)status.st_size >= size) return file;
    if (file >= 0) close(file);
    return -1;
}

/* Caller holds the lock. */
static struct allocation *find(const void *pointer) {
    return (struct allocation *)spans_find(known, (uintptr_t)pointer);
}

bool memory_look_up(const void *pointer, struct allocation *found) {
    pthread_rwlock_rdlock(&lock);
    const struct allocation *allocation = find(pointer);
    if (allocation) *found = *allocation;
    pthread_rwlock_unlock(&lock);
    return allocation != NULL;
}

/* A file with the contents of [base, base + length), or -1. */
static int copy_to_file(const void *base, size_t length) {
    int file = memfd_create("lode", MFD_CLOEXEC);
    if (file < 0) return -1;
    for (size_t done = 0; done < length;) {
        ssize_t n = pwrite(file, (const char *)base + done, length - done, (off_t)done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            close(file);
            return -1;
        }
    }
    return file;
}

static ze_result_t move_to_file(struct allocation *allocation) {
    if (allocation->file >= 0) return ZE_RESULT_SUCCESS;
    if (allocation->borrowed)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                       "memory that the driver did not allocate cannot be shared");
    void *base = (void *)allocation->span.base;
    int file = copy_to_file(base, allocation->span.length);
    if (file < 0) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    void *rebased =
            mmap(base, allocation->span.length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (rebased == MAP_FAILED) {
        close(file);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    allocation->file = file;
    allocation->offset = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t memory_make_shareable(const void *pointer, struct allocation *found) {
    pthread_rwlock_wrlock(&lock);
    struct allocation *allocation = find(pointer);
    ze_result_t result = allocation ? move_to_file(allocation) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (result == ZE_RESULT_SUCCESS) *found = *allocation;
    pthread_rwlock_unlock(&lock);
    return result;
}

struct allocation *memory_take(void *base, bool imported) {
    pthread_rwlock_wrlock(&lock);
    struct allocation *allocation = find(base);
    if (allocation && (allocation->span.base != (uintptr_t)base || allocation->imported != imported))
        allocation = NULL;
    if (allocation) spans_remove(&known, &allocation->span);
    pthread_rwlock_unlock(&lock);
    if (!allocation) explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not the start of an allocation");
    return allocation;
}

void memory_dispose(struct allocation *allocation) {
    if (!allocation->borrowed) {
        munmap((void *)allocation->span.base, allocation->span.length);
        memory_unreserve(allocation->span.length);
    }
    if (allocation->file >= 0) close(allocation->file);
    free(allocation);
}
