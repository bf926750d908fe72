/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain Level Zero program that runs a kernel; nothing in it is specific to Lode. Without a GPU, Lode's
 * driver for the CPU runs it, under the official loader:
 *
 *   lodecc level_zero_hello.cl
 *   ZE_ENABLE_ALT_DRIVERS=libze_lode_cpu.so.1 level_zero_hello level_zero_hello.lode
 */
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(ze_result_t result, const char *what) {
    if (result == ZE_RESULT_SUCCESS) return;
    fprintf(stderr, "%s: error %x\n", what, (unsigned)result);
    exit(1);
}
#define CHECK(call) check(call, #call)

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s module\n", argv[0]);
        return 1;
    }
    /* The first device of the first driver. */
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&one, &driver));
    CHECK(zeDeviceGet(driver, &one, &device));
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("on %s\n", properties.name);

    ze_context_handle_t context;
    ze_command_list_handle_t list;
    CHECK(zeContextCreate(driver, &(ze_context_desc_t){.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC}, &context));
    const ze_command_queue_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                               .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    CHECK(zeCommandListCreateImmediate(context, device, &list_desc, &list));

    /* The module and its kernel. */
    ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    .format = ZE_MODULE_FORMAT_NATIVE};
    uint8_t *bytes = read_file(argv[1], &module_desc.inputSize);
    module_desc.pInputModule = bytes;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    CHECK(zeModuleCreate(context, device, &module_desc, &module, NULL));
    const ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "hello"};
    CHECK(zeKernelCreate(module, &kernel_desc, &kernel));

    /* The encrypted text in device memory, the decrypted one in shared memory. */
    const char secret[] = "uryyb, yriry mreb!";
    const uint32_t length = sizeof secret, shift = 13;
    const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *src, *dst;
    CHECK(zeMemAllocDevice(context, &device_desc, length, 0, device, &src));
    CHECK(zeMemAllocShared(context, &device_desc, &host_desc, length, 0, device, &dst));
    CHECK(zeCommandListAppendMemoryCopy(list, src, secret, length, NULL, 0, NULL));

    uint32_t size[3];
    CHECK(zeKernelSuggestGroupSize(kernel, length, 1, 1, &size[0], &size[1], &size[2]));
    CHECK(zeKernelSetGroupSize(kernel, size[0], 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof src, &src));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof dst, &dst));
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof shift, &shift));
    const ze_group_count_t groups = {length / size[0], 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    printf("%s\n", (char *)dst);
    int right = strcmp(dst, "hello, level zero!") == 0;

    CHECK(zeMemFree(context, src));
    CHECK(zeMemFree(context, dst));
    CHECK(zeKernelDestroy(kernel));
    CHECK(zeModuleDestroy(module));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeContextDestroy(context));
    free(bytes);
    return right ? 0 : 1;
}
