/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains a small AlexNet in f32 on images that it makes itself.
 *
 *   cnn_training_f32 [ENGINE] [STEPS] [BATCH]    defaults: cpu 80 16
 *
 * ENGINE is cpu, gpu, or a runtime and a device (ze, ocl:1, sycl:0). The network starts without a clue, so
 * the loss starts near log(10) = 2.3. Exit status 1 if it does not end below 0.23; 77: there is no such
 * engine.
 *
 * lib/alexnet.c has the table of layers and the loop of training, lib/network.c the primitives of each layer:
 * forward, backward by data, backward by weights, update.
 */
#include "lib/alexnet.h"

int main(int argc, char **argv) {
    return alexnet_main(argc, argv, dnnl_f32);
}
