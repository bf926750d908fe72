/* SPDX-License-Identifier: Apache-2.0 */
/* Asks each runtime for its devices, in a process of its own. */
#include "info.h"

#include "oneapi/dnnl/dnnl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 60 };

/* What provides a runtime that is not there. */
static const char *const ways_to_get[ENGINE_RUNTIMES] = {
        NULL,
        "libze_lode_cpu.so.1 beside libdnnl.so.3 is a driver for the CPU (package lode-driver); for GPUs, "
        "libze1 and the vendor's driver",
        "apt install ocl-icd-libopencl1 pocl-opencl-icd, or pip install intel-opencl-rt",
        "pip install intel-sycl-rt, and build Lode where CMake finds its headers (LODE_SYCL_PREFIX)",
};

bool read_child(void (*child)(const void *), const void *data, void (*line)(char *, void *), void *to) {
    int ends[2], status = 1;
    static char text[1 << 15];
    if (pipe(ends)) return false;
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        alarm(TIMEOUT_S); /* a driver that hangs counts as one that fails */
        child(data);
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    while (lines && fgets(text, sizeof(text), lines)) {
        text[strcspn(text, "\n")] = '\0';
        line(text, to);
    }
    if (lines) fclose(lines);
    return process > 0 && waitpid(process, &status, 0) == process && status == 0;
}

void copy_field(const char *line, const char *key, char *to, size_t size) {
    const char *text = strstr(line, key);
    if (!text) return;
    text += strlen(key);
    snprintf(to, size, "%.*s", (int)strcspn(text, ","), text);
}

/* Opens every engine of a runtime. Verbose lines describe an engine; our own line then says that it works. */
static void open_engines(const void *data) {
    const struct engine_runtime *runtime = data;
    engine_runtime_choose(runtime);
    setenv("ONEDNN_VERBOSE", "error,warn,profile_create,debuginfo=1", 1);
    for (int k = 0; k < 2 && runtime->kinds[k]; k++) {
        const size_t count = dnnl_engine_get_count(runtime->kinds[k]);
        for (size_t i = 0; i < count; i++) {
            dnnl_engine_t engine;
            if (dnnl_engine_create(&engine, runtime->kinds[k], i) != dnnl_success) continue;
            printf("opened\n");
            dnnl_engine_destroy(engine);
        }
    }
}

/* Copies the text of an error or warning line: "…,error,component,text,src/file.c:12". */
static void copy_reason(const char *line, char *to, size_t size) {
    const char *text = strstr(line, ",error,");
    if (!text) text = strstr(line, ",warn,");
    for (int field = 0; text && field < 3; field++)
        text = strchr(text + (field > 0), ',');
    if (!text) return;
    snprintf(to, size, "%s", text + 1);
    char *place = strchr(to, ','); /* texts have no commas */
    if (place) *place = '\0';
}

static void read_line(char *line, void *to) {
    struct runtime_answer *answer = to;
    copy_reason(line, answer->reason, sizeof(answer->reason));
    if (answer->count == MAX_DEVICES) return;
    struct device *device = &answer->devices[answer->count];
    const struct {
        const char *key;
        char *to;
        size_t size;
    } fields[] = {
            {",backend:", device->backend, sizeof(device->backend)},
            {",name:", device->name, sizeof(device->name)},
            {",driver_version:", device->driver, sizeof(device->driver)},
            {",class:", device->class, sizeof(device->class)},
            {",kernels:", device->kernels, sizeof(device->kernels)},
            {",units:", device->units, sizeof(device->units)},
            {",vector:", device->vector, sizeof(device->vector)},
            {",group:", device->group, sizeof(device->group)},
            {",local:", device->local, sizeof(device->local)},
            {",caches:", device->caches, sizeof(device->caches)},
            {",features:", device->features, sizeof(device->features)},
    };
    if (!strcmp(line, "opened"))
        answer->count++;
    else if (strstr(line, ",engine,"))
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
            copy_field(line, fields[i].key, fields[i].to, fields[i].size);
}

void runtimes_read(struct machine *machine) {
    for (int i = 0; i < ENGINE_RUNTIMES; i++) {
        struct runtime_answer *answer = &machine->runtimes[i];
        snprintf(answer->reason, sizeof(answer->reason), "no device found");
        answer->get = ways_to_get[i];
        if (!read_child(open_engines, &engine_runtimes[i], read_line, answer))
            snprintf(answer->reason, sizeof(answer->reason), "opening it failed");
        for (int d = 0; d < answer->count; d++)
            if (!answer->devices[d].backend[0])
                snprintf(answer->devices[d].backend, sizeof(answer->devices[d].backend), "%s",
                         engine_runtimes[i].title);
    }
}
