/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a worker: loads a library and obeys commands until its socket closes. */
#define _GNU_SOURCE
#include "worker.h"

#include "clock.h"
#include "elements.h"
#include "engines.h"
#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

struct state {
    int socket;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct request request;
    struct job job;
    int output_count;
    struct output outputs[MAX_OUTPUTS];
};

static bool receive(int socket, void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t part = read(socket, (char *)to + done, size - done);
        if (part <= 0) return false;
        done += (size_t)part;
    }
    return true;
}

static void drop(struct state *state) {
    for (int i = 0; i < state->output_count; i++)
        free(state->outputs[i].values);
    state->output_count = 0;
    job_free(&state->job);
}

/* Copies what the primitive wrote. */
static void keep_output(struct state *state, int arg, dnnl_memory_t memory) {
    const_dnnl_memory_desc_t md;
    struct layout layout;
    void *buffer = NULL;
    lib_memory_get_memory_desc(memory, &md);
    if (state->output_count == MAX_OUTPUTS || !layout_get(md, &layout)) return;
    float *values = malloc((layout.count + 1) * sizeof(float));
    if (values && layout.count && lib_memory_map_data(memory, &buffer) == dnnl_success) {
        layout_read(&layout, buffer, values);
        lib_memory_unmap_data(memory, buffer);
    }
    if (values)
        state->outputs[state->output_count++] = (struct output){arg, layout.type, layout.count, values};
    layout_free(&layout);
}

/* The first execution gives the results, the second says how long one takes. */
static void first_runs(struct state *state, struct prepared *prepared) {
    dnnl_status_t status = job_run(&state->job, 1);
    if (status == dnnl_success)
        for (int i = 0; i < state->job.count; i++)
            if (job_is_output(&state->job, state->job.arguments[i].arg))
                keep_output(state, state->job.arguments[i].arg, state->job.arguments[i].memory);
    if (status == dnnl_success && !job_fill_for_timing(&state->job)) status = dnnl_runtime_error;
    double start = now_us();
    if (status == dnnl_success) status = job_run(&state->job, 1);
    prepared->run_us = now_us() - start;
    if (status == dnnl_success) return;
    prepared->outcome = OUTCOME_FAILED;
    snprintf(prepared->text, sizeof(prepared->text), "execution: %s", lib_status2str(status));
}

static bool prepare(struct state *state) {
    struct prepared prepared = {.outcome = OUTCOME_RAN};
    drop(state);
    if (!receive(state->socket, &state->request, sizeof(state->request))) return false;
    if (job_make(&state->job, &state->request, state->engine, state->stream)) {
        prepared.create_us = state->job.create_us;
        snprintf(prepared.text, sizeof(prepared.text), "%s", job_implementation(&state->job));
        first_runs(state, &prepared);
    } else {
        prepared.outcome = state->job.tool ? OUTCOME_SKIPPED : OUTCOME_REFUSED;
        snprintf(prepared.text, sizeof(prepared.text), "%s", state->job.why);
    }
    return send_all(state->socket, &prepared, sizeof(prepared));
}

/* After a pause, threads take a while to be where they were: executes at least once and for a millisecond. */
static dnnl_status_t warm_up(struct job *job) {
    const double until = now_us() + 1000;
    dnnl_status_t status;
    do {
        status = job_run(job, 1);
    } while (status == dnnl_success && now_us() < until);
    return status;
}

static bool measure(struct state *state, long times) {
    dnnl_status_t status = warm_up(&state->job);
    double start = now_us();
    if (status == dnnl_success) status = job_run(&state->job, times);
    double us = status == dnnl_success ? (now_us() - start) / (double)times : -1;
    return send_all(state->socket, &us, sizeof(us));
}

static bool send_outputs(struct state *state) {
    if (!send_all(state->socket, &state->output_count, sizeof(state->output_count))) return false;
    for (int i = 0; i < state->output_count; i++) {
        const struct output *output = &state->outputs[i];
        if (!send_all(state->socket, output, sizeof(*output))
            || !send_all(state->socket, output->values, output->count * sizeof(float)))
            return false;
    }
    return true;
}

static bool open_engine(struct state *state, const char *name) {
    return engine_open(name, &state->engine)
           && !lib_stream_create(&state->stream, state->engine, dnnl_stream_default_flags);
}

/* Says which library it is, or why there is none. */
static bool greet(struct state *state, const char *library, const char *engine) {
    struct prepared hello = {.outcome = OUTCOME_FAILED};
    char path[96];
    bool good = library_load(library, hello.text, sizeof(hello.text));
    if (good && !open_engine(state, engine)) {
        snprintf(hello.text, sizeof(hello.text), "no engine %s", engine);
    } else if (good) {
        const dnnl_version_t *version = lib_version();
        library_path(path, sizeof(path));
        hello.outcome = OUTCOME_RAN;
        snprintf(hello.text, sizeof(hello.text), "%d.%d.%d (%.8s) %s", version->major, version->minor,
                 version->patch, version->hash, path);
    }
    return send_all(state->socket, &hello, sizeof(hello)) && hello.outcome == OUTCOME_RAN;
}

int worker_main(int socket, const char *library, const char *engine) {
    static struct state state;
    struct command command;
    state.socket = socket;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool good = greet(&state, library, engine);
    while (good && receive(socket, &command, sizeof(command))) {
        switch (command.kind) {
        case COMMAND_PREPARE: good = prepare(&state); break;
        case COMMAND_MEASURE: good = measure(&state, command.number); break;
        case COMMAND_OUTPUTS: good = send_outputs(&state); break;
        }
    }
    _exit(good ? 0 : 1);
}
