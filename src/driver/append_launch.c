/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Append calls that launch kernels. A launch copies the kernel's state.
 */
#include "driver/append_launch.h"
#include "driver/limits.h"

#include <string.h>

ze_result_t check_local_memory(const struct kernel_code *code, uint64_t size) {
    if (size <= MAX_LOCAL_MEMORY) return ZE_RESULT_SUCCESS;
    return explain_with(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%s takes %llu bytes of local memory; a group has %d", code->name,
                        (unsigned long long)size, MAX_LOCAL_MEMORY);
}

ze_result_t check_launch(const struct list *list, const struct kernel *kernel) {
    if (list->queue.ordinal == COPY_GROUP)
        return explain(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "the list is only for copies");
    uint64_t local = kernel->code->local_size;
    for (uint32_t i = 0; i < kernel->code->nargs; i++) {
        if (!kernel->states[i].set)
            return explain_with(ZE_RESULT_ERROR_INVALID_ARGUMENT, "argument %u of %s was never set", i,
                                kernel->code->name);
        local += round_up(kernel->states[i].local_size, LOCAL_ALIGNMENT);
    }
    return check_local_memory(kernel->code, local);
}

size_t launch_tail_size(const struct kernel_code *code) {
    return code->nargs * (sizeof(void *) + sizeof(uint32_t)) + code->block_size + RECORD_ALIGNMENT;
}

void launch_point_arguments(struct launch_command *launch, unsigned char *tail) {
    const struct kernel_code *code = launch->code;
    launch->values = (unsigned char *)round_up((uintptr_t)tail, RECORD_ALIGNMENT);
    launch->arguments = (void **)round_up((uintptr_t)(launch->values + code->block_size), sizeof(void *));
    launch->local_sizes = (uint32_t *)(launch->arguments + code->nargs);
    for (uint32_t i = 0; i < code->nargs; i++)
        launch->arguments[i] = launch->values + code->offsets[i];
}

void launch_copy_state(struct launch_command *launch, const struct kernel *kernel, unsigned char *tail) {
    launch->code = kernel->code;
    memcpy(launch->group_size, kernel->group_size, sizeof launch->group_size);
    for (int i = 0; i < 3; i++)
        launch->offset[i] = kernel->offset[i];
    launch_point_arguments(launch, tail);
    memcpy(launch->values, kernel->values, kernel->code->block_size);
    for (uint32_t i = 0; i < kernel->code->nargs; i++)
        launch->local_sizes[i] = kernel->states[i].local_size;
}

/* Bytes a command needs for its arguments; a mutable one must fit any of its possible kernels. */
static size_t tail_room(const struct list *list, const struct kernel *kernel) {
    size_t room = launch_tail_size(kernel->code);
    return list->next_mutable && list->next_mutable->room > room ? list->next_mutable->room : room;
}

/* Begins a launch with the kernel's state. The caller sets the group count, then calls list_submit. */
static ze_result_t begin_launch(struct list *list, struct kernel *kernel, enum operation operation,
                                const struct dependencies *dependencies, struct launch_command **launch) {
    ze_result_t result = list_check_events(dependencies);
    if (!result) result = check_launch(list, kernel);
    if (result) return result;
    result = list_append(list, operation, sizeof **launch + tail_room(list, kernel), dependencies, launch);
    if (result) return result;
    launch_copy_state(*launch, kernel, (unsigned char *)(*launch + 1));
    (*launch)->cooperative = false;
    result = list_need(list, *launch, kernel->module, NEED_CODE);
    if (result) list_unappend(list, *launch);
    return result;
}

static ze_result_t append_launch(ze_command_list_handle_t handle, ze_kernel_handle_t kernel,
                                 const ze_group_count_t *groups, bool cooperative,
                                 const struct dependencies *dependencies) {
    struct list *list = to_list(handle);
    if (!list || !to_kernel(kernel)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!groups) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct launch_command *launch;
    ze_result_t result = cooperative ? check_cooperative(to_kernel(kernel)->code, groups) : ZE_RESULT_SUCCESS;
    if (!result) result = begin_launch(list, to_kernel(kernel), OP_LAUNCH, dependencies, &launch);
    if (result) return result;
    launch->cooperative = cooperative;
    launch->groups[0] = groups->groupCountX;
    launch->groups[1] = groups->groupCountY;
    launch->groups[2] = groups->groupCountZ;
    return list_submit(list);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                                       ze_kernel_handle_t kernel,
                                                       const ze_group_count_t *groups,
                                                       ze_event_handle_t signal, uint32_t nwaits,
                                                       ze_event_handle_t *waits) {
    const struct dependencies dependencies = {signal, nwaits, waits};
    return append_launch(list, kernel, groups, false, &dependencies);
}

ze_result_t check_cooperative(const struct kernel_code *code, const ze_group_count_t *groups) {
    uint64_t total = (uint64_t)groups->groupCountX * groups->groupCountY;
    if (total > code->max_concurrent || total * groups->groupCountZ > code->max_concurrent)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "more groups than can run concurrently");
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t list,
                                                                  ze_kernel_handle_t kernel,
                                                                  const ze_group_count_t *groups,
                                                                  ze_event_handle_t signal, uint32_t nwaits,
                                                                  ze_event_handle_t *waits) {
    const struct dependencies dependencies = {signal, nwaits, waits};
    return append_launch(list, kernel, groups, true, &dependencies);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernelIndirect(ze_command_list_handle_t handle,
                                                               ze_kernel_handle_t kernel,
                                                               const ze_group_count_t *groups,
                                                               ze_event_handle_t signal, uint32_t nwaits,
                                                               ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list || !to_kernel(kernel)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!groups) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct launch_command *launch;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = begin_launch(list, to_kernel(kernel), OP_LAUNCH_INDIRECT, &dependencies, &launch);
    if (result) return result;
    launch->indirect = groups;
    return list_submit(list);
}

/* Bytes of one launch inside an OP_LAUNCH_MULTIPLE command. */
static size_t inner_size(const struct kernel *kernel) {
    return round_up(sizeof(struct launch_command) + launch_tail_size(kernel->code), RECORD_ALIGNMENT);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchMultipleKernelsIndirect(
        ze_command_list_handle_t handle, uint32_t count, ze_kernel_handle_t *kernels, const uint32_t *actual,
        const ze_group_count_t *groups, ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!kernels || !actual || !groups) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_check_events(&dependencies);
    if (result) return result;
    struct launch_multiple_command *multiple;
    size_t header = round_up(sizeof *multiple + count * sizeof multiple->launches[0], RECORD_ALIGNMENT);
    size_t size = header;
    for (uint32_t i = 0; i < count; i++) {
        if (!to_kernel(kernels[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        result = check_launch(list, to_kernel(kernels[i]));
        if (result) return result;
        size += inner_size(to_kernel(kernels[i]));
    }
    result = list_append(list, OP_LAUNCH_MULTIPLE, size, &dependencies, &multiple);
    if (result) return result;
    multiple->count = count;
    multiple->actual = actual;
    unsigned char *place = (unsigned char *)multiple + header;
    for (uint32_t i = 0; i < count && !result; i++) {
        struct launch_command *launch = multiple->launches[i] = (struct launch_command *)place;
        *launch = (struct launch_command){.indirect = &groups[i]};
        launch_copy_state(launch, to_kernel(kernels[i]), (unsigned char *)(launch + 1));
        place += inner_size(to_kernel(kernels[i]));
        result = list_need(list, multiple, to_kernel(kernels[i])->module, NEED_CODE);
    }
    if (!result) return list_submit(list);
    list_unappend(list, multiple);
    return result;
}

/* The only extension supported is the cooperative flag. */
static ze_result_t read_launch_extensions(const void *extensions, bool *cooperative) {
    *cooperative = false;
    for (const struct chain *link = extensions; link; link = link->pNext) {
        if ((uint32_t)link->stype != NEW_STYPE_LAUNCH_COOPERATIVE_DESC)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        *cooperative |= ((const struct ze_launch_cooperative_desc *)link)->isCooperative != 0;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListAppendLaunchKernelWithParameters)(
        ze_command_list_handle_t list, ze_kernel_handle_t kernel, const ze_group_count_t *groups,
        const void *extensions, ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    if (!to_list(list) || !to_kernel(kernel)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const struct dependencies dependencies = {signal, nwaits, waits};
    bool cooperative;
    ze_result_t result = read_launch_extensions(extensions, &cooperative);
    return result ? result : append_launch(list, kernel, groups, cooperative, &dependencies);
}

/* Sets the kernel's group size and arguments, then launches it. A local-memory argument is given as a pointer
 * to its size. */
ze_result_t ZE_APICALL NEW(zeCommandListAppendLaunchKernelWithArguments)(
        ze_command_list_handle_t list, ze_kernel_handle_t handle, const ze_group_count_t groups,
        const struct ze_group_size size, void **arguments, const void *extensions, ze_event_handle_t signal,
        uint32_t nwaits, ze_event_handle_t *waits) {
    struct kernel *kernel = to_kernel(handle);
    if (!to_list(list) || !kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!arguments && kernel->code->nargs) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = zeKernelSetGroupSize(handle, size.groupSizeX, size.groupSizeY, size.groupSizeZ);
    for (uint32_t i = 0; !result && i < kernel->code->nargs; i++) {
        const struct native_arg *arg = &kernel->code->args[i];
        if (arg->kind == NATIVE_ARG_LOCAL && arguments[i])
            result = zeKernelSetArgumentValue(handle, i, *(const size_t *)arguments[i], NULL);
        else
            result = zeKernelSetArgumentValue(handle, i, arg->size, arguments[i]);
    }
    if (result) return result;
    return NEW(zeCommandListAppendLaunchKernelWithParameters)(list, handle, &groups, extensions, signal,
                                                              nwaits, waits);
}
