/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of dnnl_ocl.hpp, on the first OpenCL device. */
#define CL_ENABLE_BETA_EXTENSIONS
#include "check.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

#include <CL/cl_ext.h>

namespace {

struct opencl {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;

    bool open() {
        cl_int error;
        if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS
            || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
            return false;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        if (error == CL_SUCCESS) queue = clCreateCommandQueue(context, device, 0, &error);
        return error == CL_SUCCESS;
    }
    void close() {
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
};

void engines(const opencl &cl, dnnl::engine &engine) {
    using namespace dnnl::ocl_interop;
    engine = make_engine(cl.device, cl.context);
    CHECK(get_device(engine) == cl.device);
    CHECK(get_context(engine) == cl.context);
    CHECK(check::thrown_by([&] { make_engine(nullptr, cl.context); }) == dnnl_invalid_arguments);
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    CHECK(check::thrown_by([&] { get_device(cpu); }) == dnnl_invalid_arguments);
}

void blobs(const opencl &cl, const dnnl::engine &engine) {
    using namespace dnnl::ocl_interop;
    CHECK(!get_engine_cache_blob_id(cl.device).empty());
    std::vector<uint8_t> blob = get_engine_cache_blob(engine);
    CHECK(!blob.empty());
    dnnl::engine again = make_engine(cl.device, cl.context, blob);
    CHECK(get_device(again) == cl.device);
    CHECK(check::thrown_by([&] { make_engine(cl.device, cl.context, {}); }) == dnnl_invalid_arguments);
}

void memories(const opencl &cl, const dnnl::engine &engine, const dnnl::memory::desc &md,
              dnnl::memory &buffer) {
    using namespace dnnl::ocl_interop;
    cl_int error;
    cl_mem mem = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, md.get_size(), nullptr, &error);
    CHECK(error == CL_SUCCESS);
    CHECK(get_mem_object(dnnl::memory(md, engine, mem)) == mem);
    dnnl::memory one = make_memory(md, engine, mem), list = make_memory(md, engine, std::vector<cl_mem>{mem});
    CHECK(get_mem_object(one) == mem && get_mem_object(list) == mem);
    CHECK(get_memory_kind(one) == memory_kind::buffer);
    CHECK(convert_to_c(memory_kind::buffer) == dnnl_ocl_interop_buffer);
    buffer = make_memory(md, engine, memory_kind::buffer);
    CHECK(get_mem_object(buffer) != nullptr);
    dnnl::memory empty = make_memory(md, engine, memory_kind::buffer, DNNL_MEMORY_NONE);
    CHECK(get_mem_object(empty) == nullptr);
    set_mem_object(empty, mem);
    CHECK(get_mem_object(empty) == mem);
    clReleaseMemObject(mem);
}

void execution(const opencl &cl, const dnnl::engine &engine) {
    using namespace dnnl;
    using namespace dnnl::ocl_interop;
    stream s = make_stream(engine, cl.queue);
    CHECK(get_command_queue(s) == cl.queue);
    memory::desc md({4}, memory::data_type::f32, memory::format_tag::a);
    memory x;
    memories(cl, engine, md, x);
    const float values[4] = {-1, 2, -3, 4};
    float *mapped = x.map_data<float>();
    std::memcpy(mapped, values, sizeof values);
    x.unmap_data(mapped);
    eltwise_forward::primitive_desc pd(engine, prop_kind::forward_inference, algorithm::eltwise_relu, md, md,
                                       0.0f, 0.0f);
    eltwise_forward relu(pd);
    cl_int error;
    cl_event before = clCreateUserEvent(cl.context, &error);
    clSetUserEventStatus(before, CL_COMPLETE);
    cl_event event = execute(relu, s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}}, {before});
    CHECK(event == nullptr); /* the queue is in-order */
    clReleaseEvent(before);
    s.wait();
    mapped = x.map_data<float>();
    CHECK(mapped[0] == 0 && mapped[1] == 2 && mapped[2] == 0 && mapped[3] == 4);
    x.unmap_data(mapped);
}

/* An in-place ReLU, recorded and replayed. */
void recording(const opencl &cl, const dnnl::engine &engine) {
    using namespace dnnl;
    using namespace dnnl::ocl_interop;
    auto function = [&](const char *name) {
        return clGetExtensionFunctionAddressForPlatform(cl.platform, name);
    };
    auto create = reinterpret_cast<clCreateCommandBufferKHR_fn>(function("clCreateCommandBufferKHR"));
    auto finalize = reinterpret_cast<clFinalizeCommandBufferKHR_fn>(function("clFinalizeCommandBufferKHR"));
    auto enqueue = reinterpret_cast<clEnqueueCommandBufferKHR_fn>(function("clEnqueueCommandBufferKHR"));
    auto release = reinterpret_cast<clReleaseCommandBufferKHR_fn>(function("clReleaseCommandBufferKHR"));
    CHECK(check::thrown_by([&] { make_recording_stream(engine, cl.queue, nullptr); })
          == dnnl_invalid_arguments);
    if (!create || !finalize || !enqueue || !release) {
        std::printf("SKIP: the platform has no command buffers\n");
        return;
    }
    cl_int error;
    cl_command_buffer_khr buffer = create(1, &cl.queue, nullptr, &error);
    CHECK(error == CL_SUCCESS);
    memory::desc md({4}, memory::data_type::f32, memory::format_tag::a);
    memory x(md, engine);
    eltwise_forward relu(eltwise_forward::primitive_desc(engine, prop_kind::forward_inference,
                                                         algorithm::eltwise_relu, md, md, 0.0f, 0.0f));
    stream s = make_recording_stream(engine, cl.queue, buffer);
    CHECK(execute(relu, s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}}) == nullptr);
    CHECK(finalize(buffer) == CL_SUCCESS);
    for (float value = 1; value < 3; value++) {
        float *mapped = x.map_data<float>();
        for (int i = 0; i < 4; i++)
            mapped[i] = i % 2 ? value : -value;
        x.unmap_data(mapped);
        CHECK(enqueue(0, nullptr, buffer, 0, nullptr, nullptr) == CL_SUCCESS);
        clFinish(cl.queue);
        mapped = x.map_data<float>();
        CHECK(mapped[0] == 0 && mapped[1] == value && mapped[2] == 0 && mapped[3] == value);
        x.unmap_data(mapped);
    }
    release(buffer);
}

} // namespace

int main() {
    opencl cl;
    if (!cl.open()) {
        std::printf("SKIP: no OpenCL device\n");
        return 77;
    }
    {
        dnnl::engine engine;
        engines(cl, engine);
        execution(cl, engine);
        recording(cl, engine);
        blobs(cl, engine);
    }
    cl.close();
    return check::failures() ? 1 : 0;
}
