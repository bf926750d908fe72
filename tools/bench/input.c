/* SPDX-License-Identifier: Apache-2.0 */
/* Reads requests: input.h. */
#define _POSIX_C_SOURCE 200809L
#include "input.h"

#include "names.h"
#include "words.h"

#include <stdlib.h>

struct request *requests_add(struct requests *requests, const struct request_text *text, long count) {
    for (int i = 0; i < requests->count; i++)
        if (!memcmp(&requests->list[i].text, text, sizeof(*text))) {
            requests->list[i].count += count;
            return &requests->list[i];
        }
    if (requests->count == requests->room) {
        requests->room = requests->room ? 2 * requests->room : 64;
        requests->list = realloc(requests->list, (size_t)requests->room * sizeof(*requests->list));
        if (!requests->list) abort();
    }
    struct request *request = &requests->list[requests->count++];
    memset(request, 0, sizeof(*request));
    request->text = *text;
    request->count = count;
    return request;
}

void requests_parse(struct requests *requests) {
    for (int i = 0; i < requests->count; i++) {
        if (requests->list[i].count < 1) requests->list[i].count = 1;
        request_parse(&requests->list[i]);
    }
}

/* The fields of a request in the order that both lines and tables have them. */
static void copy_fields(struct request_text *text, const char **rest, char separator) {
    next_word(rest, separator, text->direction, sizeof(text->direction));
    next_word(rest, separator, text->memory, sizeof(text->memory));
    next_word(rest, separator, text->attributes, sizeof(text->attributes));
    next_word(rest, separator, text->auxiliary, sizeof(text->auxiliary));
    next_word(rest, separator, text->shape, sizeof(text->shape));
}

static void read_row(struct requests *requests, const char *line) {
    struct request_text text = {0};
    char count[24];
    int kind;
    next_word(&line, '\t', count, sizeof(count));
    next_word(&line, '\t', text.kind, sizeof(text.kind));
    copy_fields(&text, &line, '\t');
    if (!name_value(kind_names, text.kind, &kind)) return;
    struct request *request = requests_add(requests, &text, strtol(count, NULL, 10));
    char goal[24] = "";
    next_word(&line, '\t', goal, sizeof(goal));
    if (strchr(goal, '%'))
        request->at_least = atof(goal) / 100;
    else
        request->at_most = atof(goal);
    next_word(&line, '\t', request->title, sizeof(request->title));
}

/* "onednn_verbose,v1,primitive,exec,cpu,KIND,implementation,direction,…": the kind is the first field, or
 * follows the name of an engine. Lines about anything but creations and executions are passed over. */
static void read_line(struct requests *requests, const char *line) {
    struct request_text text = {0};
    char field[64] = "", before[64] = "";
    int kind;
    bool executes = false, whole = true;
    while (next_word(&line, ',', field, sizeof(field))) {
        bool here = !before[0] || !strncmp(before, "cpu", 3) || !strncmp(before, "gpu", 3);
        if (here && name_value(kind_names, field, &kind)) break;
        if (!strcmp(field, "exec")) executes = true;
        if (strstr(field, "nested") || strstr(field, "dispatch") || strstr(field, ":check")) whole = false;
        memcpy(before, field, sizeof(before));
    }
    if (!line || !whole) return;
    snprintf(text.kind, sizeof(text.kind), "%.31s", field);
    next_word(&line, ',', field, sizeof(field));
    copy_fields(&text, &line, ',');
    requests_add(requests, &text, executes);
}

void requests_read(struct requests *requests, FILE *file) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strchr(line, '\t'))
            read_row(requests, line);
        else
            read_line(requests, line);
    }
    free(line);
}

bool requests_read_file(struct requests *requests, const char *name) {
    bool standard = !strcmp(name, "-");
    FILE *file = standard ? stdin : fopen(name, "r");
    if (!file) return false;
    requests_read(requests, file);
    if (!standard) fclose(file);
    return true;
}

/* Descriptions: the same text, put together from what is told and what is usual. */

static const struct usual {
    const char *kind, *direction, *tensors, *backward_tensors, *auxiliary;
    bool any; /* the library chooses layouts */
} usual[] = {
        {"convolution", "forward_inference", "src wei bia dst", "src wei bia dst", "alg:convolution_direct",
         true},
        {"deconvolution", "forward_inference", "src wei bia dst", "src wei bia dst",
         "alg:deconvolution_direct", true},
        {"inner_product", "forward_inference", "src wei bia dst", "src wei bia dst", "", true},
        {"matmul", "undef", "src wei bia dst", "", "", false},
        {"eltwise", "forward_inference", "data", "data diff", "alg:eltwise_relu", false},
        {"binary", "undef", "src src dst", "", "alg:binary_add", false},
        {"sum", "undef", "src src dst", "", "", false},
        {"concat", "undef", "src src dst", "", "axis:1", false},
        {"reorder", "undef", "src dst", "", "", false},
        {"pooling", "forward_inference", "src dst", "src dst", "alg:pooling_max", false},
        {"softmax", "forward_inference", "src dst", "src dst diff_dst", "alg:softmax_accurate", false},
        {"lrn", "forward_inference", "data", "data diff", "alg:lrn_across_channels", false},
        {"batch_normalization", "forward_inference", "data", "data diff", "flags:GCH", false},
        {"layer_normalization", "forward_inference", "src dst", "src dst diff_src", "flags:CH", false},
        {"group_normalization", "forward_inference", "src dst", "src dst diff_src", "flags:CH", false},
        {"reduction", "undef", "src dst", "", "alg:reduction_sum", false},
        {"resampling", "forward_inference", "src dst", "src dst", "alg:resampling_nearest", false},
        {"shuffle", "forward_inference", "data", "data", "axis:1 group:4", false},
        {"prelu", "forward_inference", "data wei", "data wei diff diff_wei", "", false},
        {"rnn", "forward_inference", "src_layer src_iter wei_layer wei_iter bias dst_layer dst_iter",
         "src_layer src_iter wei_layer wei_iter bias dst_layer dst_iter diff_src_layer diff_src_iter "
         "diff_wei_layer diff_wei_iter diff_bias diff_dst_layer diff_dst_iter",
         "activation:eltwise_tanh direction:unidirectional_left2right", true},
};

static const struct usual *usual_of(const char *kind) {
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (!strcmp(usual[i].kind, kind)) return &usual[i];
    return NULL;
}

/* Part `index` of a list with colons between, or its last. */
static void part_of(const char *list, int index, char *part, size_t size) {
    part[0] = '\0';
    while (list && index-- >= 0)
        next_word(&list, ':', part, size);
}

/* `place` counts tensors without the bias: types and layouts are told in that order. */
static void describe_tensor(const struct description *description, const struct usual *row, const char *name,
                            int place, char *memory, size_t size) {
    char type[16], tag[TAG_SIZE] = "";
    bool bias = !strcmp(name, "bia");
    if (bias && !description->bias) return;
    part_of(bias ? description->bias : description->types, bias ? 0 : place, type, sizeof(type));
    if (description->tags && !bias) part_of(description->tags, place, tag, sizeof(tag));
    bool any = bias ? false : description->tags ? !strcmp(tag, "any") : row->any;
    size_t length = strlen(memory);
    snprintf(memory + length, size - length, "%s%s:%s:%s:blocked:%s::f0", length ? " " : "", name, type,
             any ? "a" : "", any ? "" : tag);
}

const char **description_option(struct description *description, const char *option) {
    const struct {
        const char *name;
        const char **value;
    } rows[] = {
            {"--direction", &description->direction},
            {"--alg", &description->algorithm},
            {"--aux", &description->more},
            {"--attr", &description->attributes},
            {"--tags", &description->tags},
            {"--bias", &description->bias},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(option, rows[i].name)) return rows[i].value;
    return NULL;
}

static bool is_backward_name(const char *direction) {
    return !strncmp(direction, "backward", 8);
}

void requests_describe(struct requests *requests, const struct description *description) {
    struct request_text text = {0};
    const struct usual *row = usual_of(description->kind);
    char name[24];
    snprintf(text.kind, sizeof(text.kind), "%s", description->kind);
    if (row) {
        const char *direction = description->direction ? description->direction : row->direction;
        const char *tensors = is_backward_name(direction) ? row->backward_tensors : row->tensors;
        snprintf(text.direction, sizeof(text.direction), "%s", direction);
        for (int place = 0; next_word(&tensors, ' ', name, sizeof(name)); place += strcmp(name, "bia") != 0)
            describe_tensor(description, row, name, place, text.memory, sizeof(text.memory));
        snprintf(text.auxiliary, sizeof(text.auxiliary), "%s%s%s%s%s", row->auxiliary,
                 description->algorithm ? " alg:" : "", description->algorithm ? description->algorithm : "",
                 description->more ? " " : "", description->more ? description->more : "");
    }
    snprintf(text.attributes, sizeof(text.attributes), "%s",
             description->attributes ? description->attributes : "");
    snprintf(text.shape, sizeof(text.shape), "%s", description->shape);
    requests_add(requests, &text, 1);
}
