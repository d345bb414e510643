/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses F1 and F2: each mode that would change a result is refused, and none is left changed. */

#define _GNU_SOURCE
#include "suites.h"

#include "control_word.h"
#include "fpenv.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

/* runtime/a65/fpenv.c compiled once more, for a machine that it knows nothing of. */
bool generic_fpenv_is_admitted(void);
const char *generic_fpenv_complaint(void);

typedef struct mode {
    const char *name;
    uint64_t set;       /* bits that must be set for the mode */
    uint64_t clear;     /* bits that must be clear */
    const char *blamed; /* a word of the message */
} mode;

static const mode bad_modes[] = {
#if defined(__aarch64__)
    {"towards plus infinity", UINT64_C(1) << 22, UINT64_C(2) << 22, "nearest"},
    {"towards minus infinity", UINT64_C(2) << 22, UINT64_C(1) << 22, "nearest"},
    {"towards zero", UINT64_C(3) << 22, 0, "nearest"},
    {"FZ", UINT64_C(1) << 24, 0, "-ffast-math"},
    {"FIZ", UINT64_C(1) << 0, 0, "-ffast-math"},
    {"AH", UINT64_C(1) << 1, 0, "alternate"},
    {"NEP", UINT64_C(1) << 2, 0, "alternate"},
    {"invalid trap", UINT64_C(1) << 8, 0, "traps"},
    {"division trap", UINT64_C(1) << 9, 0, "traps"},
    {"overflow trap", UINT64_C(1) << 10, 0, "traps"},
    {"underflow trap", UINT64_C(1) << 11, 0, "traps"},
    {"inexact trap", UINT64_C(1) << 12, 0, "traps"},
    {"denormal trap", UINT64_C(1) << 15, 0, "traps"},
#else
    {"towards plus infinity", 2u << 13, 1u << 13, "nearest"},
    {"towards minus infinity", 1u << 13, 2u << 13, "nearest"},
    {"towards zero", 3u << 13, 0, "nearest"},
    {"FTZ", 1u << 15, 0, "-ffast-math"},
    {"DAZ", 1u << 6, 0, "-ffast-math"},
    {"invalid trap", 0, 1u << 7, "traps"},
    {"denormal trap", 0, 1u << 8, "traps"},
    {"division trap", 0, 1u << 9, "traps"},
    {"overflow trap", 0, 1u << 10, "traps"},
    {"underflow trap", 0, 1u << 11, "traps"},
    {"inexact trap", 0, 1u << 12, "traps"},
#endif
};
enum { BAD_MODES = sizeof bad_modes / sizeof bad_modes[0] };

/* Modes that change no result of this operation. */
static const uint64_t harmless[] = {
#if defined(__aarch64__)
    UINT64_C(1) << 25, /* DN: which NaN */
    UINT64_C(1) << 26, /* AHP: another half precision */
    UINT64_C(1) << 19, /* FZ16: flushing in half precision */
#else
    0
#endif
};

enum { ELEMENTS = 100 };
static int8_t input[ELEMENTS];
static float output[ELEMENTS];

static sima_status execute(const sima_a65_dequant_plan *const plan, sima_error *const error)
{
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    return sima_a65_dequant_execute(plan, &from, 1, &to, 1, error);
}

static sima_a65_dequant_plan prepare(const int64_t elements)
{
    sample_request sample;
    sima_a65_dequant_plan plan;
    sample_init(&sample, elements, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    return plan;
}

static uint64_t mode_word(const mode *const bad, const uint64_t usual)
{
    return (usual | bad->set) & ~bad->clear;
}

/* Whether the machine lets the mode be set at all. */
static bool can_be_set(const mode *const bad, const uint64_t usual)
{
    control_word_write(mode_word(bad, usual));
    const bool held = control_word_read() == mode_word(bad, usual);
    control_word_write(usual);
    return held;
}

START_TEST(f1_f2_each_bad_mode_is_refused_and_kept)
{
    const sima_a65_dequant_plan plan = prepare(ELEMENTS);
    const uint64_t usual = control_word_read();
    size_t tried = 0;
    for (size_t i = 0; i < BAD_MODES; ++i) {
        if (!can_be_set(&bad_modes[i], usual)) {
            printf("this machine does not let one set: %s\n", bad_modes[i].name);
            continue;
        }
        sima_error error;
        memset(output, 0x5a, sizeof output);
        control_word_write(mode_word(&bad_modes[i], usual));
        const sima_status status = execute(&plan, &error);
        const uint64_t after = control_word_read();
        control_word_write(usual);
        ck_assert_msg(status == SIMA_UNSUPPORTED_ENVIRONMENT, "%s", bad_modes[i].name);
        ck_assert_msg(after == mode_word(&bad_modes[i], usual), "%s", bad_modes[i].name);
        ck_assert_int_eq(error.status, status);
        ck_assert_int_eq(error.port, SIMA_PORT_NONE);
        ck_assert_msg(strstr(error.message, bad_modes[i].blamed) != NULL, "%s: %s",
                      bad_modes[i].name, error.message);
        for (size_t byte = 0; byte < sizeof output; ++byte) {
            ck_assert_uint_eq(((const unsigned char *)output)[byte], 0x5a);
        }
        ck_assert_int_eq(execute(&plan, &error), SIMA_OK);
        ++tried;
    }
    printf("modes refused: %zu of %d\n", tried, (int)BAD_MODES);
#if defined(__aarch64__)
    ck_assert_uint_ge(tried, 4); /* three roundings and FZ are on every core */
#else
    ck_assert_uint_eq(tried, BAD_MODES);
#endif
}
END_TEST

START_TEST(f1_rounding_by_name)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const sima_a65_dequant_plan plan = prepare(ELEMENTS);
    for (size_t i = 0; i < 4; ++i) {
        fesetround(roundings[i]);
        const sima_status status = execute(&plan, NULL);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        ck_assert_int_eq(status, i == 0 ? SIMA_OK : SIMA_UNSUPPORTED_ENVIRONMENT);
        ck_assert_int_eq(after, roundings[i]);
    }
}
END_TEST

START_TEST(f1_harmless_modes_are_admitted)
{
    const sima_a65_dequant_plan plan = prepare(ELEMENTS);
    const uint64_t usual = control_word_read();
    float want[ELEMENTS];
    for (int i = 0; i < ELEMENTS; ++i) {
        input[i] = (int8_t)(i * 5 - 128);
    }
    ck_assert_int_eq(execute(&plan, NULL), SIMA_OK);
    memcpy(want, output, sizeof want);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; ++i) {
        control_word_write(usual | harmless[i]);
        const uint64_t before = control_word_read();
        const sima_status status = execute(&plan, NULL);
        const uint64_t after = control_word_read();
        control_word_write(usual);
        ck_assert_int_eq(status, SIMA_OK);
        ck_assert_uint_eq(before, after);
        ck_assert_mem_eq(output, want, sizeof want);
    }
}
END_TEST

START_TEST(f2_the_mode_is_kept_on_every_outcome)
{
    const sima_a65_dequant_plan plan = prepare(ELEMENTS);
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    const sima_host_buffer small = {output, 1};
    const uint64_t usual = control_word_read();
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    ck_assert_uint_eq(control_word_read(), usual);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &small, 1, NULL),
                     SIMA_BUFFER_TOO_SMALL);
    ck_assert_uint_eq(control_word_read(), usual);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 2, &to, 1, NULL), SIMA_INVALID_ARITY);
    ck_assert_uint_eq(control_word_read(), usual);
    ck_assert_int_eq(sima_a65_dequant_execute(NULL, &from, 1, &to, 1, NULL), SIMA_INVALID_ARGUMENT);
    ck_assert_uint_eq(control_word_read(), usual);
}
END_TEST

START_TEST(a4_an_empty_tensor_asks_nothing_of_the_mode)
{
    const sima_a65_dequant_plan plan = prepare(0);
    const uint64_t usual = control_word_read();
    control_word_write(mode_word(&bad_modes[0], usual));
    const sima_status status = sima_a65_dequant_execute(&plan, NULL, 1, NULL, 1, NULL);
    control_word_write(usual);
    ck_assert_int_eq(status, SIMA_OK);
}
END_TEST

START_TEST(f1_the_generic_check_agrees_and_leaves_no_trace)
{
    const uint64_t usual = control_word_read();
    feclearexcept(FE_ALL_EXCEPT);
    ck_assert(generic_fpenv_is_admitted());
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    feraiseexcept(FE_INVALID);
    ck_assert(generic_fpenv_is_admitted());
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
    for (size_t i = 0; i < BAD_MODES; ++i) {
        const bool trap = strcmp(bad_modes[i].blamed, "traps") == 0;
        const bool alternate = strcmp(bad_modes[i].blamed, "alternate") == 0;
        if (trap || alternate || !can_be_set(&bad_modes[i], usual)) {
            continue; /* traps: below, as the C library sets them */
        }
        control_word_write(mode_word(&bad_modes[i], usual));
        const bool admitted = generic_fpenv_is_admitted();
        const char *const complaint = generic_fpenv_complaint();
        const uint64_t after = control_word_read();
        control_word_write(usual);
        ck_assert_msg(!admitted, "%s", bad_modes[i].name);
        ck_assert_msg(after == mode_word(&bad_modes[i], usual), "%s", bad_modes[i].name);
        ck_assert_ptr_nonnull(strstr(complaint, bad_modes[i].blamed));
    }
}
END_TEST

START_TEST(f1_the_generic_check_sees_traps)
{
    feclearexcept(FE_ALL_EXCEPT);
    if (feenableexcept(FE_OVERFLOW) == -1 || (fegetexcept() & FE_OVERFLOW) == 0) {
        printf("this machine does not let one enable traps\n");
#if !defined(__aarch64__)
        ck_abort_msg("x86 always does");
#endif
        return;
    }
    const bool admitted = generic_fpenv_is_admitted();
    const bool native = sima_fpenv_is_admitted();
    const char *const complaint = generic_fpenv_complaint();
    fedisableexcept(FE_ALL_EXCEPT);
    ck_assert(!admitted);
    ck_assert(!native);
    ck_assert_ptr_nonnull(strstr(complaint, "traps"));
}
END_TEST

Suite *fpenv_suite(void)
{
    Suite *const suite = suite_create("fpenv");
    TCase *const tests = new_case(suite, "fpenv");
    tcase_add_test(tests, f1_f2_each_bad_mode_is_refused_and_kept);
    tcase_add_test(tests, f1_rounding_by_name);
    tcase_add_test(tests, f1_harmless_modes_are_admitted);
    tcase_add_test(tests, f2_the_mode_is_kept_on_every_outcome);
    tcase_add_test(tests, a4_an_empty_tensor_asks_nothing_of_the_mode);
    tcase_add_test(tests, f1_the_generic_check_agrees_and_leaves_no_trace);
    tcase_add_test(tests, f1_the_generic_check_sees_traps);
    return suite;
}
