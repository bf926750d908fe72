/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a kernel's state gets into a launch; shared with those who change launches after the fact.
 */
#ifndef LODE_DRIVER_APPEND_LAUNCH_H
#define LODE_DRIVER_APPEND_LAUNCH_H

#include "driver/kernel.h"
#include "driver/list.h"

enum { LOCAL_ALIGNMENT = 128 };

ze_result_t check_launch(const struct list *list, const struct kernel *kernel);
/* The groups of a cooperative launch may wait for each other: all must run at once. */
ze_result_t check_cooperative(const struct kernel_code *code, const ze_group_count_t *groups);

/* Bytes that the arguments of a launch need behind its command, wherever that begins. */
size_t launch_tail_size(const struct kernel_code *code);
/* Lays the arguments of launch->code out in the tail. */
void launch_point_arguments(struct launch_command *launch, unsigned char *tail);
void launch_copy_state(struct launch_command *launch, const struct kernel *kernel, unsigned char *tail);

#endif
