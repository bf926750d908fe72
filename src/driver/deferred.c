/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list behind deferred.h. Any command in flight may use any allocation: kernels follow pointers that the
 * driver does not see.
 */
#include "driver/deferred.h"
#include "driver/stream.h"

#include <pthread.h>
#include <stdlib.h>

struct deferred {
    struct deferred *next;
    void (*dispose)(void *);
    void *thing;
    struct stream_marks *marks; /* what had been submitted when it was deferred */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct deferred *deferred;
static _Atomic bool any_deferred; /* lets deferred_reap skip the lock */

void deferred_reap(void) {
    if (!atomic_load(&any_deferred)) return;
    pthread_mutex_lock(&lock);
    for (struct deferred **link = &deferred; *link;) {
        struct deferred *entry = *link;
        if (!streams_passed(entry->marks)) {
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry->dispose(entry->thing);
        free(entry->marks);
        free(entry);
    }
    atomic_store(&any_deferred, deferred != NULL);
    pthread_mutex_unlock(&lock);
}

/* If there is no memory for an entry, waits for all streams instead. */
void defer(void (*dispose)(void *), void *thing) {
    if (streams_are_idle()) {
        dispose(thing);
        return;
    }
    struct deferred *entry = malloc(sizeof *entry);
    struct stream_marks *marks = entry ? streams_mark() : NULL;
    if (!marks) {
        free(entry);
        streams_wait_all();
        dispose(thing);
        return;
    }
    *entry = (struct deferred){.dispose = dispose, .thing = thing, .marks = marks};
    pthread_mutex_lock(&lock);
    entry->next = deferred;
    deferred = entry;
    atomic_store(&any_deferred, true);
    pthread_mutex_unlock(&lock);
    deferred_reap();
}
