/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command queues and fences. A queue is a stream of list executions; unlike an immediate list it may be used
 * by several threads at once.
 */
#ifndef LODE_DRIVER_QUEUE_H
#define LODE_DRIVER_QUEUE_H

#include "driver/stream.h"

#include <pthread.h>

struct queue {
    struct object object;
    ze_command_queue_desc_t desc;
    pthread_mutex_t lock; /* protects the stream's tape */
    struct stream *stream;
};

struct fence {
    struct object object;
    struct queue *queue; /* held */
    word_t word;
};

/* Checks the descriptor of a queue or an immediate list. */
ze_result_t check_queue_desc(const ze_command_queue_desc_t *desc);

#endif
