/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of address ranges that do not overlap, searchable by any address inside them. A treap: ordered by
 * address, balanced by a hash of it. It owns no memory and takes no lock.
 */
#ifndef LODE_DRIVER_SPANS_H
#define LODE_DRIVER_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
    uintptr_t base;
    size_t length;
    struct span *left, *right;
};

void spans_insert(struct span **root, struct span *span);
void spans_remove(struct span **root, struct span *span);
struct span *spans_find(struct span *root, uintptr_t address);
/* The first span that ends after `address`, or NULL. */
struct span *spans_after(struct span *root, uintptr_t address);

#endif
