/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reserved addresses, physical memory, and mappings.
 */
#include "ze_test.h"

#include <sys/mman.h>

static size_t page;

static int set_up_page(void **state) {
    return set_up(state) || zeVirtualMemQueryPageSize(context, device, 1 << 20, &page);
}

/* Any address; an old validation layer requires one. It is only a hint. */
static void *address_hint(void) {
    return validated() ? (void *)((uintptr_t)1 << 44) : NULL;
}

static ze_physical_mem_handle_t make_physical(size_t size) {
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = size};
    ze_physical_mem_handle_t physical = NULL;
    assert_ok(zePhysicalMemCreate(context, device, &desc, &physical));
    return physical;
}

static void mapped_memory_is_accessible(void **state) {
    (void)state;
    assert_true(page >= 4096 && (page & (page - 1)) == 0);
    char *base = NULL;
    assert_ok(zeVirtualMemReserve(context, address_hint(), 16 * page, (void **)&base));
    ze_physical_mem_handle_t physical = make_physical(4 * page);
    assert_ok(zeVirtualMemMap(context, base, 4 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_ok(zeVirtualMemMap(context, base + 8 * page, 2 * page, physical, 2 * page,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    memset(base, 1, 4 * page);
    base[2 * page] = 42;
    assert_int_equal(base[8 * page], 42); /* the same memory, mapped twice */
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_ok(zeMemGetAllocProperties(context, base + page, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ok(zeMemGetAllocProperties(context, base + 5 * page, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    /* Commands can use mapped memory. */
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandListAppendMemoryFill(list, base, "z", 1, 3 * page, NULL, 0, NULL));
    assert_int_equal(base[8 * page], 'z');
    assert_ok(zeCommandListDestroy(list));
    assert_int_equal(zeVirtualMemFree(context, base, 16 * page), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_ok(zeVirtualMemUnmap(context, base, 4 * page));
    assert_ok(zeVirtualMemUnmap(context, base + 8 * page, 2 * page));
    /* Contents survive unmapping. */
    assert_ok(zeVirtualMemMap(context, base + 15 * page, page, physical, 0,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    assert_int_equal(base[15 * page], 'z');
    assert_ok(zeVirtualMemUnmap(context, base + 15 * page, page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_ok(zeVirtualMemFree(context, base, 16 * page));
}

static void access_is_per_page(void **state) {
    (void)state;
    char *base = NULL;
    assert_ok(zeVirtualMemReserve(context, address_hint(), 8 * page, (void **)&base));
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
    assert_ok(zeVirtualMemUnmap(context, base + page, 5 * page)); /* covers three mappings */
    assert_ok(zeVirtualMemGetAccessAttribute(context, base + 2 * page, 6 * page, &access, &extent));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE);
    assert_int_equal(extent, 4 * page);
    assert_int_equal(base[0], 1);
    assert_ok(zeVirtualMemUnmap(context, base, page));
    assert_ok(zeVirtualMemUnmap(context, base + 6 * page, 2 * page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_ok(zeVirtualMemFree(context, base, 8 * page));
}

/* Addresses that are reserved but not mapped have no access, whatever is set. */
static void unmapped_addresses_have_no_access(void **state) {
    (void)state;
    char *base = NULL;
    const ze_memory_access_attribute_t both = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE,
                                       none = ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    ze_memory_access_attribute_t access = both;
    size_t extent = 0;
    assert_ok(zeVirtualMemReserve(context, address_hint(), 8 * page, (void **)&base));
    assert_ok(zeVirtualMemGetAccessAttribute(context, base, 8 * page, &access, &extent));
    assert_int_equal(access, none);
    assert_int_equal(extent, 8 * page);
    assert_ok(zeVirtualMemSetAccessAttribute(context, base, 8 * page, both));
    assert_ok(zeVirtualMemGetAccessAttribute(context, base, 3 * page, &access, &extent));
    assert_int_equal(access, none);
    assert_int_equal(extent, 3 * page);
    ze_physical_mem_handle_t physical = make_physical(2 * page);
    assert_ok(zeVirtualMemMap(context, base + 3 * page, 2 * page, physical, 0, both));
    assert_ok(zeVirtualMemGetAccessAttribute(context, base, 8 * page, &access, &extent));
    assert_int_equal(access, none);
    assert_int_equal(extent, 3 * page);
    /* Across the mapping: only its second page and what is around it changes. */
    assert_ok(zeVirtualMemSetAccessAttribute(context, base + 4 * page, 4 * page, none));
    assert_ok(zeVirtualMemGetAccessAttribute(context, base + 3 * page, 5 * page, &access, &extent));
    assert_int_equal(access, both);
    assert_int_equal(extent, page);
    assert_ok(zeVirtualMemGetAccessAttribute(context, base + 4 * page, 4 * page, &access, &extent));
    assert_int_equal(access, none);
    assert_int_equal(extent, 4 * page);
    base[3 * page] = 1;
    assert_int_equal(zeVirtualMemGetAccessAttribute(context, &access, page, &access, &extent),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_ok(zeVirtualMemUnmap(context, base + 3 * page, 2 * page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_ok(zeVirtualMemFree(context, base, 8 * page));
    assert_int_equal(zeVirtualMemGetAccessAttribute(context, base, page, &access, &extent),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zeVirtualMemSetAccessAttribute(context, base, page, both),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* Access is enforced, as the device reports: the operating system does not write to read-only memory
 * either. */
static void access_is_enforced(void **state) {
    (void)state;
    int ends[2];
    char *base = NULL;
    assert_int_equal(pipe(ends), 0);
    ze_physical_mem_handle_t physical = make_physical(page);
    assert_ok(zeVirtualMemReserve(context, address_hint(), page, (void **)&base));
    assert_ok(zeVirtualMemMap(context, base, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_int_equal(write(ends[1], "abc", 3), 3);
    assert_int_equal(read(ends[0], base, 1), 1);
    assert_int_equal(base[0], 'a');
    assert_ok(zeVirtualMemSetAccessAttribute(context, base, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    assert_int_equal(read(ends[0], base, 1), -1);
    assert_int_equal(base[0], 'a');
    assert_ok(zeVirtualMemSetAccessAttribute(context, base, page, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    assert_int_equal(write(ends[1], base, 1), -1);
    assert_ok(zeVirtualMemUnmap(context, base, page));
    assert_int_equal(write(ends[1], base, 1), -1);
    assert_ok(zeVirtualMemFree(context, base, page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    close(ends[0]);
    close(ends[1]);
}

static void errors_are_refused(void **state) {
    (void)state;
    char *base = NULL;
    assert_int_equal(zeVirtualMemReserve(context, address_hint(), 0, (void **)&base),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(zeVirtualMemReserve(context, address_hint(), page + 1, (void **)&base),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_ok(zeVirtualMemReserve(context, address_hint(), 4 * page, (void **)&base));
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

/* Adjacent reservations, if the operating system places them so: changes to one do not reach the other. */
static void reservations_are_independent(void **state) {
    (void)state;
    enum { COUNT = 8 };
    char *bases[COUNT];
    ze_physical_mem_handle_t physical = make_physical(page);
    const ze_memory_access_attribute_t access = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    for (int i = 0; i < COUNT; i++) {
        assert_ok(zeVirtualMemReserve(context, address_hint(), page, (void **)&bases[i]));
        assert_ok(zeVirtualMemMap(context, bases[i], page, physical, 0, access));
    }
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(zeVirtualMemUnmap(context, bases[i], 2 * page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(zeVirtualMemSetAccessAttribute(context, bases[i], 2 * page,
                                                        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY),
                         ZE_RESULT_ERROR_INVALID_ARGUMENT);
        bases[i][0] = 1;
    }
    for (int i = 0; i < COUNT; i++) {
        assert_ok(zeVirtualMemUnmap(context, bases[i], page));
        assert_ok(zeVirtualMemFree(context, bases[i], page));
    }
    assert_ok(zePhysicalMemDestroy(context, physical));
}

static void physical_memory_can_be_on_the_host(void **state) {
    (void)state;
    if (validated()) skip(); /* the old layer supports neither the flag nor a missing device */
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page};
    ze_physical_mem_handle_t physical = NULL;
    char *base = NULL;
    assert_int_equal(zePhysicalMemCreate(context, NULL, &desc, &physical),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    desc.flags = NEW_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST;
    assert_ok(zePhysicalMemCreate(context, NULL, &desc, &physical));
    assert_ok(zeVirtualMemReserve(context, NULL, page, (void **)&base));
    assert_ok(zeVirtualMemMap(context, base, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = device;
    assert_ok(zeMemGetAllocProperties(context, base, &properties, &owner));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_HOST);
    assert_null(owner);
    assert_ok(zeVirtualMemUnmap(context, base, page));
    assert_ok(zeVirtualMemFree(context, base, page));
    assert_ok(zePhysicalMemDestroy(context, physical));
}

/* Physical memory is limited to the machine's, in one piece or several. */
static void physical_memory_is_limited(void **state) {
    (void)state;
    enum { PIECES = 4 };
    ze_device_properties_t device_properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ok(zeDeviceGetProperties(device, &device_properties));
    ze_physical_mem_handle_t pieces[PIECES] = {0};
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .size = device_properties.maxMemAllocSize / 5 * 2 / page * page};
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (int i = 0; i < PIECES && !result; i++)
        result = zePhysicalMemCreate(context, device, &desc, &pieces[i]);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    for (int i = 0; i < PIECES; i++)
        if (pieces[i]) assert_ok(zePhysicalMemDestroy(context, pieces[i]));
    assert_ok(zePhysicalMemDestroy(context, make_physical(desc.size)));
}

/* If the descriptor's file were too small, the program would crash on first access. */
static void imported_memory_size_is_checked(void **state) {
    (void)state;
    int file = memfd_create("test", 0);
    assert_int_equal(ftruncate(file, (off_t)page), 0);
    const ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                                   .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                   .fd = file};
    ze_physical_mem_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .pNext = &import, .size = 2 * page};
    ze_physical_mem_handle_t physical = NULL;
    assert_int_equal(zePhysicalMemCreate(context, device, &desc, &physical),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.size = page;
    assert_ok(zePhysicalMemCreate(context, device, &desc, &physical));
    close(file);
    assert_int_not_equal(zePhysicalMemCreate(context, device, &desc, &physical), ZE_RESULT_SUCCESS);
    assert_ok(zePhysicalMemDestroy(context, physical));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(mapped_memory_is_accessible),
            cmocka_unit_test(access_is_per_page),
            cmocka_unit_test(unmapped_addresses_have_no_access),
            cmocka_unit_test(access_is_enforced),
            cmocka_unit_test(errors_are_refused),
            cmocka_unit_test(reservations_are_independent),
            cmocka_unit_test(physical_memory_can_be_on_the_host),
            cmocka_unit_test(physical_memory_is_limited),
            cmocka_unit_test(imported_memory_size_is_checked),
    };
    return cmocka_run_group_tests(tests, set_up_page, tear_down);
}
