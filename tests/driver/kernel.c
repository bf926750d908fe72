/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels and launches, with native code linked into this program.
 */
#include "ze_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* -- the kernels -- */

static void for_items(const struct native_group *g,
                      void (*item)(const struct native_group *, const uint64_t *, void *const *),
                      void *const *args) {
    for (uint32_t z = 0; z < g->size[2]; z++)
        for (uint32_t y = 0; y < g->size[1]; y++)
            for (uint32_t x = 0; x < g->size[0]; x++) {
                const uint64_t id[3] = {g->offset[0] + (uint64_t)g->id[0] * g->size[0] + x,
                                        g->offset[1] + (uint64_t)g->id[1] * g->size[1] + y,
                                        g->offset[2] + (uint64_t)g->id[2] * g->size[2] + z};
                item(g, id, args);
            }
}

static void empty_group(const struct native_group *g, void *const *args) {
    (void)g, (void)args;
}

/* dst[id] = id * factor + 1, for a grid of `width` x `height` x anything */
struct grid {
    uint32_t width, height;
};
static void scale_item(const struct native_group *g, const uint64_t *id, void *const *args) {
    (void)g;
    uint32_t *dst = *(uint32_t **)args[0];
    const struct grid *grid = args[2];
    uint64_t i = (id[2] * grid->height + id[1]) * grid->width + id[0];
    dst[i] = (uint32_t)i * *(uint32_t *)args[1] + 1;
}
static void scale_group(const struct native_group *g, void *const *args) {
    for_items(g, scale_item, args);
}

/* Counts groups and records whether local memory is aligned and private. */
static void local_group(const struct native_group *g, void *const *args) {
    _Atomic uint32_t *counter = *(_Atomic uint32_t **)args[0];
    uint32_t *first = *(uint32_t **)args[1], *second = *(uint32_t **)args[2];
    if ((uintptr_t)first % 128 || (uintptr_t)second % 128) return;
    for (int i = 0; i < 100; i++) {
        first[i] = g->id[0];
        second[i] = ~g->id[0];
    }
    for (int i = 0; i < 100; i++)
        if (first[i] != g->id[0] || second[i] != ~g->id[0]) return;
    atomic_fetch_add(counter, 1);
}

/* A tree reduction with barriers: dst[group] = sum of src over the group. */
static void reduce_item(const struct native_group *g, const uint32_t local_id[3], void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0], *scratch = *(uint32_t **)args[2];
    const uint32_t *src = *(uint32_t **)args[1];
    uint32_t x = local_id[0], size = g->size[0];
    scratch[x] = src[g->id[0] * size + x];
    for (uint32_t step = 1; step < size; step *= 2) {
        g->barrier(g);
        uint32_t sum = x % (2 * step) == 0 && x + step < size ? scratch[x] + scratch[x + step] : scratch[x];
        g->barrier(g);
        scratch[x] = sum;
    }
    g->barrier(g);
    if (x == 0) dst[g->id[0]] = scratch[0];
}

/* Groups that wait for each other. */
static void meet_group(const struct native_group *g, void *const *args) {
    _Atomic uint32_t *arrived = *(_Atomic uint32_t **)args[0];
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < g->count[0])
        sched_yield();
}

static void shape_group(const struct native_group *g, void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0];
    if (g->id[0] + 1 == g->count[0] && g->id[1] + 1 == g->count[1] && g->id[2] + 1 == g->count[2]) {
        dst[0] = g->ndims;
        for (int i = 0; i < 3; i++) {
            dst[1 + i] = g->count[i];
            dst[4 + i] = g->size[i];
        }
    }
}

static const struct native_arg scale_args[] = {
        {NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_VALUE, 4}, {NATIVE_ARG_VALUE, sizeof(struct grid)}};
static const struct native_arg local_args[] = {
        {NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_LOCAL, 8}, {NATIVE_ARG_LOCAL, 8}};
static const struct native_arg reduce_args[] = {
        {NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_LOCAL, 8}};
static const struct native_kernel kernels[] = {
        {.name = "empty", .run_group = empty_group},
        {.name = "scale", .run_group = scale_group, .args = scale_args, .nargs = 3},
        {.name = "local", .run_group = local_group, .args = local_args, .nargs = 3},
        {.name = "reduce",
         .run_item = reduce_item,
         .args = reduce_args,
         .nargs = 3,
         .flags = NATIVE_USES_BARRIER},
        {.name = "meet", .run_group = meet_group, .args = scale_args, .nargs = 1},
        {.name = "shape", .run_group = shape_group, .args = scale_args, .nargs = 1},
        {.name = "eight", .run_group = empty_group, .group_size = {8, 1, 1}, .local_size = 512},
};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, sizeof kernels / sizeof kernels[0],
                                           kernels};

static ze_module_handle_t module;
static ze_command_list_handle_t lists[2]; /* synchronous, asynchronous */

static int set_up_module(void **state) {
    if (set_up(state)) return -1;
    module = make_module(&table);
    lists[0] = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    lists[1] = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    return 0;
}

static int tear_down_module(void **state) {
    assert_ok(zeCommandListDestroy(lists[0]));
    assert_ok(zeCommandListDestroy(lists[1]));
    assert_ok(zeModuleDestroy(module));
    return tear_down(state);
}

static void synchronise(ze_command_list_handle_t list) {
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
}

/* -- launches -- */

static void every_item_runs_once(void **state) {
    (void)state;
    static const struct {
        ze_group_count_t groups;
        uint32_t size[3];
    } rows[] = {{{1, 1, 1}, {1, 1, 1}},
                {{1, 1, 1}, {64, 1, 1}},
                {{1000, 1, 1}, {16, 1, 1}},
                {{3, 5, 7}, {4, 2, 3}},
                {{1, 1, 33}, {1, 8, 1}}};
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    for (int l = 0; l < 2; l++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            const struct grid grid = {rows[r].groups.groupCountX * rows[r].size[0],
                                      rows[r].groups.groupCountY * rows[r].size[1]};
            size_t items = (size_t)grid.width * grid.height * rows[r].groups.groupCountZ * rows[r].size[2];
            uint32_t *dst = allocate_shared((items + 1) * 4), factor = 3;
            assert_ok(zeKernelSetGroupSize(kernel, rows[r].size[0], rows[r].size[1], rows[r].size[2]));
            assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
            assert_ok(zeKernelSetArgumentValue(kernel, 1, 4, &factor));
            assert_ok(zeKernelSetArgumentValue(kernel, 2, sizeof grid, &grid));
            assert_ok(zeCommandListAppendLaunchKernel(lists[l], kernel, &rows[r].groups, NULL, 0, NULL));
            synchronise(lists[l]);
            for (uint32_t i = 0; i < items; i++)
                assert_int_equal(dst[i], i * 3 + 1);
            assert_int_equal(dst[items], 0);
            assert_ok(zeMemFree(context, dst));
        }
    assert_ok(zeKernelDestroy(kernel));
}

/* A launch copies its arguments: setting them later does not change launches already appended. */
static void launches_copy_their_arguments(void **state) {
    (void)state;
    enum { LAUNCHES = 50 };
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    uint32_t *dst = allocate_shared(LAUNCHES * 4);
    const ze_group_count_t one = {1, 1, 1};
    const struct grid grid = {1, 1};
    assert_ok(zeCommandListAppendWaitOnEvents(lists[1], 1, &gate));
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        uint32_t *place = dst + i, factor = i;
        assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &place));
        assert_ok(zeKernelSetArgumentValue(kernel, 1, 4, &factor));
        assert_ok(zeKernelSetArgumentValue(kernel, 2, sizeof grid, &grid));
        assert_ok(zeCommandListAppendLaunchKernel(lists[1], kernel, &one, NULL, 0, NULL));
    }
    assert_ok(zeKernelDestroy(kernel)); /* no longer needed */
    assert_ok(zeEventHostSignal(gate));
    synchronise(lists[1]);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        assert_int_equal(dst[i], 1);
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static void offsets_shift_items(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    uint32_t *dst = allocate_shared(100 * 4), factor = 1;
    const struct grid grid = {100, 1};
    const ze_group_count_t groups = {5, 1, 1};
    assert_ok(zeKernelSetGroupSize(kernel, 4, 1, 1));
    assert_ok(zeKernelSetGlobalOffsetExp(kernel, 30, 0, 0));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 4, &factor));
    assert_ok(zeKernelSetArgumentValue(kernel, 2, sizeof grid, &grid));
    assert_ok(zeCommandListAppendLaunchKernel(lists[0], kernel, &groups, NULL, 0, NULL));
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(dst[i], i >= 30 && i < 50 ? i + 1 : 0);
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeKernelDestroy(kernel));
}

static void indirect_groups_are_read_at_execution(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_kernel_handle_t shape = make_kernel(module, "shape"), scale = make_kernel(module, "scale");
    uint32_t *dst = allocate_shared(64), *scaled = allocate_shared(64), *count = allocate_shared(4),
             factor = 1;
    ze_group_count_t *groups = allocate_shared(3 * sizeof *groups);
    const struct grid grid = {8, 1};
    assert_ok(zeKernelSetArgumentValue(shape, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(scale, 0, 8, &scaled));
    assert_ok(zeKernelSetArgumentValue(scale, 1, 4, &factor));
    assert_ok(zeKernelSetArgumentValue(scale, 2, sizeof grid, &grid));
    assert_ok(zeCommandListAppendLaunchKernelIndirect(lists[1], shape, groups, NULL, 1, &gate));
    ze_kernel_handle_t both[2] = {scale, scale};
    assert_ok(zeCommandListAppendLaunchMultipleKernelsIndirect(lists[1], 2, both, count, groups + 1, NULL, 0,
                                                               NULL));
    groups[0] = (ze_group_count_t){3, 2, 1};
    groups[1] = (ze_group_count_t){4, 1, 1};
    groups[2] = (ze_group_count_t){8, 1, 1};
    *count = 1;
    assert_ok(zeEventHostSignal(gate));
    synchronise(lists[1]);
    assert_int_equal(dst[0], 2);
    assert_int_equal(dst[1], 3);
    assert_int_equal(dst[2], 2);
    assert_int_equal(scaled[3], 4);
    assert_int_equal(scaled[4], 0); /* only the first of the two ran */
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeMemFree(context, scaled));
    assert_ok(zeMemFree(context, count));
    assert_ok(zeMemFree(context, groups));
    assert_ok(zeKernelDestroy(shape));
    assert_ok(zeKernelDestroy(scale));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static void local_memory_is_private_to_groups(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "local");
    uint32_t *counter = allocate_shared(4);
    const ze_group_count_t groups = {500, 1, 1};
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &counter));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 400, NULL));
    assert_ok(zeKernelSetArgumentValue(kernel, 2, 1000, NULL));
    assert_ok(zeCommandListAppendLaunchKernel(lists[0], kernel, &groups, NULL, 0, NULL));
    assert_int_equal(*counter, 500);
    assert_int_equal(zeKernelSetArgumentValue(kernel, 1, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_ok(zeMemFree(context, counter));
    assert_ok(zeKernelDestroy(kernel));
}

static void barriers_synchronise_items(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "reduce");
    enum { GROUPS = 20 };
    static const uint32_t sizes[] = {1, 2, 7, 64, 1000, 1024};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t items = sizes[s] * GROUPS, *src = allocate_shared(items * 4),
                 *dst = allocate_shared(GROUPS * 4);
        for (uint32_t i = 0; i < items; i++)
            src[i] = i * 17 % 1001;
        const ze_group_count_t groups = {GROUPS, 1, 1};
        assert_ok(zeKernelSetGroupSize(kernel, sizes[s], 1, 1));
        assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
        assert_ok(zeKernelSetArgumentValue(kernel, 1, 8, &src));
        assert_ok(zeKernelSetArgumentValue(kernel, 2, sizes[s] * 4, NULL));
        assert_ok(zeCommandListAppendLaunchKernel(lists[s % 2], kernel, &groups, NULL, 0, NULL));
        synchronise(lists[s % 2]);
        for (uint32_t g = 0; g < GROUPS; g++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < sizes[s]; i++)
                sum += src[g * sizes[s] + i];
            assert_int_equal(dst[g], sum);
        }
        assert_ok(zeMemFree(context, src));
        assert_ok(zeMemFree(context, dst));
    }
    assert_ok(zeKernelDestroy(kernel));
}

static void cooperative_groups_run_concurrently(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "meet");
    uint32_t most = 0, *arrived = allocate_shared(4);
    assert_ok(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    assert_true(most >= 1);
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &arrived));
    for (int i = 0; i < 100; i++) {
        const ze_group_count_t groups = {most, 1, 1};
        *arrived = 0;
        assert_ok(zeCommandListAppendLaunchCooperativeKernel(lists[i % 2], kernel, &groups, NULL, 0, NULL));
        synchronise(lists[i % 2]);
        assert_int_equal(*arrived, most);
    }
    const ze_group_count_t too_many = {most + 1, 1, 1};
    assert_int_equal(zeCommandListAppendLaunchCooperativeKernel(lists[0], kernel, &too_many, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeMemFree(context, arrived));
    assert_ok(zeKernelDestroy(kernel));
}

/* Concurrent cooperative launches need more threads than there are: they must not deadlock. */
static void cooperative_launches_do_not_deadlock(void **state) {
    (void)state;
    enum { LISTS = 3, ROUNDS = 100 };
    ze_kernel_handle_t kernel = make_kernel(module, "meet");
    uint32_t most = 0, *arrived = allocate_shared(LISTS * ROUNDS * sizeof *arrived);
    ze_command_list_handle_t several[LISTS];
    assert_ok(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    const ze_group_count_t groups = {most, 1, 1};
    for (int l = 0; l < LISTS; l++)
        several[l] = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < LISTS * ROUNDS; i++) {
        uint32_t *meeting = arrived + i;
        assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &meeting));
        assert_ok(zeCommandListAppendLaunchCooperativeKernel(several[i % LISTS], kernel, &groups, NULL, 0,
                                                             NULL));
    }
    for (int l = 0; l < LISTS; l++) {
        assert_ok(CALL(zeCommandListHostSynchronize)(several[l], 60000000000));
        assert_ok(zeCommandListDestroy(several[l]));
    }
    for (int i = 0; i < LISTS * ROUNDS; i++)
        assert_int_equal(arrived[i], most);
    assert_ok(zeMemFree(context, arrived));
    assert_ok(zeKernelDestroy(kernel));
}

static void zero_groups_do_nothing(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "empty");
    const ze_group_count_t none = {5, 0, 1};
    assert_ok(zeCommandListAppendLaunchKernel(lists[0], kernel, &none, NULL, 0, NULL));
    assert_ok(zeKernelDestroy(kernel));
}

/* A cooperative launch through the extension of a normal one. */
static void extended_launches_are_cooperative(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "meet");
    struct ze_launch_cooperative_desc wish = {.stype = (ze_structure_type_t)NEW_STYPE_LAUNCH_COOPERATIVE_DESC,
                                              .isCooperative = 1};
    uint32_t most = 0, *arrived = allocate_shared(4);
    assert_ok(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &arrived));
    ze_group_count_t groups = {most, 1, 1};
    assert_ok(CALL(zeCommandListAppendLaunchKernelWithParameters)(lists[0], kernel, &groups, &wish, NULL, 0,
                                                                  NULL));
    assert_int_equal(*arrived, most);
    groups.groupCountX++;
    assert_int_equal(CALL(zeCommandListAppendLaunchKernelWithParameters)(lists[0], kernel, &groups, &wish,
                                                                         NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    wish.stype = (ze_structure_type_t)1;
    assert_int_equal(CALL(zeCommandListAppendLaunchKernelWithParameters)(lists[0], kernel, &groups, &wish,
                                                                         NULL, 0, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(
            CALL(zeCommandListAppendLaunchKernelWithParameters)(lists[0], kernel, NULL, NULL, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ok(zeMemFree(context, arrived));
    assert_ok(zeKernelDestroy(kernel));
}

static void arguments_are_set_by_the_launch(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    uint32_t *dst = allocate_shared(64), factor = 2;
    struct grid grid = {16, 1};
    void *arguments[3] = {&dst, &factor, &grid};
    const ze_group_count_t groups = {2, 1, 1};
    const struct ze_group_size size = {8, 1, 1};
    assert_ok(CALL(zeCommandListAppendLaunchKernelWithArguments)(lists[0], kernel, groups, size, arguments,
                                                                 NULL, NULL, 0, NULL));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(dst[i], i * 2 + 1);
    assert_int_equal(CALL(zeCommandListAppendLaunchKernelWithArguments)(lists[0], kernel, groups, size, NULL,
                                                                        NULL, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    const struct ze_group_size none = {0, 1, 1};
    assert_int_equal(CALL(zeCommandListAppendLaunchKernelWithArguments)(lists[0], kernel, groups, none,
                                                                        arguments, NULL, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeKernelDestroy(kernel));
    /* A local-memory argument is given by its size. */
    ze_kernel_handle_t local = make_kernel(module, "local");
    uint32_t *counter = allocate_shared(4);
    size_t sizes[2] = {400, 1000};
    void *places[3] = {&counter, &sizes[0], &sizes[1]};
    const struct ze_group_size one = {1, 1, 1};
    assert_ok(CALL(zeCommandListAppendLaunchKernelWithArguments)(lists[0], local, groups, one, places, NULL,
                                                                 NULL, 0, NULL));
    assert_int_equal(*counter, 2);
    sizes[0] = sizes[1] = 200 << 10; /* each fits, both together do not */
    assert_int_equal(CALL(zeCommandListAppendLaunchKernelWithArguments)(lists[0], local, groups, one, places,
                                                                        NULL, NULL, 0, NULL),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_ok(zeMemFree(context, counter));
    assert_ok(zeKernelDestroy(local));
}

/* Recorded indirect launches read their group counts in every run, at most as many as were given. */
static void recorded_launches_read_their_groups(void **state) {
    (void)state;
    ze_kernel_handle_t scale = make_kernel(module, "scale");
    uint32_t *first = allocate_shared(64), *second = allocate_shared(64), *count = allocate_shared(4),
             factor = 1;
    ze_group_count_t *groups = allocate_shared(2 * sizeof *groups);
    const struct grid grid = {16, 1};
    ze_command_list_handle_t list = make_list();
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_handle_t both[2] = {scale, scale};
    assert_ok(zeKernelSetArgumentValue(scale, 0, 8, &first));
    assert_ok(zeKernelSetArgumentValue(scale, 1, 4, &factor));
    assert_ok(zeKernelSetArgumentValue(scale, 2, sizeof grid, &grid));
    assert_ok(zeCommandListAppendLaunchKernelIndirect(list, scale, groups, NULL, 0, NULL));
    assert_ok(zeKernelSetArgumentValue(scale, 0, 8, &second));
    assert_ok(zeCommandListAppendLaunchMultipleKernelsIndirect(list, 2, both, count, groups, NULL, 0, NULL));
    assert_ok(zeKernelDestroy(scale));
    assert_ok(zeCommandListClose(list));
    for (uint32_t run = 0; run < 8; run++) {
        memset(first, 0, 64);
        memset(second, 0, 64);
        groups[0] = (ze_group_count_t){run, 1, 1};
        groups[1] = (ze_group_count_t){2 * run, 1, 1};
        *count = run % 4; /* 3 is more than were given */
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        uint32_t reached = *count == 0 ? 0 : *count == 1 ? run : 2 * run;
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(first[i], i < run ? i + 1 : 0);
            assert_int_equal(second[i], i < reached ? i + 1 : 0);
        }
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeMemFree(context, first));
    assert_ok(zeMemFree(context, second));
    assert_ok(zeMemFree(context, count));
    assert_ok(zeMemFree(context, groups));
}

/* A module destroyed too early: launches in flight still run, recorded ones are refused. */
static void modules_may_be_destroyed_early(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t recorded = make_list();
    const ze_group_count_t one = {1, 1, 1};
    uint32_t *dst = allocate_shared(64);
    for (int i = 0; i < 20; i++) {
        ze_module_handle_t brief = make_module(&table);
        ze_kernel_handle_t kernel = make_kernel(brief, "shape");
        memset(dst, 0, 64);
        assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
        assert_ok(zeCommandListAppendLaunchKernel(lists[1], kernel, &one, NULL, 1, &gate));
        assert_ok(zeCommandListAppendLaunchKernel(recorded, kernel, &one, NULL, 0, NULL));
        assert_ok(zeCommandListClose(recorded));
        assert_ok(zeKernelDestroy(kernel));
        assert_ok(zeModuleDestroy(brief));
        if (!validated()) assert_int_not_equal(zeModuleDestroy(brief), ZE_RESULT_SUCCESS);
        assert_int_equal(dst[0], 0);
        assert_ok(zeEventHostSignal(gate));
        synchronise(lists[1]);
        assert_int_equal(dst[0], 1);
        dst[0] = 0;
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &recorded, NULL));
        assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_int_equal(dst[0], 1);
        assert_ok(zeEventHostReset(gate));
        assert_ok(zeCommandListReset(recorded));
    }
    assert_ok(zeCommandListDestroy(recorded));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- errors and queries -- */

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    uint64_t value = 0;
    const ze_group_count_t one = {1, 1, 1};
    assert_int_equal(zeKernelSetArgumentValue(kernel, 3, 8, &value),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_int_equal(zeKernelSetArgumentValue(kernel, 0, 4, &value),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_int_equal(zeKernelSetArgumentValue(kernel, 1, 8, &value),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_int_equal(zeCommandListAppendLaunchKernel(lists[0], kernel, &one, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no argument is set */
    assert_int_equal(zeCommandListAppendLaunchKernel(lists[0], kernel, &one, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeCommandListAppendLaunchCooperativeKernel(lists[0], kernel, &one, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeCommandListAppendLaunchKernelIndirect(lists[0], kernel, &one, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeKernelSetGroupSize(kernel, 0, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_int_equal(zeKernelSetGroupSize(kernel, 1024, 1024, 1),
                     ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_int_equal(zeCommandListAppendLaunchKernel(lists[0], kernel, NULL, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeCommandListAppendLaunchKernel(lists[0], NULL, &one, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_ok(zeKernelDestroy(kernel));
    if (!validated())
        assert_int_equal(zeCommandListAppendLaunchKernel(lists[0], kernel, &one, NULL, 0, NULL),
                         ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* More local memory than there is can be asked for, but not launched. */
static void too_much_local_memory_is_not_launched(void **state) {
    (void)state;
    ze_device_compute_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_ok(zeDeviceGetComputeProperties(device, &properties));
    ze_kernel_handle_t kernel = make_kernel(module, "local");
    const ze_group_count_t one = {1, 1, 1};
    uint32_t *dst = allocate_shared(64);
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    static const size_t more[] = {1, 4096, UINT32_MAX, SIZE_MAX - UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        assert_ok(zeKernelSetArgumentValue(kernel, 1, 16, NULL));
        assert_ok(zeKernelSetArgumentValue(kernel, 2, properties.maxSharedLocalMemory + more[i], NULL));
        for (int l = 0; l < 2; l++)
            assert_int_equal(zeCommandListAppendLaunchKernel(lists[l], kernel, &one, NULL, 0, NULL),
                             ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeMemFree(context, dst));
}

static void kernels_are_queried(void **state) {
    (void)state;
    ze_kernel_handle_t kernel = make_kernel(module, "eight");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.numKernelArgs, 0);
    assert_int_equal(properties.requiredGroupSizeX, 8);
    assert_int_equal(properties.localMemSize, 512);
    assert_int_equal(zeKernelSetGroupSize(kernel, 4, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeKernelSetGroupSize(kernel, 8, 1, 1));
    char name[16] = "";
    size_t size = 0;
    assert_ok(zeKernelGetName(kernel, &size, NULL));
    assert_int_equal(size, 6);
    assert_ok(zeKernelGetName(kernel, &size, name));
    assert_string_equal(name, "eight");
    uint32_t x = 0, y = 0, z = 0;
    assert_ok(zeKernelSuggestGroupSize(kernel, 80, 1, 1, &x, &y, &z));
    assert_int_equal(x, 8);
    assert_ok(zeKernelDestroy(kernel));
    kernel = make_kernel(module, "empty");
    static const uint32_t globals[][3] = {
            {1, 1, 1}, {1000, 1, 1}, {1024, 1024, 16}, {7, 13, 31}, {1009, 3, 1}};
    for (size_t i = 0; i < sizeof globals / sizeof globals[0]; i++) {
        assert_ok(zeKernelSuggestGroupSize(kernel, globals[i][0], globals[i][1], globals[i][2], &x, &y, &z));
        assert_true(globals[i][0] % x == 0 && globals[i][1] % y == 0 && globals[i][2] % z == 0);
        assert_ok(zeKernelSetGroupSize(kernel, x, y, z));
    }
    assert_int_equal(zeKernelSuggestGroupSize(kernel, 0, 1, 1, &x, &y, &z),
                     ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    ze_kernel_indirect_access_flags_t access = 0;
    assert_ok(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST));
    assert_ok(zeKernelGetIndirectAccess(kernel, &access));
    assert_int_equal(access, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST);
    assert_ok(zeKernelSetCacheConfig(kernel, ZE_CACHE_CONFIG_FLAG_LARGE_SLM));
    ze_scheduling_hint_exp_desc_t hint = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC,
                                          .flags = ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST};
    assert_ok(zeKernelSchedulingHintExp(kernel, &hint));
    hint.flags = 0x100;
    assert_int_equal(zeKernelSchedulingHintExp(kernel, &hint), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    uint32_t length = 0;
    char attributes[64] = "x", *text = attributes;
    /* The old layer requires a pointer for the text even when only its size is queried. */
    assert_ok(zeKernelGetSourceAttributes(kernel, &length, validated() ? &text : NULL));
    assert_true(length >= 1 && length <= sizeof attributes);
    assert_ok(zeKernelGetSourceAttributes(kernel, &length, &text));
    assert_int_equal(strlen(attributes) + 1, length);
    assert_ok(zeKernelDestroy(kernel));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_item_runs_once),
            cmocka_unit_test(launches_copy_their_arguments),
            cmocka_unit_test(offsets_shift_items),
            cmocka_unit_test(indirect_groups_are_read_at_execution),
            cmocka_unit_test(local_memory_is_private_to_groups),
            cmocka_unit_test(barriers_synchronise_items),
            cmocka_unit_test(cooperative_groups_run_concurrently),
            cmocka_unit_test(cooperative_launches_do_not_deadlock),
            cmocka_unit_test(zero_groups_do_nothing),
            cmocka_unit_test(extended_launches_are_cooperative),
            cmocka_unit_test(arguments_are_set_by_the_launch),
            cmocka_unit_test(recorded_launches_read_their_groups),
            cmocka_unit_test(modules_may_be_destroyed_early),
            cmocka_unit_test(wrong_arguments_are_refused),
            cmocka_unit_test(too_much_local_memory_is_not_launched),
            cmocka_unit_test(kernels_are_queried),
    };
    return cmocka_run_group_tests(tests, set_up_module, tear_down_module);
}
