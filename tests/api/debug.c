/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dnnl_*2str functions, without a oneDNN to compare with: a few values of each enum, both ends of its
 * range, invalid values, and the spelling of every format tag.
 */
#include "oneapi/dnnl/dnnl_debug.h"
#include "test.h"

#include <ctype.h>

struct expectation {
    const char *got;
    const char *expected;
};

static void check(const struct expectation *rows, int count) {
    for (int i = 0; i < count; i++)
        assert_string_equal(rows[i].got, rows[i].expected);
}

static void known_values(void **state) {
    (void)state;
    const struct expectation rows[] = {
            {dnnl_status2str(dnnl_success), "success"},
            {dnnl_status2str(dnnl_invalid_arguments), "invalid_arguments"},
            {dnnl_status2str(dnnl_invalid_data_type), "invalid_data_type"},
            {dnnl_dt2str(dnnl_data_type_undef), "undef"},
            {dnnl_dt2str(dnnl_bf16), "bf16"},
            {dnnl_dt2str(dnnl_f8_e4m3), "f8_e4m3"},
            {dnnl_dt2str(dnnl_s64), "s64"},
            {dnnl_fpmath_mode2str(dnnl_fpmath_mode_strict), "strict"},
            {dnnl_fpmath_mode2str(dnnl_fpmath_mode_tf32), "tf32"},
            {dnnl_accumulation_mode2str(dnnl_accumulation_mode_strict), "strict"},
            {dnnl_accumulation_mode2str(dnnl_accumulation_mode_f16), "f16"},
            {dnnl_engine_kind2str(dnnl_any_engine), "any"},
            {dnnl_engine_kind2str(dnnl_gpu), "gpu"},
            {dnnl_sparse_encoding2str(dnnl_csr), "csr"},
            {dnnl_sparse_encoding2str(dnnl_coo), "coo"},
            {dnnl_fmt_kind2str(dnnl_format_kind_any), "any"},
            {dnnl_fmt_kind2str(dnnl_blocked), "blocked"},
            {dnnl_fmt_tag2str(dnnl_format_tag_undef), "undef"},
            {dnnl_fmt_tag2str(dnnl_format_tag_any), "any"},
            {dnnl_fmt_tag2str(dnnl_nhwc), "acdb"},
            {dnnl_fmt_tag2str(dnnl_nChw16c), "aBcd16b"},
            {dnnl_fmt_tag2str(dnnl_OIhw4i16o4i), "ABcd4b16a4b"},
            {dnnl_fmt_tag2str(dnnl_aBcdef32b), "aBcdef32b"},
            {dnnl_prop_kind2str(dnnl_forward), "forward_training"},
            {dnnl_prop_kind2str(dnnl_backward_bias), "backward_bias"},
            {dnnl_prim_kind2str(dnnl_undefined_primitive), "undef"},
            {dnnl_prim_kind2str(dnnl_convolution), "convolution"},
            {dnnl_prim_kind2str(dnnl_group_normalization), "group_normalization"},
            {dnnl_alg_kind2str(dnnl_alg_kind_undef), "undef"},
            {dnnl_alg_kind2str(dnnl_eltwise_relu), "eltwise_relu"},
            {dnnl_alg_kind2str(dnnl_lrn_across_channels), "lrn_across_channels"},
            {dnnl_alg_kind2str(dnnl_binary_select), "binary_select"},
            {dnnl_alg_kind2str(dnnl_reduction_norm_lp_power_p_sum), "reduction_norm_lp_power_p_sum"},
            {dnnl_alg_kind2str(dnnl_softmax_log), "softmax_log"},
            {dnnl_rnn_flags2str(dnnl_rnn_flags_diff_weights_overwrite), "rnn_flags_diff_weights_overwrite"},
            {dnnl_rnn_direction2str(dnnl_bidirectional_sum), "bidirectional_sum"},
            {dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_user), "user"},
            {dnnl_rounding_mode2str(dnnl_rounding_mode_stochastic), "stochastic"},
            {dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_fp), "dynamic_fp"},
            {dnnl_cpu_isa2str(dnnl_cpu_isa_default), "cpu_isa_default"},
            {dnnl_cpu_isa2str(dnnl_cpu_isa_avx512_core_fp16), "cpu_isa_avx10_1_512"},
            {dnnl_cpu_isa2str(dnnl_cpu_isa_avx10_2_512_amx_2), "cpu_isa_avx10_2_amx_2"},
            {dnnl_cpu_isa_hints2str(dnnl_cpu_isa_prefer_ymm), "cpu_isa_prefer_ymm"},
            {dnnl_runtime2str(DNNL_RUNTIME_NONE), "none"},
            {dnnl_runtime2str(DNNL_RUNTIME_OMP), "OpenMP"},
            {dnnl_runtime2str(DNNL_RUNTIME_DPCPP), "SYCL"},
            {dnnl_runtime2str(DNNL_RUNTIME_ZE), "Level Zero"},
    };
    check(rows, COUNT(rows));
}

/* The first value after each enum, and public values that have no name in oneDNN. */
static void unknown_values(void **state) {
    (void)state;
    const struct expectation rows[] = {
            {dnnl_status2str((dnnl_status_t)(dnnl_invalid_data_type + 1)), "unknown status"},
            {dnnl_dt2str(dnnl_f4_e3m0), "unknown dt"},
            {dnnl_dt2str((dnnl_data_type_t)(dnnl_s64 + 1)), "unknown dt"},
            {dnnl_fpmath_mode2str((dnnl_fpmath_mode_t)5), "unknown fpmath_mode"},
            {dnnl_accumulation_mode2str((dnnl_accumulation_mode_t)6), "unknown accumulation_mode"},
            {dnnl_engine_kind2str((dnnl_engine_kind_t)3), "unknown engine_kind"},
            {dnnl_sparse_encoding2str((dnnl_sparse_encoding_t)4), "unknown sparse_encoding"},
            {dnnl_fmt_kind2str(dnnl_format_kind_host_scalar), "unknown fmt_kind"},
            {dnnl_fmt_tag2str(dnnl_format_tag_last), "format_tag_last"},
            {dnnl_fmt_tag2str((dnnl_format_tag_t)(dnnl_format_tag_last + 1)), "unknown fmt_tag"},
            {dnnl_prop_kind2str((dnnl_prop_kind_t)1), "unknown prop_kind"},
            {dnnl_prim_kind2str((dnnl_primitive_kind_t)(dnnl_group_normalization + 1)), "unknown prim_kind"},
            {dnnl_alg_kind2str((dnnl_alg_kind_t)(dnnl_softmax_log + 1)), "unknown alg_kind"},
            {dnnl_rnn_flags2str((dnnl_rnn_flags_t)2), "unknown rnn_flags"},
            {dnnl_rnn_direction2str((dnnl_rnn_direction_t)5), "unknown rnn_direction"},
            {dnnl_scratchpad_mode2str((dnnl_scratchpad_mode_t)2), "unknown scratchpad_mode"},
            {dnnl_rounding_mode2str((dnnl_rounding_mode_t)2), "unknown rounding_mode"},
            {dnnl_quantization_mode2str((dnnl_quantization_mode_t)4), "unknown quantization_mode"},
            {dnnl_cpu_isa2str((dnnl_cpu_isa_t)2), "unknown cpu_isa"},
            {dnnl_cpu_isa_hints2str((dnnl_cpu_isa_hints_t)2), "unknown cpu_isa_hints"},
            {dnnl_runtime2str(DNNL_RUNTIME_SEQ | DNNL_RUNTIME_OMP), "unknown"},
    };
    check(rows, COUNT(rows));
}

/* Extreme values, whose sign or size could break an index. */
static void extreme_values(void **state) {
    (void)state;
    static const unsigned values[] = {0x7fffffffu, 0x80000000u, 0xffffffffu};
    for (int i = 0; i < COUNT(values); i++) {
        assert_string_equal(dnnl_fmt_tag2str((dnnl_format_tag_t)values[i]), "unknown fmt_tag");
        assert_string_equal(dnnl_status2str((dnnl_status_t)values[i]), "unknown status");
        assert_string_equal(dnnl_alg_kind2str((dnnl_alg_kind_t)values[i]), "unknown alg_kind");
        assert_string_equal(dnnl_runtime2str(values[i]), "unknown");
    }
}

/* Does `name` spell a layout? Every dimension from a on once, then blocks of upper-case dimensions. */
static int spells_layout(const char *name) {
    unsigned seen = 0, blocked = 0, blocks = 0;
    for (; isalpha((unsigned char)*name); name++) {
        unsigned bit = 1u << (tolower((unsigned char)*name) - 'a');
        if (seen & bit) return 0;
        seen |= bit;
        if (isupper((unsigned char)*name)) blocked |= bit;
    }
    while (isdigit((unsigned char)*name)) {
        char *end;
        if (strtol(name, &end, 10) < 2 || !islower((unsigned char)*end)) return 0;
        blocks |= 1u << (*end - 'a');
        name = end + 1;
    }
    int dense = (seen & (seen + 1)) == 0;
    return *name == '\0' && seen && dense && blocks == blocked;
}

static void format_tags_spell_layouts(void **state) {
    (void)state;
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        const char *name = dnnl_fmt_tag2str((dnnl_format_tag_t)tag);
        if (!spells_layout(name)) fail_msg("format tag %d is called %s", tag, name);
        const char *previous = dnnl_fmt_tag2str((dnnl_format_tag_t)(tag - 1));
        assert_string_not_equal(name, previous);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(known_values),
            cmocka_unit_test(unknown_values),
            cmocka_unit_test(extreme_values),
            cmocka_unit_test(format_tags_spell_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
