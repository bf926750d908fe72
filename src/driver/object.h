/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every handle of the driver begins with, and where handles live.
 *
 * Handles come from memory that is never given back: a destroyed handle stays readable, its identity says
 * that it is dead, and its place is reused as late as possible. So a stale handle is answered with an error
 * code.
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
    const struct dispatch *dispatch[4]; /* core, tools, sysman, runtime: what ze_handle_t is to a loader */
    _Atomic uint32_t identity;          /* OBJECT_MAGIC + kind, 0 when dead */
    _Atomic uint32_t users;             /* live objects made from this one */
    uint64_t serial;                    /* no other object ever had it */
    struct object *next;                /* among the dead */
};

/* Zeroed but for the header; NULL when out of memory. `size` must be the same for all objects of a kind. */
void *object_new(enum object_kind kind, size_t size);
void object_delete(void *object);

/* A stale handle may be looked at while its place becomes another thread's object. */
static inline uint32_t object_identity(const void *handle) {
    return atomic_load_explicit(&((const struct object *)handle)->identity, memory_order_relaxed);
}
static inline bool object_is(const void *handle, enum object_kind kind) {
    return handle && object_identity(handle) == OBJECT_MAGIC + kind;
}

/* An object that may die, and its place become another's, before it is needed again. */
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

/* An object that lends itself to others cannot be destroyed before them. */
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
