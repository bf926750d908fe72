/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as objects of the library under test. */
#ifndef LODE_BENCH_BUILD_H
#define LODE_BENCH_BUILD_H

#include "library.h"
#include "request.h"

struct build {
    const struct request *request;
    dnnl_engine_t engine;
    dnnl_primitive_attr_t attr;          /* NULL while the forward primitive of a backward one is made */
    dnnl_memory_desc_t mds[MAX_TENSORS]; /* by tensor, made on demand */
    dnnl_memory_desc_t post_op_mds[MAX_POST_OPS]; /* of binary and PReLU post-ops */
    bool decided; /* layouts that the library chooses are those of the line: forward passes of pooling need it
                   */
    const char *why; /* what the tool cannot make, if that is why it failed */
};

/* The descriptor of a tensor by name; NULL if there is none, or it cannot be made (`why`). */
dnnl_memory_desc_t build_md(struct build *build, const char *name);

/* Makes the attributes; the descriptors of post-ops are kept. */
dnnl_status_t build_attributes(struct build *build);

/* Makes the descriptor of a direction; `hint` is the forward descriptor of a backward one. */
dnnl_status_t build_primitive_desc(struct build *build, dnnl_prop_kind_t direction,
                                   const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd);

void build_free(struct build *build);

#endif
