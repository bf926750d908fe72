/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of every handle, who holds it, and where handles are allocated.
 *
 * An object lives while something holds it: the program, until it destroys the handle, and every object that
 * needs it. The last one to let go disposes of it, so programs may destroy handles in any order.
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
    _Atomic uint32_t identity;          /* OBJECT_MAGIC + kind, 0 once the program has destroyed the handle */
    _Atomic uint32_t holders;
    enum object_kind kind;
    void (*dispose)(void *object); /* called by the last holder; ends with object_delete, at once or later */
    struct object *next;           /* in the queue of dead objects */
};

/* Held by the program. Zeroed except for the header; NULL when out of memory. `size` must be the same for all
 * objects of a kind. */
void *object_new(enum object_kind kind, size_t size, void (*dispose)(void *object));
/* Returns the object's memory. Only for `dispose`. */
void object_delete(void *object);

/* The program destroys the handle: it is refused from now on. */
void object_close(void *object);

static inline void object_hold(void *object) {
    atomic_fetch_add_explicit(&((struct object *)object)->holders, 1, memory_order_relaxed);
}
static inline void object_release(void *pointer) {
    struct object *object = pointer;
    if (atomic_fetch_sub_explicit(&object->holders, 1, memory_order_acq_rel) == 1) object->dispose(object);
}

/* Atomic, because a stale handle may be checked while another thread reuses its memory. */
static inline uint32_t object_identity(const void *handle) {
    return atomic_load_explicit(&((const struct object *)handle)->identity, memory_order_relaxed);
}
static inline bool object_is(const void *handle, enum object_kind kind) {
    return handle && object_identity(handle) == OBJECT_MAGIC + kind;
}

#endif
