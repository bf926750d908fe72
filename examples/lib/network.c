/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward and backward primitives for every layer of a table. Primitives choose their layouts: each is
 * created with `any`, and where two that follow each other disagree, `in_layout` puts a reorder between them.
 * That reorder also converts between f32 and bf16.
 */
#include "network.h"

#include <math.h>

enum { LRN_SIZE = 5 };
static const float lrn_alpha = 1e-4f, lrn_beta = 0.75f, lrn_k = 1.0f;
static const dnnl_dims_t no_padding = {0}, no_dilation = {0};

/* Descriptors and memory. */

static const_dnnl_memory_desc_t query(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index) {
    return dnnl_primitive_desc_query_md(pd, what, index);
}

/* The same shape in a layout that the primitive chooses. The caller destroys it. */
static dnnl_memory_desc_t any_like(const_dnnl_memory_desc_t md, dnnl_data_type_t type) {
    int ndims;
    const dnnl_dim_t *dims;
    CHECK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_dims, &dims));
    return make_desc(ndims, dims, type, dnnl_format_tag_any);
}

static void destroy_descs(dnnl_memory_desc_t *mds, int count) {
    for (int i = 0; i < count; i++)
        CHECK(dnnl_memory_desc_destroy(mds[i]));
}

static dnnl_memory_t add_memory(struct network *net, const_dnnl_memory_desc_t md) {
    dnnl_memory_t *memory = &net->memories[net->nmemories++];
    CHECK(dnnl_memory_create(memory, md, net->engine, DNNL_MEMORY_ALLOCATE));
    return *memory;
}

/* Steps. */

static struct step *add_step(struct steps *steps, dnnl_primitive_desc_t pd) {
    struct step *step = &steps->step[steps->count++];
    CHECK(dnnl_primitive_create(&step->primitive, pd));
    return step;
}

static void add_arg(struct step *step, int arg, dnnl_memory_t memory) {
    if (memory) step->args[step->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

static void run(const struct network *net, const struct steps *steps) {
    for (int i = 0; i < steps->count; i++)
        CHECK(dnnl_primitive_execute(steps->step[i].primitive, net->stream, steps->step[i].nargs,
                                     steps->step[i].args));
}

static void destroy_steps(struct steps *steps) {
    for (int i = 0; i < steps->count; i++)
        CHECK(dnnl_primitive_destroy(steps->step[i].primitive));
    steps->count = 0;
}

static void add_reorder(struct network *net, struct steps *steps, dnnl_memory_t from, dnnl_memory_t to) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), net->engine, desc_of(to), net->engine,
                                             NULL));
    struct step *step = add_step(steps, pd);
    add_arg(step, DNNL_ARG_FROM, from);
    add_arg(step, DNNL_ARG_TO, to);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* `memory` if it has this layout and type, else a new one that the steps reorder into. */
static dnnl_memory_t in_layout(struct network *net, struct steps *steps, dnnl_memory_t memory,
                               const_dnnl_memory_desc_t md) {
    if (dnnl_memory_desc_equal(desc_of(memory), md)) return memory;
    dnnl_memory_t to = add_memory(net, md);
    add_reorder(net, steps, memory, to);
    return to;
}

/* Forward. `pd` becomes the stage's; its source is what the layers so far put out. */

static struct step *add_forward(struct network *net, struct stage *stage, dnnl_primitive_desc_t pd,
                                dnnl_memory_t input) {
    const_dnnl_memory_desc_t workspace = query(pd, dnnl_query_workspace_md, 0);
    stage->pd = pd;
    stage->src = in_layout(net, &stage->forward, input, query(pd, dnnl_query_src_md, 0));
    stage->dst = add_memory(net, query(pd, dnnl_query_dst_md, 0));
    if (dnnl_memory_desc_get_size(workspace)) stage->scratch = add_memory(net, workspace);
    struct step *step = add_step(&stage->forward, pd);
    add_arg(step, DNNL_ARG_SRC, stage->src);
    add_arg(step, DNNL_ARG_DST, stage->dst);
    add_arg(step, DNNL_ARG_WORKSPACE, stage->scratch);
    return step;
}

/* Random values in the layout `md`, whatever that is: written in a plain one and reordered. */
static dnnl_memory_t random_values(struct network *net, dnnl_memory_desc_t plain, const_dnnl_memory_desc_t md,
                                   float limit) {
    dnnl_memory_t user = add_memory(net, plain);
    fill(user, limit, &net->random);
    struct steps once = {0};
    dnnl_memory_t value = in_layout(net, &once, user, md);
    run(net, &once);
    network_wait(net);
    destroy_steps(&once);
    return value;
}

static struct parameter *add_parameter(struct network *net, struct stage *stage, dnnl_memory_desc_t plain,
                                       const_dnnl_memory_desc_t md, float limit) {
    struct parameter *parameter = &stage->parameter[stage->nparameters++];
    parameter->value = random_values(net, plain, md, limit);
    return parameter;
}

/* In f32 the weights are kept in the layout that the forward primitive chose. In bf16 they are kept in f32,
 * in a plain layout, because the changes of one step are smaller than bf16 resolves; each step converts them.
 */
static void add_weighted(struct network *net, struct stage *stage, dnnl_primitive_desc_t pd,
                         dnnl_memory_t input, dnnl_memory_desc_t weights, dnnl_memory_desc_t bias,
                         dnnl_dim_t fan_in) {
    const_dnnl_memory_desc_t wanted = query(pd, dnnl_query_weights_md, 0);
    const_dnnl_memory_desc_t kept = net->type == dnnl_f32 ? wanted : weights;
    const float gain =
            stage->layer[1].kind == RELU ? 6.0f : 0.06f; /* scores start small: all classes alike */
    const struct parameter *w = add_parameter(net, stage, weights, kept, sqrtf(gain / (float)fan_in));
    const struct parameter *b = add_parameter(net, stage, bias, bias, 0.0f);
    stage->weights = in_layout(net, &stage->forward, w->value, wanted);
    struct step *step = add_forward(net, stage, pd, input);
    add_arg(step, DNNL_ARG_WEIGHTS, stage->weights);
    add_arg(step, DNNL_ARG_BIAS, b->value);
}

static dnnl_dim_t window_count(dnnl_dim_t size, const struct layer *layer) {
    return (size + 2 * layer->padding - layer->kernel) / layer->stride + 1;
}

static void add_convolution(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const struct layer *layer = stage->layer;
    const dnnl_dim_t *src;
    dims_of(input, &src);
    const dnnl_dim_t oc = layer->channels, k = layer->kernel, g = layer->groups ? layer->groups : 1;
    const dnnl_dim_t dst[] = {src[0], oc, window_count(src[2], layer), window_count(src[3], layer)};
    const dnnl_dim_t weights[] = {g, oc / g, src[1] / g, k, k};
    const dnnl_dims_t strides = {layer->stride, layer->stride}, padding = {layer->padding, layer->padding};
    const int skip = g == 1; /* without groups, weights have four dimensions */
    dnnl_memory_desc_t mds[] = {
            make_desc(4, src, net->type, dnnl_format_tag_any),
            make_desc(5 - skip, weights + skip, net->type, dnnl_format_tag_any),
            make_desc(4, dst, net->type, dnnl_format_tag_any),
            make_desc(5 - skip, weights + skip, dnnl_f32, skip ? dnnl_oihw : dnnl_goihw),
            make_desc(1, &oc, dnnl_f32, dnnl_a),
    };
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(
            &pd, net->engine, dnnl_forward_training, dnnl_convolution_direct, mds[0], mds[1], mds[4], mds[2],
            strides, no_dilation, padding, padding, NULL));
    add_weighted(net, stage, pd, input, mds[3], mds[4], src[1] / g * k * k);
    destroy_descs(mds, 5);
}

static void add_inner_product(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const dnnl_dim_t *src;
    const int ndims = dims_of(input, &src);
    const dnnl_dim_t oc = stage->layer->channels, dst[] = {src[0], oc};
    dnnl_dims_t weights = {oc};
    dnnl_dim_t fan_in = 1;
    for (int d = 1; d < ndims; d++)
        fan_in *= weights[d] = src[d];
    dnnl_memory_desc_t mds[] = {
            make_desc(ndims, src, net->type, dnnl_format_tag_any),
            make_desc(ndims, weights, net->type, dnnl_format_tag_any),
            make_desc(2, dst, net->type, dnnl_format_tag_any),
            make_desc(ndims, weights, dnnl_f32, ndims == 4 ? dnnl_oihw : dnnl_oi),
            make_desc(1, &oc, dnnl_f32, dnnl_a),
    };
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_inner_product_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_training, mds[0],
                                                           mds[1], mds[4], mds[2], NULL));
    add_weighted(net, stage, pd, input, mds[3], mds[4], fan_in);
    destroy_descs(mds, 5);
}

/* In place. Its backward primitive is of the form that needs the output, not the input. */
static void add_relu(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const_dnnl_memory_desc_t md = desc_of(input);
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&stage->pd, net->engine, dnnl_forward_training,
                                                     dnnl_eltwise_relu_use_dst_for_bwd, md, md, 0.0f, 0.0f,
                                                     NULL));
    stage->src = stage->dst = input;
    struct step *step = add_step(&stage->forward, stage->pd);
    add_arg(step, DNNL_ARG_SRC, input);
    add_arg(step, DNNL_ARG_DST, input);
}

static void add_lrn(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const_dnnl_memory_desc_t md = desc_of(input);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_lrn_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_training,
                                                 dnnl_lrn_across_channels, md, md, LRN_SIZE, lrn_alpha,
                                                 lrn_beta, lrn_k, NULL));
    add_forward(net, stage, pd, input);
}

static void add_pooling(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const struct layer *layer = stage->layer;
    const dnnl_dim_t *src;
    dims_of(input, &src);
    const dnnl_dim_t dst[] = {src[0], src[1], window_count(src[2], layer), window_count(src[3], layer)};
    const dnnl_dims_t strides = {layer->stride, layer->stride}, kernel = {layer->kernel, layer->kernel};
    dnnl_memory_desc_t dst_any = make_desc(4, dst, net->type, dnnl_format_tag_any);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_pooling_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_training,
                                                     dnnl_pooling_max, desc_of(input), dst_any, strides,
                                                     kernel, no_dilation, no_padding, no_padding, NULL));
    add_forward(net, stage, pd, input);
    destroy_descs(&dst_any, 1);
}

static void add_log_softmax(struct network *net, struct stage *stage, dnnl_memory_t input) {
    const dnnl_dim_t *dims;
    dims_of(input, &dims);
    dnnl_memory_desc_t md = make_desc(2, dims, dnnl_f32, dnnl_nc);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_training,
                                                     dnnl_softmax_log, md, md, 1, NULL));
    add_forward(net, stage, pd, input);
    destroy_descs(&md, 1);
}

/* Backward. Each function takes the gradient of the stage's output and returns that of its input. */

static dnnl_memory_t add_backward(struct network *net, struct stage *stage, dnnl_primitive_desc_t pd,
                                  dnnl_memory_t diff_dst) {
    diff_dst = in_layout(net, &stage->backward, diff_dst, query(pd, dnnl_query_diff_dst_md, 0));
    dnnl_memory_t weights = stage->weights;
    if (weights) weights = in_layout(net, &stage->backward, weights, query(pd, dnnl_query_weights_md, 0));
    dnnl_memory_t diff_src = add_memory(net, query(pd, dnnl_query_diff_src_md, 0));
    struct step *step = add_step(&stage->backward, pd);
    add_arg(step, DNNL_ARG_DIFF_DST, diff_dst);
    add_arg(step, DNNL_ARG_DIFF_SRC, diff_src);
    add_arg(step, DNNL_ARG_WEIGHTS, weights);
    add_arg(step, DNNL_ARG_WORKSPACE, stage->scratch);
    if (stage->layer->kind == LRN) add_arg(step, DNNL_ARG_SRC, stage->src);
    if (stage->layer->kind == LOG_SOFTMAX) add_arg(step, DNNL_ARG_DST, stage->dst);
    CHECK(dnnl_primitive_desc_destroy(pd));
    return diff_src;
}

/* The gradients of weights and bias end in the layouts of these, so that the update is a plain sum. */
static void add_gradients(struct network *net, struct stage *stage, dnnl_primitive_desc_t pd,
                          dnnl_memory_t diff_dst) {
    struct steps *steps = &stage->gradients;
    dnnl_memory_t src = in_layout(net, steps, stage->src, query(pd, dnnl_query_src_md, 0));
    diff_dst = in_layout(net, steps, diff_dst, query(pd, dnnl_query_diff_dst_md, 0));
    dnnl_memory_t diff[2];
    for (int i = 0; i < 2; i++)
        diff[i] = add_memory(net, query(pd, dnnl_query_diff_weights_md, i));
    struct step *step = add_step(steps, pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DIFF_DST, diff_dst);
    add_arg(step, DNNL_ARG_DIFF_WEIGHTS, diff[0]);
    add_arg(step, DNNL_ARG_DIFF_BIAS, diff[1]);
    for (int i = 0; i < 2; i++)
        stage->parameter[i].gradient = in_layout(net, steps, diff[i], desc_of(stage->parameter[i].value));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* src, weights and dst of a layer with weights, in any layout, and the weights' gradient, which is f32. */
enum { SRC, WEIGHTS, DST, DIFF_WEIGHTS, ROLES };

static void any_layouts(const struct network *net, const struct stage *stage, dnnl_memory_desc_t mds[ROLES]) {
    mds[SRC] = any_like(desc_of(stage->src), net->type);
    mds[WEIGHTS] = any_like(desc_of(stage->weights), net->type);
    mds[DST] = any_like(desc_of(stage->dst), net->type);
    mds[DIFF_WEIGHTS] = any_like(desc_of(stage->weights), dnnl_f32);
}

static dnnl_memory_t back_convolution(struct network *net, struct stage *stage, dnnl_memory_t diff_dst,
                                      bool first) {
    const struct layer *layer = stage->layer;
    const dnnl_dims_t strides = {layer->stride, layer->stride}, padding = {layer->padding, layer->padding};
    dnnl_memory_desc_t mds[ROLES];
    any_layouts(net, stage, mds);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_backward_weights_primitive_desc_create(
            &pd, net->engine, dnnl_convolution_direct, mds[SRC], mds[DIFF_WEIGHTS],
            desc_of(stage->parameter[1].value), mds[DST], strides, no_dilation, padding, padding, stage->pd,
            NULL));
    add_gradients(net, stage, pd, diff_dst);
    dnnl_memory_t diff_src = NULL;
    if (!first) {
        CHECK(dnnl_convolution_backward_data_primitive_desc_create(
                &pd, net->engine, dnnl_convolution_direct, mds[SRC], mds[WEIGHTS], mds[DST], strides,
                no_dilation, padding, padding, stage->pd, NULL));
        diff_src = add_backward(net, stage, pd, diff_dst);
    }
    destroy_descs(mds, ROLES);
    return diff_src;
}

static dnnl_memory_t back_inner_product(struct network *net, struct stage *stage, dnnl_memory_t diff_dst,
                                        bool first) {
    dnnl_memory_desc_t mds[ROLES];
    any_layouts(net, stage, mds);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_inner_product_backward_weights_primitive_desc_create(
            &pd, net->engine, mds[SRC], mds[DIFF_WEIGHTS], desc_of(stage->parameter[1].value), mds[DST],
            stage->pd, NULL));
    add_gradients(net, stage, pd, diff_dst);
    dnnl_memory_t diff_src = NULL;
    if (!first) {
        CHECK(dnnl_inner_product_backward_data_primitive_desc_create(&pd, net->engine, mds[SRC], mds[WEIGHTS],
                                                                     mds[DST], stage->pd, NULL));
        diff_src = add_backward(net, stage, pd, diff_dst);
    }
    destroy_descs(mds, ROLES);
    return diff_src;
}

/* In place, like the forward primitive. */
static dnnl_memory_t back_relu(struct network *net, struct stage *stage, dnnl_memory_t diff_dst, bool first) {
    (void)first;
    const_dnnl_memory_desc_t md = desc_of(stage->dst);
    diff_dst = in_layout(net, &stage->backward, diff_dst, md);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_backward_primitive_desc_create(&pd, net->engine, dnnl_eltwise_relu_use_dst_for_bwd, md,
                                                      md, md, 0.0f, 0.0f, stage->pd, NULL));
    struct step *step = add_step(&stage->backward, pd);
    add_arg(step, DNNL_ARG_DST, stage->dst);
    add_arg(step, DNNL_ARG_DIFF_DST, diff_dst);
    add_arg(step, DNNL_ARG_DIFF_SRC, diff_dst);
    CHECK(dnnl_primitive_desc_destroy(pd));
    return diff_dst;
}

static dnnl_memory_t back_lrn(struct network *net, struct stage *stage, dnnl_memory_t diff_dst, bool first) {
    (void)first;
    const_dnnl_memory_desc_t md = desc_of(stage->src);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_lrn_backward_primitive_desc_create(&pd, net->engine, dnnl_lrn_across_channels, md, md, md,
                                                  LRN_SIZE, lrn_alpha, lrn_beta, lrn_k, stage->pd, NULL));
    return add_backward(net, stage, pd, diff_dst);
}

static dnnl_memory_t back_pooling(struct network *net, struct stage *stage, dnnl_memory_t diff_dst,
                                  bool first) {
    (void)first;
    const struct layer *layer = stage->layer;
    const dnnl_dims_t strides = {layer->stride, layer->stride}, kernel = {layer->kernel, layer->kernel};
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_pooling_backward_primitive_desc_create(&pd, net->engine, dnnl_pooling_max, desc_of(stage->src),
                                                      desc_of(stage->dst), strides, kernel, no_dilation,
                                                      no_padding, no_padding, stage->pd, NULL));
    return add_backward(net, stage, pd, diff_dst);
}

static dnnl_memory_t back_log_softmax(struct network *net, struct stage *stage, dnnl_memory_t diff_dst,
                                      bool first) {
    (void)first;
    const_dnnl_memory_desc_t md = desc_of(stage->dst);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_softmax_backward_primitive_desc_create(&pd, net->engine, dnnl_softmax_log, md, md, md, 1,
                                                      stage->pd, NULL));
    return add_backward(net, stage, pd, diff_dst);
}

/* Update: value = value - rate * gradient, in place. */
static void add_update(struct network *net, struct stage *stage, const struct parameter *parameter) {
    const float scales[] = {1.0f, -net->rate};
    const_dnnl_memory_desc_t md = desc_of(parameter->value), mds[] = {md, md};
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_sum_primitive_desc_create(&pd, net->engine, md, 2, scales, mds, NULL));
    struct step *step = add_step(&stage->update, pd);
    add_arg(step, DNNL_ARG_MULTIPLE_SRC, parameter->value);
    add_arg(step, DNNL_ARG_MULTIPLE_SRC + 1, parameter->gradient);
    add_arg(step, DNNL_ARG_DST, parameter->value);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static const struct {
    void (*forward)(struct network *net, struct stage *stage, dnnl_memory_t input);
    dnnl_memory_t (*backward)(struct network *net, struct stage *stage, dnnl_memory_t diff_dst, bool first);
} kinds[] = {
        [CONVOLUTION] = {add_convolution, back_convolution},
        [RELU] = {add_relu, back_relu},
        [LRN] = {add_lrn, back_lrn},
        [POOLING] = {add_pooling, back_pooling},
        [INNER_PRODUCT] = {add_inner_product, back_inner_product},
        [LOG_SOFTMAX] = {add_log_softmax, back_log_softmax},
};

void network_create(struct network *net, dnnl_engine_t engine, dnnl_data_type_t type, float rate,
                    const struct layer *layers, int nlayers, const dnnl_dim_t images[4]) {
    *net = (struct network){.engine = engine, .type = type, .rate = rate, .random = 1, .nstages = nlayers};
    CHECK(dnnl_stream_create(&net->stream, engine, dnnl_stream_default_flags));
    dnnl_memory_desc_t images_md = make_desc(4, images, dnnl_f32, dnnl_nchw);
    net->images = add_memory(net, images_md);
    destroy_descs(&images_md, 1);

    dnnl_memory_t last = net->images;
    for (int i = 0; i < nlayers; i++) {
        struct stage *stage = &net->stages[i];
        stage->layer = &layers[i];
        kinds[layers[i].kind].forward(net, stage, last);
        last = stage->dst;
    }
    net->log_scores = last;
    last = net->loss_gradient = add_memory(net, desc_of(last));
    for (int i = nlayers - 1; i >= 0; i--) {
        struct stage *stage = &net->stages[i];
        last = kinds[layers[i].kind].backward(net, stage, last, i == 0);
        for (int p = 0; p < stage->nparameters; p++)
            add_update(net, stage, &stage->parameter[p]);
    }
}

void network_destroy(struct network *net) {
    for (int i = 0; i < net->nstages; i++) {
        struct stage *stage = &net->stages[i];
        struct steps *all[] = {&stage->forward, &stage->gradients, &stage->backward, &stage->update};
        for (int k = 0; k < 4; k++)
            destroy_steps(all[k]);
        CHECK(dnnl_primitive_desc_destroy(stage->pd));
    }
    for (int i = 0; i < net->nmemories; i++)
        CHECK(dnnl_memory_destroy(net->memories[i]));
    CHECK(dnnl_stream_destroy(net->stream));
}

void network_wait(struct network *net) {
    CHECK(dnnl_stream_wait(net->stream));
}

/* The loss is -1/total times the sum of the labels' log scores: so is its gradient, and 0 elsewhere. */
void network_set_batch(struct network *net, const float *images, const int *labels, int total) {
    network_wait(net);
    float *to = map(net->images);
    memcpy(to, images, float_count(net->images) * sizeof(float));
    unmap(net->images, to);

    const dnnl_dim_t *dims;
    dims_of(net->loss_gradient, &dims);
    float *gradient = map(net->loss_gradient);
    memset(gradient, 0, float_count(net->loss_gradient) * sizeof(float));
    for (dnnl_dim_t n = 0; n < dims[0]; n++)
        gradient[n * dims[1] + labels[n]] = -1.0f / (float)total;
    unmap(net->loss_gradient, gradient);
}

double network_loss(struct network *net, const int *labels) {
    network_wait(net);
    const dnnl_dim_t *dims;
    dims_of(net->log_scores, &dims);
    double loss = 0;
    float *scores = map(net->log_scores);
    for (dnnl_dim_t n = 0; n < dims[0]; n++)
        loss -= (double)scores[n * dims[1] + labels[n]];
    unmap(net->log_scores, scores);
    return loss;
}

void network_forward(struct network *net) {
    for (int i = 0; i < net->nstages; i++)
        run(net, &net->stages[i].forward);
}

void network_gradients(struct network *net, int stage) {
    run(net, &net->stages[stage].gradients);
}

void network_backward(struct network *net, int stage) {
    run(net, &net->stages[stage].backward);
}

void network_update(struct network *net) {
    for (int i = 0; i < net->nstages; i++)
        run(net, &net->stages[i].update);
}

double network_train(struct network *net, const float *images, const int *labels) {
    const dnnl_dim_t *dims;
    dims_of(net->images, &dims);
    const int batch = (int)dims[0];
    network_set_batch(net, images, labels, batch);
    network_forward(net);
    for (int i = net->nstages - 1; i >= 0; i--) {
        network_gradients(net, i);
        network_backward(net, i);
    }
    network_update(net);
    return network_loss(net, labels) / batch;
}
