/* SPDX-License-Identifier: Apache-2.0 */
/* Problems and sums of local response normalisation: see lrns.h. */
#include "primitives/lrns.h"

#include <math.h>

const struct shape lrn_shapes[LRN_SHAPES] = {
        {4, {2, 7, 3, 4}, 5, 1e-4f, 0.75f, 1}, {4, {1, 96, 5, 5}, 5, 1, 0.75f, 1},
        {4, {1, 33, 4, 6}, 3, 0.5f, 0.5f, 2},  {4, {1, 16, 6, 6}, 7, 2, 1.3f, 0.5f},
        {3, {2, 20, 9}, 4, 1, 0.75f, 1},       {5, {1, 18, 3, 4, 5}, 3, 1, 0.75f, 1},
        {2, {3, 40}, 9, 1, 0.25f, 1},          {4, {1, 50, 3, 3}, 41, 1, 0.75f, 1},
        {4, {2, 5, 4, 4}, 1, 1, 0.75f, 1},     {4, {0, 5, 4, 4}, 5, 1, 0.75f, 1},
        {3, {2, 48, 7}, 5, 1, 0.75f, 1},
};

const dnnl_data_type_t lrn_types[LRN_TYPES] = {dnnl_f32, dnnl_bf16, dnnl_f16};
const dnnl_alg_kind_t lrn_algs[LRN_ALGS] = {dnnl_lrn_across_channels, dnnl_lrn_within_channel};
const char *const lrn_tags[LRN_LAYOUTS][6] = {{0, 0, "ab", "abc", "abcd", "abcde"},
                                              {0, 0, "ab", "acb", "acdb", "acdeb"},
                                              {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};

struct bounded lrn_scale(const struct shape *s, bool across) {
    double elements = across ? (double)s->local_size : pow((double)s->local_size, s->ndims - 2);
    return bounded_div(exactly((double)s->alpha), exactly(elements));
}

struct bounded lrn_sum(const struct shape *s, bool across, const dnnl_dim_t *center,
                       struct bounded (*term)(const void *data, const dnnl_dim_t *at), const void *data) {
    dnnl_dim_t reach = (s->local_size - 1) / 2;
    dnnl_dims_t size, offset = {0}, at;
    struct sum sum = {0};
    for (int d = 0; d < s->ndims; d++)
        size[d] = (across ? d == 1 : d > 1) ? 2 * reach + 1 : 1;
    do {
        bool inside = true;
        for (int d = 0; d < s->ndims; d++) {
            at[d] = center[d] + offset[d] - (size[d] > 1 ? reach : 0);
            inside = inside && at[d] >= 0 && at[d] < s->dims[d];
        }
        if (inside) sum_add_bounded(&sum, term(data, at));
    } while (next_position(s->ndims, size, offset));
    return sum_of_products(&sum, false, 0);
}

static struct bounded square_at(const void *data, const dnnl_dim_t *at) {
    double x = array_at(data, at);
    return exactly(x * x);
}

struct bounded lrn_omega(const struct array *src, const struct shape *s, bool across,
                         const dnnl_dim_t *center) {
    struct bounded sum = lrn_sum(s, across, center, square_at, src);
    return bounded_add(exactly((double)s->k), bounded_mul(lrn_scale(s, across), sum));
}
