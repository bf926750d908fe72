/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of a command list. A command is a record on a tape: this header, the fields of its operation,
 * then variable-length data. It copies everything it needs except the memory it works on, so kernels and
 * their arguments may change once it is written.
 */
#ifndef LODE_DRIVER_COMMAND_H
#define LODE_DRIVER_COMMAND_H

#include "driver/event.h"
#include "driver/tape.h"

struct claim;
struct kernel_code;
struct list;
struct fence;

enum operation {
    OP_NOTHING, /* only waits and signals: barriers, event signals, event waits */
    OP_COPY,
    OP_COPY_REGION,
    OP_FILL,
    OP_RESET_EVENT,
    OP_WRITE_TIMESTAMP,
    OP_QUERY_TIMESTAMPS,
    OP_LAUNCH,
    OP_LAUNCH_INDIRECT,
    OP_LAUNCH_MULTIPLE,
    OP_HOST_FUNCTION,
    OP_RUN_LIST,
    OP_SIGNAL_FENCE,
    OPERATIONS,
};

/* What completing a command updates, besides the timeline of its stream. */
struct signal {
    struct event_slot *slot;      /* of a regular event, or NULL */
    struct shared_stamps *stamps; /* of a counter-based event with timestamps, or NULL */
    uint32_t counter;             /* regular lists: value the list's timeline reaches; 0: unchanged */
    bool shared, timed;
};

struct command {
    struct record record;
    uint32_t operation;
    uint32_t nwaits;
    uint32_t number;   /* regular lists: position in the list, from 1 */
    uint32_t captured; /* regular lists: 1 + index of its waits among those captured at submission; 0: not
                        * captured */
    struct wait *waits;
    struct signal signal;
};

struct copy_command {
    struct command command;
    void *dst;
    const void *src;
    size_t size;
};

struct copy_region_command {
    struct command command;
    unsigned char *dst;
    const unsigned char *src;
    size_t size[3]; /* bytes, rows, slices */
    size_t dst_pitch[2], src_pitch[2];
};

struct fill_command {
    struct command command;
    unsigned char *dst;
    size_t size, pattern_size;
    unsigned char pattern[];
};

struct reset_event_command {
    struct command command;
    struct event *event;
    struct event_slot *slot; /* outlives the event */
};

struct write_timestamp_command {
    struct command command;
    uint64_t *dst;
};

struct query_timestamps_command {
    struct command command;
    ze_kernel_timestamp_result_t *dst;
    uint32_t count;
    struct stamp_query {
        struct event *event;     /* a counter-based event */
        struct event_slot *slot; /* of a regular event */
        size_t offset;
    } queries[];
};

struct host_function_command {
    struct command command;
    void (*function)(void *);
    void *data;
};

struct run_list_command {
    struct command command;
    struct list *list;
    struct claim *claim;    /* of the stream that runs it */
    uint64_t base;          /* where this execution starts on the list's timeline */
    struct wait captured[]; /* its counter-based waits, resolved at submission */
};

struct signal_fence_command {
    struct command command;
    word_t *word;
};

/* A kernel launch with its arguments, all inside this record. */
struct launch_command {
    struct command command;
    const struct kernel_code *code;
    bool cooperative; /* its groups may wait for each other */
    uint32_t groups[3], group_size[3];
    uint64_t offset[3];
    const ze_group_count_t *indirect; /* OP_LAUNCH_INDIRECT: group counts, read when it runs */
    unsigned char *values;
    void **arguments;      /* the address of each value */
    uint32_t *local_sizes; /* of local-memory arguments, else 0 */
};

/* Several launches whose number and group counts are read when the command runs. */
struct launch_multiple_command {
    struct command command;
    uint32_t count;
    const uint32_t *actual; /* number of launches, at most `count` */
    struct launch_command *launches[];
};

/* Waits for its events and its turn, then executes. `run` holds what a regular list resolved at submission;
 * NULL for other commands. */
void command_run(struct command *command, const struct run_list_command *run, struct claim *claim);

/* Signals completion. The command may be freed as soon as it has signalled, so this is the last step and
 * takes a copy. */
void signal_send(const struct signal *signal);

#endif
