/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What devices compile: SPIR-V, and sources. Of these, each text is in the library once, after a line that
 * names it (cmake/sources.cmake); this file assembles them by resolving their #include lines. A text with an
 * include guard is included once.
 */
#define _GNU_SOURCE
#include "kernels/kernel.h"
#include "kernels/shrunk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXTS = 64 };
static const char heading[] = "@ ", directive[] = "#include \"", guard[] = "#ifndef LODE_KERNELS_";

struct text {
    const char *begin, *end;
};

/* All texts. Expanding them takes a while: it is done once, if at all. */
static struct text texts;

static void expand_texts(void) {
    size_t count;
    uint32_t *characters = expand_numbers(SHRUNK_TEXT, kernel_sources,
                                          (size_t)(kernel_sources_end - kernel_sources), &count);
    char *text = characters ? malloc(count + 1) : NULL;
    for (size_t i = 0; text && i < count; i++)
        text[i] = (char)characters[i];
    free(characters);
    if (text) texts = (struct text){text, text + count};
}

static bool have_texts(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, expand_texts);
    return texts.begin;
}

struct assembly {
    FILE *out;
    int nonce;
    const char *once[MAX_TEXTS]; /* guarded texts already included */
};

static struct text text_from(const char *begin) {
    const char *next = memmem(begin, (size_t)(texts.end - begin), heading, sizeof heading - 1);
    return (struct text){begin, next ? next : texts.end};
}

/* The text with this name of `length` characters; empty: there is none. */
static struct text find_text(const char *name, size_t length) {
    for (struct text t = text_from(texts.begin); t.end < texts.end;) {
        const char *found = t.end + sizeof heading - 1;
        const char *line_end = memchr(found, '\n', (size_t)(texts.end - found));
        t = text_from(line_end + 1);
        if ((size_t)(line_end - found) == length && memcmp(found, name, length) == 0) return t;
    }
    return (struct text){NULL, NULL};
}

static bool is_in(struct assembly *a, struct text t) {
    if (!memmem(t.begin, (size_t)(t.end - t.begin), guard, sizeof guard - 1)) return false;
    for (int i = 0; i < a->nonce; i++)
        if (a->once[i] == t.begin) return true;
    if (a->nonce < MAX_TEXTS) a->once[a->nonce++] = t.begin;
    return false;
}

static void add_text(struct assembly *a, struct text t);

/* Adds a line, or the text that it includes. Includes of other files are kept: they are in parts that only
 * other compilers see. */
static void add_line(struct assembly *a, const char *line, size_t length) {
    size_t head = sizeof directive - 1;
    if (length > head && memcmp(line, directive, head) == 0) {
        const char *quote = memchr(line + head, '"', length - head);
        struct text t = quote ? find_text(line + head, (size_t)(quote - line) - head) : (struct text){0};
        if (t.begin) {
            if (!is_in(a, t)) add_text(a, t);
            return;
        }
    }
    fwrite(line, length, 1, a->out);
}

static void add_text(struct assembly *a, struct text t) {
    for (const char *line = t.begin, *next; line < t.end; line = next) {
        const char *end = memchr(line, '\n', (size_t)(t.end - line));
        next = end ? end + 1 : t.end;
        add_line(a, line, (size_t)(next - line));
    }
}

char *kernel_source(const struct kernel *kernel) {
    char name[128], *source = NULL;
    size_t size;
    int length = snprintf(name, sizeof name, "kernels/%s.cl", kernel->family->name);
    if (!have_texts()) return NULL;
    struct assembly a = {.out = open_memstream(&source, &size)};
    if (!a.out) return NULL;
    add_text(&a, find_text(name, (size_t)length));
    if (fclose(a.out) == 0) return source;
    free(source);
    return NULL;
}

uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size) {
    size_t count;
    uint32_t *words =
            expand_numbers(SHRUNK_SPIRV, kernel->spirv, (size_t)(kernel->spirv_end - kernel->spirv), &count);
    *size = count * sizeof *words;
    return words;
}
