/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Post-ops in a launch of their own: the problem is computed without them, in f32 or f64, to dst itself or to
 * scratchpad; then an element-wise program (rows.h) applies post-ops, the scale and the zero point of dst.
 * For kernels that are so quick that looking up operands for every vector would take most of their time.
 */
#ifndef LODE_PRIMITIVES_APART_H
#define LODE_PRIMITIVES_APART_H

#include "core/plan.h"

/* Where results before post-ops lie: dst if it is f32 or f64 and no post-op reads it, else scratchpad. `md`
 * is dst, whose layout must be known, and becomes the results. Returns the argument. */
int apart_place(struct plan *plan, md_t *md);

/* From there to dst. `scaled` is the argument whose scale is still missing, 0 if there is none. */
dnnl_status_t apart_finish(struct plan *plan, int arg, const md_t *results, int scaled);

/* Is there anything to do after the product and its bias? */
bool apart_has_rest(const attr_t *attr);

/* Does apart_build leave scales of src or weights to the last launch? */
bool apart_takes_scales(const struct plan *plan);

/* Builds all of it: the problem without post-ops by these implementations, then the rest, and with it the
 * scales of src and weights where those are floats and there is no bias. */
dnnl_status_t apart_build(struct plan *plan, const struct implementation *implementations);

#endif
