/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saves a primitive and loads it again: a program that keeps the blob in a file starts without compiling
 * kernels.
 *
 *   cache_blob [ENGINE]    default: gpu
 *
 * A blob is valid for the same library, driver and device. The id of a primitive descriptor tells them apart:
 * use it as the name of the file. Engines without compiled kernels (cpu) have no blobs. Exit status 1 if the
 * two primitives give different results; 77: there is no such engine, or it has no blobs.
 */
#include "example.h"

enum { SIZE = 64 };

static dnnl_primitive_desc_t make_product(dnnl_engine_t engine) {
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){SIZE, SIZE}, dnnl_f32, dnnl_ab);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, md, md, NULL, md, NULL));
    CHECK(dnnl_memory_desc_destroy(md));
    return pd;
}

static uint8_t *save(dnnl_primitive_t primitive, size_t *size) {
    const dnnl_status_t status = dnnl_primitive_get_cache_blob(primitive, size, NULL);
    if (status == dnnl_unimplemented) {
        printf("SKIP: primitives of this engine have no blobs\n");
        exit(NO_SUCH_ENGINE);
    }
    CHECK(status);
    uint8_t *blob = malloc(*size);
    if (!blob) exit(1);
    CHECK(dnnl_primitive_get_cache_blob(primitive, size, blob));
    return blob;
}

/* Runs the product on numbers that are always the same; returns the sum of the results. */
static double run(dnnl_engine_t engine, dnnl_primitive_desc_t pd, dnnl_primitive_t product) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    dnnl_exec_arg_t list[3];
    dnnl_stream_t stream;
    uint32_t random = 1;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        list[i].arg = args[i];
        CHECK(dnnl_memory_create(&list[i].memory,
                                 dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, args[i]), engine,
                                 DNNL_MEMORY_ALLOCATE));
        fill(list[i].memory, 1.0f, &random);
    }
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_primitive_execute(product, stream, 3, list));
    CHECK(dnnl_stream_wait(stream));
    float *values = map(list[2].memory);
    for (int i = 0; i < SIZE * SIZE; i++)
        sum += (double)values[i];
    unmap(list[2].memory, values);
    for (int i = 0; i < 3; i++)
        CHECK(dnnl_memory_destroy(list[i].memory));
    CHECK(dnnl_stream_destroy(stream));
    return sum;
}

int main(int argc, char **argv) {
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "gpu");
    dnnl_primitive_desc_t pd = make_product(engine);
    dnnl_primitive_t made, loaded;
    double start = now_ms();
    CHECK(dnnl_primitive_create(&made, pd));
    const double making = now_ms() - start;

    size_t size, id_size = 0;
    uint8_t *blob = save(made, &size);
    CHECK(dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id_size_s64, 0, &id_size));
    start = now_ms();
    CHECK(dnnl_primitive_create_from_cache_blob(&loaded, pd, size, blob));
    const double loading = now_ms() - start;

    const double expected = run(engine, pd, made), result = run(engine, pd, loaded);
    printf("made in %.3f ms, loaded in %.3f ms from %zu bytes with an id of %zu bytes\n", making, loading,
           size, id_size);
    free(blob);
    CHECK(dnnl_primitive_destroy(made));
    CHECK(dnnl_primitive_destroy(loaded));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_engine_destroy(engine));
    return result == expected ? 0 : 1;
}
