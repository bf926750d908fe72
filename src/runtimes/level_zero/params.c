/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameter blocks in device memory. Level Zero allocates whole pages and blocks are much smaller, so blocks
 * are pieces of slabs.
 *
 * A primitive may be destroyed while it runs, so a freed block is retired before it is reused.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB = 64 << 10, SMALLEST = 256 };

/* Pieces of one size. The numbers of free pieces are on a stack. */
struct lz_slab {
    struct lz_slab *next;
    char *base;
    size_t piece;
    uint32_t count, nfree;
    uint32_t numbers[];
};

static size_t piece_for(size_t size) {
    size_t piece = SMALLEST;
    while (piece < size)
        piece *= 2;
    return piece;
}

static struct lz_slab *add_slab(struct lz_device *d, size_t piece) {
    size_t size = piece > SLAB ? piece : SLAB;
    uint32_t count = (uint32_t)(size / piece);
    struct lz_slab *slab = malloc(sizeof *slab + count * sizeof slab->numbers[0]);
    if (!slab) return NULL;
    *slab = (struct lz_slab){.next = d->slabs, .piece = piece, .count = count, .nfree = count};
    for (uint32_t i = 0; i < count; i++)
        slab->numbers[i] = count - 1 - i;
    void *base = NULL;
    if (lz_alloc(d, size, &base) != ZE_RESULT_SUCCESS) {
        free(slab);
        return NULL;
    }
    slab->base = base;
    d->slabs = slab;
    return slab;
}

static char *take_piece(struct lz_device *d, size_t piece) {
    pthread_mutex_lock(&d->lock);
    struct lz_slab *slab = d->slabs;
    while (slab && (slab->piece != piece || slab->nfree == 0))
        slab = slab->next;
    if (!slab) slab = add_slab(d, piece);
    char *taken = slab ? slab->base + slab->numbers[--slab->nfree] * piece : NULL;
    pthread_mutex_unlock(&d->lock);
    return taken;
}

/* The device is locked. */
static void free_piece(struct lz_device *d, void *what) {
    const char *piece = what;
    struct lz_slab *slab = d->slabs;
    while (piece < slab->base || piece >= slab->base + slab->piece * slab->count)
        slab = slab->next;
    slab->numbers[slab->nfree++] = (uint32_t)((size_t)(piece - slab->base) / slab->piece);
}

/* -- the runtime's slots -- */

static dnnl_status_t write_params(struct lz_device *d, void *piece, const void *params, size_t size) {
    if (!d->native) return lz_copy(d, piece, params, size);
    memcpy(piece, params, size);
    return dnnl_success;
}

dnnl_status_t lz_params_load(struct device *device, const struct program *program, void **blocks,
                             void **handle) {
    struct lz_device *d = lz_device_of(device);
    char *piece = take_piece(d, piece_for(program->params_size));
    if (!piece) return fail(dnnl_out_of_memory, "primitive", "no device memory for parameters");
    dnnl_status_t status = write_params(d, piece, program->params, program->params_size);
    if (status != dnnl_success) {
        lz_retire(d, free_piece, piece);
        return status;
    }
    for (int i = 0; i < program->nlaunches; i++)
        blocks[i] = piece + program->launches[i]->offset;
    *handle = piece;
    return dnnl_success;
}

void lz_params_free(struct device *device, int nblocks, void **blocks, void *handle) {
    (void)nblocks, (void)blocks;
    lz_retire(lz_device_of(device), free_piece, handle);
}

void lz_params_free_all(struct lz_device *d) {
    for (struct lz_slab *slab = d->slabs, *next; slab; slab = next) {
        next = slab->next;
        lz_free(d, slab->base);
        free(slab);
    }
}
