/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise programs: see rows.h. */
#include "primitives/rows.h"
#include "base/round.h"
#include "base/verbose.h"
#include "primitives/check.h"
#include "primitives/epilogue.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

dnnl_status_t check_rows_format(const char *component, const md_t *md) {
    SUPPORT(in_set(TYPES_ELEMENT, md->data_type), "a data type");
    SUPPORT(md_is_any(md) || md_is_blocked(md), "a layout that is not blocked");
    return dnnl_success;
}

static void fail_rows(struct rows *rows, dnnl_status_t status) {
    if (rows->status == dnnl_success) rows->status = status;
}

/* Layouts. */

static void add_part(struct row_layout *layout, int d, dnnl_dim_t size, dnnl_dim_t stride) {
    if (layout->count[d] < ROW_PARTS) layout->parts[d][layout->count[d]] = (struct row_part){size, stride};
    layout->count[d]++;
}

/* False: more pieces than there is room for. */
static bool layout_of(struct row_layout *layout, const md_t *md, const dnnl_dim_t *sizes) {
    dnnl_dims_t block;
    dnnl_dim_t stride = 1;
    bool fits = true;
    *layout = (struct row_layout){0};
    md_blocks(md, block);
    for (int b = md->blocking.inner_nblks - 1; b >= 0; b--) {
        int d = (int)md->blocking.inner_idxs[b];
        if (sizes[d] > 1) add_part(layout, d, md->blocking.inner_blks[b], stride);
        stride *= md->blocking.inner_blks[b];
    }
    for (int d = 0; d < md->ndims; d++) {
        if (sizes[d] > 1) add_part(layout, d, divide_up(sizes[d], block[d]), md->blocking.strides[d]);
        fits = fits && layout->count[d] <= ROW_PARTS;
    }
    return fits;
}

enum { ROW_BOUNDARIES = ROW_OPERANDS * (ROW_PARTS - 1) + 1 };

/* The boundaries between the pieces of all layouts along a dimension: each divides the next. */
struct boundaries {
    int count;
    dnnl_dim_t at[ROW_BOUNDARIES];
};

static void add_boundary(struct boundaries *b, dnnl_dim_t at) {
    int i = b->count;
    for (int k = 0; k < b->count; k++)
        if (b->at[k] == at) return;
    for (; i > 0 && b->at[i - 1] > at; i--)
        b->at[i] = b->at[i - 1];
    b->at[i] = at;
    b->count++;
}

/* The end of the last piece is no boundary: the dimension ends there. */
static void add_boundaries(struct boundaries *b, const struct row_layout *layout, int d) {
    dnnl_dim_t at = 1;
    for (int i = 0; i + 1 < layout->count[d]; i++)
        add_boundary(b, at *= layout->parts[d][i].size);
}

/* `another` may be NULL. False: a boundary does not divide the next one. */
static bool boundaries_of(struct boundaries *b, const struct rows *rows, const struct row_layout *another,
                          int d) {
    *b = (struct boundaries){.count = 1};
    b->at[0] = 1;
    for (int i = 0; i < rows->params.noperands; i++)
        add_boundaries(b, &rows->layouts[i], d);
    if (another) add_boundaries(b, another, d);
    for (int i = 1; i < b->count; i++)
        if (b->at[i] % b->at[i - 1] != 0) return false;
    return true;
}

/* The distance between positions that are `step` apart, within the piece that has this boundary. */
static dnnl_dim_t stride_at(const struct row_layout *layout, int d, dnnl_dim_t step) {
    dnnl_dim_t begin = 1;
    for (int i = 0; i < layout->count[d]; i++) {
        const struct row_part *part = &layout->parts[d][i];
        if (step < begin * part->size || i + 1 == layout->count[d]) return part->stride * (step / begin);
        begin *= part->size;
    }
    return 0;
}

static bool nests(const struct rows *rows, const struct row_layout *layout) {
    struct boundaries b;
    for (int d = 0; d < rows->dst.ndims; d++)
        if (layout->count[d] > 1 && !boundaries_of(&b, rows, layout, d)) return false;
    return true;
}

/* Operands. */

static int use_buffer(struct rows *rows, int arg) {
    int i = 0;
    while (i < rows->nbuffers && rows->buffers[i] != arg)
        i++;
    if (i == ROW_BUFFERS) {
        fail_rows(rows, plan_skip(rows->plan, "too many buffers for one launch"));
        return 0;
    }
    if (i == rows->nbuffers) rows->buffers[rows->nbuffers++] = arg;
    return i;
}

static int add_operand(struct rows *rows, struct row_operand operand, const struct row_layout *layout) {
    int index = rows->params.noperands;
    if (index == ROW_OPERANDS) {
        fail_rows(rows, plan_skip(rows->plan, "too many operands for one launch"));
        return 0;
    }
    rows->params.operands[index] = operand;
    rows->layouts[index] = *layout;
    rows->params.noperands++;
    return index;
}

/* Reorders an operand into scratchpad, without blocks. */
static dnnl_status_t make_plain(struct rows *rows, int *arg, md_t *md) {
    md_t plain;
    TRY(md_init_by_strides(&plain, md->ndims, md->dims, md->data_type, NULL));
    plan_place(rows->plan, &plain);
    TRY(append_reorder(rows->plan, *arg, md, ARG_SCRATCHPAD, &plain, NULL));
    *arg = ARG_SCRATCHPAD;
    *md = plain;
    return dnnl_success;
}

/* Has the operand elements, or zeros, wherever dst has? */
static bool has_padding_of(const md_t *md, const md_t *dst) {
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1 && md->padded_dims[d] != dst->padded_dims[d]) return false;
    return true;
}

int rows_operand_at(struct rows *rows, int arg, const md_t *md) {
    md_t view = *md;
    struct row_layout layout;
    if (rows->status != dnnl_success) return 0;
    if (!layout_of(&layout, &view, view.dims) || !nests(rows, &layout)) {
        fail_rows(rows, make_plain(rows, &arg, &view));
        layout_of(&layout, &view, view.dims);
    }
    rows->params.padded = rows->params.padded && has_padding_of(&view, &rows->dst);
    return add_operand(rows,
                       (struct row_operand){.buffer = use_buffer(rows, arg),
                                            .type = (i32)view.data_type,
                                            .offset = view.offset0},
                       &layout);
}

int rows_operand(struct rows *rows, int arg) {
    return rows_operand_at(rows, arg, problem_md(&rows->plan->problem, arg));
}

void rows_begin_at(struct rows *rows, struct plan *plan, int dst_arg, const md_t *dst) {
    struct row_layout layout;
    *rows = (struct rows){.plan = plan, .dst_arg = dst_arg, .dst = *dst, .params.padded = true};
    if (!layout_of(&layout, dst, dst->padded_dims))
        fail_rows(rows, plan_skip(plan, "a dimension of dst with too many blocks"));
    add_operand(rows,
                (struct row_operand){.buffer = use_buffer(rows, dst_arg),
                                     .type = (i32)dst->data_type,
                                     .offset = dst->offset0},
                &layout);
}

void rows_begin(struct rows *rows, struct plan *plan, int dst_arg) {
    rows_begin_at(rows, plan, dst_arg, problem_md(&plan->problem, dst_arg));
}

/* Quantisation parameters. */

static void quant_layout(struct row_layout *layout, const struct quant *quant, const md_t *md,
                         const int *dims) {
    dnnl_dim_t stride = 1;
    *layout = (struct row_layout){0};
    for (int d = md->ndims - 1; d >= 0; d--) {
        dnnl_dim_t size = quant_size(quant, md, d), group = quant_group(quant, md->ndims - d);
        int to = dims ? dims[d] : d;
        if (to >= 0 && size > 1) {
            if (group > 1) add_part(layout, to, group, 0);
            add_part(layout, to, size, stride);
        }
        stride *= size;
    }
}

static int use_quant(struct rows *rows, const struct quants *quants, int kind, int arg, const int *dims) {
    const struct quant *quant = quants_find(quants, arg);
    const md_t *md = problem_md(&rows->plan->problem, arg);
    struct row_layout layout;
    if (!quant || !md || rows->status != dnnl_success) return ROW_NONE;
    if (quant_is_dynamic(quant)) fail_rows(rows, plan_skip(rows->plan, "scales that are computed"));
    struct row_operand operand = {.type = (i32)quant->data_type};
    if (quant->host_scalar && rows->nscalars < EPILOGUE_SCALARS) {
        operand.buffer = -1 - rows->nscalars;
        rows->scalars[rows->nscalars++] = kind | arg;
        return add_operand(rows, operand, &(struct row_layout){0});
    }
    quant_layout(&layout, quant, md, dims);
    if (quant->host_scalar || !nests(rows, &layout)) {
        fail_rows(rows,
                  plan_skip(rows->plan, "too many host scalars, or groups that do not nest with blocks"));
        return ROW_NONE;
    }
    for (int d = 0; d < rows->dst.ndims; d++)
        if (layout.count[d] > 0 && rows->dst.dims[d] != rows->dst.padded_dims[d]) rows->params.padded = false;
    operand.buffer = use_buffer(rows, kind | arg);
    return add_operand(rows, operand, &layout);
}

int rows_scale(struct rows *rows, int arg, const int *dims) {
    return use_quant(rows, &rows->plan->attr.scales, DNNL_ARG_ATTR_SCALES, arg, dims);
}

int rows_zero_point(struct rows *rows, int arg, const int *dims) {
    return use_quant(rows, &rows->plan->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg, dims);
}

/* Operations. */

static void add_op(struct rows *rows, struct row_op op) {
    if (rows->params.nops == ROW_OPS)
        fail_rows(rows, plan_skip(rows->plan, "too many operations for one launch"));
    else
        rows->params.ops[rows->params.nops++] = op;
}

void rows_load(struct rows *rows, int operand, int scale) {
    add_op(rows, (struct row_op){.kind = ROW_LOAD_OPERAND, .operand = operand, .scale = scale});
}

/* Some operations can end with a plain relu of their own. */
static bool join_relu(struct rows *rows) {
    struct row_op *last = rows->params.nops > 0 ? &rows->params.ops[rows->params.nops - 1] : NULL;
    bool can = last && (last->kind == ROW_BINARY || last->kind == ROW_SUM || last->kind == ROW_NORMALIZE);
    if (can) last->relu = 1;
    return can;
}

void rows_eltwise(struct rows *rows, dnnl_alg_kind_t alg, float alpha, float beta) {
    if (eltwise_code(alg) == ELTWISE_RELU && alpha == 0 && join_relu(rows)) return;
    add_op(rows, (struct row_op){.kind = ROW_ELTWISE,
                                 .alg = eltwise_code(alg),
                                 .alpha = alpha,
                                 .beta = beta,
                                 .scale = ROW_NONE});
}

void rows_binary(struct rows *rows, dnnl_alg_kind_t alg, int operand, int scale, int condition) {
    add_op(rows, (struct row_op){.kind = ROW_BINARY,
                                 .alg = (i32)alg,
                                 .operand = operand,
                                 .scale = scale,
                                 .operand2 = condition});
}

void rows_sum(struct rows *rows, int operand, float scale, float zero_point) {
    add_op(rows, (struct row_op){.kind = ROW_SUM,
                                 .alpha = scale,
                                 .beta = zero_point,
                                 .operand = operand,
                                 .scale = ROW_NONE});
}

void rows_prelu(struct rows *rows, int operand) {
    add_op(rows, (struct row_op){.kind = ROW_PRELU, .operand = operand, .scale = ROW_NONE});
}

void rows_keep(struct rows *rows, int operand) {
    add_op(rows, (struct row_op){.kind = ROW_KEEP, .operand = operand, .scale = ROW_NONE});
}

void rows_prelu_backward(struct rows *rows, int src, int operand, bool clear) {
    add_op(rows, (struct row_op){.kind = ROW_PRELU_BACKWARD,
                                 .alpha = clear ? 0.0f : 1.0f,
                                 .operand = operand,
                                 .operand2 = src,
                                 .scale = ROW_NONE});
}

void rows_normalize(struct rows *rows, int mean, int factor, int shift) {
    add_op(rows, (struct row_op){.kind = ROW_NORMALIZE, .operand = mean, .operand2 = factor, .scale = shift});
}

void rows_is_positive(struct rows *rows) {
    add_op(rows, (struct row_op){.kind = ROW_IS_POSITIVE, .scale = ROW_NONE});
}

/* The launch ends with its accumulator in scratchpad. */
static void end_in_scratchpad(struct rows *rows) {
    struct row_operand *dst = &rows->params.operands[0];
    md_t between;
    fail_rows(rows, md_init(&between, rows->dst.ndims, rows->dst.dims, dnnl_f32, dnnl_format_kind_any));
    fail_rows(rows, md_set_any_like(&between, &rows->dst));
    plan_place(rows->plan, &between);
    layout_of(&rows->layouts[0], &between, between.padded_dims);
    dst->buffer = use_buffer(rows, ARG_SCRATCHPAD);
    dst->type = TYPE_F32;
    dst->offset = between.offset0;
    rows->dst = between;
}

/* Ends the launch; the next one begins where it has left its accumulator. */
static void spill(struct rows *rows) {
    const md_t final = rows->dst;
    const int final_arg = rows->dst_arg;
    end_in_scratchpad(rows);
    const md_t between = rows->dst;
    dnnl_status_t status = rows_end(rows);
    rows_begin_at(rows, rows->plan, final_arg, &final);
    fail_rows(rows, status);
    rows_load(rows, rows_operand_at(rows, ARG_SCRATCHPAD, &between), ROW_NONE);
}

void rows_reserve(struct rows *rows, int operands) {
    enum { ENDS = 1 }; /* the buffer that spill needs */
    bool room = rows->nbuffers + operands + ENDS <= ROW_BUFFERS
                && rows->params.noperands + operands <= ROW_OPERANDS
                && rows->params.nops + operands <= ROW_OPS;
    if (rows->status == dnnl_success && !room) spill(rows);
}

static void add_post_op(struct rows *rows, const struct post_op *op, int index) {
    int src1 = post_op_arg(index, DNNL_ARG_SRC_1), src2 = post_op_arg(index, DNNL_ARG_SRC_2);
    md_t previous = rows->dst;
    switch (op->kind) {
    case dnnl_eltwise: rows_eltwise(rows, op->eltwise.alg, op->eltwise.alpha, op->eltwise.beta); return;
    case dnnl_prelu: rows_prelu(rows, rows_operand(rows, post_op_arg(index, DNNL_ARG_WEIGHTS))); return;
    case dnnl_sum:
        if (op->sum.data_type != dnnl_data_type_undef) previous.data_type = op->sum.data_type;
        rows_sum(rows, rows_operand_at(rows, rows->dst_arg, &previous), op->sum.scale,
                 (float)op->sum.zero_point);
        return;
    default:
        rows_binary(rows, op->binary.alg, rows_operand(rows, src1), ROW_NONE,
                    op->binary.alg == dnnl_binary_select ? rows_operand(rows, src2) : ROW_NONE);
    }
}

void rows_post_ops(struct rows *rows) {
    const attr_t *attr = &rows->plan->attr;
    if (attr->dropout.enabled || attr_has_stochastic_rounding(attr))
        fail_rows(rows, plan_skip(rows->plan, "random numbers"));
    fail_rows(rows, epilogue_add_arguments(rows->plan, &rows->dst));
    for (int i = 0; i < attr->post_ops.len && rows->status == dnnl_success; i++) {
        rows_reserve(rows, 2);
        add_post_op(rows, &attr->post_ops.entries[i], i);
    }
    rows_reserve(rows, 2);
    int scale = rows_scale(rows, rows->dst_arg, NULL);
    if (scale != ROW_NONE) rows_binary(rows, dnnl_binary_div, scale, ROW_NONE, ROW_NONE);
    int zero_point = rows_zero_point(rows, rows->dst_arg, NULL);
    if (zero_point != ROW_NONE) rows_binary(rows, dnnl_binary_add, zero_point, ROW_NONE, ROW_NONE);
}

/* Loops. */

static dnnl_status_t add_loop(struct rows *rows, int d, dnnl_dim_t size, dnnl_dim_t step, bool tracked) {
    struct rows_params *p = &rows->params;
    if (size == 1) return dnnl_success;
    if (p->nloops == ROW_LOOPS) return plan_skip(rows->plan, "too many loops");
    p->loops[p->nloops] = (struct rows_loop){size, tracked ? d : TENSOR_DIMS, (i32)step};
    for (int o = 0; o < p->noperands; o++)
        p->operands[o].strides[p->nloops] = stride_at(&rows->layouts[o], d, step);
    p->nloops++;
    return dnnl_success;
}

/* Padding. */

/* Does the function make 0 of 0? */
static bool eltwise_keeps_zero(const struct row_op *op) {
    switch (op->alg) {
    case ELTWISE_RELU:
    case ELTWISE_TANH:
    case ELTWISE_ELU:
    case ELTWISE_SQUARE:
    case ELTWISE_ABS:
    case ELTWISE_SQRT:
    case ELTWISE_GELU_TANH:
    case ELTWISE_GELU_ERF:
    case ELTWISE_SWISH:
    case ELTWISE_ROUND:
    case ELTWISE_MISH:
    case ELTWISE_HARDSWISH: return true;
    case ELTWISE_LINEAR: return op->beta == 0;
    case ELTWISE_CLIP: return op->alpha <= 0 && op->beta >= 0;
    default: return false;
    }
}

/* Does the operand have the zeros of the padding, rather than being broadcast into it? */
static bool is_zero_in_padding(const struct rows *rows, int operand) {
    for (int d = 0; d < rows->dst.ndims; d++)
        if (rows->dst.dims[d] != rows->dst.padded_dims[d] && rows->layouts[operand].count[d] == 0)
            return false;
    return true;
}

static bool op_keeps_zero(const struct rows *rows, const struct row_op *op) {
    bool of_zero = op->operand >= 0 && op->scale == ROW_NONE && is_zero_in_padding(rows, op->operand);
    switch (op->kind) {
    case ROW_ELTWISE: return eltwise_keeps_zero(op);
    case ROW_IS_POSITIVE: return true;
    case ROW_LOAD_OPERAND:
    case ROW_PRELU: return of_zero;
    case ROW_SUM: return of_zero && op->beta == 0;
    case ROW_BINARY: return of_zero && op->alg != BINARY_DIV && op->alg < BINARY_GE; /* 0 >= 0 is true */
    default: return false;
    }
}

/* If every operand has the padding of dst and the program makes zeros of its zeros, the padding is computed
 * like everything else. */
static bool computes_padding(const struct rows *rows) {
    bool zeros = rows->params.padded;
    for (int i = 0; i < rows->params.nops; i++)
        zeros = zeros && op_keeps_zero(rows, &rows->params.ops[i]);
    return zeros;
}

static dnnl_status_t add_dimension(struct rows *rows, int d, bool padding) {
    struct rows_params *p = &rows->params;
    const md_t *dst = &rows->dst;
    struct boundaries b;
    boundaries_of(&b, rows, NULL, d); /* rows_operand_at made sure that they nest */
    dnnl_dim_t last = b.at[b.count - 1], outer = divide_up(dst->padded_dims[d], last);
    p->padded = p->padded && outer * last == dst->padded_dims[d];
    bool tracked = outer * last != (padding && p->padded ? dst->padded_dims[d] : dst->dims[d]);
    if (tracked) p->tracked[p->ntracked++] = d;
    p->limits[d] = dst->dims[d];
    p->extents[d] = dst->padded_dims[d];
    TRY(add_loop(rows, d, outer, last, tracked));
    for (int i = b.count - 1; i > 0; i--)
        TRY(add_loop(rows, d, b.at[i] / b.at[i - 1], b.at[i - 1], tracked));
    return dnnl_success;
}

static void swap_loops(struct rows_params *p, int a, int b) {
    struct rows_loop loop = p->loops[a];
    p->loops[a] = p->loops[b];
    p->loops[b] = loop;
    for (int o = 0; o < p->noperands; o++) {
        i64 stride = p->operands[o].strides[a];
        p->operands[o].strides[a] = p->operands[o].strides[b];
        p->operands[o].strides[b] = stride;
    }
}

static void sort_loops(struct rows_params *p) {
    const i64 *strides = p->operands[0].strides;
    for (int i = 1; i < p->nloops; i++)
        for (int k = i; k > 0 && strides[k] > strides[k - 1]; k--)
            swap_loops(p, k, k - 1);
}

static bool can_merge(const struct rows_params *p, int outer, int inner) {
    if (p->loops[outer].dim != TENSOR_DIMS || p->loops[inner].dim != TENSOR_DIMS) return false;
    for (int o = 0; o < p->noperands; o++) {
        const i64 *strides = p->operands[o].strides;
        if (strides[outer] != strides[inner] * p->loops[inner].size) return false;
    }
    return true;
}

/* Adjacent loops that are one loop for every operand. */
static void merge_loops(struct rows_params *p) {
    int last = 0;
    for (int i = 1; i < p->nloops; i++) {
        bool merge = can_merge(p, last, i);
        if (!merge) last++;
        dnnl_dim_t size = merge ? p->loops[last].size : 1;
        p->loops[last] = p->loops[i];
        p->loops[last].size *= size;
        for (int o = 0; o < p->noperands; o++)
            p->operands[o].strides[last] = p->operands[o].strides[i];
    }
    p->nloops = p->nloops > 0 ? last + 1 : 0;
}

/* The loop along which the elements of an operand lie one after the other, if it is not the last one. */
static int dense_loop(const struct rows_params *p) {
    for (int o = 1; o < p->noperands; o++) {
        const i64 *strides = p->operands[o].strides;
        if (strides[p->nloops - 1] <= 1) continue;
        for (int l = p->nloops - 2; l >= 0; l--)
            if (strides[l] == 1) return l;
    }
    return -1;
}

/* Moves that loop next to the last one: the kernel transposes blocks of these two. */
static void pair_loops(struct rows_params *p) {
    for (int l = dense_loop(p); l >= 0 && l < p->nloops - 2; l++)
        swap_loops(p, l, l + 1);
}

/* The kernel expects two loops: what is missing is a loop of one step around the others. */
static void add_single_loops(struct rows_params *p) {
    while (p->nloops < 2) {
        p->loops[p->nloops] = (struct rows_loop){1, TENSOR_DIMS, 1};
        for (int o = 0; o < p->noperands; o++)
            p->operands[o].strides[p->nloops] = 0;
        p->nloops++;
        if (p->nloops == 2) swap_loops(p, 0, 1);
    }
}

static void cut_blocks(struct rows_params *p, i64 work) {
    enum { SIDE = 64 }; /* of a block that is transposed: some cache lines in both directions */
    i64 n = p->loops[p->nloops - 1].size, m = p->loops[p->nloops - 2].size;
    const bool across = dense_loop(p) == p->nloops - 2;
    i64 most = across ? SIDE : n >= ROW_BLOCK ? work : ROW_BLOCK;
    p->length = n < most ? n : most;
    i64 rows = p->length < ROW_BLOCK ? ROW_BLOCK / p->length : 1;
    if (across && rows > ROW_TRANSPOSED) rows = ROW_TRANSPOSED;
    if (p->length % 16 != 0 && rows > 16) rows -= rows % 16; /* whole vectors in a block */
    p->rows = rows < m ? rows : m;
    p->count = divide_up(n, p->length) * divide_up(m, p->rows);
    p->elements = n * m;
    for (int l = 0; l < p->nloops - 2; l++)
        p->count *= p->loops[l].size, p->elements *= p->loops[l].size;
}

static struct range cut_work(struct rows_params *p, const struct device *device, i64 work) {
    enum { ITEMS = 1024, MOST = 16 };
    if (device->info.class == DEVICE_CPU) {
        p->span = work / (p->rows * p->length);
        if (p->span < 1) p->span = 1;
        return range_of_items(divide_up(p->count, p->span), 1);
    }
    dnnl_dim_t span = p->elements / device->info.compute_units / ITEMS;
    span = span < 1 ? 1 : span > MOST ? MOST : span;
    return range_of_items(divide_up(p->elements, span), full_group(device));
}

static dnnl_status_t build_loops(struct rows *rows, i64 work) {
    bool padding = computes_padding(rows);
    for (int d = 0; d < rows->dst.ndims; d++)
        TRY(add_dimension(rows, d, padding));
    sort_loops(&rows->params);
    merge_loops(&rows->params);
    pair_loops(&rows->params);
    add_single_loops(&rows->params);
    cut_blocks(&rows->params, work);
    return dnnl_success;
}

/* Elements that share a byte are written by a reorder. */
static dnnl_status_t end_narrow(struct rows *rows) {
    const md_t final = rows->dst;
    end_in_scratchpad(rows);
    TRY(rows_end(rows));
    return append_reorder(rows->plan, ARG_SCRATCHPAD, &rows->dst, rows->dst_arg, &final, NULL);
}

/* The bytes of all operands and dst, each as often as it is visited. */
static i64 bytes_of(const struct rows_params *p) {
    i64 bytes = 0;
    for (int o = 0; o < p->noperands; o++) {
        i64 visited = p->operands[o].buffer < 0 ? 0 : dt_bits((dnnl_data_type_t)p->operands[o].type) / 8;
        for (int l = 0; l < p->nloops; l++)
            if (p->operands[o].strides[l] != 0) visited *= p->loops[l].size;
        bytes += visited;
    }
    return bytes;
}

/* What comes from memory is asked for early: few vectors are computed at once where one takes long. */
static i32 bytes_ahead(const struct rows *rows) {
    enum { AHEAD = 4096 };
    const size_t cache = plan_cache(rows->plan);
    return cache > 0 && (size_t)bytes_of(&rows->params) >= cache ? AHEAD : 0;
}

static bool reads_dst(const struct rows *rows) {
    const struct rows_params *p = &rows->params;
    for (int o = 1; o < p->noperands; o++)
        if (p->operands[o].buffer == p->operands[0].buffer) return true;
    return false;
}

dnnl_status_t rows_end(struct rows *rows) {
    struct launch *launch;
    struct plan *plan = rows->plan;
    TRY(rows->status);
    if (md_nelems(&rows->dst, true) == 0) return dnnl_success;
    if (dt_bits(rows->dst.data_type) < 8) return end_narrow(rows);
    const i64 work = work_of_item(plan->device, md_nelems(&rows->dst, true));
    TRY(build_loops(rows, work));
    bool cpu = plan->device->info.class == DEVICE_CPU;
    struct range range = cut_work(&rows->params, plan->device, work);
    rows->params.ahead = bytes_ahead(rows);
    struct rows_params *p = plan_launch(plan, cpu ? &kernel_rows : &kernel_row_items, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = rows->params;
    for (int i = 0; i < ROW_BUFFERS; i++)
        launch_bind(launch, i < rows->nbuffers ? rows->buffers[i] : ARG_NOTHING);
    for (int i = 0; i < rows->nscalars; i++)
        launch_add_scalar(launch, rows->scalars[i], SCALAR_F32);
    if (!reads_dst(rows)) launch_may_stream_to(launch, rows->dst_arg, &p->streams);
    return dnnl_success;
}
