/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of weights of bf16 by matrix tiles: see kernels/params_gradient_tiles.h. Flat positions have a
 * pitch along each dimension; what a window reads beyond it is at the beginning of the next row, where there
 * must be padding, too.
 */
#include "base/round.h"
#include "kernels/params_gradient_tiles.h"
#include "primitives/tensor.h"
#include "primitives/weights_gradient.h"

#include <string.h>

enum { PANEL = 32, STEP = 32 };

static i64 least(i64 a, i64 b) {
    return a < b ? a : b;
}

static i64 most(i64 a, i64 b) {
    return a > b ? a : b;
}

/* One dimension: the image has a phase for each tap, or, if there are fewer of those, for each position of a
 * stride. */
struct along {
    i64 phases, phase_step, tap_step;
    i64 further; /* how many positions further on the last tap reads */
    i64 pitch;
};

/* How many positions of a phase are before the image, and how many after it, of those that are read. */
static i64 padding_of(const struct along *a, const struct window *w, int d, i64 phase, i64 read) {
    const i64 start = phase * a->phase_step - w->padding[d], stride = w->stride[d];
    const i64 before = start < 0 ? divide_up(-start, stride) : 0,
              end = start < w->size[d] ? divide_up(w->size[d] - start, stride) : 0;
    return least(before, most(read - end, 0));
}

static struct along along_of(const struct gradient_product *g, int d) {
    const struct window *w = &g->window;
    const i64 taps = w->taps[d], stride = w->stride[d];
    const bool by_tap = taps <= stride;
    struct along a = {.phases = by_tap ? taps : stride,
                      .phase_step = by_tap ? w->step[d] : 1,
                      .tap_step = by_tap ? 1 : w->step[d]};
    a.further = by_tap ? 0 : (taps - 1) * w->step[d] / stride;
    const i64 read = g->places.size[d] + a.further;
    i64 shared = a.further;
    for (i64 phase = 0; phase < a.phases; phase++)
        shared = least(shared, padding_of(&a, w, d, phase, read));
    a.pitch = read - shared;
    return a;
}

/* All three, and what follows from them. */
struct flat {
    struct along along[WINDOW_DIMS];
    i64 phases, steps, length; /* length: of a row of the image */
    i64 count;                 /* flat positions */
};

/* Rows of the image are an odd number of lines, so that they do not compete for the same ones of a cache. */
static struct flat flat_of(const struct gradient_product *g) {
    struct flat f = {.phases = 1, .count = g->places.batch};
    i64 further = 0;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        f.along[d] = along_of(g, d);
        f.phases *= f.along[d].phases;
        f.count *= f.along[d].pitch;
        further = further * f.along[d].pitch + f.along[d].further;
    }
    f.steps = divide_up(f.count, STEP);
    f.length = (divide_up(f.steps * STEP + further, STEP) | 1) * STEP;
    return f;
}

/* Adds a copy in scratchpad of so many elements; returns its offset. */
static i64 append_copy(struct plan *plan, const struct kernel *kernel, const struct flat_params *made,
                       struct range range, int arg, i64 size) {
    struct launch *launch;
    struct flat_params *p = plan_launch(plan, kernel, range, &launch);
    const i64 offset = (i64)(plan_scratchpad(plan, (size_t)size * 2) / 2);
    if (!p) return -1;
    *p = *made;
    p->dst_offset = kernel == &kernel_bf16_pair_places ? offset / 2 : offset; /* in pairs */
    launch_bind(launch, arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    return offset;
}

static struct flat_params copy_of(const struct image *from, const struct flat *f) {
    struct flat_params p = {
            .src_offset = from->offset, .src_batch = from->batch_stride, .batch = from->batch};
    for (int d = 0; d < WINDOW_DIMS; d++) {
        p.src_stride[d] = from->stride[d], p.size[d] = from->size[d];
        p.stride[d] = p.phases[d] = 1;
        p.pitch[d] = f->along[d].pitch;
    }
    return p;
}

static i64 append_image(struct plan *plan, const struct gradient_product *g, const struct flat *f) {
    struct flat_params p = copy_of(&g->image, f);
    for (int d = 0; d < WINDOW_DIMS; d++) {
        p.stride[d] = g->window.stride[d], p.padding[d] = g->window.padding[d];
        p.phases[d] = f->along[d].phases, p.phase_step[d] = f->along[d].phase_step;
    }
    p.length = f->length, p.channels = g->groups * g->inputs, p.folds = g->folds;
    return append_copy(plan, &kernel_bf16_turn_image, &p,
                       range_of_groups(divide_up(f->length, FLAT_BLOCK), f->phases, 1), g->image.arg,
                       f->phases * p.channels * f->length);
}

static i64 append_places(struct plan *plan, const struct gradient_product *g, const struct flat *f) {
    struct flat_params p = copy_of(&g->places, f);
    p.length = f->steps * STEP;
    p.channels = g->outputs, p.groups = g->groups, p.panels = divide_up(g->outputs, PANEL);
    return append_copy(
            plan, &kernel_bf16_pair_places, &p,
            range_of_groups(divide_up(p.length, FLAT_BLOCK), divide_up(g->groups * p.panels, FLAT_PANELS), 1),
            g->places.arg, g->groups * p.panels * p.length * PANEL);
}

static struct gradient_tiles_params params_of(const struct gradient_product *g, const struct flat *f) {
    struct gradient_tiles_params p = {.pitch = {f->along[1].pitch, f->along[2].pitch},
                                      .image_phase = g->groups * g->inputs * f->length,
                                      .length = f->length,
                                      .groups = g->groups,
                                      .inputs = g->inputs,
                                      .outputs = g->outputs,
                                      .panels = divide_up(g->outputs, PANEL),
                                      .steps = f->steps,
                                      .dst_offset = g->results->offset0,
                                      .dst_part = md_nelems(g->results, true),
                                      .dst_group = g->group,
                                      .dst_panel = g->panel};
    for (int d = 0; d < WINDOW_DIMS; d++) {
        p.taps[d] = g->window.taps[d], p.tap_step[d] = f->along[d].tap_step;
        p.phases[d] = f->along[d].phases;
    }
    return p;
}

/* Divides the work by the problem alone: first the tiles and taps of a panel, then the sums. Taps read nearly
 * the same numbers, which should stay in the L1 cache. */
static struct range divide_work(struct gradient_tiles_params *p) {
    enum { ITEMS = 32, PARTS = 4, FEW_JOBS = 6, STEPS_OF_TAPS = 8, STEPS_OF_ONE = 16 };
    const i64 taps = gemm_product(p->taps, WINDOW_DIMS), units = p->panels * p->groups;
    p->tiles = divide_up(p->inputs, PANEL);
    p->chunk = taps > 1 ? STEPS_OF_TAPS : STEPS_OF_ONE;
    p->chunks = most(divide_up(p->steps, p->chunk), 1);
    const i64 all = p->tiles * taps;
    p->jobs = divide_up(all, least(most(all / FEW_JOBS, 1), divide_up(ITEMS, units)));
    const i64 items = divide_up(all, p->jobs);
    p->parts = least(least(PARTS, p->chunks), divide_up(ITEMS, units * items));
    return range_of_groups(items, p->panels, p->groups * p->parts);
}

dnnl_status_t gradient_append_tiles(struct plan *plan, const struct gradient_product *g) {
    enum { MOST = 4 };
    const struct flat f = flat_of(g);
    if (f.count > MOST * g->places.batch * gemm_product(g->places.size, WINDOW_DIMS))
        return plan_skip(plan, "most of what matrix tiles multiply would be padding");
    struct gradient_tiles_params made = params_of(g, &f), *p;
    const struct range range = divide_work(&made);
    made.image_offset = append_image(plan, g, &f);
    made.places_offset = append_places(plan, g, &f);
    if (made.image_offset < 0 || made.places_offset < 0) return dnnl_out_of_memory;
    if (made.parts > 1)
        made.dst_offset = (i64)(plan_scratchpad(plan, (size_t)(made.parts * made.dst_part) * sizeof(float))
                                / sizeof(float));
    struct launch *launch;
    p = plan_launch(plan, gemm_tile_of(plan)->kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, made.parts > 1 ? ARG_SCRATCHPAD : g->arg);
    const struct gradient_parts parts = {made.dst_offset, made.parts, made.dst_part};
    return made.parts > 1 ? gradient_add_parts(plan, &parts, g) : dnnl_success;
}
