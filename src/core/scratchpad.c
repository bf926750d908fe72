/* SPDX-License-Identifier: Apache-2.0 */
/* Scratchpads of a device: a fixed table of slots, taken and given back by a compare-and-swap of their
 * holder. */
#include "core/scratchpad.h"
#include "core/objects.h"

static const uint64_t nobody = 0, library = UINT64_MAX;

static bool take_slot(struct scratch *slot, uint64_t holder) {
    uint64_t expected = nobody;
    return atomic_load_explicit(&slot->holder, memory_order_relaxed) == nobody
           && atomic_compare_exchange_strong(&slot->holder, &expected, holder);
}

/* Gives a slot that we hold a buffer of at least `size`. */
static bool grow(struct device *device, struct scratch *slot, size_t size) {
    if (slot->size >= size) return true;
    if (slot->size) device->runtime->buffer_free(device, &slot->buffer);
    slot->size = 0;
    if (device->runtime->buffer_alloc(device, size, &slot->buffer) != dnnl_success) return false;
    slot->size = size;
    return true;
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

static struct scratch *find_held(struct device *device, size_t size, uint64_t holder) {
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *slot = &device->scratch[i];
        if (atomic_load_explicit(&slot->holder, memory_order_relaxed) == holder && slot->size >= size)
            return slot;
    }
    return NULL;
}

dnnl_status_t scratch_reserve(struct device *device, size_t size) {
    struct scratch *slot = take_new(device, size, library);
    if (!slot) return dnnl_out_of_memory;
    atomic_store(&slot->holder, nobody);
    return dnnl_success;
}

struct scratch *scratch_take(const struct dnnl_stream *stream, size_t size) {
    struct device *device = stream->engine->device;
    struct scratch *held = device->runtime->synchronous ? NULL : find_held(device, size, stream->id);
    return held ? held : take_new(device, size, stream->id);
}

void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream) {
    if (engine_runtime(stream->engine)->synchronous) atomic_store(&scratch->holder, nobody);
}

void scratch_forget(struct dnnl_stream *stream) {
    struct device *device = stream->engine->device;
    if (!find_held(device, 0, stream->id)) return;
    device->runtime->stream_wait(stream);
    for (int i = 0; i < SCRATCH_SLOTS; i++)
        if (device->scratch[i].holder == stream->id) atomic_store(&device->scratch[i].holder, nobody);
}

void scratch_free_all(struct device *device) {
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *slot = &device->scratch[i];
        if (slot->size) device->runtime->buffer_free(device, &slot->buffer);
        slot->size = 0;
    }
}
