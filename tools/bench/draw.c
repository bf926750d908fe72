/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws results: draw.h. Colours are classes of one style sheet, which follows the reader's choice of light
 * or dark.
 */
#include "draw.h"

#include "labels.h"
#include "report.h"
#include "work.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    LABEL = 430,
    ROW = 36,
    MARGIN = 40,
    PLOT = 420,
    LETTERS = 66 /* that fit beside the bars */
};

static const char style[] =
        ":root{color-scheme:light "
        "dark;--ink:#1b1f24;--paper:#ffffff;--faint:#d0d7de;--ours:#0969da;--theirs:#bf8700;"
        "--bad:#cf222e}"
        "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--faint:#30363d;--ours:#"
        "58a6ff;"
        "--theirs:#d29922;--bad:#ff7b72}}"
        "svg{background:var(--paper);max-width:100%;height:auto}"
        "svg text{font:12px system-ui,sans-serif;fill:var(--ink)}"
        ".ours{fill:var(--ours)}.theirs{fill:var(--theirs)}.bad{fill:var(--bad)}"
        ".line{stroke:var(--faint);fill:none}.roof{stroke:var(--ink);fill:none;stroke-dasharray:4 3}"
        ".k0{fill:#4878cf}.k1{fill:#d65f5f}.k2{fill:#6acc65}.k3{fill:#b47cc7}.k4{fill:#c4ad66}.k5{fill:#"
        "77bedb}"
        ".k6{fill:#e68a00}.k7{fill:#8c8c8c}";

/* Text with the characters that mark-up reserves replaced. */
static void put_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        case '"': fputs("&quot;", file); break;
        default: fputc(*text, file);
        }
    }
}

static void put_label(FILE *file, double x, double y, const char *anchor, const char *text) {
    char shown[LETTERS + 1];
    snprintf(shown, sizeof(shown), "%.*s", LETTERS, text);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    put_text(file, shown);
    fputs("</text>\n", file);
}

static void put_microseconds(double us, char *text, size_t size) {
    if (us < 1000)
        snprintf(text, size, "%.3g us", us);
    else
        snprintf(text, size, "%.3g ms", us / 1e3);
}

static void begin_svg(FILE *file, double height) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\">\n",
            WIDTH, height, WIDTH, height);
}

/* Bars: two per request, as long as their share of the longer one. */

static void put_bar(FILE *file, double y, double us, double longest, const char *class) {
    char text[32];
    double length = us / longest * (WIDTH - LABEL - 110);
    if (us <= 0) return;
    put_microseconds(us, text, sizeof(text));
    fprintf(file, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"12\" class=\"%s\"/>\n", LABEL, y,
            fmax(length, 1), class);
    put_label(file, LABEL + length + 6, y + 10, "start", text);
}

static void put_pair(FILE *file, double y, const struct result *result) {
    struct label label = request_label(result->request);
    char text[192], verdict[256];
    double longest = fmax(result->our_us, result->their_us);
    snprintf(text, sizeof(text), "%s %s %.60s", label.kind, label.types, label.shape);
    verdict_text(result, verdict, sizeof(verdict));
    fprintf(file, "<g><title>");
    put_text(file, label.details);
    fprintf(file, " ");
    put_text(file, verdict);
    fprintf(file, "</title>\n");
    put_label(file, LABEL - 8, y + 19, "end", text);
    put_bar(file, y + 2, result->our_us, longest, "ours");
    put_bar(file, y + 16, result->their_us, longest, "theirs");
    if (result->our_us <= 0) put_label(file, LABEL, y + 12, "start", verdict);
    fprintf(file, "</g>\n");
}

static void put_legend(FILE *file, const struct chart *chart) {
    fprintf(file, "<rect x=\"8\" y=\"8\" width=\"11\" height=\"11\" class=\"ours\"/>\n");
    put_label(file, 24, 18, "start", chart->ours);
    if (!chart->theirs) return;
    fprintf(file, "<rect x=\"8\" y=\"24\" width=\"11\" height=\"11\" class=\"theirs\"/>\n");
    put_label(file, 24, 34, "start", chart->theirs);
}

static void draw_bars(FILE *file, const struct chart *chart) {
    begin_svg(file, chart->count * (double)ROW + 2 * MARGIN);
    fprintf(file, "<style>%s</style>\n", style);
    put_legend(file, chart);
    for (int i = 0; i < chart->count; i++)
        put_pair(file, MARGIN + i * (double)ROW, &chart->results[i]);
    fprintf(file, "</svg>\n");
}

/* Timeline: a strip per library; a request is as wide as its time and how often it came. */

static int kind_colour(const struct result *result) {
    static const dnnl_primitive_kind_t kinds[] = {dnnl_convolution, dnnl_matmul,  dnnl_inner_product,
                                                  dnnl_reorder,     dnnl_eltwise, dnnl_binary,
                                                  dnnl_pooling};
    for (int i = 0; i < (int)(sizeof(kinds) / sizeof(kinds[0])); i++)
        if (result->request->kind == kinds[i]) return i;
    return (int)(sizeof(kinds) / sizeof(kinds[0]));
}

static double total_us(const struct chart *chart, bool ours) {
    double total = 0;
    for (int i = 0; i < chart->count; i++) {
        const struct result *result = &chart->results[i];
        bool counts = !chart->theirs || result_ratio(result) > 0; /* only what both ran */
        if (counts) total += (ours ? result->our_us : result->their_us) * (double)result->request->count;
    }
    return total;
}

static void put_strip(FILE *file, const struct chart *chart, bool ours, double y, double longest) {
    char text[32];
    double x = 10;
    for (int i = 0; i < chart->count; i++) {
        const struct result *result = &chart->results[i];
        struct label label = request_label(result->request);
        double us = (ours ? result->our_us : result->their_us) * (double)result->request->count;
        double width = us / longest * (WIDTH - 110);
        if (us <= 0 || (chart->theirs && result_ratio(result) <= 0)) continue;
        put_microseconds(us, text, sizeof(text));
        fprintf(file,
                "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"26\" class=\"k%d\"><title>%s %s %s, "
                "%s</title></rect>\n",
                x, y, width, kind_colour(result), label.kind, label.types, label.shape, text);
        x += width;
    }
    fprintf(file, "<rect x=\"0\" y=\"%.1f\" width=\"6\" height=\"26\" class=\"%s\"/>\n", y,
            ours ? "ours" : "theirs");
    put_microseconds(total_us(chart, ours), text, sizeof(text));
    put_label(file, x + 6, y + 18, "start", text);
}

static void draw_timeline(FILE *file, const struct chart *chart) {
    static const char *const names[] = {"convolution", "matmul", "inner product", "reorder",
                                        "eltwise",     "binary", "pooling",       "other"};
    double longest = fmax(total_us(chart, true), total_us(chart, false));
    if (longest <= 0) return;
    begin_svg(file, 150);
    put_legend(file, chart);
    put_strip(file, chart, true, 48, longest);
    if (chart->theirs) put_strip(file, chart, false, 80, longest);
    for (int i = 0; i < 8; i++) {
        fprintf(file, "<rect x=\"%d\" y=\"124\" width=\"11\" height=\"11\" class=\"k%d\"/>\n", 10 + i * 115,
                i);
        put_label(file, 26 + i * 115, 134, "start", names[i]);
    }
    fprintf(file, "</svg>\n");
}

/* Roofline: operations per second over operations per byte; the roof is the highest that was measured of
 * each. */

struct roofline {
    double left, right, low, high; /* decimal logarithms */
    double compute, bandwidth;     /* per second */
};

static struct roofline make_roofline(const struct chart *chart) {
    struct roofline roof = {1e9, -1e9, 1e9, -1e9, 0, 0};
    for (int i = 0; i < chart->count; i++)
        for (int side = 0; side < 2; side++) {
            struct work work = request_work(chart->results[i].request);
            double us = side ? chart->results[i].their_us : chart->results[i].our_us;
            if (us <= 0 || work.bytes <= 0 || work.operations <= 0) continue;
            double x = log10(work.operations / work.bytes), y = log10(work.operations / us * 1e6);
            roof.left = fmin(roof.left, floor(x));
            roof.right = fmax(roof.right, ceil(x + 0.01));
            roof.low = fmin(roof.low, floor(y));
            roof.high = fmax(roof.high, ceil(y + 0.01));
            roof.compute = fmax(roof.compute, work.operations / us * 1e6);
            roof.bandwidth = fmax(roof.bandwidth, work.bytes / us * 1e6);
        }
    return roof;
}

static double roof_x(const struct roofline *roof, double x) {
    return 70 + (x - roof->left) / (roof->right - roof->left) * (WIDTH - 100);
}

static double roof_y(const struct roofline *roof, double y) {
    return 20 + (roof->high - y) / (roof->high - roof->low) * (PLOT - 60);
}

static void put_grid(FILE *file, const struct roofline *roof) {
    char text[32];
    for (double x = roof->left; x <= roof->right; x++) {
        fprintf(file, "<path class=\"line\" d=\"M%.1f 20V%d\"/>\n", roof_x(roof, x), PLOT - 40);
        snprintf(text, sizeof(text), "%g", pow(10, x));
        put_label(file, roof_x(roof, x), PLOT - 24, "middle", text);
    }
    for (double y = roof->low; y <= roof->high; y++) {
        fprintf(file, "<path class=\"line\" d=\"M70 %.1fH%d\"/>\n", roof_y(roof, y), WIDTH - 30);
        snprintf(text, sizeof(text), "%g", pow(10, y - 9));
        put_label(file, 64, roof_y(roof, y) + 4, "end", text);
    }
    put_label(file, WIDTH / 2.0, PLOT - 6, "middle", "operations per byte");
    put_label(file, 76, 14, "start", "10^9 operations/s");
}

static void put_points(FILE *file, const struct chart *chart, const struct roofline *roof, bool ours) {
    for (int i = 0; i < chart->count; i++) {
        const struct result *result = &chart->results[i];
        struct work work = request_work(result->request);
        struct label label = request_label(result->request);
        double us = ours ? result->our_us : result->their_us;
        if (us <= 0 || work.bytes <= 0 || work.operations <= 0) continue;
        fprintf(file,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill-opacity=\"0.7\" class=\"%s\"><title>%s %s "
                "%s</title></circle>\n",
                roof_x(roof, log10(work.operations / work.bytes)),
                roof_y(roof, log10(work.operations / us * 1e6)), ours ? "ours" : "theirs", label.kind,
                label.types, label.shape);
    }
}

static void draw_roofline(FILE *file, const struct chart *chart) {
    struct roofline roof = make_roofline(chart);
    if (roof.right <= roof.left) return;
    double ridge = log10(roof.compute / roof.bandwidth), x = fmin(fmax(ridge, roof.left), roof.right);
    begin_svg(file, PLOT);
    put_grid(file, &roof);
    fprintf(file, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n", roof_x(&roof, roof.left),
            roof_y(&roof, fmin(log10(roof.bandwidth) + roof.left, log10(roof.compute))), roof_x(&roof, x),
            roof_y(&roof, fmin(log10(roof.bandwidth) + x, log10(roof.compute))), roof_x(&roof, roof.right),
            roof_y(&roof, log10(roof.compute)));
    if (chart->theirs) put_points(file, chart, &roof, false);
    put_points(file, chart, &roof, true);
    fprintf(file, "</svg>\n");
}

/* Files. */

void draw_svg(FILE *file, const struct chart *chart) {
    draw_bars(file, chart);
}

void draw_page(FILE *file, const struct chart *chart) {
    fprintf(file,
            "<!doctype html>\n<html lang=\"en\"><head><meta "
            "charset=\"utf-8\"><title>lode-bench</title>\n<style>%s"
            "body{font:15px system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:980px;"
            "margin:2em auto;padding:0 "
            "1em}pre{overflow-x:auto;font-size:12px}</style></head>\n<body><h1>lode-bench</h1>\n",
            style);
    fprintf(file, "<h2>All requests, as often as they came</h2>\n");
    draw_timeline(file, chart);
    fprintf(file, "<h2>Times of one execution</h2>\n");
    draw_bars(file, chart);
    fprintf(file, "<h2>Operations per second</h2>\n<p>The dashed roof is the highest rate of operations and "
                  "of bytes that "
                  "was measured here.</p>\n");
    draw_roofline(file, chart);
    fprintf(file, "</body></html>\n");
}
