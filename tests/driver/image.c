/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images and samplers are not supported: every call says so and changes nothing.
 */
#include "ze_test.h"

static const ze_image_desc_t image_desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_FLOAT},
        .width = 16,
        .height = 16,
        .depth = 1};

#define assert_unsupported(call) assert_int_equal(call, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

/* All image limits are zero. */
static void devices_have_no_images(void **state) {
    (void)state;
    ze_device_image_properties_t properties;
    memset(&properties, 0xff, sizeof properties);
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES;
    properties.pNext = NULL;
    assert_ok(zeDeviceGetImageProperties(device, &properties));
    assert_int_equal(properties.maxImageDims1D, 0);
    assert_int_equal(properties.maxImageDims2D, 0);
    assert_int_equal(properties.maxImageDims3D, 0);
    assert_int_equal(properties.maxImageBufferSize, 0);
    assert_int_equal(properties.maxImageArraySlices, 0);
    assert_int_equal(properties.maxSamplers, 0);
    assert_int_equal(properties.maxReadImageArgs, 0);
    assert_int_equal(properties.maxWriteImageArgs, 0);
    ze_device_external_memory_properties_t external = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES, .imageImportTypes = 1};
    assert_ok(zeDeviceGetExternalMemoryProperties(device, &external));
    assert_int_equal(external.imageImportTypes + external.imageExportTypes, 0);
}

static void images_are_not_created(void **state) {
    (void)state;
    ze_image_handle_t image = NULL;
    ze_sampler_handle_t sampler = NULL;
    ze_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    const ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                            .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP};
    assert_unsupported(zeImageGetProperties(device, &image_desc, &properties));
    assert_unsupported(zeImageCreate(context, device, &image_desc, &image));
    assert_null(image);
    assert_unsupported(zeSamplerCreate(context, device, &sampler_desc, &sampler));
    assert_null(sampler);
    assert_ok(zeContextGetStatus(context));
}

/* Not images: just handles that are not NULL. */
static void image_copies_are_refused(void **state) {
    (void)state;
    ze_image_handle_t one = (ze_image_handle_t)context, two = (ze_image_handle_t)device;
    char memory[64] = "untouched";
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    ze_command_list_handle_t lists[2] = {make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), make_list()};
    for (int i = 0; i < 2; i++) {
        assert_unsupported(zeCommandListAppendImageCopy(lists[i], one, two, event, 0, NULL));
        assert_unsupported(
                zeCommandListAppendImageCopyRegion(lists[i], one, two, NULL, NULL, event, 0, NULL));
        assert_unsupported(zeCommandListAppendImageCopyToMemory(lists[i], memory, one, NULL, event, 0, NULL));
        assert_unsupported(
                zeCommandListAppendImageCopyFromMemory(lists[i], one, memory, NULL, event, 0, NULL));
    }
    assert_unsupported(zeContextMakeImageResident(context, device, one));
    assert_unsupported(zeContextEvictImage(context, device, one));
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_string_equal(memory, "untouched");
    /* The lists still work. */
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandListAppendBarrier(lists[1], event, 0, NULL));
    assert_ok(zeCommandListClose(lists[1]));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &lists[1], NULL));
    assert_ok(zeEventQueryStatus(event));
    for (int i = 0; i < 2; i++)
        assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(devices_have_no_images),
            cmocka_unit_test(images_are_not_created),
            cmocka_unit_test(image_copies_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
