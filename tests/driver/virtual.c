/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reserved addresses, physical memory, and the one mapped on the other.
 */
#include "ze_test.h"

static size_t page;

static int set_up_page(void **state) {
    return set_up(state) || zeVirtualMemQueryPageSize(context, device, 1 << 20, &page);
}

/* Anywhere; but an old validation layer wants an address. It is a wish and no more. */
static void *wish(void) {
    return validated() ? (void *)((uintptr_t)1 << 44) : NULL;
}

static ze_physical_mem_handle_t make_physical(size_t size) {
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = size};
    ze_physical_mem_handle_t physical = NULL;
    assert_ok(zePhysicalMemCreate(context, device, &desc, &physical));
    return physical;
}

static void memory_shows_where_it_is_mapped(void **state) {
    (void)state;
    assert_true(page >= 4096 && (page & (page - 1)) == 0);
    char *base = NULL;
    assert_ok(zeVirtualMemReserve(context, wish(), 16 * page, (void **)&base));
    ze_physical_mem_handle_t physical = make_physical(4 * page);
    assert_ok(zeVirtualMemMap(context, base, 4 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_ok(zeVirtualMemMap(context, base + 8 * page, 2 * page, physical, 2 * page,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    memset(base, 1, 4 * page);
    base[2 * page] = 42;
    assert_int_equal(base[8 * page], 42); /* the same memory twice */
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_ok(zeMemGetAllocProperties(context, base + page, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ok(zeMemGetAllocProperties(context, base + 5 * page, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    /* Commands use it like any other. */
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandListAppendMemoryFill(list, base, "z", 1, 3 * page, NULL, 0, NULL));
    assert_int_equal(base[8 * page], 'z');
    assert_ok(zeCommandListDestroy(list));
    assert_int_equal(zePhysicalMemDestroy(context, physical), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_int_equal(zeVirtualMemFree(context, base, 16 * page), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_ok(zeVirtualMemUnmap(context, base, 4 * page));
    assert_ok(zeVirtualMemUnmap(context, base + 8 * page, 2 * page));
    /* Contents outlive their mapping. */
    assert_ok(zeVirtualMemMap(context, base + 15 * page, page, physical, 0,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    assert_int_equal(base[15 * page], 'z');
    assert_ok(zeVirtualMemUnmap(context, base + 15 * page, page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_ok(zeVirtualMemFree(context, base, 16 * page));
}

static void access_is_by_page(void **state) {
    (void)state;
    char *base = NULL;
    assert_ok(zeVirtualMemReserve(context, wish(), 8 * page, (void **)&base));
    ze_physical_mem_handle_t physical = make_physical(8 * page);
    assert_ok(zeVirtualMemMap(context, base, 8 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_ok(zeVirtualMemSetAccessAttribute(context, base + 2 * page, 3 * page,
                                             ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    ze_memory_access_attribute_t access = ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    size_t extent = 0;
    assert_ok(zeVirtualMemGetAccessAttribute(context, base, 8 * page, &access, &extent));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE);
    assert_int_equal(extent, 2 * page);
    assert_ok(zeVirtualMemGetAccessAttribute(context, base + 3 * page, 5 * page, &access, &extent));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
    assert_int_equal(extent, 2 * page);
    base[0] = base[5 * page] = 1;
    assert_ok(zeVirtualMemUnmap(context, base + page, 5 * page)); /* across three pieces */
    assert_int_equal(zeVirtualMemGetAccessAttribute(context, base + 2 * page, page, &access, &extent),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(base[0], 1);
    assert_ok(zeVirtualMemUnmap(context, base, page));
    assert_ok(zeVirtualMemUnmap(context, base + 6 * page, 2 * page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_ok(zeVirtualMemFree(context, base, 8 * page));
}

static void mistakes_are_refused(void **state) {
    (void)state;
    char *base = NULL;
    assert_int_equal(zeVirtualMemReserve(context, wish(), 0, (void **)&base),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(zeVirtualMemReserve(context, wish(), page + 1, (void **)&base),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_ok(zeVirtualMemReserve(context, wish(), 4 * page, (void **)&base));
    ze_physical_mem_handle_t physical = make_physical(2 * page);
    assert_int_equal(
            zeVirtualMemMap(context, base + 1, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
            ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_int_equal(
            zeVirtualMemMap(context, base, 3 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(zeVirtualMemMap(context, base + 3 * page, 2 * page, physical, 0,
                                     ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zeVirtualMemUnmap(context, base, page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeVirtualMemMap(context, base, 2 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_int_equal(
            zeVirtualMemMap(context, base + page, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeVirtualMemUnmap(context, base, 2 * page));
    assert_int_equal(zeVirtualMemFree(context, base, page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeVirtualMemFree(context, base, 4 * page));
    struct ze_physical_mem_properties properties = {
            .stype = (ze_structure_type_t)NEW_STYPE_PHYSICAL_MEM_PROPERTIES};
    assert_ok(CALL(zePhysicalMemGetProperties)(context, physical, &properties));
    assert_int_equal(properties.size, 2 * page);
    assert_ok(zePhysicalMemDestroy(context, physical));
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page + 1};
    assert_int_equal(zePhysicalMemCreate(context, device, &desc, &physical),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(memory_shows_where_it_is_mapped),
            cmocka_unit_test(access_is_by_page),
            cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_page, tear_down);
}
