/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of every handle, and where handles are allocated.
 *
 * Memory of handles is never freed: a destroyed handle stays readable, its identity says that it is dead, and
 * its memory is reused as late as possible. So using a stale handle returns an error code.
 */
#ifndef LODE_DRIVER_OBJECT_H
#define LODE_DRIVER_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_kind {
    OBJECT_NONE,
    OBJECT_DRIVER,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_LIST,
    OBJECT_FENCE,
    OBJECT_EVENT_POOL,
    OBJECT_EVENT,
    OBJECT_MODULE,
    OBJECT_BUILD_LOG,
    OBJECT_KERNEL,
    OBJECT_PHYSICAL_MEMORY,
    OBJECT_KINDS,
};

#define OBJECT_MAGIC UINT32_C(0x4c6f6400) /* plus the kind */

struct dispatch; /* tables.c: the tables of one prefix, as newer loaders read them from a handle */
extern const struct dispatch *const object_dispatch[4];

struct object {
    const struct dispatch *dispatch[4]; /* core, tools, sysman, runtime: the loader's ze_handle_t */
    _Atomic uint32_t identity;          /* OBJECT_MAGIC + kind, 0 when dead */
    _Atomic uint32_t users;             /* live objects created from this one */
    uint64_t serial;                    /* unique, never reused */
    struct object *next;                /* in the queue of dead objects */
};

/* Zeroed except for the header; NULL when out of memory. `size` must be the same for all objects of a
 * kind. */
void *object_new(enum object_kind kind, size_t size);
void object_delete(void *object);

/* Atomic, because a stale handle may be checked while another thread reuses its memory. */
static inline uint32_t object_identity(const void *handle) {
    return atomic_load_explicit(&((const struct object *)handle)->identity, memory_order_relaxed);
}
static inline bool object_is(const void *handle, enum object_kind kind) {
    return handle && object_identity(handle) == OBJECT_MAGIC + kind;
}

/* An object that may be destroyed and its memory reused before it is needed again. */
struct reference {
    void *object; /* NULL: none */
    uint64_t serial;
};
static inline struct reference object_refer(void *object) {
    return (struct reference){object, ((struct object *)object)->serial};
}
static inline bool reference_lives(struct reference reference) {
    const struct object *object = reference.object;
    return object && object_identity(object) && object->serial == reference.serial;
}

/* A lent object cannot be destroyed until everything that borrowed it is. */
static inline void object_lend(void *object) {
    atomic_fetch_add_explicit(&((struct object *)object)->users, 1, memory_order_relaxed);
}
static inline void object_return(void *object) {
    atomic_fetch_sub_explicit(&((struct object *)object)->users, 1, memory_order_release);
}
static inline bool object_in_use(void *object) {
    return atomic_load_explicit(&((struct object *)object)->users, memory_order_acquire) != 0;
}

#endif
