/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of dnnl_ze.hpp, on the first Level Zero device of the loader. */
#include "check.hpp"
#include "oneapi/dnnl/dnnl_ze.hpp"

namespace {

struct level_zero {
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_command_list_handle_t list = nullptr;

    bool open() {
        uint32_t one = 1;
        if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&one, &driver) != ZE_RESULT_SUCCESS || one == 0)
            return false;
        ze_context_desc_t context_desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        ze_command_queue_desc_t queue_desc = {};
        queue_desc.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        queue_desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        return zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS && one > 0
               && zeContextCreate(driver, &context_desc, &context) == ZE_RESULT_SUCCESS
               && zeCommandListCreateImmediate(context, device, &queue_desc, &list) == ZE_RESULT_SUCCESS;
    }
    void close() {
        zeCommandListDestroy(list);
        zeContextDestroy(context);
    }
};

void engines(const level_zero &ze, dnnl::engine &engine) {
    using namespace dnnl::ze_interop;
    engine = make_engine(ze.driver, ze.device, ze.context);
    CHECK(get_driver(engine) == ze.driver);
    CHECK(get_device(engine) == ze.device);
    CHECK(get_context(engine) == ze.context);
    CHECK(check::thrown_by([&] { make_engine(nullptr, ze.device, ze.context); }) == dnnl_invalid_arguments);
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    CHECK(check::thrown_by([&] { get_device(cpu); }) == dnnl_invalid_arguments);
}

void blobs(const level_zero &ze, const dnnl::engine &engine) {
    using namespace dnnl::ze_interop;
    CHECK(!get_engine_cache_blob_id(ze.driver, ze.device).empty());
    std::vector<uint8_t> blob = get_engine_cache_blob(engine);
    CHECK(check::thrown_by([&] { make_engine(ze.driver, ze.device, ze.context, {}); })
          == dnnl_invalid_arguments);
    if (blob.empty()) return;
    dnnl::engine again = make_engine(ze.driver, ze.device, ze.context, blob);
    CHECK(get_device(again) == ze.device);
}

void execution(const level_zero &ze, const dnnl::engine &engine) {
    using namespace dnnl;
    using namespace dnnl::ze_interop;
    stream s = make_stream(engine, ze.list);
    CHECK(get_list(s) == ze.list);
    memory::desc md({4}, memory::data_type::f32, memory::format_tag::a);
    void *usm = nullptr;
    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    CHECK(zeMemAllocShared(ze.context, &on_device, &on_host, 16, 64, ze.device, &usm) == ZE_RESULT_SUCCESS);
    const float values[4] = {-1, 2, -3, 4};
    std::memcpy(usm, values, sizeof values);
    memory src = make_memory(md, engine, usm), dst = make_memory(md, engine);
    memory again = make_memory(md, engine, std::vector<void *>{usm});
    CHECK(src.get_data_handle() == usm && again.get_data_handle() == usm);

    eltwise_forward::primitive_desc pd(engine, prop_kind::forward_inference, algorithm::eltwise_relu, md, md,
                                       0.0f, 0.0f);
    eltwise_forward relu(pd);
    ze_event_handle_t first = execute(relu, s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    ze_event_handle_t event = execute(relu, s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}, {first});
    CHECK(event != nullptr);
    CHECK(zeEventHostSynchronize(event, UINT64_MAX) == ZE_RESULT_SUCCESS);
    const float *result = dst.map_data<float>();
    CHECK(result[0] == 0 && result[1] == 2 && result[2] == 0 && result[3] == 4);
    dst.unmap_data(const_cast<float *>(result));
    zeMemFree(ze.context, usm);
}

// A mutable list, or null if the driver does not support them.
ze_command_list_handle_t make_mutable_list(const level_zero &ze) {
    struct {
        ze_structure_type_t stype;
        const void *next;
        uint32_t flags;
    } extension = {static_cast<ze_structure_type_t>(0x20016), nullptr, 0};
    ze_command_list_desc_t desc = {};
    desc.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    desc.pNext = &extension;
    ze_command_list_handle_t list = nullptr;
    return zeCommandListCreate(ze.context, ze.device, &desc, &list) == ZE_RESULT_SUCCESS ? list : nullptr;
}

void run_list(const level_zero &ze, ze_command_list_handle_t list) {
    ze_command_queue_desc_t desc = {};
    desc.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    ze_command_queue_handle_t queue = nullptr;
    CHECK(zeCommandListClose(list) == ZE_RESULT_SUCCESS);
    CHECK(zeCommandQueueCreate(ze.context, ze.device, &desc, &queue) == ZE_RESULT_SUCCESS);
    CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr) == ZE_RESULT_SUCCESS);
    CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX) == ZE_RESULT_SUCCESS);
    zeCommandQueueDestroy(queue);
}

void updates(const level_zero &ze, const dnnl::engine &engine) {
    using namespace dnnl;
    using namespace dnnl::ze_interop;
    ze_command_list_handle_t list = make_mutable_list(ze);
    if (!list) {
        std::printf("SKIP: the driver has no mutable command lists\n");
        return;
    }
    stream s = make_stream(engine, list);
    memory::desc md({4}, memory::data_type::f32, memory::format_tag::a);
    memory src = make_memory(md, engine), dst = make_memory(md, engine), other = make_memory(md, engine);
    float *values = src.map_data<float>();
    for (int i = 0; i < 4; i++)
        values[i] = static_cast<float>(i - 2);
    src.unmap_data(values);
    eltwise_forward::primitive_desc pd(engine, prop_kind::forward_inference, algorithm::eltwise_relu, md, md,
                                       0.0f, 0.0f);
    ze_event_handle_t event = execute(eltwise_forward(pd), s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    run_list(ze, list);
    update(s, event, {{DNNL_ARG_DST, other}});
    run_list(ze, list);
    const float *result = other.map_data<float>();
    CHECK(result[0] == 0 && result[1] == 0 && result[2] == 0 && result[3] == 1);
    other.unmap_data(const_cast<float *>(result));
    CHECK(check::thrown_by([&] { update(s, event, {{DNNL_ARG_WEIGHTS, other}}); }) == dnnl_invalid_arguments);
    zeCommandListDestroy(list);
}

} // namespace

int main() {
    level_zero ze;
    if (!ze.open()) {
        std::printf("SKIP: no Level Zero device\n");
        return 77;
    }
    {
        dnnl::engine engine;
        engines(ze, engine);
        execution(ze, engine);
        updates(ze, engine);
        blobs(ze, engine);
    }
    ze.close();
    return check::failures() ? 1 : 0;
}
