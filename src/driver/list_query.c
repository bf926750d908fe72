/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of command lists.
 */
#include "driver/list.h"

/* Checks the handle and the answer's address, and that the list is immediate if `immediate`. */
static ze_result_t check(ze_command_list_handle_t handle, const void *answer, bool immediate) {
    const struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return immediate && !list->immediate ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListGetDeviceHandle)(ze_command_list_handle_t list,
                                                         ze_device_handle_t *device) {
    ze_result_t result = check(list, device, false);
    if (!result) *device = (ze_device_handle_t)&the_device;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListGetContextHandle)(ze_command_list_handle_t list,
                                                          ze_context_handle_t *context) {
    ze_result_t result = check(list, context, false);
    if (!result) *context = (ze_context_handle_t)to_list(list)->context;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListGetOrdinal)(ze_command_list_handle_t list, uint32_t *ordinal) {
    ze_result_t result = check(list, ordinal, false);
    if (!result) *ordinal = to_list(list)->queue.ordinal;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListImmediateGetIndex)(ze_command_list_handle_t list, uint32_t *index) {
    ze_result_t result = check(list, index, true);
    if (!result) *index = to_list(list)->queue.index;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListIsImmediate)(ze_command_list_handle_t list, ze_bool_t *immediate) {
    ze_result_t result = check(list, immediate, false);
    if (!result) *immediate = to_list(list)->immediate;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListGetFlags)(ze_command_list_handle_t list,
                                                  ze_command_list_flags_t *flags) {
    ze_result_t result = check(list, flags, false);
    if (result) return result;
    const struct list *self = to_list(list);
    bool in_order = self->immediate && self->queue.flags & NEW_COMMAND_QUEUE_FLAG_IN_ORDER;
    *flags = self->flags | (in_order ? NEW_COMMAND_LIST_FLAG_IN_ORDER : 0);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListImmediateGetFlags)(ze_command_list_handle_t list,
                                                           ze_command_queue_flags_t *flags) {
    ze_result_t result = check(list, flags, true);
    if (!result) *flags = to_list(list)->queue.flags;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListImmediateGetMode)(ze_command_list_handle_t list,
                                                          ze_command_queue_mode_t *mode) {
    ze_result_t result = check(list, mode, true);
    if (!result) *mode = to_list(list)->queue.mode;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandListImmediateGetPriority)(ze_command_list_handle_t list,
                                                              ze_command_queue_priority_t *priority) {
    ze_result_t result = check(list, priority, true);
    if (!result) *priority = to_list(list)->queue.priority;
    return result;
}
