/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates executions that were recorded on a mutable command list (the extension
 * ZE_experimental_mutable_command_list). The driver gives a number to each mutable command before it is
 * appended. A recorded execution holds the numbers of its launches and is found by the event that it
 * returned.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

/* -- declarations of the extension, which is newer than the headers that we build with -- */

enum {
    STYPE_COMMAND_ID_DESC = 0x20017,
    STYPE_COMMANDS_DESC = 0x20018,
    STYPE_KERNEL_ARGUMENT_DESC = 0x20019,
    FLAG_KERNEL_ARGUMENTS = 1,
};
struct plain_desc {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
};
struct argument_desc {
    ze_structure_type_t stype;
    const void *next;
    uint64_t number;
    uint32_t index;
    size_t size;
    const void *value;
};

/* -- recording -- */

struct lz_recorded_launch {
    struct cursor at; /* in the program */
    uint64_t number;
};

struct lz_recorded {
    struct lz_recorded *next;
    ze_event_handle_t event;
    struct counted *owner; /* the stream holds a reference */
    const struct program *program;
    uint32_t *scalars; /* current values */
    size_t nlaunches;
    struct lz_recorded_launch launches[];
};

struct lz_recorded *lz_record_begin(struct lz_stream *s, const struct execution *e) {
    const struct newer_functions *newer = &s->device->driver->newer;
    const struct program *program = e->executable->program;
    if (s->immediate || !e->return_event || !newer->CommandListGetNextCommandIdExp) return NULL;
    size_t size = sizeof(struct lz_recorded) + program->nruns * sizeof(struct lz_recorded_launch);
    struct lz_recorded *r = malloc(size + (size_t)program->nscalars * sizeof(uint32_t));
    if (!r) return NULL;
    *r = (struct lz_recorded){.owner = e->owner, .program = program};
    r->scalars = (uint32_t *)((char *)r + size);
    if (program->nscalars) memcpy(r->scalars, e->scalars, (size_t)program->nscalars * sizeof(uint32_t));
    return r;
}

/* Command numbers increase. A smaller one means that the list was reset, so earlier records are dropped. */
bool lz_record_launch(struct lz_stream *s, struct lz_recorded *r, struct cursor at) {
    const struct plain_desc desc = {.stype = (ze_structure_type_t)STYPE_COMMAND_ID_DESC,
                                    .flags = FLAG_KERNEL_ARGUMENTS};
    struct lz_recorded_launch *launch = &r->launches[r->nlaunches];
    s->numbering_result =
            s->device->driver->newer.CommandListGetNextCommandIdExp(s->newer_list, &desc, &launch->number);
    if (s->numbering_result != ZE_RESULT_SUCCESS) return false;
    if (launch->number <= s->last_number) lz_record_free_all(s);
    s->last_number = launch->number;
    launch->at = at;
    r->nlaunches++;
    return true;
}

void lz_record_end(struct lz_stream *s, struct lz_recorded *r, ze_event_handle_t event) {
    r->event = event;
    r->next = s->recorded;
    s->recorded = r;
}

void lz_record_free_all(struct lz_stream *s) {
    for (struct lz_recorded *r = s->recorded, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    s->recorded = NULL;
}

/* -- updating -- */

/* All changes at once: a chain of descriptors, the last one first, with the values that they point to. */
struct changes {
    int count;
    struct argument_desc *descs;
    struct scalars *blocks; /* one per launch */
    uint32_t *scalars;      /* the program's new values */
};

/* One allocation: free(c->descs). */
static bool changes_init(struct changes *c, const struct lz_recorded *r) {
    size_t n = r->nlaunches, ndescs = n * (LAUNCH_MAX_BUFFERS + 1), nscalars = (size_t)r->program->nscalars;
    c->count = 0;
    c->descs = malloc(ndescs * sizeof *c->descs + n * sizeof *c->blocks + nscalars * sizeof *c->scalars + 1);
    if (!c->descs) return false;
    c->blocks = (struct scalars *)(c->descs + ndescs);
    c->scalars = (uint32_t *)(c->blocks + n);
    return true;
}

static void add_change(struct changes *c, const struct lz_recorded_launch *launch, int index, size_t size,
                       const void *value) {
    const void *before = c->count > 0 ? &c->descs[c->count - 1] : NULL;
    c->descs[c->count++] = (struct argument_desc){.stype = (ze_structure_type_t)STYPE_KERNEL_ARGUMENT_DESC,
                                                  .next = before,
                                                  .number = launch->number,
                                                  .index = (uint32_t)index,
                                                  .size = size,
                                                  .value = value};
}

static bool has_changed_scalar(const struct launch *launch, const uint32_t *const *scalars) {
    for (int i = 0; i < launch->nscalars; i++)
        if (scalars[launch->scalars[i]]) return true;
    return false;
}

/* The scalars of a launch are one argument, after the buffers. */
static void change_launch(struct changes *c, const struct lz_recorded *r, size_t i,
                          const struct buffer *const *buffers, const uint32_t *const *scalars) {
    const struct lz_recorded_launch *recorded = &r->launches[i];
    const struct launch *launch = r->program->launches[recorded->at.launch];
    for (int b = 0; b < launch->nbuffers; b++)
        if (buffers[launch->buffers[b]])
            add_change(c, recorded, b, sizeof(void *), &buffers[launch->buffers[b]]->handle);
    if (!has_changed_scalar(launch, scalars)) return;
    launch_scalars(launch, recorded->at.step, c->scalars, &c->blocks[i]);
    add_change(c, recorded, launch->nbuffers, sizeof c->blocks[i], &c->blocks[i]);
}

static ze_result_t send(struct lz_stream *s, const struct changes *c) {
    if (c->count == 0) return ZE_RESULT_SUCCESS;
    const struct plain_desc desc = {.stype = (ze_structure_type_t)STYPE_COMMANDS_DESC,
                                    .next = &c->descs[c->count - 1]};
    return s->device->driver->newer.CommandListUpdateMutableCommandsExp(s->newer_list, &desc);
}

static dnnl_status_t change(struct lz_stream *s, struct lz_recorded *r, const struct buffer *const *buffers,
                            const uint32_t *const *scalars) {
    struct changes c;
    int nscalars = r->program->nscalars;
    if (!changes_init(&c, r)) return dnnl_out_of_memory;
    for (int i = 0; i < nscalars; i++)
        c.scalars[i] = scalars[i] ? *scalars[i] : r->scalars[i];
    for (size_t i = 0; i < r->nlaunches; i++)
        change_launch(&c, r, i, buffers, scalars);
    ze_result_t result = send(s, &c);
    if (result == ZE_RESULT_SUCCESS)
        for (int i = 0; i < nscalars; i++)
            r->scalars[i] = c.scalars[i];
    free(c.descs);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : lz_fail(result, "stream", "zeCommandListUpdateMutableCommandsExp");
}

/* The caller holds the stream's lock. */
static dnnl_status_t find(const struct lz_stream *s, ze_event_handle_t event, struct lz_recorded **found) {
    if (s->immediate)
        return fail(dnnl_invalid_arguments, "stream", "nothing is recorded on an immediate list");
    if (!s->device->driver->newer.CommandListUpdateMutableCommandsExp
        || s->numbering_result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
        return fail(dnnl_unimplemented, "stream", "the driver has no mutable command lists");
    struct lz_recorded *r = s->recorded;
    while (r && r->event != event)
        r = r->next;
    if (!r)
        return fail(dnnl_invalid_arguments, "stream",
                    "the event does not belong to an execution recorded on a mutable list");
    *found = r;
    return dnnl_success;
}

dnnl_status_t lz_stream_recorded(struct stream *stream, ze_event_handle_t event, struct counted **owner) {
    struct lz_stream *s = lz_stream_of(stream);
    struct lz_recorded *r = NULL;
    pthread_mutex_lock(&s->lock);
    dnnl_status_t status = find(s, event, &r);
    if (status == dnnl_success) *owner = counted_retain(r->owner);
    pthread_mutex_unlock(&s->lock);
    return status;
}

dnnl_status_t lz_stream_update(struct stream *stream, ze_event_handle_t event,
                               const struct buffer *const *buffers, const uint32_t *const *scalars) {
    struct lz_stream *s = lz_stream_of(stream);
    struct lz_recorded *r = NULL;
    pthread_mutex_lock(&s->lock);
    dnnl_status_t status = find(s, event, &r);
    if (status == dnnl_success) status = change(s, r, buffers, scalars);
    pthread_mutex_unlock(&s->lock);
    return status;
}
