/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of results: report.h. */
#include "report.h"

#include "names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10 };

void short_kind(const struct request *request, char *text, size_t size) {
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

void short_shape(const struct request *request, char *text, size_t size) {
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
void short_types(const struct request *request, char *text, size_t size) {
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

double result_ratio(const struct result *result) {
    return result->our_us > 0 && result->their_us > 0 ? result->our_us / result->their_us : 0;
}

void verdict_text(const struct result *result, char *text, size_t size) {
    const char *ours = result->ours.text, *theirs = result->theirs.text;
    switch (result->verdict) {
    case VERDICT_RAN: snprintf(text, size, "ran"); break;
    case VERDICT_AGREES: snprintf(text, size, "ok"); break;
    case VERDICT_DIFFERS:
        snprintf(text, size, "DIFFERS by %.2g, tolerance %.2g", result->error, result->tolerance);
        break;
    case VERDICT_REFUSED: snprintf(text, size, "REFUSED: %s", ours); break;
    case VERDICT_BETTER: snprintf(text, size, "the other refuses: %s", theirs); break;
    case VERDICT_NEITHER: snprintf(text, size, "both refuse: %s", ours); break;
    case VERDICT_SKIPPED:
        snprintf(text, size, "skipped: %s", result->request->why[0] ? result->request->why : ours);
        break;
    }
}

static void put_time(FILE *file, double us) {
    if (us <= 0)
        fprintf(file, " %10s", "-");
    else
        fprintf(file, us < 1000 ? " %10.2f" : " %10.0f", us);
}

void report_head(FILE *file, bool both) {
    fprintf(file, "%-22s %-11s %-36s %10s", "primitive", "types", "shape", "us");
    if (both) fprintf(file, " %10s %6s", "other us", "ratio");
    fprintf(file, "  %-30s %s\n", "implementation", "result");
}

void report_line(FILE *file, const struct result *result, bool both) {
    char kind[64], types[64], shape[128], verdict[256];
    double ratio = result_ratio(result);
    short_kind(result->request, kind, sizeof(kind));
    short_types(result->request, types, sizeof(types));
    short_shape(result->request, shape, sizeof(shape));
    verdict_text(result, verdict, sizeof(verdict));
    fprintf(file, "%-22s %-11s %-36s", kind, types, shape);
    put_time(file, result->our_us);
    if (both) put_time(file, result->their_us);
    if (both && ratio > 0) fprintf(file, " %6.2f", ratio);
    if (both && ratio <= 0) fprintf(file, " %6s", "-");
    bool ran = result->ours.outcome == OUTCOME_RAN;
    fprintf(file, "  %-30s %s\n", ran ? result->ours.text : "-", verdict);
    fflush(file);
}

/* Totals. */

static int by_ratio(const void *a, const void *b) {
    double x = result_ratio(*(const struct result *const *)a),
           y = result_ratio(*(const struct result *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static void put_list(FILE *file, int count, const struct result *results, enum verdict verdict,
                     const char *title) {
    char kind[64], types[64], text[256];
    bool first = true;
    for (int i = 0; i < count; i++) {
        const struct result *result = &results[i];
        if (result->verdict != verdict) continue;
        if (first) fprintf(file, "\n%s:\n", title);
        first = false;
        short_kind(result->request, kind, sizeof(kind));
        short_types(result->request, types, sizeof(types));
        verdict_text(result, text, sizeof(text));
        fprintf(file, "  %-22s %-14s %s %s %s\n      %s\n", kind, types, result->request->text.shape,
                result->request->text.auxiliary, result->request->text.attributes, text);
    }
}

static void put_ratios(FILE *file, int count, const struct result *results) {
    const struct result **sorted = calloc((size_t)count + 1, sizeof(*sorted));
    double logs = 0, ours = 0, theirs = 0;
    int ran = 0;
    for (int i = 0; sorted && i < count; i++) {
        if (result_ratio(&results[i]) <= 0) continue;
        sorted[ran++] = &results[i];
        logs += log(result_ratio(&results[i]));
        ours += results[i].our_us * (double)results[i].request->count;
        theirs += results[i].their_us * (double)results[i].request->count;
    }
    if (ran) {
        qsort(sorted, (size_t)ran, sizeof(*sorted), by_ratio);
        fprintf(file,
                "\nratios of %d: geometric mean %.2f; all requests as often as they came: %.2f ms, other "
                "%.2f ms, "
                "ratio %.2f\nworst:\n",
                ran, exp(logs / ran), ours / 1e3, theirs / 1e3, ours / theirs);
    }
    for (int i = 0; i < ran && i < WORST; i++) {
        char kind[64], types[64];
        short_kind(sorted[i]->request, kind, sizeof(kind));
        short_types(sorted[i]->request, types, sizeof(types));
        fprintf(file, "  %6.2f  %-22s %-14s %s %s %s  %s, other %s\n", result_ratio(sorted[i]), kind, types,
                sorted[i]->request->text.shape, sorted[i]->request->text.auxiliary,
                sorted[i]->request->text.attributes, sorted[i]->ours.text, sorted[i]->theirs.text);
    }
    free(sorted);
}

void report_totals(FILE *file, int count, const struct result *results, bool both) {
    static const struct {
        enum verdict verdict;
        const char *text;
    } rows[] = {
            {VERDICT_RAN, "ran"},
            {VERDICT_AGREES, "agree"},
            {VERDICT_DIFFERS, "differ"},
            {VERDICT_REFUSED, "refused"},
            {VERDICT_BETTER, "refused by the other only"},
            {VERDICT_NEITHER, "refused by both"},
            {VERDICT_SKIPPED, "skipped"},
    };
    if (both) put_ratios(file, count, results);
    put_list(file, count, results, VERDICT_DIFFERS, "results differ");
    put_list(file, count, results, VERDICT_REFUSED,
             both ? "refused by the library, not by the other" : "refused by the library");
    fprintf(file, "\n%d requests", count);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int number = 0;
        for (int k = 0; k < count; k++)
            number += results[k].verdict == rows[i].verdict;
        if (number) fprintf(file, ", %d %s", number, rows[i].text);
    }
    fprintf(file, "\n");
}

void report_csv(FILE *file, int count, const struct result *results) {
    fprintf(file, "count,primitive,direction,memory,attributes,auxiliary,shape,implementation,us,other "
                  "implementation,other us,ratio,error,tolerance,result\n");
    for (int i = 0; i < count; i++) {
        const struct result *result = &results[i];
        const struct request_text *text = &result->request->text;
        char verdict[256];
        verdict_text(result, verdict, sizeof(verdict));
        for (char *c = verdict; *c; c++)
            if (*c == ',') *c = ';';
        fprintf(file, "%ld,%s,%s,%s,%s,%s,%s,%s,%.4g,%s,%.4g,%.4g,%.3g,%.3g,%s\n", result->request->count,
                text->kind, text->direction, text->memory, text->attributes, text->auxiliary, text->shape,
                result->ours.text, result->our_us, result->theirs.text, result->their_us,
                result_ratio(result), result->error, result->tolerance, verdict);
    }
}
