/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network that is trained, made from a table of layers: what the training examples in C share.
 *
 * One step of training is
 *     network_set_batch    images in, the gradient of the loss for their labels in
 *     network_forward      every layer, first to last; network_loss tells how good that was
 *     network_gradients    of the weights of one layer  }  for every layer, last to first
 *     network_backward     of the input of one layer    }
 *     network_update       weights -= rate * gradient
 *
 * Each is a list of primitives that was made once, by network_create. Nothing waits but network_set_batch,
 * network_loss and network_wait.
 */
#ifndef LODE_EXAMPLES_LIB_NETWORK_H
#define LODE_EXAMPLES_LIB_NETWORK_H

#include "../example.h"

enum { MAX_LAYERS = 32, MAX_STEPS = 6, MAX_ARGS = 5, MAX_PARAMETERS = 2, MAX_MEMORIES = 320 };

enum layer_kind { CONVOLUTION, RELU, LRN, POOLING, INNER_PRODUCT, LOG_SOFTMAX };

struct layer {
    enum layer_kind kind;
    int channels, kernel, stride, padding, groups;
};

/* A primitive with everything it needs to run, and a list of them. */
struct step {
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
};
struct steps {
    int count;
    struct step step[MAX_STEPS];
};

/* What is learned: the weights or the bias of a layer. Both memories are f32 and have the same layout. */
struct parameter {
    dnnl_memory_t value, gradient;
};

/* A layer in training. */
struct stage {
    const struct layer *layer;
    struct steps forward, gradients, backward, update;
    int nparameters;
    struct parameter parameter[MAX_PARAMETERS];

    dnnl_primitive_desc_t pd;                 /* of the forward primitive: the hint for backward ones */
    dnnl_memory_t src, weights, dst, scratch; /* in its layouts and types; scratch is its workspace */
};

struct network {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_data_type_t type; /* of everything but parameters, their gradients and the loss */
    float rate;
    uint32_t random;

    int nstages, nmemories;
    struct stage stages[MAX_LAYERS];
    dnnl_memory_t memories[MAX_MEMORIES]; /* all of them, to be destroyed */

    dnnl_memory_t images;        /* f32, nchw */
    dnnl_memory_t log_scores;    /* output of the last layer, LOG_SOFTMAX: f32, nc */
    dnnl_memory_t loss_gradient; /* with respect to log_scores */
};

/* `images` is the shape of a batch. The weights are random, the same on every engine; biases are 0. */
void network_create(struct network *net, dnnl_engine_t engine, dnnl_data_type_t type, float rate,
                    const struct layer *layers, int nlayers, const dnnl_dim_t images[4]);
void network_destroy(struct network *net);

/* The loss of an image is -log(score of its label). The loss of a step is the average over `total` images:
 * the batch, or the batches of all processes that train together. */
void network_set_batch(struct network *net, const float *images, const int *labels, int total);
void network_forward(struct network *net);
void network_gradients(struct network *net, int stage);
void network_backward(struct network *net, int stage);
void network_update(struct network *net);
/* The sum over the batch. */
double network_loss(struct network *net, const int *labels);
void network_wait(struct network *net);

/* A whole step on one process: returns the average loss before the update. */
double network_train(struct network *net, const float *images, const int *labels);

#endif
