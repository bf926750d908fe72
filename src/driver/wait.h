/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two things that threads wait for: a word that is set once, and a timeline that counts up. Both are spun
 * on for a while, then slept on. Whoever sets a word or moves a timeline does not touch it afterwards, so its
 * owner may free it as soon as it sees the change.
 */
#ifndef LODE_DRIVER_WAIT_H
#define LODE_DRIVER_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Waits of this length never end by themselves; of length 0 they only look. Everything else is nanoseconds.
 */
#define FOREVER UINT64_MAX

enum { WORD_SET = 1, WORD_SLEEPERS = 2 };
typedef _Atomic uint32_t word_t;

static inline bool word_is_set(const word_t *word) {
    return atomic_load_explicit(word, memory_order_acquire) & WORD_SET;
}
static inline void word_clear(word_t *word) {
    atomic_fetch_and(word, ~(uint32_t)WORD_SET);
}
/* `shared`: sleepers may be in other processes. All users of a word agree on it. */
void word_set(word_t *word, bool shared);
bool word_wait(word_t *word, bool shared, uint64_t timeout);

/* Never freed, never counts down. */
struct timeline {
    _Atomic uint64_t reached;
    _Atomic uint32_t sleepers;
    _Atomic uint32_t turn; /* slept on: changes with `reached` while there are sleepers */
    struct timeline *next_free;
};

static inline bool timeline_has(const struct timeline *timeline, uint64_t value) {
    return atomic_load_explicit(&timeline->reached, memory_order_acquire) >= value;
}
/* Free for reuse by whoever comes next, from where the last owner left it. NULL when out of memory. */
struct timeline *timeline_new(void);
void timeline_delete(struct timeline *timeline);
void timeline_reach(struct timeline *timeline, uint64_t value);
bool timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout);

/* Spinning for a while: spin_begin, then spin_on until it says that the while is over. */
struct spin {
    uint64_t until;
    uint32_t rounds;
};
struct spin spin_begin(uint64_t timeout);
bool spin_on(struct spin *spin);

#endif
