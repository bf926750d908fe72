/* SPDX-License-Identifier: Apache-2.0 */
/* Verbose lines about plans and devices. The fields and their order are oneDNN's, so that its tools can read
 * them. */
#include "core/report.h"
#include "base/cpu.h"
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

/* How often a launch runs: the next launch that ends a loop tells, if the loop reaches back to it. */
static unsigned launch_times(const struct program *program, int index) {
    for (int i = index; i < program->nlaunches; i++)
        if (program->launches[i]->loop_count)
            return (uint32_t)(i - index) < program->launches[i]->loop_length
                           ? program->launches[i]->loop_count
                           : 1;
    return 1;
}

/* "primitive,launch,0,kernel:f32_gemm_14x32,form:avx512,groups:16x1x1,items:1x1x1,times:1". */
void report_launches(const struct plan *plan) {
    const struct program *program = plan->program;
    if (!program || !verbose_on(VERBOSE_DEBUG) || !verbose_wants(dnnl_prim_kind2str(plan->problem.kind)))
        return;
    for (int i = 0; i < program->nlaunches; i++) {
        const struct launch *launch = program->launches[i];
        const size_t *groups = launch->range.groups, *items = launch->range.group_size;
        verbose_line("primitive,launch,%d,kernel:%s,form:%s,groups:%zux%zux%zu,items:%zux%zux%zu,times:%u", i,
                     launch->kernel->name,
                     kernel_form_name(launch->kernel, &plan->device->info, cpu_features()), groups[0],
                     groups[1], groups[2], items[0], items[1], items[2], launch_times(program, i));
    }
}

/* Devices. */

/* Names of set bits, with plus signs between. */
struct bit_name {
    unsigned bit;
    const char *name;
};

static void name_bits(unsigned bits, size_t count, const struct bit_name *names, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0, n = 0; i < count && n < size; i++)
        if (bits & names[i].bit)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "+" : "", names[i].name);
}

static const struct bit_name form_names[] = {
        {FORM_NATIVE, "native"},
        {FORM_SPIRV, "spirv"},
        {FORM_SOURCE, "source"},
};

static const struct bit_name feature_names[] = {
        {HAS_SUB_GROUP_4, "sub_group_4"},
        {HAS_SUB_GROUP_8, "sub_group_8"},
        {HAS_SUB_GROUP_16, "sub_group_16"},
        {HAS_SUB_GROUP_32, "sub_group_32"},
        {HAS_SUB_GROUP_64, "sub_group_64"},
        {HAS_INTEL_SUB_GROUPS, "block_reads"},
        {HAS_LOCAL_MEMORY, "local_memory"},
        {HAS_FP16, "fp16"},
        {HAS_FP64, "fp64"},
        {HAS_INTEGER_DOT, "integer_dot"},
        {HAS_MATRIX_ENGINE, "matrix_engine"},
        {HAS_WIDE_VECTORS, "wide_vectors"},
        {HAS_BF16_DOT, "bf16_dot"},
        {HAS_MATRIX_TILES, "matrix_tiles"},
};

static void report_properties(const struct device *device) {
    const struct device_info *info = &device->info;
    char forms[64], features[256];
    name_bits(info->forms, sizeof form_names / sizeof form_names[0], form_names, forms, sizeof forms);
    name_bits(info->features, sizeof feature_names / sizeof feature_names[0], feature_names, features,
              sizeof features);
    verbose_line("info,%s,engine,%zu,class:%s,kernels:%s,units:%d,vector:%d,group:%zu,local:%zu,"
                 "caches:%zu/%zu/%zu,features:%s",
                 dnnl_engine_kind2str(device->kind), device->index, info->class == DEVICE_CPU ? "cpu" : "gpu",
                 forms, info->compute_units, info->vector_bytes, info->largest_group, info->local_bytes,
                 info->cache_bytes[0], info->cache_bytes[1], info->cache_bytes[2], features);
}

void report_device(const struct device *device) {
    char name[sizeof device->info.name], driver[sizeof device->info.driver];
    if (device->info.name[0] && verbose_on(VERBOSE_CREATE | VERBOSE_EXEC)) {
        verbose_field(name, sizeof name, device->info.name);
        verbose_field(driver, sizeof driver, device->info.driver);
        verbose_line("info,%s,engine,%zu,backend:%s,name:%s,driver_version:%s",
                     dnnl_engine_kind2str(device->kind), device->index, device->info.backend, name,
                     driver[0] ? driver : "unknown");
    }
    if (verbose_on(VERBOSE_DEBUG)) report_properties(device);
}
