/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lode-info knows about a machine: filled in by machine.c and runtimes.c, printed by text.c and json.c.
 * Uses the public C API only; what that does not tell is read from verbose lines.
 */
#ifndef LODE_INFO_INFO_H
#define LODE_INFO_INFO_H

#include "bench/engines.h"
#include "bench/request.h"

#include <limits.h>
#include <stdio.h>

enum { MAX_DEVICES = 16, MAX_LAUNCHES = 64, MAX_DECLINED = 32 };

/* A device, as its verbose lines describe it. Numbers stay text; lists have plus signs between. */
struct device {
    char backend[64], name[256], driver[64];
    char class[8], kernels[64], units[16], vector[16], group[24], local[24], caches[64], features[256];
};

/* A runtime: its devices, or why it has none and how to get one. */
struct runtime_answer {
    int count;
    struct device devices[MAX_DEVICES];
    char reason[512];
    const char *get;
};

struct machine {
    char version[32], hash[48], library[PATH_MAX];
    char processor[256], isa[64];
    long cores;
    const char *threads; /* OMP_NUM_THREADS, or NULL */
    bool cache_on;       /* of compiled kernels, on disk */
    char cache[PATH_MAX];
    long cache_files;
    long long cache_bytes;
    char driver[PATH_MAX]; /* the Level Zero driver for the CPU; empty: not found */
    char loader[PATH_MAX]; /* the folder of its stand-in loader; empty: not found */
    struct runtime_answer runtimes[ENGINE_RUNTIMES];
};

struct launch {
    char kernel[64], form[24], groups[64], items[64], times[16];
};

/* How a request would be computed. */
struct request_answer {
    char implementation[64], why[512]; /* one of them is empty */
    int launch_count, declined_count;
    struct launch launches[MAX_LAUNCHES];
    struct {
        char implementation[64], reason[256];
    } declined[MAX_DECLINED];
};

/* Both ask the library in processes of their own, since it reads the environment once. They must come before
 * any call of it here. */
void runtimes_read(struct machine *machine);
void request_read(const struct request *request, const char *engine, struct request_answer *answer);

void machine_read(struct machine *machine);
/* Looks for the embedded driver only. */
void machine_find_driver(struct machine *machine);

/* Reads what a function prints on stdout in a child process; false if the child failed. */
bool read_child(void (*child)(const void *), const void *data, void (*line)(char *, void *), void *to);
/* Copies the text between `key` and the next comma, if the key is there. */
void copy_field(const char *line, const char *key, char *to, size_t size);

void print_text(const struct machine *machine);
void print_engines(const struct machine *machine);
void print_json(const struct machine *machine);
void print_request(const struct request *request, const char *engine, const struct request_answer *answer);
void print_request_json(const struct request *request, const char *engine,
                        const struct request_answer *answer);

#endif
