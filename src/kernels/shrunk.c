/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shrinks SPIR-V and sources (a tool of the build) and expands them (the library), with the same code: a
 * walk over numbers, in which a coder either takes each or gives it.
 *
 * Each number becomes a token: a character or a word as it is, or how far a word is from the latest result or
 * the latest label, if that is less. The latter makes pieces of code alike that differ in their ids only.
 * Where the last few tokens stood together before, one bit says whether the next is what followed then.
 */
#include "kernels/shrunk.h"
#include "kernels/shrunk_bits.h"

#include <string.h>

enum { ALIKE = 6, LATEST_BITS = 16, MAX_LENGTH = 400, HEAD = 4 };
enum { MIX_NUMBERS, MIX_FLAGS = 3 * PHASES };
enum { FLAG_EXPECTED, FLAG_IS_DISTANCE, FLAG_IS_FROM_LABEL };

struct token {
    uint32_t number;
    enum origin { FROM_ZERO, FROM_RESULT, FROM_LABEL } origin;
};

/* The tokens so far, from 1 on. */
struct history {
    struct token *tokens;
    uint32_t *latest; /* by hash of ALIKE tokens: what followed them */
    size_t count, expected;
    unsigned length; /* of the run before `expected` that is like the one before the end; 0: nothing is */
};

static bool same(struct token a, struct token b) {
    return a.number == b.number && a.origin == b.origin;
}

static uint32_t hash_token(uint32_t hash, struct token token) {
    return mix_hash(hash, token.number * 3 + token.origin);
}

static unsigned count_alike(const struct history *h, size_t other) {
    unsigned length = 0;
    while (length < MAX_LENGTH && length + 1 < other
           && same(h->tokens[other - 1 - length], h->tokens[h->count - 1 - length]))
        length++;
    return length;
}

static void add_token(struct history *h, struct token token) {
    const bool right = h->length > 0 && same(h->tokens[h->expected], token);
    h->length = right ? h->length + 1 : 0;
    h->expected++;
    h->tokens[h->count++] = token;
    if (h->count <= ALIKE) return;
    uint32_t hash = 0;
    for (size_t i = h->count - ALIKE; i < h->count; i++)
        hash = hash_token(hash, h->tokens[i]);
    uint32_t *latest = &h->latest[hash >> (32 - LATEST_BITS)];
    if (h->length == 0 && *latest) {
        h->expected = *latest;
        h->length = count_alike(h, h->expected);
    }
    *latest = (uint32_t)h->count;
}

static uint32_t class_of_length(unsigned length) {
    return length < 16 ? length : length < 32 ? 12 + length / 4 : length < MAX_LENGTH ? 20 + length / 64 : 27;
}

/* A token; what foretells it starts with the simplest. */
static struct token code_token(struct coder *coder, struct history *h, struct token token,
                               const uint32_t contexts[MAX_CONTEXTS]) {
    if (h->length > 0) {
        const struct token expected = h->tokens[h->expected];
        const uint32_t length = class_of_length(h->length);
        const uint32_t by[] = {length, mix_hash(contexts[0], length), hash_token(length > 20, expected)};
        if (code_mixed(coder, same(token, expected), by, 3, FLAG_EXPECTED, MIX_FLAGS + FLAG_EXPECTED))
            return expected;
    }
    enum { PLACE = 1 << 30 }; /* no number's */
    bool distance = code_mixed(coder, token.origin != FROM_ZERO, contexts, MAX_CONTEXTS,
                               PLACE + FLAG_IS_DISTANCE, MIX_FLAGS + FLAG_IS_DISTANCE);
    bool label = distance
                 && code_mixed(coder, token.origin == FROM_LABEL, contexts, MAX_CONTEXTS,
                               PLACE + FLAG_IS_FROM_LABEL, MIX_FLAGS + FLAG_IS_FROM_LABEL);
    token.origin = label ? FROM_LABEL : distance ? FROM_RESULT : FROM_ZERO;
    token.number = code_number(coder, token.number, contexts, MAX_CONTEXTS,
                               MIX_NUMBERS + (int)token.origin * PHASES);
    return token;
}

/* SPIR-V */

/* Where a walk through a module is. */
struct walk {
    uint32_t opcode, opcodes_before[2];
    uint32_t length, index;  /* of the instruction in words, and of the word in it */
    uint32_t result, label;  /* the latest */
    struct token before[2];  /* the latest operands of this instruction */
    struct token type, near; /* its first operand, and the latest that was a distance */
};

enum { HEADER = 5, OP_LABEL = 248 };

/* Instructions without a result in their second operand. */
static bool has_no_result(uint32_t opcode) {
    static const uint16_t none[] = {0,   3,   5,   6,   8,   11,  14,  15,  16,  17,  56,
                                    62,  63,  64,  71,  72,  224, 225, 228, 246, 247, 249,
                                    250, 251, 253, 254, 255, 256, 257, 317, 5576};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (none[i] == opcode) return true;
    return false;
}

static uint32_t fold(uint32_t distance) {
    return distance << 1 ^ (distance >> 31 ? UINT32_MAX : 0);
}

static uint32_t unfold(uint32_t folded) {
    return folded >> 1 ^ (folded & 1 ? UINT32_MAX : 0);
}

static struct token token_of_word(const struct walk *w, uint32_t word) {
    const uint32_t result = fold(w->result - word), label = fold(w->label - word);
    if (w->index == 0) return (struct token){word, FROM_ZERO};
    if (result < word && result <= label) return (struct token){result, FROM_RESULT};
    return label < word ? (struct token){label, FROM_LABEL} : (struct token){word, FROM_ZERO};
}

static uint32_t word_of_token(const struct walk *w, struct token token) {
    if (token.origin == FROM_ZERO) return token.number;
    return (token.origin == FROM_RESULT ? w->result : w->label) - unfold(token.number);
}

/* Which word of which instruction comes next. */
static uint32_t place_of_word(const struct walk *w) {
    if (w->index == 0) return 0;
    return (w->opcode << 5 | (w->index < 15 ? w->index : 15 + (w->index & 1))) + 1;
}

static void foretell_word(const struct walk *w, uint32_t contexts[MAX_CONTEXTS]) {
    const uint32_t place = place_of_word(w), after = hash_token(place, w->before[0]);
    const uint32_t within = mix_hash(place, w->opcodes_before[0]);
    contexts[0] = place;
    contexts[1] = after;
    contexts[2] = hash_token(after, w->before[1]);
    contexts[3] = mix_hash(within, w->index ? w->opcode : w->opcodes_before[1]);
    contexts[4] = w->index >= 2 ? hash_token(hash_token(place, w->near), w->type)
                                : hash_token(mix_hash(within, w->opcodes_before[1]), w->before[0]);
}

static void walk_past(struct walk *w, struct token token, uint32_t word) {
    if (w->index == 0) {
        w->opcodes_before[1] = w->opcodes_before[0];
        w->opcodes_before[0] = w->opcode;
        w->opcode = word & 0xffff;
        w->length = word >> 16;
        w->before[0] = w->before[1] = w->near = (struct token){0};
    } else {
        w->before[1] = w->before[0];
        w->before[0] = token;
    }
    if (w->index == 1) w->type = token;
    if (w->index >= 2 && token.origin != FROM_ZERO) w->near = token;
    if (w->index == 1 && w->opcode == OP_LABEL) w->label = word;
    if (w->index == 2 && !has_no_result(w->opcode)) w->result = word;
    w->index = w->index + 1 < w->length ? w->index + 1 : 0;
}

static void code_spirv(struct coder *coder, struct history *history, uint32_t *words, size_t count) {
    struct walk walk = {.length = 1 + HEADER, .index = 1}; /* as if the header had an opcode */
    for (size_t i = 0; i < count; i++) {
        uint32_t contexts[MAX_CONTEXTS];
        foretell_word(&walk, contexts);
        const struct token token = code_token(coder, history, token_of_word(&walk, words[i]), contexts);
        words[i] = word_of_token(&walk, token);
        add_token(history, token);
        walk_past(&walk, token, words[i]);
    }
}

/* Text */

static bool is_in_name(uint32_t c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void code_text(struct coder *coder, struct history *history, uint32_t *characters, size_t count) {
    uint32_t before = 0, name = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t contexts[MAX_CONTEXTS] = {before & 0xff, before & 0xffff, before & 0xffffff, before,
                                                 mix_hash(name, before & 0xff)};
        const struct token token =
                code_token(coder, history, (struct token){characters[i], FROM_ZERO}, contexts);
        const uint32_t character = characters[i] = token.number;
        add_token(history, token);
        before = before << 8 | character;
        name = is_in_name(character) ? mix_hash(name, character) : 0;
    }
}

/* Both */

static bool code_all(enum shrunk_kind kind, struct coder *coder, uint32_t *numbers, size_t count) {
    struct history history = {
            .tokens = malloc((count + 1) * sizeof *history.tokens),
            .latest = calloc(1u << LATEST_BITS, sizeof *history.latest),
            .count = 1,
    };
    const bool ready = history.tokens && history.latest;
    if (ready) (kind == SHRUNK_SPIRV ? code_spirv : code_text)(coder, &history, numbers, count);
    free(history.tokens);
    free(history.latest);
    return ready;
}

uint8_t *shrink_numbers(enum shrunk_kind kind, const uint32_t *numbers, size_t count, size_t *size) {
    const size_t most = HEAD + count * 8 + 64;
    uint8_t *shrunk = malloc(most);
    uint32_t *copy = malloc(count * sizeof *copy + 1);
    struct coder coder = {0};
    bool done = shrunk && copy && coder_start(&coder, true, shrunk + HEAD, most - HEAD, count);
    if (done) {
        memcpy(copy, numbers, count * sizeof *copy);
        for (int i = 0; i < HEAD; i++)
            shrunk[i] = (uint8_t)(count >> 8 * i);
        done = code_all(kind, &coder, copy, count);
        coder_flush(&coder);
        *size = (size_t)(coder.at - shrunk);
    }
    free(coder.slots);
    free(copy);
    if (done) return shrunk;
    free(shrunk);
    return NULL;
}

uint32_t *expand_numbers(enum shrunk_kind kind, const void *shrunk, size_t size, size_t *count) {
    uint8_t *bytes = (uint8_t *)shrunk;
    *count = bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    uint32_t *numbers = calloc(*count + 1, sizeof *numbers);
    struct coder coder = {0};
    const bool done = numbers && coder_start(&coder, false, bytes + HEAD, size - HEAD, *count)
                      && code_all(kind, &coder, numbers, *count);
    free(coder.slots);
    if (done) return numbers;
    free(numbers);
    return NULL;
}
