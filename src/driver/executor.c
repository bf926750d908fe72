/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes commands: one function per operation, in a table. Takes no locks and allocates nothing.
 */
#include "driver/command.h"
#include "driver/copy.h"
#include "driver/kernel.h"
#include "driver/list.h"
#include "driver/priority.h"

#include <string.h>

static void run_nothing(struct command *command) {
    (void)command;
}

static void run_copy(struct command *command) {
    const struct copy_command *copy = (struct copy_command *)command;
    copy_memory(copy->dst, copy->src, copy->size);
}

static void run_copy_region(struct command *command) {
    const struct copy_region_command *copy = (struct copy_region_command *)command;
    copy_box(copy->dst, copy->dst_pitch, copy->src, copy->src_pitch, copy->size);
}

static void run_fill(struct command *command) {
    const struct fill_command *fill = (struct fill_command *)command;
    fill_memory(fill->dst, fill->size, fill->pattern, fill->pattern_size);
}

static void run_reset_event(struct command *command) {
    const struct reset_event_command *reset = (struct reset_event_command *)command;
    event_reset(reset->event, reset->slot);
}

static void run_write_timestamp(struct command *command) {
    *((struct write_timestamp_command *)command)->dst = device_clock();
}

static void run_query_timestamps(struct command *command) {
    const struct query_timestamps_command *query = (struct query_timestamps_command *)command;
    for (uint32_t i = 0; i < query->count; i++) {
        const struct stamp_query *one = &query->queries[i];
        struct stamps stamps = one->slot ? stamps_read(&one->slot->stamps) : event_last_stamps(one->event);
        const ze_kernel_timestamp_data_t data = {stamps.start, stamps.end};
        ze_kernel_timestamp_result_t result = {.global = data, .context = data};
        memcpy((char *)query->dst + one->offset, &result, sizeof result);
    }
}

static void run_launch(struct command *command) {
    const struct launch_command *launch = (struct launch_command *)command;
    launch_groups(launch, launch->groups);
}

static void launch_indirect(const struct launch_command *launch) {
    const uint32_t groups[3] = {launch->indirect->groupCountX, launch->indirect->groupCountY,
                                launch->indirect->groupCountZ};
    launch_groups(launch, groups);
}

static void run_launch_indirect(struct command *command) {
    launch_indirect((struct launch_command *)command);
}

static void run_launch_multiple(struct command *command) {
    const struct launch_multiple_command *multiple = (struct launch_multiple_command *)command;
    uint32_t count = *multiple->actual;
    for (uint32_t i = 0; i < count && i < multiple->count; i++)
        launch_indirect(multiple->launches[i]);
}

static void run_host_function(struct command *command) {
    const struct host_function_command *call = (struct host_function_command *)command;
    call->function(call->data);
}

/* The list may be reset once its last command has signalled, so its commands are not touched after that. */
static void run_list(struct command *command) {
    struct run_list_command *run = (struct run_list_command *)command;
    struct list *list = run->list;
    struct timeline *timeline = list->timeline;
    struct tape_position position = tape_start(&list->tape);
    uint32_t left = list->ncommands;
    if (left == 0) {
        priority_started(run->claim);
        list_end_run(list);
    }
    while (left-- > 0) {
        struct command *next = tape_read(&position);
        command_run(next, run, run->claim);
        struct signal signal = next->signal;
        if (left == 0)
            list_end_run(list);
        else
            priority_claim(run->claim);
        if (signal.counter) timeline_reach(timeline, run->base + signal.counter);
        signal_send(&signal);
    }
    object_release(list);
}

static void run_signal_fence(struct command *command) {
    word_set(((struct signal_fence_command *)command)->word, false);
}

static void (*const operations[OPERATIONS])(struct command *) = {
        [OP_NOTHING] = run_nothing,
        [OP_COPY] = run_copy,
        [OP_COPY_REGION] = run_copy_region,
        [OP_FILL] = run_fill,
        [OP_RESET_EVENT] = run_reset_event,
        [OP_WRITE_TIMESTAMP] = run_write_timestamp,
        [OP_QUERY_TIMESTAMPS] = run_query_timestamps,
        [OP_LAUNCH] = run_launch,
        [OP_LAUNCH_INDIRECT] = run_launch_indirect,
        [OP_LAUNCH_MULTIPLE] = run_launch_multiple,
        [OP_HOST_FUNCTION] = run_host_function,
        [OP_SIGNAL_FENCE] = run_signal_fence,
};

static struct stamps *stamps_of(const struct signal *signal) {
    return signal->slot ? &signal->slot->stamps : &signal->stamps->stamps;
}

void command_run(struct command *command, const struct run_list_command *run, struct claim *claim) {
    const struct wait *waits = command->captured ? run->captured + command->captured - 1 : command->waits;
    if (command->operation == OP_RUN_LIST) { /* its commands start one by one */
        run_list(command);
        return;
    }
    bool timed = command->signal.timed;
    priority_wait(claim, waits, command->nwaits);
    uint64_t start = timed ? device_clock() : 0;
    priority_started(claim);
    operations[command->operation](command);
    if (timed) stamps_write(stamps_of(&command->signal), start, device_clock());
}

void signal_send(const struct signal *signal) {
    if (signal->slot) word_set(&signal->slot->word, signal->shared);
}
