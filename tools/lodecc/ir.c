/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and changes IR line by line.
 */
#include "ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BARRIER "lode_barrier"
#define IMPLEMENTATION "__clang_ocl_kern_imp_" /* newer clangs' name for the body of a kernel */

/* -- lines and names -- */

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The first occurrence in the line, or NULL. */
static const char *find_in_line(const char *line, const char *what) {
    const char *end = strchr(line, '\n'), *found = strstr(line, what);
    return found && (!end || found < end) ? found : NULL;
}

/* The name after an @, plain or quoted; a new string. */
static char *global_name(const char *at) {
    const char *start = at + 1;
    size_t length =
            *start == '"'
                    ? strcspn(++start, "\"")
                    : strspn(start, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$-");
    return text_format("%.*s", (int)length, start);
}

/* -- metadata: !12 = !{...} -- */

static const char *metadata(const struct text *ir, unsigned number) {
    char *head = text_format("\n!%u = ", number);
    const char *found = strstr(ir->bytes, head), *body = found ? strchr(found, '{') : NULL;
    free(head);
    if (!body) die("the IR has no metadata %u", number);
    return body + 1;
}

/* The metadata node that a define line refers to: !kernel_arg_type !12. NULL if none. */
static const char *attached(const struct text *ir, const char *define, const char *kind) {
    char *tag = text_format("!%s !", kind);
    const char *found = find_in_line(define, tag);
    unsigned number = found ? (unsigned)strtoul(found + strlen(tag), NULL, 10) : 0;
    free(tag);
    return found ? metadata(ir, number) : NULL;
}

/* i32 1, i32 2, ... */
static uint32_t read_numbers(const char *node, uint32_t *numbers, uint32_t most) {
    uint32_t count = 0;
    while (*node && *node != '}') {
        if (begins(node, "i32 ") && count < most) numbers[count++] = (uint32_t)strtoul(node + 4, NULL, 10);
        node += strcspn(node, ",}");
        node += strspn(node, ", ");
    }
    return count;
}

/* !"a", !"b", ... */
static uint32_t read_strings(const char *node, char **strings, uint32_t most) {
    uint32_t count = 0;
    while (*node && *node != '}') {
        if (begins(node, "!\"")) {
            size_t length = strcspn(node + 2, "\"");
            if (count == most) die("more than %u arguments", most);
            strings[count++] = text_format("%.*s", (int)length, node + 2);
            node += length + 3;
        } else
            node++;
    }
    return count;
}

/* -- the call graph -- */

struct function {
    char *name;
    const char *body, *end;
    bool reaches_barrier;
};

struct functions {
    struct function *all;
    size_t count;
};

static struct functions find_functions(const struct text *ir) {
    struct functions functions = {0};
    for (const char *line = ir->bytes; line; line = next_line(line)) {
        if (!begins(line, "define ")) continue;
        functions.all = realloc(functions.all, (functions.count + 1) * sizeof *functions.all);
        if (!functions.all) die("out of memory");
        const char *end = strstr(line, "\n}");
        functions.all[functions.count++] = (struct function){
                .name = global_name(strchr(line, '@')), .body = next_line(line), .end = end};
    }
    return functions;
}

static struct function *find_function(const struct functions *functions, const char *name) {
    for (size_t i = 0; i < functions->count; i++)
        if (strcmp(functions->all[i].name, name) == 0) return &functions->all[i];
    return NULL;
}

/* Does the body mention a function that is known to reach a barrier? A mention is enough, since function
 * pointers may be called. */
static bool mentions_barrier(const struct functions *functions, const struct function *function) {
    bool found = false;
    for (const char *at = function->body; !found && (at = strchr(at, '@')) && at < function->end; at++) {
        char *name = global_name(at);
        const struct function *callee = find_function(functions, name);
        found = strcmp(name, BARRIER) == 0 || (callee && callee->reaches_barrier);
        free(name);
    }
    return found;
}

static void mark_barriers(struct functions *functions) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < functions->count; i++) {
            struct function *function = &functions->all[i];
            if (function->reaches_barrier || !mentions_barrier(functions, function)) continue;
            function->reaches_barrier = changed = true;
        }
    }
}

/* -- kernels -- */

static void read_arguments(const struct text *ir, const char *define, struct kernel_info *kernel) {
    char *types[MAX_ARGUMENTS];
    uint32_t spaces[MAX_ARGUMENTS] = {0};
    const char *type_node = attached(ir, define, "kernel_arg_type");
    const char *space_node = attached(ir, define, "kernel_arg_addr_space");
    kernel->narguments = type_node ? read_strings(type_node, types, MAX_ARGUMENTS) : 0;
    if (space_node) read_numbers(space_node, spaces, MAX_ARGUMENTS);
    for (uint32_t i = 0; i < kernel->narguments; i++) {
        size_t length = strlen(types[i]);
        bool pointer = length && types[i][length - 1] == '*';
        if (strstr(types[i], "image") == types[i] || strcmp(types[i], "sampler_t") == 0)
            die("kernel %s: images and samplers are not supported", kernel->name);
        kernel->arguments[i] = (struct kernel_argument){types[i], spaces[i], pointer};
    }
}

struct module_info ir_read(const struct text *ir) {
    struct functions functions = find_functions(ir);
    mark_barriers(&functions);
    struct module_info module = {.kernels = calloc(MAX_KERNELS, sizeof *module.kernels)};
    if (!module.kernels) die("out of memory");
    for (const char *line = ir->bytes; line; line = next_line(line)) {
        if (!begins(line, "define ") || !find_in_line(line, "!kernel_arg_addr_space")) continue;
        char *name = global_name(strchr(line, '@'));
        if (begins(name, IMPLEMENTATION)) {
            free(name);
            continue;
        }
        if (module.nkernels == MAX_KERNELS) die("more than %d kernels", MAX_KERNELS);
        struct kernel_info *kernel = &module.kernels[module.nkernels++];
        kernel->name = name;
        read_arguments(ir, line, kernel);
        const char *size = attached(ir, line, "reqd_work_group_size");
        if (size) read_numbers(size, kernel->group_size, 3);
        kernel->uses_barrier = find_function(&functions, name)->reaches_barrier;
    }
    for (size_t i = 0; i < functions.count; i++)
        free(functions.all[i].name);
    free(functions.all);
    return module;
}

void ir_free(struct module_info *module) {
    for (uint32_t i = 0; i < module->nkernels; i++) {
        for (uint32_t a = 0; a < module->kernels[i].narguments; a++)
            free(module->kernels[i].arguments[a].type);
        free(module->kernels[i].name);
    }
    free(module->kernels);
}

/* -- thread-local variables -- */

/* Local memory is declared inside functions: clang names it function.variable and does not initialise it. */
static bool is_local_memory(const struct functions *functions, const char *line, const char *name) {
    const char *dot = strrchr(name, '.');
    if (!dot || !find_in_line(line, " = internal global ")) return false;
    char *function = text_format("%.*s", (int)(dot - name), name);
    char *body = text_format(IMPLEMENTATION "%s", function);
    bool found = find_function(functions, function) || find_function(functions, body);
    free(function);
    free(body);
    return found;
}

static bool is_listed(const char *const *names, const char *name) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

struct text ir_make_thread_local(const struct text *ir, const char *const *names) {
    struct functions functions = find_functions(ir);
    struct text result = {0};
    for (const char *line = ir->bytes, *next; line && *line; line = next) {
        next = next_line(line);
        size_t length = next ? (size_t)(next - line) : strlen(line);
        const char *global = *line == '@' ? find_in_line(line, " global ") : NULL;
        char *name = global ? global_name(line) : NULL;
        if (global && (is_local_memory(&functions, line, name) || is_listed(names, name))) {
            size_t equals = (size_t)(strchr(line, '=') - line);
            text_append(&result, line, equals);
            text_add(&result, "= internal thread_local");
            text_append(&result, global, length - (size_t)(global - line));
        } else
            text_append(&result, line, length);
        free(name);
    }
    for (size_t i = 0; i < functions.count; i++)
        free(functions.all[i].name);
    free(functions.all);
    return result;
}
