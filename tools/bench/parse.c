/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from text: kind, direction, memory descriptors and the auxiliary field. */
#include "request.h"

#include "names.h"
#include "words.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

bool request_reject(struct request *request, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(request->why, sizeof(request->why), format, list);
    va_end(list);
    return false;
}

struct tensor *request_tensor(const struct request *request, const char *name) {
    for (int i = 0; i < request->tensor_count; i++) {
        const struct tensor *tensor = &request->tensors[i];
        if (!strcmp(tensor->name, name))
            return tensor->type == dnnl_data_type_undef ? NULL : (struct tensor *)tensor;
    }
    return NULL;
}

bool request_is_backward(const struct request *request) {
    dnnl_prop_kind_t direction = request->direction;
    return direction == dnnl_backward || direction == dnnl_backward_data || direction == dnnl_backward_weights
           || direction == dnnl_backward_bias;
}

float parse_number(const char *text) {
    char *end;
    float value = strtof(text, &end);
    return end == text ? NAN : value;
}

void fill_parameters(dnnl_alg_kind_t alg, float *alpha, float *beta) {
    if (!isnan(*alpha) && !isnan(*beta)) return;
    bool clip = alg == dnnl_eltwise_clip || alg == dnnl_eltwise_clip_v2
                || alg == dnnl_eltwise_clip_v2_use_dst_for_bwd;
    if (isnan(*alpha)) *alpha = clip ? -0.5f : alg == dnnl_eltwise_hardswish ? 1.0f / 6 : 0.5f;
    if (isnan(*beta) || (clip && *beta <= *alpha)) *beta = 0.5f;
}

/* Memory descriptors: "src:f32:a:blocked:acdb::f0 wei:…". */

/* A further tensor of the same name gets a number. */
static void name_tensor(const struct request *request, struct tensor *tensor, const char *name) {
    int same = 0;
    for (int i = 0; i < request->tensor_count; i++)
        same += !strncmp(request->tensors[i].name, name, strlen(name))
                && !strpbrk(request->tensors[i].name + strlen(name), "_");
    if (same)
        snprintf(tensor->name, sizeof(tensor->name), "%.8s%d", name, same);
    else
        snprintf(tensor->name, sizeof(tensor->name), "%.19s", name);
}

/* "16x1", or "strided" if the text leaves them open. */
static bool parse_strides(struct request *request, struct tensor *tensor, const char *text) {
    const char *rest = text;
    char word[32];
    if (!*text) return true;
    tensor->unknown_strides = !strcmp(text, "strided");
    tensor->strided = !tensor->unknown_strides;
    while (tensor->strided && next_word(&rest, 'x', word, sizeof(word))) {
        if (tensor->stride_count == DNNL_MAX_NDIMS || !word[0] || strspn(word, "0123456789") != strlen(word))
            return request_reject(request, "strides %.40s are not understood", text);
        tensor->strides[tensor->stride_count++] = strtoll(word, NULL, 10);
    }
    return true;
}

static bool parse_tensor(struct request *request, const char *text) {
    char name[24] = "", type[16] = "", properties[16] = "", format[24] = "", strides[128] = "",
         flags[64] = "";
    if (request->tensor_count == MAX_TENSORS)
        return request_reject(request, "more than %d tensors", MAX_TENSORS);
    struct tensor *tensor = &request->tensors[request->tensor_count];
    int value;
    next_word(&text, ':', name, sizeof(name));
    next_word(&text, ':', type, sizeof(type));
    next_word(&text, ':', properties, sizeof(properties));
    next_word(&text, ':', format, sizeof(format));
    next_word(&text, ':', tensor->tag, sizeof(tensor->tag));
    next_word(&text, ':', strides, sizeof(strides));
    next_word(&text, ':', flags, sizeof(flags));
    if (!name_value(type_names, type, &value)) return request_reject(request, "no such type: %s", type);
    name_tensor(request, tensor, name);
    request->tensor_count++;
    tensor->type = (dnnl_data_type_t)value;
    tensor->any = strchr(properties, 'a') || !strcmp(tensor->tag, "any") || !strcmp(format, "any");
    const char *mask = strstr(flags, "_mask");
    tensor->mask = mask ? atoi(mask + 5) : -1;
    tensor->special = flags[0] == 'f' && flags[1] != '0';
    if (!parse_strides(request, tensor, strides)) return false;
    if (value && !tensor->any && strcmp(format, "blocked"))
        return request_reject(request, "%s has a layout of kind %s", name, format);
    return true;
}

static bool parse_memory(struct request *request) {
    char memory[sizeof(request->text.memory) + 8], word[256];
    const char *text = request->text.memory, *joined = strstr(text, "f0diff_");
    /* Lines of softmax lack a blank. */
    if (joined)
        snprintf(memory, sizeof(memory), "%.*s %s", (int)(joined - text) + 2, text, joined + 2);
    else
        snprintf(memory, sizeof(memory), "%s", text);
    text = memory;
    while (next_word(&text, ' ', word, sizeof(word)))
        if (word[0] && !parse_tensor(request, word)) return false;
    return request->tensor_count > 0 || request_reject(request, "no memory descriptors");
}

/* The auxiliary field: "alg:eltwise_relu alpha:0 beta:0". */

static unsigned parse_flags(const char *text) {
    static const struct name letters[] = {
            {"G", dnnl_use_global_stats},
            {"C", dnnl_use_scale},
            {"H", dnnl_use_shift},
            {"R", dnnl_fuse_norm_relu},
            {"A", dnnl_fuse_norm_add_relu},
            {"M", dnnl_rms_norm},
            {"O", dnnl_rnn_flags_diff_weights_overwrite},
    };
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (strstr(text, letters[i].text)) flags |= (unsigned)letters[i].value;
    return flags;
}

static bool parse_alg(struct request *request, const char *text, dnnl_alg_kind_t *alg) {
    int value;
    if (!name_value(alg_names, text, &value)) return request_reject(request, "no such algorithm: %s", text);
    *alg = (dnnl_alg_kind_t)value;
    return true;
}

static bool parse_auxiliary_word(struct request *request, const char *key, const char *value) {
    float number = parse_number(value);
    int code = 0;
    if (!strcmp(key, "alg")) return parse_alg(request, value, &request->alg);
    if (!strcmp(key, "activation")) return parse_alg(request, value, &request->activation);
    if (!strcmp(key, "alpha")) request->alpha = number;
    if (!strcmp(key, "beta")) request->beta = number;
    if (!strcmp(key, "p")) request->p = number;
    if (!strcmp(key, "eps")) request->eps = number;
    if (!strcmp(key, "axis")) request->axis = isnan(number) ? 1 : (int)number;
    if (!strcmp(key, "group")) request->group = (dnnl_dim_t)number;
    if (!strcmp(key, "flags")) request->flags = parse_flags(value);
    if (!strcmp(key, "direction") && name_value(rnn_direction_names, value, &code))
        request->rnn_direction = (dnnl_rnn_direction_t)code;
    return true;
}

static bool parse_auxiliary(struct request *request) {
    const char *text = request->text.auxiliary;
    char word[64], key[24];
    while (next_word(&text, ' ', word, sizeof(word))) {
        const char *value = word;
        next_word(&value, ':', key, sizeof(key));
        if (value && !parse_auxiliary_word(request, key, value)) return false;
    }
    fill_parameters(request->alg, &request->alpha, &request->beta);
    return true;
}

static bool parse_kind(struct request *request) {
    int kind, direction;
    if (!name_value(kind_names, request->text.kind, &kind))
        return request_reject(request, "no such primitive: %s", request->text.kind);
    if (!name_value(direction_names, request->text.direction, &direction))
        return request_reject(request, "no such direction: %s", request->text.direction);
    request->kind = (dnnl_primitive_kind_t)kind;
    request->direction = (dnnl_prop_kind_t)direction;
    return true;
}

void request_parse(struct request *request) {
    request->axis = 1;
    if (parse_kind(request) && parse_memory(request) && parse_auxiliary(request) && parse_shape(request))
        parse_attributes(request);
}
