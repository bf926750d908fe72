/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of handles: one queue of dead objects a kind, reused first in, first out.
 * It knows nothing of what the objects are.
 */
#include "driver/object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* So many objects of a kind lie dead before the first is used again. */
enum { REST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_serial;
static struct graveyard {
    struct object *first, *last;
    size_t count;
} graveyards[OBJECT_KINDS];

static struct object *take_dead(struct graveyard *graveyard) {
    if (graveyard->count <= REST) return NULL;
    struct object *object = graveyard->first;
    graveyard->first = object->next;
    graveyard->count--;
    return object;
}

void *object_new(enum object_kind kind, size_t size) {
    pthread_mutex_lock(&lock);
    struct object *object = take_dead(&graveyards[kind]);
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
    struct graveyard *graveyard = &graveyards[object_identity(object) - OBJECT_MAGIC];
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&object->identity, 0, memory_order_relaxed);
    object->next = NULL;
    if (graveyard->count++)
        graveyard->last->next = object;
    else
        graveyard->first = object;
    graveyard->last = object;
    pthread_mutex_unlock(&lock);
}
