/* SPDX-License-Identifier: Apache-2.0 */
/* lode-info for people, and --engines for scripts. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

/* "32 KB, 1 MB" from "32768/1048576/0"; false if nothing is known. */
static bool describe_caches(const char *text, char *to, size_t size) {
    to[0] = '\0';
    for (const char *next = text; next && *next; next = strchr(next, '/') ? strchr(next, '/') + 1 : NULL) {
        const long bytes = strtol(next, NULL, 10);
        const size_t length = strlen(to);
        if (bytes <= 0) continue;
        if (bytes < 1 << 20)
            snprintf(to + length, size - length, "%s%ld KB", length ? ", " : "", bytes >> 10);
        else
            snprintf(to + length, size - length, "%s%ld MB", length ? ", " : "", bytes >> 20);
    }
    return to[0] != '\0';
}

/* All but the sizes of sub-groups, of which there are many. */
static void print_features(const char *features) {
    while (features && *features) {
        const int length = (int)strcspn(features, "+");
        if (strncmp(features, "sub_group_", 10)) printf(" %.*s", length, features);
        features += length + (features[length] == '+');
    }
    putchar('\n');
}

static void print_properties(const struct device *device) {
    char caches[96];
    if (!device->units[0]) return;
    printf("                      %s compute unit%s, vectors of %s bytes, %s kernels", device->units,
           strcmp(device->units, "1") ? "s" : "", device->vector, device->kernels);
    if (describe_caches(device->caches, caches, sizeof(caches))) printf(", caches %s", caches);
    printf("\n                      features");
    print_features(device->features);
}

static void print_runtime(const struct engine_runtime *runtime, const struct runtime_answer *answer) {
    if (!answer->count) printf("%-13s none: %s\n", runtime->title, answer->reason);
    if (!answer->count && answer->get) printf("              to get it: %s\n", answer->get);
    for (int d = 0; d < answer->count; d++) {
        const struct device *device = &answer->devices[d];
        char name[24];
        snprintf(name, sizeof(name), "%s:%d", runtime->name, d);
        printf("%-13s %-7s %s%s%s", d ? "" : runtime->title, name, device->backend,
               device->name[0] ? ", " : "", device->name);
        if (device->driver[0]) printf(", driver %s", device->driver);
        putchar('\n');
        print_properties(device);
    }
}

void print_text(const struct machine *machine) {
    printf("library       Lode, oneDNN API %s (%.12s)\n", machine->version, machine->hash);
    printf("              %s\n", machine->library);
    printf("processor     %s\n", machine->processor);
    printf("instructions  %s\n", machine->isa);
    printf("cores online  %ld%s%s\n", machine->cores, machine->threads ? ", OMP_NUM_THREADS=" : "",
           machine->threads ? machine->threads : "");
    for (int i = 0; i < ENGINE_RUNTIMES; i++)
        print_runtime(&engine_runtimes[i], &machine->runtimes[i]);
    printf("driver        %s\n",
           machine->driver[0] ? machine->driver : "none: libze_lode_cpu.so.1 is not beside the library");
    if (machine->cache_on)
        printf("kernel cache  %s: %ld files, %.1f MB\n", machine->cache, machine->cache_files,
               (double)machine->cache_bytes / 1e6);
    else
        printf("kernel cache  off: LODE_CACHE=0, or no HOME\n");
}

void print_engines(const struct machine *machine) {
    for (int i = 0; i < ENGINE_RUNTIMES; i++) {
        const struct runtime_answer *answer = &machine->runtimes[i];
        const struct engine_runtime *runtime = &engine_runtimes[i];
        if (!answer->count) printf("%s|absent|%s|%s\n", runtime->name, runtime->title, answer->reason);
        for (int d = 0; d < answer->count; d++)
            printf("%s:%d|ok|%s|%s\n", runtime->name, d, answer->devices[d].backend, answer->devices[d].name);
    }
}

void print_request(const struct request *request, const char *engine, const struct request_answer *answer) {
    const struct request_text *text = &request->text;
    const bool directed = strcmp(text->direction, "undef") != 0;
    printf("%s %s%s%s on %s\n", text->kind, directed ? text->direction : "", directed ? " " : "", text->shape,
           engine);
    if (answer->why[0]) printf("  refused: %s\n", answer->why);
    if (answer->implementation[0]) printf("  implementation %s\n", answer->implementation);
    for (int i = 0; i < answer->launch_count; i++) {
        const struct launch *launch = &answer->launches[i];
        printf("  launch %-3d %s (%s), %s groups of %s", i, launch->kernel, launch->form, launch->groups,
               launch->items);
        printf(strcmp(launch->times, "1") ? ", %s times\n" : "\n", launch->times);
    }
    for (int i = 0; i < answer->declined_count; i++)
        printf("  declined   %s: %s\n", answer->declined[i].implementation, answer->declined[i].reason);
}
