/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a verbose line: "attr-scales:src0:0:f32+wei:1:f32 attr-post-ops:sum:0.5+eltwise_relu". */
#include "request.h"

#include "names.h"
#include "words.h"

#include <stdlib.h>

/* Copies the next part of a list whose parts are joined by "+". A "+" before a digit belongs to a number. */
static bool next_part(const char **text, char *part, size_t size) {
    if (!*text) return false;
    const char *end = *text;
    while (*end && !(*end == '+' && (end[1] < '0' || end[1] > '9')))
        end++;
    snprintf(part, size, "%.*s", (int)(end - *text), *text);
    *text = *end ? end + 1 : NULL;
    return true;
}

static void parse_groups(struct quant *quant, const char *text) {
    char word[24];
    while (quant->group_ndims < DNNL_MAX_NDIMS && next_word(&text, 'x', word, sizeof(word)))
        quant->groups[quant->group_ndims++] = strtoll(word, NULL, 10);
}

static bool parse_quant_argument(struct request *request, const char *name, int *arg) {
    const char *rest = name;
    if (name_value(argument_names, name, arg)) return true;
    if (!skip_start(&rest, "msrc")) return request_reject(request, "no such argument: %s", name);
    *arg = DNNL_ARG_MULTIPLE_SRC + atoi(rest);
    return true;
}

/* "wei:3:f16:32x1" */
static bool parse_quant(struct request *request, const char *text, struct quant *quant) {
    char word[64];
    int type = dnnl_f32;
    next_word(&text, ':', word, sizeof(word));
    if (!parse_quant_argument(request, word, &quant->arg)) return false;
    if (next_word(&text, ':', word, sizeof(word))) quant->mask = atoi(word);
    if (next_word(&text, ':', word, sizeof(word)) && !name_value(type_names, word, &type))
        return request_reject(request, "no such type: %s", word);
    quant->type = (dnnl_data_type_t)type;
    while (next_word(&text, ':', word, sizeof(word))) {
        if (!strcmp(word, "host_scalar"))
            quant->host_scalar = true;
        else if (word[0] >= '0' && word[0] <= '9')
            parse_groups(quant, word);
        else
            return request_reject(request, "scales of mode %s are not known", word);
    }
    return true;
}

static bool parse_quants(struct request *request, const char *text, struct quant *quants, int *count) {
    char part[96];
    while (next_part(&text, part, sizeof(part))) {
        if (*count == MAX_QUANTS) return request_reject(request, "more than %d scales", MAX_QUANTS);
        if (!parse_quant(request, part, &quants[(*count)++])) return false;
    }
    return true;
}

static bool parse_sum(struct request *request, struct post_op *op, const char *text) {
    char word[32];
    int type = dnnl_data_type_undef;
    *op = (struct post_op){.kind = dnnl_sum, .scale = 1};
    if (next_word(&text, ':', word, sizeof(word))) op->scale = strtof(word, NULL);
    if (next_word(&text, ':', word, sizeof(word))) op->zero_point = atoi(word);
    if (next_word(&text, ':', word, sizeof(word)) && !name_value(type_names, word, &type))
        return request_reject(request, "no such type: %s", word);
    op->type = (dnnl_data_type_t)type;
    return true;
}

static bool parse_eltwise(struct post_op *op, const char *text) {
    char word[32];
    if (next_word(&text, ':', word, sizeof(word))) op->alpha = parse_number(word);
    if (next_word(&text, ':', word, sizeof(word))) op->beta = parse_number(word);
    fill_parameters(op->alg, &op->alpha, &op->beta);
    return true;
}

static bool parse_binary(struct request *request, struct post_op *op, const char *text) {
    char word[32];
    int type = dnnl_f32;
    if (next_word(&text, ':', word, sizeof(word)) && !name_value(type_names, word, &type))
        return request_reject(request, "no such type: %s", word);
    op->type = (dnnl_data_type_t)type;
    if (next_word(&text, ':', word, sizeof(word))) op->mask = atoi(word);
    next_word(&text, ':', op->tag, sizeof(op->tag));
    return !text || request_reject(request, "a binary post-op with strides is not supported");
}

static bool parse_depthwise(struct request *request, struct post_op *op, const char *text) {
    *op = (struct post_op){.kind = dnnl_convolution, .type = dnnl_f32};
    int type;
    if (sscanf(text, "k%ds%dp%d", &op->kernel, &op->stride, &op->padding) != 3)
        return request_reject(request, "depthwise post-op %s is not understood", text);
    const char *colon = strchr(text, ':');
    if (colon && name_value(type_names, colon + 1, &type)) op->type = (dnnl_data_type_t)type;
    return true;
}

static bool parse_post_op(struct request *request, const char *text, struct post_op *op) {
    char name[48];
    int alg;
    next_word(&text, ':', name, sizeof(name));
    if (!strcmp(name, "sum")) return parse_sum(request, op, text);
    if (!strcmp(name, "dw") && text) return parse_depthwise(request, op, text);
    if (!strcmp(name, "prelu")) {
        *op = (struct post_op){.kind = dnnl_prelu, .mask = text ? atoi(text) : 0, .type = dnnl_f32};
        return true;
    }
    if (!name_value(alg_names, name, &alg)) return request_reject(request, "no such post-op: %s", name);
    bool binary = !strncmp(name, "binary", 6);
    *op = (struct post_op){.kind = binary ? dnnl_binary : dnnl_eltwise, .alg = (dnnl_alg_kind_t)alg};
    return binary ? parse_binary(request, op, text) : parse_eltwise(op, text);
}

static bool parse_post_ops(struct request *request, const char *text) {
    struct attributes *attributes = &request->attributes;
    char part[128];
    while (next_part(&text, part, sizeof(part))) {
        if (attributes->post_op_count == MAX_POST_OPS)
            return request_reject(request, "more than %d post-ops", MAX_POST_OPS);
        if (!parse_post_op(request, part, &attributes->post_ops[attributes->post_op_count++])) return false;
    }
    return true;
}

static bool parse_fpmath(struct request *request, const char *text) {
    struct attributes *attributes = &request->attributes;
    char word[16];
    int mode;
    next_word(&text, ':', word, sizeof(word));
    if (!name_value(fpmath_names, word, &mode))
        return request_reject(request, "no such fpmath mode: %s", word);
    attributes->fpmath = (dnnl_fpmath_mode_t)mode;
    attributes->fpmath_for_integers = text && !strcmp(text, "true");
    return true;
}

static bool parse_accumulation(struct request *request, const char *text) {
    int mode;
    if (!name_value(accumulation_names, text, &mode))
        return request_reject(request, "no such accumulation mode: %s", text);
    request->attributes.accumulation = (dnnl_accumulation_mode_t)mode;
    return true;
}

static bool parse_attribute(struct request *request, const char *text) {
    struct attributes *attributes = &request->attributes;
    if (skip_start(&text, "attr-scales:"))
        return parse_quants(request, text, attributes->scales, &attributes->scale_count);
    if (skip_start(&text, "attr-zero-points:"))
        return parse_quants(request, text, attributes->zero_points, &attributes->zero_point_count);
    if (skip_start(&text, "attr-post-ops:")) return parse_post_ops(request, text);
    if (skip_start(&text, "attr-fpmath:")) return parse_fpmath(request, text);
    if (skip_start(&text, "attr-acc-mode:")) return parse_accumulation(request, text);
    if (skip_start(&text, "attr-scratchpad:")) {
        attributes->user_scratchpad = !strcmp(text, "user");
        return true;
    }
    if (skip_start(&text, "attr-deterministic:")) {
        attributes->deterministic = true;
        return true;
    }
    return request_reject(request, "attribute %s is not supported", text);
}

bool parse_attributes(struct request *request) {
    const char *text = request->text.attributes;
    char word[512];
    while (next_word(&text, ' ', word, sizeof(word)))
        if (word[0] && !parse_attribute(request, word)) return false;
    return true;
}
