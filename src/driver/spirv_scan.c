/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes over the instructions: the first records types, constants and functions by id, the second reads
 * entry points. Nothing is read before it was checked to be inside the module.
 */
#define _GNU_SOURCE
#include "driver/spirv_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum opcode {
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_SAMPLER = 26,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_DECORATE = 71,
    OP_LABEL = 248,
    OP_BRANCH = 249, /* the first opcode that ends a block */
    OP_UNREACHABLE = 255,
};
enum { MODEL_KERNEL = 6, DECORATION_SPEC_ID = 1, DECORATION_PACKED = 10 };
enum { MODE_LOCAL_SIZE = 17, MODE_LOCAL_SIZE_HINT = 18, MODE_VEC_TYPE_HINT = 30, MODE_SUBGROUP_SIZE = 35 };
enum { STORAGE_WORKGROUP = 4, STORAGE_FUNCTION = 7 };
enum { HEADER_WORDS = 5, MAX_BOUND = 1 << 22, MAX_DEPTH = 32, MAX_ARGS = 4096 };

/* What is known about an id: the instruction that defines it, and its decorations. */
struct entity {
    const uint32_t *words; /* NULL: not defined, or not relevant here */
    uint32_t spec_id;      /* the id plus 1; 0: none */
    bool packed;
};

struct reader {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    struct entity *entities;
    struct spirv_scan *scan;
};

static uint32_t opcode_of(const uint32_t *words) {
    return words[0] & 0xffff;
}
static uint32_t length_of(const uint32_t *words) {
    return words[0] >> 16;
}

static const struct entity *entity(const struct reader *reader, uint32_t id) {
    static const struct entity nothing;
    return id < reader->bound ? &reader->entities[id] : &nothing;
}

/* The instruction that defines an id, if it has that opcode and at least that length. */
static const uint32_t *defined(const struct reader *reader, uint32_t id, uint32_t opcode, uint32_t length) {
    const uint32_t *words = entity(reader, id)->words;
    return words && opcode_of(words) == opcode && length_of(words) >= length ? words : NULL;
}

/* -- the sizes of types -- */

struct layout {
    uint64_t size, alignment;
};

static bool lay_out(const struct reader *reader, uint32_t type, int depth, struct layout *layout);

static bool lay_out_vector(const struct reader *reader, const uint32_t *words, int depth,
                           struct layout *layout) {
    if (length_of(words) < 4 || !lay_out(reader, words[2], depth + 1, layout)) return false;
    uint32_t count = words[3] == 3 ? 4 : words[3];
    layout->size *= count;
    layout->alignment = layout->size;
    return count <= 16;
}

static bool lay_out_array(const struct reader *reader, const uint32_t *words, int depth,
                          struct layout *layout) {
    if (length_of(words) < 4 || !lay_out(reader, words[2], depth + 1, layout)) return false;
    const uint32_t *length = defined(reader, words[3], OP_CONSTANT, 4);
    if (!length || length[3] > 1 << 24) return false;
    layout->size *= length[3];
    return true;
}

static bool lay_out_struct(const struct reader *reader, const uint32_t *words, int depth,
                           struct layout *layout) {
    bool packed = entity(reader, words[1])->packed;
    *layout = (struct layout){0, 1};
    for (uint32_t i = 2; i < length_of(words); i++) {
        struct layout member;
        if (!lay_out(reader, words[i], depth + 1, &member)) return false;
        uint64_t alignment = packed ? 1 : member.alignment;
        if (alignment > layout->alignment) layout->alignment = alignment;
        layout->size = (layout->size + alignment - 1) / alignment * alignment + member.size;
    }
    layout->size = (layout->size + layout->alignment - 1) / layout->alignment * layout->alignment;
    return layout->size < 1 << 24;
}

static bool lay_out(const struct reader *reader, uint32_t type, int depth, struct layout *layout) {
    const uint32_t *words = entity(reader, type)->words;
    if (!words || depth > MAX_DEPTH || length_of(words) < 2) return false;
    switch (opcode_of(words)) {
    case OP_TYPE_BOOL: *layout = (struct layout){1, 1}; return true;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        if (length_of(words) < 3 || words[2] < 8 || words[2] > 64) return false;
        *layout = (struct layout){words[2] / 8, words[2] / 8};
        return true;
    case OP_TYPE_POINTER: *layout = (struct layout){8, 8}; return true;
    case OP_TYPE_VECTOR: return lay_out_vector(reader, words, depth, layout);
    case OP_TYPE_ARRAY: return lay_out_array(reader, words, depth, layout);
    case OP_TYPE_STRUCT: return lay_out_struct(reader, words, depth, layout);
    default: return false;
    }
}

/* -- arguments -- */

/* A pointer to function storage passes a structure by value. */
static bool read_argument(const struct reader *reader, uint32_t type, struct native_arg *arg) {
    const uint32_t *pointer = defined(reader, type, OP_TYPE_POINTER, 4);
    struct layout layout;
    if (pointer && pointer[2] != STORAGE_FUNCTION) {
        *arg = (struct native_arg){pointer[2] == STORAGE_WORKGROUP ? NATIVE_ARG_LOCAL : NATIVE_ARG_BUFFER, 8};
        return true;
    }
    if (!lay_out(reader, pointer ? pointer[3] : type, 0, &layout) || layout.size == 0) return false;
    *arg = (struct native_arg){NATIVE_ARG_VALUE, (uint32_t)layout.size};
    return true;
}

/* Parameters follow their function, one instruction each. */
static const char *read_arguments(const struct reader *reader, uint32_t function,
                                  struct spirv_kernel *kernel) {
    const uint32_t *words = defined(reader, function, OP_FUNCTION, 5);
    if (!words) return "an entry point without a function";
    const uint32_t *end = reader->words + reader->count, *first = words + length_of(words), *next = first;
    uint32_t count = 0;
    for (; next < end && opcode_of(next) == OP_FUNCTION_PARAMETER; next += length_of(next))
        count++;
    if (count > MAX_ARGS) return "a kernel with too many arguments";
    kernel->args = calloc(count ? count : 1, sizeof *kernel->args);
    if (!kernel->args) return "out of memory";
    for (next = first; kernel->nargs < count; next += length_of(next)) {
        if (length_of(next) < 3) return "a parameter without a type";
        if (!read_argument(reader, next[1], &kernel->args[kernel->nargs])) kernel->unsupported = true;
        kernel->nargs++;
    }
    return NULL;
}

static const char *read_entry_point(struct reader *reader, const uint32_t *words) {
    uint32_t length = length_of(words);
    if (length < 4 || words[1] != MODEL_KERNEL) return NULL;
    const char *name = (const char *)(words + 3);
    size_t room = (length - 3) * sizeof *words;
    if (!memchr(name, 0, room)) return "an entry point without a name";
    struct spirv_kernel *kernels =
            realloc(reader->scan->kernels, (reader->scan->nkernels + 1) * sizeof *reader->scan->kernels);
    if (!kernels) return "out of memory";
    reader->scan->kernels = kernels;
    struct spirv_kernel *kernel = &kernels[reader->scan->nkernels++];
    *kernel = (struct spirv_kernel){.name = strdup(name)};
    if (!kernel->name) return "out of memory";
    return read_arguments(reader, words[2], kernel);
}

/* -- attributes -- */

static void add_attribute(struct spirv_kernel *kernel, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
static void add_attribute(struct spirv_kernel *kernel, const char *format, ...) {
    size_t length = strlen(kernel->attributes);
    if (length && length + 1 < sizeof kernel->attributes) kernel->attributes[length++] = ' ';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(kernel->attributes + length, sizeof kernel->attributes - length, format, arguments);
    va_end(arguments);
}

/* The type is packed: the number of components, then the kind of each. */
static void add_vector_hint(struct spirv_kernel *kernel, uint32_t type) {
    static const char *const kinds[] = {"char", "short", "int", "long", "half", "float", "double"};
    uint32_t kind = type & 0xffff, count = type >> 16;
    if (kind >= sizeof kinds / sizeof kinds[0]) return;
    if (count > 1)
        add_attribute(kernel, "vec_type_hint(%s%u)", kinds[kind], count);
    else
        add_attribute(kernel, "vec_type_hint(%s)", kinds[kind]);
}

static void apply_mode(struct spirv_kernel *kernel, const uint32_t *mode) {
    uint32_t length = length_of(mode);
    if (mode[2] == MODE_LOCAL_SIZE && length >= 6) {
        memcpy(kernel->group_size, mode + 3, 3 * sizeof *mode);
        add_attribute(kernel, "reqd_work_group_size(%u,%u,%u)", mode[3], mode[4], mode[5]);
    }
    if (mode[2] == MODE_LOCAL_SIZE_HINT && length >= 6)
        add_attribute(kernel, "work_group_size_hint(%u,%u,%u)", mode[3], mode[4], mode[5]);
    if (mode[2] == MODE_VEC_TYPE_HINT && length >= 4) add_vector_hint(kernel, mode[3]);
    if (mode[2] == MODE_SUBGROUP_SIZE && length >= 4)
        add_attribute(kernel, "intel_reqd_sub_group_size(%u)", mode[3]);
}

/* Applies an execution mode to the kernels with that function. */
static void read_execution_mode(struct reader *reader, const uint32_t *mode) {
    if (length_of(mode) < 3) return;
    uint32_t index = 0;
    for (const uint32_t *words = reader->words + HEADER_WORDS;
         words < reader->words + reader->count && index < reader->scan->nkernels; words += length_of(words)) {
        if (opcode_of(words) != OP_ENTRY_POINT || length_of(words) < 4 || words[1] != MODEL_KERNEL) continue;
        if (words[2] == mode[1]) apply_mode(&reader->scan->kernels[index], mode);
        index++;
    }
}

/* -- constants -- */

static const char *read_constant(struct reader *reader, const uint32_t *words) {
    uint32_t spec_id = length_of(words) >= 3 ? entity(reader, words[2])->spec_id : 0;
    if (!spec_id) return NULL;
    struct layout layout = {1, 1};
    if (opcode_of(words) == OP_SPEC_CONSTANT && !lay_out(reader, words[1], 0, &layout))
        return "an unsupported specialization constant";
    struct spirv_constant *constants =
            realloc(reader->scan->constants, (reader->scan->nconstants + 1) * sizeof *constants);
    if (!constants) return "out of memory";
    reader->scan->constants = constants;
    constants[reader->scan->nconstants++] = (struct spirv_constant){spec_id - 1, (uint32_t)layout.size};
    return NULL;
}

/* -- the passes -- */

/* The index of the word with the id that an instruction defines or decorates; 0 if not relevant here. */
static uint32_t id_word(const uint32_t *words) {
    switch (opcode_of(words)) {
    case OP_TYPE_BOOL:
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
    case OP_TYPE_VECTOR:
    case OP_TYPE_IMAGE:
    case OP_TYPE_SAMPLER:
    case OP_TYPE_ARRAY:
    case OP_TYPE_STRUCT:
    case OP_TYPE_POINTER:
    case OP_DECORATE: return 1;
    case OP_CONSTANT:
    case OP_FUNCTION: return 2;
    default: return 0;
    }
}

static void record(struct reader *reader, const uint32_t *words) {
    uint32_t place = id_word(words), length = length_of(words);
    if (!place || place >= length || words[place] >= reader->bound) return;
    struct entity *about = &reader->entities[words[place]];
    if (opcode_of(words) != OP_DECORATE) {
        about->words = words;
        return;
    }
    if (length >= 4 && words[2] == DECORATION_SPEC_ID) about->spec_id = words[3] + 1;
    if (length >= 3 && words[2] == DECORATION_PACKED) about->packed = true;
}

static const char *read_one(struct reader *reader, const uint32_t *words) {
    switch (opcode_of(words)) {
    case OP_ENTRY_POINT: return read_entry_point(reader, words);
    case OP_EXECUTION_MODE: read_execution_mode(reader, words); return NULL;
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
    case OP_SPEC_CONSTANT: return read_constant(reader, words);
    case OP_FUNCTION_CALL:
        return length_of(words) >= 4 && defined(reader, words[3], OP_FUNCTION, 5)
                       ? NULL
                       : "a call to an undefined function";
    default: return NULL;
    }
}

static const char *check_stream(const struct reader *reader) {
    for (size_t i = HEADER_WORDS; i < reader->count; i += length_of(&reader->words[i])) {
        uint32_t length = length_of(&reader->words[i]);
        if (length == 0 || length > reader->count - i) return "a truncated instruction";
    }
    return NULL;
}

/* Functions must be complete: compilers do not check for the end of the module. */
static const char *check_functions(const struct reader *reader) {
    bool in_function = false, in_block = false;
    const uint32_t *end = reader->words + reader->count;
    for (const uint32_t *words = reader->words + HEADER_WORDS; words < end; words += length_of(words)) {
        uint32_t opcode = opcode_of(words);
        if (opcode == OP_FUNCTION) {
            if (in_function) return "a function inside a function";
            in_function = true;
        } else if (opcode == OP_FUNCTION_END) {
            if (!in_function || in_block) return "a function that ends inside a block";
            in_function = false;
        } else if (opcode == OP_LABEL) {
            if (!in_function || in_block) return "a block inside a block";
            in_block = true;
        } else if (opcode >= OP_BRANCH && opcode <= OP_UNREACHABLE) {
            if (!in_block) return "a branch outside a block";
            in_block = false;
        }
    }
    return in_function ? "a truncated function" : NULL;
}

static const char *read_module(struct reader *reader) {
    const char *why = check_stream(reader);
    if (!why) why = check_functions(reader);
    if (why) return why;
    const uint32_t *end = reader->words + reader->count;
    for (const uint32_t *words = reader->words + HEADER_WORDS; words < end; words += length_of(words))
        record(reader, words);
    /* SPIR-V puts entry points before execution modes, so one loop handles both in order. */
    for (const uint32_t *words = reader->words + HEADER_WORDS; !why && words < end; words += length_of(words))
        why = read_one(reader, words);
    return why;
}

const char *spirv_scan(const void *bytes, size_t size, struct spirv_scan *scan) {
    *scan = (struct spirv_scan){0};
    if (size < HEADER_WORDS * 4 || size % 4 || (uintptr_t)bytes % 4) return "not a whole number of words";
    struct reader reader = {.words = bytes, .count = size / 4, .scan = scan};
    if (reader.words[0] != SPIRV_MAGIC) return "not SPIR-V";
    scan->version = reader.words[1];
    reader.bound = reader.words[3];
    if (reader.bound == 0 || reader.bound > MAX_BOUND) return "too many ids";
    reader.entities = calloc(reader.bound, sizeof *reader.entities);
    if (!reader.entities) return "out of memory";
    const char *why = read_module(&reader);
    free(reader.entities);
    if (why) spirv_scan_free(scan);
    return why;
}

void spirv_scan_free(struct spirv_scan *scan) {
    for (uint32_t i = 0; i < scan->nkernels; i++) {
        free(scan->kernels[i].name);
        free(scan->kernels[i].args);
    }
    free(scan->kernels);
    free(scan->constants);
    *scan = (struct spirv_scan){0};
}
