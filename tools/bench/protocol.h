/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool and its workers send each other: plain structs, since both are the same program. */
#ifndef LODE_BENCH_PROTOCOL_H
#define LODE_BENCH_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

enum command_kind {
    COMMAND_PREPARE, /* followed by a struct request; answer: struct prepared */
    COMMAND_MEASURE, /* answer: double */
    COMMAND_OUTPUTS, /* answer: int, then a struct output and its values for each */
};

struct command {
    enum command_kind kind;
    long number;
};

/* False if nobody is there to read. */
static inline bool send_all(int socket, const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t part = send(socket, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (part <= 0) return false;
        done += (size_t)part;
    }
    return true;
}

#endif
