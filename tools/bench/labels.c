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

/* Types once if all are the same, else each; without bias and workspace. */
static void put_types(const struct request *request, char *text, size_t size) {
    size_t length = 0;
    bool same = true;
    dnnl_data_type_t first = request->tensor_count ? request->tensors[0].type : dnnl_data_type_undef;
    text[0] = '\0';
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < request->tensor_count && length < size; i++) {
            const struct tensor *tensor = &request->tensors[i];
            if (tensor->type == dnnl_data_type_undef || !strcmp(tensor->name, "bia")
                || !strcmp(tensor->name, "ws"))
                continue;
            if (pass == 0)
                same = same && tensor->type == first;
            else if (!same || length == 0)
                length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ":" : "",
                                           value_name(type_names, (int)tensor->type));
        }
}

/* "ab:any:ab", once if all are the same. */
static size_t put_layouts(const struct request *request, char *text, size_t size) {
    size_t length = 0;
    const char *first = NULL;
    bool same = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < request->tensor_count && length < size; i++) {
            const struct tensor *tensor = &request->tensors[i];
            if (tensor->type == dnnl_data_type_undef || tensor->ndims < 2) continue;
            const char *tag = tensor->any ? "any" : tensor->tag[0] ? tensor->tag : "plain";
            if (!first) first = tag;
            if (pass == 0)
                same = same && !strcmp(tag, first);
            else if (!same || length == 0)
                length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ":" : "", tag);
        }
    return length < size ? length : size;
}

/* Layouts, algorithm and attributes, without the words that all of them have. */
static void put_details(const struct request *request, char *text, size_t size) {
    size_t length = put_layouts(request, text, size);
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
    put_types(request, label.types, sizeof(label.types));
    put_shape(request, label.shape, sizeof(label.shape));
    put_details(request, label.details, sizeof(label.details));
    return label;
}
