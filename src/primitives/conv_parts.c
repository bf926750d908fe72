/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions in parts: see conv_parts.h. */
#include "primitives/conv_parts.h"
#include "base/round.h"

static bool is_wide(const struct conv_parts *parts, int d) {
    return parts->wide > 1 && d == 2;
}

static dnnl_dim_t parts_along(const struct conv_parts *parts, int d) {
    if (!parts->transposed || is_wide(parts, d)) return 1;
    return parts->window.stride[d] < parts->dst[d] ? parts->window.stride[d] : parts->dst[d];
}

dnnl_dim_t conv_parts_count(const struct conv_parts *parts) {
    return parts_along(parts, 0) * parts_along(parts, 1) * parts_along(parts, 2);
}

static dnnl_dim_t common_divisor(dnnl_dim_t a, dnnl_dim_t b) {
    while (b != 0) {
        dnnl_dim_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Position o of dst uses tap k if o + padding - k * step is a multiple of the stride, namely position (o +
 * padding - k * step) / stride of src. So the taps of a part are equally far apart, and the further the tap,
 * the earlier the position: the part's window has them in reverse. */
static void set_transposed(struct conv_part *part, const struct window *w, int d, dnnl_dim_t rest) {
    dnnl_dim_t divisor = common_divisor(w->step[d], w->stride[d]), apart = w->stride[d] / divisor, k = 0;
    dnnl_dim_t at = rest + w->padding[d];
    while (k < apart && (at - k * w->step[d]) % w->stride[d] != 0)
        k++;
    dnnl_dim_t taps = k < apart && k < w->taps[d] ? (w->taps[d] - 1 - k) / apart + 1 : 0;
    dnnl_dim_t step = w->step[d] / divisor, last = taps > 0 ? taps - 1 : 0;
    part->window.taps[d] = taps;
    part->window.stride[d] = 1;
    part->window.step[d] = step;
    part->window.padding[d] = taps > 0 ? last * step - (at - k * w->step[d]) / w->stride[d] : 0;
    part->tap[d] = k + last * apart, part->tap_step[d] = -apart;
    part->first[d] = rest, part->step[d] = w->stride[d];
}

static dnnl_dim_t divide_down(dnnl_dim_t a, dnnl_dim_t b) {
    return a / b - (a % b < 0);
}

/* Position r of a place at 0 uses tap k if r + padding - k is a multiple of the stride: see set_transposed.
 */
struct conv_span conv_wide_span(const struct window *w, dnnl_dim_t wide) {
    const dnnl_dim_t first = -divide_down(w->taps[2] - 1 - w->padding[2], w->stride[2]),
                     last = divide_down(wide - 1 + w->padding[2], w->stride[2]);
    return (struct conv_span){.first = first, .taps = last - first + 1};
}

static void set_wide(struct conv_part *part, const struct window *w, dnnl_dim_t wide) {
    const struct conv_span span = conv_wide_span(w, wide);
    part->window.taps[2] = span.taps;
    part->window.stride[2] = wide / w->stride[2];
    part->window.step[2] = 1;
    part->window.padding[2] = -span.first;
    part->step[2] = wide;
}

struct conv_part conv_part_at(const struct conv_parts *parts, dnnl_dim_t index) {
    struct conv_part part = {.window = parts->window};
    for (int d = 2; d >= 0; d--) {
        dnnl_dim_t count = parts_along(parts, d), rest = count > 1 ? index % count : 0;
        index = count > 1 ? index / count : index;
        part.tap_step[d] = part.step[d] = 1;
        if (is_wide(parts, d))
            set_wide(&part, &parts->window, parts->wide);
        else if (parts->transposed)
            set_transposed(&part, &parts->window, d, rest);
        part.places[d] = divide_up(parts->dst[d] - rest, part.step[d]);
    }
    return part;
}

bool conv_part_has_taps(const struct conv_part *part) {
    return part->window.taps[0] > 0 && part->window.taps[1] > 0 && part->window.taps[2] > 0;
}

struct conv_reach conv_parts_reach(const struct conv_parts *parts) {
    struct conv_reach reach = {0};
    dnnl_dim_t count = conv_parts_count(parts), end[3] = {0};
    for (dnnl_dim_t i = 0; i < count; i++) {
        struct conv_part part = conv_part_at(parts, i);
        const struct window *w = &part.window;
        for (int d = 0; d < 3 && conv_part_has_taps(&part); d++) {
            dnnl_dim_t last = (part.places[d] - 1) * w->stride[d] + (w->taps[d] - 1) * w->step[d];
            if (w->padding[d] > reach.front[d]) reach.front[d] = w->padding[d];
            if (last + 1 - w->padding[d] > end[d]) end[d] = last + 1 - w->padding[d];
        }
    }
    for (int d = 0; d < 3; d++) {
        reach.size[d] = reach.front[d] + end[d];
        reach.clipped = reach.clipped || reach.front[d] > 0 || end[d] > parts->window.size[d];
    }
    return reach;
}
