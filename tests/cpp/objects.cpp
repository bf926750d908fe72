/* SPDX-License-Identifier: Apache-2.0 */
/* Every class of the C++ API that is not a primitive, every member of each, and the status of every
 * failure. */
#include "check.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

using namespace dnnl;

using dt = memory::data_type;
using tag = memory::format_tag;
using dims = memory::dims;

static engine cpu() {
    static engine e(engine::kind::cpu, 0);
    return e;
}

static void errors() {
    const error e(dnnl_unimplemented, "message");
    CHECK(e.status == dnnl_unimplemented && std::string(e.message) == "message" && e.what() == e.message);
    const std::exception &base = e;
    CHECK(std::string(base.what()) == "message");
    CHECK_THROWS(dnnl_success, error::wrap_c_api(dnnl_success, "fine"));
    CHECK_THROWS(dnnl_last_impl_reached, error::wrap_c_api(dnnl_last_impl_reached, "not fine"));
    CHECK_THROWS(dnnl_invalid_arguments, validate_container_size(std::vector<int>{}, "none"));
    CHECK_THROWS(dnnl_invalid_arguments, validate_container_size(std::vector<int>{1, 2}, "many", 0, 1));
    CHECK_THROWS(dnnl_success, validate_container_size(std::vector<int>{1, 2}, "no limit"));
    CHECK_THROWS(dnnl_success, memory::validate_dims(dims(12)));
    CHECK_THROWS(dnnl_invalid_arguments, memory::validate_dims(dims(13)));
    CHECK_THROWS(dnnl_invalid_arguments, memory::validate_dims(dims(1), 2));
}

static void handles() {
    engine empty;
    CHECK(!empty && empty.get(true) == nullptr && static_cast<dnnl_engine_t>(empty) == nullptr);
    CHECK_THROWS(dnnl_invalid_arguments, empty.get());
    CHECK(empty == engine() && !(empty != engine()));

    memory::desc a({2, 3}, dt::f32, tag::ab);
    const handle<dnnl_memory_desc_t> &as_handle = a;
    handle<dnnl_memory_desc_t> copy = as_handle;
    CHECK(copy == as_handle && !(copy != as_handle) && copy.get() == a.get() && bool(copy));

    handle<dnnl_memory_desc_t> moved = std::move(copy);
    CHECK(moved.get() == a.get() && !copy);
    copy = moved;
    moved = std::move(copy);
    CHECK(moved.get() == a.get() && !copy);
    handle<dnnl_memory_desc_t> &itself = moved;
    moved = itself;
    CHECK(moved.get() == a.get());

    const handle<dnnl_memory_desc_t> weak(a.get(), true);
    CHECK(weak == as_handle);

    {
        memory::desc last_reference;
        {
            const memory::desc first({5}, dt::s8, tag::a);
            last_reference = first;
        }
        CHECK(last_reference.get_dims() == dims{5});
        last_reference.reset(nullptr);
        CHECK(!last_reference);
        CHECK_THROWS(dnnl_invalid_arguments, last_reference.get_ndims());
    }

    dnnl_memory_desc_t c_md = nullptr;
    CHECK(dnnl_memory_desc_clone(&c_md, a.get()) == dnnl_success);
    memory::desc owner(nullptr);
    owner.reset(c_md);
    CHECK(owner.get() == c_md && owner == a);
    std::vector<memory::desc> many(100, owner);
    many.resize(1000, many[0]);
    CHECK(many.back().get() == c_md);
    handle_traits<dnnl_memory_desc_t>::destructor(nullptr);

    static_assert(std::is_nothrow_move_constructible<memory>::value, "moves of handles do not throw");
    static_assert(!std::is_convertible<dnnl_engine_t, engine>::value, "engines are made explicitly");
    static_assert(std::is_convertible<dnnl_memory_desc_t, memory::desc>::value, "descriptors convert from C");
}

static void engines() {
    CHECK(engine::get_count(engine::kind::cpu) == 1);
    const engine e = cpu();
    CHECK(e.get_kind() == engine::kind::cpu);
    CHECK(convert_to_c(engine::kind::gpu) == dnnl_gpu && convert_to_c(engine::kind::any) == dnnl_any_engine);
    CHECK_THROWS(dnnl_invalid_arguments, engine(engine::kind::cpu, 1000));
    CHECK_THROWS(dnnl_invalid_arguments, engine().get_kind());
}

static void streams() {
    stream s(cpu());
    CHECK(s.get_engine() == cpu());
    CHECK(&s.wait() == &s);
    stream in_order(cpu(), stream::flags::in_order);
    in_order.wait();
    CHECK_THROWS(dnnl_invalid_arguments, stream().wait());
    CHECK_THROWS(dnnl_invalid_arguments, stream(engine()));

    stream::flags f = stream::flags::in_order | stream::flags::out_of_order;
    CHECK((f & stream::flags::in_order) == stream::flags::in_order);
    CHECK((f ^ stream::flags::in_order) == stream::flags::out_of_order);
    CHECK((~f & stream::flags::in_order) == static_cast<stream::flags>(0));
    f &= stream::flags::in_order;
    CHECK(f == stream::flags::default_flags);
    f |= stream::flags::out_of_order;
    f ^= stream::flags::in_order;
    CHECK(f == stream::flags::out_of_order);
}

static void enumerations() {
    CHECK(convert_to_c(fpmath_mode::tf32) == dnnl_fpmath_mode_tf32);
    CHECK(convert_to_c(accumulation_mode::relaxed) == dnnl_accumulation_mode_relaxed);
    CHECK(convert_to_c(scratchpad_mode::user) == dnnl_scratchpad_mode_user);
    CHECK(convert_to_c(rounding_mode::stochastic) == dnnl_rounding_mode_stochastic);
    CHECK(convert_to_c(quantization_mode::dynamic_mx) == dnnl_quantization_mode_dynamic_mx);
    CHECK(convert_to_c(prop_kind::backward_weights) == dnnl_backward_weights);
    CHECK(convert_to_c(algorithm::softmax_log) == dnnl_softmax_log);
    CHECK(convert_to_c(rnn_direction::bidirectional_sum) == dnnl_bidirectional_sum);
    CHECK(convert_to_c(rnn_flags::diff_weights_overwrite) == dnnl_rnn_flags_diff_weights_overwrite);
    CHECK(convert_to_c(query::exec_arg_md) == dnnl_query_exec_arg_md);
    CHECK(convert_to_c(primitive::kind::matmul) == dnnl_matmul);
    const normalization_flags n = normalization_flags::use_scale | normalization_flags::use_shift;
    CHECK(convert_to_c(n) == (dnnl_use_scale | dnnl_use_shift));
    CHECK((rnn_flags::undef | rnn_flags::diff_weights_overwrite) == rnn_flags::diff_weights_overwrite);
    CHECK(memory::convert_to_c(dt::bf16) == dnnl_bf16 && memory::convert_to_c(tag::nhwc) == dnnl_nhwc);
    CHECK(dt::f32 == dnnl_f32 && dnnl_f32 == dt::f32 && dt::f32 != dnnl_s8 && dnnl_s8 != dt::f32);
    CHECK(tag::ab == dnnl_nc && dnnl_nc == tag::ab && tag::ba != dnnl_nc && dnnl_nc != tag::ba);
    CHECK(tag::nchw == tag::abcd && tag::oihw == tag::abcd && tag::hwio == tag::cdba);
    CHECK(memory::data_type_size(dt::f64) == 8 && memory::data_type_size(dt::bf16) == 2);
}

static void descriptors() {
    const memory::desc zero;
    CHECK(zero && zero.is_zero() && zero.get_ndims() == 0 && zero.get_dims().empty() && zero.get_size() == 0);

    const memory::desc plain({2, 3, 4, 5}, dt::f32, tag::nchw);
    CHECK(!plain.is_zero() && plain.get_ndims() == 4 && plain.get_dims() == (dims{2, 3, 4, 5}));
    CHECK(plain.get_strides() == (dims{60, 20, 5, 1}) && plain.get_padded_dims() == plain.get_dims());
    CHECK(plain.get_padded_offsets() == dims(4, 0) && plain.get_submemory_offset() == 0);
    CHECK(plain.get_inner_nblks() == 0 && plain.get_inner_blks().empty() && plain.get_inner_idxs().empty());
    CHECK(plain.get_data_type() == dt::f32 && plain.get_format_kind() == memory::format_kind::blocked);
    CHECK(plain.get_size() == 480 && plain.get_num_handles() == 1 && plain.get_nnz() == 0);
    CHECK(plain.get_sparse_encoding() == memory::sparse_encoding::undef);

    const memory::desc blocked({2, 3, 4, 5}, dt::s8, tag::nChw16c);
    CHECK(blocked.get_padded_dims() == (dims{2, 16, 4, 5}) && blocked.get_inner_nblks() == 1);
    CHECK(blocked.get_inner_blks() == dims{16} && blocked.get_inner_idxs() == dims{1});
    CHECK(blocked.get_size() == 2 * 16 * 4 * 5);

    const memory::desc strided({2, 3}, dt::f32, dims{1, 2});
    CHECK(strided == memory::desc({2, 3}, dt::f32, tag::ba)
          && strided != memory::desc({2, 3}, dt::f32, tag::ab));
    CHECK(memory::desc({2, 3}, dt::f32, dims{}) == memory::desc({2, 3}, dt::f32, tag::ab));
    CHECK(memory::desc({2, 3}, dt::f32, tag::any).get_format_kind() == memory::format_kind::any);

    const memory::desc part = plain.submemory_desc({1, 2, 2, 5}, {1, 0, 1, 0});
    CHECK(part.get_dims() == (dims{1, 2, 2, 5}) && part.get_strides() == plain.get_strides());
    CHECK(part.get_submemory_offset() == 60 + 5);
    CHECK(plain.reshape({6, 20}).get_strides() == (dims{20, 1}));
    CHECK(plain.permute_axes({0, 3, 1, 2}).get_dims() == (dims{2, 4, 5, 3}));

    memory::desc original = blocked;
    const std::vector<uint8_t> blob = original.get_blob();
    CHECK(!blob.empty() && memory::desc(blob) == blocked);
}

static void descriptors_refused() {
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc({2, 3}, dt::f32, tag::abc));
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc(dims(13, 1), dt::f32, tag::any, true));
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc({2, 3}, dt::f32, dims{1}, true));
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc({2, -3}, dt::f32, tag::ab));
    CHECK(!memory::desc({2, 3}, dt::f32, tag::abc, true));
    CHECK(!memory::desc({2, -3}, dt::f32, dims{3, 1}, true));
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    CHECK_THROWS(dnnl_invalid_arguments, md.submemory_desc({2}, {0, 0}));
    CHECK_THROWS(dnnl_invalid_arguments, md.submemory_desc({2, 3}, {1, 0}));
    CHECK(!md.submemory_desc({2, 3}, {1, 0}, true));
    CHECK_THROWS(dnnl_invalid_arguments, md.reshape({}));
    CHECK_THROWS(dnnl_invalid_arguments, md.reshape({5}));
    CHECK(!md.reshape({5}, true));
    CHECK_THROWS(dnnl_invalid_arguments, md.permute_axes({0}));
    CHECK_THROWS(dnnl_invalid_arguments, md.permute_axes({0, 0}));
    CHECK(!md.permute_axes({0, 0}, true));
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc::host_scalar(dt::undef));
}

static void sparse_descriptors() {
    const memory::desc csr = memory::desc::csr({4, 8}, dt::f32, 5, dt::s32, dt::s32);
    CHECK(csr.get_format_kind() == memory::format_kind::sparse && csr.get_nnz() == 5);
    CHECK(csr.get_sparse_encoding() == memory::sparse_encoding::csr && csr.get_num_handles() == 3);
    CHECK(csr.get_data_type(0) == dt::f32 && csr.get_data_type(1) == dt::s32
          && csr.get_data_type(2) == dt::s32);
    CHECK(csr.get_size(0) == 20 && csr.get_size(1) == 20 && csr.get_size(2) == 20);
    const memory::desc coo = memory::desc::coo({4, 8}, dt::f32, 5, dt::s32);
    CHECK(coo.get_sparse_encoding() == memory::sparse_encoding::coo && coo.get_num_handles() == 3);
    CHECK(coo.get_strides().empty());
    const memory::desc packed = memory::desc::packed({4, 8}, dt::s8, 5);
    CHECK(packed.get_sparse_encoding() == memory::sparse_encoding::packed && packed.get_nnz() == 5);
    CHECK_THROWS(dnnl_invalid_arguments, memory::desc::csr({4, -8}, dt::f32, 5, dt::s32, dt::s32));
    CHECK(!memory::desc::csr({4, -8}, dt::f32, 5, dt::s32, dt::s32, true));
    CHECK(!memory::desc::coo({4, -8}, dt::f32, 5, dt::s32, true));
    CHECK(!memory::desc::packed({4, -8}, dt::f32, 5, true));
}

static void memories() {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    float values[6] = {0, 1, 2, 3, 4, 5};
    memory m(md, cpu(), values);
    CHECK(m.get_desc() == md && m.get_engine() == cpu() && m.get_data_handle() == values);
    float *mapped = m.map_data<float>();
    CHECK(mapped[5] == 5);
    m.unmap_data(mapped);
    void *untyped = m.map_data();
    CHECK(untyped != nullptr);
    m.unmap_data(untyped);
    float others[6] = {};
    m.set_data_handle(others);
    CHECK(m.get_data_handle() == others);

    const memory allocated(md, cpu());
    CHECK(allocated.get_data_handle() != nullptr
          && allocated.get_data_handle(0) == allocated.get_data_handle());
    const memory none(md, cpu(), DNNL_MEMORY_NONE);
    CHECK(none.get_data_handle() == nullptr);
    const memory listed(md, cpu(), std::vector<void *>{values});
    CHECK(listed.get_data_handle() == values);

    float v[2] = {1, 2};
    int32_t columns[2] = {0, 1}, rows[3] = {0, 1, 2};
    const memory csr(memory::desc::csr({2, 2}, dt::f32, 2, dt::s32, dt::s32), cpu(), {v, columns, rows});
    CHECK(csr.get_data_handle(0) == v && csr.get_data_handle(1) == columns && csr.get_data_handle(2) == rows);
    const memory csr_allocated(memory::desc::csr({2, 2}, dt::f32, 2, dt::s32, dt::s32), cpu());
    CHECK(csr_allocated.get_data_handle(2) != nullptr);

    CHECK_THROWS(dnnl_invalid_arguments, memory(memory::desc({2}, dt::f32, tag::any), cpu()));
    CHECK_THROWS(dnnl_invalid_arguments, memory(md, engine()));
    CHECK_THROWS(dnnl_invalid_arguments, memory().get_desc());
    CHECK_THROWS(dnnl_invalid_arguments, m.get_data_handle(1));
    CHECK_THROWS(dnnl_invalid_arguments, m.set_data_handle(values, 1));
}

static void host_scalars() {
    const memory::desc md = memory::desc::host_scalar(dt::f32);
    CHECK(md.get_format_kind() == memory::format_kind::host_scalar && md.get_data_type() == dt::f32);
    const memory m(md, 1.5f);
    CHECK(m.get_host_scalar_value<float>() == 1.5f);
    m.set_host_scalar_value(2.5f);
    CHECK(m.get_host_scalar_value<float>() == 2.5f);
    const memory integer(memory::desc::host_scalar(dt::s32), int32_t(-7));
    CHECK(integer.get_host_scalar_value<int32_t>() == -7);
    CHECK_THROWS(dnnl_invalid_arguments, memory(md, 1.5));
    CHECK_THROWS(dnnl_invalid_arguments, m.get_host_scalar_value<double>());
    CHECK_THROWS(dnnl_invalid_arguments, m.set_host_scalar_value(int8_t(1)));
    float value = 0;
    const memory buffer(memory::desc({1}, dt::f32, tag::a), cpu(), &value);
    CHECK_THROWS(dnnl_invalid_arguments, buffer.get_host_scalar_value<float>());
}

static void post_operations() {
    post_ops ops;
    CHECK(ops.len() == 0);
    ops.append_sum();
    ops.append_sum(0.5f, 3, dt::s32);
    ops.append_eltwise(algorithm::eltwise_clip, -1.f, 2.f);
    ops.append_dw(dt::f32, dt::f32, dt::f32, 3, 1, 1);
    const memory::desc md({1, 4, 1, 1}, dt::f32, tag::nchw), other({1, 4, 1, 1}, dt::s8, tag::nchw);
    ops.append_binary(algorithm::binary_mul, md);
    ops.append_binary(algorithm::binary_select, md, other);
    ops.append_prelu(2);
    CHECK(ops.len() == 7);
    CHECK(ops.kind(0) == primitive::kind::sum && ops.kind(2) == primitive::kind::eltwise);
    CHECK(ops.kind(3) == primitive::kind::convolution && ops.kind(4) == primitive::kind::binary);
    CHECK(ops.kind(6) == primitive::kind::prelu);

    float scale = 0, alpha = 0, beta = 0;
    int32_t zero_point = 0;
    dt type = dt::undef, weights = dt::undef, bias = dt::undef, dst = dt::undef;
    algorithm alg = algorithm::undef;
    memory::dim kernel = 0, stride = 0, padding = 0;
    memory::desc src1, src2;
    int mask = 0;
    ops.get_params_sum(0, scale);
    CHECK(scale == 1.f);
    ops.get_params_sum(1, scale, type);
    CHECK(scale == 0.5f && type == dt::s32);
    ops.get_params_sum(1, scale, zero_point, type);
    CHECK(zero_point == 3);
    ops.get_params_eltwise(2, alg, alpha, beta);
    CHECK(alg == algorithm::eltwise_clip && alpha == -1.f && beta == 2.f);
    ops.get_params_dw(3, weights, bias, dst, kernel, stride, padding);
    CHECK(weights == dt::f32 && bias == dt::f32 && dst == dt::f32 && kernel == 3 && stride == 1
          && padding == 1);
    ops.get_params_binary(4, alg, src1);
    CHECK(alg == algorithm::binary_mul && src1 == md);
    ops.get_params_binary(5, alg, src1, src2);
    CHECK(alg == algorithm::binary_select && src1 == md && src2 == other);
    ops.get_params_prelu(6, mask);
    CHECK(mask == 2);

    CHECK_THROWS(dnnl_invalid_arguments, ops.kind(7));
    CHECK_THROWS(dnnl_invalid_arguments, ops.get_params_eltwise(0, alg, alpha, beta));
    CHECK_THROWS(dnnl_invalid_arguments, ops.append_eltwise(algorithm::binary_add, 0.f, 0.f));

    dnnl_post_ops_t c_ops = nullptr;
    CHECK(dnnl_post_ops_clone(&c_ops, ops.get()) == dnnl_success);
    const post_ops taken = c_ops;
    CHECK(taken.len() == 7);
}

static void modes() {
    primitive_attr attr;
    attr.set_fpmath_mode(fpmath_mode::bf16);
    CHECK(attr.get_fpmath_mode() == fpmath_mode::bf16);
    attr.set_fpmath_mode(fpmath_mode::f16, true);
    fpmath_mode mode = fpmath_mode::strict;
    bool to_int = false;
    attr.get_fpmath_mode(mode, to_int);
    CHECK(mode == fpmath_mode::f16 && to_int);
    attr.set_accumulation_mode(accumulation_mode::any);
    CHECK(attr.get_accumulation_mode() == accumulation_mode::any);
    CHECK(!attr.get_deterministic());
    attr.set_deterministic(true);
    CHECK(attr.get_deterministic());
    attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::stochastic);
    CHECK(attr.get_rounding_mode(DNNL_ARG_DST) == rounding_mode::stochastic);
    CHECK(attr.get_rounding_mode(DNNL_ARG_DIFF_SRC) == rounding_mode::environment);
    CHECK(attr.get_scratchpad_mode() == scratchpad_mode::library);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    CHECK(attr.get_scratchpad_mode() == scratchpad_mode::user);
}

static void quantisation() {
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {8, 1}, dt::bf16);
    attr.set_scales(DNNL_ARG_DST, 0, {}, dt::f32, false, quantization_mode::static_sazp);
    attr.set_host_scale(DNNL_ARG_SRC);
    attr.set_host_scale(DNNL_ARG_SRC, dt::f32);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {8, 1}, dt::s8);
    attr.set_host_zero_point(DNNL_ARG_SRC);
    attr.set_host_zero_point(DNNL_ARG_DST, dt::s32);
    attr.set_precomputed_reductions(DNNL_ARG_SRC, 3, {1, 8});
    CHECK_THROWS(dnnl_invalid_arguments, attr.set_scales_mask(DNNL_ARG_SRC, -1));

    primitive_attr rnn;
    float scale = 0, shift = 0;
    int weights_mask = 0;
    std::vector<float> scales;
    rnn.set_rnn_data_qparams(2.f, 3.f);
    rnn.get_rnn_data_qparams(scale, shift);
    CHECK(scale == 2.f && shift == 3.f);
    rnn.set_rnn_weights_qparams(24, {1.f, 2.f, 3.f, 4.f});
    rnn.get_rnn_weights_qparams(weights_mask, scales);
    CHECK(weights_mask == 24 && scales == (std::vector<float>{1.f, 2.f, 3.f, 4.f}));
    rnn.set_rnn_weights_projection_qparams(8, {5.f, 6.f});
    rnn.get_rnn_weights_projection_qparams(weights_mask, scales);
    CHECK(weights_mask == 8 && scales == (std::vector<float>{5.f, 6.f}));
}

static void attributes() {
    primitive_attr attr;
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    attr.set_post_ops(ops);
    CHECK(attr.get_post_ops().len() == 1 && attr.get_post_ops().get() != ops.get());

    primitive_attr dropout;
    const memory::desc mask({2, 3}, dt::u8, tag::ab);
    dropout.set_dropout(mask);
    memory::desc found;
    dropout.get_dropout(found);
    CHECK(found == mask);
    dropout.set_dropout(mask, dt::s64, true, true);
    dt seed = dt::undef;
    bool offset = false, host = false;
    dropout.get_dropout(found, seed, offset, host);
    CHECK(found == mask && seed == dt::s64 && offset && host);

    dnnl_primitive_attr_t c_attr = nullptr;
    CHECK(dnnl_primitive_attr_clone(&c_attr, dropout.get()) == dnnl_success);
    const primitive_attr taken = c_attr;
    CHECK(taken.get() == c_attr);
}

static void service_functions() {
    const version_t *v = version();
    CHECK(v && v->major == 3 && v->minor == 13 && v->hash);
    CHECK(set_verbose(0) == status::success && set_verbose(-1) == status::invalid_arguments);
    CHECK(!verbose_profiling_enabled());
    CHECK(set_default_fpmath_mode(fpmath_mode::any) == status::success);
    CHECK(get_default_fpmath_mode() == fpmath_mode::any);
    CHECK(set_default_fpmath_mode(fpmath_mode::strict) == status::success);
    (void)set_jit_dump(0);
    (void)set_jit_profiling_flags(0);
    const std::string folder = "/tmp";
    (void)set_jit_profiling_jitdumpdir(folder);
    (void)set_jit_profiling_jitdumpdir("/tmp");
    (void)set_max_cpu_isa(cpu_isa::isa_default);
    (void)get_effective_cpu_isa();
    (void)set_cpu_isa_hints(cpu_isa_hints::no_hints);
    (void)get_cpu_isa_hints();
    const int capacity = get_primitive_cache_capacity();
    set_primitive_cache_capacity(7);
    CHECK(get_primitive_cache_capacity() == 7);
    set_primitive_cache_capacity(capacity);
    CHECK_THROWS(dnnl_invalid_arguments, set_primitive_cache_capacity(-1));
    CHECK(reinterpret_cast<const void *>(&oneapi::dnnl::version)
          == reinterpret_cast<const void *>(&dnnl::version));
#ifdef DNNL_EXPERIMENTAL_PROFILING
    stream s(cpu());
    // A stream without profiling; builds of oneDNN may also lack profiling altogether.
    const dnnl_status_t refused = check::thrown_by([&] { reset_profiling(s); });
    CHECK(refused == dnnl_invalid_arguments || refused == dnnl_unimplemented);
    CHECK_THROWS(refused, get_profiling_data(s, profiling_data_kind::time));
#endif
}

static void blas() {
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 1, 0, 3};
    float c[4] = {1, 1, 1, 1};
    CHECK(sgemm('N', 'N', 2, 2, 3, 2.f, a, 3, b, 2, 1.f, c, 2) == status::success);
    CHECK(c[0] == 2 * 5 + 1 && c[1] == 2 * 11 + 1 && c[2] == 2 * 14 + 1 && c[3] == 2 * 23 + 1);
    const uint8_t ua[6] = {1, 2, 3, 4, 5, 6};
    const int8_t sa[6] = {1, -2, 3, 4, 5, -6}, sb[6] = {1, 0, 2, 1, 0, 3};
    const int32_t offset = 10;
    int32_t i[4] = {};
    CHECK(gemm_u8s8s32('N', 'N', 'F', 2, 2, 3, 1.f, ua, 3, 0, sb, 2, 0, 0.f, i, 2, &offset)
          == status::success);
    CHECK(i[0] == 15 && i[1] == 21 && i[2] == 24 && i[3] == 33);
    CHECK(gemm_s8s8s32('N', 'N', 'F', 2, 2, 3, 1.f, sa, 3, 0, sb, 2, 0, 0.f, i, 2, &offset)
          == status::success);
    CHECK(i[0] == 1 - 4 + 10 && i[1] == -2 + 9 + 10 && i[2] == 4 + 10 + 10 && i[3] == 5 - 18 + 10);
    CHECK(sgemm('?', 'N', 2, 2, 3, 1.f, a, 3, b, 2, 0.f, c, 2) == status::invalid_arguments);
}

int main() {
    const check::test_case cases[] = {
            {"errors", errors},
            {"handles", handles},
            {"engines", engines},
            {"streams", streams},
            {"enumerations", enumerations},
            {"descriptors", descriptors},
            {"descriptors that are refused", descriptors_refused},
            {"sparse descriptors", sparse_descriptors},
            {"memory", memories},
            {"host scalars", host_scalars},
            {"post-ops", post_operations},
            {"modes", modes},
            {"quantisation", quantisation},
            {"attributes", attributes},
            {"service functions", service_functions},
            {"BLAS-like functions", blas},
    };
    return check::run(cases);
}
