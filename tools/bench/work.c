/* SPDX-License-Identifier: Apache-2.0 */
/* How much work a request is: work.h. */
#include "work.h"

#include <math.h>

static double elements(const struct tensor *tensor) {
    double count = 1;
    for (int d = 0; tensor && d < tensor->ndims; d++)
        count *= (double)tensor->dims[d];
    return tensor ? count : 0;
}

static double type_bytes(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f64:
    case dnnl_s64: return 8;
    case dnnl_f32:
    case dnnl_s32: return 4;
    case dnnl_f16:
    case dnnl_bf16: return 2;
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1: return 0.5;
    default: return 1;
    }
}

/* Terms of a sum of a product: of the forward pass, or of the pass that the request asks for. */
static double product_depth(const struct request *request, double forward) {
    const struct tensor *src = request_tensor(request, "src"), *dst = request_tensor(request, "dst");
    const struct tensor *weights = request_tensor(request, "wei");
    double operations = elements(dst) * forward;
    if (request->direction == dnnl_backward_data) return operations / fmax(1, elements(src));
    if (request->direction == dnnl_backward_weights) return operations / fmax(1, elements(weights));
    return forward;
}

static double forward_depth(const struct request *request) {
    const struct tensor *src = request_tensor(request, "src"), *dst = request_tensor(request, "dst");
    const struct tensor *weights = request_tensor(request, "wei");
    double kernel = 1;
    for (int d = 0; d < request->spatial; d++)
        kernel *= (double)request->kernel[d];
    switch (request->kind) {
    case dnnl_matmul: return weights ? (double)weights->dims[weights->ndims - 2] : 1;
    case dnnl_convolution:
    case dnnl_deconvolution:
    case dnnl_inner_product: return dst ? elements(weights) / fmax(1, (double)dst->dims[1]) : 1;
    case dnnl_pooling: return kernel;
    case dnnl_reduction: return elements(src) / fmax(1, elements(dst));
    default: return 1;
    }
}

struct work request_work(const struct request *request) {
    struct work work = {0};
    double largest = 0;
    for (int i = 0; i < request->tensor_count; i++) {
        double count = elements(&request->tensors[i]);
        work.bytes += count * type_bytes(request->tensors[i].type);
        largest = fmax(largest, count);
    }
    double depth = forward_depth(request);
    bool product = request_tensor(request, "wei") && request->kind != dnnl_prelu;
    work.operations = (product ? 2 : 1) * fmax(1, elements(request_tensor(request, "dst"))) * depth;
    if (!product && depth == 1) work.operations = largest;
    bool norm = request->kind == dnnl_batch_normalization || request->kind == dnnl_layer_normalization
                || request->kind == dnnl_group_normalization || request->kind == dnnl_softmax
                || (request_is_backward(request) && !product);
    /* Sums over a whole tensor at worst. */
    work.depth = product ? product_depth(request, depth) : norm ? largest : depth;
    return work;
}
