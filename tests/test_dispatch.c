/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses R1 to R7 and R9: which kernel a request gets, seen by its name and by its domain. */

#include "suites.h"

#include "cpu.h"
#include "harness.h"
#include "select.h"

#include <stdio.h>
#include <string.h>

static const int64_t spans[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, 1000, 4096, 8191, 8192, 1000003};
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

/* Whether the kernel's declared domain holds the request. One comparison a condition, and no call
 * into Check: there are millions of these. */
static bool domain_holds(const sima_a65_dequant_kernel *const kernel,
                         const sima_a65_dequant_output output, const uint32_t scale,
                         const int32_t zero_point, const int64_t span)
{
    const bool power = (scale & 0x7fffff) == 0;
    const bool upper = kernel->result == SIMA_A65_DEQUANT_BF16_UPPER;
    return gives(kernel->result, output) && kernel->zero_point_min <= zero_point &&
           kernel->zero_point_max >= zero_point &&
           (!kernel->biased || sima_a65_dequant_has_bias(zero_point)) &&
           kernel->count_min <= (size_t)span && kernel->count_max >= (size_t)span &&
           (size_t)span % kernel->count_step == 0 && kernel->scale_min <= scale &&
           kernel->scale_max >= scale && (!kernel->power_of_two || power) &&
           (!upper || (zero_point >= -128 && zero_point <= 127 && power));
}

/* Borders of every class of the family and both sides of each, and zero points with and without a
 * representable bias. */
enum { ZERO_POINTS_MAX = 128 };

static size_t add_zero_point(int32_t list[ZERO_POINTS_MAX], const size_t count, const int64_t value)
{
    if (value < INT32_MIN || value > INT32_MAX) {
        return count;
    }
    ck_assert_uint_lt(count, ZERO_POINTS_MAX);
    list[count] = (int32_t)value;
    return count + 1;
}

static size_t zero_points_of(const sima_a65_dequant_family *const family,
                             int32_t list[ZERO_POINTS_MAX])
{
    static const int32_t fixed[] = {0,        1,         -1,        -127,     127,       128,
                                    -129,     8388480,   8388481,   8388608,  16777088,  16777089,
                                    33554430, -16777089, -16777090, 16777217, INT32_MIN, INT32_MAX};
    size_t count = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) {
        count = add_zero_point(list, count, fixed[i]);
    }
    for (size_t z = 0; z < family->zero_point_count; ++z) {
        for (int64_t step = -1; step <= 1; ++step) {
            count = add_zero_point(list, count, family->zero_points[z].min + step);
            count = add_zero_point(list, count, family->zero_points[z].max + step);
        }
    }
    return count;
}

/* What selection gave, and which kernels it has ever given. */
typedef struct selections {
    const sima_a65_dequant_family *family;
    bool given[4096];
    size_t count;
} selections;

static void check_kernel(selections *const seen, const sima_a65_dequant_output output,
                         const uint32_t scale, const int32_t zero_point, const int64_t span,
                         const sima_a65_dequant_kernel *const kernel)
{
    const sima_a65_dequant_family *const family = seen->family;
    if (kernel < family->kernels || kernel >= family->kernels + family->kernel_count ||
        !domain_holds(kernel, output, scale, zero_point, span)) {
        ck_abort_msg("%s output %d: zero point %d, scale 0x%08x, %lld elements: got %s",
                     family->isa, (int)output, (int)zero_point, (unsigned)scale, (long long)span,
                     kernel == NULL ? "none" : kernel->name);
    }
    seen->given[kernel - family->kernels] = true;
    ++seen->count;
}

static void check_selection(selections *const seen, const sima_a65_dequant_output output,
                            const uint32_t scale, const int32_t zero_point, const int64_t span)
{
    const sima_a65_dequant_family *const family = seen->family;
    const sima_dequant_params params = {float_from_bits(scale), zero_point};
    check_kernel(seen, output, scale, zero_point, span,
                 sima_a65_dequant_select(family, output, &params, span));
    if (span >= SIMA_A65_DEQUANT_LONG_BLOCK) {
        check_kernel(seen, output, scale, zero_point, span,
                     sima_a65_dequant_select_for(family, output, &params, SIMA_A65_DEQUANT_STREAM));
    }
}

static void check_scales(selections *const seen, const sima_a65_dequant_output output,
                         const int32_t zero_point, const int64_t span)
{
    static const uint32_t odd[] = {1, 2, 3, 0x00400000, 0x007fffff, 0x3dcccccd, 0x7f7fffff};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i) {
        check_selection(seen, output, odd[i], zero_point, span);
    }
    for (uint32_t field = 1; field < 255; ++field) {
        const uint32_t power = field << 23;
        check_selection(seen, output, power - 1, zero_point, span);
        check_selection(seen, output, power, zero_point, span);
        check_selection(seen, output, power + 1, zero_point, span);
    }
}

START_TEST(r6_every_selection_lies_in_the_kernels_domain)
{
    static selections seen;
    int32_t zero_points[ZERO_POINTS_MAX];
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    const size_t zero_point_count = zero_points_of(family, zero_points);
    seen = (selections){.family = family};
    ck_assert_uint_le(family->kernel_count, sizeof seen.given / sizeof seen.given[0]);
    for (int o = 0; o < SIMA_A65_DEQUANT_OUTPUTS; ++o) {
        for (size_t z = 0; z < zero_point_count; ++z) {
            for (size_t s = 0; s < SPANS; ++s) {
                check_scales(&seen, (sima_a65_dequant_output)o, zero_points[z], spans[s]);
            }
        }
    }
    size_t given = 0;
    for (size_t i = 0; i < family->kernel_count; ++i) {
        given += seen.given[i];
        if (!seen.given[i]) {
            printf("never selected: %s\n", family->kernels[i].name);
        }
        /* The general kernels with a scalar remainder stand behind every row; others have a row. */
        ck_assert_msg(seen.given[i] || strstr(family->kernels[i].name, "_wide_any_scalar") != NULL,
                      "no request selects %s", family->kernels[i].name);
    }
    printf("%s: %zu selections, %zu of %zu kernels selected\n", family->isa, seen.count, given,
           family->kernel_count);
}
END_TEST

/* Zero extents are prepared as well: a span of nothing selects like a span of one. */
START_TEST(r6_an_empty_span_selects_like_one_element)
{
    const sima_dequant_params params = {0.25f, 3};
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    for (int o = 0; o < SIMA_A65_DEQUANT_OUTPUTS; ++o) {
        ck_assert_ptr_eq(sima_a65_dequant_select(family, (sima_a65_dequant_output)o, &params, 0),
                         sima_a65_dequant_select(family, (sima_a65_dequant_output)o, &params, 1));
    }
}
END_TEST

/* Execution takes the kernel and the operands as prepared, whatever the rest of the plan says. */
static sima_a65_dequant_operands handed_on;

static void keep_operands(const int8_t *const input, void *const output, const size_t count,
                          const sima_a65_dequant_operands *const operands)
{
    (void)input;
    (void)output;
    (void)count;
    handed_on = *operands;
}

START_TEST(r4_r6_execution_classifies_nothing_again)
{
    const sima_a65_dequant_kernel keeping = {.run = keep_operands, .name = "keeping"};
    static const int8_t values[33];
    static float results[33];
    const sima_const_host_buffer from = {values, sizeof values};
    const sima_host_buffer to = {results, sizeof results};
    sample_request sample;
    sima_a65_dequant_plan plan;
    sample_init(&sample, 33, SIMA_DTYPE_FLOAT32, 0.0625f, 300);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    plan.kernel = &keeping;
    plan.shared.params = (sima_dequant_params){3.0f, 7};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    /* The zero point arrives as it was given, not scaled ahead of the mode check. */
    ck_assert_int_eq(handed_on.zero_point, 300);
    ck_assert(handed_on.scale == 0.0625f);
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
    ck_assert_has(name_for(family, output, scale, 127, 7), wanted);
    /* Where half precision ends, -128 has kernels of its own. */
    const bool own = is_neon(family) && e > 5;
    snprintf(wanted, sizeof wanted, "_%s_e%c%d_", own ? "m128" : "int8", sign, magnitude);
    ck_assert_has(name_for(family, output, scale, -128, 64), wanted);
    snprintf(wanted, sizeof wanted, "_exact_e%c%d_", sign, magnitude);
    ck_assert_has(name_for(family, output, scale, UNBIASED_EXACT, 64), wanted);
    const char *const biased = is_neon(family) ? "_bias_powers_" : "_wide_";
    ck_assert_has(name_for(family, output, scale, 128, 64), biased);
    ck_assert_has(name_for(family, output, scale, -16777089, 64), biased);
}

static bool is_x86(const sima_a65_dequant_family *const family)
{
    return strncmp(family->isa, "avx", 3) == 0;
}

/* There a power of two is read when the kernel runs: it costs what a constant would. */
static void check_power_x86(const sima_a65_dequant_family *const family, const float scale)
{
    static const int32_t int8[] = {0, -128, -127, 5, 127};
    const sima_a65_dequant_output f32 = SIMA_A65_DEQUANT_TO_F32;
    const sima_a65_dequant_output bf16 = SIMA_A65_DEQUANT_TO_BF16;
    const bool avx512 = strcmp(family->isa, "avx512") == 0;
    for (size_t i = 0; i < sizeof int8 / sizeof int8[0]; ++i) {
        ck_assert_has(name_for(family, f32, scale, int8[i], 64), "_f32_bias_powers_overlap");
        ck_assert_has(name_for(family, bf16, scale, int8[i], 7), "_bf16_upper_int8_powers_short");
        ck_assert_has(name_for(family, bf16, scale, int8[i], 10000),
                      "_bf16_upper_int8_powers_overlap");
    }
    ck_assert_has(name_for(family, f32, scale, -16777089, 64), "_f32_bias_powers_");
    ck_assert_has(name_for(family, bf16, scale, 128, 64),
                  avx512 ? "_bf16_even_bias_normal_" : "_bf16_even_bias_any_");
    ck_assert_has(name_for(family, f32, scale, UNBIASED_EXACT, 64), "_f32_wide_any_");
    ck_assert_has(name_for(family, bf16, scale, UNBIASED_EXACT, 64), "_bf16_even_wide_any_every");
}

START_TEST(x86_powers_of_two_are_read_when_the_kernel_runs)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (int32_t e = -126; is_x86(family) && e <= 96; ++e) {
            check_power_x86(family, power_of_two(e));
        }
    }
}
END_TEST

START_TEST(x86_other_scales)
{
    const sima_a65_dequant_output f32 = SIMA_A65_DEQUANT_TO_F32;
    const sima_a65_dequant_output bf16 = SIMA_A65_DEQUANT_TO_BF16;
    const float subnormal = float_from_bits(0x007fffff);
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        if (!is_x86(family)) {
            continue;
        }
        const bool avx512 = strcmp(family->isa, "avx512") == 0;
        ck_assert_has(name_for(family, f32, 0.1f, 5, 64), "_f32_bias_any_overlap");
        ck_assert_has(name_for(family, f32, subnormal, 5, 64), "_f32_bias_any_overlap");
        ck_assert_has(name_for(family, f32, power_of_two(97), 5, 64), "_f32_bias_any_overlap");
        ck_assert_has(name_for(family, f32, 0.1f, UNBIASED_WIDE, 3), "_f32_wide_any_every");
        ck_assert_has(name_for(family, bf16, 0.1f, 5, 64),
                      avx512 ? "_bf16_even_bias_normal_overlap" : "_bf16_even_bias_any_overlap");
        ck_assert_has(name_for(family, bf16, float_from_bits(0x7f7fffff), 5, 3),
                      avx512 ? "_bf16_even_bias_normal_short" : "_bf16_even_bias_any_short");
        /* The processor's conversion would flush these results. */
        ck_assert_has(name_for(family, bf16, subnormal, 5, 64),
                      avx512 ? "_bf16_even_wide_any_every" : "_bf16_even_bias_any_overlap");
        ck_assert_has(name_for(family, bf16, subnormal, 5, 8192),
                      avx512 ? "_bf16_even_wide_any_long" : "_bf16_even_bias_any_overlap");
        ck_assert_has(name_for(family, bf16, 0.1f, UNBIASED_WIDE, 8192),
                      avx512 ? "_bf16_even_wide_any_long" : "_bf16_even_wide_any_every");
    }
}
END_TEST

/* 2^-127, which is subnormal, 2^-126 to 2^96, whose kernels read the exponent when they run, and
 * 2^97. */
START_TEST(r6_other_powers_of_two_end_where_their_kernels_do)
{
    static const uint32_t inside[] = {0x00800000, 0x01000000, 0x6f000000, 0x6f800000};
    static const uint32_t outside[] = {0x00400000, 0x70000000};
    const sima_a65_dequant_output output = SIMA_A65_DEQUANT_TO_F32;
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t i = 0; is_neon(family) && i < 4; ++i) {
            const float scale = float_from_bits(inside[i]);
            ck_assert_has(name_for(family, output, scale, 1000, 64), "_bias_powers_");
        }
        for (size_t i = 0; is_neon(family) && i < 2; ++i) {
            const float scale = float_from_bits(outside[i]);
            ck_assert_has(name_for(family, output, scale, 1000, 64), "_bias_any_");
        }
    }
}
END_TEST

START_TEST(r1_r2_r4_every_exponent_of_the_family_has_its_own_kernels)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        if (is_x86(family)) {
            continue;
        }
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
        if (is_x86(family)) {
            continue;
        }
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
        ck_assert_has(name_for(family, SIMA_A65_DEQUANT_TO_F32, 0.25f, 3, 16), scalar ? "_scalar"
                                                                               : is_x86(family)
                                                                                   ? "_overlap"
                                                                                   : "_whole");
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
        name_for(sima_a65_dequant_best_family(), SIMA_A65_DEQUANT_TO_F32, 0.0625f, 3, 33));
}
END_TEST

Suite *dispatch_suite(void)
{
    Suite *const suite = suite_create("dispatch");
    TCase *const tests = new_case(suite, "dispatch");
    const int families = (int)sima_a65_dequant_family_count;
    tcase_add_test(tests, r6_other_powers_of_two_end_where_their_kernels_do);
    tcase_add_test(tests, r1_r2_r4_every_exponent_of_the_family_has_its_own_kernels);
    tcase_add_test(tests, x86_powers_of_two_are_read_when_the_kernel_runs);
    tcase_add_test(tests, x86_other_scales);
    tcase_add_test(tests, r3_r5_other_scales_take_the_general_kernels);
    tcase_add_loop_test(tests, r6_every_selection_lies_in_the_kernels_domain, 0, families);
    tcase_add_loop_test(tests, r6_an_empty_span_selects_like_one_element, 0, families);
    tcase_add_test(tests, r4_r6_execution_classifies_nothing_again);
    tcase_add_test(tests, r7_short_spans_have_their_own_code);
    tcase_add_test(tests, r9_the_portable_family_is_in_every_build);
    tcase_add_test(tests, has_bias_is_the_plain_definition);
    tcase_add_test(tests, the_plan_names_the_kernel_of_the_best_family);
    return suite;
}
