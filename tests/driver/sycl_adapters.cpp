/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYCL's Level Zero adapters over the stand-in loader: the device is listed, memory is copied and filled,
 * buffers are copied. The environment selects the adapter; ONEAPI_DEVICE_SELECTOR restricts SYCL to Level
 * Zero.
 */
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

static bool is_listed() {
    for (const auto &platform : sycl::platform::get_platforms())
        for (const auto &device : platform.get_devices())
            if (device.get_info<sycl::info::device::name>().rfind("Lode CPU", 0) == 0) return true;
    return false;
}

static bool copies(sycl::queue &queue) {
    const size_t count = 100000, bytes = count * sizeof(int);
    std::vector<int> from(count), to(count), back(count);
    for (size_t i = 0; i < count; i++)
        from[i] = static_cast<int>(i) * 7;
    int *device = sycl::malloc_device<int>(count, queue), *shared = sycl::malloc_shared<int>(count, queue);
    sycl::event first = queue.memcpy(device, from.data(), bytes);
    sycl::event second = queue.memcpy(shared, device, bytes, first);
    queue.memcpy(to.data(), shared, bytes, second).wait();
    queue.memset(shared, 1, bytes).wait();
    const bool right = to == from && shared[count - 1] == 0x01010101;
    sycl::free(device, queue);
    sycl::free(shared, queue);
    {
        sycl::buffer<int> source(from.data(), count), target(back.data(), count);
        queue.submit([&](sycl::handler &handler) {
            auto in = source.get_access<sycl::access::mode::read>(handler);
            auto out = target.get_access<sycl::access::mode::write>(handler);
            handler.copy(in, out);
        });
        queue.wait();
    }
    return right && back == from;
}

int main() {
    if (!is_listed()) {
        std::printf("the device is not listed\n");
        return 1;
    }
    sycl::queue queue{sycl::gpu_selector_v},
            in_order{sycl::gpu_selector_v, sycl::property::queue::in_order{}};
    const bool right = copies(queue) && copies(in_order);
    std::printf(right ? "listed, copied, set\n" : "wrong data\n");
    return right ? 0 : 1;
}
