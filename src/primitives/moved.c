/* SPDX-License-Identifier: Apache-2.0 */
/* Problems with moved tensors: see moved.h. */
#include "primitives/moved.h"
#include "base/verbose.h"
#include "primitives/image.h"
#include "primitives/primitives.h"

static bool is_output(const struct problem *problem, int arg) {
    for (int i = 0; i < problem->ntensors; i++)
        if (problem->tensors[i].arg == arg && !problem->tensors[i].hint) return problem->tensors[i].output;
    return false;
}

dnnl_status_t moved_add(struct moved *moved, int arg, dnnl_data_type_t type, const char *tag) {
    const md_t *md = problem_md(&moved->plan->problem, arg);
    struct moved_tensor *tensor = &moved->tensors[moved->count];
    if (!md) return dnnl_success;
    *tensor = (struct moved_tensor){.arg = arg, .output = is_output(&moved->plan->problem, arg), .user = *md};
    TRY(md_init_by_string(&tensor->own, md->ndims, md->dims, type, tag));
    plan_place(moved->plan, &tensor->own);
    moved->count++;
    return dnnl_success;
}

static const struct moved_tensor *find(const struct moved *moved, int arg) {
    for (int i = 0; i < moved->count; i++)
        if (moved->tensors[i].arg == arg) return &moved->tensors[i];
    return NULL;
}

static int whole_arg(int arg, const void *data) {
    return find(data, arg) ? ARG_SCRATCHPAD : arg;
}

static bool reads_dst(const struct moved *moved) {
    return attr_has_sum(&moved->plan->attr) && find(moved, DNNL_ARG_DST);
}

/* The zero point that is subtracted while a tensor moves; NULL: none. */
static const struct quant *shift_of(const struct moved *moved, const struct moved_tensor *t) {
    if (t->output || t->own.data_type != dnnl_f32) return NULL;
    return quants_find(&moved->plan->attr.zero_points, t->arg);
}

static dnnl_status_t append_part(const struct moved *moved, const struct implementation *implementations) {
    struct problem part;
    attr_t attr;
    TRY(problem_copy(&part, &moved->plan->problem));
    dnnl_status_t status = attr_copy(&attr, &moved->plan->attr);
    for (int i = 0; i < moved->count; i++)
        *problem_md(&part, moved->tensors[i].arg) = moved->tensors[i].own;
    if (status == dnnl_success) {
        for (int i = 0; i < moved->count; i++)
            if (shift_of(moved, &moved->tensors[i])) quants_drop(&attr.zero_points, moved->tensors[i].arg);
        status = plan_append(moved->plan, implementations, &part, &attr, whole_arg, moved);
        attr_clear(&attr);
    }
    problem_clear(&part);
    return status;
}

static dnnl_status_t move_in(const struct moved *moved, const struct moved_tensor *t) {
    const struct quant *shift = shift_of(moved, t);
    if (!shift) return append_reorder(moved->plan, t->arg, &t->user, ARG_SCRATCHPAD, &t->own, NULL);
    struct quant of_source = *shift;
    of_source.arg = DNNL_ARG_FROM;
    attr_t attr;
    attr_init(&attr);
    dnnl_status_t status = quants_set(&attr.zero_points, &of_source);
    if (status == dnnl_success)
        status = append_reorder(moved->plan, t->arg, &t->user, ARG_SCRATCHPAD, &t->own, &attr);
    attr_clear(&attr);
    return status;
}

/* Moves all inputs in, or all results out. */
static dnnl_status_t move_all(const struct moved *moved, bool out) {
    for (int i = 0; i < moved->count; i++) {
        const struct moved_tensor *t = &moved->tensors[i];
        if (t->output != out) continue;
        TRY(out ? append_reorder(moved->plan, ARG_SCRATCHPAD, &t->own, t->arg, &t->user, NULL)
                : move_in(moved, t));
    }
    return dnnl_success;
}

dnnl_status_t moved_build(const struct moved *moved, const struct implementation *implementations) {
    const struct moved_tensor *dst = reads_dst(moved) ? find(moved, DNNL_ARG_DST) : NULL;
    if (dst && dst->own.data_type != dst->user.data_type)
        return plan_skip(moved->plan, "a sum reads dst, whose type changes");
    TRY(move_all(moved, false));
    if (dst) TRY(append_reorder(moved->plan, dst->arg, &dst->user, ARG_SCRATCHPAD, &dst->own, NULL));
    TRY(append_part(moved, implementations));
    return move_all(moved, true);
}

const char *row_major_tag(const md_t *md, char tag[MOVED_TAG]) {
    for (int i = 0; i < md->ndims; i++)
        tag[i] = (char)('a' + i);
    tag[md->ndims] = 0;
    return tag;
}

const char *moved_tag(const md_t *like, char tag[MOVED_TAG]) {
    const bool image = like->ndims >= 3 && like->ndims <= 5;
    const bool last = image && md_matches_tag(like, channels_last(like->ndims));
    return last ? channels_last(like->ndims) : row_major_tag(like, tag);
}
