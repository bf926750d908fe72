/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lode-info: what the library finds on this machine, and how it would compute a request. For people, or as
 * JSON; --engines is for scripts: lines "ENGINE|ok|BACKEND|NAME" or "RUNTIME|absent|TITLE|REASON".
 */
#include "info.h"

#include "bench/input.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
        "usage: lode-info [--json | --engines]    what is on this machine\n"
        "       lode-info --env                   settings for programs that use Level\n"
        "                                         Zero, to run on the driver for the CPU:\n"
        "                                         eval \"$(lode-info --env)\"\n"
        "       lode-info [--json] [--engine NAME] --request KIND TYPES SHAPE [OPTION]...\n"
        "       lode-info [--json] [--engine NAME] --request FILE\n"
        "                                         how requests would be computed\n"
        "  --json         as JSON: one object, or a list of one for each request\n"
        "  --engines      one line per engine, ENGINE|ok|BACKEND|NAME, or, of a runtime\n"
        "                 without one, RUNTIME|absent|TITLE|WHY\n"
        "  --engine NAME  cpu (default), ze:0, ocl:0, sycl:0: as this program lists them\n"
        "A request is what lode-bench takes, with its options --direction, --alg, --aux,\n"
        "--attr, --tags and --bias, or a FILE of verbose lines (- is stdin):\n"
        "  lode-info --request matmul bf16 128x512:512x512\n"
        "  ONEDNN_VERBOSE=1 program | lode-info --engine ocl:0 --request -\n"
        "It is planned, not executed: implementation, kernels in their order with the\n"
        "form that runs, and why better implementations declined.\n"
        "Status 1: a request is refused, or no driver. 2: bad usage, no requests.\n";

struct options {
    bool json, engines, env, request;
    const char *engine;
    struct description description;
    int word_count;
    const char *words[3];
};

static bool parse_options(struct options *options, int argc, char **argv) {
    const struct {
        const char *name;
        bool *set;
    } flags[] = {
            {"--json", &options->json},
            {"--engines", &options->engines},
            {"--env", &options->env},
            {"--request", &options->request},
    };
    for (int i = 1; i < argc; i++) {
        const char **value = description_option(&options->description, argv[i]);
        bool *set = NULL;
        if (!strcmp(argv[i], "--engine")) value = &options->engine;
        for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
            if (!strcmp(argv[i], flags[k].name)) set = flags[k].set;
        if (set)
            *set = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else if (value || (argv[i][0] == '-' && argv[i][1]) || options->word_count == 3)
            return false;
        else
            options->words[options->word_count++] = argv[i];
    }
    const bool worded = options->word_count == 1 || options->word_count == 3;
    return options->request ? worded && !options->engines && !options->env
                            : !options->word_count && options->json + options->engines + options->env <= 1;
}

/* A loader that is on the machine loads the driver that it is told; else ours stands in for one. */
static int print_env(void) {
    static struct machine machine;
    machine_find_driver(&machine);
    if (!machine.driver[0]) {
        fprintf(stderr, "lode-info: libze_lode_cpu.so.1 is not beside %s: package lode-driver has it\n",
                machine.library);
        return 1;
    }
    printf("export ZE_ENABLE_ALT_DRIVERS='%s'\n", machine.driver);
    if (dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL))
        printf("# SYCL needs a loader of version 1.20 or newer; for older ones:\n# ");
    if (machine.loader[0])
        printf("export LD_LIBRARY_PATH='%s'\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n", machine.loader);
    return 0;
}

static int print_machine(const struct options *options) {
    static struct machine machine;
    runtimes_read(&machine);
    machine_read(&machine);
    if (options->engines)
        print_engines(&machine);
    else if (options->json)
        print_json(&machine);
    else
        print_text(&machine);
    return 0;
}

static int print_requests(const struct options *options) {
    struct requests requests = {0};
    struct description description = options->description;
    description.kind = options->words[0];
    description.types = options->words[1];
    description.shape = options->words[2];
    static struct request_answer answer;
    int status = 0;
    if (options->word_count == 3)
        requests_describe(&requests, &description);
    else if (!requests_read_file(&requests, options->words[0]))
        fprintf(stderr, "lode-info: cannot read %s\n", options->words[0]);
    requests_parse(&requests);
    for (int i = 0; i < requests.count; i++) {
        if (options->json) printf(i ? ",\n" : "[");
        request_read(&requests.list[i], options->engine, &answer);
        if (options->json)
            print_request_json(&requests.list[i], options->engine, &answer);
        else
            print_request(&requests.list[i], options->engine, &answer);
        if (answer.why[0]) status = 1;
    }
    if (options->json && requests.count) puts("]");
    if (!requests.count) fprintf(stderr, "lode-info: no requests found\n");
    free(requests.list);
    return requests.count ? status : 2;
}

int main(int argc, char **argv) {
    struct options options = {.engine = "cpu"};
    if (argc > 1 && !strcmp(argv[argc - 1], "--help")) return fputs(help, stdout), 0;
    if (!parse_options(&options, argc, argv)) return fputs(help, stderr), 2;
    if (options.env) return print_env();
    return options.request ? print_requests(&options) : print_machine(&options);
}
