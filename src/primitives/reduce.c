/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and the like over a set of dimensions: see reduce.h. */
#include "primitives/reduce.h"
#include "base/round.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

#include <string.h>

/* The loops of a layout. */
struct cut {
    int nkept, nreduced;
    struct reduce_loop kept[WALK_LOOPS], reduced[WALK_LOOPS];
    bool along; /* the innermost loop is reduced */
    i64 limit;  /* of the kept dimension that has padding */
};

/* Adds a loop inside the others, as one with the last of them if the two are one in memory. */
static void add_loop(struct reduce_loop *loops, int *count, const struct reduce_loop *loop) {
    if (*count > 0) {
        struct reduce_loop *outer = &loops[*count - 1];
        if (outer->src == loop->src * loop->size && outer->dst == loop->dst * loop->size
            && outer->step == loop->step * loop->size) {
            i64 size = outer->size * loop->size;
            *outer = *loop;
            outer->size = size;
            return;
        }
    }
    loops[(*count)++] = *loop;
}

static bool is_padded(const md_t *md, int dim) {
    return md->padded_dims[dim] != md->dims[dim];
}

/* Zeros in the padding of a reduced dimension do no harm to a sum. */
static bool padding_fits(const struct reduce_request *r, int *padded) {
    *padded = -1;
    for (int d = 0; d < r->src->ndims; d++) {
        if (!is_padded(r->src, d)) continue;
        bool kept = in_set(r->kept, d);
        if (!kept && r->alg != REDUCE_SUM && r->alg != REDUCE_POWER) return false;
        if (kept && *padded >= 0) return false;
        if (kept) *padded = d;
    }
    return true;
}

/* Many short runs are faster side by side, though their elements are apart. */
static bool runs_are_short(const struct cut *cut) {
    enum { SHORT = 32, MANY = 16 };
    return cut->nkept > 0 && cut->nreduced > 0 && cut->reduced[cut->nreduced - 1].size < SHORT
           && cut->kept[cut->nkept - 1].size >= MANY;
}

/* Cuts the layouts of src and results into loops. False: they do not fit. */
static bool cut_layouts(struct cut *cut, const struct reduce_request *r) {
    struct walk walk;
    int padded;
    *cut = (struct cut){.limit = INT64_MAX};
    if (!padding_fits(r, &padded)) return false;
    if (padded >= 0) cut->limit = r->src->dims[padded];
    walk_cut(&walk, r->src);
    for (int l = 0; l < walk.nloops; l++) {
        const struct walk_loop *from = &walk.loops[l];
        struct reduce_loop loop = {.size = from->size, .src = from->stride};
        cut->along = !in_set(r->kept, from->dim);
        if (cut->along) {
            add_loop(cut->reduced, &cut->nreduced, &loop);
            continue;
        }
        loop.step = from->dim == padded ? from->step : 0;
        if (!walk_distance(r->dst, from->dim, from->step, from->size, &loop.dst)) return false;
        add_loop(cut->kept, &cut->nkept, &loop);
    }
    if (cut->along && runs_are_short(cut)) cut->along = false;
    return cut->nkept <= REDUCE_LOOPS && cut->nreduced <= REDUCE_LOOPS;
}

bool reduce_writes(const struct reduce_request *request) {
    struct cut cut;
    return !md_has_padding(request->dst) && cut_layouts(&cut, request);
}

static i64 volume(const struct reduce_loop *loops, int count) {
    i64 volume = 1;
    for (int l = 0; l < count; l++)
        volume *= loops[l].size;
    return volume;
}

static i64 at_least_one(i64 x) {
    return x < 1 ? 1 : x;
}

/* Divides the reduced elements into chunks: enough of them to keep a CPU busy, and, for moments, which are
 * read twice, small enough for its cache. `width`: elements of a unit of `total`. */
static void set_chunks(struct reduction_params *p, i64 width, const struct device *device) {
    enum { UNITS = 16, FEW = 4096, CACHED = 32768 };
    i64 chunks = 1, work = p->total * width;
    if (p->units < UNITS) chunks = at_least_one(UNITS / at_least_one(p->units));
    if (chunks > work / FEW) chunks = at_least_one(work / FEW);
    if (p->alg == REDUCE_MOMENTS && chunks < divide_up(work, CACHED)) chunks = divide_up(work, CACHED);
    if (chunks > p->total) chunks = at_least_one(p->total);
    p->chunk = at_least_one(divide_up(p->total, chunks));
    p->chunks = at_least_one(divide_up(p->total, p->chunk));
    const i64 item = work_of_item(device, p->units * work);
    p->span = at_least_one(item / at_least_one(p->chunk * width));
    if (p->span > at_least_one(p->units / UNITS)) p->span = at_least_one(p->units / UNITS);
}

static void set_loops(struct reduction_params *p, const struct cut *cut, const struct device *device) {
    struct reduce_loop one = {.size = 1, .src = 1, .dst = 1};
    p->nkept = cut->nkept;
    p->nreduced = cut->nreduced;
    memcpy(p->kept, cut->kept, (size_t)cut->nkept * sizeof p->kept[0]);
    memcpy(p->reduced, cut->reduced, (size_t)cut->nreduced * sizeof p->reduced[0]);
    if (cut->along) {
        p->lanes = p->reduced[--p->nreduced];
        p->units = volume(p->kept, p->nkept);
        p->total = volume(p->reduced, p->nreduced) * p->lanes.size;
        set_chunks(p, 1, device);
        return;
    }
    p->lanes = p->nkept > 0 ? p->kept[--p->nkept] : one;
    p->units = volume(p->kept, p->nkept) * divide_up(p->lanes.size, REDUCE_TILE);
    p->total = volume(p->reduced, p->nreduced);
    set_chunks(p, p->lanes.size < REDUCE_TILE ? p->lanes.size : REDUCE_TILE, device);
}

/* Replaces the places of results by dense ones, a set for each chunk. */
static void make_partial(struct reduction_params *p, struct plan *plan, bool along) {
    i64 results = 1;
    if (!along) {
        p->lanes.dst = 1;
        results = p->lanes.size;
    }
    for (int l = p->nkept - 1; l >= 0; l--) {
        p->kept[l].dst = results;
        results *= p->kept[l].size;
    }
    p->dst_chunk = results;
    size_t bytes = (size_t)(results * p->chunks) * sizeof(float);
    p->dst_offset = (i64)(plan_scratchpad(plan, bytes) / sizeof(float));
    if (p->alg == REDUCE_MOMENTS) p->second_offset = (i64)(plan_scratchpad(plan, bytes) / sizeof(float));
    p->finish = REDUCE_FINISH_NONE;
}

static dnnl_status_t launch_chunks(struct plan *plan, const struct reduce_request *r, bool along,
                                   const struct reduction_params *made) {
    struct launch *launch;
    const struct kernel *kernel = along ? &kernel_reduce_along : &kernel_reduce_across;
    i64 items = divide_up(made->units, made->span) * made->chunks;
    struct reduction_params *p =
            plan_launch(plan, kernel, range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, r->src_arg);
    launch_bind(launch, made->chunks > 1 ? ARG_SCRATCHPAD : r->dst_arg);
    launch_bind(launch, r->alg != REDUCE_MOMENTS ? ARG_NOTHING
                        : made->chunks > 1       ? ARG_SCRATCHPAD
                                                 : r->second_arg);
    return dnnl_success;
}

/* The loops over results: `from` has their places, `dense` those of the partial ones. */
static int result_loops(struct reduce_loop *loops, const struct reduction_params *from,
                        const struct reduction_params *dense, bool along) {
    int count = from->nkept;
    for (int l = 0; l < count; l++) {
        loops[l] = from->kept[l];
        loops[l].src = dense->kept[l].dst;
    }
    if (along) return count;
    loops[count] = from->lanes;
    loops[count].src = 1;
    return count + 1;
}

static dnnl_status_t combine_sums(struct plan *plan, const struct reduce_request *r,
                                  const struct reduction_params *whole,
                                  const struct reduction_params *partial, bool along) {
    struct cut cut = {.nreduced = 1, .limit = whole->limit};
    struct reduce_loop loops[REDUCE_LOOPS + 1];
    int count = result_loops(loops, whole, partial, along);
    for (int l = 0; l < count; l++)
        add_loop(cut.kept, &cut.nkept, &loops[l]);
    cut.reduced[0] = (struct reduce_loop){.size = partial->chunks, .src = partial->dst_chunk};
    struct reduction_params made = *whole;
    made.alg = r->alg == REDUCE_POWER ? REDUCE_SUM : r->alg;
    made.type = TYPE_F32;
    made.src_offset = partial->dst_offset;
    set_loops(&made, &cut, plan->device);
    made.chunk = made.total, made.chunks = 1;
    struct reduce_request again = *r;
    again.src_arg = ARG_SCRATCHPAD;
    return launch_chunks(plan, &again, false, &made);
}

static dnnl_status_t launch_moments(struct plan *plan, const struct moments_params *made, int mean_arg,
                                    int variance_arg) {
    struct launch *launch;
    i64 items = volume(made->kept, made->nkept) * divide_up(made->lanes.size, 16);
    struct moments_params *p = plan_launch(plan, &kernel_combine_moments,
                                           range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, mean_arg);
    launch_bind(launch, variance_arg);
    return dnnl_success;
}

static dnnl_status_t combine_moments(struct plan *plan, const struct reduce_request *r,
                                     const struct reduction_params *whole,
                                     const struct reduction_params *partial, bool along) {
    struct moments_params made = {.mean_offset = partial->dst_offset,
                                  .second_offset = partial->second_offset,
                                  .result_stride = 1,
                                  .chunk_stride = partial->dst_chunk,
                                  .results = partial->dst_chunk,
                                  .chunks = partial->chunks,
                                  .chunk = partial->chunk,
                                  .count = whole->count,
                                  .limit = whole->limit,
                                  .dst_offset = whole->dst_offset,
                                  .variance_offset = whole->second_offset,
                                  .about_zero = whole->about_zero};
    struct reduce_loop loops[REDUCE_LOOPS + 1];
    made.nkept = result_loops(loops, whole, partial, along);
    made.lanes = made.nkept > 0 ? loops[--made.nkept] : (struct reduce_loop){.size = 1};
    memcpy(made.kept, loops, (size_t)made.nkept * sizeof loops[0]);
    return launch_moments(plan, &made, r->about_zero ? ARG_NOTHING : r->dst_arg, r->second_arg);
}

dnnl_status_t reduce_append_combine(struct plan *plan, const struct combine_request *r) {
    struct moments_params made = {.mean_offset = r->mean,
                                  .second_offset = r->variance,
                                  .result_stride = r->parts,
                                  .chunk_stride = 1,
                                  .results = r->results,
                                  .chunks = r->parts,
                                  .chunk = r->each,
                                  .count = r->parts * r->each,
                                  .limit = INT64_MAX,
                                  .dst_offset = r->mean_offset,
                                  .variance_offset = r->variance_offset,
                                  .variances = 1,
                                  .lanes = {.size = r->results, .src = 1, .dst = 1}};
    return launch_moments(plan, &made, r->mean_arg, r->variance_arg);
}

static i64 elements_of_result(const struct reduce_request *r) {
    i64 count = 1;
    for (int d = 0; d < r->src->ndims; d++)
        if (!in_set(r->kept, d)) count *= r->src->dims[d];
    return count;
}

static dnnl_status_t append_cut(struct plan *plan, const struct reduce_request *r, const struct cut *cut) {
    struct reduction_params whole = {.alg = r->alg,
                                     .finish = r->alg == REDUCE_MOMENTS ? REDUCE_FINISH_MEAN : r->finish,
                                     .type = (i32)r->src->data_type,
                                     .about_zero = r->about_zero,
                                     .p = r->p,
                                     .eps = r->eps,
                                     .count = elements_of_result(r),
                                     .limit = cut->limit,
                                     .src_offset = r->src->offset0,
                                     .dst_offset = r->dst->offset0,
                                     .second_offset = r->second ? r->second->offset0 : 0};
    set_loops(&whole, cut, plan->device);
    if (whole.units == 0) return dnnl_success;
    if (whole.chunks == 1) return launch_chunks(plan, r, cut->along, &whole);
    struct reduction_params partial = whole;
    make_partial(&partial, plan, cut->along);
    TRY(launch_chunks(plan, r, cut->along, &partial));
    if (r->alg == REDUCE_MOMENTS) return combine_moments(plan, r, &whole, &partial, cut->along);
    return combine_sums(plan, r, &whole, &partial, cut->along);
}

dnnl_status_t scratch_tensor(struct plan *plan, md_t *md, const md_t *like, const dnnl_dim_t *dims) {
    TRY(md_init(md, like->ndims, dims, dnnl_f32, dnnl_format_kind_any));
    md_t plain = *like;
    plain.blocking.inner_nblks = 0;
    TRY(md_set_any_like(md, &plain));
    plan_place(plan, md);
    return dnnl_success;
}

/* Layouts and types that the kernels do not take are reordered to f32 first. */
dnnl_status_t reduce_append(struct plan *plan, const struct reduce_request *request) {
    const uint64_t types = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s32) | TYPES_INT8;
    struct cut cut;
    if (in_set(types, request->src->data_type) && cut_layouts(&cut, request))
        return append_cut(plan, request, &cut);
    struct reduce_request r = *request;
    md_t plain;
    TRY(scratch_tensor(plan, &plain, r.src, r.src->dims));
    TRY(append_reorder(plan, r.src_arg, r.src, ARG_SCRATCHPAD, &plain, NULL));
    r.src = &plain;
    r.src_arg = ARG_SCRATCHPAD;
    if (!cut_layouts(&cut, &r)) return plan_skip(plan, "results have a layout with blocks");
    return append_cut(plan, &r, &cut);
}
