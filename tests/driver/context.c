/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts. lifetime.c tests what happens to the objects created in them.
 */
#include "ze_test.h"

static const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};

static void contexts_are_created_and_destroyed(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        ze_context_handle_t other = NULL;
        assert_ok(zeContextCreateEx(driver, &desc, 1, &device, &other));
        assert_ok(zeContextGetStatus(other));
        assert_ok(zeContextDestroy(other));
    }
    assert_int_equal(zeContextCreate(driver, NULL, &context), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeContextCreate(driver, &desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeContextCreate(NULL, &desc, &context), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_context_handle_t none = NULL;
    if (!validated()) /* the old validation layer does not check this */
        assert_int_equal(zeContextCreateEx(driver, &desc, 1, NULL, &none), ZE_RESULT_ERROR_INVALID_SIZE);
    const ze_context_desc_t odd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .flags = 0x100};
    assert_int_equal(zeContextCreate(driver, &odd, &none), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(none);
}

static void destroyed_contexts_are_refused(void **state) {
    (void)state;
    ze_context_handle_t other = NULL;
    assert_ok(zeContextCreate(driver, &desc, &other));
    assert_ok(zeContextDestroy(other));
    if (!validated()) {
        assert_int_equal(zeContextGetStatus(other), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        assert_int_equal(zeContextDestroy(other), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
}

static void memory_is_always_resident(void **state) {
    (void)state;
    void *memory = allocate_shared(100);
    assert_ok(zeContextMakeMemoryResident(context, device, memory, 100));
    assert_ok(zeContextEvictMemory(context, device, memory, 100));
    assert_int_equal(zeContextMakeMemoryResident(context, device, NULL, 100),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ok(zeContextSystemBarrier(context, device));
    assert_ok(zeMemFree(context, memory));
}

static void the_default_context_is_never_destroyed(void **state) {
    (void)state;
    void *(*get)(ze_driver_handle_t) =
            (void *(*)(ze_driver_handle_t))function_by_name("zeDriverGetDefaultContext");
    ze_context_handle_t found = get(driver);
    assert_non_null(found);
    assert_ptr_equal(found, get(driver));
    assert_ok(zeContextGetStatus(found));
    assert_int_equal(zeContextDestroy(found), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(contexts_are_created_and_destroyed),
            cmocka_unit_test(destroyed_contexts_are_refused),
            cmocka_unit_test(memory_is_always_resident),
            cmocka_unit_test(the_default_context_is_never_destroyed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
