/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains the network of cnn_training_f32.c in bf16: images, weights and gradients between layers have half
 * the bytes. Weights are also kept in f32, because bf16 does not resolve the small changes of one step;
 * gradients of weights are f32, and so is the loss.
 *
 *   cnn_training_bf16 [ENGINE] [STEPS] [BATCH]    defaults: cpu 80 16
 *
 * Exit status 1 if the loss does not end below 0.23; 77: there is no such engine.
 */
#include "lib/alexnet.h"

int main(int argc, char **argv) {
    return alexnet_main(argc, argv, dnnl_bf16);
}
