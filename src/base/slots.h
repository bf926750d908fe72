/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock-free list of reusable objects, each used by one thread at a time: a thread takes any free member and
 * gives it back. The list only grows. A member begins with a struct slot; the list's owner creates and frees
 * members.
 */
#ifndef LODE_BASE_SLOTS_H
#define LODE_BASE_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct slot {
    struct slot *next;
    _Atomic bool taken;
};

struct slots {
    _Atomic(struct slot *) first;
};

/* Takes a free member. NULL: there is none; the caller creates one and adds it. */
static inline struct slot *slots_take(struct slots *slots) {
    for (struct slot *s = atomic_load_explicit(&slots->first, memory_order_acquire); s; s = s->next) {
        bool free = false;
        if (atomic_compare_exchange_strong_explicit(&s->taken, &free, true, memory_order_acquire,
                                                    memory_order_relaxed))
            return s;
    }
    return NULL;
}

static inline void slots_give_back(struct slot *slot) {
    atomic_store_explicit(&slot->taken, false, memory_order_release);
}

/* Adds a member, taken or free. */
static inline void slots_add(struct slots *slots, struct slot *slot, bool taken) {
    slot->taken = taken;
    slot->next = atomic_load_explicit(&slots->first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&slots->first, &slot->next, slot, memory_order_release,
                                                  memory_order_relaxed))
        continue;
}

#endif
