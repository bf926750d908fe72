/* SPDX-License-Identifier: Apache-2.0 */
/* Copies for comparison: bandwidth.h. The threads of one call copy a part each, several times. */
#define _GNU_SOURCE
#include "bandwidth.h"

#include "clock.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 2, MOST_THREADS = 256, PAGE = 4096 };
static const size_t copied_bytes = (size_t)128 << 20;

struct part {
    struct copy *copy;
    size_t index;
    pthread_t thread;
    double start, end; /* of the last copy */
};

struct copy {
    char *src, *dst;
    size_t threads;
    pthread_barrier_t barrier;
    struct part parts[MOST_THREADS];
};

#ifdef __SSE2__
#include <emmintrin.h>
/* Stores that bypass the caches: memory is written without being read first. */
static void copy_bytes(char *dst, const char *src, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(dst + i), _mm_load_si128((const __m128i *)(src + i)));
    _mm_sfence();
}
#else
static void copy_bytes(char *dst, const char *src, size_t size) {
    memcpy(dst, src, size);
}
#endif

/* One copy, together with the other threads. */
static void copy_part(struct part *part) {
    const struct copy *copy = part->copy;
    size_t pages = copied_bytes / PAGE;
    size_t from = pages * part->index / copy->threads * PAGE;
    size_t until = pages * (part->index + 1) / copy->threads * PAGE;
    pthread_barrier_wait(&part->copy->barrier);
    part->start = now_us();
    copy_bytes(copy->dst + from, copy->src + from, until - from);
    part->end = now_us();
    pthread_barrier_wait(&part->copy->barrier);
}

static void *copy_parts(void *part) {
    for (int i = 0; i < COPIES; i++)
        copy_part(part);
    return NULL;
}

/* From the first thread's start to the last one's end. */
static double copy_us(const struct copy *copy) {
    double start = copy->parts[0].start, end = copy->parts[0].end;
    for (size_t i = 1; i < copy->threads; i++) {
        start = fmin(start, copy->parts[i].start);
        end = fmax(end, copy->parts[i].end);
    }
    return end - start;
}

/* Microseconds of the best copy. */
static double run_copies(struct copy *copy) {
    double best = INFINITY;
    pthread_barrier_init(&copy->barrier, NULL, (unsigned)copy->threads);
    for (size_t i = 0; i < copy->threads; i++) {
        copy->parts[i] = (struct part){.copy = copy, .index = i};
        if (i > 0 && pthread_create(&copy->parts[i].thread, NULL, copy_parts, &copy->parts[i])) abort();
    }
    for (int i = 0; i < COPIES; i++) {
        copy_part(&copy->parts[0]);
        best = fmin(best, copy_us(copy));
    }
    for (size_t i = 1; i < copy->threads; i++)
        pthread_join(copy->parts[i].thread, NULL);
    pthread_barrier_destroy(&copy->barrier);
    return best;
}

static size_t cpu_count(void) {
    cpu_set_t cpus;
    size_t count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : (size_t)CPU_COUNT(&cpus);
    return count < MOST_THREADS ? count : MOST_THREADS;
}

double copy_bandwidth(void) {
    static struct copy copy;
    if (!copy.dst) {
        copy.threads = cpu_count();
        copy.src = aligned_alloc(PAGE, copied_bytes);
        copy.dst = copy.src ? aligned_alloc(PAGE, copied_bytes) : NULL;
        if (!copy.dst) return 0;
        memset(copy.src, 1, copied_bytes);
        memset(copy.dst, 1, copied_bytes);
    }
    return 2e6 * (double)copied_bytes / run_copies(&copy);
}
