/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul of a sparse and a dense matrix: see kernels/sparse.cl. The sparse one has compressed rows (CSR), or
 * coordinates (COO), which a launch compresses first.
 */
#include "base/round.h"
#include "kernels/params_sparse.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/tensor.h"

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

static bool is_sparse(const md_t *md) {
    return md->format_kind == dnnl_format_kind_sparse;
}

static bool is_matrix(const md_t *md) {
    return md->ndims == 2 && md_is_plain(md) && (md->dims[1] == 1 || md->blocking.strides[1] == 1);
}

/* The sparse matrix as the product reads it: three buffers of one argument, and offsets in them. */
struct rows {
    int arg;
    dnnl_data_type_t type;
    dnnl_dim_t count, values, indices, pointers;
};

/* The argument that is sparse; 0: none, or both. */
static int sparse_arg(const struct plan *plan) {
    bool src = is_sparse(tensor(plan, DNNL_ARG_SRC)), weights = is_sparse(tensor(plan, DNNL_ARG_WEIGHTS));
    if (src == weights) return 0;
    return src ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS;
}

static bool has_known_form(const md_t *md) {
    const struct md_sparse *sparse = &md->sparse;
    if (md->ndims != 2 || sparse->metadata_types[0] != dnnl_s32) return false;
    return sparse->encoding == dnnl_coo
           || (sparse->encoding == dnnl_csr && sparse->metadata_types[1] == dnnl_s32);
}

static dnnl_status_t accepts(const struct plan *plan, int sparse, int dense) {
    const md_t *dst = tensor(plan, DNNL_ARG_DST);
    if (!sparse) return plan_skip(plan, "neither src nor weights are sparse, or both are");
    if (!has_known_form(tensor(plan, sparse))) return plan_skip(plan, "the encoding of the sparse matrix");
    if (!in_set(BIT(dnnl_f32) | BIT(dnnl_f16), dst->data_type)
        || tensor(plan, sparse)->data_type != dst->data_type
        || tensor(plan, dense)->data_type != dst->data_type)
        return plan_skip(plan, "tensors are not all f32 or all f16");
    if (tensor(plan, DNNL_ARG_BIAS)) return plan_skip(plan, "bias");
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    return dnnl_success;
}

static dnnl_dim_t reserve(struct plan *plan, dnnl_dim_t elements) {
    return (dnnl_dim_t)(plan_scratchpad(plan, (size_t)elements * sizeof(float)) / sizeof(float));
}

/* Coordinates become compressed rows in scratchpad. */
static dnnl_status_t compress(struct plan *plan, struct rows *rows) {
    const md_t *md = tensor(plan, rows->arg);
    struct launch *launch;
    struct sparse_compress_params *p =
            plan_launch(plan, &kernel_sparse_compress, range_of_groups(1, 1, 1), &launch);
    if (!p) return dnnl_out_of_memory;
    p->rows = md->dims[0], p->columns = md->dims[1], p->count = md->sparse.nnz;
    p->type = (i32)md->data_type;
    p->values = rows->values = reserve(plan, md->sparse.nnz);
    p->indices = rows->indices = reserve(plan, md->sparse.nnz);
    p->pointers = rows->pointers = reserve(plan, md->dims[0] + 2);
    for (int handle = 0; handle < 3; handle++)
        launch_bind_handle(launch, rows->arg, handle);
    for (int i = 0; i < 3; i++)
        launch_bind(launch, ARG_SCRATCHPAD);
    rows->arg = ARG_SCRATCHPAD, rows->type = dnnl_f32;
    return dnnl_success;
}

static void fill(struct plan *plan, struct sparse_params *p, struct launch *launch, const struct rows *rows,
                 int dense) {
    const md_t *md = tensor(plan, dense), *dst = tensor(plan, DNNL_ARG_DST);
    p->values = rows->values, p->indices = rows->indices, p->pointers = rows->pointers;
    p->values_type = (i32)rows->type, p->dense_type = (i32)md->data_type, p->dst_type = (i32)dst->data_type;
    p->dense_offset = md->offset0, p->dense_row = md->blocking.strides[0];
    p->dst_offset = dst->offset0, p->dst_row = dst->blocking.strides[0];
    p->rows = dst->dims[0], p->columns = dst->dims[1], p->depth = tensor(plan, DNNL_ARG_SRC)->dims[1];
    p->count = rows->count;
    for (int handle = 0; handle < 3; handle++)
        launch_bind_handle(launch, rows->arg, handle);
    launch_bind(launch, dense);
    launch_bind(launch, DNNL_ARG_DST);
}

static dnnl_status_t multiply(struct plan *plan, const struct rows *rows, int dense) {
    const md_t *dst = tensor(plan, DNNL_ARG_DST);
    bool by_dense = dense == DNNL_ARG_WEIGHTS;
    dnnl_dim_t blocks = divide_up(dst->dims[0], by_dense ? SPARSE_ROWS : SPARSE_LANES);
    struct range range = by_dense ? range_of_groups(divide_up(dst->dims[1], SPARSE_WIDTH), blocks, 1)
                                  : range_of_groups(blocks, 1, 1);
    struct launch *launch;
    struct sparse_params *p =
            plan_launch(plan, by_dense ? &kernel_sparse_by_dense : &kernel_dense_by_sparse, range, &launch);
    if (!p) return dnnl_out_of_memory;
    fill(plan, p, launch, rows, dense);
    if (by_dense) return dnnl_success;
    p->sums = reserve(plan, blocks * SPARSE_LANES * dst->dims[1]);
    launch_bind(launch, ARG_SCRATCHPAD);
    return dnnl_success;
}

dnnl_status_t sparse_build_matmul(struct plan *plan) {
    int sparse = sparse_arg(plan), dense = sparse == DNNL_ARG_SRC ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC;
    TRY(accepts(plan, sparse, dense));
    TRY(md_set_any(problem_md(&plan->problem, dense), "ab"));
    TRY(md_set_any(problem_md(&plan->problem, DNNL_ARG_DST), "ab"));
    if (!is_matrix(tensor(plan, dense)) || !is_matrix(tensor(plan, DNNL_ARG_DST)))
        return plan_skip(plan, "rows of the dense matrix or of dst are not dense");
    if (md_nelems(tensor(plan, DNNL_ARG_DST), false) == 0) return dnnl_success;
    struct rows rows = {.arg = sparse,
                        .type = tensor(plan, sparse)->data_type,
                        .count = tensor(plan, sparse)->sparse.nnz};
    if (tensor(plan, sparse)->sparse.encoding == dnnl_coo) TRY(compress(plan, &rows));
    return multiply(plan, &rows, dense);
}
