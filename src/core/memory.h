/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory objects: a descriptor and the buffers that hold its data on one engine. The public functions and the
 * interop functions of all runtimes use these.
 */
#ifndef LODE_CORE_MEMORY_H
#define LODE_CORE_MEMORY_H

#include "core/objects.h"

/* The size in bytes that a buffer needs for the descriptor, from the start of the buffer. */
size_t memory_size(const md_t *md, int handle);

/* Checks the arguments and creates a memory object with buffers of one kind from the user's handles:
 * DNNL_MEMORY_NONE, DNNL_MEMORY_ALLOCATE or handles that the runtime accepts. */
dnnl_status_t memory_create(struct dnnl_memory **memory, const md_t *md, struct dnnl_engine *engine,
                            enum buffer_kind kind, int nhandles, void **handles);

void memory_destroy(struct dnnl_memory *memory);

/* Frees what the buffer owns and clears it. */
void buffer_release(struct buffer *buffer, struct dnnl_engine *engine);

/* The buffer of handle `index`; NULL, with a verbose line, if there is none. */
struct buffer *memory_buffer(const struct dnnl_memory *memory, int index);
/* Gives a memory object another handle (not DNNL_MEMORY_ALLOCATE); the old one is released. */
dnnl_status_t memory_set_handle(struct dnnl_memory *memory, int index, void *handle);

/* Host access. An empty buffer maps to NULL. */
dnnl_status_t memory_map(const struct dnnl_memory *memory, int index, void **address);
dnnl_status_t memory_unmap(const struct dnnl_memory *memory, int index, void *address);

/* Writes zeros where the descriptor has padding: `data` is the mapped buffer of a blocked descriptor without
 * run-time values. */
void md_zero_padding(const md_t *md, void *data);
/* The same for a memory object, after everything submitted to the stream. */
dnnl_status_t memory_zero_padding(const struct dnnl_memory *memory, struct dnnl_stream *stream);

#endif
