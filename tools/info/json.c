/* SPDX-License-Identifier: Apache-2.0 */
/* lode-info --json. */
#include "info.h"

#include <string.h>

static void put_text(const char *text) {
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < ' ' || *c >= 0x7f)
            printf("\\u%04x", *c); /* drivers' names need not be UTF-8 */
        else
            putchar(*c);
    }
    putchar('"');
}

static void put_or_null(const char *text) {
    if (text && *text)
        put_text(text);
    else
        printf("null");
}

/* A member, with the comma before it. Indented by `depth` levels. */
static void put_key(int depth, bool first, const char *key) {
    printf("%s\n%*s\"%s\": ", first ? "" : ",", 2 * depth, "", key);
}

static void put_member(int depth, bool first, const char *key, const char *text) {
    put_key(depth, first, key);
    put_or_null(text);
}

/* "a+b" as a list of texts, "1/2" as one of numbers. */
static void put_list(const char *text, char separator, bool numbers) {
    bool first = true;
    putchar('[');
    while (*text) {
        char part[64];
        const char *end = strchr(text, separator);
        const int length = end ? (int)(end - text) : (int)strlen(text);
        snprintf(part, sizeof(part), "%.*s", length, text);
        printf("%s", first ? "" : ", ");
        if (numbers)
            printf("%s", part);
        else
            put_text(part);
        first = false;
        text += end ? length + 1 : length;
    }
    putchar(']');
}

static void put_number(int depth, const char *key, const char *number) {
    put_key(depth, false, key);
    printf("%s", number[0] ? number : "null");
}

static void put_device(const struct engine_runtime *runtime, int index, const struct device *device) {
    enum { DEPTH = 5 };
    char name[24];
    snprintf(name, sizeof(name), "%s:%d", runtime->name, index);
    printf("%s\n        {", index ? "," : "");
    put_member(DEPTH, true, "engine", name);
    put_member(DEPTH, false, "backend", device->backend);
    put_member(DEPTH, false, "name", device->name);
    put_member(DEPTH, false, "driver", device->driver);
    put_member(DEPTH, false, "class", device->class);
    put_key(DEPTH, false, "kernels");
    put_list(device->kernels, '+', false);
    put_number(DEPTH, "compute_units", device->units);
    put_number(DEPTH, "vector_bytes", device->vector);
    put_number(DEPTH, "largest_group", device->group);
    put_number(DEPTH, "local_bytes", device->local);
    put_key(DEPTH, false, "cache_bytes");
    put_list(device->caches, '/', true);
    put_key(DEPTH, false, "features");
    put_list(device->features, '+', false);
    printf("\n        }");
}

static void put_runtime(const struct engine_runtime *runtime, const struct runtime_answer *answer,
                        bool first) {
    printf("%s\n    {", first ? "" : ",");
    put_member(3, true, "runtime", runtime->name);
    put_member(3, false, "title", runtime->title);
    put_member(3, false, "missing", answer->count ? NULL : answer->reason);
    put_member(3, false, "to_get_it", answer->count ? NULL : answer->get);
    put_key(3, false, "engines");
    putchar('[');
    for (int d = 0; d < answer->count; d++)
        put_device(runtime, d, &answer->devices[d]);
    printf("]\n    }");
}

void print_json(const struct machine *machine) {
    putchar('{');
    put_member(1, true, "api", machine->version);
    put_member(1, false, "commit", machine->hash);
    put_member(1, false, "library", machine->library);
    put_member(1, false, "processor", machine->processor);
    put_member(1, false, "instructions", machine->isa);
    put_key(1, false, "cores");
    printf("%ld", machine->cores);
    put_member(1, false, "omp_num_threads", machine->threads);
    put_member(1, false, "driver", machine->driver);
    put_member(1, false, "stand_in_loader", machine->loader);
    put_member(1, false, "kernel_cache", machine->cache_on ? machine->cache : NULL);
    put_key(1, false, "kernel_cache_files");
    printf("%ld", machine->cache_files);
    put_key(1, false, "kernel_cache_bytes");
    printf("%lld", machine->cache_bytes);
    put_key(1, false, "runtimes");
    putchar('[');
    for (int i = 0; i < ENGINE_RUNTIMES; i++)
        put_runtime(&engine_runtimes[i], &machine->runtimes[i], i == 0);
    printf("]\n}\n");
}

void print_request_json(const struct request *request, const char *engine,
                        const struct request_answer *answer) {
    const struct request_text *text = &request->text;
    putchar('{');
    put_member(1, true, "kind", text->kind);
    put_member(1, false, "direction", text->direction);
    put_member(1, false, "memory", text->memory);
    put_member(1, false, "attributes", text->attributes);
    put_member(1, false, "auxiliary", text->auxiliary);
    put_member(1, false, "shape", text->shape);
    put_member(1, false, "engine", engine);
    put_member(1, false, "refused", answer->why);
    put_member(1, false, "implementation", answer->implementation);
    put_key(1, false, "launches");
    putchar('[');
    for (int i = 0; i < answer->launch_count; i++) {
        const struct launch *launch = &answer->launches[i];
        printf("%s{", i ? ", " : "");
        put_member(2, true, "kernel", launch->kernel);
        put_member(2, false, "form", launch->form);
        put_key(2, false, "groups");
        put_list(launch->groups, 'x', true);
        put_key(2, false, "items");
        put_list(launch->items, 'x', true);
        put_number(2, "times", launch->times);
        putchar('}');
    }
    putchar(']');
    put_key(1, false, "declined");
    putchar('[');
    for (int i = 0; i < answer->declined_count; i++) {
        printf("%s{", i ? ", " : "");
        put_member(2, true, "implementation", answer->declined[i].implementation);
        put_member(2, false, "reason", answer->declined[i].reason);
        putchar('}');
    }
    printf("]\n}");
}
