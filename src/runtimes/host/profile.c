/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling on the host: a list of times that grows by doubling, under a lock of its own. */
#define _GNU_SOURCE
#include "runtimes/host/profile.h"
#include "base/verbose.h"

#include <pthread.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct profile {
    pthread_mutex_t lock;
    int count, capacity;
    uint64_t *ns;
};

dnnl_status_t profile_open(struct stream *stream, unsigned flags) {
    if (!(flags & dnnl_stream_profiling)) return dnnl_success;
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile) return dnnl_out_of_memory;
    pthread_mutex_init(&profile->lock, NULL);
    stream->state = profile;
    return dnnl_success;
}

void profile_close(struct stream *stream) {
    struct profile *profile = stream->state;
    if (!profile) return;
    pthread_mutex_destroy(&profile->lock);
    free(profile->ns);
    free(profile);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t profile_start(struct stream *stream) {
    return stream->state ? now() : 0;
}

static bool make_room(struct profile *profile) {
    if (profile->count < profile->capacity) return true;
    int capacity = profile->capacity ? 2 * profile->capacity : 64;
    uint64_t *ns = realloc(profile->ns, sizeof *ns * (size_t)capacity);
    if (!ns) return false;
    profile->ns = ns, profile->capacity = capacity;
    return true;
}

void profile_stop(struct stream *stream, uint64_t start) {
    struct profile *profile = stream->state;
    if (!profile) return;
    uint64_t ns = now() - start;
    pthread_mutex_lock(&profile->lock);
    if (make_room(profile)) profile->ns[profile->count++] = ns;
    pthread_mutex_unlock(&profile->lock);
}

dnnl_status_t profile_reset(struct stream *stream) {
    struct profile *profile = stream->state;
    pthread_mutex_lock(&profile->lock);
    profile->count = 0;
    pthread_mutex_unlock(&profile->lock);
    return dnnl_success;
}

dnnl_status_t profile_query(struct stream *stream, int *count, uint64_t *ns) {
    struct profile *profile = stream->state;
    dnnl_status_t status = dnnl_success;
    pthread_mutex_lock(&profile->lock);
    if (!ns)
        *count = profile->count;
    else if (*count < profile->count)
        status = dnnl_invalid_arguments;
    else {
        *count = profile->count;
        memcpy(ns, profile->ns, sizeof *ns * (size_t)profile->count);
    }
    pthread_mutex_unlock(&profile->lock);
    return status;
}
