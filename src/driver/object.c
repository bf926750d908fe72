/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of handles: one queue of dead objects per kind, reused first in, first out. Knows nothing about the
 * objects.
 */
#include "driver/object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Dead objects kept per kind before the oldest is reused. */
enum { MIN_DEAD = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_serial;
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

void *object_new(enum object_kind kind, size_t size) {
    pthread_mutex_lock(&lock);
    struct object *object = take_dead(&dead_objects[kind]);
    uint64_t serial = ++last_serial;
    pthread_mutex_unlock(&lock);
    const size_t cleared = offsetof(struct object, users);
    if (object)
        memset((char *)object + cleared, 0, size - cleared);
    else
        object = calloc(1, size);
    if (!object) return NULL;
    memcpy(object->dispatch, object_dispatch, sizeof object->dispatch);
    object->serial = serial;
    atomic_store_explicit(&object->identity, OBJECT_MAGIC + kind, memory_order_relaxed);
    return object;
}

void object_delete(void *pointer) {
    struct object *object = pointer;
    struct dead_queue *dead_queue = &dead_objects[object_identity(object) - OBJECT_MAGIC];
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&object->identity, 0, memory_order_relaxed);
    object->next = NULL;
    if (dead_queue->count++)
        dead_queue->last->next = object;
    else
        dead_queue->first = object;
    dead_queue->last = object;
    pthread_mutex_unlock(&lock);
}
