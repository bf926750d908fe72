/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One list of every kind, immediate and regular, for tests that apply to all of them.
 */
#ifndef LODE_TESTS_DRIVER_SUBJECTS_H
#define LODE_TESTS_DRIVER_SUBJECTS_H

#include "ze_test.h"

/* A list under test: append commands, then finish() runs them. */
struct subject {
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue; /* NULL for immediate lists */
};

static struct subject subjects[4];
enum { SUBJECTS = 4 };

static int make_subjects(void **state) {
    if (set_up(state)) return -1;
    subjects[0].list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    subjects[1].list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    subjects[2] = (struct subject){make_list(), make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)};
    subjects[3] = (struct subject){make_list(), make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
    return 0;
}

static int free_subjects(void **state) {
    for (int i = 0; i < SUBJECTS; i++) {
        assert_ok(zeCommandListDestroy(subjects[i].list));
        if (subjects[i].queue) assert_ok(zeCommandQueueDestroy(subjects[i].queue));
    }
    return tear_down(state);
}

static void finish(struct subject *subject) {
    if (!subject->queue) {
        assert_ok(CALL(zeCommandListHostSynchronize)(subject->list, UINT64_MAX));
        return;
    }
    assert_ok(zeCommandListClose(subject->list));
    assert_ok(zeCommandQueueExecuteCommandLists(subject->queue, 1, &subject->list, NULL));
    assert_ok(zeCommandQueueSynchronize(subject->queue, UINT64_MAX));
    assert_ok(zeCommandListReset(subject->list));
}

static void for_each_subject(void (*test)(struct subject *)) {
    for (int i = 0; i < SUBJECTS; i++)
        test(&subjects[i]);
}

#endif
