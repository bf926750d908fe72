/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that the driver reports and enforces.
 */
#ifndef LODE_DRIVER_LIMITS_H
#define LODE_DRIVER_LIMITS_H

enum {
    QUEUES = 16, /* queue indices of each queue group; every queue has its own stream */
    MAX_CONTEXTS = 1024 * 64,
    MAX_GROUP_SIZE = 1024,        /* work-items */
    MAX_LOCAL_MEMORY = 256 << 10, /* bytes per work-group */
    MAX_ARGUMENTS_SIZE = 16 << 10,
    MAX_FILL_PATTERN = 4096,
};

/* Ordinals of queue groups. */
enum { COMPUTE_GROUP, COPY_GROUP, QUEUE_GROUPS };

#endif
