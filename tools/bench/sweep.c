/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps: the variants of one request over types, layouts and attributes. A library has a cliff where a
 * variant takes far longer than the plain f32 request that it is a variant of.
 */
#include "sweep.h"

#include <stdio.h>
#include <string.h>

/* What a kind is, for the choice of its variants. */
enum family { PRODUCT = 1, MATMUL = 2, PLAIN = 4, NETWORK = 8 };

struct variant {
    int families;
    const char *text;
};

static const struct variant types[] = {
        {PRODUCT | MATMUL | PLAIN, "f32"},
        {PRODUCT | MATMUL | PLAIN, "bf16"},
        {PRODUCT | MATMUL | PLAIN, "f16"},
        {PRODUCT | MATMUL, "bf16:bf16:f32"},
        {PRODUCT | MATMUL, "u8:s8:f32"},
        {PRODUCT | MATMUL, "u8:s8:u8"},
        {PRODUCT | MATMUL, "s8:s8:s8"},
        {PRODUCT | MATMUL, "s8:s8:f32"},
        {PRODUCT | MATMUL | PLAIN, "f64"},
        {PRODUCT | MATMUL | PLAIN, "f8_e4m3"},
        {PLAIN, "s32"},
        {PLAIN, "s8"},
        {PLAIN, "u8"},
        {PLAIN, "f32:u8"},
        {PLAIN, "u8:f32"},
        /* layer, state, both weights, bias, both results, gradients */
        {NETWORK, "f32"},
        {NETWORK, "bf16:bf16:bf16:bf16:f32:bf16:bf16:f32"},
        {NETWORK, "f16:f16:f16:f16:f32:f16:f16:f32"},
};

/* "plain" and "last" stand for the layouts with the channels where they are and at the end. */
static const struct variant layouts[] = {
        {PLAIN, "plain"},
        {PLAIN, "last:last"},
        {PLAIN, "plain:last"},
        {PRODUCT, "any:any:any"},
        {PRODUCT, "plain:plain:plain"},
        {PRODUCT, "last:any:last"},
        {PRODUCT, "last:plain:last"},
        {PRODUCT, "plain:any:last"},
        {MATMUL, "plain:plain:plain"},
        {MATMUL, "plain:last:plain"},
        {MATMUL, "last:plain:plain"},
        {MATMUL, "plain:any:plain"},
        {MATMUL, "last:last:last"},
        {NETWORK, "any"},
        {NETWORK, "plain"},
        {NETWORK, "plain:plain:abdec:abdec:plain"}, /* ldgoi */
};

static const struct variant attributes[] = {
        {PRODUCT | MATMUL | PLAIN | NETWORK, ""},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:eltwise_relu"},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:eltwise_gelu_erf"},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:sum"},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:sum:0.5+eltwise_relu"},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:binary_add:f32:2"},
        {PRODUCT | MATMUL | PLAIN, "attr-post-ops:binary_mul:f32:1+binary_add:f32:0"},
        {PRODUCT | MATMUL, "attr-post-ops:prelu:2"},
        {PRODUCT | MATMUL, "attr-scales:src0:0:f32+dst:0:f32"},
        {PRODUCT, "attr-scales:src0:0:f32+wei:1:f32 attr-post-ops:eltwise_tanh"},
        {MATMUL, "attr-scales:src0:0:f32+wei:2:f32 attr-post-ops:eltwise_tanh"},
        {PRODUCT | MATMUL, "attr-zero-points:src0:0:s32+dst:0:s32"},
        {PRODUCT | MATMUL, "attr-fpmath:bf16"},
        {PRODUCT | MATMUL, "attr-scratchpad:user"},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static int family_of(const char *kind) {
    if (!strcmp(kind, "matmul")) return MATMUL;
    if (!strcmp(kind, "rnn")) return NETWORK;
    bool product =
            !strcmp(kind, "convolution") || !strcmp(kind, "deconvolution") || !strcmp(kind, "inner_product");
    return product ? PRODUCT : PLAIN;
}

/* The tag that a word of a layout stands for, in a tensor of so many dimensions. */
static const char *tag_of(const char *word, int ndims, int family) {
    static const char *const last[] = {"", "a", "ba", "acb", "acdb", "acdeb"};
    static const char *const swapped[] = {"", "a", "ba", "acb", "abdc", "abced"};
    if (!strcmp(word, "any")) return "any";
    if (family == NETWORK && strcmp(word, "plain")) return word;
    if (!strcmp(word, "last") && ndims > 1 && ndims < 6 && (ndims > 2 || family == MATMUL))
        return family == MATMUL ? swapped[ndims] : last[ndims];
    return "";
}

static void put_tags(const char *layout, int ndims, int family, char *tags, size_t size) {
    char words[48];
    size_t length = 0;
    snprintf(words, sizeof(words), "%s", layout);
    tags[0] = '\0';
    for (char *word = words, *next; word && length < size; word = next) {
        next = strchr(word, ':');
        if (next) *next++ = '\0';
        length += (size_t)snprintf(tags + length, size - length, "%s%s", word == words ? "" : ":",
                                   tag_of(word, ndims, family));
    }
}

/* Dimensions of the source: those of a list, or batch, channels and whatever has a size. */
static int dimensions_of(const char *shape) {
    int ndims = 1;
    if (*shape >= '0' && *shape <= '9') {
        for (; *shape && *shape != ':'; shape++)
            ndims += *shape == 'x';
        return ndims;
    }
    return 2 + (strstr(shape, "id") != NULL) + (strstr(shape, "ih") != NULL) + (strstr(shape, "iw") != NULL);
}

/* Backward passes have no attributes that change what they compute. */
static int attributes_of(const struct description *base) {
    bool backward = base->direction && !strncmp(base->direction, "backward", strlen("backward"));
    return backward ? 1 : COUNT(attributes);
}

void requests_sweep(struct requests *requests, const struct description *base) {
    int family = family_of(base->kind), ndims = dimensions_of(base->shape), nattributes = attributes_of(base);
    char tags[96];
    for (int t = 0; t < COUNT(types); t++)
        for (int l = 0; l < COUNT(layouts); l++)
            for (int a = 0; a < nattributes; a++) {
                struct description variant = *base;
                if (!(types[t].families & layouts[l].families & attributes[a].families & family)) continue;
                put_tags(layouts[l].text, ndims, family, tags, sizeof(tags));
                variant.types = types[t].text;
                variant.attributes = attributes[a].text;
                variant.tags = tags;
                requests_describe(requests, &variant);
            }
}

bool sweep_is_cliff(const struct result *base, const struct result *result) {
    return base->our_us > 0 && result->our_us > 3 * base->our_us + 50;
}
