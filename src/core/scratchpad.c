/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratchpads of a device: a fixed table of slots, taken and given back by a compare-and-swap of their
 * holder. Scratchpads of a stream: a list that grows at its head.
 */
#include "core/scratchpad.h"
#include "core/objects.h"

#include <stdlib.h>

static const uint64_t nobody = 0, library = UINT64_MAX;

static bool take_slot(struct scratch *slot, uint64_t holder) {
    uint64_t expected = nobody;
    return atomic_load_explicit(&slot->holder, memory_order_relaxed) == nobody
           && atomic_compare_exchange_strong(&slot->holder, &expected, holder);
}

static dnnl_status_t alloc(struct device *device, struct scratch *slot, size_t size) {
    const struct runtime *runtime = device->runtime;
    dnnl_status_t status = runtime->buffer_alloc(device, runtime->buffer_kind, size, &slot->buffer);
    if (status == dnnl_success) slot->size = size;
    return status;
}

/* Allocates a buffer of at least `size` for a slot that we hold. */
static bool grow(struct device *device, struct scratch *slot, size_t size) {
    if (slot->size >= size) return true;
    if (slot->size) device->runtime->buffer_free(device, &slot->buffer);
    slot->size = 0;
    return alloc(device, slot, size) == dnnl_success;
}

static struct scratch *take_large_enough(struct device *device, size_t size, uint64_t holder) {
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *slot = &device->scratch[i];
        if (!take_slot(slot, holder)) continue;
        if (slot->size >= size) return slot;
        atomic_store(&slot->holder, nobody);
    }
    return NULL;
}

static struct scratch *take_and_grow(struct device *device, size_t size, uint64_t holder) {
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *slot = &device->scratch[i];
        if (!take_slot(slot, holder)) continue;
        if (grow(device, slot, size)) return slot;
        atomic_store(&slot->holder, nobody);
        return NULL;
    }
    return NULL;
}

static struct scratch *take_new(struct device *device, size_t size, uint64_t holder) {
    struct scratch *slot = take_large_enough(device, size, holder);
    return slot ? slot : take_and_grow(device, size, holder);
}

/* Adds a scratchpad to a stream, at least half as large again as the largest one, so that all of them
 * together take at most three times what the largest primitive needs. */
static struct scratch *add_locked(struct dnnl_stream *stream, struct scratch *largest, size_t size) {
    size_t half_more = largest ? largest->size + largest->size / 2 : 0;
    struct scratch *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (alloc(stream->engine->device, s, size > half_more ? size : half_more) != dnnl_success) {
        free(s);
        return NULL;
    }
    s->next = largest;
    atomic_store(&stream->scratch, s);
    return s;
}

static struct scratch *of_stream(struct dnnl_stream *stream, size_t size) {
    struct scratch *s = atomic_load_explicit(&stream->scratch, memory_order_acquire);
    if (s && s->size >= size) return s;
    pthread_mutex_lock(&stream->scratch_lock);
    s = stream->scratch;
    if (!s || s->size < size) s = add_locked(stream, s, size);
    pthread_mutex_unlock(&stream->scratch_lock);
    return s;
}

dnnl_status_t scratch_reserve(struct device *device, size_t size) {
    if (!device->runtime->synchronous) return dnnl_success;
    struct scratch *slot = take_new(device, size, library);
    if (!slot) return dnnl_out_of_memory;
    atomic_store(&slot->holder, nobody);
    return dnnl_success;
}

struct scratch *scratch_take(struct dnnl_stream *stream, size_t size) {
    struct device *device = stream->engine->device;
    return device->runtime->synchronous ? take_new(device, size, stream->id) : of_stream(stream, size);
}

void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream) {
    if (engine_runtime(stream->engine)->synchronous) atomic_store(&scratch->holder, nobody);
}

void scratch_forget(struct dnnl_stream *stream) {
    struct device *device = stream->engine->device;
    for (struct scratch *s = stream->scratch, *next; s; s = next) {
        next = s->next;
        device->runtime->buffer_free(device, &s->buffer);
        free(s);
    }
}

void scratch_free_all(struct device *device) {
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *slot = &device->scratch[i];
        if (slot->size) device->runtime->buffer_free(device, &slot->buffer);
        slot->size = 0;
    }
}
