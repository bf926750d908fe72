/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that a program gives back while commands in flight may still be using them: they go when everything
 * that was submitted before is complete.
 */
#ifndef LODE_DRIVER_DEFERRED_H
#define LODE_DRIVER_DEFERRED_H

/* Calls dispose(thing) now, if nothing is in flight, or in some later call. */
void defer(void (*dispose)(void *thing), void *thing);

/* Disposes of what the device has finished with meanwhile. */
void deferred_reap(void);

#endif
