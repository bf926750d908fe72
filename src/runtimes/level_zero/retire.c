/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred freeing of resources that the device may still use: parameter blocks, memory, the events of a
 * stream. A retired resource is freed when every stream of the device has finished the work submitted before.
 * Nothing waits for that: each retirement also frees earlier ones that are no longer in use.
 *
 * The clock is the number of retirements. The device's lock guards everything here.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>

/* The time up to which no stream uses retired resources. */
static uint64_t time_passed(struct lz_device *d) {
    uint64_t passed = atomic_load(&d->retirements);
    for (struct lz_stream *stream = d->streams; stream; stream = stream->next) {
        uint64_t finished = lz_stream_finished(stream);
        if (finished < passed) passed = finished;
    }
    return passed;
}

/* The list is ordered from newest to oldest, so the resources to free are at its end. */
static void end_retired(struct lz_device *d) {
    if (!d->retired) return;
    uint64_t passed = time_passed(d);
    struct lz_retired **link = &d->retired;
    while (*link && (*link)->time > passed)
        link = &(*link)->next;
    struct lz_retired *old = *link;
    *link = NULL;
    for (struct lz_retired *next; old; old = next) {
        next = old->next;
        bool allocated = old->allocated;
        old->end(d, old->what);
        if (allocated) free(old);
    }
}

void lz_retire_with(struct lz_device *d, struct lz_retired *note) {
    pthread_mutex_lock(&d->lock);
    note->time = atomic_fetch_add(&d->retirements, 1) + 1;
    note->next = d->retired;
    d->retired = note;
    end_retired(d);
    pthread_mutex_unlock(&d->lock);
}

/* Without memory for the note the resource leaks: better than freeing it too early. */
void lz_retire(struct lz_device *d, lz_retired_end end, void *what) {
    struct lz_retired *note = malloc(sizeof *note);
    if (!note) return;
    *note = (struct lz_retired){.end = end, .what = what, .allocated = true};
    lz_retire_with(d, note);
}

void lz_retire_pending(struct lz_device *d) {
    pthread_mutex_lock(&d->lock);
    end_retired(d);
    pthread_mutex_unlock(&d->lock);
}
