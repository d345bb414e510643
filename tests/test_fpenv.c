/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses A4, F1, F2 and F3: each mode that would change a result is refused, and none is left
 * changed. */

#define _GNU_SOURCE
#include "suites.h"

#include "control_word.h"
#include "fpenv.h"

#include <fenv.h>
#include <pthread.h>
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

static const uint64_t harmless[] = CONTROL_WORD_HARMLESS;

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
    return control_word_holds(mode_word(bad, usual));
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
        if (!control_word_holds(usual | harmless[i])) {
            printf("this machine does not let one set 0x%llx\n", (unsigned long long)harmless[i]);
            continue;
        }
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

/* ---- every outcome in every mode ---- */

/* Everything that calls need, made ready in the usual mode. */
typedef struct call_room {
    sima_a65_dequant_plan plan;
    sima_a65_dequant_plan bf16;
    sima_a65_dequant_plan strided;
    sima_a65_dequant_plan empty;
    sima_a65_dequant_plan zeroed;
    sima_a65_dequant_plan filled;
    sima_a65_dequant_plan tie_free; /* long enough for the proof about BF16 midpoints */
    sima_a65_dequant_plan filled_tie_free;
    sima_dequant_plan shared;
    sample_request good;
    sample_request long_bf16;
    sample_request bad_scale;
    sample_request bad_shape;
} call_room;

static call_room room;

static void make_strided(sima_a65_dequant_plan *const plan)
{
    sample_request sample;
    sample_init(&sample, ELEMENTS / 2, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    sample.input.layout = SIMA_LAYOUT_STRIDED;
    sample.input.stride[0] = 2;
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, plan, NULL), SIMA_OK);
}

static void sample_with_bits(sample_request *const sample, const sima_dtype dtype,
                             const uint32_t scale_bits)
{
    sample_init(sample, ELEMENTS, dtype, 0.1f, 3);
    memcpy(&sample->request.params.scale, &scale_bits, sizeof scale_bits);
}

static void make_room(void)
{
    memset(&room, 0, sizeof room);
    room.plan = prepare(ELEMENTS);
    room.empty = prepare(0);
    make_strided(&room.strided);
    sample_with_bits(&room.good, SIMA_DTYPE_BFLOAT16, 0x00000003);
    sample_with_bits(&room.bad_scale, SIMA_DTYPE_FLOAT32, 0x7f800001);
    sample_with_bits(&room.bad_shape, SIMA_DTYPE_FLOAT32, 0x3dcccccd);
    room.bad_shape.output.extent[0] = ELEMENTS + 1;
    ck_assert_int_eq(sima_a65_dequant_check_inference(&room.good.request, &room.bf16, NULL),
                     SIMA_OK);
    ck_assert_int_eq(sima_dequant_check_inference(&room.good.request, &room.shared, NULL), SIMA_OK);
    sample_init(&room.long_bf16, 4096, SIMA_DTYPE_BFLOAT16, 0.1f, 3);
    ck_assert_int_eq(
        sima_a65_dequant_check_inference(&room.long_bf16.request, &room.tie_free, NULL), SIMA_OK);
}

static sima_status run_plan(const sima_a65_dequant_plan *const plan)
{
    return execute(plan, NULL);
}

static sima_status run_buffers(const void *const data, const size_t size, void *const results,
                               const size_t results_size)
{
    const sima_const_host_buffer from = {data, size};
    const sima_host_buffer to = {results, results_size};
    return sima_a65_dequant_execute(&room.plan, &from, 1, &to, 1, NULL);
}

static sima_status run_counts(const size_t inputs, const size_t outputs)
{
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    return sima_a65_dequant_execute(&room.plan, &from, inputs, &to, outputs, NULL);
}

/* One call for each way out of the library. Those that compute say OK here. */
enum { COMPUTING = 3, OUTCOMES = 21 };

static sima_status call_for(const int outcome)
{
    switch (outcome) {
    case 0:
        return run_plan(&room.plan);
    case 1:
        return run_plan(&room.bf16);
    case 2:
        return run_plan(&room.strided);
    case 3:
        return run_plan(&room.empty);
    case 4:
        return run_plan(NULL);
    case 5:
        return run_plan(&room.zeroed);
    case 6:
        return sima_a65_dequant_execute(&room.plan, NULL, 1, NULL, 1, NULL);
    case 7:
        return run_counts(2, 1);
    case 8:
        return run_counts(1, 0);
    case 9:
        return run_buffers(NULL, sizeof input, output, sizeof output);
    case 10:
        return run_buffers(input, sizeof input - 1, output, sizeof output);
    case 11:
        return run_buffers(input, sizeof input, (char *)output + 1, sizeof output);
    case 12:
        return run_buffers(input, SIZE_MAX, output, sizeof output);
    case 13:
        return run_buffers(output, sizeof input, output, sizeof output);
    case 14:
        return sima_a65_dequant_check_inference(&room.good.request, &room.filled, NULL);
    case 15:
        return sima_a65_dequant_check_inference(&room.bad_scale.request, &room.filled, NULL);
    case 16:
        return sima_a65_dequant_check_inference(&room.bad_shape.request, &room.filled, NULL);
    case 17:
        return sima_dequant_check_inference(&room.bad_scale.request, &room.shared, NULL);
    case 18:
        return sima_dequant_check_inference(&room.good.request, &room.shared, NULL);
    case 19: /* after 18: the shared plan is admitted */
        return sima_a65_dequant_prepare(&room.shared, &room.filled, NULL);
    default:
        return sima_a65_dequant_check_inference(&room.long_bf16.request, &room.filled_tie_free,
                                                NULL);
    }
}

static const sima_status wanted[OUTCOMES] = {SIMA_OK,
                                             SIMA_OK,
                                             SIMA_OK,
                                             SIMA_OK,
                                             SIMA_INVALID_ARGUMENT,
                                             SIMA_INVALID_ARGUMENT,
                                             SIMA_INVALID_ARGUMENT,
                                             SIMA_INVALID_ARITY,
                                             SIMA_INVALID_ARITY,
                                             SIMA_NULL_BUFFER,
                                             SIMA_BUFFER_TOO_SMALL,
                                             SIMA_MISALIGNED_BUFFER,
                                             SIMA_ADDRESS_OVERFLOW,
                                             SIMA_OVERLAPPING_BUFFERS,
                                             SIMA_OK,
                                             SIMA_INVALID_PARAMETER,
                                             SIMA_SHAPE_MISMATCH,
                                             SIMA_INVALID_PARAMETER,
                                             SIMA_OK,
                                             SIMA_OK,
                                             SIMA_OK};

/* In a mode that is refused, nothing is computed: no flag is raised, and no trap springs. */
static void check_outcomes(const char *const name, const uint64_t word, const bool refused)
{
    const uint64_t usual = control_word_read();
    for (int outcome = 0; outcome < OUTCOMES; ++outcome) {
        const bool computes = outcome < COMPUTING;
        const sima_status want =
            refused && computes ? SIMA_UNSUPPORTED_ENVIRONMENT : wanted[outcome];
        control_word_write(word);
        control_word_clear_flags();
        const sima_status status = call_for(outcome);
        const uint64_t after = control_word_read();
        const uint64_t flags = control_word_flags();
        control_word_write(usual);
        ck_assert_msg(status == want, "%s, outcome %d: %s", name, outcome,
                      sima_status_name(status));
        ck_assert_msg(after == word, "%s, outcome %d: left 0x%llx", name, outcome,
                      (unsigned long long)after);
        ck_assert_msg((computes && !refused) || flags == 0, "%s, outcome %d: raised 0x%llx", name,
                      outcome, (unsigned long long)flags);
    }
    /* Prepared in that mode, the plans are those of the usual mode. */
    ck_assert_mem_eq(&room.filled, &room.bf16, sizeof room.bf16);
    ck_assert_mem_eq(&room.filled_tie_free, &room.tie_free, sizeof room.tie_free);
}

START_TEST(f2_f3_the_mode_is_kept_and_no_flag_raised_on_every_outcome)
{
    const uint64_t usual = control_word_read();
    size_t tried = 0;
    make_room();
    check_outcomes("usual", usual, false);
    for (size_t i = 0; i < BAD_MODES; ++i) {
        if (can_be_set(&bad_modes[i], usual)) {
            check_outcomes(bad_modes[i].name, mode_word(&bad_modes[i], usual), true);
            ++tried;
        } else {
            printf("this machine does not let one set: %s\n", bad_modes[i].name);
        }
    }
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; ++i) {
        if (control_word_holds(usual | harmless[i])) {
            check_outcomes("harmless", usual | harmless[i], false);
        }
    }
    printf("outcomes: %d in each of %zu of %d refused modes\n", (int)OUTCOMES, tried,
           (int)BAD_MODES);
    ck_assert_uint_ge(tried, 4);
}
END_TEST

/* The mode is the calling thread's: another one's does not matter. */
static void *execute_while_flushing(void *const plan)
{
    const uint64_t usual = control_word_read();
    control_word_write(mode_word(&bad_modes[3], usual));
    const sima_status status = execute(plan, NULL);
    const uint64_t after = control_word_read();
    control_word_write(usual);
    return status == SIMA_UNSUPPORTED_ENVIRONMENT && after == mode_word(&bad_modes[3], usual)
               ? plan
               : NULL;
}

START_TEST(f1_the_mode_is_that_of_the_calling_thread)
{
    sima_a65_dequant_plan plan = prepare(ELEMENTS);
    pthread_t thread;
    void *result;
    ck_assert_int_eq(pthread_create(&thread, NULL, execute_while_flushing, &plan), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, &plan);
    ck_assert_int_eq(execute(&plan, NULL), SIMA_OK);
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
    tcase_add_test(tests, f2_f3_the_mode_is_kept_and_no_flag_raised_on_every_outcome);
    tcase_add_test(tests, f1_the_mode_is_that_of_the_calling_thread);
    tcase_add_test(tests, f1_the_generic_check_agrees_and_leaves_no_trace);
    tcase_add_test(tests, f1_the_generic_check_sees_traps);
    return suite;
}
