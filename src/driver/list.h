/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lists. A regular one records commands on its tape, to be run by a queue or an immediate list; an
 * immediate one writes them on the tape of its stream. Appending is the same for both: list_append, fill in,
 * list_submit.
 */
#ifndef LODE_DRIVER_LIST_H
#define LODE_DRIVER_LIST_H

#include "driver/command.h"
#include "driver/driver.h"

/* A counter-based event that a regular list signals, and moves at every submission. */
struct counter_signal {
    struct event *event;
    uint64_t serial; /* the event it was: the handle may be another's by now */
    struct shared_stamps *stamps;
};

/* A command of a mutable list that may be changed after closing. */
struct mutable_command {
    struct command *command; /* NULL until appended */
    uint32_t flags;
    size_t room; /* for arguments, if its kernel may be exchanged */
};

struct list {
    struct object object;
    struct context *context;
    ze_command_queue_desc_t queue; /* immediate: as asked for; regular: ordinal only */
    ze_command_list_flags_t flags;
    bool immediate, closed, is_mutable;

    struct stream *stream;        /* immediate */
    struct event *pending_signal; /* of the command being appended */
    struct shared_stamps
            *pending_stamps; /* the command's, if that event is counter-based and takes the time */

    struct tape tape; /* regular, as all below */
    uint32_t ncommands;
    _Atomic uint32_t in_flight;     /* executions not complete */
    struct timeline *timeline;      /* where its counter-based signals stand; NULL while it has none */
    uint64_t timeline_end;          /* of the last submission */
    struct counter_signal *signals; /* `counters` of them */
    uint32_t counters;
    struct event **captures; /* whose place is looked up at submission; NULL: nothing to wait for */
    uint32_t ncaptures;
    struct mutable_command *mutables;
    uint32_t nmutables;
    struct mutable_command *next_mutable; /* the next command gets this */
};

static inline struct list *to_list(ze_command_list_handle_t handle) {
    return object_is(handle, OBJECT_LIST) ? (struct list *)handle : NULL;
}

/* What every append call is given besides its own arguments. */
struct dependencies {
    ze_event_handle_t signal;
    uint32_t nwaits;
    ze_event_handle_t *waits;
};

/* Begins a command of `size` bytes, `size` not counting the waits; its header is complete on return, the rest
 * is for the caller to fill in before list_submit. */
ze_result_t list_append(struct list *list, enum operation operation, size_t size,
                        const struct dependencies *dependencies, void *command);
ze_result_t list_submit(struct list *list);

/* Gives a recorded command another signal (NULL: none), or other events to wait for: as many as it has, NULL
 * for none. Of a closed regular list that is not in flight. */
ze_result_t list_change_signal(struct list *list, struct command *command, struct event *event);
ze_result_t list_change_waits(struct list *list, struct command *command, ze_event_handle_t *events);

/* Can the list be run in that context? */
ze_result_t list_check_run(struct list *list, const struct context *context);
/* Writes the run of a list on a stream's tape, for its owner to publish; from then on the list is in flight.
 * NULL when out of memory. */
struct run_list_command *list_write_run(struct list *list, struct stream *stream);
/* The other end of it: the last command of a run is about to signal. */
void list_leave_flight(struct list *list);

#endif
