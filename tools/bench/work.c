/* SPDX-License-Identifier: Apache-2.0 */
/* How much work a request is: work.h. */
#include "work.h"

#include <math.h>
#include <string.h>

static double elements(const struct tensor *tensor) {
    double count = tensor && tensor->ndims ? 1 : 0;
    for (int d = 0; tensor && d < tensor->ndims; d++)
        count *= (double)tensor->dims[d];
    return count;
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

static const struct tensor *main_tensor(const struct request *request) {
    const struct tensor *data = request_tensor(request, "data");
    return data ? data : request_tensor(request, "src");
}

static bool is_product(const struct request *request) {
    return request->kind == dnnl_convolution || request->kind == dnnl_deconvolution
           || request->kind == dnnl_inner_product || request->kind == dnnl_matmul;
}

/* Multiplications of a product of tensors, the same in every direction. */
static double multiplications(const struct request *request) {
    const struct tensor *src = request_tensor(request, "src"), *dst = request_tensor(request, "dst");
    const struct tensor *weights = request_tensor(request, "wei");
    if (!src || !dst || !weights) return 1;
    if (request->kind == dnnl_matmul) return elements(dst) * (double)weights->dims[weights->ndims - 2];
    const struct tensor *image = request->kind == dnnl_deconvolution ? src : dst;
    return elements(image) * elements(weights) / fmax(1, (double)image->dims[1]);
}

/* Terms of the longest sum of a product: how often the smallest of its results is added to. */
static double product_depth(const struct request *request) {
    const char *result = request->direction == dnnl_backward_data      ? "src"
                         : request->direction == dnnl_backward_weights ? "wei"
                                                                       : "dst";
    return multiplications(request) / fmax(1, elements(request_tensor(request, result)));
}

/* Terms of the longest sum of the others. */
static double sum_depth(const struct request *request) {
    const struct tensor *data = main_tensor(request), *dst = request_tensor(request, "dst");
    double all = elements(data), kernel = 1;
    if (!data) return 1;
    for (int d = 0; d < request->spatial; d++)
        kernel *= (double)request->kernel[d];
    switch (request->kind) {
    case dnnl_pooling: return kernel;
    case dnnl_lrn: return (double)(request->local_size * request->local_size);
    case dnnl_reduction: return all / fmax(1, elements(dst));
    case dnnl_softmax: return request->axis < data->ndims ? (double)data->dims[request->axis] : 1;
    case dnnl_prelu: return all / fmax(1, elements(request_tensor(request, "wei")));
    case dnnl_resampling: return fmax(1, elements(dst) / fmax(1, all));
    case dnnl_batch_normalization: return all / fmax(1, (double)data->dims[1]);
    case dnnl_group_normalization:
        return fmax(all / fmax(1, (double)(data->dims[0] * request->group)),
                    all / fmax(1, (double)data->dims[1]));
    case dnnl_layer_normalization: {
        double width = (double)data->dims[data->ndims - 1];
        return request_is_backward(request) ? fmax(width, all / fmax(1, width)) : width;
    }
    case dnnl_sum:
    case dnnl_concat: return request->tensor_count;
    default: return 1;
    }
}

/* Every step multiplies its input and its state with weights. */
static double rnn_depth(const struct request *request) {
    const struct tensor *src = request_tensor(request, "src_layer"),
                        *layer = request_tensor(request, "wei_layer");
    const struct tensor *iter = request_tensor(request, "wei_iter");
    return src && layer && iter ? (double)(src->dims[0] * (layer->dims[2] + iter->dims[2])) : 1;
}

static double rnn_multiplications(const struct request *request) {
    const struct tensor *src = request_tensor(request, "src_layer");
    double weights =
            elements(request_tensor(request, "wei_layer")) + elements(request_tensor(request, "wei_iter"));
    return src ? weights * (double)(src->dims[0] * src->dims[1]) : 1;
}

struct work request_work(const struct request *request) {
    struct work work = {0};
    double largest = 0;
    for (int i = 0; i < request->tensor_count; i++) {
        const struct tensor *tensor = &request->tensors[i];
        /* A line has one name for what is read and what is written, if both are alike. */
        bool twice =
                !strcmp(tensor->name, "data") ? !request_is_backward(request) : !strcmp(tensor->name, "diff");
        work.bytes += (twice ? 2 : 1) * elements(tensor) * type_bytes(tensor->type);
        largest = fmax(largest, elements(tensor));
    }
    if (request->kind == dnnl_rnn) {
        work.operations = 2 * rnn_multiplications(request);
        work.depth = rnn_depth(request);
    } else if (is_product(request)) {
        work.operations = 2 * multiplications(request);
        work.depth = product_depth(request);
    } else {
        work.depth = sum_depth(request);
        work.operations = request->kind == dnnl_pooling
                                  ? work.depth * elements(request_tensor(request, "dst"))
                                  : largest;
    }
    return work;
}
