/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's side of a worker: it starts a process, sends it commands and reads its answers. */
#define _GNU_SOURCE
#include "worker.h"

#include "protocol.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_MS = 120 * 1000 };

/* In the child. What the library prints goes to stderr; libraries beside it are found. */
static void run_worker(const struct worker *worker, int socket) {
    char number[16], folders[4096];
    const char *slash = strrchr(worker->library, '/'), *before = getenv("LD_LIBRARY_PATH");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(number, sizeof(number), "%d", socket);
    snprintf(folders, sizeof(folders), "%.*s%s%s", slash ? (int)(slash - worker->library) : 0,
             worker->library, slash && before ? ":" : "", before ? before : "");
    if (slash) setenv("LD_LIBRARY_PATH", folders, 1);
    execl("/proc/self/exe", "lode-bench", "--worker", number, worker->library, worker->engine, (char *)NULL);
    _exit(127);
}

/* Reads an answer whole; false if the worker ended or did not answer in time. */
static bool receive(struct worker *worker, void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        struct pollfd wait = {.fd = worker->socket, .events = POLLIN};
        if (poll(&wait, 1, TIMEOUT_MS) != 1) return false;
        ssize_t part = read(worker->socket, (char *)to + done, size - done);
        if (part <= 0) return false;
        done += (size_t)part;
    }
    return true;
}

static bool command(struct worker *worker, enum command_kind kind, long number,
                    const struct request *request) {
    struct command command = {.kind = kind, .number = number};
    if (!worker->process || kill(worker->process, SIGCONT)) return false;
    return send_all(worker->socket, &command, sizeof(command))
           && (!request || send_all(worker->socket, request, sizeof(*request)));
}

/* Until the next command. */
static void pause_worker(struct worker *worker) {
    if (worker->process) kill(worker->process, SIGSTOP);
}

bool worker_start(struct worker *worker, char *why, size_t size) {
    int ends[2];
    struct prepared hello = {0};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return snprintf(why, size, "no sockets"), false;
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        run_worker(worker, ends[1]);
    }
    close(ends[1]);
    worker->socket = ends[0];
    worker->process = process;
    bool answered = process > 0 && receive(worker, &hello, sizeof(hello));
    snprintf(why, size, "%s", answered ? hello.text : "its process does not start");
    if (!answered || hello.outcome != OUTCOME_RAN) return worker_stop(worker), false;
    pause_worker(worker);
    return true;
}

void worker_stop(struct worker *worker) {
    if (worker->process <= 0) return;
    kill(worker->process, SIGKILL);
    waitpid(worker->process, NULL, 0);
    close(worker->socket);
    worker->process = 0;
}

/* Ends a worker that does not answer, and says why it did not. */
static struct prepared bury(struct worker *worker) {
    struct prepared prepared = {.outcome = OUTCOME_FAILED};
    int status = 0;
    usleep(100 * 1000); /* a worker that crashed may still be writing its core */
    if (worker->process > 0 && waitpid(worker->process, &status, WNOHANG) == worker->process) {
        close(worker->socket);
        worker->process = 0;
        snprintf(prepared.text, sizeof(prepared.text), "crashed: %s",
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the process ended");
    } else {
        worker_stop(worker);
        snprintf(prepared.text, sizeof(prepared.text), "no answer for %d s", TIMEOUT_MS / 1000);
    }
    return prepared;
}

struct prepared worker_prepare(struct worker *worker, const struct request *request) {
    struct prepared prepared;
    char why[WHY_SIZE];
    if (!worker->process && !worker_start(worker, why, sizeof(why))) {
        prepared = (struct prepared){.outcome = OUTCOME_FAILED};
        snprintf(prepared.text, sizeof(prepared.text), "%s", why);
        return prepared;
    }
    if (!command(worker, COMMAND_PREPARE, 0, request) || !receive(worker, &prepared, sizeof(prepared)))
        return bury(worker);
    pause_worker(worker);
    return prepared;
}

double worker_measure(struct worker *worker, long times) {
    double us;
    if (!command(worker, COMMAND_MEASURE, times, NULL) || !receive(worker, &us, sizeof(us))) {
        bury(worker);
        return -1;
    }
    pause_worker(worker);
    return us;
}

int worker_outputs(struct worker *worker, struct output outputs[MAX_OUTPUTS]) {
    int count = 0;
    if (!command(worker, COMMAND_OUTPUTS, 0, NULL) || !receive(worker, &count, sizeof(count))) count = -1;
    for (int i = 0; i < count; i++) {
        outputs[i] = (struct output){0};
        bool good = receive(worker, &outputs[i], sizeof(outputs[i]));
        outputs[i].values = good ? malloc((outputs[i].count + 1) * sizeof(float)) : NULL;
        if (!outputs[i].values || !receive(worker, outputs[i].values, outputs[i].count * sizeof(float))) {
            while (i >= 0)
                free(outputs[i--].values);
            count = -1;
        }
    }
    if (count < 0) bury(worker);
    pause_worker(worker);
    return count;
}
