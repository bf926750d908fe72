/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other memory for executions that were recorded on a mutable command list (the extension
 * ZE_experimental_mutable_command_list). The driver gives a number to each command that may change, before
 * it is appended; a recorded execution is the numbers of its launches, found by the event that its user got.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

/* -- what the extension declares, newer than the headers that we build with -- */

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
    int index; /* in the plan */
    uint64_t number;
    uint32_t scalars[LAUNCH_MAX_SCALARS];
};

struct lz_recorded {
    struct lz_recorded *next;
    ze_event_handle_t event;
    const struct plan *plan; /* the stream keeps it */
    int nlaunches;
    struct lz_recorded_launch launches[];
};

struct lz_recorded *lz_record_begin(struct lz_stream *s, const struct execution *e) {
    const struct newer_functions *newer = &s->device->driver->newer;
    if (s->immediate || !e->return_event || !newer->CommandListGetNextCommandIdExp) return NULL;
    struct lz_recorded *r =
            malloc(sizeof *r + (size_t)e->plan->nlaunches * sizeof(struct lz_recorded_launch));
    if (r) *r = (struct lz_recorded){.plan = e->plan};
    return r;
}

/* Numbers rise. One that does not tells that the list was reset: what it had before is gone. */
bool lz_record_launch(struct lz_stream *s, struct lz_recorded *r, const struct execution *e, int index) {
    const struct plain_desc desc = {.stype = (ze_structure_type_t)STYPE_COMMAND_ID_DESC,
                                    .flags = FLAG_KERNEL_ARGUMENTS};
    struct lz_recorded_launch *launch = &r->launches[r->nlaunches];
    s->numbering_result =
            s->device->driver->newer.CommandListGetNextCommandIdExp(s->newer_list, &desc, &launch->number);
    if (s->numbering_result != ZE_RESULT_SUCCESS) return false;
    if (launch->number <= s->last_number) lz_record_free_all(s);
    s->last_number = launch->number;
    launch->index = index;
    memcpy(launch->scalars, e->scalars[index], sizeof launch->scalars);
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

/* -- changing -- */

enum { MAX_CHANGES = PLAN_MAX_LAUNCHES * (LAUNCH_MAX_BUFFERS + 1) };

/* A chain of descriptors, the last one first. */
struct changes {
    int count;
    struct argument_desc descs[MAX_CHANGES];
};

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

static void change_buffers(struct changes *c, const struct launch *launch,
                           const struct lz_recorded_launch *recorded, int nargs,
                           const dnnl_exec_arg_t *args) {
    for (int b = 0; b < launch->nbuffers; b++) {
        const struct dnnl_memory *memory = exec_memory(launch->buffers[b], nargs, args);
        if (memory) add_change(c, recorded, b, sizeof(void *), &memory->buffers[0].handle);
    }
}

/* The scalars of a launch are one argument, after the buffers. */
static void change_scalars(struct changes *c, const struct launch *launch,
                           const struct lz_recorded_launch *recorded, uint32_t *scalars, int nargs,
                           const dnnl_exec_arg_t *args) {
    bool changed = false;
    memcpy(scalars, recorded->scalars, sizeof recorded->scalars);
    for (int i = 0; i < launch->nscalars; i++) {
        const struct dnnl_memory *memory = exec_memory(launch->scalars[i].arg, nargs, args);
        if (!memory) continue;
        scalars[i] = host_scalar_bits(memory, launch->scalars[i].form);
        changed = true;
    }
    if (changed) add_change(c, recorded, launch->nbuffers, sizeof recorded->scalars, scalars);
}

static dnnl_status_t change(struct lz_stream *s, struct lz_recorded *r, int nargs,
                            const dnnl_exec_arg_t *args) {
    struct changes c;
    uint32_t scalars[PLAN_MAX_LAUNCHES][LAUNCH_MAX_SCALARS];
    c.count = 0;
    for (int i = 0; i < r->nlaunches; i++) {
        const struct launch *launch = &r->plan->launches[r->launches[i].index];
        change_buffers(&c, launch, &r->launches[i], nargs, args);
        change_scalars(&c, launch, &r->launches[i], scalars[i], nargs, args);
    }
    if (c.count == 0) return dnnl_success;
    const struct plain_desc desc = {.stype = (ze_structure_type_t)STYPE_COMMANDS_DESC,
                                    .next = &c.descs[c.count - 1]};
    ze_result_t result = s->device->driver->newer.CommandListUpdateMutableCommandsExp(s->newer_list, &desc);
    if (result != ZE_RESULT_SUCCESS)
        return lz_fail(result, "stream", "zeCommandListUpdateMutableCommandsExp");
    for (int i = 0; i < r->nlaunches; i++)
        memcpy(r->launches[i].scalars, scalars[i], sizeof scalars[i]);
    return dnnl_success;
}

static dnnl_status_t update(struct lz_stream *s, ze_event_handle_t event, int nargs,
                            const dnnl_exec_arg_t *args) {
    struct lz_recorded *r = s->recorded;
    while (r && r->event != event)
        r = r->next;
    if (!r)
        return fail(dnnl_invalid_arguments, "stream",
                    "the event is not one of an execution that was recorded on a mutable list");
    TRY(execution_check_update(r->plan, nargs, args));
    return change(s, r, nargs, args);
}

dnnl_status_t lz_stream_update(struct dnnl_stream *stream, ze_event_handle_t event, int nargs,
                               const dnnl_exec_arg_t *args) {
    struct lz_stream *s = lz_stream_of(stream);
    if (s->immediate)
        return fail(dnnl_invalid_arguments, "stream", "nothing is recorded on an immediate list");
    pthread_mutex_lock(&s->lock);
    bool lacking = !s->device->driver->newer.CommandListUpdateMutableCommandsExp
                   || s->numbering_result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    dnnl_status_t status =
            lacking ? fail(dnnl_unimplemented, "stream", "the driver has no mutable command lists")
                    : update(s, event, nargs, args);
    pthread_mutex_unlock(&s->lock);
    return status;
}
