/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions share that make primitive descriptors, one per kind. */
#ifndef LODE_BENCH_KINDS_H
#define LODE_BENCH_KINDS_H

#include "build.h"

/* What every function gets; `backward` has the direction of a backward request. */
struct call {
    struct build *build;
    const struct request *r;
    dnnl_engine_t engine;
    dnnl_prop_kind_t direction;
    bool backward;
    const_dnnl_primitive_desc_t hint;
    const_dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t *pd;
};

/* The descriptor of a tensor by name, NULL if there is none. */
#define MD(name) build_md(c->build, name)

/* Recurrent cells. */
dnnl_status_t make_rnn(const struct call *c);

#endif
