/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses E1 to E4, F1 and F2 where a library is least expected: in signal handlers, in the midst
 * of another call, in threads of different modes, and at the end of the address space. */

#define _DEFAULT_SOURCE
#include "suites.h"

#include "control_word.h"
#include "reference.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { ELEMENTS = 40, LONG = 40000 };

static sima_a65_dequant_plan plan_for(const int64_t elements)
{
    sima_a65_dequant_plan plan;
    sample_request sample;
    sample_init(&sample, elements, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    return plan;
}

/* A call's own storage, and whether it holds the results of the definition. */
typedef struct room {
    sima_a65_dequant_plan plan;
    int8_t input[ELEMENTS];
    float output[ELEMENTS];
} room;

static void room_init(room *const own)
{
    own->plan = plan_for(ELEMENTS);
    for (int i = 0; i < ELEMENTS; ++i) {
        own->input[i] = (int8_t)(i * 7 - 128);
    }
    memset(own->output, 0x77, sizeof own->output);
}

static sima_status room_execute(room *const own)
{
    const sima_const_host_buffer from = {own->input, sizeof own->input};
    const sima_host_buffer to = {own->output, sizeof own->output};
    return sima_a65_dequant_execute(&own->plan, &from, 1, &to, 1, NULL);
}

static bool room_is_right(const room *const own)
{
    const float value = 0.1f;
    uint32_t scale;
    memcpy(&scale, &value, sizeof scale);
    for (int i = 0; i < ELEMENTS; ++i) {
        const uint32_t want = reference_f32(own->input[i], 3, scale);
        if (memcmp(&own->output[i], &want, sizeof want) != 0) {
            return false;
        }
    }
    return true;
}

static bool room_is_untouched(const room *const own)
{
    for (size_t i = 0; i < sizeof own->output; ++i) {
        if (((const unsigned char *)own->output)[i] != 0x77) {
            return false;
        }
    }
    return true;
}

/* ---- signal handlers ---- */

static room handled;
static volatile sig_atomic_t handler_calls;
static volatile sig_atomic_t handler_faults;

/* A handler's mode is the kernel's choice or the interrupted thread's: whichever it is decides, and
 * stays. */
static void execute_in_handler(const int signal_number)
{
    (void)signal_number;
    const bool nearest = fegetround() == FE_TONEAREST;
    const uint64_t before = control_word_read();
    memset(handled.output, 0x77, sizeof handled.output);
    const sima_status status = room_execute(&handled);
    const bool as_it_should =
        nearest ? status == SIMA_OK && room_is_right(&handled)
                : status == SIMA_UNSUPPORTED_ENVIRONMENT && room_is_untouched(&handled);
    handler_faults += !as_it_should || control_word_read() != before;
    ++handler_calls;
}

static void handle(const int signal_number)
{
    struct sigaction action = {.sa_handler = execute_in_handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(sigaction(signal_number, &action, NULL), 0);
    room_init(&handled);
    handler_calls = handler_faults = 0;
}

START_TEST(e3_a_signal_handler_may_execute)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    handle(SIGUSR1);
    for (int i = 0; i < 3; ++i) {
        fesetround(roundings[i]);
        const uint64_t before = control_word_read();
        raise(SIGUSR1);
        /* cppcheck takes raise() for a function that does not return. */
        /* cppcheck-suppress unreachableCode */
        const uint64_t after = control_word_read();
        fesetround(FE_TONEAREST);
        ck_assert_uint_eq(after, before);
    }
    ck_assert_int_eq(handler_calls, 3);
    ck_assert_int_eq(handler_faults, 0);
}
END_TEST

/* One plan, interrupted in the midst of it by a call of the same functions. */
START_TEST(e3_a_call_may_be_interrupted_by_another)
{
    static int8_t input[LONG];
    static float output[LONG];
    static float want[LONG];
    const sima_a65_dequant_plan plan = plan_for(LONG);
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    const sima_host_buffer wanted = {want, sizeof want};
    const struct itimerval often = {{0, 200}, {0, 200}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    for (int i = 0; i < LONG; ++i) {
        input[i] = (int8_t)(i % 256 - 128);
    }
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &wanted, 1, NULL), SIMA_OK);
    handle(SIGALRM);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    int differences = 0;
    for (int turn = 0; turn < 100000 && handler_calls < 50; ++turn) {
        memset(output, 0, sizeof output);
        differences += sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL) != SIMA_OK;
        differences += memcmp(output, want, sizeof want) != 0;
    }
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
    ck_assert_int_eq(differences, 0);
    ck_assert_int_ge(handler_calls, 50);
    ck_assert_int_eq(handler_faults, 0);
}
END_TEST

/* ---- threads of different modes share a plan ---- */

enum { THREADS = 6, TURNS = 300 };

static sima_a65_dequant_plan shared;

typedef struct worker {
    int rounding;
    int faults;
} worker;

static void *work(void *const argument)
{
    worker *const self = argument;
    room own;
    room_init(&own);
    for (int turn = 0; turn < TURNS; ++turn) {
        const sima_const_host_buffer from = {own.input, sizeof own.input};
        const sima_host_buffer to = {own.output, sizeof own.output};
        memset(own.output, 0x77, sizeof own.output);
        fesetround(self->rounding);
        const sima_status status = sima_a65_dequant_execute(&shared, &from, 1, &to, 1, NULL);
        self->faults += fegetround() != self->rounding;
        fesetround(FE_TONEAREST);
        self->faults += self->rounding == FE_TONEAREST
                            ? status != SIMA_OK || !room_is_right(&own)
                            : status != SIMA_UNSUPPORTED_ENVIRONMENT || !room_is_untouched(&own);
    }
    return NULL;
}

START_TEST(f1_each_thread_answers_for_its_own_mode)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    shared = plan_for(ELEMENTS);
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){i % 2 == 0 ? FE_TONEAREST : i % 3 == 0 ? FE_UPWARD : FE_DOWNWARD, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(workers[i].faults, 0);
    }
}
END_TEST

/* ---- the last bytes of the address space ---- */

/* A buffer may end at the last address and not past it. That it is taken for good shows in the next
 * check's refusal: nothing is accessed. */
START_TEST(e1_a_buffer_may_end_where_addresses_end)
{
    const sima_a65_dequant_plan plan = plan_for(ELEMENTS);
    const size_t most = 4 * ELEMENTS + 3;
    const uintptr_t output = UINTPTR_MAX - most;
    ck_assert_uint_eq(output % 4, 0);
    const sima_const_host_buffer from = {(const void *)(UINTPTR_MAX - ELEMENTS), ELEMENTS};
    sima_host_buffer to = {(void *)output, most};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL),
                     SIMA_OVERLAPPING_BUFFERS);
    to.size = most + 1;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL),
                     SIMA_ADDRESS_OVERFLOW);
    to.size = most;
    const sima_const_host_buffer past = {from.data, ELEMENTS + 1};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &past, 1, &to, 1, NULL),
                     SIMA_ADDRESS_OVERFLOW);
}
END_TEST

/* What the faster axis spans exceeds 64 bits, and no stride can step over it. */
START_TEST(a6_a_span_past_every_type_is_refused)
{
    sample_request sample;
    sima_a65_dequant_plan plan;
    sima_error error;
    sample_init(&sample, 2, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    sample.input.rank = sample.output.rank = 2;
    sample.input.extent[1] = sample.output.extent[1] = 6;
    sample.input.layout = SIMA_LAYOUT_STRIDED;
    sample.input.stride[0] = INT64_MAX;
    sample.input.stride[1] = INT64_C(1) << 62;
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, &error),
                     SIMA_INVALID_LAYOUT);
    ck_assert_int_eq(error.axis, 0);
}
END_TEST

/* ---- plans that were never made ---- */

START_TEST(e1_a_plan_that_was_never_made_is_an_error)
{
    static const sima_a65_dequant_plan zeroed;
    static const sima_dequant_plan never_admitted;
    sima_a65_dequant_plan plan = plan_for(ELEMENTS);
    sima_error error;
    room own;
    room_init(&own);
    own.plan = zeroed;
    ck_assert_int_eq(room_execute(&own), SIMA_INVALID_ARGUMENT);
    ck_assert(room_is_untouched(&own));
    ck_assert_int_eq(sima_a65_dequant_prepare(&never_admitted, &plan, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_mem_eq(&plan, &zeroed, sizeof plan);
    /* Admitted and not prepared: the shared half alone is no plan to execute. */
    own.plan = zeroed;
    own.plan.shared = plan_for(ELEMENTS).shared;
    ck_assert_int_eq(room_execute(&own), SIMA_INVALID_ARGUMENT);
    ck_assert(room_is_untouched(&own));
}
END_TEST

START_TEST(e3_a_plan_may_be_moved)
{
    unsigned char bytes[sizeof(sima_a65_dequant_plan) + 1];
    room own;
    room_init(&own);
    memcpy(bytes + 1, &own.plan, sizeof own.plan);
    memset(&own.plan, 0xee, sizeof own.plan);
    memcpy(&own.plan, bytes + 1, sizeof own.plan);
    ck_assert_int_eq(room_execute(&own), SIMA_OK);
    ck_assert(room_is_right(&own));
}
END_TEST

Suite *hostile_suite(void)
{
    Suite *const suite = suite_create("hostile");
    TCase *const tests = new_case(suite, "hostile");
    tcase_add_test(tests, e3_a_signal_handler_may_execute);
    tcase_add_test(tests, e3_a_call_may_be_interrupted_by_another);
    tcase_add_test(tests, f1_each_thread_answers_for_its_own_mode);
    tcase_add_test(tests, e1_a_buffer_may_end_where_addresses_end);
    tcase_add_test(tests, a6_a_span_past_every_type_is_refused);
    tcase_add_test(tests, e1_a_plan_that_was_never_made_is_an_error);
    tcase_add_test(tests, e3_a_plan_may_be_moved);
    return suite;
}
