/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of native and SPIR-V modules, launched by SYCL's Level Zero adapters through interoperability.
 *
 *   sycl_kernels native|spirv module
 */
#include <level_zero/ze_api.h>
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;
using sycl::ext::oneapi::level_zero::ownership;

static ze_module_handle_t make_module(sycl::queue &queue, ze_module_format_t format, const char *path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    if (bytes.empty()) {
        std::printf("SKIP: %s was not built\n", path);
        std::exit(77);
    }
    ze_module_desc_t desc{};
    desc.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    desc.format = format;
    desc.inputSize = bytes.size();
    desc.pInputModule = reinterpret_cast<const uint8_t *>(bytes.data());
    ze_module_handle_t module = nullptr;
    const ze_result_t result =
            zeModuleCreate(sycl::get_native<level_zero>(queue.get_context()),
                           sycl::get_native<level_zero>(queue.get_device()), &desc, &module, nullptr);
    if (result == ZE_RESULT_SUCCESS) return module;
    std::printf("SKIP: no module: %x\n", static_cast<unsigned>(result));
    std::exit(format == ZE_MODULE_FORMAT_IL_SPIRV ? 77 : 1);
}

static sycl::kernel make_kernel(sycl::queue &queue, ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc{};
    desc.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    desc.pKernelName = name;
    ze_kernel_handle_t kernel = nullptr;
    if (zeKernelCreate(module, &desc, &kernel)) std::exit(1);
    const auto bundle = sycl::make_kernel_bundle<level_zero, sycl::bundle_state::executable>(
            {module, ownership::transfer}, queue.get_context());
    return sycl::make_kernel<level_zero>({bundle, kernel, ownership::transfer}, queue.get_context());
}

constexpr size_t count = 64, group = 16;

static bool run_native(sycl::queue &queue, const char *path) {
    const sycl::kernel kernel = make_kernel(queue, make_module(queue, ZE_MODULE_FORMAT_NATIVE, path), "add");
    float *a = sycl::malloc_shared<float>(count, queue), *b = sycl::malloc_shared<float>(count, queue);
    float *sum = sycl::malloc_shared<float>(count, queue);
    for (size_t i = 0; i < count; i++) {
        a[i] = static_cast<float>(i);
        b[i] = 2;
    }
    queue.submit([&](sycl::handler &handler) {
             handler.set_args(a, b, sum, static_cast<unsigned>(count));
             handler.parallel_for(sycl::nd_range<1>(count, group), kernel);
         }).wait();
    bool right = true;
    for (size_t i = 0; i < count; i++)
        right &= sum[i] == static_cast<float>(i) + 2;
    sycl::free(a, queue);
    sycl::free(b, queue);
    sycl::free(sum, queue);
    return right;
}

static bool run_spirv(sycl::queue &queue, const char *path) {
    const sycl::kernel kernel =
            make_kernel(queue, make_module(queue, ZE_MODULE_FORMAT_IL_SPIRV, path), "sixteen");
    unsigned *groups = sycl::malloc_shared<unsigned>(count, queue);
    queue.submit([&](sycl::handler &handler) {
             handler.set_args(groups);
             handler.parallel_for(sycl::nd_range<1>(count, group), kernel);
         }).wait();
    bool right = true;
    for (size_t i = 0; i < count; i++)
        right &= groups[i] == i / group;
    sycl::free(groups, queue);
    return right;
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    sycl::queue queue{sycl::gpu_selector_v};
    const bool right =
            std::strcmp(argv[1], "native") == 0 ? run_native(queue, argv[2]) : run_spirv(queue, argv[2]);
    std::printf(right ? "right\n" : "wrong\n");
    return right ? 0 : 1;
}
