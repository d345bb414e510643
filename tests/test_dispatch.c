/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses R1 to R7 and R9: which kernel a request gets, seen by its name and by its domain. */

#include "suites.h"

#include "harness.h"
#include "select.h"

#include <stdio.h>
#include <string.h>

static const int64_t spans[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, 1000, 4096};
enum { SPANS = sizeof spans / sizeof spans[0] };

static int32_t exponent_max(const sima_a65_dequant_family *const family)
{
    return family->exponent_min + (int32_t)family->scale_count - SIMA_A65_DEQUANT_SCALE_EXPONENTS -
           1;
}

static float power_of_two(const int32_t exponent)
{
    return float_from_bits((uint32_t)(exponent + 127) << 23);
}

static bool gives(const sima_a65_dequant_result result, const sima_a65_dequant_output output)
{
    if (output == SIMA_A65_DEQUANT_TO_F32) {
        return result == SIMA_A65_DEQUANT_F32;
    }
    return result == SIMA_A65_DEQUANT_BF16_UPPER || result == SIMA_A65_DEQUANT_BF16_EVEN ||
           (output == SIMA_A65_DEQUANT_TO_BF16_TIEFREE && result == SIMA_A65_DEQUANT_BF16_TIEFREE);
}

/* The kernel's declared domain holds the request. */
static void check_domain(const sima_a65_dequant_kernel *const kernel,
                         const sima_a65_dequant_output output, const float scale,
                         const int32_t zero_point, const int64_t span)
{
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    ck_assert(gives(kernel->result, output));
    ck_assert_int_le(kernel->zero_point_min, zero_point);
    ck_assert_int_ge(kernel->zero_point_max, zero_point);
    ck_assert(!kernel->biased || sima_a65_dequant_has_bias(zero_point));
    ck_assert_uint_le(kernel->count_min, (size_t)span);
    ck_assert_uint_ge(kernel->count_max, (size_t)span);
    ck_assert_uint_eq((size_t)span % kernel->count_step, 0);
    ck_assert_uint_le(kernel->scale_min, bits);
    ck_assert_uint_ge(kernel->scale_max, bits);
    ck_assert(!kernel->power_of_two || (bits & 0x7fffff) == 0);
    if (kernel->result == SIMA_A65_DEQUANT_BF16_UPPER) {
        ck_assert_int_ge(zero_point, -128);
        ck_assert_int_le(zero_point, 127);
        ck_assert_int_eq(kernel->power_of_two, 1);
    }
}

START_TEST(r6_every_selection_lies_in_the_kernels_domain)
{
    static const int32_t zero_points[] = {0,         1,         -1,        -128,     127,
                                          -129,      128,       16777088,  16777089, -16777089,
                                          -16777090, INT32_MIN, INT32_MAX, 16777217, 8388608};
    static const uint32_t scales[] = {1,          0x00400000, 0x00800000, 0x3f7fffff, 0x3f800001,
                                      0x7f7fffff, 0x7f000000, 0x3dcccccd, 0x737fffff, 0x73800000};
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (int o = 0; o < SIMA_A65_DEQUANT_OUTPUTS; ++o) {
            for (size_t z = 0; z < sizeof zero_points / sizeof zero_points[0]; ++z) {
                for (size_t s = 0; s < SPANS; ++s) {
                    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
                        const sima_dequant_params params = {float_from_bits(scales[i]),
                                                            zero_points[z]};
                        check_domain(sima_a65_dequant_select(family, (sima_a65_dequant_output)o,
                                                             &params, spans[s]),
                                     (sima_a65_dequant_output)o, params.scale, params.zero_point,
                                     spans[s]);
                    }
                    for (int32_t e = -126; e <= 127; ++e) {
                        const sima_dequant_params params = {power_of_two(e), zero_points[z]};
                        check_domain(sima_a65_dequant_select(family, (sima_a65_dequant_output)o,
                                                             &params, spans[s]),
                                     (sima_a65_dequant_output)o, params.scale, params.zero_point,
                                     spans[s]);
                    }
                }
            }
        }
    }
}
END_TEST

static const char *name_for(const sima_a65_dequant_family *const family,
                            const sima_a65_dequant_output output, const float scale,
                            const int32_t zero_point, const int64_t span)
{
    const sima_dequant_params params = {scale, zero_point};
    return sima_a65_dequant_select(family, output, &params, span)->name;
}

#define ck_assert_has(name, part)                                                                  \
    ck_assert_msg(strstr((name), (part)) != NULL, "%s does not hold %s", (name), (part))

/* A zero point without a representable bias, in the exact class and beyond. */
enum { UNBIASED_EXACT = 8388481, UNBIASED_WIDE = 33554430 };

static bool is_neon(const sima_a65_dequant_family *const family)
{
    return strcmp(family->isa, "neon") == 0;
}

static void check_exponent(const sima_a65_dequant_family *const family,
                           const sima_a65_dequant_output output, const int32_t e)
{
    const float scale = power_of_two(e);
    char wanted[32];
    const char sign = e < 0 ? 'm' : 'p';
    const int magnitude = e < 0 ? -e : e;
    snprintf(wanted, sizeof wanted, "_zero_e%c%d_", sign, magnitude);
    ck_assert_has(name_for(family, output, scale, 0, 64), wanted);
    snprintf(wanted, sizeof wanted, "_int8_e%c%d_", sign, magnitude);
    ck_assert_has(name_for(family, output, scale, -127, 64), wanted);
    ck_assert_has(name_for(family, output, scale, -128, 64), wanted);
    ck_assert_has(name_for(family, output, scale, 127, 7), wanted);
    snprintf(wanted, sizeof wanted, "_exact_e%c%d_", sign, magnitude);
    ck_assert_has(name_for(family, output, scale, UNBIASED_EXACT, 64), wanted);
    const char *const biased = is_neon(family) ? "_bias_powers_" : "_wide_";
    ck_assert_has(name_for(family, output, scale, 128, 64), biased);
    ck_assert_has(name_for(family, output, scale, -16777089, 64), biased);
}

START_TEST(r1_r2_r4_every_exponent_of_the_family_has_its_own_kernels)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        ck_assert_int_le(family->exponent_min, -8);
        ck_assert_int_ge(exponent_max(family), 8);
        for (int32_t e = family->exponent_min; e <= exponent_max(family); ++e) {
            check_exponent(family, SIMA_A65_DEQUANT_TO_F32, e);
            check_exponent(family, SIMA_A65_DEQUANT_TO_BF16, e);
        }
    }
}
END_TEST

START_TEST(r3_r5_other_scales_take_the_general_kernels)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        const sima_a65_dequant_output f32 = SIMA_A65_DEQUANT_TO_F32;
        const sima_a65_dequant_output bf16 = SIMA_A65_DEQUANT_TO_BF16;
        const bool neon = is_neon(family);
        const float outside[] = {power_of_two(family->exponent_min - 1),
                                 power_of_two(exponent_max(family) + 1), 0.1f,
                                 float_from_bits(0x3f800001), float_from_bits(0x00400000)};
        for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
            ck_assert_has(name_for(family, f32, outside[i], 0, 64), "_zero_any_");
            ck_assert_has(name_for(family, f32, outside[i], 5, 64), "_int8_any_");
            ck_assert_has(name_for(family, bf16, outside[i], 5, 64), "_bf16_even_int8_any_");
            ck_assert_has(name_for(family, f32, outside[i], -128, 64),
                          neon ? "_m128_under104_" : "_int8_any_");
            ck_assert_has(name_for(family, f32, outside[i], UNBIASED_WIDE, 64), "_wide_any_");
        }
        ck_assert_has(name_for(family, f32, float_from_bits(0x73800000), -128, 64), "_int8_any_");
        ck_assert_has(name_for(family, f32, 0.1f, 16777217, 64),
                      neon ? "_bias_any_" : "_wide_any_");
        ck_assert_has(name_for(family, f32, power_of_two(-100), 16777217, 64),
                      neon ? "_bias_powers_" : "_wide_any_");
        ck_assert_has(name_for(family, f32, power_of_two(97), 16777217, 64),
                      neon ? "_bias_any_" : "_wide_any_");
        ck_assert_has(name_for(family, f32, 1.0f, UNBIASED_WIDE, 64), "_wide_unit_");
        ck_assert_has(name_for(family, bf16, 1.0f, UNBIASED_WIDE, 64), "_wide_unit_");
        ck_assert_has(name_for(family, f32, 2.0f, UNBIASED_WIDE, 64), "_wide_any_");
    }
}
END_TEST

START_TEST(has_bias_is_the_plain_definition)
{
    random_state random = {test_seed};
    size_t biased = 0;
    for (int i = 0; i < 200000; ++i) {
        const int32_t zero_point = (int32_t)random_next(&random) >> (i % 8);
        const volatile float converted = (float)zero_point;
        const double bias = 8388736.0 + (double)converted;
        const volatile float rounded = (float)bias;
        ck_assert_int_eq(sima_a65_dequant_has_bias(zero_point), (double)rounded == bias);
        biased += (double)rounded == bias;
    }
    printf("zero points with a representable bias: %zu of 200000\n", biased);
    ck_assert(!sima_a65_dequant_has_bias(UNBIASED_EXACT));
    ck_assert(!sima_a65_dequant_has_bias(UNBIASED_WIDE));
}
END_TEST

START_TEST(r7_short_spans_have_their_own_code)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        const bool scalar = strcmp(family->isa, "portable") == 0;
        ck_assert_has(name_for(family, SIMA_A65_DEQUANT_TO_F32, 0.25f, 3, 15),
                      scalar ? "_scalar" : "_short");
        ck_assert_has(name_for(family, SIMA_A65_DEQUANT_TO_F32, 0.25f, 3, 16),
                      scalar ? "_scalar" : "_whole");
        ck_assert_has(name_for(family, SIMA_A65_DEQUANT_TO_F32, 0.25f, 3, 17),
                      scalar ? "_scalar" : "_overlap");
    }
}
END_TEST

START_TEST(r9_the_portable_family_is_in_every_build)
{
    ck_assert_uint_ge(sima_a65_dequant_family_count, 1);
    ck_assert_str_eq(sima_a65_dequant_families[sima_a65_dequant_family_count - 1]->isa, "portable");
#if defined(__aarch64__)
    ck_assert_str_eq(sima_a65_dequant_families[0]->isa, "neon");
#endif
}
END_TEST

START_TEST(the_plan_names_the_kernel_of_the_best_family)
{
    sample_request sample;
    sima_a65_dequant_plan plan;
    sample_init(&sample, 33, SIMA_DTYPE_FLOAT32, 0.0625f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    ck_assert_str_eq(
        sima_a65_dequant_kernel_name(&plan),
        name_for(sima_a65_dequant_families[0], SIMA_A65_DEQUANT_TO_F32, 0.0625f, 3, 33));
}
END_TEST

Suite *dispatch_suite(void)
{
    Suite *const suite = suite_create("dispatch");
    TCase *const tests = new_case(suite, "dispatch");
    tcase_add_test(tests, r1_r2_r4_every_exponent_of_the_family_has_its_own_kernels);
    tcase_add_test(tests, r3_r5_other_scales_take_the_general_kernels);
    tcase_add_test(tests, r6_every_selection_lies_in_the_kernels_domain);
    tcase_add_test(tests, r7_short_spans_have_their_own_code);
    tcase_add_test(tests, r9_the_portable_family_is_in_every_build);
    tcase_add_test(tests, has_bias_is_the_plain_definition);
    tcase_add_test(tests, the_plan_names_the_kernel_of_the_best_family);
    return suite;
}
