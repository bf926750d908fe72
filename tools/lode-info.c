/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library finds on this machine: version, processor, threads, and each runtime with its devices or
 * the reason why there are none. Uses only the public C API; names of devices come from verbose lines.
 *
 *   lode-info              for people
 *   lode-info --engines    for scripts: lines "ENGINE|ok|BACKEND|NAME" or "RUNTIME|absent|TITLE|REASON".
 *                          ENGINE is what our programs take on their command line: "cpu:0", "ocl:1"
 */
#define _POSIX_C_SOURCE 200809L
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_DEVICES = 16, TIMEOUT_S = 60 };

static const struct runtime_row {
    const char *engine; /* its name in our programs */
    const char *title;
    const char *gpu, *cpu;       /* values of ONEDNN_GPU_RUNTIME and ONEDNN_CPU_RUNTIME */
    dnnl_engine_kind_t kinds[2]; /* kinds of its engines, in numbering order */
} runtimes[] = {
        {"cpu", "CPU", NULL, NULL, {dnnl_cpu}},
        {"ze", "Level Zero", "ZE", NULL, {dnnl_gpu}},
        {"ocl", "OpenCL", "OCL", NULL, {dnnl_gpu}},
        {"sycl", "SYCL", "SYCL", "SYCL", {dnnl_gpu, dnnl_cpu}},
};
enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

struct device {
    char backend[64], name[256];
};

struct answer {
    int count;
    struct device devices[MAX_DEVICES];
    char reason[512]; /* why the count is 0 */
};

/* In the child: opens every engine of a runtime. The verbose lines describe an engine; our own line then says
 * that it works. */
static void open_engines(const struct runtime_row *row) {
    if (row->gpu) setenv("ONEDNN_GPU_RUNTIME", row->gpu, 1);
    if (row->cpu) setenv("ONEDNN_CPU_RUNTIME", row->cpu, 1);
    setenv("ONEDNN_VERBOSE", "error,warn,profile_create", 1);
    alarm(TIMEOUT_S); /* a driver that hangs counts as absent */
    for (int k = 0; k < 2 && row->kinds[k]; k++) {
        const size_t count = dnnl_engine_get_count(row->kinds[k]);
        for (size_t i = 0; i < count; i++) {
            dnnl_engine_t engine;
            if (dnnl_engine_create(&engine, row->kinds[k], i) != dnnl_success) continue;
            printf("opened\n");
            dnnl_engine_destroy(engine);
        }
    }
    fflush(stdout);
}

/* Copies the text between `key` and the next comma, if the key is present. */
static void copy_field(const char *line, const char *key, char *to, size_t size) {
    const char *text = strstr(line, key);
    if (!text) return;
    text += strlen(key);
    snprintf(to, size, "%.*s", (int)strcspn(text, ","), text);
}

/* Copies the text of an error or warning line: "…,error,component,text,src/file.c:12". */
static void copy_reason(const char *line, char *to, size_t size) {
    const char *text = strstr(line, ",error,");
    if (!text) text = strstr(line, ",warn,");
    for (int field = 0; text && field < 3; field++)
        text = strchr(text + (field > 0), ',');
    if (!text) return;
    snprintf(to, size, "%s", text + 1);
    char *place = strstr(to, ",src/");
    if (place) *place = '\0';
}

static void read_answer(FILE *lines, const struct runtime_row *row, struct answer *answer) {
    char line[1024];
    struct device device = {0};
    while (fgets(line, sizeof(line), lines)) {
        line[strcspn(line, "\n")] = '\0';
        copy_field(line, ",backend:", device.backend, sizeof(device.backend));
        copy_field(line, ",name:", device.name, sizeof(device.name));
        copy_reason(line, answer->reason, sizeof(answer->reason));
        if (strcmp(line, "opened") || answer->count == MAX_DEVICES) continue;
        if (!device.backend[0]) snprintf(device.backend, sizeof(device.backend), "%s", row->title);
        answer->devices[answer->count++] = device;
        device = (struct device){0};
    }
}

/* The library fixes the meaning of "gpu" at its first call, so each runtime is queried in a separate process.
 * Must run before any library call in this process, whose state the children would inherit. */
static struct answer query_runtime(const struct runtime_row *row) {
    struct answer answer = {.reason = "no device found"};
    int ends[2];
    if (pipe(ends)) return answer;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        open_engines(row);
        _exit(0);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    if (lines) {
        read_answer(lines, row, &answer);
        fclose(lines);
    }
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    if (status) snprintf(answer.reason, sizeof(answer.reason), "opening it failed");
    return answer;
}

static void print_engines(void) {
    for (int i = 0; i < RUNTIMES; i++) {
        const struct answer answer = query_runtime(&runtimes[i]);
        if (!answer.count) printf("%s|absent|%s|%s\n", runtimes[i].engine, runtimes[i].title, answer.reason);
        for (int d = 0; d < answer.count; d++)
            printf("%s:%d|ok|%s|%s\n", runtimes[i].engine, d, answer.devices[d].backend,
                   answer.devices[d].name);
    }
}

static void print_processor(void) {
    char line[256] = "";
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof(line), file))
        found = !strncmp(line, "model name", 10);
    if (file) fclose(file);
    const char *name = found ? strchr(line, ':') : NULL;
    printf("processor     %s", name ? name + 2 : "unknown\n");
}

static const char *isa_name(dnnl_cpu_isa_t isa) {
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {
            {dnnl_cpu_isa_default, "baseline"},
            {dnnl_cpu_isa_sse41, "SSE4.1"},
            {dnnl_cpu_isa_avx, "AVX"},
            {dnnl_cpu_isa_avx2, "AVX2"},
            {dnnl_cpu_isa_avx2_vnni, "AVX2 with VNNI"},
            {dnnl_cpu_isa_avx2_vnni_2, "AVX2 with VNNI, float16 and bfloat16"},
            {dnnl_cpu_isa_avx512_core, "AVX-512"},
            {dnnl_cpu_isa_avx512_core_vnni, "AVX-512 with VNNI"},
            {dnnl_cpu_isa_avx512_core_bf16, "AVX-512 with VNNI and bfloat16"},
            {dnnl_cpu_isa_avx512_core_fp16, "AVX-512 with VNNI, bfloat16 and float16"},
            {dnnl_cpu_isa_avx512_core_amx, "AVX-512 with AMX"},
            {dnnl_cpu_isa_avx512_core_amx_fp16, "AVX-512 with AMX and AMX-FP16"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].isa == isa) return names[i].name;
    return "unknown, newer than this program";
}

static void print_runtime(const struct runtime_row *row, const struct answer *answer) {
    if (!answer->count) printf("%-13s none: %s\n", row->title, answer->reason);
    for (int d = 0; d < answer->count; d++)
        printf("%-13s %s:%d  %s%s%s\n", d ? "" : row->title, row->engine, d, answer->devices[d].backend,
               answer->devices[d].name[0] ? ", " : "", answer->devices[d].name);
}

static void print_report(void) {
    struct answer answers[RUNTIMES];
    for (int i = 0; i < RUNTIMES; i++)
        answers[i] = query_runtime(&runtimes[i]);
    const dnnl_version_t *version = dnnl_version();
    printf("library       Lode, oneDNN API %d.%d.%d (%.12s)\n", version->major, version->minor,
           version->patch, version->hash);
    print_processor();
    printf("instructions  %s\n", isa_name(dnnl_get_effective_cpu_isa()));
    const char *threads = getenv("OMP_NUM_THREADS");
    printf("cores online  %ld%s%s\n", sysconf(_SC_NPROCESSORS_ONLN), threads ? ", OMP_NUM_THREADS=" : "",
           threads ? threads : "");
    for (int i = 0; i < RUNTIMES; i++)
        print_runtime(&runtimes[i], &answers[i]);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--engines"))
        print_engines();
    else if (argc == 1)
        print_report();
    else
        return fprintf(stderr, "usage: %s [--engines]\n", argv[0]), 1;
    return 0;
}
