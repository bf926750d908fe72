/* SPDX-License-Identifier: Apache-2.0 */
/* Short texts about requests: labels.h. */
#include "labels.h"

#include "names.h"
#include "words.h"

static void put_kind(const struct request *request, char *text, size_t size) {
    static const char *const names[][2] = {
            {"forward_inference", ""},      {"forward_training", " train"},   {"backward", " bwd"},
            {"backward_data", " bwd data"}, {"backward_weights", " bwd wei"}, {"undef", ""},
    };
    static const char *const kinds[][2] = {
            {"batch_normalization", "batch_norm"},
            {"layer_normalization", "layer_norm"},
            {"group_normalization", "group_norm"},
    };
    const char *kind = request->text.kind, *direction = "";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (!strcmp(kind, kinds[i][0])) kind = kinds[i][1];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(request->text.direction, names[i][0])) direction = names[i][1];
    snprintf(text, size, "%s%s", kind, direction);
}

/* " k3x5", or " k3" if all numbers are the same; nothing if all are `usual`. */
static size_t put_vector(char *text, size_t size, const char *key, int count, const dnnl_dim_t *values,
                         dnnl_dim_t usual) {
    bool same = true, all_usual = true;
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        same = same && values[i] == values[0];
        all_usual = all_usual && values[i] == usual;
    }
    if (all_usual) return 0;
    for (int i = 0; i < (same ? 1 : count) && length < size; i++)
        length +=
                (size_t)snprintf(text + length, size - length, "%s%lld", i ? "x" : key, (long long)values[i]);
    return length < size ? length : size;
}

static size_t put_dims(char *text, size_t size, const struct tensor *tensor) {
    size_t length = 0;
    for (int d = 0; d < tensor->ndims && length < size; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%lld", d ? "x" : "",
                                   (long long)tensor->dims[d]);
    return length < size ? length : size;
}

static void put_shape(const struct request *request, char *text, size_t size) {
    const struct request *r = request;
    const struct tensor *src = request_tensor(r, "src"), *dst = request_tensor(r, "dst"),
                        *weights = request_tensor(r, "wei");
    bool windows = r->kind == dnnl_convolution || r->kind == dnnl_deconvolution || r->kind == dnnl_pooling;
    if (!windows || r->why[0] || !src || !dst) {
        snprintf(text, size, "%s", r->text.shape);
        return;
    }
    size_t length = put_dims(text, size, src);
    if (weights) length += put_vector(text + length, size - length, " oc", 1, &dst->dims[1], 0);
    length += put_vector(text + length, size - length, " k", r->spatial, r->kernel, 0);
    length += put_vector(text + length, size - length, " s", r->spatial, r->strides, 1);
    length += put_vector(text + length, size - length, " d", r->spatial, r->dilates, 0);
    length += put_vector(text + length, size - length, " p", r->spatial, r->padding_l, 0);
    if (weights && weights->ndims > src->ndims)
        put_vector(text + length, size - length, " g", 1, weights->dims, 0);
}

/* Tensors that tell requests apart: not vectors and the like that follow from the others. */
static bool is_main(const struct tensor *tensor) {
    static const char *const others[] = {"bia",   "bias",  "ws",         "stats",
                                         "scale", "shift", "diff_scale", "diff_shift"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!strcmp(tensor->name, others[i])) return false;
    return tensor->type != dnnl_data_type_undef;
}

static const char *type_word(const struct tensor *tensor) {
    return value_name(type_names, (int)tensor->type);
}

static const char *layout_word(const struct tensor *tensor) {
    return tensor->any ? "any" : tensor->tag[0] ? tensor->tag : "plain";
}

/* A word for each tensor, "f32:s8:f32", or one if all are the same. */
static size_t put_words(const struct request *request, const char *(*word_of)(const struct tensor *),
                        char *text, size_t size) {
    const char *words[MAX_TENSORS];
    size_t length = 0;
    int count = 0;
    bool same = true;
    for (int i = 0; i < request->tensor_count; i++)
        if (is_main(&request->tensors[i])) words[count++] = word_of(&request->tensors[i]);
    for (int i = 1; i < count; i++)
        same = same && !strcmp(words[i], words[0]);
    text[0] = '\0';
    for (int i = 0; i < (same && count ? 1 : count) && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ":" : "", words[i]);
    return length < size ? length : size;
}

/* Layouts, algorithm and attributes, without the words that all of them have. */
static void put_details(const struct request *request, char *text, size_t size) {
    size_t length = put_words(request, layout_word, text, size);
    const char *fields[] = {request->text.auxiliary, request->text.attributes};
    char word[512];
    for (int i = 0; i < 2; i++)
        while (next_word(&fields[i], ' ', word, sizeof(word)) && length < size) {
            const char *start = word;
            bool usual = !strcmp(word, "alg:convolution_direct") || !strcmp(word, "alg:deconvolution_direct");
            skip_start(&start, "alg:");
            skip_start(&start, "attr-");
            if (*start && !usual) length += (size_t)snprintf(text + length, size - length, " %s", start);
        }
}

struct label request_label(const struct request *request) {
    struct label label = {0};
    put_kind(request, label.kind, sizeof(label.kind));
    put_words(request, type_word, label.types, sizeof(label.types));
    put_shape(request, label.shape, sizeof(label.shape));
    put_details(request, label.details, sizeof(label.details));
    return label;
}
