/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the output of device compilers between processes: one file per entry in the user's cache folder,
 * which is $LODE_CACHE_DIR, or else lode/ under $XDG_CACHE_HOME or ~/.cache. LODE_CACHE=0 turns it off. An
 * entry that is damaged or was written under another key counts as absent; no failure here reaches the
 * caller.
 */
#ifndef LODE_BASE_DISK_CACHE_H
#define LODE_BASE_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds what was stored under the key; the caller frees *data. */
bool disk_cache_find(const char *key, void **data, size_t *size);
void disk_cache_store(const char *key, const void *data, size_t size);

#endif
