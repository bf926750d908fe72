/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_primitive_desc_*: queries of a plan, and moving on to the next implementation. One table lists the
 * queries of each kind of primitive, another the tensor that a descriptor query refers to. The results belong
 * to the plan, which is immutable and shared.
 */
#include "core/objects.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Sets of kinds of primitives. */

#define KIND(name) (1u << dnnl_##name)
enum {
    ALL = ~0,
    WINDOWED = KIND(convolution) | KIND(deconvolution) | KIND(pooling),
    NORMALIZATIONS = KIND(batch_normalization) | KIND(group_normalization) | KIND(layer_normalization),
    DIRECTIONLESS = KIND(reorder) | KIND(concat) | KIND(sum) | KIND(binary) | KIND(matmul) | KIND(reduction),
    WITH_ALGORITHM = WINDOWED | KIND(eltwise) | KIND(lrn) | KIND(softmax) | KIND(binary) | KIND(reduction)
                     | KIND(resampling),
};

static bool is_kind(const struct plan *plan, unsigned kinds) {
    return kinds >> plan->problem.kind & 1;
}

/* Parameters stored in the problem. */

enum form { WORD, LONG, ARRAY }; /* 4 bytes, 8 bytes, the address of an array */

static const struct parameter {
    dnnl_query_t what;
    unsigned kinds;
    enum form form;
    size_t offset;
} parameters[] = {
#define PARAMETER(what, kinds, form, member)                                                                 \
    {dnnl_query_##what, kinds, form, offsetof(struct problem, member)}
        PARAMETER(primitive_kind, ALL, WORD, kind),
        PARAMETER(prop_kind, ~DIRECTIONLESS, WORD, prop),
        PARAMETER(strides, WINDOWED, ARRAY, strides),
        PARAMETER(dilations, WINDOWED, ARRAY, dilates),
        PARAMETER(padding_l, WINDOWED, ARRAY, padding_l),
        PARAMETER(padding_r, WINDOWED, ARRAY, padding_r),
        PARAMETER(kernel, KIND(pooling), ARRAY, kernel),
        PARAMETER(epsilon_f32, NORMALIZATIONS, WORD, epsilon),
        PARAMETER(epsilon_f32, KIND(reduction), WORD, beta),
        PARAMETER(p_f32, KIND(reduction), WORD, alpha),
        PARAMETER(flags, NORMALIZATIONS, WORD, flags),
        PARAMETER(alg_kind, WITH_ALGORITHM, WORD, alg),
        PARAMETER(alpha_f32, KIND(eltwise) | KIND(lrn) | KIND(rnn), WORD, alpha),
        PARAMETER(beta_f32, KIND(eltwise) | KIND(lrn), WORD, beta),
        PARAMETER(axis_s32, KIND(softmax) | KIND(shuffle), WORD, axis),
        PARAMETER(local_size_s64, KIND(lrn), LONG, local_size),
        PARAMETER(k_f32, KIND(lrn), WORD, k),
        PARAMETER(factors, KIND(resampling), ARRAY, factors),
        PARAMETER(cell_kind, KIND(rnn), WORD, cell_kind),
        PARAMETER(direction, KIND(rnn), WORD, direction),
        PARAMETER(activation_kind, KIND(rnn), WORD, activation_kind),
        PARAMETER(group_size_s64, KIND(group_normalization) | KIND(shuffle), LONG, group_size),
#undef PARAMETER
};

static const struct parameter *find_parameter(const struct plan *plan, dnnl_query_t what) {
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
        if (parameters[i].what == what && is_kind(plan, parameters[i].kinds)) return &parameters[i];
    return NULL;
}

static void copy_parameter(const struct plan *plan, const struct parameter *parameter, void *result) {
    const char *member = (const char *)&plan->problem + parameter->offset;
    switch (parameter->form) {
    case WORD: memcpy(result, member, 4); break;
    case LONG: memcpy(result, member, 8); break;
    case ARRAY: *(const void **)result = member; break;
    }
}

/* Descriptors. A tensor that a primitive does not have is described by zeros, not by NULL. */

static const md_t no_tensor;

/* Which execution argument the index-th descriptor of a query is. Rows of a kind come before those of all
 * kinds. `only` narrows a row to inputs, outputs or forward passes. */
enum { INPUT = 1, OUTPUT = 2, FORWARD = 4, EITHER = INPUT | OUTPUT };
static const struct place {
    unsigned kinds;
    dnnl_query_t what;
    int index, arg, otherwise, only;
} places[] = {
        {NORMALIZATIONS, dnnl_query_src_md, 1, DNNL_ARG_MEAN, 0, INPUT},
        {NORMALIZATIONS, dnnl_query_src_md, 2, DNNL_ARG_VARIANCE, 0, INPUT},
        {NORMALIZATIONS, dnnl_query_dst_md, 1, DNNL_ARG_MEAN, 0, OUTPUT},
        {NORMALIZATIONS, dnnl_query_dst_md, 2, DNNL_ARG_VARIANCE, 0, OUTPUT},
        {NORMALIZATIONS, dnnl_query_weights_md, 0, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, INPUT},
        {NORMALIZATIONS, dnnl_query_weights_md, 1, DNNL_ARG_SHIFT, DNNL_ARG_SCALE, INPUT | FORWARD},
        {NORMALIZATIONS, dnnl_query_diff_weights_md, 0, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT, OUTPUT},
        {NORMALIZATIONS, dnnl_query_diff_weights_md, 1, DNNL_ARG_DIFF_SHIFT, DNNL_ARG_DIFF_SCALE, OUTPUT},
        {ALL, dnnl_query_src_md, 0, DNNL_ARG_SRC_0, 0, EITHER},
        {ALL, dnnl_query_src_md, 1, DNNL_ARG_SRC_1, 0, EITHER},
        {ALL, dnnl_query_src_md, 2, DNNL_ARG_SRC_2, 0, EITHER},
        {ALL, dnnl_query_diff_src_md, 0, DNNL_ARG_DIFF_SRC_0, 0, EITHER},
        {ALL, dnnl_query_diff_src_md, 1, DNNL_ARG_DIFF_SRC_1, 0, EITHER},
        {ALL, dnnl_query_diff_src_md, 2, DNNL_ARG_DIFF_SRC_2, 0, EITHER},
        {ALL, dnnl_query_weights_md, 0, DNNL_ARG_WEIGHTS_0, 0, EITHER},
        {ALL, dnnl_query_weights_md, 1, DNNL_ARG_BIAS, 0, EITHER},
        {ALL, dnnl_query_diff_weights_md, 0, DNNL_ARG_DIFF_WEIGHTS_0, 0, EITHER},
        {ALL, dnnl_query_diff_weights_md, 1, DNNL_ARG_DIFF_BIAS, 0, EITHER},
        {ALL, dnnl_query_dst_md, 0, DNNL_ARG_DST_0, 0, EITHER},
        {ALL, dnnl_query_dst_md, 1, DNNL_ARG_DST_1, 0, EITHER},
        {ALL, dnnl_query_dst_md, 2, DNNL_ARG_DST_2, 0, EITHER},
        {ALL, dnnl_query_diff_dst_md, 0, DNNL_ARG_DIFF_DST_0, 0, EITHER},
        {ALL, dnnl_query_diff_dst_md, 1, DNNL_ARG_DIFF_DST_1, 0, EITHER},
        {ALL, dnnl_query_diff_dst_md, 2, DNNL_ARG_DIFF_DST_2, 0, EITHER},
};

static const md_t *tensor_md(const struct plan *plan, int arg, int only) {
    for (int i = 0; i < plan->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &plan->problem.tensors[i];
        bool wanted = only & (tensor->output ? OUTPUT : INPUT);
        if (tensor->arg == arg && wanted && !tensor->hint) return &tensor->md;
    }
    return NULL;
}

static bool is_forward(const struct plan *plan) {
    return plan->problem.prop == dnnl_forward_training || plan->problem.prop == dnnl_forward_inference;
}

/* RNN weights are numbered without gaps: layer and iteration, then those of the others that exist. */
static const md_t *rnn_weights(const struct plan *plan, int index, bool diff) {
    static const int args[][5] = {
            {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_WEIGHTS_PEEPHOLE,
             DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_BIAS},
            {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE,
             DNNL_ARG_DIFF_WEIGHTS_PROJECTION, DNNL_ARG_DIFF_BIAS},
    };
    for (int i = 0, seen = 0; i < 5 && index >= 0; i++) {
        const md_t *md = tensor_md(plan, args[diff][i], EITHER);
        if (md && seen++ == index) return md;
    }
    return NULL;
}

static const md_t *placed_md(const struct plan *plan, dnnl_query_t what, int index) {
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const struct place *place = &places[i];
        if (place->what != what || place->index != index || !is_kind(plan, place->kinds)) continue;
        if ((place->only & FORWARD) && !is_forward(plan)) return NULL;
        const md_t *md = tensor_md(plan, place->arg, place->only);
        return md || !place->otherwise ? md : tensor_md(plan, place->otherwise, place->only);
    }
    return NULL;
}

static const md_t *role_md(const struct plan *plan, dnnl_query_t what, int index) {
    bool several = is_kind(plan, KIND(sum) | KIND(concat)) && what == dnnl_query_src_md && index >= 0;
    bool weights = what == dnnl_query_weights_md || what == dnnl_query_diff_weights_md;
    if (several) return tensor_md(plan, DNNL_ARG_MULTIPLE_SRC + index, EITHER);
    if (is_kind(plan, KIND(rnn)) && weights)
        return rnn_weights(plan, index, what == dnnl_query_diff_weights_md);
    return placed_md(plan, what, index);
}

static const md_t *exec_arg_md(const struct plan *plan, int arg) {
    return arg == DNNL_ARG_SCRATCHPAD ? &plan->scratchpad_md : tensor_md(plan, arg, EITHER);
}

static dnnl_status_t query_md(const struct plan *plan, dnnl_query_t what, int index, const md_t **result) {
    const md_t *md;
    switch (what) {
    case dnnl_query_src_md:
    case dnnl_query_diff_src_md:
    case dnnl_query_weights_md:
    case dnnl_query_diff_weights_md:
    case dnnl_query_dst_md:
    case dnnl_query_diff_dst_md: md = role_md(plan, what, index); break;
    case dnnl_query_exec_arg_md: md = exec_arg_md(plan, index); break;
    case dnnl_query_workspace_md:
    case dnnl_query_scratchpad_md:
        if (index != 0) return fail(dnnl_invalid_arguments, "primitive", "bad param: index %d", index);
        md = exec_arg_md(plan, what == dnnl_query_workspace_md ? DNNL_ARG_WORKSPACE : DNNL_ARG_SCRATCHPAD);
        break;
    default: return dnnl_unimplemented;
    }
    *result = md ? md : &no_tensor;
    return dnnl_success;
}

/* Counts. Quantisation parameters and dropout are not counted, operands of post-ops are. */

static bool is_own(int arg) {
    bool attribute = arg >= DNNL_ARG_ATTR_DROPOUT_OFFSET && arg < DNNL_ARG_MULTIPLE_SRC;
    return !attribute && arg < DNNL_ARG_ATTR_SCALES;
}

static int count_tensors(const struct plan *plan, bool output) {
    int count = 0;
    for (int i = 0; i < plan->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &plan->problem.tensors[i];
        count += tensor->output == output && is_own(tensor->arg) && !tensor->hint;
    }
    return count;
}

static int post_op_operands(const struct post_op *op) {
    switch (op->kind) {
    case dnnl_binary: return op->binary.alg == dnnl_binary_select ? 2 : 1;
    case dnnl_prelu: return 1;
    case dnnl_convolution: return op->depthwise.bias_type == dnnl_data_type_undef ? 1 : 2;
    default: return 0;
    }
}

static int count_inputs(const struct plan *plan) {
    int count = count_tensors(plan, false);
    for (int i = 0; i < plan->attr.post_ops.len; i++)
        count += post_op_operands(&plan->attr.post_ops.entries[i]);
    return count;
}

/* All queries. */

static dnnl_status_t query_engine(const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result) {
    bool reorder = is_kind(pd->plan, KIND(reorder));
    if (!reorder && (what == dnnl_query_reorder_src_engine || what == dnnl_query_reorder_dst_engine))
        return dnnl_unimplemented;
    struct dnnl_engine *engine = what == dnnl_query_reorder_src_engine   ? pd->src_engine
                                 : what == dnnl_query_reorder_dst_engine ? pd->dst_engine
                                                                         : pd->engine;
    *(dnnl_engine_t *)result = engine;
    return dnnl_success;
}

static dnnl_status_t query_blob_id(struct plan *plan, dnnl_query_t what, void *result) {
    const uint8_t *id;
    size_t size;
    TRY(plan_blob_id(plan, &id, &size));
    if (what == dnnl_query_cache_blob_id)
        *(const uint8_t **)result = id;
    else
        *(int64_t *)result = (int64_t)size;
    return dnnl_success;
}

static dnnl_status_t query(const struct dnnl_primitive_desc *pd, dnnl_query_t what, int index, void *result) {
    const struct plan *plan = pd->plan;
    const struct parameter *parameter = find_parameter(plan, what);
    if (parameter) {
        copy_parameter(plan, parameter, result);
        return dnnl_success;
    }
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine:
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine: return query_engine(pd, what, result);
    case dnnl_query_num_of_inputs_s32: *(int *)result = count_inputs(plan); return dnnl_success;
    case dnnl_query_num_of_outputs_s32: *(int *)result = count_tensors(plan, true); return dnnl_success;
    case dnnl_query_memory_consumption_s64: {
        bool ours = plan->attr.scratchpad_mode == dnnl_scratchpad_mode_library;
        *(int64_t *)result = ours ? (int64_t)plan->program->scratchpad_size : 0;
        return dnnl_success;
    }
    case dnnl_query_impl_info_str: *(const char **)result = plan->implementation->name; return dnnl_success;
    case dnnl_query_cache_blob_id_size_s64:
    case dnnl_query_cache_blob_id: return query_blob_id(pd->plan, what, result);
    default: return query_md(plan, what, index, result);
    }
}

dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index,
                                        void *result) {
    if (!pd || !result) return fail_null("primitive");
    return query(pd, what, index, result);
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t pd, dnnl_query_t what,
                                                      int index) {
    const md_t *md = NULL;
    if (!pd || query_md(pd->plan, what, index, &md) != dnnl_success) return NULL;
    return md;
}

int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index) {
    int value = 0;
    /* As in oneDNN, this function does not return the parameters of a primitive. */
    bool number = what == dnnl_query_num_of_inputs_s32 || what == dnnl_query_num_of_outputs_s32;
    if (!pd || !number || query(pd, what, index, &value) != dnnl_success) return 0;
    return value;
}

dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t pd,
                                           const_dnnl_primitive_attr_t *attr) {
    if (!pd || !attr) return fail_null("primitive");
    *attr = &pd->plan->attr;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t *pd, const_dnnl_primitive_desc_t existing) {
    if (!pd || !existing) return fail_null("primitive");
    struct dnnl_primitive_desc *copy = malloc(sizeof(*copy));
    if (!copy) return fail(dnnl_out_of_memory, "primitive", "no memory for the descriptor");
    primitive_desc_copy(copy, existing);
    *pd = copy;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t pd) {
    if (pd) primitive_desc_clear(pd);
    free(pd);
    return dnnl_success;
}

/* As in oneDNN, the implementation of a reorder is chosen for good. Tests step through all of them. */
static bool is_final(const struct plan *plan) {
    return plan->problem.kind == dnnl_reorder && !getenv("LODE_TEST_ALL_REORDERS");
}

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t pd) {
    if (!pd) return fail_null("primitive");
    struct plan *old = pd->plan, *next;
    if (is_final(old)) return dnnl_last_impl_reached;
    struct plan_request request = plan_request_of(old);
    request.first = old->index + 1;
    dnnl_status_t status = plan_get(&next, &request, &pd->hit);
    if (status == dnnl_unimplemented) return dnnl_last_impl_reached;
    if (status != dnnl_success) return status;
    pd->plan = next;
    plan_release(old);
    return dnnl_success;
}
