/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of handles: one queue of dead objects per kind, reused first in, first out. Knows nothing about the
 * objects.
 */
#include "driver/object.h"
#include "driver/note.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Dead objects kept per kind before the oldest is reused. */
enum { MIN_DEAD = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dead_queue {
    struct object *first, *last;
    size_t count;
} dead_objects[OBJECT_KINDS];

static struct object *take_dead(struct dead_queue *dead_queue) {
    if (dead_queue->count <= MIN_DEAD) return NULL;
    struct object *object = dead_queue->first;
    dead_queue->first = object->next;
    dead_queue->count--;
    return object;
}

void *object_new(enum object_kind kind, size_t size, void (*dispose)(void *)) {
    pthread_mutex_lock(&lock);
    struct object *object = take_dead(&dead_objects[kind]);
    pthread_mutex_unlock(&lock);
    const size_t cleared = offsetof(struct object, holders);
    if (object)
        memset((char *)object + cleared, 0, size - cleared);
    else
        object = calloc(1, size);
    if (!object) return NULL;
    memcpy(object->dispatch, object_dispatch, sizeof object->dispatch);
    object->kind = kind;
    object->dispose = dispose;
    atomic_store_explicit(&object->holders, 1, memory_order_relaxed);
    atomic_store_explicit(&object->identity, OBJECT_MAGIC + kind, memory_order_relaxed);
    return object;
}

void object_delete(void *pointer) {
    struct object *object = pointer;
    struct dead_queue *dead_queue = &dead_objects[object->kind];
    pthread_mutex_lock(&lock);
    object->next = NULL;
    if (dead_queue->count++)
        dead_queue->last->next = object;
    else
        dead_queue->first = object;
    dead_queue->last = object;
    pthread_mutex_unlock(&lock);
}

/* Kinds that others are made from. */
static const char *const parents[OBJECT_KINDS] = {
        [OBJECT_CONTEXT] = "context",
        [OBJECT_QUEUE] = "command queue",
        [OBJECT_EVENT_POOL] = "event pool",
        [OBJECT_MODULE] = "module",
        [OBJECT_PHYSICAL_MEMORY] = "physical memory object",
};

static void note_early_end(const struct object *object) {
    static _Atomic bool noted[OBJECT_KINDS];
    const char *name = parents[object->kind];
    if (name && atomic_load(&object->holders) > 1 && !atomic_exchange(&noted[object->kind], true))
        note("destroyed before what uses it: %s", name);
}

void object_close(void *pointer) {
    struct object *object = pointer;
    if (!atomic_exchange(&object->identity, 0)) return;
    note_early_end(object);
    object_release(object);
}
