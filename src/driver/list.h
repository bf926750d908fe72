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
    struct reference event;
    uint32_t number; /* of the command that signals it */
    struct shared_stamps *stamps;
};

/* An event that a command of a regular list waits for, looked up anew at every submission while it lives. */
struct capture {
    struct reference event; /* none: nothing to wait for */
    struct wait recorded;   /* what it meant when it was appended */
};

/* Something that a command of a regular list cannot run without: an ordinary event, or a module. */
enum need_for { NEED_SIGNAL, NEED_WAIT, NEED_CODE, NEED_OTHER };
struct need {
    struct reference object;
    const struct command *command; /* whose need it is, in mutable lists */
    enum need_for what_for;
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
    struct counter_signal *signals; /* `counters` of them, in the order of their commands */
    uint32_t counters;
    struct capture *captures;
    uint32_t ncaptures;
    struct need *needs;
    uint32_t nneeds;
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
/* Takes back what list_append began. */
void list_unappend(struct list *list, void *command);

/* Room for `more` elements behind the `count` of an array that this function made; it grows by doubling. NULL
 * when out of memory. */
void *list_grow(void *array, uint32_t count, uint32_t more, size_t size);

/* Are events of an append call what they should be? */
ze_result_t list_check_events(const struct list *list, const struct dependencies *dependencies);

/* The list is not run any more once that object is gone. Nothing for immediate lists. */
ze_result_t list_need(struct list *list, const void *command, void *object, enum need_for what_for);
/* Do the modules of all its launches live? */
ze_result_t list_check_code(const struct list *list);
/* The command does not need what it needed for that. */
void list_forget_needs(struct list *list, const void *command, enum need_for what_for);

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
