/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is specific to OpenCL: reference counts, getters, buffers and USM, cache blobs of engines, the disk
 * cache, queues and buffers of other contexts. On every device; conformance.c tests the rest.
 */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "oneapi/dnnl/dnnl_ocl.h"
#include "runtimes/conformance.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { LENGTH = 256 };
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

static cl_device_id device_of(const struct place *place) {
    return place->native[0];
}

static cl_context context_of(const struct place *place) {
    return place->native[1];
}

static cl_context new_context(const struct place *place) {
    cl_device_id device = device_of(place);
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    return context;
}

static cl_command_queue new_queue(const struct place *place, cl_context context,
                                  cl_command_queue_properties properties) {
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, device_of(place), properties, &error);
    assert_int_equal(error, CL_SUCCESS);
    return queue;
}

static cl_mem new_buffer(cl_context context, cl_mem_flags flags, size_t size) {
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, flags, size, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    return buffer;
}

#define REFERENCES(object, type, get_info, property)                                                         \
    static cl_uint object##_references(type handle) {                                                        \
        cl_uint count = 0;                                                                                   \
        get_info(handle, property, sizeof count, &count, NULL);                                              \
        return count;                                                                                        \
    }
REFERENCES(context, cl_context, clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT)
REFERENCES(queue, cl_command_queue, clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT)
REFERENCES(buffer, cl_mem, clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT)
REFERENCES(event, cl_event, clGetEventInfo, CL_EVENT_REFERENCE_COUNT)

/* Drivers release their own references a little later. */
static void assert_last_reference(cl_event event) {
    for (int i = 0; i < 1000 && event_references(event) > 1; i++)
        usleep(1000);
    assert_int_equal(event_references(event), 1);
}

/* Engines */

static void engine(void **state) {
    const struct place *place = place_of(state);
    cl_context context = new_context(place), got_context;
    cl_device_id got_device;
    dnnl_engine_t made = UNTOUCHED;
    cl_uint before = context_references(context);
    assert_ok(dnnl_ocl_interop_engine_create(&made, device_of(place), context));
    assert_true(context_references(context) > before);
    cl_uint with_engine = context_references(context);
    assert_ok(dnnl_ocl_interop_engine_get_context(made, &got_context));
    assert_ok(dnnl_ocl_interop_get_device(made, &got_device));
    assert_ptr_equal(got_context, context);
    assert_ptr_equal(got_device, device_of(place));
    assert_int_equal(context_references(context), with_engine);
    assert_ok(dnnl_engine_destroy(made));
    assert_int_equal(context_references(context), before);
    clReleaseContext(context);
}

static void engine_of_other_contexts(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = UNTOUCHED, cpu = test_engine();
    cl_context context = UNTOUCHED;
    cl_device_id device = UNTOUCHED;
    assert_bad(dnnl_ocl_interop_engine_create(NULL, device_of(place), context_of(place)));
    assert_bad(dnnl_ocl_interop_engine_create(&made, NULL, context_of(place)));
    assert_bad(dnnl_ocl_interop_engine_create(&made, device_of(place), NULL));
    assert_ptr_equal(made, UNTOUCHED);
    assert_bad(dnnl_ocl_interop_engine_get_context(cpu, &context));
    assert_bad(dnnl_ocl_interop_engine_get_context(NULL, &context));
    assert_bad(dnnl_ocl_interop_get_device(cpu, &device));
    assert_bad(dnnl_ocl_interop_get_device(NULL, &device));
    assert_ptr_equal(context, UNTOUCHED);
    assert_ptr_equal(device, UNTOUCHED);
    assert_ok(dnnl_engine_destroy(cpu));

    /* A sub-device is a separate device, and not in its parent's context. */
    cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id pieces[64];
    cl_uint count = 0;
    if (clCreateSubDevices(device_of(place), by_one, 64, pieces, &count) != CL_SUCCESS)
        leave_out(place, "has no sub-devices");
    assert_bad(dnnl_ocl_interop_engine_create(&made, pieces[0], context_of(place)));
    assert_ptr_equal(made, UNTOUCHED);
    for (cl_uint i = 0; i < count; i++)
        clReleaseDevice(pieces[i]);
}

/* The user releases everything at once; the library still holds its references. */
static void context_released_first(void **state) {
    const struct place *place = place_of(state);
    cl_context context = new_context(place);
    cl_command_queue queue = new_queue(place, context, 0);
    dnnl_engine_t made;
    dnnl_stream_t stream;
    assert_ok(dnnl_ocl_interop_engine_create(&made, device_of(place), context));
    assert_ok(dnnl_ocl_interop_stream_create(&stream, made, queue));
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    struct step step = make_step(made, LENGTH);
    dnnl_memory_t src = make_memory(&step, made), dst = make_memory(&step, made);
    assert_ok(dnnl_engine_destroy(made));
    memory_set_all(src, 1, LENGTH);
    assert_ok(run_step(&step, stream, src, dst));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(dst, 3, LENGTH);
    free_step(&step);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    assert_ok(dnnl_stream_destroy(stream));
}

/* Streams */

static void stream(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place);
    cl_command_queue queue = new_queue(place, context_of(place), 0), got;
    dnnl_stream_t s;
    assert_ok(dnnl_ocl_interop_stream_create(&s, made, queue));
    assert_int_equal(queue_references(queue), 2);
    assert_ok(dnnl_ocl_interop_stream_get_command_queue(s, &got));
    assert_ptr_equal(got, queue);
    assert_int_equal(queue_references(queue), 2);
    assert_ok(dnnl_stream_destroy(s));
    assert_int_equal(queue_references(queue), 1);
    clReleaseCommandQueue(queue);
    assert_ok(dnnl_engine_destroy(made));
}

static void stream_of_other_contexts(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place), cpu = test_engine();
    cl_context other = new_context(place);
    cl_command_queue foreign = new_queue(place, other, 0), own = new_queue(place, context_of(place), 0);
    cl_command_queue got = UNTOUCHED;
    dnnl_stream_t s = UNTOUCHED, on_cpu = test_stream(cpu);
    assert_bad(dnnl_ocl_interop_stream_create(&s, made, foreign));
    assert_bad(dnnl_ocl_interop_stream_create(&s, made, NULL));
    assert_bad(dnnl_ocl_interop_stream_create(&s, NULL, own));
    assert_bad(dnnl_ocl_interop_stream_create(&s, cpu, own));
    assert_bad(dnnl_ocl_interop_stream_create(NULL, made, own));
    assert_ptr_equal(s, UNTOUCHED);
    assert_bad(dnnl_ocl_interop_stream_get_command_queue(on_cpu, &got));
    assert_bad(dnnl_ocl_interop_stream_get_command_queue(NULL, &got));
    assert_ptr_equal(got, UNTOUCHED);
    assert_int_equal(queue_references(foreign), 1);
    assert_int_equal(queue_references(own), 1);
    clReleaseCommandQueue(foreign);
    clReleaseCommandQueue(own);
    clReleaseContext(other);
    assert_ok(dnnl_stream_destroy(on_cpu));
    assert_ok(dnnl_engine_destroy(cpu));
    assert_ok(dnnl_engine_destroy(made));
}

/* Memory */

static void memory(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a);
    cl_mem first = new_buffer(context_of(place), CL_MEM_READ_WRITE, LENGTH * 4), got;
    cl_mem second = new_buffer(context_of(place), CL_MEM_READ_WRITE, LENGTH * 4);
    dnnl_ocl_interop_memory_kind_t kind;
    dnnl_memory_t m;
    assert_ok(dnnl_memory_create(&m, md, made, first));
    assert_int_equal(buffer_references(first), 2);
    assert_ok(dnnl_ocl_interop_memory_get_memory_kind(m, &kind));
    assert_int_equal(kind, dnnl_ocl_interop_buffer);
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(m, &got));
    assert_ptr_equal(got, first);
    assert_int_equal(buffer_references(first), 2);
    assert_ok(dnnl_ocl_interop_memory_set_mem_object(m, second));
    assert_int_equal(buffer_references(first), 1);
    assert_int_equal(buffer_references(second), 2);
    assert_ok(dnnl_ocl_interop_memory_set_mem_object(m, second));
    assert_int_equal(buffer_references(second), 2);
    assert_ok(dnnl_ocl_interop_memory_set_mem_object(m, NULL));
    assert_int_equal(buffer_references(second), 1);
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(m, &got));
    assert_null(got);
    assert_ok(dnnl_memory_destroy(m));
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(made));
}

static void memory_of_other_contexts(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place), cpu = test_engine();
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a);
    cl_context other = new_context(place);
    cl_mem foreign = new_buffer(other, CL_MEM_READ_WRITE, LENGTH * 4);
    cl_mem small = new_buffer(context_of(place), CL_MEM_READ_WRITE, LENGTH * 4 - 1), got = UNTOUCHED;
    dnnl_memory_t m = UNTOUCHED, on_cpu = test_memory(md, cpu, DNNL_MEMORY_ALLOCATE);
    dnnl_ocl_interop_memory_kind_t kind = (dnnl_ocl_interop_memory_kind_t)77;
    void *nothing = DNNL_MEMORY_NONE;
    assert_bad(dnnl_memory_create(&m, md, made, foreign));
    assert_bad(dnnl_memory_create(&m, md, made, small));
    assert_bad(dnnl_ocl_interop_memory_create(&m, md, made, kind, nothing));
    assert_bad(dnnl_ocl_interop_memory_create(&m, md, cpu, dnnl_ocl_interop_buffer, nothing));
    assert_bad(dnnl_ocl_interop_memory_create(&m, NULL, made, dnnl_ocl_interop_buffer, nothing));
    assert_bad(dnnl_ocl_interop_memory_create(NULL, md, made, dnnl_ocl_interop_buffer, nothing));
    assert_bad(dnnl_ocl_interop_memory_create_v2(&m, md, made, dnnl_ocl_interop_buffer, 0, &nothing));
    assert_bad(dnnl_ocl_interop_memory_create_v2(&m, md, made, dnnl_ocl_interop_buffer, 1, NULL));
    assert_ptr_equal(m, UNTOUCHED);
    assert_bad(dnnl_ocl_interop_memory_get_memory_kind(on_cpu, &kind));
    assert_bad(dnnl_ocl_interop_memory_get_memory_kind(NULL, &kind));
    assert_int_equal(kind, 77);
    assert_bad(dnnl_ocl_interop_memory_get_mem_object(on_cpu, &got));
    assert_bad(dnnl_ocl_interop_memory_get_mem_object(NULL, &got));
    assert_ptr_equal(got, UNTOUCHED);
    assert_bad(dnnl_ocl_interop_memory_set_mem_object(on_cpu, small));
    assert_bad(dnnl_ocl_interop_memory_set_mem_object(NULL, small));

    assert_ok(dnnl_memory_create(&m, md, made, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(m, &got));
    cl_mem before = got;
    assert_bad(dnnl_ocl_interop_memory_set_mem_object(m, foreign));
    assert_bad(dnnl_ocl_interop_memory_set_mem_object(m, small));
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(m, &got));
    assert_ptr_equal(got, before);
    assert_int_equal(buffer_references(foreign), 1);
    assert_int_equal(buffer_references(small), 1);
    assert_ok(dnnl_memory_destroy(m));
    assert_ok(dnnl_memory_destroy(on_cpu));
    clReleaseMemObject(foreign);
    clReleaseMemObject(small);
    clReleaseContext(other);
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(cpu));
    assert_ok(dnnl_engine_destroy(made));
}

static void usm(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a);
    dnnl_memory_t m = UNTOUCHED;
    dnnl_ocl_interop_memory_kind_t kind;
    cl_mem got = UNTOUCHED;
    enum { USM_SHARED = 2 };
    if (!place->backend->has_kind(place, USM_SHARED)) {
        assert_int_equal(
                dnnl_ocl_interop_memory_create(&m, md, made, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE),
                dnnl_unimplemented);
        assert_ptr_equal(m, UNTOUCHED);
    } else {
        void *small = place->backend->native_alloc(place, USM_SHARED, LENGTH * 4 - 4);
        assert_bad(dnnl_ocl_interop_memory_create(&m, md, made, dnnl_ocl_interop_usm, small));
        assert_ptr_equal(m, UNTOUCHED);
        place->backend->native_free(place, USM_SHARED, small);
        assert_ok(dnnl_ocl_interop_memory_create(&m, md, made, dnnl_ocl_interop_usm, DNNL_MEMORY_NONE));
        assert_ok(dnnl_ocl_interop_memory_get_memory_kind(m, &kind));
        assert_int_equal(kind, dnnl_ocl_interop_usm);
        assert_bad(dnnl_ocl_interop_memory_get_mem_object(m, &got));
        assert_ptr_equal(got, UNTOUCHED);
        assert_ok(dnnl_memory_destroy(m));
    }
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(made));
}

/* Buffers that the host may not access, or only read or write. */
static void host_access(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){LENGTH}, dnnl_a);
    static const struct {
        cl_mem_flags flags;
        dnnl_status_t status;
    } cases[] = {{CL_MEM_HOST_READ_ONLY, dnnl_success},
                 {CL_MEM_HOST_WRITE_ONLY, dnnl_success},
                 {CL_MEM_HOST_NO_ACCESS, dnnl_invalid_arguments}};
    for (int i = 0; i < 3; i++) {
        cl_mem buffer = new_buffer(context_of(place), CL_MEM_READ_WRITE | cases[i].flags, LENGTH * 4);
        dnnl_memory_t m;
        void *mapped = NULL;
        assert_ok(dnnl_memory_create(&m, md, made, buffer));
        assert_int_equal(dnnl_memory_map_data(m, &mapped), cases[i].status);
        if (mapped) assert_ok(dnnl_memory_unmap_data(m, mapped));
        assert_ok(dnnl_memory_destroy(m));
        assert_int_equal(buffer_references(buffer), 1);
        clReleaseMemObject(buffer);
    }
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_engine_destroy(made));
}

/* Events: the user owns the returned one; dependencies are not retained. */
static void events(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t made = make_engine(place);
    struct step step = make_step(made, LENGTH);
    dnnl_memory_t src = make_memory(&step, made), dst = make_memory(&step, made);
    cl_command_queue queue = new_queue(place, context_of(place), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    dnnl_stream_t s;
    cl_int error;
    cl_event gate = clCreateUserEvent(context_of(place), &error), event = UNTOUCHED;
    assert_ok(dnnl_ocl_interop_stream_create(&s, made, queue));
    memory_set_all(src, 1, LENGTH);
    assert_ok(dnnl_ocl_interop_primitive_execute(step.primitive, s, 2, args_of(src, dst).list, &gate, 1,
                                                 &event));
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(queue);
    assert_memory_is(dst, 3, LENGTH);
    cl_event first = event;

    /* A user's command and primitives, each after the other, ordered by events alone. */
    float nine = 9;
    cl_mem buffer;
    cl_event filled, done, copied;
    float result[LENGTH];
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(src, &buffer));
    clEnqueueFillBuffer(queue, buffer, &nine, sizeof nine, 0, LENGTH * 4, 0, NULL, &filled);
    assert_ok(dnnl_ocl_interop_primitive_execute(step.primitive, s, 2, args_of(src, dst).list, &filled, 1,
                                                 &done));
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(dst, &buffer));
    clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, LENGTH * 4, result, 1, &done, &copied);
    clWaitForEvents(1, &copied);
    for (int i = 0; i < LENGTH; i++)
        assert_true(result[i] == 19);
    assert_ok(dnnl_stream_destroy(s));
    clReleaseCommandQueue(queue);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(made));

    /* Only the user still holds references. */
    cl_event all[] = {gate, first, filled, done, copied};
    for (int i = 0; i < 5; i++) {
        assert_last_reference(all[i]);
        clReleaseEvent(all[i]);
    }
}

/* Waiting for an event of another context fails: an error status, and nothing runs. */
static void foreign_event(void **state) {
    const struct place *place = place_of(state);
    struct scene s;
    open_scene(&s, place, BY_LIBRARY, dnnl_stream_out_of_order, LENGTH);
    dnnl_memory_t src = scene_memory(&s, 1), dst = scene_memory(&s, 5);
    cl_context other = new_context(place);
    cl_int error;
    cl_event foreign = clCreateUserEvent(other, &error), event = UNTOUCHED;
    clSetUserEventStatus(foreign, CL_COMPLETE);
    assert_bad(dnnl_ocl_interop_primitive_execute(s.step.primitive, s.stream, 2, args_of(src, dst).list,
                                                  &foreign, 1, &event));
    assert_ptr_equal(event, UNTOUCHED);
    assert_ok(dnnl_stream_wait(s.stream));
    assert_memory_is(dst, 5, LENGTH);
    clReleaseEvent(foreign);
    clReleaseContext(other);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    close_scene(&s);
}

/* Cache blobs of engines */

static void engine_blob_ids(void **state) {
    const struct place *place = place_of(state);
    size_t id_size = 0;
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(device_of(place), &id_size, NULL));
    uint8_t *id = calloc(1, id_size), *again = calloc(1, id_size);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(device_of(place), &id_size, id));
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(device_of(place), &id_size, again));
    assert_memory_equal(id, again, id_size);
    assert_bad(dnnl_ocl_interop_engine_get_cache_blob_id(NULL, &id_size, NULL));
    assert_bad(dnnl_ocl_interop_engine_get_cache_blob_id(device_of(place), NULL, NULL));
    free(id);
    free(again);
}

static void engine_blobs(void **state) {
    const struct place *place = place_of(state);
    size_t size = 0;
    dnnl_engine_t first = make_engine(place), second = UNTOUCHED;
    struct step step = make_step(first, LENGTH);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(first, &size, NULL));
    uint8_t *blob = malloc(size);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(first, &size, blob));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(first));

    cl_context context = new_context(place);
    cl_device_id device = device_of(place);
    assert_bad(dnnl_ocl_interop_engine_create_from_cache_blob(&second, device, context, size - 1, blob));
    assert_bad(dnnl_ocl_interop_engine_create_from_cache_blob(&second, device, context, 0, blob));
    assert_bad(dnnl_ocl_interop_engine_create_from_cache_blob(&second, device, context, size, NULL));
    assert_bad(dnnl_ocl_interop_engine_create_from_cache_blob(&second, NULL, context, size, blob));
    assert_ptr_equal(second, UNTOUCHED);
    assert_ok(dnnl_ocl_interop_engine_create_from_cache_blob(&second, device, context, size, blob));
    assert_works(second);
    assert_ok(dnnl_engine_destroy(second));
    clReleaseContext(context);
    free(blob);
}

/* The disk cache: files are created, damage is detected and repaired, and it can be disabled. */

enum damage { TRUNCATE, FLIP, EMPTY, DAMAGES };

static int for_each_file(const char *folder, void (*visit)(const char *path, int how), int how) {
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (visit) visit(path, how);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

static void remove_file(const char *path, int how) {
    (void)how;
    unlink(path);
}

static void damage(const char *path, int how) {
    int file = open(path, O_RDWR);
    off_t size = lseek(file, 0, SEEK_END);
    char byte;
    switch (how) {
    case TRUNCATE: assert_int_equal(ftruncate(file, size / 2), 0); break;
    case EMPTY: assert_int_equal(ftruncate(file, 0), 0); break;
    case FLIP:
        assert_int_equal(pread(file, &byte, 1, size / 2), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, size / 2), 1);
        break;
    }
    close(file);
}

/* A new context has no programs: they come from the disk cache or are built. */
static void use_kernels(const struct place *place) {
    cl_context context = new_context(place);
    dnnl_engine_t made;
    assert_ok(dnnl_ocl_interop_engine_create(&made, device_of(place), context));
    assert_works(made);
    assert_ok(dnnl_engine_destroy(made));
    clReleaseContext(context);
}

static void disk_cache(void **state) {
    const struct place *place = place_of(state);
    char folder[] = "/tmp/lode-test-XXXXXX", deeper[64];
    const char *before = getenv("LODE_CACHE_DIR");
    char *kept = before ? strdup(before) : NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(deeper, sizeof deeper, "%s/a/b", folder);
    setenv("LODE_CACHE_DIR", deeper, 1);
    setenv("LODE_CACHE", "0", 1);
    use_kernels(place);
    assert_int_equal(for_each_file(folder, NULL, 0), 0);
    unsetenv("LODE_CACHE");
    use_kernels(place);
    int files = for_each_file(deeper, NULL, 0);
    assert_true(files > 0);
    for (int how = 0; how < DAMAGES; how++) {
        for_each_file(deeper, damage, how);
        use_kernels(place);
        assert_int_equal(for_each_file(deeper, NULL, 0), files);
    }
    for_each_file(deeper, remove_file, 0);
    rmdir(deeper);
    snprintf(deeper, sizeof deeper, "%s/a", folder);
    rmdir(deeper);
    assert_int_equal(rmdir(folder), 0);
    setenv("LODE_CACHE_DIR", "/proc/no/such/place", 1); /* not writable: no cache, no failure */
    use_kernels(place);
    if (kept)
        setenv("LODE_CACHE_DIR", kept, 1);
    else
        unsetenv("LODE_CACHE_DIR");
    free(kept);
}

static const struct test tests[] = {
        {"engine", engine},
        {"engine_of_other_contexts", engine_of_other_contexts},
        {"context_released_first", context_released_first},
        {"stream", stream},
        {"stream_of_other_contexts", stream_of_other_contexts},
        {"memory", memory},
        {"memory_of_other_contexts", memory_of_other_contexts},
        {"usm", usm},
        {"host_access", host_access},
        {"events", events},
        {"foreign_event", foreign_event},
        {"engine_blob_ids", engine_blob_ids},
        {"engine_blobs", engine_blobs},
        {"disk_cache", disk_cache},
        {NULL, NULL},
};
extern const struct test record_tests[];
const struct test *const parts[] = {tests, record_tests, NULL};
const char *const default_places = "ocl";
