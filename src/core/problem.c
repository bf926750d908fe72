/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems as data: making, copying, comparing and hashing. Hashing stands on the path of every cache hit, so
 * it reads the dimensions that are in use and skips what a kind of primitive does not have. How problems read
 * in verbose lines stands in problem_text.c.
 */
#include "core/problem.h"

#include "base/hash.h"
#include "base/verbose.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

dnnl_status_t problem_init(struct problem *problem, dnnl_primitive_kind_t kind, int capacity) {
    *problem = (struct problem){.kind = kind};
    problem->tensors = calloc((size_t)capacity + 1, sizeof(*problem->tensors));
    if (!problem->tensors) return dnnl_out_of_memory;
    problem->capacity = capacity;
    return dnnl_success;
}

static bool is_source(const struct problem_tensor *tensor) {
    return tensor->arg >= DNNL_ARG_MULTIPLE_SRC && tensor->arg < DNNL_ARG_MULTIPLE_DST;
}

/* How many scales there are. */
static int source_count(const struct problem *problem) {
    int count = 0;
    for (int i = 0; i < problem->ntensors; i++)
        count += is_source(&problem->tensors[i]);
    return count;
}

static dnnl_status_t copy_scales(struct problem *to, const struct problem *from) {
    if (!from->scales) return dnnl_success;
    size_t bytes = (size_t)source_count(from) * sizeof(*from->scales);
    to->scales = malloc(bytes + 1);
    if (!to->scales) return dnnl_out_of_memory;
    memcpy(to->scales, from->scales, bytes);
    return dnnl_success;
}

dnnl_status_t problem_copy(struct problem *to, const struct problem *from) {
    struct problem_tensor *tensors = calloc((size_t)from->capacity + 1, sizeof(*tensors));
    *to = *from;
    to->scales = NULL;
    to->tensors = tensors;
    if (!tensors || copy_scales(to, from) != dnnl_success) {
        problem_clear(to);
        return dnnl_out_of_memory;
    }
    memcpy(tensors, from->tensors, (size_t)from->ntensors * sizeof(*tensors));
    return dnnl_success;
}

void problem_clear(struct problem *problem) {
    free(problem->scales);
    free(problem->tensors);
    *problem = (struct problem){0};
}

dnnl_status_t problem_reserve(struct problem *problem, int more) {
    int capacity = problem->ntensors + more;
    if (capacity <= problem->capacity) return dnnl_success;
    struct problem_tensor *grown = realloc(problem->tensors, ((size_t)capacity + 1) * sizeof *grown);
    if (!grown) return dnnl_out_of_memory;
    problem->tensors = grown;
    problem->capacity = capacity;
    return dnnl_success;
}

void problem_add(struct problem *problem, int arg, bool output, const md_t *md) {
    if (md_is_zero(md)) return;
    assert(problem->ntensors < problem->capacity);
    problem->tensors[problem->ntensors++] = (struct problem_tensor){.arg = arg, .output = output, .md = *md};
}

dnnl_status_t problem_add_hint(struct problem *problem, const struct problem *forward) {
    TRY(problem_reserve(problem, forward->ntensors));
    problem->hinted = true;
    problem->hint_prop = forward->prop;
    problem->hint_alg = forward->alg;
    for (int i = 0; i < forward->ntensors; i++) {
        const struct problem_tensor *tensor = &forward->tensors[i];
        if (!tensor_is_passed(tensor)) continue;
        problem_add(problem, tensor->arg, tensor->output, &tensor->md);
        problem->tensors[problem->ntensors - 1].hint = true;
    }
    return dnnl_success;
}

static md_t *find_md(const struct problem *problem, int arg, bool hint) {
    for (int i = 0; i < problem->ntensors; i++)
        if (problem->tensors[i].arg == arg && problem->tensors[i].hint == hint)
            return &problem->tensors[i].md;
    return NULL;
}

md_t *problem_md(const struct problem *problem, int arg) {
    return find_md(problem, arg, false);
}

const md_t *problem_hint_md(const struct problem *problem, int arg) {
    return find_md(problem, arg, true);
}

static bool same_tensors(const struct problem *a, const struct problem *b) {
    if (a->ntensors != b->ntensors) return false;
    for (int i = 0; i < a->ntensors; i++) {
        const struct problem_tensor *x = &a->tensors[i], *y = &b->tensors[i];
        if (x->arg != y->arg || x->output != y->output || x->hint != y->hint || !md_equal(&x->md, &y->md))
            return false;
    }
    return true;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_scales(const struct problem *a, const struct problem *b) {
    if (!a->scales || !b->scales) return a->scales == b->scales;
    return memcmp(a->scales, b->scales, (size_t)source_count(a) * sizeof(*a->scales)) == 0;
}

static bool same_windows(const struct problem *a, const struct problem *b) {
    return memcmp(a->strides, b->strides, sizeof(a->strides)) == 0
           && memcmp(a->dilates, b->dilates, sizeof(a->dilates)) == 0
           && memcmp(a->padding_l, b->padding_l, sizeof(a->padding_l)) == 0
           && memcmp(a->padding_r, b->padding_r, sizeof(a->padding_r)) == 0
           && memcmp(a->kernel, b->kernel, sizeof(a->kernel)) == 0;
}

static bool same_parameters(const struct problem *a, const struct problem *b) {
    return same_float(a->alpha, b->alpha) && same_float(a->beta, b->beta)
           && same_float(a->epsilon, b->epsilon) && same_float(a->k, b->k) && a->local_size == b->local_size
           && a->group_size == b->group_size && a->axis == b->axis
           && memcmp(a->factors, b->factors, sizeof(a->factors)) == 0 && a->cell_kind == b->cell_kind
           && a->activation_kind == b->activation_kind && a->direction == b->direction;
}

static bool same_hints(const struct problem *a, const struct problem *b) {
    return a->hinted == b->hinted && a->hint_prop == b->hint_prop && a->hint_alg == b->hint_alg;
}

bool problem_equal(const struct problem *a, const struct problem *b) {
    return a->kind == b->kind && a->prop == b->prop && a->alg == b->alg && a->flags == b->flags
           && same_hints(a, b) && same_parameters(a, b) && same_windows(a, b) && same_tensors(a, b)
           && same_scales(a, b);
}

static bool has_windows(const struct problem *problem) {
    return problem->kind == dnnl_convolution || problem->kind == dnnl_deconvolution
           || problem->kind == dnnl_pooling;
}

static uint64_t hash_windows(const struct problem *problem, uint64_t hash) {
    enum { SPATIAL = 3 };
    for (int d = 0; d < SPATIAL; d++) {
        hash = hash_word(hash, (uint64_t)problem->strides[d] ^ (uint64_t)problem->dilates[d] << 32);
        hash = hash_word(hash, (uint64_t)problem->padding_l[d] ^ (uint64_t)problem->padding_r[d] << 32);
        hash = hash_word(hash, (uint64_t)problem->kernel[d]);
    }
    return hash;
}

static uint64_t hash_parameters(const struct problem *problem, uint64_t hash) {
    enum { SPATIAL = 3 };
    const float floats[] = {problem->alpha, problem->beta, problem->epsilon, problem->k};
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
        hash = hash_float(hash, floats[i]);
    hash = hash_word(hash, (uint64_t)problem->local_size ^ (uint64_t)problem->group_size << 32);
    hash = hash_word(hash, (uint64_t)problem->axis << 32 ^ (uint64_t)problem->direction);
    hash = hash_word(hash, (uint64_t)problem->cell_kind << 32 ^ (uint64_t)problem->activation_kind);
    for (int d = 0; d < SPATIAL; d++)
        hash = hash_float(hash, problem->factors[d]);
    int scales = problem->scales ? source_count(problem) : 0;
    for (int i = 0; i < scales; i++)
        hash = hash_float(hash, problem->scales[i]);
    return hash;
}

uint64_t problem_hash(const struct problem *problem, uint64_t seed) {
    uint64_t hash = hash_word(seed, (uint64_t)problem->kind << 32 | (uint64_t)problem->prop);
    hash = hash_word(hash, (uint64_t)problem->alg << 32 | problem->flags);
    hash = hash_parameters(problem, hash);
    if (has_windows(problem)) hash = hash_windows(problem, hash);
    if (problem->hinted) hash = hash_word(hash, (uint64_t)problem->hint_alg << 32 | problem->hint_prop);
    for (int i = 0; i < problem->ntensors; i++) {
        const struct problem_tensor *tensor = &problem->tensors[i];
        hash = md_hash(&tensor->md, hash_word(hash, (uint64_t)tensor->arg << 1 | tensor->hint));
    }
    return hash;
}
