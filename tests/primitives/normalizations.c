/* SPDX-License-Identifier: Apache-2.0 */
/* Problems, shapes and forward descriptors of normalisations: see normalizations.h. */
#include "primitives/normalizations.h"

static const struct shape batch_shapes[] = {
        {2, {50, 35}, 0, {"ab", "ba", "aB16b"}},
        {3, {3, 4, 700}, 0, {"abc", "acb"}},
        {4, {2, 19, 3, 5}, 0, {"abcd", "acdb", "aBcd16b", "cdba", "aBcd8b"}},
        {4, {4, 64, 24, 24}, 0, {"abcd", "acdb", "aBcd16b"}},
        {4, {2, 0, 3, 5}, 0, {"abcd"}},
        {5, {2, 16, 3, 2, 7}, 0, {"abcde", "acdeb", "aBcde16b"}},
        {0},
};
static const struct shape layer_shapes[] = {
        {2, {5, 1000}, 0, {"ab", "ba", "aB16b"}},
        {2, {3, 5000}, 0, {"ab", "ba"}},
        {2, {40, 3}, 0, {"ab", "ba", "Ab16a"}},
        {2, {0, 4}, 0, {"ab"}},
        {2, {1, 40000}, 0, {"ab"}},
        {3, {2, 3, 130}, 0, {"abc", "cba", "bac"}},
        {4, {2, 19, 3, 5}, 0, {"abcd", "acdb", "aBcd16b", "cdba"}},
        {5, {2, 3, 2, 3, 7}, 0, {"abcde", "acdeb"}},
        {0},
};
static const struct shape group_shapes[] = {
        {2, {5, 36}, 6, {"ab", "ba", "aB16b"}},
        {3, {2, 6, 700}, 1, {"abc", "acb"}},
        {4, {2, 20, 3, 5}, 5, {"abcd", "acdb", "aBcd16b", "aBcd8b"}},
        {4, {2, 64, 5, 5}, 2, {"abcd", "acdb", "aBcd16b"}},
        {4, {2, 64, 5, 5}, 16, {"abcd", "acdb", "aBcd16b"}},
        {4, {1, 64, 40, 40}, 32, {"abcd", "acdb"}},
        {4, {0, 4, 3, 5}, 2, {"abcd"}},
        {5, {2, 16, 3, 2, 7}, 16, {"abcde", "acdeb", "aBcde16b"}},
        {0},
};
const struct shape *const normalization_shapes[3] = {batch_shapes, layer_shapes, group_shapes};

static const unsigned batch_flags[] = {
        0,
        dnnl_use_global_stats,
        dnnl_use_scale | dnnl_use_shift,
        dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu,
        dnnl_use_shift | dnnl_fuse_norm_relu,
        dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_add_relu,
};
static const unsigned layer_flags[] = {
        0,
        dnnl_use_global_stats | dnnl_use_shift,
        dnnl_use_scale | dnnl_use_shift,
        dnnl_use_scale | dnnl_rms_norm,
        dnnl_use_global_stats | dnnl_rms_norm | dnnl_use_scale | dnnl_use_shift,
};
static const unsigned group_flags[] = {0, dnnl_use_global_stats, dnnl_use_scale | dnnl_use_shift,
                                       dnnl_use_global_stats | dnnl_use_scale};
const struct normalization_flags normalization_flags[3] = {{batch_flags, COUNT(batch_flags)},
                                                           {layer_flags, COUNT(layer_flags)},
                                                           {group_flags, COUNT(group_flags)}};

int64_t statistic_of(const struct problem *p, const struct array *src, const dnnl_dim_t *at) {
    int64_t index = 0;
    if (p->kind == BATCH) return at[1];
    if (p->kind == GROUP) return at[0] * p->groups + at[1] / (src->dims[1] / p->groups);
    for (int d = 0; d < src->ndims - 1; d++)
        index = index * src->dims[d] + at[d];
    return index;
}

int channel_dim(const struct problem *p, const struct array *src) {
    return p->kind == LAYER ? src->ndims - 1 : 1;
}

struct array statistics_new(const struct problem *p, const struct array *src, dnnl_data_type_t type) {
    if (p->kind == BATCH) return array_new(1, &src->dims[1], type);
    if (p->kind == LAYER) return array_new(src->ndims - 1, src->dims, type);
    return array_new(2, (dnnl_dims_t){src->dims[0], p->groups}, type);
}

dnnl_status_t normalization_desc(dnnl_primitive_desc_t *pd, const struct problem *p, dnnl_prop_kind_t prop,
                                 const struct array *src_array, const struct array *dst_array,
                                 const struct array *mean, const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t src = md_of(src_array, p->src_tag), dst = md_of(dst_array, p->dst_tag),
                       statistics = p->stat_tag ? md_of(mean, p->stat_tag) : NULL;
    dnnl_status_t status;
    if (p->kind == BATCH)
        status = dnnl_batch_normalization_forward_primitive_desc_create(pd, test_engine(), prop, src, dst,
                                                                        epsilon, p->flags, attr);
    else if (p->kind == LAYER)
        status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
                pd, test_engine(), prop, src, dst, statistics, p->weights_type ? p->weights_type : dnnl_f32,
                epsilon, p->flags, attr);
    else
        status = dnnl_group_normalization_forward_primitive_desc_create(pd, test_engine(), prop, src, dst,
                                                                        p->groups, epsilon, p->flags, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    if (statistics) dnnl_memory_desc_destroy(statistics);
    return status;
}

void add_workspace(struct exec *exec, dnnl_status_t created, const_dnnl_primitive_desc_t pd,
                   const struct array *src) {
    const_dnnl_memory_desc_t md =
            created == dnnl_success ? dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0) : NULL;
    int ndims = 0;
    if (md) dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    if (ndims == 0) return;
    if (!test_peer()) {
        exec_add(exec, DNNL_ARG_WORKSPACE, memory_new(md, NULL));
        return;
    }
    dnnl_dims_t dims = {16 * src->count + 64};
    dnnl_memory_desc_t enough = md_new(1, dims, dnnl_u8, "a");
    exec_add(exec, DNNL_ARG_WORKSPACE, memory_new(enough, NULL));
    dnnl_memory_desc_destroy(enough);
}
