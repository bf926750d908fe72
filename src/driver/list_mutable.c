/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes the commands of a closed list, and copies lists. A mutable command gets its number before it is
 * appended; its record has room for everything that may change.
 */
#include "driver/append_launch.h"
#include "driver/limits.h"
#include "driver/list.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_FLAGS (NEW_MUTABLE_ALL & ~NEW_MUTABLE_KERNEL_INSTRUCTION)

/* -- numbering -- */

static ze_result_t assign_number(struct list *list, uint32_t flags, size_t room, uint64_t *number) {
    if (!list->is_mutable || list->closed)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not mutable, or is closed");
    if (flags & ~NEW_MUTABLE_ALL) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    struct mutable_command *mutables =
            realloc(list->mutables, (list->nmutables + 1) * sizeof *list->mutables);
    if (!mutables) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->mutables = mutables;
    mutables[list->nmutables] =
            (struct mutable_command){.flags = flags ? flags : DEFAULT_FLAGS, .room = room};
    list->next_mutable = &mutables[list->nmutables++];
    *number = list->nmutables;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListGetNextCommandIdExp)(
        ze_command_list_handle_t list, const struct ze_mutable_command_id_exp_desc *desc, uint64_t *number) {
    return NEW(zeCommandListGetNextCommandIdWithKernelsExp)(list, desc, 0, NULL, number);
}

ze_result_t ZE_APICALL NEW(zeCommandListGetNextCommandIdWithKernelsExp)(
        ze_command_list_handle_t handle, const struct ze_mutable_command_id_exp_desc *desc, uint32_t count,
        ze_kernel_handle_t *kernels, uint64_t *number) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !number || (count && !kernels)) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    size_t room = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!to_kernel(kernels[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        size_t size = launch_tail_size(to_kernel(kernels[i])->code);
        if (size > room) room = size;
    }
    uint32_t flags = desc->flags ? desc->flags : DEFAULT_FLAGS | (count ? NEW_MUTABLE_KERNEL_INSTRUCTION : 0);
    return assign_number(list, flags, room, number);
}

ze_result_t ZE_APICALL NEW(zeCommandListIsMutableExp)(ze_command_list_handle_t handle, ze_bool_t *answer) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *answer = list->is_mutable;
    return ZE_RESULT_SUCCESS;
}

/* -- finding -- */

/* Finds the command of that number and checks that it may be changed in that way now. */
static ze_result_t find(const struct list *list, uint64_t number, uint32_t flag,
                        struct mutable_command **found) {
    if (!list->closed) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not closed");
    if (atomic_load(&list->in_flight))
        return explain(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the list is being executed");
    if (number == 0 || number > list->nmutables || !list->mutables[number - 1].command)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command with that number");
    *found = &list->mutables[number - 1];
    return (*found)->flags & flag
                   ? ZE_RESULT_SUCCESS
                   : explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command is not mutable in that way");
}

static ze_result_t find_launch(const struct list *list, uint64_t number, uint32_t flag,
                               struct launch_command **launch) {
    struct mutable_command *found = NULL;
    ze_result_t result = find(list, number, flag, &found);
    if (result) return result;
    if (found->command->operation != OP_LAUNCH)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command is not a launch");
    *launch = (struct launch_command *)found->command;
    return ZE_RESULT_SUCCESS;
}

/* -- changes: each checks first, and writes only if `apply` -- */

/* The local memory of a launch after one of its arguments has changed. */
static uint64_t changed_local_size(const struct launch_command *launch, uint32_t index, size_t size) {
    uint64_t sum = launch->code->local_size;
    if (size > MAX_LOCAL_MEMORY) return size;
    for (uint32_t i = 0; i < launch->code->nargs; i++)
        sum += round_up(i == index ? size : launch->local_sizes[i], LOCAL_ALIGNMENT);
    return sum;
}

static ze_result_t change_argument(struct list *list, const void *link, bool apply) {
    const struct ze_mutable_kernel_argument_exp_desc *desc = link;
    struct launch_command *launch = NULL;
    ze_result_t result = find_launch(list, desc->commandId, NEW_MUTABLE_KERNEL_ARGUMENTS, &launch);
    if (result) return result;
    const struct kernel_code *code = launch->code;
    uint32_t index = desc->argIndex, local_size = 0;
    result = argument_check(code, index, desc->argSize, desc->pArgValue);
    if (!result && code->args[index].kind == NATIVE_ARG_LOCAL)
        result = check_local_memory(code, changed_local_size(launch, index, desc->argSize));
    if (result || !apply) return result;
    result = argument_write(code, index, desc->argSize, desc->pArgValue, launch->values, &local_size);
    if (!result) launch->local_sizes[index] = local_size;
    return result;
}

static ze_result_t change_group_count(struct list *list, const void *link, bool apply) {
    const struct ze_mutable_group_count_exp_desc *desc = link;
    struct launch_command *launch = NULL;
    ze_result_t result = find_launch(list, desc->commandId, NEW_MUTABLE_GROUP_COUNT, &launch);
    if (!result && !desc->pGroupCount) result = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!result && launch->cooperative) result = check_cooperative(launch->code, desc->pGroupCount);
    if (result || !apply) return result;
    launch->groups[0] = desc->pGroupCount->groupCountX;
    launch->groups[1] = desc->pGroupCount->groupCountY;
    launch->groups[2] = desc->pGroupCount->groupCountZ;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t change_group_size(struct list *list, const void *link, bool apply) {
    const struct ze_mutable_group_size_exp_desc *desc = link;
    const uint32_t size[3] = {desc->groupSizeX, desc->groupSizeY, desc->groupSizeZ};
    struct launch_command *launch = NULL;
    ze_result_t result = find_launch(list, desc->commandId, NEW_MUTABLE_GROUP_SIZE, &launch);
    if (!result) result = check_group_size(launch->code, size);
    if (!result && apply) memcpy(launch->group_size, size, sizeof size);
    return result;
}

static ze_result_t change_offset(struct list *list, const void *link, bool apply) {
    const struct ze_mutable_global_offset_exp_desc *desc = link;
    struct launch_command *launch = NULL;
    ze_result_t result = find_launch(list, desc->commandId, NEW_MUTABLE_GLOBAL_OFFSET, &launch);
    if (result || !apply) return result;
    launch->offset[0] = desc->offsetX;
    launch->offset[1] = desc->offsetY;
    launch->offset[2] = desc->offsetZ;
    return ZE_RESULT_SUCCESS;
}

static const struct {
    uint32_t stype;
    ze_result_t (*change)(struct list *list, const void *link, bool apply);
} changes[] = {
        {NEW_STYPE_MUTABLE_KERNEL_ARGUMENT_DESC, change_argument},
        {NEW_STYPE_MUTABLE_GROUP_COUNT_DESC, change_group_count},
        {NEW_STYPE_MUTABLE_GROUP_SIZE_DESC, change_group_size},
        {NEW_STYPE_MUTABLE_GLOBAL_OFFSET_DESC, change_offset},
};

static ze_result_t walk(struct list *list, const void *first, bool apply) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (const struct chain *link = first; link && !result; link = link->pNext) {
        size_t i = 0, count = sizeof changes / sizeof changes[0];
        while (i < count && changes[i].stype != (uint32_t)link->stype)
            i++;
        result = i < count ? changes[i].change(list, link, apply) : ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    }
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListUpdateMutableCommandsExp)(
        ze_command_list_handle_t handle, const struct ze_mutable_commands_exp_desc *desc) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = walk(list, desc->pNext, false);
    return result ? result : walk(list, desc->pNext, true);
}

ze_result_t ZE_APICALL NEW(zeCommandListUpdateMutableCommandSignalEventExp)(ze_command_list_handle_t handle,
                                                                            uint64_t number,
                                                                            ze_event_handle_t event) {
    struct list *list = to_list(handle);
    if (!list || (event && !to_event(event))) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct mutable_command *found = NULL;
    ze_result_t result = find(list, number, NEW_MUTABLE_SIGNAL_EVENT, &found);
    return result ? result : list_change_signal(list, found->command, to_event(event));
}

ze_result_t ZE_APICALL NEW(zeCommandListUpdateMutableCommandWaitEventsExp)(ze_command_list_handle_t handle,
                                                                           uint64_t number, uint32_t count,
                                                                           ze_event_handle_t *events) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct mutable_command *found = NULL;
    ze_result_t result = find(list, number, NEW_MUTABLE_WAIT_EVENTS, &found);
    if (result) return result;
    if (count != found->command->nwaits) return ZE_RESULT_ERROR_INVALID_SIZE;
    return list_change_waits(list, found->command, events);
}

/* Changes all or none. The new kernel's state is copied: group size, offset and the arguments that are
 * set. */
ze_result_t ZE_APICALL NEW(zeCommandListUpdateMutableCommandKernelsExp)(ze_command_list_handle_t handle,
                                                                        uint32_t count, uint64_t *numbers,
                                                                        ze_kernel_handle_t *kernels) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!numbers || !kernels) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct launch_command *launch = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct kernel *kernel = to_kernel(kernels[i]);
        if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        ze_result_t result = find_launch(list, numbers[i], NEW_MUTABLE_KERNEL_INSTRUCTION, &launch);
        if (result) return result;
        if (launch_tail_size(kernel->code) > list->mutables[numbers[i] - 1].room)
            return explain(ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE,
                           "the kernel was not among those given for this command");
    }
    for (uint32_t i = 0; i < count; i++) {
        find_launch(list, numbers[i], NEW_MUTABLE_KERNEL_INSTRUCTION, &launch);
        launch_copy_state(launch, to_kernel(kernels[i]), (unsigned char *)(launch + 1));
        list_drop_needs(list, launch, NEED_CODE);
        ze_result_t result = list_need(list, launch, to_kernel(kernels[i])->module, NEED_CODE);
        if (result) return result;
    }
    return ZE_RESULT_SUCCESS;
}

/* -- copying a list -- */

static void *rebased(void *pointer, const void *from, void *to) {
    return (char *)to + ((char *)pointer - (const char *)from);
}

static void rebase_launch(struct launch_command *launch, const void *from, void *to) {
    launch->values = rebased(launch->values, from, to);
    launch->arguments = rebased(launch->arguments, from, to);
    launch->local_sizes = rebased(launch->local_sizes, from, to);
    for (uint32_t i = 0; i < launch->code->nargs; i++)
        launch->arguments[i] = rebased(launch->arguments[i], from, to);
}

/* Records contain pointers into themselves. */
static void rebase_pointers(struct command *copy, const struct command *from) {
    copy->waits = rebased(copy->waits, from, copy);
    if (copy->operation == OP_LAUNCH || copy->operation == OP_LAUNCH_INDIRECT)
        rebase_launch((struct launch_command *)copy, from, copy);
    if (copy->operation != OP_LAUNCH_MULTIPLE) return;
    struct launch_multiple_command *multiple = (struct launch_multiple_command *)copy;
    for (uint32_t i = 0; i < multiple->count; i++) {
        multiple->launches[i] = rebased(multiple->launches[i], from, copy);
        rebase_launch(multiple->launches[i], from, copy);
    }
}

static bool copy_commands(const struct list *list, struct list *copy) {
    struct tape_position position = tape_start(&list->tape);
    for (uint32_t i = 0; i < list->ncommands; i++) {
        const struct command *from = tape_read(&position);
        struct command *to = tape_write(&copy->tape, from->record.size);
        if (!to) return false;
        memcpy(to, from, from->record.size);
        rebase_pointers(to, from);
        copy->ncommands++;
        for (uint32_t m = 0; m < list->nmutables; m++)
            if (list->mutables[m].command == from) copy->mutables[m].command = to;
        for (uint32_t n = 0; n < list->nneeds && list->is_mutable; n++)
            if (list->needs[n].command == from) copy->needs[n].command = to;
    }
    return true;
}

static void *copy_array(const void *array, uint32_t count, size_t size) {
    void *copy = list_grow(NULL, 0, count, size);
    if (copy && count) memcpy(copy, array, count * size);
    return copy;
}

static bool copy_list(const struct list *list, struct list *copy) {
    copy->flags = list->flags;
    copy->is_mutable = list->is_mutable;
    copy->closed = true;
    copy->mutables = copy_array(list->mutables, list->nmutables, sizeof *list->mutables);
    copy->captures = copy_array(list->captures, list->ncaptures, sizeof *list->captures);
    copy->needs = copy_array(list->needs, list->nneeds, sizeof *list->needs);
    if (!copy->mutables || !copy->captures || !copy->needs) return false;
    copy->nmutables = list->nmutables;
    copy->ncaptures = list->ncaptures;
    copy->nneeds = list->nneeds;
    for (uint32_t i = 0; i < copy->nneeds; i++)
        object_hold(copy->needs[i].object);
    return copy_commands(list, copy);
}

/* Counter-based signals belong to one list, so a list that has any cannot be copied. */
ze_result_t ZE_APICALL NEW(zeCommandListCreateCloneExp)(ze_command_list_handle_t handle,
                                                        ze_command_list_handle_t *made) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list->immediate || !list->closed || list->counters)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                       "only a closed regular list without counter-based signals can be copied");
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .flags = list->flags,
                                         .commandQueueGroupOrdinal = list->queue.ordinal};
    ze_command_list_handle_t copy;
    ze_result_t result = zeCommandListCreate((ze_context_handle_t)list->context,
                                             (ze_device_handle_t)&the_device, &desc, &copy);
    if (result) return result;
    if (!copy_list(list, to_list(copy))) {
        zeCommandListDestroy(copy);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *made = copy;
    return ZE_RESULT_SUCCESS;
}
