/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as data: slots and scalars that are shared, the image of parameter blocks, launches of nothing,
 * loops, and programs made of others.
 */
#include "program/program.h"
#include "kernels/params_all.h"
#include "test.h"

static const struct kernel *const small = &kernel_x32_reorder_tiles, *const large = &kernel_eltwise_universal;
static const struct range one = {{1, 1, 1}, {1, 1, 1}}, nothing = {{1, 0, 1}, {1, 1, 1}};

static struct launch *add(struct program *program, const struct kernel *kernel) {
    struct launch *launch = program_launch(program, kernel, one);
    assert_non_null(launch);
    return launch;
}

/* Kernels tell launches apart: the order in which a program runs them, with their steps. */
static void assert_runs(const struct program *program, size_t count, const int *launches, const int *steps) {
    struct cursor at = {0};
    assert_int_equal(program->nruns, count);
    for (size_t i = 0; i < count; i++, cursor_next(program, &at)) {
        assert_int_equal(at.launch, launches[i]);
        assert_int_equal(at.step, steps[i]);
    }
    assert_int_equal(at.launch, program->nlaunches);
}

static void test_slots_are_shared(void **state) {
    (void)state;
    struct program *program = program_new();
    struct launch *a = add(program, small), *b = add(program, small);
    launch_bind_slot(a, program_slot(program, 7, 0));
    launch_bind_slot(a, program_slot(program, 9, 0));
    launch_bind_slot(b, program_slot(program, 7, 0));
    launch_bind_slot(b, program_slot(program, 7, 1));
    assert_int_equal(a->buffers[0], b->buffers[0]);
    assert_int_not_equal(a->buffers[0], a->buffers[1]);
    assert_int_not_equal(b->buffers[0], b->buffers[1]);
    assert_int_equal(program->nslots, SLOT_FIRST_ARGUMENT + 3);
    assert_int_equal(program->slots[b->buffers[1]].arg, 7);
    assert_int_equal(program->slots[b->buffers[1]].handle, 1);
    program_release(program);
}

static void test_scalars_reach_their_launch(void **state) {
    (void)state;
    struct program *program = program_new();
    struct launch *a = add(program, small), *b = add(program, small);
    launch_add_scalar(a, 5, SCALAR_F32);
    launch_add_scalar(b, 6, SCALAR_LOW);
    launch_add_scalar(b, 5, SCALAR_F32);
    assert_true(program_finish(program));
    assert_int_equal(program->nscalars, 2);
    const uint32_t values[] = {11, 12};
    struct scalars block;
    launch_scalars(b, 3, values, &block);
    assert_int_equal(block.values[0], 12);
    assert_int_equal(block.values[1], 11);
    assert_int_equal(block.step, 3);
    launch_scalars(a, 0, values, &block);
    assert_int_equal(block.values[0], 11);
    assert_int_equal(block.values[1], 0);
    program_release(program);
}

/* Blocks stay where they are while a program is built, and end up in one image, in order and aligned. */
static void test_image_of_many_blocks(void **state) {
    enum { LAUNCHES = 300 };
    (void)state;
    struct program *program = program_new();
    struct launch *launches[LAUNCHES];
    void *blocks[LAUNCHES];
    for (int i = 0; i < LAUNCHES; i++) {
        launches[i] = add(program, i % 2 ? small : large);
        blocks[i] = launches[i]->params;
        memset(blocks[i], i & 0xff, launches[i]->kernel->params_size);
    }
    for (int i = 0; i < LAUNCHES; i++)
        assert_ptr_equal(launches[i]->params, blocks[i]);
    assert_true(program_finish(program));
    assert_int_equal(program->nlaunches, LAUNCHES);
    for (int i = 0; i < LAUNCHES; i++) {
        const uint8_t *block = program->params + launches[i]->offset;
        size_t size = launches[i]->kernel->params_size;
        assert_int_equal(launches[i]->offset % PARAMS_ALIGNMENT, 0);
        assert_true(launches[i]->offset + size <= program->params_size);
        assert_ptr_equal(launches[i]->params, block);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(block[k], i & 0xff);
    }
    program_release(program);
}

static void test_blocks_are_zeroed(void **state) {
    (void)state;
    struct program *program = program_new();
    for (int i = 0; i < 20; i++) {
        struct launch *launch = add(program, large);
        for (size_t k = 0; k < large->params_size; k++)
            assert_int_equal(((uint8_t *)launch->params)[k], 0);
        memset(launch->params, 0xff, large->params_size);
    }
    program_release(program);
}

static void test_launches_of_nothing_are_dropped(void **state) {
    (void)state;
    struct program *program = program_new();
    struct launch *a = add(program, small), *b = add(program, large);
    a->range = nothing;
    assert_true(program_finish(program));
    assert_int_equal(program->nlaunches, 1);
    assert_ptr_equal(program->launches[0], b);
    assert_int_equal(program->nruns, 1);
    program_release(program);

    program = program_new();
    assert_true(program_finish(program));
    assert_int_equal(program->nruns, 0);
    program_release(program);
}

static void test_loops(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, small);
    add(program, small);
    add(program, large);
    program_repeat(program, 2, 3);
    add(program, small);
    program_repeat(program, 1, 2);
    add(program, large);
    assert_true(program_finish(program));
    assert_runs(program, 10, (int[]){0, 1, 2, 1, 2, 1, 2, 3, 3, 4}, (int[]){0, 0, 0, 1, 1, 2, 2, 0, 1, 0});
    program_release(program);
}

static void test_loops_without_some_launches(void **state) {
    (void)state;
    struct program *program = program_new();
    add(program, small);
    struct launch *first = add(program, small), *second = add(program, large), *last = add(program, small);
    program_repeat(program, 3, 2);
    struct launch *alone = add(program, small);
    program_repeat(program, 1, 7);
    first->range = last->range = alone->range = nothing;
    assert_true(program_finish(program));
    assert_int_equal(program->nlaunches, 2);
    assert_ptr_equal(program->launches[1], second);
    assert_runs(program, 3, (int[]){0, 1, 1}, (int[]){0, 0, 1});
    program_release(program);

    program = program_new();
    add(program, small);
    add(program, large);
    program_repeat(program, 1, 0);
    assert_true(program_finish(program));
    assert_runs(program, 1, (int[]){0}, (int[]){0});
    program_release(program);
}

static void test_append(void **state) {
    (void)state;
    struct program *whole = program_new(), *part = program_new();
    struct launch *a = add(whole, small), *b = add(part, small);
    launch_bind_slot(a, program_slot(whole, 1, 0));
    launch_add_scalar(a, 2, SCALAR_F32);
    launch_bind_slot(b, program_slot(part, 100, 0));
    launch_bind_slot(b, SLOT_SCRATCHPAD);
    launch_add_scalar(b, 200, SCALAR_F32);
    program_repeat(part, 1, 4);
    memset(b->params, 5, small->params_size);
    /* Argument 100 of the part is 1 of the whole, 200 is 2. */
    slot_t slots[] = {SLOT_NOTHING, SLOT_SCRATCHPAD, program_slot(whole, 1, 0), program_slot(whole, 2, 0)};
    program_append(whole, part, slots);
    program_release(part);
    assert_true(program_finish(whole));
    assert_int_equal(whole->nlaunches, 2);
    assert_int_equal(whole->nruns, 5);
    assert_ptr_equal(whole->launches[1], b);
    assert_ptr_equal(b->program, whole);
    assert_int_equal(b->buffers[0], a->buffers[0]);
    assert_int_equal(b->buffers[1], SLOT_SCRATCHPAD);
    assert_int_equal(b->scalars[0], a->scalars[0]);
    assert_int_equal(whole->params[b->offset], 5);
    program_release(whole);
}

static void test_scratchpad(void **state) {
    (void)state;
    struct program *program = program_new();
    assert_int_equal(program_scratchpad(program, 1), 0);
    assert_int_equal(program_scratchpad(program, 129), 128);
    assert_int_equal(program_scratchpad(program, 0), 384);
    assert_int_equal(program->scratchpad_size, 384);
    program_release(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_slots_are_shared),
            cmocka_unit_test(test_scalars_reach_their_launch),
            cmocka_unit_test(test_image_of_many_blocks),
            cmocka_unit_test(test_blocks_are_zeroed),
            cmocka_unit_test(test_launches_of_nothing_are_dropped),
            cmocka_unit_test(test_loops),
            cmocka_unit_test(test_loops_without_some_launches),
            cmocka_unit_test(test_append),
            cmocka_unit_test(test_scratchpad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
