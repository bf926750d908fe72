/* SPDX-License-Identifier: Apache-2.0 */
/* Verbose lines about plans. The fields and their order are oneDNN's, so that its tools can read them. */
#include "core/report.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdio.h>

enum { FIELD = 4096 }; /* a field of many tensors is long */
_Static_assert(REPORT_LINE >= 4 * FIELD + 256, "four fields and short ones");

/* "cpu" or "gpu:index". */
static void describe_engine(const struct dnnl_engine *engine, char *text, size_t size) {
    if (engine->kind == dnnl_cpu)
        snprintf(text, size, "cpu");
    else
        snprintf(text, size, "gpu:%zu", engine->device->index);
}

/* convolution,f32_gemm_14x32,forward_inference,src:… dst:…,attr-…,alg:…,mb1… */
void report_describe(const struct plan *plan, char *text, size_t size) {
    char tensors[FIELD] = "", attr[FIELD] = "", aux[FIELD] = "", shape[FIELD] = "";
    problem_tensors_to_string(&plan->problem, &plan->request, tensors, sizeof tensors);
    attr_to_string(&plan->attr, attr, sizeof attr);
    problem_aux_to_string(&plan->problem, aux, sizeof aux);
    problem_shape_to_string(&plan->request, shape, sizeof shape);
    snprintf(text, size, "%s,%s,%s,%s,%s,%s,%s", dnnl_prim_kind2str(plan->problem.kind),
             plan->implementation->name, dnnl_prop_kind2str(plan->problem.prop), tensors, attr, aux, shape);
}

void report_skip(const struct plan *plan, const char *reason, const char *file, int line) {
    const char *kind = dnnl_prim_kind2str(plan->problem.kind);
    if (!verbose_wants(kind)) return;
    char text[REPORT_LINE];
    report_describe(plan, text, sizeof text);
    const char *place = dnnl_engine_kind2str(plan->device->kind);
    char why[256];
    verbose_field(why, sizeof why, reason);
    verbose_line("primitive,create:dispatch,%s,%s,%s,%s,%s:%d", kind, place, text, why, file, line);
}

void report_plan(const char *event, const struct dnnl_engine *engine, const struct plan *plan, double ms) {
    if (!verbose_wants(dnnl_prim_kind2str(plan->problem.kind))) return;
    char text[REPORT_LINE], place[32];
    describe_engine(engine, place, sizeof place);
    report_describe(plan, text, sizeof text);
    verbose_line("primitive,%s,%s,%s,%g", event, place, text, ms);
}
