/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/spirv_recipe.h"
#include "kernels/native.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x3256525053444c4c) /* "LLDSPRV2" */

/* The parts follow in the order of their alignment. */
struct header {
    uint64_t magic;
    uint64_t checksum; /* of all that follows it */
    uint64_t maker;
    uint64_t constants_size, il_size, code_size, flags_size;
};
enum { UNCHECKED = offsetof(struct header, maker) };

struct part {
    const void *bytes;
    uint64_t size;
};
enum { PARTS = 4 };

bool spirv_recipe_is_packed(const void *bytes, size_t size) {
    uint64_t magic = 0;
    if (size >= sizeof magic) memcpy(&magic, bytes, sizeof magic);
    return magic == MAGIC;
}

static uint64_t checksum(const unsigned char *packed, size_t size) {
    return native_checksum(packed + UNCHECKED, size - UNCHECKED);
}

void *spirv_recipe_pack(const struct spirv_recipe *recipe, size_t *size) {
    const struct part parts[PARTS] = {{recipe->constants, recipe->nconstants * sizeof *recipe->constants},
                                      {recipe->il, recipe->il_size},
                                      {recipe->code, recipe->code_size},
                                      {recipe->flags, strlen(recipe->flags) + 1}};
    struct header header = {MAGIC,        0, recipe->maker, parts[0].size, parts[1].size, parts[2].size,
                            parts[3].size};
    *size = sizeof header;
    for (int i = 0; i < PARTS; i++)
        *size += parts[i].size;
    unsigned char *packed = malloc(*size), *place = packed + sizeof header;
    if (!packed) return NULL;
    memcpy(packed, &header, sizeof header);
    for (int i = 0; i < PARTS; place += parts[i++].size)
        if (parts[i].size) memcpy(place, parts[i].bytes, parts[i].size);
    header.checksum = checksum(packed, *size);
    memcpy(packed, &header, sizeof header);
    return packed;
}

/* Takes a part off the front of what is left. */
static const void *take(const unsigned char **place, uint64_t *left, uint64_t size) {
    if (size > *left) return NULL;
    const void *part = *place;
    *place += size;
    *left -= size;
    return part;
}

bool spirv_recipe_unpack(const void *bytes, size_t size, struct spirv_recipe *recipe) {
    struct header header;
    if (size < sizeof header || !spirv_recipe_is_packed(bytes, size)) return false;
    memcpy(&header, bytes, sizeof header);
    if (header.checksum != checksum(bytes, size)) return false;
    const unsigned char *place = (const unsigned char *)bytes + sizeof header;
    uint64_t left = size - sizeof header;
    *recipe = (struct spirv_recipe){.il_size = header.il_size,
                                    .nconstants = header.constants_size / sizeof *recipe->constants,
                                    .code_size = header.code_size,
                                    .maker = header.maker};
    recipe->constants = take(&place, &left, header.constants_size);
    recipe->il = take(&place, &left, header.il_size);
    recipe->code = take(&place, &left, header.code_size);
    recipe->flags = take(&place, &left, header.flags_size);
    bool whole = recipe->constants && recipe->il && recipe->code && recipe->flags && !left;
    if (!whole || !header.flags_size || recipe->flags[header.flags_size - 1]) return false;
    for (size_t i = 0; i < recipe->nconstants; i++)
        if (recipe->constants[i].size > sizeof recipe->constants[i].value) return false;
    return true;
}
