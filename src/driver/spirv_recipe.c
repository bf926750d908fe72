/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/spirv_recipe.h"
#include "kernels/native.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x3356525053444c4c) /* "LLDSPRV3" */

/* Followed by the inputs, each an input_header and its parts, then the code. */
struct header {
    uint64_t magic;
    uint64_t checksum; /* of everything after this field */
    uint64_t target, ninputs, code_size;
};
enum { UNCHECKED = offsetof(struct header, target) };

struct input_header {
    uint64_t il_size, flags_size, constants_size;
};

static struct input_header sizes_of(const struct spirv_input *input) {
    return (struct input_header){input->il_size, strlen(input->flags) + 1,
                                 input->nconstants * sizeof *input->constants};
}

void spirv_recipe_clear(struct spirv_recipe *recipe) {
    for (size_t i = 0; i < recipe->ninputs; i++) {
        free(recipe->inputs[i].il);
        free(recipe->inputs[i].flags);
        free(recipe->inputs[i].constants);
    }
    free(recipe->inputs);
    free(recipe->code);
    *recipe = (struct spirv_recipe){0};
}

bool spirv_recipe_is_packed(const void *bytes, size_t size) {
    uint64_t magic = 0;
    if (size >= sizeof magic) memcpy(&magic, bytes, sizeof magic);
    return magic == MAGIC;
}

static uint64_t checksum(const unsigned char *packed, size_t size) {
    return native_checksum(packed + UNCHECKED, size - UNCHECKED);
}

/* -- packing -- */

static size_t packed_size(const struct spirv_recipe *recipe) {
    size_t size = sizeof(struct header) + recipe->code_size;
    for (size_t i = 0; i < recipe->ninputs; i++) {
        struct input_header sizes = sizes_of(&recipe->inputs[i]);
        size += sizeof sizes + sizes.il_size + sizes.flags_size + sizes.constants_size;
    }
    return size;
}

static void put(unsigned char **place, const void *bytes, size_t size) {
    if (size) memcpy(*place, bytes, size);
    *place += size;
}

void *spirv_recipe_pack(const struct spirv_recipe *recipe, size_t *size) {
    struct header header = {MAGIC, 0, recipe->target, recipe->ninputs, recipe->code_size};
    *size = packed_size(recipe);
    unsigned char *packed = malloc(*size), *place = packed;
    if (!packed) return NULL;
    put(&place, &header, sizeof header);
    for (size_t i = 0; i < recipe->ninputs; i++) {
        const struct spirv_input *input = &recipe->inputs[i];
        struct input_header sizes = sizes_of(input);
        put(&place, &sizes, sizeof sizes);
        put(&place, input->il, sizes.il_size);
        put(&place, input->flags, sizes.flags_size);
        put(&place, input->constants, sizes.constants_size);
    }
    put(&place, recipe->code, recipe->code_size);
    header.checksum = checksum(packed, *size);
    memcpy(packed, &header, sizeof header);
    return packed;
}

/* -- unpacking -- */

struct reader {
    const unsigned char *place;
    size_t left;
};

static bool get(struct reader *reader, void *to, size_t size) {
    if (size > reader->left) return false;
    if (size) memcpy(to, reader->place, size);
    reader->place += size;
    reader->left -= size;
    return true;
}

/* The next part, copied to new memory. */
static void *get_part(struct reader *reader, uint64_t size) {
    void *part = size > reader->left ? NULL : malloc(size + 1);
    if (part) get(reader, part, size);
    return part;
}

static bool get_input(struct reader *reader, struct spirv_input *input) {
    struct input_header sizes;
    if (!get(reader, &sizes, sizeof sizes)) return false;
    input->il_size = sizes.il_size;
    input->nconstants = sizes.constants_size / sizeof *input->constants;
    input->il = get_part(reader, sizes.il_size);
    input->flags = get_part(reader, sizes.flags_size);
    input->constants = get_part(reader, sizes.constants_size);
    if (!input->il || !input->flags || !input->constants) return false;
    if (!sizes.flags_size || input->flags[sizes.flags_size - 1]) return false;
    for (size_t i = 0; i < input->nconstants; i++)
        if (input->constants[i].size > sizeof input->constants[i].value) return false;
    return true;
}

static bool get_recipe(struct reader *reader, struct spirv_recipe *recipe) {
    struct header header;
    if (!get(reader, &header, sizeof header)) return false;
    if (header.ninputs == 0 || header.ninputs > reader->left / sizeof(struct input_header)) return false;
    recipe->inputs = calloc(header.ninputs, sizeof *recipe->inputs);
    if (!recipe->inputs) return false;
    recipe->target = header.target;
    while (recipe->ninputs < header.ninputs)
        if (!get_input(reader, &recipe->inputs[recipe->ninputs++])) return false;
    recipe->code_size = header.code_size;
    recipe->code = get_part(reader, header.code_size);
    return recipe->code && reader->left == 0;
}

bool spirv_recipe_unpack(const void *bytes, size_t size, struct spirv_recipe *recipe) {
    struct header header;
    struct reader reader = {bytes, size};
    *recipe = (struct spirv_recipe){0};
    if (size < sizeof header || !spirv_recipe_is_packed(bytes, size)) return false;
    memcpy(&header, bytes, sizeof header);
    if (header.checksum == checksum(bytes, size) && get_recipe(&reader, recipe)) return true;
    spirv_recipe_clear(recipe);
    return false;
}
