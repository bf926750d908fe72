/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: see window.h. */
#include "primitives/window.h"
#include "base/round.h"
#include "primitives/tensor.h"

bool window_extent(const struct window_axis *axis, dnnl_dim_t *extent) {
    dnnl_dim_t step, steps, reach;
    return !__builtin_add_overflow(axis->dilation, 1, &step)
           && !__builtin_sub_overflow(axis->kernel, 1, &steps) && !__builtin_mul_overflow(steps, step, &reach)
           && !__builtin_add_overflow(reach, 1, extent);
}

bool window_places(const struct window_axis *axis, dnnl_dim_t *places) {
    dnnl_dim_t extent, room;
    if (!window_extent(axis, &extent) || __builtin_sub_overflow(axis->src, extent, &room)
        || __builtin_add_overflow(room, axis->padding_l, &room)
        || __builtin_add_overflow(room, axis->padding_r, &room))
        return false;
    *places = room / axis->stride + 1;
    return true;
}

struct window_axis window_axis(const struct window_vectors *window, int i, dnnl_dim_t src, dnnl_dim_t dst) {
    return (struct window_axis){
            .src = src,
            .dst = dst,
            .kernel = window->kernel ? window->kernel[i] : 0,
            .stride = window->strides[i],
            .dilation = window->dilates ? window->dilates[i] : 0,
            .padding_l = window->padding_l[i],
            .padding_r = (window->padding_r ? window->padding_r : window->padding_l)[i],
    };
}

void problem_set_window(struct problem *problem, const struct window_vectors *window, int nspatial) {
    for (int i = 0; i < nspatial; i++) {
        struct window_axis axis = window_axis(window, i, 0, 0);
        problem->kernel[i] = axis.kernel;
        problem->strides[i] = axis.stride;
        problem->dilates[i] = axis.dilation;
        problem->padding_l[i] = axis.padding_l;
        problem->padding_r[i] = axis.padding_r;
    }
}

void window_init(struct window *window, const struct problem *problem, const md_t *src) {
    for (int i = 0; i < WINDOW_DIMS; i++) {
        bool there = i + 2 < src->ndims;
        window->size[i] = there ? src->dims[i + 2] : 1;
        window->taps[i] = there ? problem->kernel[i] : 1;
        window->stride[i] = there ? problem->strides[i] : 1;
        window->step[i] = there ? problem->dilates[i] + 1 : 1;
        window->padding[i] = there ? problem->padding_l[i] : 0;
    }
}

struct window window_over(const md_t *src) {
    struct window window;
    for (int i = 0; i < WINDOW_DIMS; i++) {
        window.size[i] = window.taps[i] = i + 2 < src->ndims ? src->dims[i + 2] : 1;
        window.stride[i] = window.step[i] = 1;
        window.padding[i] = 0;
    }
    return window;
}

struct window window_from_last(const struct window *window, int nspatial) {
    struct window moved;
    for (int i = 0; i < WINDOW_DIMS; i++) {
        int from = (i + nspatial) % WINDOW_DIMS;
        moved.size[i] = window->size[from];
        moved.taps[i] = window->taps[from];
        moved.stride[i] = window->stride[from];
        moved.step[i] = window->step[from];
        moved.padding[i] = window->padding[from];
    }
    return moved;
}

void window_images_init(struct window_images *images, const struct problem *problem, const struct image *src,
                        const struct image *dst) {
    const md_t *md = problem_md(problem, DNNL_ARG_SRC);
    struct window window;
    window_init(&window, problem, md);
    *images = (struct window_images){
            .window = window_from_last(&window, md->ndims - 2),
            .channels = dst->channels,
            .missing = WINDOW_DIMS + 2 - md->ndims,
            .src_offset = src->offset,
            .dst_offset = dst->offset,
            .src_batch = src->batch_stride,
            .dst_batch = dst->batch_stride,
    };
    for (int i = 0; i < WINDOW_DIMS; i++) {
        images->places[i] = dst->size[i];
        images->src_stride[i] = src->stride[i];
        images->dst_stride[i] = dst->stride[i];
        images->src_step[i] = src->stride[i] * images->window.step[i];
    }
}

struct range window_images_range(const struct window_images *images, dnnl_dim_t length, dnnl_dim_t batches) {
    return range_of_groups(divide_up(images->places[2], length), images->places[0] * images->places[1],
                           batches);
}
