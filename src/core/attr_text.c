/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes in verbose lines. Order, names and separators are oneDNN's, because its tools parse them.
 */
#include "core/attr.h"

#include "base/writer.h"
#include "oneapi/dnnl/dnnl_debug.h"

/* Writes a separating blank and the name of the part. */
static void put_part(struct writer *writer, const char *name) {
    put(writer, "%sattr-%s:", writer->length ? " " : "", name);
}

static void put_arg(struct writer *writer, int arg) {
    static const struct {
        int arg;
        const char *name;
    } names[] = {
            {DNNL_ARG_SRC, "src0"},
            {DNNL_ARG_SRC_1, "src1"},
            {DNNL_ARG_SRC_2, "src2"},
            {DNNL_ARG_DST, "dst"},
            {DNNL_ARG_WEIGHTS_0, "wei"},
            {DNNL_ARG_WEIGHTS_1, "wei"},
            {DNNL_ARG_WEIGHTS_2, "wei"},
            {DNNL_ARG_DIFF_SRC, "diff_src"},
            {DNNL_ARG_DIFF_WEIGHTS, "diff_wei"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC, "attr_post_op_dw_src"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, "attr_post_op_dw_wei"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST, "attr_post_op_dw_dst"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].arg == arg) {
            put(writer, "%s", names[i].name);
            return;
        }
    put(writer, "msrc%d", arg - DNNL_ARG_MULTIPLE_SRC);
}

static void put_quants(struct writer *writer, const char *name, const struct quants *quants) {
    for (int i = 0; i < quants->count; i++) {
        const struct quant *quant = &quants->entries[i];
        if (i == 0)
            put_part(writer, name);
        else
            put(writer, "+");
        put_arg(writer, quant->arg);
        put(writer, ":%d:%s", quant->mask, dnnl_dt2str(quant->data_type));
        for (int d = 0; d < quant->group_ndims; d++)
            put(writer, "%c%lld", d ? 'x' : ':', (long long)quant->groups[d]);
        if (quant->host_scalar) put(writer, ":host_scalar");
        if (quant_is_dynamic(quant)) put(writer, ":%s", dnnl_quantization_mode2str(quant->mode));
    }
}

static void put_roundings(struct writer *writer, const attr_t *attr) {
    bool first = true;
    for (int i = 0; i < ATTR_ROUNDINGS; i++) {
        dnnl_rounding_mode_t mode = attr->rounding[i];
        if (mode == dnnl_rounding_mode_environment) continue;
        if (first)
            put_part(writer, "rounding-mode");
        else
            put(writer, "+");
        put_arg(writer, attr_rounding_args[i]);
        put(writer, ":%s", dnnl_rounding_mode2str(mode));
        first = false;
    }
}

static void put_sum(struct writer *writer, const struct post_op *op) {
    bool type = op->sum.data_type != dnnl_data_type_undef, zero_point = op->sum.zero_point != 0 || type;
    put(writer, "sum");
    if (op->sum.scale != 1 || zero_point) put(writer, ":%g", (double)op->sum.scale);
    if (zero_point) put(writer, ":%d", op->sum.zero_point);
    if (type) put(writer, ":%s", dnnl_dt2str(op->sum.data_type));
}

static void put_eltwise(struct writer *writer, const struct post_op *op) {
    put(writer, "%s", dnnl_alg_kind2str(op->eltwise.alg));
    if (op->eltwise.alpha != 0 || op->eltwise.beta != 0) put(writer, ":%g", (double)op->eltwise.alpha);
    if (op->eltwise.beta != 0) put(writer, ":%g", (double)op->eltwise.beta);
}

static void put_binary(struct writer *writer, const struct post_op *op) {
    const md_t *md = &op->binary.src1;
    int mask = md_extent_mask(md);
    put(writer, "%s:%s:%d", dnnl_alg_kind2str(op->binary.alg), dnnl_dt2str(md->data_type), mask);
    if ((mask & (mask - 1)) == 0) return; /* at most one dimension: the layout adds nothing */
    put(writer, ":");
    if (md_is_any(md)) {
        put(writer, "any");
        return;
    }
    writer->length += md_tag_to_string(md, writer_end(writer), writer_room(writer));
    char strides[128];
    if (md_strides_to_string(md, strides, sizeof(strides)) > 0) put(writer, ":%s", strides);
}

static void put_depthwise(struct writer *writer, const struct post_op *op) {
    put(writer, "dw:k%llds%lldp%lld", (long long)op->depthwise.kernel, (long long)op->depthwise.stride,
        (long long)op->depthwise.padding);
    if (op->depthwise.dst_type != dnnl_f32) put(writer, ":%s", dnnl_dt2str(op->depthwise.dst_type));
}

static void put_post_op(struct writer *writer, const struct post_op *op) {
    switch (op->kind) {
    case dnnl_sum: put_sum(writer, op); break;
    case dnnl_eltwise: put_eltwise(writer, op); break;
    case dnnl_binary: put_binary(writer, op); break;
    case dnnl_prelu: put(writer, "prelu:%d", op->prelu.mask); break;
    default: put_depthwise(writer, op); break;
    }
}

static void put_post_ops(struct writer *writer, const struct dnnl_post_ops *ops) {
    for (int i = 0; i < ops->len; i++) {
        if (i == 0)
            put_part(writer, "post-ops");
        else
            put(writer, "+");
        put_post_op(writer, &ops->entries[i]);
    }
}

static void put_dropout(struct writer *writer, const struct dropout *dropout) {
    if (!dropout->enabled) return;
    char tag[64] = "undef";
    if (md_is_any(&dropout->mask))
        snprintf(tag, sizeof(tag), "any");
    else if (!md_is_zero(&dropout->mask))
        md_tag_to_string(&dropout->mask, tag, sizeof(tag));
    put_part(writer, "dropout");
    put(writer, "%s:%s:%d:%d", tag, dnnl_dt2str(dropout->seed_type), dropout->use_offset,
        dropout->use_host_scalars);
}

int attr_to_string(const attr_t *attr, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    put(&writer, "%s", "");
    if (attr->scratchpad_mode != dnnl_scratchpad_mode_library) {
        put_part(&writer, "scratchpad");
        put(&writer, "%s", dnnl_scratchpad_mode2str(attr->scratchpad_mode));
    }
    if (attr->fpmath_mode != dnnl_fpmath_mode_strict || attr->fpmath_apply_to_int) {
        put_part(&writer, "fpmath");
        put(&writer, "%s%s", dnnl_fpmath_mode2str(attr->fpmath_mode),
            attr->fpmath_apply_to_int ? ":true" : "");
    }
    if (attr->accumulation_mode != dnnl_accumulation_mode_strict) {
        put_part(&writer, "acc-mode");
        put(&writer, "%s", dnnl_accumulation_mode2str(attr->accumulation_mode));
    }
    put_roundings(&writer, attr);
    if (attr->deterministic) {
        put_part(&writer, "deterministic");
        put(&writer, "1");
    }
    put_quants(&writer, "scales", &attr->scales);
    put_quants(&writer, "zero-points", &attr->zero_points);
    put_quants(&writer, "precomputed-reductions", &attr->precomputed_reductions);
    put_post_ops(&writer, &attr->post_ops);
    if (attr->rnn.scale != 1 || attr->rnn.shift != 0)
        put(&writer, "%srnn_data_qparams:%g:%g;", writer.length ? " " : "", (double)attr->rnn.scale,
            (double)attr->rnn.shift);
    put_dropout(&writer, &attr->dropout);
    return writer.length;
}
