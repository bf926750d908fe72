/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses ONEDNN_VERBOSE and writes lines. The syntax is oneDNN's: a list of words, applied from left to
 * right; unknown words are ignored. Nothing here needs cleanup: the state is one word, the filter is set
 * once.
 */
#define _GNU_SOURCE
#include "base/verbose.h"

#include "base/choice.h"
#include "base/cpu.h"
#include "base/env.h"
#include "base/pool.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"
#include "oneapi/dnnl/dnnl_config.h"

#include <ctype.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Never zero once the environment has been read. */
enum { STATE_KNOWN = 1 << 30 };
_Atomic unsigned verbose_state;

static const struct {
    const char *word;
    unsigned clear, set;
} words[] = {
        {"none", VERBOSE_ALL, 0},
        {"0", VERBOSE_ALL, 0},
        {"1", 0, VERBOSE_ERROR | VERBOSE_EXEC},
        {"2", 0, VERBOSE_ERROR | VERBOSE_EXEC | VERBOSE_CREATE},
        {"all", 0, VERBOSE_ALL},
        {"-1", 0, VERBOSE_ALL},
        {"error", 0, VERBOSE_ERROR},
        {"check", 0, VERBOSE_CHECK},
        {"dispatch", 0, VERBOSE_DISPATCH},
        {"profile", 0, VERBOSE_CREATE | VERBOSE_EXEC},
        {"profile_create", 0, VERBOSE_CREATE},
        {"profile_exec", 0, VERBOSE_EXEC},
        {"profile_externals", 0, VERBOSE_EXTERNALS},
        {"warn", 0, VERBOSE_WARN},
};

/* What a filter can select. "primitive" stands for all rows above `first_other`. */
static const char *const components[] = {
        "reorder",
        "shuffle",
        "concat",
        "sum",
        "convolution",
        "deconvolution",
        "eltwise",
        "lrn",
        "batch_normalization",
        "inner_product",
        "rnn",
        "binary",
        "matmul",
        "resampling",
        "pooling",
        "reduction",
        "prelu",
        "softmax",
        "layer_normalization",
        "group_normalization",
        "graph",
        "gemm_api",
        "ukernel",
};
enum { COMPONENTS = sizeof(components) / sizeof(components[0]), OTHER_COMPONENTS = 3 };

static pthread_once_t started = PTHREAD_ONCE_INIT, announced = PTHREAD_ONCE_INIT;
static uint32_t wanted = UINT32_MAX; /* one bit per component */
static char *filter_error;           /* why the filter was rejected; printed with the first lines */
static bool timestamps;

/* Objects that are not primitives. */
static const char *const common_components[] = {"memory", "engine", "stream", "runtime", "common", "service"};

static void set_filter(const char *pattern) {
    regex_t regex;
    int error = regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (error) {
        size_t size = regerror(error, &regex, NULL, 0);
        char *text = malloc(size);
        if (text) regerror(error, &regex, text, size);
        free(filter_error);
        filter_error = text;
        return;
    }
    wanted = 0;
    if (regexec(&regex, "primitive", 0, NULL, 0) == 0) wanted = (1u << (COMPONENTS - OTHER_COMPONENTS)) - 1;
    for (int i = 0; i < COMPONENTS; i++)
        if (regexec(&regex, components[i], 0, NULL, 0) == 0) wanted |= 1u << i;
    regfree(&regex);
}

static unsigned apply_word(unsigned state, const char *word) {
    static const char filter[] = "filter=", debug[] = "debuginfo=";
    if (strncmp(word, filter, sizeof(filter) - 1) == 0) {
        if (word[sizeof(filter) - 1]) set_filter(word + sizeof(filter) - 1);
        return state;
    }
    if (strncmp(word, debug, sizeof(debug) - 1) == 0)
        return atoi(word + sizeof(debug) - 1) > 0 ? state | VERBOSE_DEBUG : state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i].word) == 0) return (state & ~words[i].clear) | words[i].set;
    return state;
}

static void start(void) {
    unsigned state = VERBOSE_ERROR;
    const char *setting = env_get("VERBOSE");
    char *text = setting ? strdup(setting) : NULL;
    for (char *c = text; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (char *rest = text, *word; rest && (word = strsep(&rest, ","));)
        state = apply_word(state, word);
    free(text);
    timestamps = env_int("VERBOSE_TIMESTAMP", 0) != 0;
    unsigned untouched = 0;
    atomic_compare_exchange_strong(&verbose_state, &untouched, state | STATE_KNOWN);
}

unsigned verbose_start(void) {
    pthread_once(&started, start);
    return atomic_load(&verbose_state);
}

bool verbose_wants(const char *component) {
    verbose_start();
    if (wanted == UINT32_MAX) return true;
    for (int i = 0; i < COMPONENTS; i++)
        if (strcmp(component, components[i]) == 0) return wanted >> i & 1;
    return wanted != 0;
}

void verbose_set(unsigned kinds) {
    verbose_start();
    atomic_store(&verbose_state, kinds | STATE_KNOWN);
}

double verbose_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Each line is a single write, so that lines of several threads never mix. */
static void print(const char *text) {
    fputs(text, stdout);
    fflush(stdout);
}

static void announce(void) {
    char text[1024];
    snprintf(
            text, sizeof(text),
            "onednn_verbose,v1,info,oneDNN v%d.%d.%d (commit %s)\n"
            "onednn_verbose,v1,info,cpu,runtime:%s,nthr:%d\n"
            "onednn_verbose,v1,info,cpu,isa:%s\n"
            "onednn_verbose,v1,info,gpu,runtime:%s\n"
            "onednn_verbose,v1,primitive,info,template:%soperation,engine,primitive,implementation,prop_kind,"
            "memory_descriptors,attributes,auxiliary,problem_desc,exec_time\n"
            "%s%s%s",
            DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH,
            *DNNL_VERSION_HASH ? DNNL_VERSION_HASH : "N/A", dnnl_runtime2str(DNNL_CPU_RUNTIME),
            pool_threads(pool_default()), cpu_isa_description(),
            dnnl_runtime2str(runtime_choice(dnnl_gpu)->kind), timestamps ? "timestamp," : "",
            filter_error
                    ? "onednn_verbose,v1,common,error,filter format is ill-formed and is not applied, error: "
                    : "",
            filter_error ? filter_error : "", filter_error ? ".\n" : "");
    print(text);
}

static void print_line(const char *format, va_list values) {
    char stack[4096], stamp[32] = "", *line = stack;
    static const char prefix[] = "onednn_verbose,v1,";
    if (timestamps) snprintf(stamp, sizeof(stamp), "%.6f,", verbose_now_ms());
    va_list again;
    va_copy(again, values);
    int head = snprintf(stack, sizeof(stack), "%s%s", prefix, stamp);
    int body = vsnprintf(stack + head, sizeof(stack) - (size_t)head, format, values);
    if (body >= 0 && (size_t)(head + body) + 2 > sizeof(stack)) {
        line = malloc((size_t)(head + body) + 2);
        if (line) {
            memcpy(line, stack, (size_t)head);
            vsnprintf(line + head, (size_t)body + 1, format, again);
        } else {
            line = stack;
            body = (int)sizeof(stack) - 2 - head;
        }
    }
    va_end(again);
    if (body < 0) return;
    strcpy(line + head + body, "\n");
    pthread_once(&announced, announce);
    print(line);
    if (line != stack) free(line);
}

void verbose_line(const char *format, ...) {
    va_list values;
    va_start(values, format);
    verbose_start();
    print_line(format, values);
    va_end(values);
}

static void replace_commas(char *text) {
    for (; (text = strchr(text, ',')); text++)
        *text = ';';
}

void verbose_field(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
    replace_commas(to);
}

static const char *area_of(const char *component) {
    for (size_t i = 0; i < sizeof(common_components) / sizeof(common_components[0]); i++)
        if (strcmp(component, common_components[i]) == 0) return "common";
    return "primitive";
}

dnnl_status_t verbose_fail(dnnl_status_t status, enum fail_kind kind, const char *component, const char *file,
                           int line, const char *format, ...) {
    bool error = kind != FAILS_CHECK && (status == dnnl_out_of_memory || status == dnnl_runtime_error);
    if (!verbose_on(error ? VERBOSE_ERROR : VERBOSE_CHECK) || !wanted) return status;
    char reason[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof(reason), format, values);
    va_end(values);
    replace_commas(reason);
    const char *stage = error ? "error" : kind == FAILS_EXEC ? "exec:check" : "create:check";
    verbose_line("%s,%s,%s,%s,%s:%d", area_of(component), stage, component, reason, file, line);
    return status;
}
