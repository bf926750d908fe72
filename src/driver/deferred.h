/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred release: what a program frees while commands in flight may still use it is released once
 * everything submitted before is complete.
 */
#ifndef LODE_DRIVER_DEFERRED_H
#define LODE_DRIVER_DEFERRED_H

/* Calls dispose(thing) now if nothing is in flight, else in a later call. */
void defer(void (*dispose)(void *thing), void *thing);

/* Disposes of everything that is no longer in use. */
void deferred_reap(void);

#endif
