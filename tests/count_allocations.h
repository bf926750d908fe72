/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what is allocated by the code that is linked into a test: for one file of a program that is linked
 * with COUNT_ALLOCATIONS (tests/CMakeLists.txt).
 */
#ifndef LODE_TESTS_COUNT_ALLOCATIONS_H
#define LODE_TESTS_COUNT_ALLOCATIONS_H

#include <stddef.h>

static _Atomic long allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
    allocations++;
    return __real_realloc(memory, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    return __real_posix_memalign(memory, alignment, size);
}

#endif
