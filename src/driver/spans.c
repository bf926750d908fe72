/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The treap of spans.h. Its expected depth is logarithmic for any order of insertion.
 */
#include "driver/spans.h"

static uint64_t priority(const struct span *span) {
    uint64_t hash = (uint64_t)span->base * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Splits a tree into spans that start below `base` and the rest. */
static void split(struct span *tree, uintptr_t base, struct span **below, struct span **above) {
    while (tree) {
        if (tree->base < base) {
            *below = tree;
            below = &tree->right;
            tree = tree->right;
        } else {
            *above = tree;
            above = &tree->left;
            tree = tree->left;
        }
    }
    *below = *above = NULL;
}

void spans_insert(struct span **root, struct span *span) {
    while (*root && priority(*root) > priority(span))
        root = (*root)->base < span->base ? &(*root)->right : &(*root)->left;
    struct span *tree = *root;
    *root = span;
    split(tree, span->base, &span->left, &span->right);
}

/* Joins two trees; all of `below` comes before all of `above`. */
static void join(struct span **root, struct span *below, struct span *above) {
    while (below && above) {
        if (priority(below) > priority(above)) {
            *root = below;
            root = &below->right;
            below = below->right;
        } else {
            *root = above;
            root = &above->left;
            above = above->left;
        }
    }
    *root = below ? below : above;
}

void spans_remove(struct span **root, struct span *span) {
    while (*root != span)
        root = (*root)->base < span->base ? &(*root)->right : &(*root)->left;
    join(root, span->left, span->right);
}

struct span *spans_after(struct span *root, uintptr_t address) {
    struct span *found = NULL;
    while (root) {
        if (address < root->base + root->length) {
            found = root;
            root = root->left;
        } else
            root = root->right;
    }
    return found;
}

struct span *spans_find(struct span *root, uintptr_t address) {
    struct span *span = spans_after(root, address);
    return span && span->base <= address ? span : NULL;
}
