/* SPDX-License-Identifier: Apache-2.0 */

/* Clauses A4, E1, E3 and T1: what execution checks, and how plans may be used. */

#define _POSIX_C_SOURCE 200809L
#include "suites.h"

#include "harness.h"
#include "reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 40 };

static sima_a65_dequant_plan plan;
static int8_t input[ELEMENTS];
static float output[ELEMENTS];
static sima_const_host_buffer from;
static sima_host_buffer to;

static void setup(void)
{
    sample_request sample;
    sample_init(&sample, ELEMENTS, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    from = (sima_const_host_buffer){input, sizeof input};
    to = (sima_host_buffer){output, sizeof output};
    for (int i = 0; i < ELEMENTS; ++i) {
        input[i] = (int8_t)(i * 7 - 128);
    }
    memset(output, 0x77, sizeof output);
}

static void check_output_is_untouched(void)
{
    for (size_t i = 0; i < sizeof output; ++i) {
        ck_assert_uint_eq(((const unsigned char *)output)[i], 0x77);
    }
}

static void check_refused(const sima_status status, const sima_port port)
{
    sima_error error;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, &error), status);
    ck_assert_int_eq(error.status, status);
    ck_assert_int_eq(error.port, port);
    ck_assert_int_eq(error.axis, -1);
    ck_assert_uint_gt(strlen(error.message), 20);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), status);
    check_output_is_untouched();
}

static void check_output(void)
{
    uint32_t scale;
    const float value = 0.1f;
    memcpy(&scale, &value, sizeof scale);
    for (int i = 0; i < ELEMENTS; ++i) {
        const uint32_t want = reference_f32(input[i], 3, scale);
        ck_assert_mem_eq(&output[i], &want, sizeof want);
    }
}

START_TEST(success_writes_everything_and_clears_the_error)
{
    sima_error error = {SIMA_INVALID_SHAPE, SIMA_PORT_INPUT, 3, NULL};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, &error), SIMA_OK);
    ck_assert_int_eq(error.status, SIMA_OK);
    ck_assert_int_eq(error.port, SIMA_PORT_NONE);
    ck_assert_int_eq(error.axis, -1);
    ck_assert_str_eq(error.message, "");
    check_output();
}
END_TEST

START_TEST(e1_plan_and_arrays)
{
    sima_error error;
    ck_assert_int_eq(sima_a65_dequant_execute(NULL, &from, 1, &to, 1, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_NONE);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 1, &to, 1, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, NULL, 1, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_OUTPUT);
    memset(&plan, 0, sizeof plan);
    check_refused(SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE);
    ck_assert_ptr_null(sima_a65_dequant_shared_plan(&plan));
    ck_assert_ptr_null(sima_a65_dequant_kernel_name(&plan));
    ck_assert_ptr_null(sima_a65_dequant_shared_plan(NULL));
    ck_assert_ptr_null(sima_a65_dequant_kernel_name(NULL));
}
END_TEST

START_TEST(e1_counts)
{
    static const size_t counts[] = {0, 2, SIZE_MAX};
    sima_error error;
    for (size_t i = 0; i < 3; ++i) {
        ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, counts[i], &to, 1, &error),
                         SIMA_INVALID_ARITY);
        ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
        ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, counts[i], &error),
                         SIMA_INVALID_ARITY);
        ck_assert_int_eq(error.port, SIMA_PORT_OUTPUT);
    }
    check_output_is_untouched();
}
END_TEST

START_TEST(e1_null_data)
{
    from.data = NULL;
    check_refused(SIMA_NULL_BUFFER, SIMA_PORT_INPUT);
    setup();
    to.data = NULL;
    check_refused(SIMA_NULL_BUFFER, SIMA_PORT_OUTPUT);
}
END_TEST

START_TEST(e1_sizes)
{
    from.size = ELEMENTS - 1;
    check_refused(SIMA_BUFFER_TOO_SMALL, SIMA_PORT_INPUT);
    from.size = 0;
    check_refused(SIMA_BUFFER_TOO_SMALL, SIMA_PORT_INPUT);
    setup();
    to.size = sizeof output - 1;
    check_refused(SIMA_BUFFER_TOO_SMALL, SIMA_PORT_OUTPUT);
}
END_TEST

START_TEST(e1_alignment)
{
    static unsigned char room[sizeof output + 8];
    for (size_t offset = 1; offset < 4; ++offset) {
        to = (sima_host_buffer){(unsigned char *)output + offset, sizeof output};
        check_refused(SIMA_MISALIGNED_BUFFER, SIMA_PORT_OUTPUT);
    }
    sample_request sample;
    sample_init(&sample, ELEMENTS, SIMA_DTYPE_BFLOAT16, 0.1f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    unsigned char *const even = room + ((uintptr_t)room & 1);
    to = (sima_host_buffer){even + 1, ELEMENTS * 2};
    check_refused(SIMA_MISALIGNED_BUFFER, SIMA_PORT_OUTPUT);
    to.data = even + 2;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
}
END_TEST

START_TEST(e1_addresses_that_wrap)
{
    from = (sima_const_host_buffer){(const void *)(UINTPTR_MAX - 10), ELEMENTS};
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_INPUT);
    setup();
    from.size = SIZE_MAX;
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_INPUT);
    setup();
    to = (sima_host_buffer){(void *)(UINTPTR_MAX - 15), sizeof output};
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_OUTPUT);
    setup();
    to.size = SIZE_MAX;
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_OUTPUT);
}
END_TEST

START_TEST(e1_overlap_to_the_byte)
{
    _Alignas(16) static unsigned char room[4 * ELEMENTS + 2 * ELEMENTS];
    unsigned char *const results = room + ELEMENTS;
    to = (sima_host_buffer){results, sizeof output};
    for (size_t offset = 1; offset < 5 * ELEMENTS; ++offset) {
        from = (sima_const_host_buffer){room + offset, ELEMENTS};
        ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL),
                         SIMA_OVERLAPPING_BUFFERS);
    }
    sima_error error;
    from.data = results;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, &error),
                     SIMA_OVERLAPPING_BUFFERS);
    ck_assert_int_eq(error.port, SIMA_PORT_OUTPUT);
    for (size_t i = 0; i < sizeof room; ++i) {
        ck_assert_uint_eq(room[i], 0);
    }
    /* Touching is not overlapping, on either side; nor is capacity that is not accessed. */
    from = (sima_const_host_buffer){room, sizeof room};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    from.data = results + sizeof output;
    from.size = ELEMENTS;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
}
END_TEST

START_TEST(a4_an_empty_tensor_needs_no_storage)
{
    sample_request sample;
    sima_error error;
    sample_init(&sample, 0, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 1, NULL, 1, NULL), SIMA_OK);
    from = (sima_const_host_buffer){NULL, 0};
    to = (sima_host_buffer){(void *)3, 0};
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 0, NULL, 1, &error), SIMA_INVALID_ARITY);
    ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 1, NULL, 2, &error), SIMA_INVALID_ARITY);
    ck_assert_int_eq(error.port, SIMA_PORT_OUTPUT);
}
END_TEST

/* Every check in the order that the header promises: with all faults at once, each correction
 * brings the next one up. */
START_TEST(e1_checks_come_in_their_documented_order)
{
    _Alignas(16) static unsigned char shared_room[sizeof output + ELEMENTS];
    sima_error error;
    from = (sima_const_host_buffer){NULL, 0};
    to = (sima_host_buffer){NULL, 0};
    const sima_a65_dequant_plan prepared = plan;
    memset(&plan, 0, sizeof plan);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 0, NULL, 0, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_NONE);
    plan = prepared;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, NULL, 0, NULL, 0, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 0, NULL, 0, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.port, SIMA_PORT_OUTPUT);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 0, &to, 0, &error), SIMA_INVALID_ARITY);
    ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
    check_refused(SIMA_NULL_BUFFER, SIMA_PORT_INPUT);
    from.data = shared_room + 3;
    check_refused(SIMA_NULL_BUFFER, SIMA_PORT_OUTPUT);
    to.data = shared_room + 1;
    check_refused(SIMA_BUFFER_TOO_SMALL, SIMA_PORT_INPUT);
    from.size = SIZE_MAX;
    check_refused(SIMA_BUFFER_TOO_SMALL, SIMA_PORT_OUTPUT);
    to.size = SIZE_MAX;
    check_refused(SIMA_MISALIGNED_BUFFER, SIMA_PORT_OUTPUT);
    to.data = shared_room;
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_INPUT);
    from.size = ELEMENTS;
    check_refused(SIMA_ADDRESS_OVERFLOW, SIMA_PORT_OUTPUT);
    to.size = sizeof output;
    check_refused(SIMA_OVERLAPPING_BUFFERS, SIMA_PORT_OUTPUT);
    from.data = shared_room + sizeof output;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, &error), SIMA_OK);
}
END_TEST

/* The views, the plan and the input on pages that fault when written to. */
START_TEST(e3_nothing_but_the_output_is_written)
{
    typedef struct read_only {
        sima_a65_dequant_plan plan;
        sima_const_host_buffer from;
        sima_host_buffer to;
        int8_t input[ELEMENTS];
    } read_only;
    const guarded memory = guard_map(sizeof(read_only));
    read_only *const kept = (read_only *)memory.begin;
    kept->plan = plan;
    memcpy(kept->input, input, sizeof input);
    kept->from = (sima_const_host_buffer){kept->input, sizeof kept->input};
    kept->to = to;
    guard_forbid_writes(memory);
    for (int turn = 0; turn < 3; ++turn) {
        memset(output, 0x77, sizeof output);
        ck_assert_int_eq(sima_a65_dequant_execute(&kept->plan, &kept->from, 1, &kept->to, 1, NULL),
                         SIMA_OK);
        check_output();
    }
    ck_assert_mem_eq(&kept->plan, &plan, sizeof plan);
    guard_unmap(memory);
}
END_TEST

START_TEST(e3_a_plan_is_copied_and_reused_with_new_buffers)
{
    const sima_a65_dequant_plan copy = plan;
    memset(&plan, 0xee, sizeof plan);
    for (int turn = 0; turn < 3; ++turn) {
        memset(output, 0x77, sizeof output);
        input[turn] = (int8_t)(turn - 100);
        ck_assert_int_eq(sima_a65_dequant_execute(&copy, &from, 1, &to, 1, NULL), SIMA_OK);
        check_output();
    }
    float elsewhere[ELEMENTS];
    to = (sima_host_buffer){elsewhere, sizeof elsewhere};
    ck_assert_int_eq(sima_a65_dequant_execute(&copy, &from, 1, &to, 1, NULL), SIMA_OK);
    ck_assert_mem_eq(elsewhere, output, sizeof output);
    ck_assert_ptr_eq(sima_a65_dequant_shared_plan(&copy), &copy.shared);
}
END_TEST

enum { THREADS = 8, TURNS = 500 };

static void *run_in_thread(void *const results)
{
    float *const own = results;
    const sima_host_buffer target = {own, sizeof output};
    for (int turn = 0; turn < TURNS; ++turn) {
        if (sima_a65_dequant_execute(&plan, &from, 1, &target, 1, NULL) != SIMA_OK ||
            memcmp(own, output, sizeof output) != 0) {
            return NULL;
        }
    }
    return results;
}

START_TEST(e3_one_plan_serves_many_threads)
{
    static float results[THREADS][ELEMENTS];
    pthread_t threads[THREADS];
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    for (size_t i = 0; i < THREADS; ++i) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_in_thread, results[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
        void *result;
        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_ptr_eq(result, results[i]);
    }
}
END_TEST

/* A kernel that counts: how often execution calls, and with how many elements. */
static size_t calls;
static size_t elements_seen;

static void count_calls(const int8_t *const values, void *const results, const size_t count,
                        const sima_a65_dequant_operands *const operands)
{
    (void)values;
    (void)results;
    (void)operands;
    ++calls;
    elements_seen += count;
}

START_TEST(t1_a_dense_tensor_is_one_call)
{
    const sima_a65_dequant_kernel counting = {.run = count_calls, .name = "counting"};
    sample_request sample;
    sample_init(&sample, 5, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    sample.input.rank = sample.output.rank = 4;
    for (int axis = 0; axis < 4; ++axis) {
        sample.input.extent[axis] = sample.output.extent[axis] = axis + 1;
    }
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    plan.kernel = &counting;
    calls = elements_seen = 0;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    ck_assert_uint_eq(calls, 1);
    ck_assert_uint_eq(elements_seen, 24);
}
END_TEST

/* Rows apart on one port: as many calls as rows, each a whole row. */
START_TEST(t1_only_what_is_not_dense_is_walked)
{
    const sima_a65_dequant_kernel counting = {.run = count_calls, .name = "counting"};
    sample_request sample;
    sample_init(&sample, 2, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    sample.input.rank = sample.output.rank = 3;
    sample.input.extent[1] = sample.output.extent[1] = 3;
    sample.input.extent[2] = sample.output.extent[2] = 4;
    sample.input.layout = SIMA_LAYOUT_STRIDED;
    sample.input.stride[0] = 17;
    sample.input.stride[1] = 5;
    sample.input.stride[2] = 1;
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    plan.kernel = &counting;
    calls = elements_seen = 0;
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    ck_assert_uint_eq(calls, 6);
    ck_assert_uint_eq(elements_seen, 24);
}
END_TEST

Suite *execute_suite(void)
{
    Suite *const suite = suite_create("execute");
    TCase *const tests = new_case(suite, "execute");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, success_writes_everything_and_clears_the_error);
    tcase_add_test(tests, e1_plan_and_arrays);
    tcase_add_test(tests, e1_counts);
    tcase_add_test(tests, e1_null_data);
    tcase_add_test(tests, e1_sizes);
    tcase_add_test(tests, e1_alignment);
    tcase_add_test(tests, e1_addresses_that_wrap);
    tcase_add_test(tests, e1_overlap_to_the_byte);
    tcase_add_test(tests, a4_an_empty_tensor_needs_no_storage);
    tcase_add_test(tests, e1_checks_come_in_their_documented_order);
    tcase_add_test(tests, e3_nothing_but_the_output_is_written);
    tcase_add_test(tests, e3_a_plan_is_copied_and_reused_with_new_buffers);
    tcase_add_test(tests, e3_one_plan_serves_many_threads);
    tcase_add_test(tests, t1_a_dense_tensor_is_one_call);
    tcase_add_test(tests, t1_only_what_is_not_dense_is_walked);
    return suite;
}
