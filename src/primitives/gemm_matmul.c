/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul for the matrix-product kernels: rows of src are columns of the kernel, and batch dimensions are
 * merged where possible. Operands in layouts that the kernels do not read are copied first.
 */
#include "primitives/apart.h"
#include "primitives/gemm.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "base/verbose.h"

#include <stdio.h>

static dnnl_dim_t batch_stride(const md_t *md, int d) {
    return md->dims[d] == 1 ? 0 : md->blocking.strides[d];
}

static bool follows(dnnl_dim_t outer, dnnl_dim_t inner, dnnl_dim_t size) {
    return outer == inner * size;
}

/* Two adjacent dimensions can be merged if they can be merged in each operand. */
static bool mergeable(const struct gemm_batches *b, dnnl_dim_t src, dnnl_dim_t weights, dnnl_dim_t dst,
                      dnnl_dim_t size) {
    int last = b->count - 1;
    return follows(b->src[last], src, size) && follows(b->weights[last], weights, size)
           && follows(b->dst[last], dst, size);
}

struct gemm_batches gemm_merge_batches(const md_t *src, const md_t *weights, const md_t *dst, bool keep) {
    struct gemm_batches b = {0};
    for (int d = 0; d < dst->ndims - 2; d++) {
        if (dst->dims[d] == 1) continue;
        dnnl_dim_t s = batch_stride(src, d), w = batch_stride(weights, d), t = batch_stride(dst, d);
        bool merge = !keep && b.count > 0 && mergeable(&b, s, w, t, dst->dims[d]);
        int at = merge ? b.count - 1 : b.count++;
        b.size[at] = merge ? b.size[at] * dst->dims[d] : dst->dims[d];
        b.src[at] = s, b.weights[at] = w, b.dst[at] = t, b.dim[at] = d;
    }
    return b;
}

void gemm_matmul_tag(const struct plan *plan, char *tag, size_t size) {
    int ndims = problem_md(&plan->problem, DNNL_ARG_WEIGHTS)->ndims;
    char order[DNNL_MAX_NDIMS + 1], *end = order;
    for (int d = 0; d < ndims - 2; d++)
        *end++ = (char)('a' + d);
    *end++ = (char)('a' + ndims - 1);
    *end++ = (char)('a' + ndims - 2);
    *end = 0;
    gemm_panels_tag(plan, order, ndims - 1, ndims - 2, tag, size);
}

dnnl_status_t gemm_set_matmul_layouts(struct plan *plan) {
    md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC), *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS),
         *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    static const char plain[] = "abcdefghijkl";
    char tag[DNNL_MAX_NDIMS + 1], panels[32];
    snprintf(tag, sizeof tag, "%.*s", dst->ndims, plain);
    gemm_matmul_tag(plan, panels, sizeof panels);
    TRY(md_set_any(src, tag));
    TRY(md_set_any(dst, tag));
    TRY(md_set_any(weights, panels));
    if (bias) TRY(md_set_any(bias, tag));
    if (!md_is_plain(src) || !md_is_plain(dst)) return plan_skip(plan, "src or dst is blocked");
    if (!md_is_plain(weights) && !md_matches_tag(weights, panels))
        return plan_skip(plan, "weights are blocked");
    return dnnl_success;
}

bool gemm_bias_is_row(const struct plan *plan) {
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    if (!bias) return true;
    int n = bias->ndims - 1;
    for (int d = 0; d < n; d++)
        if (bias->dims[d] != 1) return false;
    return bias->dims[n] == problem_md(&plan->problem, DNNL_ARG_DST)->dims[n]
           && (bias->dims[n] == 1 || bias->blocking.strides[n] == 1);
}

/* Rows of src that a work-item copies: as many as it can without a rest. */
static dnnl_dim_t rows_each(dnnl_dim_t rows, dnnl_dim_t length) {
    enum { MOST = 8192 };
    dnnl_dim_t each = length > 0 && rows > 0 ? MOST / length : 1;
    if (each > rows) each = rows;
    while (each > 1 && rows % each != 0)
        each--;
    return each > 1 ? each : 1;
}

/* The type that the kernels read. */
static dnnl_data_type_t type_read(const struct plan *plan, const md_t *md) {
    const dnnl_data_type_t reads = gemm_tile_of(plan)->type->reads;
    return reads == dnnl_data_type_undef ? md->data_type : reads;
}

/* Copies src into dense rows in scratchpad, of the type that the kernels read: *md becomes those. */
static dnnl_status_t reorder_src(struct plan *plan, md_t *md, struct gemm_batches *b,
                                 struct gemm_view *view) {
    const md_t user = *md;
    char plain[DNNL_MAX_NDIMS + 1];
    snprintf(plain, sizeof plain, "%.*s", user.ndims, "abcdefghijkl");
    TRY(gemm_scratch_md(plan, &user, type_read(plan, &user), plain, md));
    view->src = (struct gemm_operand){
            .arg = ARG_SCRATCHPAD, .offset = md->offset0, .column = md->blocking.strides[md->ndims - 2]};
    for (int i = 0; i < b->count; i++)
        if (b->src[i] != 0) b->src[i] = md->blocking.strides[b->dim[i]];
    return append_reorder(plan, DNNL_ARG_SRC, &user, ARG_SCRATCHPAD, md, NULL);
}

/* Copies dense rows to others that are as long as the kernels want them, with their offset if they are signed
 * bytes. */
static dnnl_status_t pad_src(struct plan *plan, const md_t *md, struct gemm_batches *b,
                             struct gemm_view *view) {
    static const dnnl_dim_t nothing[3] = {0};
    const int m = md->ndims - 2, k = md->ndims - 1;
    if (b->count > 2) return plan_skip(plan, "src must be copied and has more than two batch dimensions");
    dnnl_dim_t size[2] = {1, 1}, stride[2] = {0}; /* batches that src has */
    for (int i = 0; i < b->count; i++)
        if (b->src[i] != 0) size[i] = b->size[i], stride[i] = b->src[i];
    const dnnl_dim_t each = rows_each(md->dims[m], md->dims[k]), row = md->blocking.strides[m];
    const struct image image = {.arg = view->src.arg,
                                .offset = md->offset0,
                                .batch = size[0],
                                .size = {size[1], md->dims[m] / each, each},
                                .channels = md->dims[k],
                                .batch_stride = stride[0],
                                .stride = {stride[1], each * row, row},
                                .channel_stride = md->blocking.strides[k]};
    struct image copy;
    TRY(gemm_copy_padded(plan, &image, nothing, image.size, &copy));
    view->src = (struct gemm_operand){.arg = copy.arg, .offset = copy.offset, .column = copy.stride[2]};
    const dnnl_dim_t copied[2] = {copy.batch_stride, copy.stride[0]};
    for (int i = 0; i < b->count; i++)
        if (b->src[i] != 0) b->src[i] = copied[i];
    return dnnl_success;
}

/* src with dense rows: the user's, or a copy. */
static dnnl_status_t set_src(struct plan *plan, const md_t *md, struct gemm_batches *b,
                             struct gemm_view *view) {
    const int m = md->ndims - 2, k = md->ndims - 1;
    const bool dense = md->blocking.strides[k] == 1 || md->dims[k] == 1,
               reads = gemm_reads_src(plan, md->dims[k]);
    md_t rows = *md;
    view->src = (struct gemm_operand){
            .arg = DNNL_ARG_SRC, .offset = md->offset0, .column = md->blocking.strides[m]};
    if (md->data_type != type_read(plan, md)) return reorder_src(plan, &rows, b, view);
    if (!dense) TRY(reorder_src(plan, &rows, b, view));
    return reads ? dnnl_success : pad_src(plan, &rows, b, view);
}

/* With few rows, plain weights are used without packing, which pays off only for many rows; or for some, if
 * rows of large weights are so far apart that each is in a page of its own. */
static bool use_unpacked(const struct plan *plan, const md_t *md, dnnl_dim_t rows) {
    enum { FEW = 32, FEW_IF_LARGE = 2, LARGE = 1 << 22, APART = 1024 };
    const bool large = !gemm_tile_of(plan)->type->dot && md_nelems(md, false) >= LARGE
                       && md->dims[md->ndims - 1] >= APART;
    const int k = md->ndims - 2, n = md->ndims - 1, panel = gemm_panel(plan);
    const bool fits = gemm_tile_of(plan)->type->dot ? md->dims[n] >= panel : md->dims[n] % panel == 0;
    return gemm_depth(plan, 1) == 1 && md->blocking.strides[n] == 1 && fits
           && rows <= (large ? FEW_IF_LARGE : FEW) && md->blocking.strides[k] >= md->dims[n];
}

/* The same for weights that are dense along the reduction. */
static bool use_dots(const struct plan *plan, const md_t *md, dnnl_dim_t rows) {
    enum { FEW = 32 };
    const int k = md->ndims - 2;
    return gemm_tile_of(plan)->type->dot && md->blocking.strides[k] == 1 && rows <= FEW && md->dims[k] > 0
           && gemm_depth(plan, md->dims[k]) == md->dims[k];
}

/* Copies plain weights of several batch dimensions into panels in scratchpad. */
static dnnl_status_t reorder_weights(struct plan *plan, const md_t *md, struct gemm_batches *b,
                                     struct gemm_view *view) {
    int n = md->ndims - 1;
    char panels[32];
    md_t packed;
    gemm_matmul_tag(plan, panels, sizeof panels);
    TRY(md_init_by_string(&packed, md->ndims, md->dims, type_read(plan, md), panels));
    plan_place(plan, &packed);
    view->weights = (struct gemm_operand){.arg = ARG_SCRATCHPAD, .offset = packed.offset0};
    view->weights_depth = gemm_panel(plan), view->weights_panel = packed.blocking.strides[n];
    for (int i = 0; i < b->count; i++)
        if (b->weights[i] != 0) b->weights[i] = packed.blocking.strides[b->dim[i]];
    return append_reorder(plan, DNNL_ARG_WEIGHTS, md, ARG_SCRATCHPAD, &packed, NULL);
}

/* The same for any plain weights; one batch dimension is packed as groups. */
static dnnl_status_t pack_weights(struct plan *plan, const md_t *md, struct gemm_batches *b,
                                  struct gemm_view *view) {
    int k = md->ndims - 2, n = md->ndims - 1, batches = 0, last = 0;
    for (int i = 0; i < b->count; i++)
        if (b->weights[i] != 0) last = i, batches++;
    if (batches > 1 || !gemm_tile_of(plan)->type->pack) return reorder_weights(plan, md, b, view);
    const struct gemm_weights w = {.groups = batches ? b->size[last] : 1,
                                   .outputs = md->dims[n],
                                   .inputs = md->dims[k],
                                   .size = {1, 1, 1},
                                   .merged = 1,
                                   .offset = md->offset0,
                                   .group = batches ? b->weights[last] : 0,
                                   .output = md->blocking.strides[n],
                                   .input = md->blocking.strides[k]};
    dnnl_dim_t group;
    TRY(gemm_pack(plan, &w, view, &group));
    if (batches) b->weights[last] = group;
    return dnnl_success;
}

static dnnl_status_t set_weights(struct plan *plan, const md_t *md, struct gemm_batches *b, dnnl_dim_t rows,
                                 struct gemm_view *view) {
    int k = md->ndims - 2, n = md->ndims - 1, panel = gemm_panel(plan);
    const dnnl_dim_t *strides = md->blocking.strides;
    view->weights = (struct gemm_operand){.arg = DNNL_ARG_WEIGHTS, .offset = md->offset0};
    if (md->data_type != type_read(plan, md)) return reorder_weights(plan, md, b, view);
    if (!md_is_plain(md)) {
        view->weights_depth = panel, view->weights_panel = strides[n];
        return dnnl_success;
    }
    if (use_unpacked(plan, md, rows)) {
        view->weights_depth = strides[k], view->weights_panel = panel;
        return dnnl_success;
    }
    const int dot = gemm_tile_of(plan)->type->dot;
    if (use_dots(plan, md, rows)) {
        view->weights_depth = 1, view->weights_panel = dot * strides[n];
        return dnnl_success;
    }
    if ((!dot || gemm_depth(plan, 1) > 1) && gemm_reads_plain(plan, rows))
        return plan_skip(plan, "plain weights, which are faster without a copy");
    return pack_weights(plan, md, b, view);
}

bool gemm_has_rows(const md_t *md) {
    const int n = md->ndims - 1;
    return md_is_plain(md) && (md->blocking.strides[n] == 1 || md->dims[n] == 1);
}

dnnl_status_t gemm_move_matmul(struct plan *plan) {
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    struct moved moved = {.plan = plan};
    char tag[MOVED_TAG];
    TRY(moved_add(&moved, DNNL_ARG_DST, dst->data_type, row_major_tag(dst, tag)));
    return moved_build(&moved, matmul_implementations);
}

static dnnl_status_t build(struct epilogue_build *ep) {
    struct plan *plan = ep->plan;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC), *dst = &ep->dst;
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    int m = dst->ndims - 2, n = dst->ndims - 1;
    struct gemm_batches b = gemm_merge_batches(src, weights, dst, gemm_needs_positions(plan));
    if (b.count > GEMM_VIEW_BATCHES) return plan_skip(plan, "too many batch dimensions");
    struct gemm_view view = {.rows = 1,
                             .columns = dst->dims[m],
                             .channels = dst->dims[n],
                             .depth = gemm_depth(plan, src->dims[n]),
                             .window = {1, 1, 1},
                             .batch = {1, 1, 1, 1},
                             .column_dim = m,
                             .channel_dim = n};
    view.bias.arg = bias ? DNNL_ARG_BIAS : ARG_NOTHING;
    view.bias.offset = bias ? bias->offset0 : 0;
    view.bias.type = bias ? (int)bias->data_type : 0;
    view.dst = (struct gemm_operand){ep->dst_arg, .offset = dst->offset0, .column = dst->blocking.strides[m]};
    TRY(set_src(plan, src, &b, &view));
    TRY(set_weights(plan, weights, &b, dst->dims[m], &view));
    for (int i = 0; i < b.count; i++) {
        view.batch[i] = b.size[i];
        view.src.batch[i] = b.src[i], view.weights.batch[i] = b.weights[i], view.dst.batch[i] = b.dst[i];
        view.batch_dim[i] = b.dim[i], view.batch_step[i] = 1;
    }
    return gemm_launch(ep, &view);
}

dnnl_status_t gemm_build_matmul(struct plan *plan) {
    struct epilogue_build ep;
    TRY(gemm_accepts(plan));
    TRY(gemm_set_matmul_layouts(plan));
    if (!gemm_bias_is_row(plan)) return plan_skip(plan, "bias varies along rows");
    if (!gemm_has_rows(problem_md(&plan->problem, DNNL_ARG_DST))) {
        if (gemm_tile_of(plan)->type->bytes >= (int)sizeof(float))
            return plan_skip(plan, "the rows of dst are not dense, which others move");
        return gemm_move_matmul(plan);
    }
    if (gemm_is_bare(plan) && apart_has_rest(&plan->attr)) return apart_build(plan, matmul_implementations);
    TRY(gemm_begin(&ep, plan, problem_md(&plan->problem, DNNL_ARG_DST)->ndims - 1));
    return build(&ep);
}
