/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses N1 to N5 through the public calls, and the reference itself. */

#include "suites.h"

#include "dequant_kernel.h"
#include "harness.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One element through admission, preparation and execution. */
static void convert(const int8_t input, const int32_t zero_point, const uint32_t scale_bits,
                    const sima_dtype output, void *const result, const size_t size)
{
    sample_request sample;
    sima_a65_dequant_plan plan;
    sample_init(&sample, 1, output, float_from_bits(scale_bits), zero_point);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    const sima_const_host_buffer from = {&input, 1};
    const sima_host_buffer to = {result, size};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
}

static uint32_t convert_f32(const int8_t input, const int32_t zero_point, const uint32_t scale_bits)
{
    uint32_t bits;
    convert(input, zero_point, scale_bits, SIMA_DTYPE_FLOAT32, &bits, sizeof bits);
    return bits;
}

static uint16_t convert_bf16(const int8_t input, const int32_t zero_point,
                             const uint32_t scale_bits)
{
    uint16_t word;
    convert(input, zero_point, scale_bits, SIMA_DTYPE_BFLOAT16, &word, sizeof word);
    return word;
}

static uint32_t bits_of(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

START_TEST(n2_large_zero_point_is_rounded_before_the_subtraction)
{
    ck_assert_uint_eq(convert_f32(1, 16777217, 0x3f800000), bits_of(-16777215.0f));
    ck_assert_uint_eq(convert_f32(1, 16777216, 0x3f800000), bits_of(-16777215.0f));
    ck_assert_uint_eq(convert_f32(1, 16777219, 0x3f800000), bits_of(-16777220.0f));
}
END_TEST

START_TEST(n4_bf16_is_rounded_from_the_rounded_product)
{
    ck_assert_uint_eq(convert_f32(127, -123, 0x4037ced9), bits_of(718.0f));
    ck_assert_uint_eq(convert_bf16(127, -123, 0x4037ced9), 0x4434);
}
END_TEST

/* The worked examples at lengths that reach each tail, each remainder and the longest bodies. */
enum { LONG = 2063 };

static void convert_many(const int8_t value, const int32_t zero_point, const uint32_t scale_bits,
                         const sima_dtype dtype, const size_t count, void *const results,
                         const size_t size)
{
    static int8_t input[LONG];
    sample_request sample;
    sima_a65_dequant_plan plan;
    memset(input, value, count);
    sample_init(&sample, (int64_t)count, dtype, float_from_bits(scale_bits), zero_point);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    const sima_const_host_buffer from = {input, count};
    const sima_host_buffer to = {results, size};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
}

START_TEST(n2_n4_n6_the_worked_examples_at_every_length)
{
    static uint32_t f32[LONG];
    static uint16_t bf16[LONG];
    for (size_t count = 1; count <= LONG; count += count < 80 ? 1 : count == 80 ? 1968 : 5) {
        convert_many(1, 16777217, 0x3f800000, SIMA_DTYPE_FLOAT32, count, f32, sizeof f32);
        convert_many(127, -123, 0x4037ced9, SIMA_DTYPE_BFLOAT16, count, bf16, sizeof bf16);
        for (size_t i = 0; i < count; ++i) {
            ck_assert_msg(f32[i] == bits_of(-16777215.0f), "%zu of %zu: 0x%08x", i, count, f32[i]);
            ck_assert_msg(bf16[i] == 0x4434, "%zu of %zu: 0x%04x", i, count, bf16[i]);
        }
        convert_many(127, -123, 0x4037ced9, SIMA_DTYPE_FLOAT32, count, f32, sizeof f32);
        for (size_t i = 0; i < count; ++i) {
            ck_assert_msg(f32[i] == bits_of(718.0f), "%zu of %zu: 0x%08x", i, count, f32[i]);
        }
    }
}
END_TEST

START_TEST(n3_overflow_is_a_signed_infinity)
{
    ck_assert_uint_eq(convert_f32(127, -128, 0x7f7fffff), 0x7f800000);
    ck_assert_uint_eq(convert_f32(-128, 127, 0x7f7fffff), 0xff800000);
    ck_assert_uint_eq(convert_bf16(127, -128, 0x7f7fffff), 0x7f80);
    ck_assert_uint_eq(convert_bf16(-128, 127, 0x7f7fffff), 0xff80);
    /* Finite in FP32, beyond the largest BF16. */
    ck_assert_uint_eq(convert_f32(1, 0, 0x7f7fffff), 0x7f7fffff);
    ck_assert_uint_eq(convert_bf16(1, 0, 0x7f7fffff), 0x7f80);
}
END_TEST

START_TEST(n3_subnormals_are_kept)
{
    ck_assert_uint_eq(convert_f32(3, 0, 0x00000001), 0x00000003);
    ck_assert_uint_eq(convert_f32(-3, 0, 0x00000001), 0x80000003);
    ck_assert_uint_eq(convert_bf16(3, 0, 0x00010000), 0x0003);
    ck_assert_uint_eq(convert_bf16(-1, 0, 0x00008000), 0x8000); /* a tie, to even: -0 */
    ck_assert_uint_eq(convert_bf16(3, 0, 0x00008000), 0x0002);
    ck_assert_uint_eq(convert_bf16(-1, 0, 0x00000001), 0x8000);
}
END_TEST

START_TEST(n3_input_equal_to_zero_point_gives_positive_zero)
{
    const uint32_t scales[] = {0x00000001, 0x3d800000, 0x3f800000, 0x40490fdb, 0x7f7fffff};
    for (int value = -128; value < 128; ++value) {
        for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
            ck_assert_uint_eq(convert_f32((int8_t)value, value, scales[i]), 0);
            ck_assert_uint_eq(convert_bf16((int8_t)value, value, scales[i]), 0);
        }
    }
}
END_TEST

START_TEST(n5_no_result_is_a_nan)
{
    random_state random = {test_seed};
    for (int i = 0; i < 20000; ++i) {
        const uint32_t scale = 1 + random_below(&random, 0x7f7fffff);
        const int32_t zero_point = (int32_t)random_next(&random);
        const uint32_t bits = convert_f32((int8_t)random_next(&random), zero_point, scale);
        ck_assert_uint_le(bits & 0x7fffffff, 0x7f800000);
    }
}
END_TEST

/* The staged expression in C, kept from being folded or merged. */
static uint32_t staged_by_hardware(const int8_t input, const int32_t zero_point,
                                   const uint32_t scale_bits)
{
    const volatile float converted = (float)zero_point;
    const volatile float difference = (float)input - converted;
    const volatile float result = difference * float_from_bits(scale_bits);
    return bits_of(result);
}

START_TEST(n1_reference_is_the_staged_expression)
{
    random_state random = {test_seed};
    for (int i = 0; i < 200000; ++i) {
        const int8_t input = (int8_t)random_next(&random);
        const int32_t zero_point =
            (int32_t)random_next(&random) >> random_below(&random, 32); /* all magnitudes */
        const uint32_t scale = 1 + random_below(&random, 0x7f7fffff);
        ck_assert_uint_eq(reference_f32(input, zero_point, scale),
                          staged_by_hardware(input, zero_point, scale));
    }
}
END_TEST

/* Arguments that no compiler can see through, in one expression that an FMA would round once. */
static float multiply_and_subtract(const volatile float *const values)
{
    const float a = values[0];
    const float b = values[1];
    const float c = values[2];
    return a * b - c;
}

/* This program is compiled as the library is. (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24: the last term is
 * lost when the product is rounded, and only then. */
START_TEST(n1_r10_the_build_does_not_contract)
{
    const volatile float values[] = {0x1.001p0f, 0x1.001p0f, 0x1.002p0f};
    ck_assert_uint_eq(bits_of(multiply_and_subtract(values)), 0);
}
END_TEST

/* The staged expression, told from its neighbours: fused, and with the scale multiplied out. */
START_TEST(n1_reference_is_neither_fused_nor_reassociated)
{
    const float scale = 0.1f;
    size_t fused = 0;
    size_t multiplied_out = 0;
    for (int x = -128; x < 128; ++x) {
        for (int zero_point = -128; zero_point < 128; ++zero_point) {
            const volatile float scaled_input = (float)x * scale;
            const volatile float scaled_zero_point = (float)zero_point * scale;
            const volatile float difference = scaled_input - scaled_zero_point;
            const float once = fmaf((float)x, scale, -scaled_zero_point);
            const uint32_t staged = reference_f32((int8_t)x, zero_point, bits_of(scale));
            fused += bits_of(once) != staged;
            multiplied_out += bits_of(difference) != staged;
        }
    }
    printf("0.1: of 65536 results %zu differ when fused, %zu when multiplied out\n", fused,
           multiplied_out);
    ck_assert_uint_gt(fused, 1000);
    ck_assert_uint_gt(multiplied_out, 1000);
}
END_TEST

START_TEST(n4_reference_narrows_ties_to_even)
{
    ck_assert_uint_eq(reference_narrow(0x3f808000), 0x3f80);
    ck_assert_uint_eq(reference_narrow(0x3f818000), 0x3f82);
    ck_assert_uint_eq(reference_narrow(0x3f808001), 0x3f81);
    ck_assert_uint_eq(reference_narrow(0x3f80ffff), 0x3f81);
    ck_assert_uint_eq(reference_narrow(0x7f7fffff), 0x7f80);
    ck_assert_uint_eq(reference_narrow(0xff800000), 0xff80);
    ck_assert_uint_eq(reference_narrow(0x80000001), 0x8000);
}
END_TEST

Suite *numbers_suite(void)
{
    Suite *const suite = suite_create("numbers");
    TCase *const tests = new_case(suite, "numbers");
    tcase_add_test(tests, n1_reference_is_the_staged_expression);
    tcase_add_test(tests, n1_r10_the_build_does_not_contract);
    tcase_add_test(tests, n1_reference_is_neither_fused_nor_reassociated);
    tcase_add_test(tests, n2_large_zero_point_is_rounded_before_the_subtraction);
    tcase_add_test(tests, n3_overflow_is_a_signed_infinity);
    tcase_add_test(tests, n3_subnormals_are_kept);
    tcase_add_test(tests, n3_input_equal_to_zero_point_gives_positive_zero);
    tcase_add_test(tests, n4_bf16_is_rounded_from_the_rounded_product);
    tcase_add_test(tests, n2_n4_n6_the_worked_examples_at_every_length);
    tcase_add_test(tests, n4_reference_narrows_ties_to_even);
    tcase_add_test(tests, n5_no_result_is_a_nan);
    return suite;
}
