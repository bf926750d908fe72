/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a 32-bit word to change. On Linux a futex; elsewhere a short sleep, which is correct but slow.
 * No other file knows how a thread sleeps.
 */
#ifndef LODE_BASE_FUTEX_H
#define LODE_BASE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sleeps while *word == expected, for at most `timeout` (NULL: for ever). May return early. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *timeout) {
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout, NULL, 0);
#else
    (void)timeout;
    if (atomic_load(word) == expected) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
#endif
}

/* The same for a word in memory that several processes share; its sleepers are woken by futex_wake_shared. */
static inline void futex_wait_shared(_Atomic uint32_t *word, uint32_t expected,
                                     const struct timespec *timeout) {
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout, NULL, 0);
#else
    futex_wait(word, expected, timeout);
#endif
}

/* Wakes at most `count` threads that sleep on `word`. */
static inline void futex_wake(_Atomic uint32_t *word, int count) {
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#else
    (void)word, (void)count;
#endif
}

static inline void futex_wake_shared(_Atomic uint32_t *word, int count) {
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
#else
    (void)word, (void)count;
#endif
}

#endif
