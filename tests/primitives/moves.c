/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation and shuffle against plain loops: axes, sizes, types, layouts; every bit must arrive. */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 12 };

static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "aBcd8b"};
static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16,    dnnl_f16,     dnnl_s32, dnnl_s8,
                                         dnnl_u8,  dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f64};

struct concat_case {
    int count, axis;
    dnnl_dim_t sizes[MOST]; /* along the axis */
    dnnl_data_type_t type, dst_type;
    const char *tag, *tag2, *dst_tag; /* of even and odd sources; NULL: no dst is given */
    bool scales;
};

/* Copies a source, times its scale, to its place in dst. */
static void place(struct array *dst, const struct array *src, int axis, dnnl_dim_t begin, double scale) {
    dnnl_dims_t at = {0}, to;
    if (src->count > 0) do {
            for (int d = 0; d < src->ndims; d++)
                to[d] = at[d] + (d == axis ? begin : 0);
            dst->values[array_index(dst, to)] = round_to_type(scale * array_at(src, at), dst->type);
        } while (next_position(src->ndims, src->dims, at));
}

static void add_scale(dnnl_primitive_attr_t attr, struct exec *exec, int arg, double scale) {
    static const dnnl_dims_t one = {1};
    struct array array = array_new(1, one, dnnl_f32);
    array.values[0] = scale;
    MUST(dnnl_primitive_attr_set_scales_mask(attr, arg, 0));
    exec_add_array(exec, DNNL_ARG_ATTR_SCALES | arg, &array, "a");
    array_free(&array);
}

static void run_concat(const struct concat_case *c) {
    dnnl_dims_t dims = {2, 7, 3, 5}, whole = {2, 7, 3, 5};
    struct array srcs[MOST], dst;
    dnnl_memory_desc_t mds[MOST], dst_md = NULL;
    dnnl_primitive_attr_t attr;
    struct exec extra = {0};
    struct test_run run = {.what = "concat", .extra = &extra};
    whole[c->axis] = 0;
    for (int i = 0; i < c->count; i++)
        whole[c->axis] += c->sizes[i];
    dst = array_new(4, whole, c->dst_tag ? c->dst_type : c->type);
    if (c->dst_tag) dst_md = md_of(&dst, c->dst_tag);
    MUST(dnnl_primitive_attr_create(&attr));
    for (int i = 0, begin = 0; i < c->count; begin += (int)c->sizes[i++]) {
        double scale = c->scales && i % 3 == 1 ? 0.5 : 1;
        dims[c->axis] = c->sizes[i];
        srcs[i] = array_new(4, dims, c->type);
        array_fill(&srcs[i], 3, (unsigned)i);
        mds[i] = md_of(&srcs[i], i % 2 ? c->tag2 : c->tag);
        run.inputs[i] = (struct input){DNNL_ARG_MULTIPLE_SRC + i, &srcs[i], NULL};
        if (scale != 1) add_scale(attr, &extra, DNNL_ARG_MULTIPLE_SRC + i, scale);
        place(&dst, &srcs[i], c->axis, begin, scale);
    }
    run.outputs[0] = (struct output){.arg = DNNL_ARG_DST, .expected = &dst};
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_concat_primitive_desc_create(&pd, test_engine(), dst_md, c->count, c->axis,
                                                             (const_dnnl_memory_desc_t const *)mds, attr);
    run_implementations(status, pd, &run);
    for (int i = 0; i < c->count; i++) {
        dnnl_memory_desc_destroy(mds[i]);
        array_free(&srcs[i]);
    }
    if (dst_md) dnnl_memory_desc_destroy(dst_md);
    dnnl_primitive_attr_destroy(attr);
    exec_free(&extra);
    array_free(&dst);
}

static void concat(void **state) {
    (void)state;
    failures = 0;
    for (int axis = 0; axis < 4; axis++)
        for (int t = 0; t < COUNT(tags); t++)
            for (int k = 0; k < COUNT(tags); k++) {
                struct concat_case c = {3,       axis,    {16, 32, 5}, dnnl_f32, dnnl_f32,
                                        tags[t], tags[k], tags[k],     false};
                run_concat(&c);
                c.dst_tag = NULL;
                run_concat(&c);
                c.sizes[0] = 3, c.scales = true; /* the next part begins within a block */
                run_concat(&c);
                c.dst_tag = tags[(t + k) % COUNT(tags)];
                run_concat(&c);
            }
    for (int a = 0; a < COUNT(types) - 1; a++)
        for (int d = 0; d < COUNT(types) - 1; d++)
            run_concat(
                    &(struct concat_case){2, 1, {3, 4}, types[a], types[d], "acdb", "abcd", "abcd", false});
    for (int t = 0; t < COUNT(types); t++) { /* rows side by side, in more than one launch */
        struct concat_case rows = {MOST,     1,        {70, 1, 16, 0, 17, 300, 3, 33, 2, 100, 5, 64},
                                   types[t], types[t], "acdb",
                                   "acdb",   "acdb",   false};
        run_concat(&rows);
        rows.dst_tag = NULL;
        run_concat(&rows);
    }
    run_concat(&(struct concat_case){2, 1, {3, 4}, dnnl_f64, dnnl_f64, "acdb", "abcd", "abcd", false});
    run_concat(&(struct concat_case){1, 1, {7}, dnnl_s8, dnnl_s8, "acdb", "abcd", NULL, false});
    run_concat(&(struct concat_case){
            12, 1, {1, 2, 3, 0, 5, 1, 1, 1, 8, 1, 0, 2}, dnnl_bf16, dnnl_bf16, "acdb", "acdb", NULL, true});
    assert_int_equal(failures, 0);
}

/* dst[j * (size / rows) + i] = src[i * rows + j], where forward `rows` is the group size. */
static void run_shuffle_of(int ndims, const dnnl_dim_t *dims, int axis, dnnl_dim_t group,
                           dnnl_data_type_t type, const char *tag, const char *dst_tag, bool forward) {
    struct array src = array_new(ndims, dims, type), dst = array_new(ndims, dims, type);
    dnnl_dim_t rows = forward ? group : dims[axis] / group, columns = dims[axis] / rows;
    dnnl_dims_t at = {0}, from;
    array_fill(&src, type == dnnl_f8_e5m2 || type == dnnl_f8_e4m3 ? 4 : 30,
               1); /* numbers that the type has */
    do {
        for (int d = 0; d < ndims; d++)
            from[d] = d == axis ? at[d] % columns * rows + at[d] / columns : at[d];
        dst.values[array_index(&dst, at)] = array_at(&src, from);
    } while (next_position(ndims, dims, at));
    dnnl_memory_desc_t from_md = md_of(&src, tag), to_md = md_of(&dst, dst_tag);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status =
            forward ? dnnl_shuffle_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_training,
                                                                 from_md, to_md, axis, group, NULL)
                    : dnnl_shuffle_backward_primitive_desc_create(&pd, test_engine(), to_md, from_md, axis,
                                                                  group, NULL, NULL);
    run_implementations(status, pd,
                        &(struct test_run){.what = "shuffle",
                                           .inputs = {{forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, &src}},
                                           .outputs = {{forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, &dst}}});
    dnnl_memory_desc_destroy(from_md);
    dnnl_memory_desc_destroy(to_md);
    array_free(&src);
    array_free(&dst);
}

static void run_shuffle(int ndims, int axis, dnnl_dim_t group, dnnl_data_type_t type, const char *tag,
                        const char *dst_tag, bool forward) {
    static const dnnl_dims_t dims = {4, 24, 6, 10, 1, 1, 1, 2, 1, 1, 1, 3};
    run_shuffle_of(ndims, dims, axis, group, type, tag, dst_tag, forward);
}

/* Two, three or four groups of more channels than a vector has, and as many channels in groups. */
static void shuffle_channels(void **state) {
    (void)state;
    static const dnnl_dim_t few[] = {2, 3, 4};
    for (int g = 0; g < COUNT(few); g++)
        for (int k = 0; k < COUNT(types); k++)
            for (int forward = 0; forward < 2; forward++) {
                const dnnl_dims_t dims = {1, few[g] * 37, 2, 3}, many = {1, few[g] * 1100, 1, 2};
                run_shuffle_of(4, many, 1, few[g], types[k], "acdb", "acdb", forward);
                run_shuffle_of(4, dims, 1, few[g], types[k], "acdb", "acdb", forward);
                run_shuffle_of(4, dims, 1, 37, types[k], "acdb", "acdb", forward);
            }
    assert_int_equal(failures, 0);
}

static void shuffle(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t groups[] = {2, 3, 2, 5};
    for (int forward = 0; forward < 2; forward++)
        for (int axis = 0; axis < 4; axis++)
            for (int t = 0; t < COUNT(tags); t++) {
                for (int k = 0; k < COUNT(types); k++)
                    run_shuffle(4, axis, groups[axis], types[k], tags[t], tags[t], forward);
                run_shuffle(4, axis, 1, dnnl_f32, tags[t], NULL, forward);
                run_shuffle(4, axis, groups[axis], dnnl_f32, tags[t], tags[(t + 1) % COUNT(tags)], forward);
                if (t > 0) continue;
                run_shuffle(11, axis, groups[axis], dnnl_f32, "abcdefghijk", "badcefghijk", forward);
                run_shuffle(12, axis, groups[axis], dnnl_s8, "abcdefghijkl", NULL, forward);
            }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(concat), cmocka_unit_test(shuffle),
                                       cmocka_unit_test(shuffle_channels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
