/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool of the build: takes the second copy of a kernel out of its SPIR-V. clang compiles a kernel as a
 * function named __clang_ocl_kern_imp_<kernel>, copies that into the entry point, and keeps it although
 * nobody calls it. strip <module> <output>
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 5,
    BOUND = 3, /* the word of the header that all ids are less than */
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_DECORATE = 71,
    OP_LABEL = 248,
};

struct module {
    size_t count;
    uint32_t *words;
    bool *dead; /* by id: the copy, and what is defined in it */
    uint32_t copy;
};

static uint32_t opcode(const uint32_t *at) {
    return at[0] & 0xffff;
}

static uint32_t length(const uint32_t *at) {
    return at[0] >> 16;
}

static const char copy_prefix[] = "__clang_ocl_kern_imp_";

/* Finds the copy by its name; 0: there is none, or somebody calls it. */
static uint32_t find_copy(const struct module *m) {
    uint32_t copy = 0;
    for (size_t i = HEADER; i < m->count; i += length(m->words + i)) {
        const uint32_t *at = m->words + i;
        if (opcode(at) == OP_NAME
            && strncmp((const char *)(at + 2), copy_prefix, sizeof copy_prefix - 1) == 0)
            copy = at[1];
        if (copy && opcode(at) == OP_FUNCTION_CALL && at[3] == copy) return 0;
    }
    return copy;
}

/* Instructions of function bodies that define nothing. */
static bool defines_nothing(uint32_t op) {
    static const uint16_t none[] = {0,   8,   56,  62,  63,  64,  224, 225, 228, 246, 247,
                                    249, 250, 251, 253, 254, 255, 256, 257, 317, 5576};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (none[i] == op) return true;
    return false;
}

static void mark(struct module *m, const uint32_t *at) {
    uint32_t op = opcode(at);
    if (defines_nothing(op)) return;
    uint32_t id = op == OP_LABEL ? at[1] : at[2];
    if (id < m->words[BOUND]) m->dead[id] = true;
}

/* Is this instruction about something that is dead? */
static bool annotates_dead(const struct module *m, const uint32_t *at) {
    uint32_t op = opcode(at);
    return (op == OP_NAME || op == OP_MEMBER_NAME || op == OP_DECORATE) && m->dead[at[1]];
}

/* Marks what the copy defines; then, with `to`, writes everything else. */
static void walk(struct module *m, FILE *to) {
    bool inside = false;
    for (size_t i = HEADER; i < m->count; i += length(m->words + i)) {
        const uint32_t *at = m->words + i;
        if (opcode(at) == OP_FUNCTION) inside = at[2] == m->copy;
        if (inside)
            mark(m, at);
        else if (to && !annotates_dead(m, at))
            fwrite(at, 4, length(at), to);
        if (opcode(at) == OP_FUNCTION_END) inside = false;
    }
}

static bool load(struct module *m, const char *path) {
    FILE *from = fopen(path, "rb");
    if (!from) return false;
    fseek(from, 0, SEEK_END);
    m->count = (size_t)ftell(from) / 4;
    rewind(from);
    m->words = calloc(m->count + HEADER, 4);
    bool read = m->words && fread(m->words, 4, m->count, from) == m->count && m->count > HEADER;
    fclose(from);
    if (read) m->dead = calloc(m->words[BOUND] + 1, sizeof *m->dead);
    return read && m->dead;
}

static bool write_stripped(struct module *m, const char *path) {
    FILE *to = fopen(path, "wb");
    if (!to) return false;
    fwrite(m->words, 4, HEADER, to);
    m->copy = find_copy(m);
    walk(m, NULL);
    walk(m, to);
    bool failed = ferror(to);
    return fclose(to) == 0 && !failed;
}

int main(int argc, char **argv) {
    struct module m = {0};
    bool done = argc == 3 && load(&m, argv[1]) && write_stripped(&m, argv[2]);
    if (!done) fprintf(stderr, "cannot strip %s\n", argc > 1 ? argv[1] : "nothing");
    free(m.words);
    free(m.dead);
    return !done;
}
