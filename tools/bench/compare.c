/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of results: compare.h. */
#include "compare.h"

#include "elements.h"

#include <math.h>

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
