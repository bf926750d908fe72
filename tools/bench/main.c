/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lode-bench: times and checks primitives from a description or from verbose lines, with any library that has
 * oneDNN's API, and compares two of them.
 */
#define _DEFAULT_SOURCE
#include "draw.h"
#include "input.h"
#include "measure.h"
#include "report.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *library, *against, *engine, *other_engine, *csv, *markdown, *svg, *html, *only;
    double budget_ms;
    bool sweep;
    struct description description;
    int word_count;
    const char *words[64];
};

static const char help[] =
        "usage: lode-bench [OPTION]... FILE...           replay verbose logs (- is stdin)\n"
        "       lode-bench [OPTION]... KIND TYPES SHAPE  one request\n"
        "  --library PATH       the library to test; default: the one beside this program\n"
        "  --against PATH       a second library: compares times and results\n"
        "  --engine NAME        cpu, ze:0, ocl:0, sycl:0: as lode-info lists them\n"
        "  --other-engine NAME  of the second library; without --against: of the same one\n"
        "  --time MS            for each request and library; default 50\n"
        "  --only WORD          only requests whose text contains it\n"
        "  --csv, --markdown, --svg, --html FILE    writes tables, bars, a page of charts\n"
        "  --sweep              other types, layouts and attributes; marks cliffs: longer\n"
        "                       than 3 times the plain f32 one and 50 us\n"
        "TYPES is one type or src:wei:dst; SHAPE is as in verbose lines:\n"
        "  lode-bench matmul u8:s8:f32 128x512:512x512 --attr attr-scales:src0:0:f32\n"
        "  lode-bench convolution f32 mb1_ic64oc64_ih56oh56kh3ph1_iw56ow56kw3pw1\n"
        "  --direction D        forward_training, backward_data, backward_weights, …\n"
        "  --alg A              eltwise_tanh, pooling_avg_exclude_padding, …\n"
        "  --aux TEXT           more of the auxiliary field: \"axis:2\"\n"
        "  --attr TEXT          \"attr-scratchpad:user attr-post-ops:sum+eltwise_relu\"\n"
        "  --tags LIST          layouts of src:wei:dst: any, acdb, …; default: plain, or\n"
        "                       any for convolutions and inner products\n"
        "  --bias TYPE          with a bias\n"
        "Status 1: results differ, a goal is missed, or the library refuses what the\n"
        "other runs (or what was asked for). 2: bad usage, no library, no requests.\n";

static bool parse_time(const char *text, double *ms) {
    char *end;
    *ms = strtod(text, &end);
    return end != text && !*end && *ms > 0;
}

static bool parse_options(struct options *options, int argc, char **argv) {
    const struct {
        const char *name;
        const char **value;
    } rows[] = {
            {"--library", &options->library}, {"--against", &options->against},
            {"--engine", &options->engine},   {"--other-engine", &options->other_engine},
            {"--csv", &options->csv},         {"--markdown", &options->markdown},
            {"--svg", &options->svg},         {"--html", &options->html},
            {"--only", &options->only},
    };
    for (int i = 1; i < argc; i++) {
        const char **value = description_option(&options->description, argv[i]), *time_text = NULL;
        if (!strcmp(argv[i], "--sweep")) {
            options->sweep = true;
            continue;
        }
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
            if (!strcmp(argv[i], rows[k].name)) value = rows[k].value;
        if (!strcmp(argv[i], "--time")) value = &time_text;
        if (value) {
            if (++i == argc) return false;
            *value = argv[i];
            if (time_text && !parse_time(time_text, &options->budget_ms)) return false;
        } else if ((argv[i][0] == '-' && argv[i][1]) || options->word_count == 64) {
            return false;
        } else {
            options->words[options->word_count++] = argv[i];
        }
    }
    return options->word_count > 0;
}

static bool read_files(const struct options *options, struct requests *requests) {
    for (int i = 0; i < options->word_count; i++)
        if (!requests_read_file(requests, options->words[i])) {
            fprintf(stderr, "lode-bench: cannot read %s\n", options->words[i]);
            return false;
        }
    return true;
}

/* Keeps the requests whose text contains a word. */
static void filter(struct requests *requests, const char *word) {
    int kept = 0;
    for (int i = 0; i < requests->count; i++) {
        const struct request_text *text = &requests->list[i].text;
        if (strstr(text->kind, word) || strstr(text->direction, word) || strstr(text->memory, word)
            || strstr(text->attributes, word) || strstr(text->auxiliary, word) || strstr(text->shape, word))
            requests->list[kept++] = requests->list[i];
    }
    requests->count = kept;
}

/* Three words whose first is not a file are a description. One that makes no sense is a mistake; lines of
 * logs that this program cannot ask for are skipped. */
static bool read_requests(const struct options *options, struct requests *requests) {
    bool described = options->word_count == 3 && access(options->words[0], R_OK);
    if (described) {
        struct description description = options->description;
        description.kind = options->words[0];
        description.types = options->words[1];
        description.shape = options->words[2];
        if (options->sweep)
            requests_sweep(requests, &description);
        else
            requests_describe(requests, &description);
    } else if (options->sweep) {
        fprintf(stderr, "lode-bench: a sweep needs KIND TYPES SHAPE\n");
        return false;
    } else if (!read_files(options, requests)) {
        return false;
    }
    requests_parse(requests);
    if (options->only) filter(requests, options->only);
    if (!requests->count) fprintf(stderr, "lode-bench: no requests found\n");
    if (described && requests->count && requests->list[0].why[0]) {
        fprintf(stderr, "lode-bench: %s\n", requests->list[0].why);
        return false;
    }
    return requests->count > 0;
}

static void show_progress(int done, int count, time_t start) {
    if (!isatty(STDERR_FILENO)) return;
    double elapsed = difftime(time(NULL), start), left = done ? elapsed / done * (count - done) : 0;
    if (done == count)
        fprintf(stderr, "\r\033[K");
    else
        fprintf(stderr, "\r\033[K%d of %d, %.0f s left\r", done, count, left);
}

static void write_csv(FILE *file, const struct chart *chart) {
    report_csv(file, chart->count, chart->results);
}

static void write_markdown(FILE *file, const struct chart *chart) {
    report_markdown(file, chart->count, chart->results);
}

/* Writes a file if its name is given. */
static bool write_file(const char *name, const struct chart *chart,
                       void (*put)(FILE *, const struct chart *)) {
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!name) return true;
    if (file) put(file, chart);
    bool good = file && !ferror(file);
    if (file && fclose(file)) good = false;
    if (!good) fprintf(stderr, "lode-bench: cannot write %s\n", name);
    return good;
}

/* Says so if other processes will disturb the measurements. */
static void warn_of_load(void) {
    double load;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) == 1 && load > 0.5 * (double)cores)
        printf("note     the load of this machine is %.1f on %ld cores: times are disturbed\n", load, cores);
}

/* Other work on the machine can look like a cliff: what does is measured again, right after its base. */
static void find_cliff(const struct result *base, struct result *result, struct worker *ours, double budget) {
    struct result near = *base;
    for (int again = 0; sweep_is_cliff(&near, result); again++) {
        if (again == 3) {
            result->cliff = result->our_us / near.our_us;
            return;
        }
        near = measure_request(base->request, ours, NULL, budget);
        double us = measure_request(result->request, ours, NULL, budget).our_us;
        if (us < result->our_us) result->our_us = us;
    }
}

static int run(const struct options *options, const struct requests *requests, struct worker *ours,
               struct worker *theirs) {
    struct result *results = calloc((size_t)requests->count, sizeof(*results));
    time_t start = time(NULL);
    bool failed = false;
    if (!results) return 2;
    warn_of_load();
    report_head(stdout, theirs != NULL);
    for (int i = 0; i < requests->count; i++) {
        show_progress(i, requests->count, start);
        results[i] = measure_request(&requests->list[i], ours, theirs, options->budget_ms);
        results[i].optional = options->sweep;
        if (options->sweep) find_cliff(&results[0], &results[i], ours, options->budget_ms);
        failed = failed || result_is_failure(&results[i]);
        report_line(stdout, &results[i], theirs != NULL);
    }
    show_progress(requests->count, requests->count, start);
    report_totals(stdout, requests->count, results, theirs != NULL);
    char our_name[256], their_name[256];
    snprintf(our_name, sizeof(our_name), "%s: %.200s", ours->engine, ours->library);
    if (theirs) snprintf(their_name, sizeof(their_name), "%s: %.200s", theirs->engine, theirs->library);
    struct chart chart = {requests->count, results, our_name, theirs ? their_name : NULL};
    bool written = write_file(options->csv, &chart, write_csv);
    written &= write_file(options->markdown, &chart, write_markdown);
    written &= write_file(options->svg, &chart, draw_svg);
    written &= write_file(options->html, &chart, draw_page);
    free(results);
    return written ? failed : 2;
}

static bool start(struct worker *worker, const char *title) {
    char why[WHY_SIZE];
    bool good = worker_start(worker, why, sizeof(why));
    if (good)
        printf("%-8s %s\n", title, why);
    else
        fprintf(stderr, "lode-bench: %s: %s\n", worker->library, why);
    return good;
}

/* The library that is installed or built with this program, else whichever the dynamic linker finds. */
static const char *default_library(void) {
    static const char *const places[] = {LODE_LIBRARY_FOLDER, "../lib", "."};
    static char path[4096];
    char self[2048];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s/libdnnl.so.3", self, places[i]);
        if (!access(path, R_OK)) return path;
    }
    return "libdnnl.so.3";
}

/* Starts the workers, runs all requests on them, stops them. */
static int run_workers(const struct options *options, const struct requests *requests) {
    struct worker ours = {.library = options->library, .engine = options->engine};
    struct worker theirs = {.library = options->against ? options->against : options->library,
                            .engine = options->other_engine ? options->other_engine : options->engine};
    bool both = options->against || options->other_engine;
    bool good = start(&ours, "library") && (!both || start(&theirs, "other"));
    int status = good ? run(options, requests, &ours, both ? &theirs : NULL) : 2;
    worker_stop(&ours);
    worker_stop(&theirs);
    return status;
}

int main(int argc, char **argv) {
    struct options options = {.library = default_library(), .engine = "cpu", .budget_ms = 50};
    struct requests requests = {0};
    if (argc == 5 && !strcmp(argv[1], "--worker")) return worker_main(atoi(argv[2]), argv[3], argv[4]);
    if (argc > 1 && !strcmp(argv[argc - 1], "--help")) return fputs(help, stdout), 0;
    if (!parse_options(&options, argc, argv)) return fputs(help, stderr), 2;
    int status = read_requests(&options, &requests) ? run_workers(&options, &requests) : 2;
    free(requests.list);
    return status;
}
