/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: job.h. What a primitive takes is asked of its descriptor. Arguments are filled with numbers that
 * every library sees alike: by index, whatever the layout, small, and exact in every type, so that sums of
 * products are exact as well.
 */
#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include "clock.h"
#include "elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct job *job, const char *what, dnnl_status_t status) {
    const char *why = job->build.why;
    job->tool = why != NULL;
    snprintf(job->why, sizeof(job->why), "%s: %s", what, why ? why : lib_status2str(status));
    return false;
}

/* Values. */

/* Numbers that an argument is filled with. */
static const struct palette {
    int count;
    double values[32];
} signed_values = {17,
                   {-1, -0.875, -0.75, -0.625, -0.5, -0.375, -0.25, -0.125, 0, 0.125, 0.25, 0.375, 0.5, 0.625,
                    0.75, 0.875, 1}},
  positive_values = {8, {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1}},
  nonzero_values = {8, {-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1}}, sign_values = {2, {-1, 1}},
  whole_values = {17, {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
  even_values = {9, {-8, -6, -4, -2, 0, 2, 4, 6, 8}}, counting_values = {9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
  small_whole_values = {4, {0, 1, 2, 3}}, truth_values = {2, {0, 1}}, scale_values = {2, {0.0625, 0.03125}},
  dst_scale_values = {1, {0.125}}, one_values = {1, {1}};

/* Quantised weights, and data after a relu, as networks have them. With small numbers alone, instructions
 * whose sums of products could overflow would never get there. */
static const struct palette quantized_values = {32, {-127, -73, -59, -50, -43, -37, -32, -28, -24, -20, -17,
                                                     -13,  -10, -7,  -4,  -1,  1,   4,   7,   10,  13,  17,
                                                     20,   24,  28,  32,  37,  43,  50,  59,  73,  127}},
                            rectified_values = {32, {0,  0,  0,  0,  0,  0,  0,   0,   0,   0,  0,
                                                     0,  0,  0,  0,  0,  2,  8,   14,  20,  27, 34,
                                                     41, 49, 57, 65, 74, 86, 101, 119, 147, 255}};

static bool needs_positive(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_log || alg == dnnl_eltwise_sqrt || alg == dnnl_eltwise_pow
           || alg == dnnl_eltwise_sqrt_use_dst_for_bwd;
}

static bool is_weights(int arg) {
    return arg >= DNNL_ARG_WEIGHTS_0 && arg <= DNNL_ARG_WEIGHTS_3;
}

static const struct palette *palette_of(const struct request *request, int arg, dnnl_data_type_t type) {
    bool reads_data = request->kind == dnnl_eltwise && (arg == DNNL_ARG_SRC || arg == DNNL_ARG_DST);
    if (arg == DNNL_ARG_VARIANCE || arg == DNNL_ARG_SCALE) return &positive_values;
    if (request->kind == dnnl_binary && arg == DNNL_ARG_SRC_2) return &truth_values;
    if (request->kind == dnnl_binary && arg == DNNL_ARG_SRC_1 && request->alg == dnnl_binary_div)
        return type == dnnl_u8 ? &one_values : type_is_integer(type) ? &sign_values : &nonzero_values;
    if (request->kind == dnnl_reduction && request->alg == dnnl_reduction_mul) return &sign_values;
    if (reads_data && needs_positive(request->alg)) return &positive_values;
    if (type == dnnl_e8m0) return &positive_values;
    if (type == dnnl_u8 || type == dnnl_u4) return &counting_values;
    /* oneDNN halves s8 weights where products of bytes could overflow. */
    if (type == dnnl_s8 && is_weights(arg)) return &even_values;
    return type_is_integer(type) ? &whole_values : &signed_values;
}

/* Arguments. */

static dnnl_memory_t new_memory(struct job *job, const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory = NULL;
    dnnl_status_t status = lib_memory_create(&memory, md, job->build.engine, DNNL_MEMORY_ALLOCATE);
    if (status != dnnl_success) fail(job, "a memory object", status);
    return memory;
}

static bool fill(struct job *job, dnnl_memory_t memory, const struct layout *layout, int arg,
                 const struct palette *palette) {
    const_dnnl_memory_desc_t md;
    void *buffer = NULL;
    lib_memory_get_memory_desc(memory, &md);
    size_t size = lib_memory_desc_get_size(md);
    if (size == 0) return true;
    dnnl_status_t status = lib_memory_map_data(memory, &buffer);
    if (status != dnnl_success) return fail(job, "mapping memory", status);
    memset(buffer, 0, size);
    if (layout) layout_fill(layout, buffer, palette->count, palette->values, (uint32_t)arg);
    status = lib_memory_unmap_data(memory, buffer);
    return status == dnnl_success || fail(job, "unmapping memory", status);
}

static dnnl_data_type_t type_of(const_dnnl_memory_desc_t md) {
    dnnl_data_type_t type = dnnl_data_type_undef;
    lib_memory_desc_query(md, dnnl_query_data_type, &type);
    return type;
}

/* Fills a memory whose layout only the library knows, by a reorder from a plain one. */
static bool fill_by_reorder(struct job *job, dnnl_memory_t memory, const_dnnl_memory_desc_t md, int arg,
                            const struct palette *palette) {
    dnnl_memory_desc_t plain;
    dnnl_dims_t *dims;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    struct layout layout;
    int ndims;
    lib_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    lib_memory_desc_query(md, dnnl_query_dims, &dims);
    dnnl_status_t status = lib_memory_desc_create_with_strides(&plain, ndims, *dims, type_of(md), NULL);
    if (status != dnnl_success) return fail(job, "a plain copy", status);
    dnnl_memory_t from = new_memory(job, plain);
    bool good = from && layout_get(plain, &layout);
    if (good) {
        good = fill(job, from, &layout, arg, palette);
        layout_free(&layout);
    }
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, memory}};
    if (good)
        status =
                lib_reorder_primitive_desc_create(&pd, plain, job->build.engine, md, job->build.engine, NULL);
    if (good && status == dnnl_success) status = lib_primitive_create(&reorder, pd);
    if (good && status == dnnl_success) status = lib_primitive_execute(reorder, job->stream, 2, arguments);
    if (good && status == dnnl_success) status = lib_stream_wait(job->stream);
    if (reorder) lib_primitive_destroy(reorder);
    if (pd) lib_primitive_desc_destroy(pd);
    if (from) lib_memory_destroy(from);
    lib_memory_desc_destroy(plain);
    return good && (status == dnnl_success || fail(job, "a reorder of its weights", status));
}

static bool add_memory(struct job *job, int arg, dnnl_memory_t memory) {
    if (!memory) return false;
    if (job->count == MAX_ARGUMENTS) {
        lib_memory_destroy(memory);
        job->build.why = "it has too many arguments";
        return fail(job, "execution", dnnl_unimplemented);
    }
    job->arguments[job->count++] = (dnnl_exec_arg_t){arg, memory};
    return true;
}

static bool fill_argument(struct job *job, int arg, dnnl_memory_t memory, const_dnnl_memory_desc_t md,
                          const struct palette *palette) {
    struct layout layout;
    if (!layout_get(md, &layout)) return fill_by_reorder(job, memory, md, arg, palette);
    bool more = is_weights(arg) && lib_memory_desc_get_size(md) > layout.bytes;
    bool good =
            more ? fill_by_reorder(job, memory, md, arg, palette) : fill(job, memory, &layout, arg, palette);
    layout_free(&layout);
    return good;
}

/* Adds an argument of that descriptor with values of that palette, NULL: those that fit the argument. */
static bool add_argument(struct job *job, int arg, const_dnnl_memory_desc_t md,
                         const struct palette *palette) {
    dnnl_memory_t memory = new_memory(job, md);
    if (!add_memory(job, arg, memory)) return false;
    if (arg == DNNL_ARG_SCRATCHPAD || arg == DNNL_ARG_WORKSPACE) return fill(job, memory, NULL, arg, NULL);
    if (!palette) palette = palette_of(job->build.request, arg, type_of(md));
    return fill_argument(job, arg, memory, md, palette);
}

static const_dnnl_memory_desc_t argument_md(const struct job *job, int arg) {
    const_dnnl_memory_desc_t md = lib_primitive_desc_query_md(job->pd, dnnl_query_exec_arg_md, arg);
    int ndims = 0;
    return md && !lib_memory_desc_query(md, dnnl_query_ndims_s32, &ndims) && ndims > 0 ? md : NULL;
}

static const int plain_arguments[] = {
        DNNL_ARG_SRC_0,
        DNNL_ARG_SRC_1,
        DNNL_ARG_SRC_2,
        DNNL_ARG_SRC_3,
        DNNL_ARG_DST_0,
        DNNL_ARG_DST_1,
        DNNL_ARG_DST_2,
        DNNL_ARG_WEIGHTS_0,
        DNNL_ARG_WEIGHTS_1,
        DNNL_ARG_WEIGHTS_2,
        DNNL_ARG_WEIGHTS_3,
        DNNL_ARG_BIAS,
        DNNL_ARG_MEAN,
        DNNL_ARG_VARIANCE,
        DNNL_ARG_SCALE,
        DNNL_ARG_SHIFT,
        DNNL_ARG_WORKSPACE,
        DNNL_ARG_SCRATCHPAD,
        DNNL_ARG_DIFF_SRC_0,
        DNNL_ARG_DIFF_SRC_1,
        DNNL_ARG_DIFF_SRC_2,
        DNNL_ARG_DIFF_SRC_3,
        DNNL_ARG_DIFF_DST_0,
        DNNL_ARG_DIFF_DST_1,
        DNNL_ARG_DIFF_DST_2,
        DNNL_ARG_DIFF_WEIGHTS_0,
        DNNL_ARG_DIFF_WEIGHTS_1,
        DNNL_ARG_DIFF_WEIGHTS_2,
        DNNL_ARG_DIFF_WEIGHTS_3,
        DNNL_ARG_DIFF_BIAS,
        DNNL_ARG_DIFF_SCALE,
        DNNL_ARG_DIFF_SHIFT,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS,
};

static bool add_tensors(struct job *job) {
    bool many = job->build.request->kind == dnnl_concat || job->build.request->kind == dnnl_sum;
    const_dnnl_memory_desc_t md;
    for (size_t i = 0; i < sizeof(plain_arguments) / sizeof(plain_arguments[0]); i++) {
        md = argument_md(job, plain_arguments[i]);
        if (md && !add_argument(job, plain_arguments[i], md, NULL)) return false;
    }
    for (int i = 0; many && (md = argument_md(job, DNNL_ARG_MULTIPLE_SRC + i)); i++)
        if (!add_argument(job, DNNL_ARG_MULTIPLE_SRC + i, md, NULL)) return false;
    return true;
}

/* How many scales or zero points there are. */
static dnnl_dim_t quant_count(const struct job *job, const struct quant *quant) {
    const_dnnl_memory_desc_t md = argument_md(job, quant->arg);
    dnnl_dims_t *dims;
    dnnl_dim_t count = 1;
    int ndims = 0;
    if (!md) return 1;
    lib_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    lib_memory_desc_query(md, dnnl_query_dims, &dims);
    for (int d = 0; d < ndims; d++) {
        int group = d - (ndims - quant->group_ndims);
        dnnl_dim_t size = group >= 0 && quant->groups[group] > 0 ? quant->groups[group] : 1;
        if (quant->mask >> d & 1) count *= (*dims)[d] / size;
    }
    return count;
}

static bool add_host_scalar(struct job *job, int arg, dnnl_data_type_t type, double value) {
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = NULL;
    uint64_t bits = element_encode(type, value);
    dnnl_status_t status = dnnl_unimplemented;
    if (lib_memory_desc_create_host_scalar && lib_memory_create_host_scalar)
        status = lib_memory_desc_create_host_scalar(&md, type);
    if (status == dnnl_success) status = lib_memory_create_host_scalar(&memory, md, &bits);
    if (md) lib_memory_desc_destroy(md);
    return status == dnnl_success ? add_memory(job, arg, memory) : fail(job, "a host scalar", status);
}

static bool add_quant(struct job *job, const struct quant *quant, int flag, const struct palette *palette) {
    dnnl_memory_desc_t md;
    if (quant->host_scalar) return add_host_scalar(job, flag | quant->arg, quant->type, palette->values[0]);
    dnnl_dims_t count = {quant_count(job, quant)};
    dnnl_status_t status = lib_memory_desc_create_with_tag(&md, 1, count, quant->type, dnnl_a);
    if (status != dnnl_success) return fail(job, "scales", status);
    bool good = add_argument(job, flag | quant->arg, md, palette);
    lib_memory_desc_destroy(md);
    return good;
}

static bool add_quants(struct job *job) {
    const struct attributes *attributes = &job->build.request->attributes;
    for (int i = 0; i < attributes->scale_count; i++) {
        const struct quant *scale = &attributes->scales[i];
        bool dst = scale->arg == DNNL_ARG_DST;
        if (!add_quant(job, scale, DNNL_ARG_ATTR_SCALES, dst ? &dst_scale_values : &scale_values))
            return false;
    }
    for (int i = 0; i < attributes->zero_point_count; i++)
        if (!add_quant(job, &attributes->zero_points[i], DNNL_ARG_ATTR_ZERO_POINTS, &small_whole_values))
            return false;
    return true;
}

static bool add_post_ops(struct job *job) {
    const struct attributes *attributes = &job->build.request->attributes;
    for (int i = 0; i < attributes->post_op_count; i++) {
        const struct post_op *op = &attributes->post_ops[i];
        if (!job->build.post_op_mds[i]) continue;
        int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i)
                  | (op->kind == dnnl_binary ? DNNL_ARG_SRC_1 : DNNL_ARG_WEIGHTS);
        const_dnnl_memory_desc_t md = op->kind == dnnl_binary ? argument_md(job, arg) : NULL;
        const struct palette *palette = op->alg == dnnl_binary_div ? &sign_values : NULL;
        if (!add_argument(job, arg, md ? md : job->build.post_op_mds[i], palette)) return false;
    }
    return true;
}

/* Jobs. */

static bool make_primitive(struct job *job, dnnl_prop_kind_t direction, const_dnnl_primitive_desc_t hint) {
    double start = now_us();
    dnnl_status_t status = build_primitive_desc(&job->build, direction, hint, &job->pd);
    if (status != dnnl_success) return fail(job, hint ? "backward" : "creation", status);
    status = lib_primitive_create(&job->primitive, job->pd);
    job->create_us = now_us() - start;
    return status == dnnl_success || fail(job, "the primitive", status);
}

/* Gives the workspace that a forward job wrote to a backward one. */
static void move_workspace(struct job *from, struct job *to) {
    for (int i = 0; i < from->count; i++)
        for (int k = 0; k < to->count; k++)
            if (from->arguments[i].arg == DNNL_ARG_WORKSPACE && to->arguments[k].arg == DNNL_ARG_WORKSPACE) {
                dnnl_memory_t memory = to->arguments[k].memory;
                to->arguments[k].memory = from->arguments[i].memory;
                from->arguments[i].memory = memory;
            }
}

/* The forward job of a backward request: its descriptor is the hint, its run fills the workspace. */
static bool make_forward(struct job *forward, struct job *job) {
    *forward = (struct job){.build = {.request = job->build.request, .engine = job->build.engine}};
    forward->stream = job->stream;
    forward->build.decided = job->build.request->kind == dnnl_pooling;
    if (make_primitive(forward, dnnl_forward_training, NULL)) return true;
    snprintf(job->why, sizeof(job->why), "forward %.100s", forward->why);
    job->tool = forward->tool;
    return false;
}

static bool run_forward(struct job *forward, struct job *job) {
    if (!argument_md(job, DNNL_ARG_WORKSPACE)) return true;
    dnnl_status_t status = dnnl_success;
    bool good = add_tensors(forward);
    if (good) status = job_run(forward, 1);
    if (good && status == dnnl_success) move_workspace(forward, job);
    return good && (status == dnnl_success || fail(job, "the forward pass", status));
}

/* The primitives of a job and, if it is a backward one, of its forward job. */
static bool make_primitives(struct job *job, struct job *forward, const struct request *request,
                            dnnl_engine_t engine, dnnl_stream_t stream) {
    *job = (struct job){.build = {.request = request, .engine = engine}, .stream = stream};
    dnnl_status_t status = build_attributes(&job->build);
    if (status != dnnl_success) return fail(job, "attributes", status);
    return (!request_is_backward(request) || make_forward(forward, job))
           && make_primitive(job, request->direction, forward->pd);
}

bool job_make_primitive(struct job *job, const struct request *request, dnnl_engine_t engine) {
    struct job forward = {0};
    bool good = make_primitives(job, &forward, request, engine, NULL);
    job_free(&forward);
    return good;
}

bool job_make(struct job *job, const struct request *request, dnnl_engine_t engine, dnnl_stream_t stream) {
    struct job forward = {0};
    bool backward = request_is_backward(request);
    bool good = make_primitives(job, &forward, request, engine, stream);
    good = good && add_tensors(job) && add_quants(job) && add_post_ops(job);
    good = good && (!backward || run_forward(&forward, job));
    job_free(&forward);
    return good;
}

static bool is_product(dnnl_primitive_kind_t kind) {
    return kind == dnnl_convolution || kind == dnnl_deconvolution || kind == dnnl_inner_product
           || kind == dnnl_matmul;
}

bool job_fill_for_timing(struct job *job) {
    for (int i = 0; i < job->count && is_product(job->build.request->kind); i++) {
        const int arg = job->arguments[i].arg;
        const_dnnl_memory_desc_t md;
        lib_memory_get_memory_desc(job->arguments[i].memory, &md);
        const dnnl_data_type_t type = type_of(md);
        if ((arg != DNNL_ARG_SRC && arg != DNNL_ARG_WEIGHTS) || (type != dnnl_s8 && type != dnnl_u8))
            continue;
        if (!fill_argument(job, arg, job->arguments[i].memory, md,
                           type == dnnl_u8 ? &rectified_values : &quantized_values))
            return false;
    }
    return true;
}

void job_free(struct job *job) {
    for (int i = 0; i < job->count; i++)
        lib_memory_destroy(job->arguments[i].memory);
    if (job->primitive) lib_primitive_destroy(job->primitive);
    if (job->pd) lib_primitive_desc_destroy(job->pd);
    build_free(&job->build);
    *job = (struct job){0};
}

dnnl_status_t job_run(struct job *job, long times) {
    dnnl_status_t status = dnnl_success;
    for (long i = 0; status == dnnl_success && i < times; i++)
        status = lib_primitive_execute(job->primitive, job->stream, job->count, job->arguments);
    dnnl_status_t waited = lib_stream_wait(job->stream);
    return status != dnnl_success ? status : waited;
}

bool job_is_output(const struct job *job, int arg) {
    const struct request *request = job->build.request;
    bool forward = !request_is_backward(request);
    if (arg >= DNNL_ARG_DST_0 && arg <= DNNL_ARG_DST_2) return forward;
    if (arg == DNNL_ARG_MEAN || arg == DNNL_ARG_VARIANCE)
        return request->direction == dnnl_forward_training && !(request->flags & dnnl_use_global_stats);
    return (arg >= DNNL_ARG_DIFF_SRC_0 && arg <= DNNL_ARG_DIFF_SRC_3)
           || (arg >= DNNL_ARG_DIFF_WEIGHTS_0 && arg <= DNNL_ARG_DIFF_WEIGHTS_3) || arg == DNNL_ARG_DIFF_BIAS
           || arg == DNNL_ARG_DIFF_SCALE || arg == DNNL_ARG_DIFF_SHIFT;
}

const char *job_implementation(const struct job *job) {
    const char *name = "?";
    lib_primitive_desc_query(job->pd, dnnl_query_impl_info_str, 0, &name);
    return name;
}
