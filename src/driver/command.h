/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command list is made of. A command is a record on a tape: this header, what its operation needs,
 * then whatever is of variable length. It has copies of everything it needs but the memory it works on:
 * kernels and their arguments may change as soon as it is written.
 */
#ifndef LODE_DRIVER_COMMAND_H
#define LODE_DRIVER_COMMAND_H

#include "driver/event.h"
#include "driver/tape.h"

struct kernel_code;
struct list;
struct fence;

enum operation {
    OP_NOTHING, /* waits and signals only: barriers, signals, waits */
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

/* What completing a command changes, besides the timeline of its stream. */
struct signal {
    struct event_slot *slot;      /* of an ordinary event, or NULL */
    struct shared_stamps *stamps; /* of a counter-based one that takes the time, or NULL */
    uint32_t counter;             /* regular lists: how far it brings the list's timeline; 0: it does not */
    bool shared, timed;
};

struct command {
    struct record record;
    uint32_t operation;
    uint32_t nwaits;
    uint32_t number;   /* regular lists: the first command is 1 */
    uint32_t captured; /* regular lists: 1 + where its waits are among those captured at submission; 0: here
                        */
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
    struct event_slot *slot; /* the event may be gone, its slot stays */
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
        struct event *event;     /* a counter-based one */
        struct event_slot *slot; /* of an ordinary one */
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
    uint64_t base;          /* of this execution on the list's timeline */
    struct wait captured[]; /* what its counter-based waits meant at submission */
};

struct signal_fence_command {
    struct command command;
    word_t *word;
};

/* A launch: how many groups of which size, and the arguments, all inside this record. */
struct launch_command {
    struct command command;
    const struct kernel_code *code;
    bool cooperative; /* its groups may wait for each other */
    uint32_t groups[3], group_size[3];
    uint64_t offset[3];
    const ze_group_count_t *indirect; /* OP_LAUNCH_INDIRECT: where the groups are read when it runs */
    unsigned char *values;
    void **arguments;      /* the address of each value */
    uint32_t *local_sizes; /* of arguments that are local memory, else 0 */
};

/* Several launches whose number and groups are read when it runs. */
struct launch_multiple_command {
    struct command command;
    uint32_t count;
    const uint32_t *actual; /* at most `count` */
    struct launch_command *launches[];
};

/* Waits and works. What a run of a regular list decided at its submission is in `run`, NULL elsewhere. */
void command_run(struct command *command, const struct run_list_command *run);

/* Tells the world. The command may be gone as soon as it knows, so this is the last that is done for it, and
 * works on a copy. */
void signal_give(const struct signal *signal);

#endif
