/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems in verbose lines: the tensors of a line and their order, the auxiliary field and the shape, as
 * tables by kind of primitive. The format is oneDNN's, because its tools parse the lines.
 */
#include "core/problem.h"

#include "base/writer.h"
#include "oneapi/dnnl/dnnl_debug.h"

/* Tensors. A row is printed with the first of its arguments that the problem has: backward passes print their
 * differentials in place of the forward tensors. */

struct label {
    const char *name;
    int arg, otherwise;
    bool always; /* an absent tensor is printed as "undef" */
    bool mask;   /* followed by the dimensions that are not broadcast */
};

static const struct label window_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC, .otherwise = DNNL_ARG_DIFF_SRC},
        {.name = "wei", .arg = DNNL_ARG_WEIGHTS, .otherwise = DNNL_ARG_DIFF_WEIGHTS},
        {.name = "bia", .arg = DNNL_ARG_BIAS, .otherwise = DNNL_ARG_DIFF_BIAS, .always = true},
        {.name = "dst", .arg = DNNL_ARG_DST, .otherwise = DNNL_ARG_DIFF_DST},
        {0},
};
static const struct label data_labels[] = {
        {.name = "data", .arg = DNNL_ARG_SRC, .otherwise = DNNL_ARG_DST},
        {.name = "diff", .arg = DNNL_ARG_DIFF_SRC},
        {0},
};
static const struct label shuffle_labels[] = {
        {.name = "data", .arg = DNNL_ARG_SRC, .otherwise = DNNL_ARG_DIFF_SRC},
        {0},
};
static const struct label prelu_labels[] = {
        {.name = "data", .arg = DNNL_ARG_SRC},
        {.name = "wei", .arg = DNNL_ARG_WEIGHTS},
        {.name = "diff", .arg = DNNL_ARG_DIFF_SRC},
        {.name = "diff_wei", .arg = DNNL_ARG_DIFF_WEIGHTS},
        {0},
};
static const struct label src_dst_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC, .otherwise = DNNL_ARG_DIFF_SRC},
        {.name = "dst", .arg = DNNL_ARG_DST, .otherwise = DNNL_ARG_DIFF_DST},
        {.name = "ws", .arg = DNNL_ARG_WORKSPACE},
        {0},
};
static const struct label softmax_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC, .otherwise = DNNL_ARG_DIFF_SRC},
        {.name = "dst", .arg = DNNL_ARG_DST},
        {.name = "diff_dst", .arg = DNNL_ARG_DIFF_DST},
        {0},
};
static const struct label group_norm_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC},
        {.name = "dst", .arg = DNNL_ARG_DST, .otherwise = DNNL_ARG_DIFF_DST},
        {.name = "diff_src", .arg = DNNL_ARG_DIFF_SRC},
        {0},
};
static const struct label layer_norm_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC},
        {.name = "dst", .arg = DNNL_ARG_DST, .otherwise = DNNL_ARG_DIFF_DST},
        {.name = "stats", .arg = DNNL_ARG_MEAN, .otherwise = DNNL_ARG_VARIANCE, .always = true},
        {.name = "scale", .arg = DNNL_ARG_SCALE},
        {.name = "shift", .arg = DNNL_ARG_SHIFT, .otherwise = DNNL_ARG_DIFF_SHIFT},
        {.name = "diff_src", .arg = DNNL_ARG_DIFF_SRC},
        {.name = "diff_scale", .arg = DNNL_ARG_DIFF_SCALE},
        {.name = "diff_shift", .arg = DNNL_ARG_DIFF_SHIFT},
        {0},
};
static const struct label matmul_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC},
        {.name = "wei", .arg = DNNL_ARG_WEIGHTS},
        {.name = "bia", .arg = DNNL_ARG_BIAS, .mask = true},
        {.name = "dst", .arg = DNNL_ARG_DST},
        {0},
};
static const struct label binary_labels[] = {
        {.name = "src", .arg = DNNL_ARG_SRC_0},
        {.name = "src", .arg = DNNL_ARG_SRC_1},
        {.name = "src", .arg = DNNL_ARG_SRC_2},
        {.name = "dst", .arg = DNNL_ARG_DST},
        {0},
};
static const struct label rnn_labels[] = {
        {.name = "src_layer", .arg = DNNL_ARG_SRC_LAYER},
        {.name = "src_iter", .arg = DNNL_ARG_SRC_ITER},
        {.name = "wei_layer", .arg = DNNL_ARG_WEIGHTS_LAYER},
        {.name = "wei_iter", .arg = DNNL_ARG_WEIGHTS_ITER},
        {.name = "wei_peephole", .arg = DNNL_ARG_WEIGHTS_PEEPHOLE},
        {.name = "wei_proj", .arg = DNNL_ARG_WEIGHTS_PROJECTION},
        {.name = "bias", .arg = DNNL_ARG_BIAS},
        {.name = "dst_layer", .arg = DNNL_ARG_DST_LAYER},
        {.name = "dst_iter", .arg = DNNL_ARG_DST_ITER},
        {.name = "diff_src_layer", .arg = DNNL_ARG_DIFF_SRC_LAYER},
        {.name = "diff_src_iter", .arg = DNNL_ARG_DIFF_SRC_ITER},
        {.name = "diff_wei_layer", .arg = DNNL_ARG_DIFF_WEIGHTS_LAYER},
        {.name = "diff_wei_iter", .arg = DNNL_ARG_DIFF_WEIGHTS_ITER},
        {.name = "diff_wei_peephole", .arg = DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE},
        {.name = "diff_wei_proj", .arg = DNNL_ARG_DIFF_WEIGHTS_PROJECTION},
        {.name = "diff_bias", .arg = DNNL_ARG_DIFF_BIAS},
        {.name = "diff_dst_layer", .arg = DNNL_ARG_DIFF_DST_LAYER},
        {.name = "diff_dst_iter", .arg = DNNL_ARG_DIFF_DST_ITER},
        {0},
};

static const struct label *labels_of(dnnl_primitive_kind_t kind) {
    switch (kind) {
    case dnnl_convolution:
    case dnnl_deconvolution:
    case dnnl_inner_product: return window_labels;
    case dnnl_eltwise:
    case dnnl_lrn:
    case dnnl_batch_normalization: return data_labels;
    case dnnl_shuffle: return shuffle_labels;
    case dnnl_prelu: return prelu_labels;
    case dnnl_softmax: return softmax_labels;
    case dnnl_group_normalization: return group_norm_labels;
    case dnnl_layer_normalization: return layer_norm_labels;
    case dnnl_matmul: return matmul_labels;
    case dnnl_binary: return binary_labels;
    case dnnl_rnn: return rnn_labels;
    default: return src_dst_labels;
    }
}

static void put_md(struct writer *writer, const char *name, const md_t *md, bool was_any) {
    put(writer, "%s%s:", writer->length ? " " : "", name);
    writer->length += md_to_string(md, was_any, writer_end(writer), writer_room(writer));
}

static void put_tensor(struct writer *writer, const struct problem *problem, const struct problem *request,
                       const char *name, int arg) {
    const md_t *asked = problem_md(request, arg);
    put_md(writer, name, problem_md(problem, arg), asked && md_is_any(asked));
}

static void put_label(struct writer *writer, const struct problem *problem, const struct problem *request,
                      const struct label *label) {
    int arg = problem_md(problem, label->arg) ? label->arg : label->otherwise;
    const md_t *md = arg ? problem_md(problem, arg) : NULL;
    if (md) {
        put_tensor(writer, problem, request, label->name, arg);
        if (label->mask) put(writer, "_mask%d", md_extent_mask(md));
    } else if (label->always) {
        put_md(writer, label->name, NULL, false);
    }
}

static void put_sources(struct writer *writer, const struct problem *problem, const struct problem *request) {
    for (int i = 0; problem_md(problem, DNNL_ARG_MULTIPLE_SRC + i); i++)
        put_tensor(writer, problem, request, "src", DNNL_ARG_MULTIPLE_SRC + i);
}

int problem_tensors_to_string(const struct problem *problem, const struct problem *request, char *text,
                              size_t size) {
    struct writer writer = {text, size, 0};
    put(&writer, "%s", "");
    put_sources(&writer, problem, request);
    for (const struct label *label = labels_of(problem->kind); label->name; label++)
        put_label(&writer, problem, request, label);
    return writer.length;
}

/* The auxiliary field. */

static void put_norm_flags(struct writer *writer, unsigned flags) {
    put(writer, "flags:%s%s%s%s%s%s", flags & dnnl_use_global_stats ? "G" : "",
        flags & dnnl_use_scale ? "C" : "", flags & dnnl_use_shift ? "H" : "",
        flags & dnnl_fuse_norm_relu ? "R" : "", flags & dnnl_fuse_norm_add_relu ? "A" : "",
        flags & dnnl_rms_norm ? "M" : "");
}

static int runtime_mask(const md_t *md) {
    int mask = 0;
    for (int d = 0; md && d < md->ndims; d++)
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL) mask |= 1 << d;
    return mask;
}

static void put_runtime_masks(struct writer *writer, const struct problem *problem) {
    int src = runtime_mask(problem_md(problem, DNNL_ARG_SRC));
    int weights = runtime_mask(problem_md(problem, DNNL_ARG_WEIGHTS));
    if (src || weights) put(writer, "runtime_dims_masks:%d:%d", src, weights);
}

static void put_rnn(struct writer *writer, const struct problem *problem) {
    put(writer, "alg:%s direction:%s activation:%s flags:%s", dnnl_alg_kind2str(problem->cell_kind),
        dnnl_rnn_direction2str(problem->direction), dnnl_alg_kind2str(problem->activation_kind),
        problem->flags & dnnl_rnn_flags_diff_weights_overwrite ? "O" : "");
}

int problem_aux_to_string(const struct problem *problem, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    const char *alg = dnnl_alg_kind2str(problem->alg);
    put(&writer, "%s", "");
    switch (problem->kind) {
    case dnnl_eltwise:
        put(&writer, "alg:%s alpha:%g beta:%g", alg, (double)problem->alpha, (double)problem->beta);
        break;
    case dnnl_reduction:
        put(&writer, "alg:%s p:%g eps:%g", alg, (double)problem->alpha, (double)problem->beta);
        break;
    case dnnl_softmax: put(&writer, "alg:%s axis:%d", alg, problem->axis); break;
    case dnnl_shuffle:
        put(&writer, "axis:%d group:%lld", problem->axis, (long long)problem->group_size);
        break;
    case dnnl_concat: put(&writer, "axis:%d", problem->axis); break;
    case dnnl_batch_normalization:
    case dnnl_group_normalization:
    case dnnl_layer_normalization: put_norm_flags(&writer, problem->flags); break;
    case dnnl_matmul: put_runtime_masks(&writer, problem); break;
    case dnnl_rnn: put_rnn(&writer, problem); break;
    default:
        if (problem->alg != dnnl_alg_kind_undef) put(&writer, "alg:%s", alg);
    }
    return writer.length;
}

/* The shape. */

static const md_t *first_md(const struct problem *problem, int arg, int otherwise) {
    const md_t *md = problem_md(problem, arg);
    return md ? md : problem_md(problem, otherwise);
}

static void put_dims(struct writer *writer, const md_t *md) {
    if (md) writer->length += md_dims_to_string(md, writer_end(writer), writer_room(writer));
}

/* "id3ih4iw5": the spatial dimensions of a tensor, from the third on. */
static void put_spatial(struct writer *writer, const md_t *md) {
    static const char letters[] = "dhw";
    for (int d = 2; md && d < md->ndims; d++)
        put(writer, "i%c%lld", letters[3 - md->ndims + d], (long long)md->dims[d]);
}

static void put_batch_and_channels(struct writer *writer, const md_t *md) {
    if (md) put(writer, "mb%lldic%lld", (long long)md->dims[0], (long long)md->dims[1]);
}

/* "_ih7oh4kh3sh2dh0ph1": one spatial dimension of a window; `kernel` is NULL if there is none. */
static void put_window(struct writer *writer, const struct problem *problem, const md_t *src, const md_t *dst,
                       const dnnl_dim_t *kernel, int d) {
    char c = "dhw"[5 - src->ndims + d];
    put(writer, "_i%c%lldo%c%lld", c, (long long)src->dims[d + 2], c, (long long)dst->dims[d + 2]);
    if (!kernel) return;
    put(writer, "k%c%llds%c%lldd%c%lldp%c%lld", c, (long long)kernel[d], c, (long long)problem->strides[d], c,
        (long long)problem->dilates[d], c, (long long)problem->padding_l[d]);
}

static void put_windows(struct writer *writer, const struct problem *problem, const dnnl_dim_t *kernel) {
    const md_t *src = first_md(problem, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    const md_t *dst = first_md(problem, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
    for (int d = 0; src && dst && d < src->ndims - 2; d++)
        put_window(writer, problem, src, dst, kernel, d);
}

static void put_convolution(struct writer *writer, const struct problem *problem) {
    const md_t *src = first_md(problem, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    const md_t *dst = first_md(problem, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
    const md_t *weights = first_md(problem, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS);
    if (!src || !dst || !weights) return;
    bool groups = weights->ndims > src->ndims;
    if (groups) put(writer, "g%lld", (long long)weights->dims[0]);
    put(writer, "mb%lld_ic%lldoc%lld", (long long)src->dims[0], (long long)src->dims[1],
        (long long)dst->dims[1]);
    put_windows(writer, problem, &weights->dims[groups ? 3 : 2]);
}

static void put_inner_product(struct writer *writer, const struct problem *problem) {
    const md_t *src = first_md(problem, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    const md_t *dst = first_md(problem, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
    if (!src || !dst) return;
    put_batch_and_channels(writer, src);
    put_spatial(writer, src);
    put(writer, "oc%lld", (long long)dst->dims[1]);
}

static void put_rnn_shape(struct writer *writer, const struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC_LAYER);
    const md_t *layer = problem_md(problem, DNNL_ARG_WEIGHTS_LAYER);
    const md_t *iter = problem_md(problem, DNNL_ARG_WEIGHTS_ITER);
    const md_t *projection = problem_md(problem, DNNL_ARG_WEIGHTS_PROJECTION);
    if (!src || !layer || !iter) return;
    put(writer, "l%lldt%lldmb%lldsic%lldslc%llddhc%llddic%lld", (long long)layer->dims[0],
        (long long)src->dims[0], (long long)src->dims[1], (long long)iter->dims[2], (long long)layer->dims[2],
        (long long)layer->dims[4], (long long)(projection ? projection->dims[3] : layer->dims[4]));
}

/* Shapes of several tensors with colons between. */
static void put_shapes(struct writer *writer, const struct problem *problem, int count, const int *args) {
    for (int i = 0; i < count; i++) {
        const md_t *md = problem_md(problem, args[i]);
        if (md && i > 0) put(writer, ":");
        put_dims(writer, md);
    }
}

static void put_source_shapes(struct writer *writer, const struct problem *problem) {
    const md_t *md;
    for (int i = 0; (md = problem_md(problem, DNNL_ARG_MULTIPLE_SRC + i)); i++) {
        if (i > 0) put(writer, ":");
        put_dims(writer, md);
    }
}

int problem_shape_to_string(const struct problem *problem, char *text, size_t size) {
    struct writer writer = {text, size, 0};
    const md_t *src = first_md(problem, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    put(&writer, "%s", "");
    switch (problem->kind) {
    case dnnl_convolution:
    case dnnl_deconvolution: put_convolution(&writer, problem); break;
    case dnnl_inner_product: put_inner_product(&writer, problem); break;
    case dnnl_pooling:
        put_batch_and_channels(&writer, src);
        put_windows(&writer, problem, problem->kernel);
        break;
    case dnnl_resampling:
        put_batch_and_channels(&writer, src);
        put_windows(&writer, problem, NULL);
        break;
    case dnnl_lrn:
        put_batch_and_channels(&writer, src);
        put_spatial(&writer, src);
        put(&writer, "ls%lldbeta%g", (long long)problem->local_size, (double)problem->beta);
        break;
    case dnnl_group_normalization: put(&writer, "g%lld", (long long)problem->group_size); /* fall through */
    case dnnl_batch_normalization:
        put_batch_and_channels(&writer, src);
        put_spatial(&writer, src);
        break;
    case dnnl_matmul:
    case dnnl_prelu: put_shapes(&writer, problem, 2, (const int[]){DNNL_ARG_SRC, DNNL_ARG_WEIGHTS}); break;
    case dnnl_reduction: put_shapes(&writer, problem, 2, (const int[]){DNNL_ARG_SRC, DNNL_ARG_DST}); break;
    case dnnl_binary:
        put_shapes(&writer, problem, 3, (const int[]){DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2});
        break;
    case dnnl_concat: put_source_shapes(&writer, problem); break;
    case dnnl_sum: put_dims(&writer, problem_md(problem, DNNL_ARG_DST)); break;
    case dnnl_rnn: put_rnn_shape(&writer, problem); break;
    default: put_dims(&writer, src);
    }
    return writer.length;
}
