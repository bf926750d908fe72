/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of src and weights for the matrix-product kernels, which apply them to sums: see gemm.h. */
#include "base/verbose.h"
#include "primitives/gemm.h"

struct gemm_dims gemm_dims_of(const struct plan *plan) {
    struct gemm_dims dims;
    int ndims = problem_md(&plan->problem, DNNL_ARG_SRC)->ndims;
    bool matmul = plan->problem.kind == dnnl_matmul;
    for (int d = 0; d < DNNL_MAX_NDIMS; d++) {
        dims.src[d] = matmul && d != ndims - 1 ? d : -1;
        dims.weights[d] = matmul && d != ndims - 2 ? d : -1;
    }
    if (matmul) return dims;
    /* Channels are numbered across all groups, which counts the groups if each has only one. */
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const int output = weights->ndims - ndims;
    dims.weights[output] = 1;
    if (output > 0 && weights->dims[output] == 1) dims.weights[0] = 1;
    return dims;
}

/* Does a parameter change only along dimensions that results have? */
static bool applies_to_results(const struct quants *quants, int arg, const int *dims) {
    const struct quant *quant = quants_find(quants, arg);
    for (int d = 0; quant && d < DNNL_MAX_NDIMS; d++)
        if ((quant->mask >> d & 1) != 0 && dims[d] < 0) return false;
    return !quant || quant->mode == dnnl_quantization_mode_static_sazp;
}

bool gemm_scales_fit(const struct plan *plan) {
    const struct quants *scales = &plan->attr.scales;
    const struct quant *of_weights = quants_find(scales, DNNL_ARG_WEIGHTS),
                       *of_dst = quants_find(scales, DNNL_ARG_DST);
    struct gemm_dims dims = gemm_dims_of(plan);
    enum { OUTPUTS_OF_GROUPS = 3 };
    bool grouped = plan->problem.kind != dnnl_matmul
                   && problem_md(&plan->problem, DNNL_ARG_WEIGHTS)->ndims
                              > problem_md(&plan->problem, DNNL_ARG_SRC)->ndims;
    if (grouped && of_weights && of_weights->mask == OUTPUTS_OF_GROUPS) dims.weights[0] = 1;
    if (of_dst && of_dst->mode != dnnl_quantization_mode_static_sazp) return false;
    return applies_to_results(scales, DNNL_ARG_SRC, dims.src)
           && applies_to_results(scales, DNNL_ARG_WEIGHTS, dims.weights);
}

dnnl_status_t gemm_find_scales(struct epilogue_build *ep, struct epilogue *epilogue) {
    const struct gemm_dims dims = gemm_dims_of(ep->plan);
    TRY(epilogue_scale(ep, &epilogue->src_scale, DNNL_ARG_SRC, dims.src));
    return epilogue_scale(ep, &epilogue->weights_scale, DNNL_ARG_WEIGHTS, dims.weights);
}

void gemm_describe_end(const struct epilogue *epilogue, int32_t *scaled, int32_t *finished) {
    *scaled = epilogue->src_scale.from != QUANT_NONE || epilogue->weights_scale.from != QUANT_NONE;
    *finished = epilogue->nops > 0 || epilogue->dst_scale.from != QUANT_NONE
                || epilogue->dst_zero_point.from != QUANT_NONE || epilogue->rounding.bits != 0;
}

static bool varies(const struct quants *quants, int arg) {
    const struct quant *quant = quants_find(quants, arg);
    return quant && quant->mask != 0;
}

bool gemm_is_by_position(const struct plan *plan, const struct epilogue *epilogue) {
    const attr_t *attr = &plan->attr;
    return epilogue->nops > 0 || varies(&attr->scales, DNNL_ARG_SRC) || varies(&attr->scales, DNNL_ARG_DST)
           || varies(&attr->zero_points, DNNL_ARG_DST);
}
