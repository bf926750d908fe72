/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small AlexNet and its training on the images of images.h: the layers of AlexNet with half the channels,
 * an eighth of the neurons and smaller images. 1.1 million parameters.
 */
#ifndef LODE_EXAMPLES_LIB_ALEXNET_H
#define LODE_EXAMPLES_LIB_ALEXNET_H

#include "images.h"
#include "network.h"

enum { ALEXNET_LAYERS = 21 };
static const float alexnet_rate = 0.006f; /* of learning */
extern const struct layer alexnet[ALEXNET_LAYERS];

/* Image n of the set is at images + n * IMAGE_FLOATS. */
struct data_set {
    float *images;
    int *labels;
};
enum { DATA_SET_SIZE = 160 };
struct data_set data_set_create(void);
void data_set_destroy(struct data_set *data);

/* The whole program: PROGRAM [ENGINE] [STEPS] [BATCH]. Exit status 0 if the loss fell as expected. */
int alexnet_main(int argc, char **argv, dnnl_data_type_t type);

#endif
