/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of the tests: wrong kernels of each kind, every one of which the harness must catch. */

#include "suites.h"

#include "control_word.h"
#include "harness.h"

#include <math.h>
#include <string.h>

#define WRONG_KERNEL(name)                                                                         \
    static void name(const int8_t *const input, void *const output, const size_t count,            \
                     const sima_a65_dequant_operands *const operands)

static float staged(const int8_t input, const sima_a65_dequant_operands *const operands)
{
    const volatile float difference = (float)input - (float)operands->zero_point;
    return difference * operands->scale;
}

static uint32_t bits_of(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

WRONG_KERNEL(right_f32)
{
    float *const results = output;
    for (size_t i = 0; i < count; ++i) {
        results[i] = staged(input[i], operands);
    }
}

WRONG_KERNEL(right_bf16)
{
    uint16_t *const results = output;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t bits = bits_of(staged(input[i], operands));
        results[i] = (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
}

WRONG_KERNEL(fuses)
{
    float *const results = output;
    const float offset = -(float)operands->zero_point * operands->scale;
    for (size_t i = 0; i < count; ++i) {
        results[i] = fmaf((float)input[i], operands->scale, offset);
    }
}

WRONG_KERNEL(subtracts_integers)
{
    float *const results = output;
    for (size_t i = 0; i < count; ++i) {
        results[i] = (float)((int64_t)input[i] - operands->zero_point) * operands->scale;
    }
}

WRONG_KERNEL(flushes_subnormals)
{
    float *const results = output;
    right_f32(input, output, count, operands);
    for (size_t i = 0; i < count; ++i) {
        if ((bits_of(results[i]) & 0x7f800000) == 0) {
            results[i] = 0.0f;
        }
    }
}

WRONG_KERNEL(truncates)
{
    uint16_t *const results = output;
    for (size_t i = 0; i < count; ++i) {
        results[i] = (uint16_t)(bits_of(staged(input[i], operands)) >> 16);
    }
}

WRONG_KERNEL(rounds_halves_up)
{
    uint16_t *const results = output;
    for (size_t i = 0; i < count; ++i) {
        results[i] = (uint16_t)((bits_of(staged(input[i], operands)) + 0x8000) >> 16);
    }
}

WRONG_KERNEL(rounds_halves_down)
{
    uint16_t *const results = output;
    for (size_t i = 0; i < count; ++i) {
        results[i] = (uint16_t)((bits_of(staged(input[i], operands)) + 0x7fff) >> 16);
    }
}

WRONG_KERNEL(reads_one_past_the_end)
{
    const volatile int8_t *const watched = input;
    right_f32(input, output, count, operands);
    (void)watched[count];
}

WRONG_KERNEL(reads_one_before_the_start)
{
    const volatile int8_t *const watched = input;
    right_f32(input, output, count, operands);
    (void)watched[-1];
}

WRONG_KERNEL(writes_one_past_the_end)
{
    right_f32(input, output, count, operands);
    ((volatile unsigned char *)output)[count * sizeof(float)] = 0;
}

WRONG_KERNEL(writes_one_before_the_start)
{
    right_f32(input, output, count, operands);
    ((volatile unsigned char *)output)[-1] = 0;
}

WRONG_KERNEL(leaves_the_last_one_out)
{
    right_f32(input, output, count - 1, operands);
}

WRONG_KERNEL(writes_to_its_input)
{
    right_f32(input, output, count, operands);
    ((volatile int8_t *)(uintptr_t)input)[0] ^= 1;
}

WRONG_KERNEL(changes_the_mode)
{
    right_f32(input, output, count, operands);
#if defined(__aarch64__)
    control_word_write(control_word_read() ^ (UINT64_C(1) << 24));
#else
    control_word_write(control_word_read() ^ (1u << 15));
#endif
}

#if defined(__aarch64__)
WRONG_KERNEL(clobbers_d8)
{
    right_f32(input, output, count, operands);
    __asm__ volatile("fmov d8, xzr");
}

WRONG_KERNEL(clobbers_d15)
{
    right_f32(input, output, count, operands);
    __asm__ volatile("fmov d15, xzr");
}

/* Written without C around it, which would save the register. Writes nothing else. */
__asm__(".text\n"
        ".p2align 2\n"
        "clobbers_general_register:\n"
        "    mov x19, #0\n"
        "    ret\n");
#else
__asm__(".text\n"
        "clobbers_general_register:\n"
        "    xorl %ebx, %ebx\n"
        "    ret\n");
#endif
extern void clobbers_general_register(const int8_t *input, void *output, size_t count,
                                      const sima_a65_dequant_operands *operands);

/* Reads a vector where one element was asked for: right in its results, wrong at a page's end. */
WRONG_KERNEL(reads_a_vector_at_the_tail)
{
    const volatile int8_t *const watched = input;
    right_f32(input, output, count, operands);
    (void)watched[(count + 15) / 16 * 16 - 1];
}

/* What it writes beyond the span it puts back: only a guard page can tell. */
WRONG_KERNEL(writes_past_the_end_and_restores)
{
    volatile unsigned char *const past = (unsigned char *)output + count * sizeof(float);
    right_f32(input, output, count, operands);
    const unsigned char kept = *past;
    *past = (unsigned char)~kept;
    *past = kept;
}

/* The vector body is right, the remainder is not. */
WRONG_KERNEL(subtracts_integers_in_the_remainder)
{
    const size_t blocks = count / 16 * 16;
    float *const results = output;
    right_f32(input, output, blocks, operands);
    subtracts_integers(input + blocks, results + blocks, count - blocks, operands);
}

/* A wrong kernel, and how it is called. */
typedef struct trial {
    sima_a65_dequant_span_fn run;
    sima_a65_dequant_result result;
    uint32_t scale;
    int32_t zero_point;
    placement place;
    size_t count;
    size_t first;
} trial;

static verdict judge_trial(const trial of)
{
    const harness watch = harness_open();
    const sima_a65_dequant_operands operands = {float_from_bits(of.scale), of.zero_point, 0};
    expected table;
    expected_fill(&table, of.zero_point, of.scale);
    const verdict outcome = harness_call(watch, of.run, of.result, &operands, &table, of.count,
                                         of.first, of.place, 64, 64);
    harness_close(watch);
    return outcome;
}

static verdict judge_span(const sima_a65_dequant_span_fn run, const sima_a65_dequant_result result,
                          const uint32_t scale, const int32_t zero_point, const placement place,
                          const size_t count)
{
    return judge_trial((trial){run, result, scale, zero_point, place, count, 0});
}

static verdict judge(const sima_a65_dequant_span_fn run, const sima_a65_dequant_result result,
                     const uint32_t scale, const int32_t zero_point, const placement place)
{
    return judge_span(run, result, scale, zero_point, place, 256);
}

#define F32 SIMA_A65_DEQUANT_F32
#define BF16 SIMA_A65_DEQUANT_BF16_EVEN

START_TEST(right_kernels_pass)
{
    ck_assert_int_eq(judge(right_f32, F32, 0x3dcccccd, 3, PLACE_AT_END), VERDICT_OK);
    ck_assert_int_eq(judge(right_f32, F32, 0x00000001, 3, PLACE_AT_START), VERDICT_OK);
    ck_assert_int_eq(judge(right_bf16, BF16, 0x3f808000, 0, PLACE_AT_END), VERDICT_OK);
}
END_TEST

START_TEST(wrong_arithmetic_is_caught)
{
    static const struct {
        sima_a65_dequant_span_fn run;
        sima_a65_dequant_result result;
        uint32_t scale;
        int32_t zero_point;
    } cases[] = {
        {fuses, F32, 0x3dcccccd, 3},
        {subtracts_integers, F32, 0x3f800000, 16777217},
        {flushes_subnormals, F32, 0x00000001, 0},
        {truncates, BF16, 0x3f80ffff, 0},
        {rounds_halves_up, BF16, 0x3f808000, 0},
        {rounds_halves_down, BF16, 0x3f818000, 0},
        {leaves_the_last_one_out, F32, 0x3f800000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ck_assert_int_eq(
            judge(cases[i].run, cases[i].result, cases[i].scale, cases[i].zero_point, PLACE_AT_END),
            VERDICT_WRONG_RESULT);
    }
}
END_TEST

START_TEST(a_wrong_remainder_is_caught)
{
    for (size_t count = 240; count <= 255; ++count) {
        ck_assert_int_eq(judge_span(subtracts_integers_in_the_remainder, F32, 0x3f800000, 16777217,
                                    PLACE_AT_END, count),
                         count == 240 ? VERDICT_OK : VERDICT_WRONG_RESULT);
    }
}
END_TEST

/* At each length, whether or not the inputs begin anew before the last one. */
START_TEST(the_last_element_is_always_compared)
{
    for (size_t count = 1; count <= 80; ++count) {
        const size_t firsts[] = {0, 5, 256 - count, 257 - count};
        for (size_t i = 0; i < 4; ++i) {
            trial of = {right_f32, F32, 0x3dcccccd, 3, PLACE_AT_END, count, firsts[i]};
            ck_assert_int_eq(judge_trial(of), VERDICT_OK);
            of.run = leaves_the_last_one_out;
            ck_assert_int_eq(judge_trial(of), VERDICT_WRONG_RESULT);
        }
    }
}
END_TEST

START_TEST(access_outside_is_caught)
{
    ck_assert_int_eq(judge(reads_one_past_the_end, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(reads_one_before_the_start, F32, 0x3f800000, 0, PLACE_AT_START),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(writes_one_past_the_end, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(writes_one_before_the_start, F32, 0x3f800000, 0, PLACE_AT_START),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(writes_one_past_the_end, F32, 0x3f800000, 0, PLACE_AT_OFFSET),
                     VERDICT_WROTE_OUTSIDE);
    ck_assert_int_eq(judge(writes_one_before_the_start, F32, 0x3f800000, 0, PLACE_AT_OFFSET),
                     VERDICT_WROTE_OUTSIDE);
    ck_assert_int_eq(judge_span(reads_a_vector_at_the_tail, F32, 0x3f800000, 0, PLACE_AT_END, 251),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(writes_past_the_end_and_restores, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_FAULT);
    ck_assert_int_eq(judge(writes_to_its_input, F32, 0x3f800000, 0, PLACE_AT_OFFSET),
                     VERDICT_WROTE_INPUT);
}
END_TEST

START_TEST(changed_state_is_caught)
{
    ck_assert_int_eq(judge(changes_the_mode, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_CHANGED_MODE);
    ck_assert_int_eq(judge(clobbers_general_register, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_CLOBBERED_REGISTER);
#if defined(__aarch64__)
    ck_assert_int_eq(judge(clobbers_d8, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_CLOBBERED_REGISTER);
    ck_assert_int_eq(judge(clobbers_d15, F32, 0x3f800000, 0, PLACE_AT_END),
                     VERDICT_CLOBBERED_REGISTER);
#endif
}
END_TEST

Suite *harness_suite(void)
{
    Suite *const suite = suite_create("harness");
    TCase *const tests = new_case(suite, "harness");
    tcase_add_test(tests, right_kernels_pass);
    tcase_add_test(tests, wrong_arithmetic_is_caught);
    tcase_add_test(tests, a_wrong_remainder_is_caught);
    tcase_add_test(tests, the_last_element_is_always_compared);
    tcase_add_test(tests, access_outside_is_caught);
    tcase_add_test(tests, changed_state_is_caught);
    return suite;
}
