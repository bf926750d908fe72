/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's smallest program: the library is there, is the version of its headers, and computes.
 */
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdio.h>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        dnnl_status_t status_ = (call);                                                                      \
        if (status_ != dnnl_success) {                                                                       \
            printf("%s: %s\n", #call, dnnl_status2str(status_));                                             \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

int main(void) {
    const dnnl_version_t *version = dnnl_version();
    if (version->major != DNNL_VERSION_MAJOR || version->minor != DNNL_VERSION_MINOR) return 1;

    float src[4] = {-1, 0, 1, 2}, dst[4] = {9, 9, 9, 9};
    dnnl_dims_t dims = {4};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_memory_t src_mem, dst_mem;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t relu;
    TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    TRY(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    TRY(dnnl_memory_create(&src_mem, md, engine, src));
    TRY(dnnl_memory_create(&dst_mem, md, engine, dst));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, md,
                                                   md, 0.f, 0.f, NULL));
    TRY(dnnl_primitive_create(&relu, pd));
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_DST, dst_mem}};
    TRY(dnnl_primitive_execute(relu, stream, 2, args));
    TRY(dnnl_stream_wait(stream));
    int good = dst[0] == 0 && dst[1] == 0 && dst[2] == 1 && dst[3] == 2;

    TRY(dnnl_primitive_destroy(relu));
    TRY(dnnl_primitive_desc_destroy(pd));
    TRY(dnnl_memory_destroy(dst_mem));
    TRY(dnnl_memory_destroy(src_mem));
    TRY(dnnl_memory_desc_destroy(md));
    TRY(dnnl_stream_destroy(stream));
    TRY(dnnl_engine_destroy(engine));
    printf("dnnl %d.%d.%d: %s\n", version->major, version->minor, version->patch, good ? "right" : "wrong");
    return !good;
}
