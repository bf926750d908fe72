/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's own commands and the library's primitives on one Level Zero list. The program copies an image
 * to the device and converts it to floats with its own kernel; then the library runs an inner product and a
 * softmax, and the program copies the result back. Events order all of it.
 *
 * First on an immediate list. Then the same network is recorded once on a regular list and run for one image
 * after the other: nothing is submitted again, and nothing needs to be reset. Finally only the primitives are
 * recorded on a mutable list, and get new memory for every image: nothing is copied.
 *
 *   level_zero_interop MODULE    level_zero_interop.cl compiled by lodecc, or to SPIR-V
 *
 * Exit status 77: there is no device, or it does not accept the module.
 */
#include "oneapi/dnnl/dnnl_ze.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 1024, CLASSES = 10, IMAGES = 4, EVENTS = 3, SKIPPED = 77 };

static void check(int result, const char *what, int line) {
    if (result == 0) return;
    fprintf(stderr, "line %d: %s: error 0x%x\n", line, what, (unsigned)result);
    exit(1);
}
#define CHECK(call) check((int)(call), #call, __LINE__)

/* -- the program's objects -- */

struct program {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_module_handle_t module;
    ze_kernel_handle_t to_float;
    ze_event_pool_handle_t pool;
    ze_event_handle_t copied, converted, returned;
    unsigned char *image, *pixels; /* on the host, on the device */
    float *numbers, *scores, *answer;
};

/* The device that the library uses as its first GPU, whichever driver it has. */
static bool find_device(struct program *p) {
    dnnl_engine_t engine;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) return false;
    bool found = dnnl_ze_interop_engine_get_driver(engine, &p->driver) == dnnl_success;
    if (found) CHECK(dnnl_ze_interop_engine_get_device(engine, &p->device));
    CHECK(dnnl_engine_destroy(engine));
    return found;
}

static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*size);
        if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
    }
    if (file) fclose(file);
    return bytes;
}

static bool load_kernel(struct program *p, const char *path) {
    static const unsigned char spirv_magic[4] = {0x03, 0x02, 0x23, 0x07};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    unsigned char *bytes = read_file(path, &desc.inputSize);
    if (!bytes || desc.inputSize < sizeof spirv_magic) return false;
    bool spirv = memcmp(bytes, spirv_magic, sizeof spirv_magic) == 0;
    desc.format = spirv ? ZE_MODULE_FORMAT_IL_SPIRV : ZE_MODULE_FORMAT_NATIVE;
    desc.pInputModule = bytes;
    ze_result_t result = zeModuleCreate(p->context, p->device, &desc, &p->module, NULL);
    free(bytes);
    if (result != ZE_RESULT_SUCCESS) return false;
    const ze_kernel_desc_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "to_float"};
    CHECK(zeKernelCreate(p->module, &kernel, &p->to_float));
    return true;
}

static void make_events(struct program *p) {
    ze_event_handle_t *const events[EVENTS] = {&p->copied, &p->converted, &p->returned};
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = EVENTS};
    CHECK(zeEventPoolCreate(p->context, &pool, 1, &p->device, &p->pool));
    for (uint32_t i = 0; i < EVENTS; i++) {
        const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                      .index = i,
                                      .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                      .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        CHECK(zeEventCreate(p->pool, &desc, events[i]));
    }
}

static void make_memory(struct program *p) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const size_t scores = CLASSES * sizeof(float);
    CHECK(zeMemAllocHost(p->context, &host, PIXELS, 64, (void **)&p->image));
    CHECK(zeMemAllocHost(p->context, &host, scores, 64, (void **)&p->answer));
    CHECK(zeMemAllocDevice(p->context, &device, PIXELS, 64, p->device, (void **)&p->pixels));
    CHECK(zeMemAllocDevice(p->context, &device, PIXELS * sizeof(float), 64, p->device, (void **)&p->numbers));
    CHECK(zeMemAllocDevice(p->context, &device, scores, 64, p->device, (void **)&p->scores));
}

static void end_program(struct program *p) {
    void *const memory[] = {p->image, p->answer, p->pixels, p->numbers, p->scores};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        CHECK(zeMemFree(p->context, memory[i]));
    CHECK(zeEventDestroy(p->copied));
    CHECK(zeEventDestroy(p->converted));
    CHECK(zeEventDestroy(p->returned));
    CHECK(zeEventPoolDestroy(p->pool));
    CHECK(zeKernelDestroy(p->to_float));
    CHECK(zeModuleDestroy(p->module));
    CHECK(zeContextDestroy(p->context));
}

/* -- the library's objects -- */

struct network {
    dnnl_engine_t engine;
    dnnl_memory_desc_t src_md, weights_md, dst_md;
    dnnl_memory_t src, weights, dst;
    dnnl_primitive_t product, softmax;
};

static float weight(int pixel, int class) {
    return (float)((pixel * 31 + class * 17) % 23 - 11) / 64.0f;
}

static void make_network(struct network *n, const struct program *p) {
    dnnl_primitive_desc_t pd;
    void *numbers = p->numbers, *scores = p->scores, *ours = DNNL_MEMORY_ALLOCATE;
    CHECK(dnnl_ze_interop_engine_create(&n->engine, p->driver, p->device, p->context));
    CHECK(dnnl_memory_desc_create_with_tag(&n->src_md, 2, (dnnl_dims_t){1, PIXELS}, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&n->weights_md, 2, (dnnl_dims_t){CLASSES, PIXELS}, dnnl_f32,
                                           dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&n->dst_md, 2, (dnnl_dims_t){1, CLASSES}, dnnl_f32, dnnl_ab));
    CHECK(dnnl_ze_interop_memory_create(&n->src, n->src_md, n->engine, 1, &numbers));
    CHECK(dnnl_ze_interop_memory_create(&n->weights, n->weights_md, n->engine, 1, &ours));
    CHECK(dnnl_ze_interop_memory_create(&n->dst, n->dst_md, n->engine, 1, &scores));

    float *weights;
    CHECK(dnnl_memory_map_data(n->weights, (void **)&weights));
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < PIXELS; i++)
            weights[c * PIXELS + i] = weight(i, c);
    CHECK(dnnl_memory_unmap_data(n->weights, weights));

    CHECK(dnnl_inner_product_forward_primitive_desc_create(&pd, n->engine, dnnl_forward_inference, n->src_md,
                                                           n->weights_md, NULL, n->dst_md, NULL));
    CHECK(dnnl_primitive_create(&n->product, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, n->engine, dnnl_forward_inference,
                                                     dnnl_softmax_accurate, n->dst_md, n->dst_md, 1, NULL));
    CHECK(dnnl_primitive_create(&n->softmax, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void end_network(struct network *n) {
    CHECK(dnnl_primitive_destroy(n->product));
    CHECK(dnnl_primitive_destroy(n->softmax));
    CHECK(dnnl_memory_destroy(n->src));
    CHECK(dnnl_memory_destroy(n->weights));
    CHECK(dnnl_memory_destroy(n->dst));
    CHECK(dnnl_memory_desc_destroy(n->src_md));
    CHECK(dnnl_memory_desc_destroy(n->weights_md));
    CHECK(dnnl_memory_desc_destroy(n->dst_md));
    CHECK(dnnl_engine_destroy(n->engine));
}

/* -- both on one list -- */

/* Appends everything to the list behind the stream. */
static void append(const struct program *p, const struct network *n, ze_command_list_handle_t list,
                   dnnl_stream_t stream) {
    enum { GROUP = 64 };
    ze_event_handle_t copied = p->copied, converted = p->converted, multiplied, done;
    CHECK(zeCommandListAppendMemoryCopy(list, p->pixels, p->image, PIXELS, copied, 0, NULL));

    const ze_group_count_t groups = {PIXELS / GROUP, 1, 1};
    CHECK(zeKernelSetGroupSize(p->to_float, GROUP, 1, 1));
    CHECK(zeKernelSetArgumentValue(p->to_float, 0, sizeof p->pixels, &p->pixels));
    CHECK(zeKernelSetArgumentValue(p->to_float, 1, sizeof p->numbers, &p->numbers));
    CHECK(zeCommandListAppendLaunchKernel(list, p->to_float, &groups, converted, 1, &copied));

    const dnnl_exec_arg_t product[] = {
            {DNNL_ARG_SRC, n->src}, {DNNL_ARG_WEIGHTS, n->weights}, {DNNL_ARG_DST, n->dst}};
    const dnnl_exec_arg_t softmax[] = {{DNNL_ARG_SRC, n->dst}, {DNNL_ARG_DST, n->dst}};
    CHECK(dnnl_ze_interop_primitive_execute(n->product, stream, 3, product, 1, &converted, &multiplied));
    CHECK(dnnl_ze_interop_primitive_execute(n->softmax, stream, 2, softmax, 1, &multiplied, &done));
    CHECK(zeCommandListAppendMemoryCopy(list, p->answer, p->scores, CLASSES * sizeof(float), p->returned, 1,
                                        &done));
}

static void draw_image(struct program *p, int number) {
    for (int i = 0; i < PIXELS; i++)
        p->image[i] = (unsigned char)((i * (number + 3)) % 256);
}

/* Computes the same in plain C; true if the answer is right. */
static bool check_answer(const struct program *p, int number) {
    double scores[CLASSES], largest = -INFINITY, sum = 0;
    int best = 0;
    for (int c = 0; c < CLASSES; c++) {
        scores[c] = 0;
        for (int i = 0; i < PIXELS; i++)
            scores[c] += (double)p->image[i] / 255 * weight(i, c);
        if (scores[c] > largest) largest = scores[c], best = c;
    }
    for (int c = 0; c < CLASSES; c++)
        sum += scores[c] = exp(scores[c] - largest);
    bool right = true;
    for (int c = 0; c < CLASSES; c++)
        if (fabs(scores[c] / sum - p->answer[c]) > 1e-4) right = false;
    printf("image %d: class %d, probability %.4f%s\n", number, best, p->answer[best], right ? "" : ", WRONG");
    return right;
}

static bool run_at_once(struct program *p, const struct network *n) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    dnnl_stream_t stream;
    CHECK(zeCommandListCreateImmediate(p->context, p->device, &desc, &list));
    CHECK(dnnl_ze_interop_stream_create(&stream, n->engine, list, 0));
    puts("an immediate list:");
    draw_image(p, 0);
    append(p, n, list, stream);
    CHECK(zeEventHostSynchronize(p->returned, UINT64_MAX));
    bool right = check_answer(p, 0);
    CHECK(dnnl_stream_destroy(stream));
    CHECK(zeCommandListDestroy(list));
    return right;
}

/* The program resets its own events at the end of the list; the library's are reset in the recording. */
static bool record_and_replay(struct program *p, const struct network *n) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t stream;
    bool right = true;
    CHECK(zeEventHostReset(p->copied));
    CHECK(zeEventHostReset(p->converted));
    CHECK(zeEventHostReset(p->returned));
    CHECK(zeCommandListCreate(p->context, p->device, &list_desc, &list));
    CHECK(zeCommandQueueCreate(p->context, p->device, &queue_desc, &queue));
    CHECK(dnnl_ze_interop_stream_create(&stream, n->engine, list, 0));
    append(p, n, list, stream);
    CHECK(zeCommandListAppendBarrier(list, NULL, 1, (ze_event_handle_t *)&p->returned));
    CHECK(zeCommandListAppendEventReset(list, p->copied));
    CHECK(zeCommandListAppendEventReset(list, p->converted));
    CHECK(zeCommandListAppendEventReset(list, p->returned));
    CHECK(zeCommandListClose(list));
    puts("a recorded list:");
    for (int i = 1; i <= IMAGES; i++) {
        draw_image(p, i);
        CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        right = check_answer(p, i) && right;
    }
    CHECK(zeCommandQueueDestroy(queue));
    CHECK(zeCommandListDestroy(list));
    CHECK(dnnl_stream_destroy(stream));
    return right;
}

/* A mutable list. The names are newer than many headers. */
static ze_command_list_handle_t make_mutable_list(const struct program *p) {
    enum { STYPE_MUTABLE_COMMAND_LIST_EXP_DESC = 0x20016 };
    const struct {
        ze_structure_type_t stype;
        const void *pNext;
        uint32_t flags;
    } extension = {.stype = (ze_structure_type_t)STYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &extension};
    ze_command_list_handle_t list = NULL;
    return zeCommandListCreate(p->context, p->device, &desc, &list) == ZE_RESULT_SUCCESS ? list : NULL;
}

/* An image converted to floats, in a memory of its own. */
static dnnl_memory_t make_input(const struct program *p, const struct network *n) {
    dnnl_memory_t memory;
    float *numbers;
    void *ours = DNNL_MEMORY_ALLOCATE;
    CHECK(dnnl_ze_interop_memory_create(&memory, n->src_md, n->engine, 1, &ours));
    CHECK(dnnl_memory_map_data(memory, (void **)&numbers));
    for (int i = 0; i < PIXELS; i++)
        numbers[i] = (float)p->image[i] / 255;
    CHECK(dnnl_memory_unmap_data(memory, numbers));
    return memory;
}

/* Gives both primitives new memory; the events that they returned identify them. */
static bool update(dnnl_stream_t stream, ze_event_handle_t multiplied, ze_event_handle_t done,
                   dnnl_memory_t src, dnnl_memory_t dst) {
    const dnnl_exec_arg_t product[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    const dnnl_exec_arg_t softmax[] = {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}};
    dnnl_status_t status = dnnl_ze_interop_stream_update(stream, multiplied, 2, product);
    if (status == dnnl_unimplemented) return false;
    CHECK(status);
    CHECK(dnnl_ze_interop_stream_update(stream, done, 2, softmax));
    return true;
}

static bool replay_with_new_memory(struct program *p, const struct network *n) {
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const dnnl_exec_arg_t product[] = {
            {DNNL_ARG_SRC, n->src}, {DNNL_ARG_WEIGHTS, n->weights}, {DNNL_ARG_DST, n->dst}};
    const dnnl_exec_arg_t softmax[] = {{DNNL_ARG_SRC, n->dst}, {DNNL_ARG_DST, n->dst}};
    ze_command_list_handle_t list = make_mutable_list(p);
    ze_command_queue_handle_t queue;
    ze_event_handle_t multiplied, done;
    dnnl_stream_t stream;
    dnnl_memory_t answer;
    void *answer_pointer = p->answer;
    bool right = true, can_change = list != NULL;
    puts("a mutable list:");
    if (!list) return puts("the driver does not support them"), true;
    CHECK(zeCommandQueueCreate(p->context, p->device, &queue_desc, &queue));
    CHECK(dnnl_ze_interop_stream_create(&stream, n->engine, list, 0));
    CHECK(dnnl_ze_interop_memory_create(&answer, n->dst_md, n->engine, 1, &answer_pointer));
    CHECK(dnnl_ze_interop_primitive_execute(n->product, stream, 3, product, 0, NULL, &multiplied));
    CHECK(dnnl_ze_interop_primitive_execute(n->softmax, stream, 2, softmax, 1, &multiplied, &done));
    CHECK(zeCommandListClose(list));
    for (int i = IMAGES + 1; i <= 2 * IMAGES && can_change; i++) {
        draw_image(p, i);
        dnnl_memory_t input = make_input(p, n);
        can_change = update(stream, multiplied, done, input, answer);
        if (can_change) {
            CHECK(zeCommandListClose(list));
            CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
            CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
            right = check_answer(p, i) && right;
        }
        CHECK(dnnl_memory_destroy(input));
    }
    if (!can_change) puts("the library cannot change it");
    CHECK(dnnl_memory_destroy(answer));
    CHECK(zeCommandQueueDestroy(queue));
    CHECK(zeCommandListDestroy(list));
    CHECK(dnnl_stream_destroy(stream));
    return right;
}

int main(int argc, char **argv) {
    struct program p = {0};
    struct network n;
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODULE\n", argv[0]);
        return 1;
    }
    if (zeInit(0) != ZE_RESULT_SUCCESS || !find_device(&p)) {
        puts("SKIP: Level Zero's loader finds no device");
        return SKIPPED;
    }
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(zeContextCreate(p.driver, &desc, &p.context));
    if (!load_kernel(&p, argv[1])) {
        printf("SKIP: %s cannot be read, or the device does not accept it\n", argv[1]);
        return SKIPPED;
    }
    make_events(&p);
    make_memory(&p);
    make_network(&n, &p);
    bool right = run_at_once(&p, &n);
    right = record_and_replay(&p, &n) && right;
    right = replay_with_new_memory(&p, &n) && right;
    end_network(&n);
    end_program(&p);
    return right ? 0 : 1;
}
