/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The primitive cache: a hash table with chains. A lookup takes the lock for reading only and stamps the
 * entry with a counter; the entry with the oldest stamp is evicted when room is needed.
 */
#define _GNU_SOURCE
#include "core/cache.h"
#include "base/env.h"
#include "base/verbose.h"

#include <stdlib.h>

enum { BUCKETS = 1024, DEFAULT_CAPACITY = 1024 };

struct entry {
    struct entry *next;
    struct plan *plan;
    _Atomic uint64_t used;
};

static struct {
    pthread_rwlock_t lock;
    pthread_once_t once;
    _Atomic int capacity;
    int count;
    _Atomic uint64_t clock;
    struct entry *buckets[BUCKETS];
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER, .once = PTHREAD_ONCE_INIT, .capacity = DEFAULT_CAPACITY};

static void read_environment(void) {
    int capacity = env_int("PRIMITIVE_CACHE_CAPACITY", DEFAULT_CAPACITY);
    if (capacity >= 0) cache.capacity = capacity;
}

int cache_capacity(void) {
    pthread_once(&cache.once, read_environment);
    return cache.capacity;
}

static bool entry_matches(const struct entry *entry, const struct plan_request *request, uint64_t hash) {
    const struct plan *plan = entry->plan;
    return plan->hash == hash && plan->device == request->device && plan->first == request->first
           && problem_equal(&plan->request, request->problem) && attr_equal(&plan->attr, request->attr);
}

static struct entry **bucket_of(uint64_t hash) {
    return &cache.buckets[hash % BUCKETS];
}

static struct plan *find_locked(const struct plan_request *request, uint64_t hash) {
    for (struct entry *e = *bucket_of(hash); e; e = e->next) {
        if (!entry_matches(e, request, hash)) continue;
        e->used = atomic_fetch_add_explicit(&cache.clock, 1, memory_order_relaxed);
        return plan_retain(e->plan);
    }
    return NULL;
}

struct plan *cache_find(const struct plan_request *request, uint64_t hash) {
    if (cache_capacity() == 0) return NULL;
    pthread_rwlock_rdlock(&cache.lock);
    struct plan *plan = find_locked(request, hash);
    pthread_rwlock_unlock(&cache.lock);
    return plan;
}

/* Unlinks *link and pushes it on a list of entries to free after the lock is released. */
static void unlink_entry(struct entry **link, struct entry **dead) {
    struct entry *entry = *link;
    *link = entry->next;
    entry->next = *dead;
    *dead = entry;
    cache.count--;
}

static struct entry **oldest(void) {
    struct entry **found = NULL;
    for (int b = 0; b < BUCKETS; b++)
        for (struct entry **link = &cache.buckets[b]; *link; link = &(*link)->next)
            if (!found || (*link)->used < (*found)->used) found = link;
    return found;
}

static void shrink_to(int count, struct entry **dead) {
    while (cache.count > count)
        unlink_entry(oldest(), dead);
}

static void free_entries(struct entry *dead) {
    while (dead) {
        struct entry *next = dead->next;
        plan_release(dead->plan);
        free(dead);
        dead = next;
    }
}

dnnl_status_t cache_set_capacity(int capacity) {
    if (capacity < 0)
        return fail(dnnl_invalid_arguments, "primitive_cache", "capacity is negative: %d", capacity);
    cache_capacity();
    struct entry *dead = NULL;
    pthread_rwlock_wrlock(&cache.lock);
    cache.capacity = capacity;
    shrink_to(capacity, &dead);
    pthread_rwlock_unlock(&cache.lock);
    free_entries(dead);
    return dnnl_success;
}

struct plan *cache_insert(struct plan *plan) {
    struct entry *entry = cache_capacity() > 0 ? malloc(sizeof *entry) : NULL;
    if (!entry) return plan;
    const struct plan_request request = plan_request_of(plan);
    struct entry *dead = NULL;
    pthread_rwlock_wrlock(&cache.lock);
    struct plan *other = find_locked(&request, plan->hash);
    if (!other && cache.capacity > 0) {
        shrink_to(cache.capacity - 1, &dead);
        entry->plan = plan_retain(plan);
        entry->used = cache.clock++;
        entry->next = *bucket_of(plan->hash);
        *bucket_of(plan->hash) = entry;
        cache.count++;
        entry = NULL;
    }
    pthread_rwlock_unlock(&cache.lock);
    free(entry);
    free_entries(dead);
    if (!other) return plan;
    plan_release(plan);
    return other;
}

void cache_purge(struct device *device) {
    struct entry *dead = NULL;
    pthread_rwlock_wrlock(&cache.lock);
    for (int b = 0; b < BUCKETS; b++) {
        struct entry **link = &cache.buckets[b];
        while (*link) {
            if ((*link)->plan->device == device)
                unlink_entry(link, &dead);
            else
                link = &(*link)->next;
        }
    }
    pthread_rwlock_unlock(&cache.lock);
    free_entries(dead);
}
