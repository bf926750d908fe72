/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lists. A regular list records commands on its own tape, for a queue or an immediate list to run. An
 * immediate list writes them on the tape of its stream. Appending is the same for both: list_append, fill in
 * the command, list_submit.
 */
#ifndef LODE_DRIVER_LIST_H
#define LODE_DRIVER_LIST_H

#include "driver/command.h"
#include "driver/driver.h"

/* A counter-based event that a regular list signals; it moves at every submission. */
struct counter_signal {
    struct event *event;
    uint32_t number; /* of the command that signals it */
    struct shared_stamps *stamps;
};

/* An object that a command of a regular list needs to run: an event or a module. */
enum need_for { NEED_SIGNAL, NEED_WAIT, NEED_CODE, NEED_OTHER };
struct need {
    void *object;                  /* held */
    const struct command *command; /* that needs it; mutable lists only */
    enum need_for what_for;
};

/* A command of a mutable list that may be changed after closing. */
struct mutable_command {
    struct command *command; /* NULL until appended */
    uint32_t flags;
    size_t room; /* bytes for arguments, if its kernel may be replaced */
};

struct list {
    struct object object;
    struct context *context;       /* held */
    ze_command_queue_desc_t queue; /* immediate: as given; regular: ordinal only */
    ze_command_list_flags_t flags;
    bool immediate, closed, is_mutable;

    struct stream *stream;                /* immediate */
    struct event *pending_signal;         /* of the command being appended */
    struct shared_stamps *pending_stamps; /* the command's, if that event is counter-based with timestamps */

    struct tape tape; /* regular lists only, like everything below */
    uint32_t ncommands;
    _Atomic uint32_t in_flight;     /* incomplete executions */
    struct timeline *timeline;      /* of its counter-based signals; NULL while it has none */
    uint64_t timeline_end;          /* of the last submission */
    struct counter_signal *signals; /* `counters` entries, in command order */
    uint32_t counters;
    struct event **captures; /* events that commands wait for, resolved at every submission; NULL: no wait */
    uint32_t ncaptures;
    struct need *needs;
    uint32_t nneeds;
    struct mutable_command *mutables;
    uint32_t nmutables;
    struct mutable_command *next_mutable; /* applies to the next command appended */
};

static inline struct list *to_list(ze_command_list_handle_t handle) {
    return object_is(handle, OBJECT_LIST) ? (struct list *)handle : NULL;
}

/* The event arguments of every append call. */
struct dependencies {
    ze_event_handle_t signal;
    uint32_t nwaits;
    ze_event_handle_t *waits;
};

/* Begins a command of `size` bytes, waits not included. On return its header is complete; the caller fills in
 * the rest before list_submit. */
ze_result_t list_append(struct list *list, enum operation operation, size_t size,
                        const struct dependencies *dependencies, void *command);
ze_result_t list_submit(struct list *list);
/* Undoes list_append. */
void list_unappend(struct list *list, void *command);

/* Grows an array of `count` elements by `more`, in powers of two. Returns NULL when out of memory. */
void *list_grow(void *array, uint32_t count, uint32_t more, size_t size);

/* Checks the events of an append call. */
ze_result_t list_check_events(const struct dependencies *dependencies);

/* Holds `object` until the list drops the command. Does nothing for immediate lists. */
ze_result_t list_need(struct list *list, const void *command, void *object, enum need_for what_for);
/* Removes a command's needs of that kind. */
void list_drop_needs(struct list *list, const void *command, enum need_for what_for);

/* Changes a recorded command's signal event (NULL: none), or its wait events: the same number as before, NULL
 * for none. The list must be closed, regular and not in flight. */
ze_result_t list_change_signal(struct list *list, struct command *command, struct event *event);
ze_result_t list_change_waits(struct list *list, struct command *command, ze_event_handle_t *events);

/* Can the list be run on a queue of that group? */
ze_result_t list_check_run(const struct list *list, uint32_t ordinal);
/* Writes a run of the list on a stream's tape, to be published by the stream's owner. The list is then in
 * flight, and held until object_release. Returns NULL when out of memory. */
struct run_list_command *list_write_run(struct list *list, struct stream *stream);
/* Ends a run: called just before its last command signals. From then on the program may reset the list. */
void list_end_run(struct list *list);

#endif
