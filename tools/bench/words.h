/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting text into words: a word is copied out, so that the text stays as it is. */
#ifndef LODE_BENCH_WORDS_H
#define LODE_BENCH_WORDS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Copies the text up to the next separator to `word` and moves behind it; false at the end of the text. */
static inline bool next_word(const char **text, char separator, char *word, size_t size) {
    if (!*text) return false;
    const char *end = strchr(*text, separator);
    int length = end ? (int)(end - *text) : (int)strlen(*text);
    snprintf(word, size, "%.*s", length, *text);
    *text = end ? end + 1 : NULL;
    return true;
}

/* Does `text` begin with `start`? Then moves behind it. */
static inline bool skip_start(const char **text, const char *start) {
    size_t length = strlen(start);
    if (strncmp(*text, start, length)) return false;
    *text += length;
    return true;
}

#endif
