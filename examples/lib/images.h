/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data set of the training examples: images of coloured stripes, one direction of stripes per class, with
 * random phase, width and colours, and noise. C and C++.
 */
#ifndef LODE_EXAMPLES_LIB_IMAGES_H
#define LODE_EXAMPLES_LIB_IMAGES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { IMAGE_SIZE = 99, IMAGE_FLOATS = 3 * IMAGE_SIZE * IMAGE_SIZE, IMAGE_CLASSES = 10 };

static inline float image_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}

/* Writes image number `index` of the set, as planes of red, green and blue around 0. Returns its class. */
static inline int make_image(uint32_t index, float *pixels) {
    uint32_t state = index * 2654435761u + 12345u;
    const int label = (int)(index % IMAGE_CLASSES);
    const float pi = 3.14159265f, angle = pi * (float)label / IMAGE_CLASSES;
    const float width = 8.0f + 4.0f * image_random(&state), phase = 2.0f * pi * image_random(&state);
    const float dx = 2.0f * pi * cosf(angle) / width, dy = 2.0f * pi * sinf(angle) / width;
    for (int c = 0; c < 3; c++) {
        const float contrast = 0.5f + image_random(&state);
        float *plane = pixels + c * IMAGE_SIZE * IMAGE_SIZE;
        for (int i = 0; i < IMAGE_SIZE * IMAGE_SIZE; i++) {
            const float x = (float)(i % IMAGE_SIZE), y = (float)(i / IMAGE_SIZE);
            plane[i] = contrast * sinf(dx * x + dy * y + phase) + image_random(&state) - 0.5f;
        }
    }
    return label;
}

#endif
