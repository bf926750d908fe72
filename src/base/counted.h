/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference counting: struct counted is the first member of an object that several owners share. Code that
 * only keeps the object alive need not know its type.
 */
#ifndef LODE_BASE_COUNTED_H
#define LODE_BASE_COUNTED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct counted {
    _Atomic int references;
    void (*end)(struct counted *counted); /* frees the object */
};

static inline struct counted *counted_retain(struct counted *counted) {
    atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return counted;
}

static inline void counted_release(struct counted *counted) {
    if (counted && atomic_fetch_sub(&counted->references, 1) == 1) counted->end(counted);
}

/* A list that holds one reference to each of its objects. Zeroed: empty. */
struct counted_list {
    size_t count;
    struct counted **objects;
};

/* False: out of memory. */
static inline bool counted_list_add(struct counted_list *list, struct counted *object) {
    for (size_t i = 0; i < list->count; i++)
        if (list->objects[i] == object) return true;
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? 2 * list->count : 1;
        struct counted **grown = (struct counted **)realloc(list->objects, room * sizeof *grown);
        if (!grown) return false;
        list->objects = grown;
    }
    list->objects[list->count++] = counted_retain(object);
    return true;
}

static inline void counted_list_free(struct counted_list *list) {
    for (size_t i = 0; i < list->count; i++)
        counted_release(list->objects[i]);
    free(list->objects);
    *list = (struct counted_list){0};
}

#endif
