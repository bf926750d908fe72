/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements: measure.h. Batches of both libraries alternate, so that noise hits both. */
#include "measure.h"

#include "elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The best of many short batches is the least disturbed by other processes. */
enum { MAX_BATCHES = 50, MIN_BATCHES = 3 };
static const double batch_us = 2000;
static const double slow_us = 500 * 1000; /* what takes longer is measured once */

/* Work. */

static double elements(const struct tensor *tensor) {
    double count = 1;
    for (int d = 0; tensor && d < tensor->ndims; d++)
        count *= (double)tensor->dims[d];
    return tensor ? count : 0;
}

static double type_bytes(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f64:
    case dnnl_s64: return 8;
    case dnnl_f32:
    case dnnl_s32: return 4;
    case dnnl_f16:
    case dnnl_bf16: return 2;
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1: return 0.5;
    default: return 1;
    }
}

/* Terms of a sum of a product: of the forward pass, or of the pass that the request asks for. */
static double product_depth(const struct request *request, double forward) {
    const struct tensor *src = request_tensor(request, "src"), *dst = request_tensor(request, "dst");
    const struct tensor *weights = request_tensor(request, "wei");
    double operations = elements(dst) * forward;
    if (request->direction == dnnl_backward_data) return operations / fmax(1, elements(src));
    if (request->direction == dnnl_backward_weights) return operations / fmax(1, elements(weights));
    return forward;
}

static double forward_depth(const struct request *request) {
    const struct tensor *src = request_tensor(request, "src"), *dst = request_tensor(request, "dst");
    const struct tensor *weights = request_tensor(request, "wei");
    double kernel = 1;
    for (int d = 0; d < request->spatial; d++)
        kernel *= (double)request->kernel[d];
    switch (request->kind) {
    case dnnl_matmul: return weights ? (double)weights->dims[weights->ndims - 2] : 1;
    case dnnl_convolution:
    case dnnl_deconvolution:
    case dnnl_inner_product: return dst ? elements(weights) / fmax(1, (double)dst->dims[1]) : 1;
    case dnnl_pooling: return kernel;
    case dnnl_reduction: return elements(src) / fmax(1, elements(dst));
    default: return 1;
    }
}

struct work request_work(const struct request *request) {
    struct work work = {0};
    double largest = 0;
    for (int i = 0; i < request->tensor_count; i++) {
        double count = elements(&request->tensors[i]);
        work.bytes += count * type_bytes(request->tensors[i].type);
        largest = fmax(largest, count);
    }
    double depth = forward_depth(request);
    bool product = request_tensor(request, "wei") && request->kind != dnnl_prelu;
    work.operations = (product ? 2 : 1) * fmax(1, elements(request_tensor(request, "dst"))) * depth;
    if (!product && depth == 1) work.operations = largest;
    bool norm = request->kind == dnnl_batch_normalization || request->kind == dnnl_layer_normalization
                || request->kind == dnnl_group_normalization || request->kind == dnnl_softmax
                || (request_is_backward(request) && !product);
    /* Sums over a whole tensor at worst. */
    work.depth = product ? product_depth(request, depth) : norm ? largest : depth;
    return work;
}

/* Comparison. */

/* The error of one pair; results that are not finite must be the same. */
static double pair_error(float ours, float theirs) {
    if (isnan(ours) && isnan(theirs)) return 0;
    if (!isfinite(ours) || !isfinite(theirs)) return ours == theirs ? 0 : INFINITY;
    return fabs((double)ours - theirs);
}

static void compare_output(const struct output *ours, const struct output *theirs, double depth,
                           double *error, double *tolerance) {
    double largest = 0, difference = 0;
    if (ours->arg != theirs->arg || ours->count != theirs->count) {
        *error = INFINITY;
        return;
    }
    for (size_t i = 0; i < ours->count; i++) {
        double e = pair_error(ours->values[i], theirs->values[i]);
        if (e > difference) difference = e;
        if (isfinite(theirs->values[i])) largest = fmax(largest, fabs((double)theirs->values[i]));
    }
    if (largest == 0) largest = 1;
    *error = difference / largest;
    /* One unit in the last place of the type, and one rounding in f32 for each term and for the steps around.
     */
    *tolerance = type_precision(ours->type) + (16 + depth) * 0x1p-24;
    if (type_is_integer(ours->type)) *tolerance = 1 / largest;
}

bool outputs_agree(int count, const struct output *ours, const struct output *theirs, double depth,
                   double *error, double *tolerance) {
    double worst = -1;
    *error = *tolerance = 0;
    for (int i = 0; i < count; i++) {
        double e = 0, t = 0;
        compare_output(&ours[i], &theirs[i], depth, &e, &t);
        double excess = t > 0 ? e / t : e > 0 ? INFINITY : 0;
        if (excess <= worst) continue;
        worst = excess;
        *error = e;
        *tolerance = t;
    }
    return worst <= 1;
}

static void free_outputs(int count, struct output *outputs) {
    for (int i = 0; i < count; i++)
        free(outputs[i].values);
}

static enum verdict compare_workers(struct result *result, struct worker *ours, struct worker *theirs) {
    struct output a[MAX_OUTPUTS], b[MAX_OUTPUTS];
    int count = worker_outputs(ours, a), other = worker_outputs(theirs, b);
    bool agree = count == other && count >= 0
                 && outputs_agree(count, a, b, request_work(result->request).depth, &result->error,
                                  &result->tolerance);
    free_outputs(count, a);
    free_outputs(other, b);
    return agree ? VERDICT_AGREES : VERDICT_DIFFERS;
}

/* Times. */

struct timer {
    struct worker *worker;
    double best; /* microseconds; 0 before the first batch */
    double estimate;
    int batches;
};

static void run_batch(struct timer *timer) {
    double times = batch_us / fmax(timer->estimate, 0.01);
    double us = worker_measure(timer->worker, times < 1 ? 1 : (long)times);
    timer->batches--;
    if (us < 0) {
        timer->batches = 0;
        return;
    }
    timer->best = timer->best > 0 ? fmin(timer->best, us) : us;
    timer->estimate = timer->best;
}

static struct timer make_timer(struct worker *worker, const struct prepared *prepared, double budget_us) {
    bool runs = worker && prepared->outcome == OUTCOME_RAN;
    double batches = fmin(fmax(budget_us / fmax(batch_us, prepared->run_us), MIN_BATCHES), MAX_BATCHES);
    return (struct timer){worker, 0, prepared->run_us,
                          !runs                        ? 0
                          : prepared->run_us > slow_us ? 1
                                                       : (int)batches};
}

static void measure_times(struct result *result, struct worker *ours, struct worker *theirs,
                          double budget_us) {
    struct timer a = make_timer(ours, &result->ours, budget_us),
                 b = make_timer(theirs, &result->theirs, budget_us);
    while (a.batches > 0 || b.batches > 0) {
        if (a.batches > 0) run_batch(&a);
        if (b.batches > 0) run_batch(&b);
    }
    result->our_us = a.best;
    result->their_us = b.best;
}

static enum verdict judge(struct result *result, struct worker *ours, struct worker *theirs) {
    bool we = result->ours.outcome == OUTCOME_RAN, they = theirs && result->theirs.outcome == OUTCOME_RAN;
    if (result->ours.outcome == OUTCOME_SKIPPED && !they) return VERDICT_SKIPPED;
    if (we && they) return compare_workers(result, ours, theirs);
    if (we) return theirs ? VERDICT_BETTER : VERDICT_RAN;
    return they || !theirs ? VERDICT_REFUSED : VERDICT_NEITHER;
}

struct result measure_request(const struct request *request, struct worker *ours, struct worker *theirs,
                              double budget_ms) {
    struct result result = {.request = request, .verdict = VERDICT_SKIPPED};
    if (request->why[0]) return result;
    result.ours = worker_prepare(ours, request);
    if (theirs) result.theirs = worker_prepare(theirs, request);
    result.verdict = judge(&result, ours, theirs);
    measure_times(&result, ours, theirs, budget_ms * 1e3);
    return result;
}

bool result_is_failure(const struct result *result) {
    bool refused = result->verdict == VERDICT_REFUSED;
    bool must = !result->optional || result->theirs.outcome == OUTCOME_RAN
                || result->ours.outcome == OUTCOME_FAILED;
    return result->verdict == VERDICT_DIFFERS || result->cliff > 0 || (refused && must);
}
