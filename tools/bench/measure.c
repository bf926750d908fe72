/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements: measure.h. Batches of both libraries alternate, so that noise hits both. */
#include "measure.h"

#include "bandwidth.h"
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The best of many short batches is the least disturbed by other processes. */
enum { MAX_BATCHES = 50, MIN_BATCHES = 3 };
static const double batch_us = 2000;
static const double slow_us = 500 * 1000; /* what takes longer is measured once */

static void free_outputs(int count, struct output *outputs) {
    for (int i = 0; i < count; i++)
        free(outputs[i].values);
}

static void lose_results(struct prepared *prepared) {
    prepared->outcome = OUTCOME_FAILED;
    snprintf(prepared->text, sizeof(prepared->text), "results could not be read");
}

static enum verdict compare_workers(struct result *result, struct worker *ours, struct worker *theirs) {
    struct output a[MAX_OUTPUTS], b[MAX_OUTPUTS];
    int count = worker_outputs(ours, a), other = worker_outputs(theirs, b);
    bool agree = count == other && count >= 0
                 && outputs_agree(count, a, b, request_work(result->request).depth, &result->error,
                                  &result->tolerance);
    free_outputs(count, a);
    free_outputs(other, b);
    if (count < 0) lose_results(&result->ours);
    if (other < 0) lose_results(&result->theirs);
    if (count < 0 || other < 0) return count < 0 ? VERDICT_REFUSED : VERDICT_BETTER;
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
        if (result->request->at_least > 0) result->copy = fmax(result->copy, copy_bandwidth());
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

double result_ratio(const struct result *result) {
    return result->our_us > 0 && result->their_us > 0 ? result->our_us / result->their_us : 0;
}

double result_share(const struct result *result) {
    if (result->our_us <= 0 || result->copy <= 0) return 0;
    return 1e6 * request_work(result->request).bytes / result->our_us / result->copy;
}

bool result_has_goal(const struct result *result) {
    return result->request->at_least > 0 ? result_share(result) > 0
                                         : result->request->at_most > 0 && result_ratio(result) > 0;
}

bool result_misses(const struct result *result) {
    if (!result_has_goal(result)) return false;
    return result->request->at_least > 0 ? result_share(result) < result->request->at_least
                                         : result_ratio(result) > result->request->at_most;
}

bool result_is_failure(const struct result *result) {
    bool refused = result->verdict == VERDICT_REFUSED;
    bool must = !result->optional || result->theirs.outcome == OUTCOME_RAN
                || result->ours.outcome == OUTCOME_FAILED;
    return result->verdict == VERDICT_DIFFERS || result->cliff > 0 || (refused && must)
           || result_misses(result);
}
