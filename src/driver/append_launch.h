/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a kernel's state into a launch. Also used to change launches after they were recorded.
 */
#ifndef LODE_DRIVER_APPEND_LAUNCH_H
#define LODE_DRIVER_APPEND_LAUNCH_H

#include "driver/kernel.h"
#include "driver/list.h"

enum { LOCAL_ALIGNMENT = 128 };

/* Does a group have that much? */
ze_result_t check_local_memory(const struct kernel_code *code, uint64_t size);
/* Can the kernel be launched as it is on that list? */
ze_result_t check_launch(const struct list *list, const struct kernel *kernel);
/* Groups of a cooperative launch may wait for each other, so all of them must run concurrently. */
ze_result_t check_cooperative(const struct kernel_code *code, const ze_group_count_t *groups);

/* Bytes that a launch's arguments need after its command, including alignment padding. */
size_t launch_tail_size(const struct kernel_code *code);
/* Points launch->arguments and launch->values into the tail. */
void launch_point_arguments(struct launch_command *launch, unsigned char *tail);
void launch_copy_state(struct launch_command *launch, const struct kernel *kernel, unsigned char *tail);

#endif
