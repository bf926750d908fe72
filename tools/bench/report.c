/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of results: report.h. */
#include "report.h"

#include "labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10 };

static void put_verdict(const struct result *result, char *text, size_t size) {
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

static void put_goal(const struct result *result, char *text, size_t size) {
    const char *verb = result_misses(result) ? "MISSES" : "meets";
    if (result->request->at_least > 0)
        snprintf(text, size, ", %.0f%% of a copy %s %.0f%%", 100 * result_share(result), verb,
                 100 * result->request->at_least);
    else
        snprintf(text, size, ", %s %.2f", verb, result->request->at_most);
}

void verdict_text(const struct result *result, char *text, size_t size) {
    put_verdict(result, text, size);
    size_t length = strlen(text);
    if (result->cliff > 0)
        snprintf(text + length, size - length, ", CLIFF: %.1f times the base", result->cliff);
    else if (result_has_goal(result))
        put_goal(result, text + length, size - length);
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
    fprintf(file, "  %-28s %-8s %s\n", "implementation", "result", "layouts, algorithm, attributes");
}

void report_line(FILE *file, const struct result *result, bool both) {
    struct label label = request_label(result->request);
    char verdict[256];
    double ratio = result_ratio(result);
    verdict_text(result, verdict, sizeof(verdict));
    fprintf(file, "%-22s %-11s %-36s", label.kind, label.types, label.shape);
    put_time(file, result->our_us);
    if (both) put_time(file, result->their_us);
    if (both && ratio > 0) fprintf(file, " %6.2f", ratio);
    if (both && ratio <= 0) fprintf(file, " %6s", "-");
    bool ran = result->ours.outcome == OUTCOME_RAN;
    fprintf(file, "  %-28s %-8s %s\n", ran ? result->ours.text : "-", verdict, label.details);
    fflush(file);
}

/* Totals. */

static int by_ratio(const void *a, const void *b) {
    double x = result_ratio(*(const struct result *const *)a),
           y = result_ratio(*(const struct result *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static bool is_cliff(const struct result *result) {
    return result->cliff > 0;
}

static bool is_difference(const struct result *result) {
    return result->verdict == VERDICT_DIFFERS;
}

static bool is_refusal(const struct result *result) {
    return result->verdict == VERDICT_REFUSED && result_is_failure(result);
}

static void put_list(FILE *file, int count, const struct result *results,
                     bool (*belongs)(const struct result *), const char *title) {
    char text[256];
    bool first = true;
    for (int i = 0; i < count; i++) {
        const struct result *result = &results[i];
        if (!belongs(result)) continue;
        if (first) fprintf(file, "\n%s:\n", title);
        first = false;
        struct label label = request_label(result->request);
        verdict_text(result, text, sizeof(text));
        fprintf(file, "  %-22s %-11s %-36s %s  %s\n", label.kind, label.types, label.shape, text,
                label.details);
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
        struct label label = request_label(sorted[i]->request);
        fprintf(file, "  %6.2f  %-22s %-11s %-36s %s, other %s  %s\n", result_ratio(sorted[i]), label.kind,
                label.types, label.shape, sorted[i]->ours.text, sorted[i]->theirs.text, label.details);
    }
    free(sorted);
}

static void put_goals(FILE *file, int count, const struct result *results) {
    double copy = 0;
    int goals = 0, missed = 0;
    for (int i = 0; i < count; i++) {
        goals += result_has_goal(&results[i]);
        missed += result_misses(&results[i]);
        copy = fmax(copy, results[i].copy);
    }
    if (goals) fprintf(file, ", %d of %d goals met", goals - missed, goals);
    if (copy > 0) fprintf(file, ", a copy moves %.1f GB/s", copy / 1e9);
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
    put_list(file, count, results, is_cliff, "slower than 3 times the base and 50 us");
    put_list(file, count, results, result_misses, "goals missed");
    put_list(file, count, results, is_difference, "results differ");
    put_list(file, count, results, is_refusal,
             both ? "refused by the library, not by the other" : "refused by the library");
    fprintf(file, "\n%d requests", count);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int number = 0;
        for (int k = 0; k < count; k++)
            number += results[k].verdict == rows[i].verdict;
        if (number) fprintf(file, ", %d %s", number, rows[i].text);
    }
    put_goals(file, count, results);
    fprintf(file, "\n");
}

void report_csv(FILE *file, int count, const struct result *results) {
    fprintf(file, "count,primitive,direction,memory,attributes,auxiliary,shape,implementation,create us,us,"
                  "other implementation,other create us,other us,ratio,error,tolerance,result\n");
    for (int i = 0; i < count; i++) {
        const struct result *result = &results[i];
        const struct request_text *text = &result->request->text;
        char verdict[256];
        verdict_text(result, verdict, sizeof(verdict));
        for (char *c = verdict; *c; c++)
            if (*c == ',') *c = ';';
        fprintf(file, "%ld,%s,%s,%s,%s,%s,%s,%s,%.4g,%.4g,%s,%.4g,%.4g,%.4g,%.3g,%.3g,%s\n",
                result->request->count, text->kind, text->direction, text->memory, text->attributes,
                text->auxiliary, text->shape, result->ours.text, result->ours.create_us, result->our_us,
                result->theirs.text, result->theirs.create_us, result->their_us, result_ratio(result),
                result->error, result->tolerance, verdict);
    }
}

void report_markdown(FILE *file, int count, const struct result *results) {
    fprintf(file, "| work | types | shape | layouts, algorithm, attributes | us | other us | ratio | goal | "
                  "of a copy |\n"
                  "|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        const struct result *result = &results[i];
        struct label label = request_label(result->request);
        const char *title = result->request->title[0] ? result->request->title : label.kind;
        const char *missed = result_misses(result) ? " missed" : "";
        char goal[32] = "", share[16] = "";
        if (result->request->at_most > 0)
            snprintf(goal, sizeof(goal), "%.2f%s", result->request->at_most, missed);
        if (result->request->at_least > 0) {
            snprintf(goal, sizeof(goal), "%.0f%%%s", 100 * result->request->at_least, missed);
            snprintf(share, sizeof(share), "%.0f%%", 100 * result_share(result));
        }
        fprintf(file, "| %s | %s | %s | %s | %.4g | %.4g | %.2f | %s | %s |\n", title, label.types,
                label.shape, label.details, result->our_us, result->their_us, result_ratio(result), goal,
                share);
    }
}
