/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two things that threads wait for: a word that is set once, and a timeline that counts up. Waiters spin
 * for a while, then sleep. Setting a word or advancing a timeline is the last access to it, so its owner may
 * free it as soon as it sees the change.
 */
#ifndef LODE_DRIVER_WAIT_H
#define LODE_DRIVER_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A timeout that never expires. A timeout of 0 only checks; all others are nanoseconds. */
#define FOREVER UINT64_MAX

enum { WORD_SET = 1, WORD_SLEEPERS = 2 };
typedef _Atomic uint32_t word_t;

static inline bool word_is_set(const word_t *word) {
    return atomic_load_explicit(word, memory_order_acquire) & WORD_SET;
}
static inline void word_clear(word_t *word) {
    atomic_fetch_and(word, ~(uint32_t)WORD_SET);
}
/* `shared`: waiters may be in other processes. All users of a word must agree on it. */
void word_set(word_t *word, bool shared);
bool word_wait(word_t *word, bool shared, uint64_t timeout);

/* Never freed, never decreases. */
#define NOTHING_WANTED UINT64_MAX
struct timeline {
    _Atomic uint64_t reached;
    _Atomic uint64_t wanted; /* at most the least value that a sleeper waits for */
    _Atomic uint32_t turn;   /* futex word: changes when `wanted` is reached */
    struct timeline *next_free;
};

static inline bool timeline_has(const struct timeline *timeline, uint64_t value) {
    return atomic_load_explicit(&timeline->reached, memory_order_acquire) >= value;
}
/* A new or reused timeline; a reused one continues from its last value. NULL when out of memory. */
struct timeline *timeline_new(void);
void timeline_delete(struct timeline *timeline);
void timeline_reach(struct timeline *timeline, uint64_t value);
bool timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout);

/* Bounded spinning: spin_begin, then spin_on until it returns false. */
struct spin {
    uint64_t until;
    uint32_t rounds;
};
struct spin spin_begin(uint64_t timeout);
bool spin_on(struct spin *spin);

#endif
