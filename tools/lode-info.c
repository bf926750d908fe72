/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is on this machine, as the library sees it: version, processor, threads, and each runtime with its
 * devices or the reason why there are none. Knows the public C API only.
 *
 *   lode-info              for people
 *   lode-info --engines    for scripts: "ENGINE|ok" or "RUNTIME|reason" a line, ENGINE as in "ocl:1"
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

static const struct runtime_row {
    const char *engine; /* as programs of ours name it */
    const char *title;
    const char *setting; /* of ONEDNN_GPU_RUNTIME */
    dnnl_engine_kind_t kind;
} runtimes[] = {
        {"cpu", "CPU", NULL, dnnl_cpu},
        {"ze", "Level Zero", "ZE", dnnl_gpu},
        {"ocl", "OpenCL", "OCL", dnnl_gpu},
        {"sycl", "SYCL", "SYCL", dnnl_gpu},
};
enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

struct answer {
    size_t count;
    char reason[512]; /* of a count of 0, or empty */
};

/* What the last verbose line of an error or warning says: "…,error,component,text,src/file.c:12". */
static void find_reason(char *output, char *reason, size_t size) {
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
        const char *text = strstr(line, ",error,");
        if (!text) text = strstr(line, ",warn,");
        for (int field = 0; text && field < 3; field++)
            text = strchr(text + (field > 0), ',');
        if (!text) continue;
        snprintf(reason, size, "%s", text + 1);
        char *place = strstr(reason, ",src/");
        if (place) *place = '\0';
    }
}

/* The meaning of "gpu" is fixed at the library's first call, so each runtime is asked in a process of its
 * own. What it prints tells why it has no device; the count is the last thing that it writes. Must come
 * before any call of the library in this process, which the children would inherit. */
static struct answer ask(const struct runtime_row *row) {
    struct answer answer = {0};
    int ends[2];
    if (pipe(ends)) return answer;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        if (row->setting) setenv("ONEDNN_GPU_RUNTIME", row->setting, 1);
        setenv("ONEDNN_VERBOSE", "error,warn", 1);
        alarm(60); /* a driver that hangs is a driver that is not there */
        const size_t count = dnnl_engine_get_count(row->kind);
        printf("\ncount %zu\n", count);
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    static char output[1 << 16];
    size_t length = 0;
    for (ssize_t n; child > 0 && length < sizeof(output) - 1; length += (size_t)n) {
        n = read(ends[0], output + length, sizeof(output) - 1 - length);
        if (n <= 0) break;
    }
    output[length] = '\0';
    close(ends[0]);
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);

    const char *line = strstr(output, "\ncount ");
    if (status == 0 && line && sscanf(line, "\ncount %zu", &answer.count) == 1 && answer.count > 0)
        return answer;
    snprintf(answer.reason, sizeof(answer.reason), "%s",
             status ? "the process that asked failed" : "no device found");
    find_reason(output, answer.reason, sizeof(answer.reason));
    return answer;
}

static void print_engines(void) {
    for (int i = 0; i < RUNTIMES; i++) {
        const struct answer answer = ask(&runtimes[i]);
        if (!answer.count) printf("%s|%s\n", runtimes[i].engine, answer.reason);
        for (size_t d = 0; d < answer.count; d++)
            printf("%s:%zu|ok\n", runtimes[i].engine, d);
    }
}

static void print_processor(void) {
    char line[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof(line), file) && strncmp(line, "model name", 10))
        ;
    if (file) fclose(file);
    const char *name = strchr(line, ':');
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
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].isa == isa) return names[i].name;
    return "newer than this program";
}

static void print_report(void) {
    struct answer answers[RUNTIMES];
    for (int i = 0; i < RUNTIMES; i++)
        answers[i] = ask(&runtimes[i]);
    const dnnl_version_t *version = dnnl_version();
    printf("library       Lode, oneDNN API %d.%d.%d (%.12s)\n", version->major, version->minor,
           version->patch, version->hash);
    print_processor();
    printf("instructions  %s\n", isa_name(dnnl_get_effective_cpu_isa()));
    const char *threads = getenv("OMP_NUM_THREADS");
    printf("cores online  %ld%s%s\n", sysconf(_SC_NPROCESSORS_ONLN), threads ? ", OMP_NUM_THREADS=" : "",
           threads ? threads : "");
    for (int i = 0; i < RUNTIMES; i++) {
        printf("%-13s ", runtimes[i].title);
        if (answers[i].count)
            printf("%zu device%s\n", answers[i].count, answers[i].count > 1 ? "s" : "");
        else
            printf("none: %s\n", answers[i].reason);
    }
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
