/* SPDX-License-Identifier: Apache-2.0 */

/* How results are stored: what is chosen, what can be asked for, and that no bit depends on it. */

#include "suites.h"

#include "cpu.h"
#include "harness.h"
#include "prepare.h"
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { F32_THRESHOLD = SIMA_A65_DEQUANT_STREAM_BYTES / 4 };

static bool can_stream(const sima_a65_dequant_family *const family)
{
    return strncmp(family->isa, "avx", 3) == 0;
}

static sima_dequant_plan shared_plan(const int64_t elements, const sima_dtype output,
                                     const float scale, const int32_t zero_point)
{
    sample_request sample;
    sima_dequant_plan shared;
    sample_init(&sample, elements, output, scale, zero_point);
    ck_assert_int_eq(sima_dequant_check_inference(&sample.request, &shared, NULL), SIMA_OK);
    return shared;
}

static sima_a65_dequant_stores stores_for(const sima_a65_dequant_family *const family,
                                          const sima_dequant_plan *const shared,
                                          const sima_a65_dequant_stores wanted)
{
    sima_a65_dequant_plan plan;
    ck_assert_int_eq(sima_a65_dequant_prepare_for(shared, family, wanted, &plan, NULL), SIMA_OK);
    const bool named = strstr(sima_a65_dequant_kernel_name(&plan), "_stream") != NULL;
    const sima_a65_dequant_stores stores = sima_a65_dequant_stores_of(&plan);
    ck_assert_int_eq(named, stores == SIMA_A65_DEQUANT_STORES_STREAMED);
    return stores;
}

/* Parameters of each row that can be streamed. */
static const sima_dequant_params kinds[] = {
    {0.1f, 3}, {0.25f, 0}, {0.1f, 33554430}, {1e-40f, -128}, {1.5f, 0}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

START_TEST(preparation_chooses_by_the_bytes_of_the_output)
{
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    const sima_a65_dequant_stores chosen = SIMA_A65_DEQUANT_STORES_CHOSEN;
    const sima_a65_dequant_stores beyond =
        can_stream(family) ? SIMA_A65_DEQUANT_STORES_STREAMED : SIMA_A65_DEQUANT_STORES_CACHED;
    for (size_t i = 0; i < KINDS; ++i) {
        for (int bf16 = 0; bf16 <= 1; ++bf16) {
            const sima_dtype type = bf16 ? SIMA_DTYPE_BFLOAT16 : SIMA_DTYPE_FLOAT32;
            const int64_t first = (int64_t)F32_THRESHOLD * (1 + bf16);
            const sima_dequant_plan below =
                shared_plan(first - 1, type, kinds[i].scale, kinds[i].zero_point);
            const sima_dequant_plan at =
                shared_plan(first, type, kinds[i].scale, kinds[i].zero_point);
            ck_assert_int_eq(stores_for(family, &below, chosen), SIMA_A65_DEQUANT_STORES_CACHED);
            ck_assert_int_eq(stores_for(family, &at, chosen), beyond);
        }
    }
}
END_TEST

START_TEST(either_kind_can_be_asked_for)
{
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    const sima_a65_dequant_stores streamed = SIMA_A65_DEQUANT_STORES_STREAMED;
    const sima_a65_dequant_stores cached = SIMA_A65_DEQUANT_STORES_CACHED;
    const sima_a65_dequant_stores wanted = can_stream(family) ? streamed : cached;
    for (size_t i = 0; i < KINDS; ++i) {
        const float scale = kinds[i].scale;
        const int32_t zero_point = kinds[i].zero_point;
        const sima_dequant_plan huge =
            shared_plan(4 * F32_THRESHOLD, SIMA_DTYPE_BFLOAT16, scale, zero_point);
        const sima_dequant_plan least = shared_plan(64, SIMA_DTYPE_BFLOAT16, scale, zero_point);
        const sima_dequant_plan less = shared_plan(63, SIMA_DTYPE_FLOAT32, scale, zero_point);
        const sima_dequant_plan none = shared_plan(0, SIMA_DTYPE_FLOAT32, scale, zero_point);
        ck_assert_int_eq(stores_for(family, &huge, cached), cached);
        ck_assert_int_eq(stores_for(family, &least, streamed), wanted);
        ck_assert_int_eq(stores_for(family, &less, streamed), cached);
        ck_assert_int_eq(stores_for(family, &none, streamed), cached);
    }
}
END_TEST

START_TEST(strided_tensors_are_not_streamed)
{
    const sima_tensor_spec input = {.dtype = SIMA_DTYPE_INT8, .rank = 2, .extent = {100, 1000}};
    const sima_tensor_spec output = {.dtype = SIMA_DTYPE_FLOAT32,
                                     .rank = 2,
                                     .extent = {100, 1000},
                                     .layout = SIMA_LAYOUT_STRIDED,
                                     .stride = {4096, 4}};
    const sima_dequant_request request = {SIMA_OP_DEQUANT, &input, 1, &output, 1, {0.1f, 3}};
    sima_dequant_plan shared;
    ck_assert_int_eq(sima_dequant_check_inference(&request, &shared, NULL), SIMA_OK);
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        ck_assert_int_eq(
            stores_for(sima_a65_dequant_families[f], &shared, SIMA_A65_DEQUANT_STORES_STREAMED),
            SIMA_A65_DEQUANT_STORES_CACHED);
    }
}
END_TEST

START_TEST(options_are_checked_and_default_to_nothing)
{
    const sima_dequant_plan shared = shared_plan(1000, SIMA_DTYPE_FLOAT32, 0.1f, 3);
    const sima_a65_dequant_options zeroed = {SIMA_A65_DEQUANT_STORES_CHOSEN};
    const sima_a65_dequant_options bad = {(sima_a65_dequant_stores)3};
    static const sima_a65_dequant_plan empty;
    sima_a65_dequant_plan plain;
    sima_a65_dequant_plan plan;
    sima_error error;
    ck_assert_int_eq(sima_a65_dequant_prepare(&shared, &plain, NULL), SIMA_OK);
    ck_assert_int_eq(sima_a65_dequant_prepare_with(&shared, NULL, &plan, NULL), SIMA_OK);
    ck_assert_mem_eq(&plan, &plain, sizeof plan);
    ck_assert_int_eq(sima_a65_dequant_prepare_with(&shared, &zeroed, &plan, NULL), SIMA_OK);
    ck_assert_mem_eq(&plan, &plain, sizeof plan);
    ck_assert_int_eq(sima_a65_dequant_prepare_with(&shared, &bad, &plan, &error),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(error.status, SIMA_INVALID_ARGUMENT);
    ck_assert_mem_eq(&plan, &empty, sizeof plan);
    ck_assert_int_eq(sima_a65_dequant_prepare_with(&shared, &zeroed, NULL, NULL),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(sima_a65_dequant_prepare_with(NULL, &zeroed, &plan, NULL),
                     SIMA_INVALID_ARGUMENT);
    ck_assert_int_eq(sima_a65_dequant_stores_of(NULL), SIMA_A65_DEQUANT_STORES_CHOSEN);
    ck_assert_int_eq(sima_a65_dequant_stores_of(&empty), SIMA_A65_DEQUANT_STORES_CHOSEN);
}
END_TEST

/* Spans that no test of single kernels reaches, at a place that begins no cache line. */
enum { LONG_SPAN = 70001, SHIFT = 4 };

static void check_execution(const sima_a65_dequant_family *const family,
                            const sima_dequant_params params, const bool bf16,
                            const sima_a65_dequant_stores stores)
{
    static int8_t values[LONG_SPAN];
    static _Alignas(64) unsigned char results[4 * LONG_SPAN + 2 * SHIFT];
    uint32_t scale;
    const size_t width = bf16 ? 2 : 4;
    const sima_dequant_plan shared =
        shared_plan(LONG_SPAN, bf16 ? SIMA_DTYPE_BFLOAT16 : SIMA_DTYPE_FLOAT32, params.scale,
                    params.zero_point);
    const sima_const_host_buffer from = {values, sizeof values};
    const sima_host_buffer to = {results + SHIFT, width * LONG_SPAN};
    sima_a65_dequant_plan plan;
    static expected table;
    memcpy(&scale, &params.scale, sizeof scale);
    expected_fill(&table, params.zero_point, scale);
    for (size_t i = 0; i < LONG_SPAN; ++i) {
        values[i] = (int8_t)(i * 37 % 256);
    }
    memset(results, 0x5a, sizeof results);
    ck_assert_int_eq(sima_a65_dequant_prepare_for(&shared, family, stores, &plan, NULL), SIMA_OK);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    for (size_t i = 0; i < LONG_SPAN; ++i) {
        const void *const want = bf16 ? (const void *)&table.bf16[values[i] + 128]
                                      : (const void *)&table.f32[values[i] + 128];
        if (memcmp(results + SHIFT + i * width, want, width) != 0) {
            ck_abort_msg("%s: element %zu", sima_a65_dequant_kernel_name(&plan), i);
        }
    }
    for (size_t i = 0; i < SHIFT; ++i) {
        ck_assert_uint_eq(results[i], 0x5a);
        ck_assert_uint_eq(results[SHIFT + width * LONG_SPAN + i], 0x5a);
    }
}

START_TEST(no_bit_depends_on_the_way_to_store)
{
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    if (!sima_a65_dequant_runs_here(family)) {
        printf("%s: not called: this machine does not run it\n", family->isa);
        return;
    }
    for (size_t i = 0; i < KINDS; ++i) {
        for (int bf16 = 0; bf16 <= 1; ++bf16) {
            check_execution(family, kinds[i], bf16 != 0, SIMA_A65_DEQUANT_STORES_CACHED);
            check_execution(family, kinds[i], bf16 != 0, SIMA_A65_DEQUANT_STORES_STREAMED);
        }
    }
}
END_TEST

/* A family is chosen only if all before it do not run. */
START_TEST(the_best_family_that_runs_is_chosen)
{
    const sima_a65_dequant_family *const best = sima_a65_dequant_best_family();
    size_t f = 0;
    for (; sima_a65_dequant_families[f] != best; ++f) {
        ck_assert(!sima_a65_dequant_runs_here(sima_a65_dequant_families[f]));
    }
    ck_assert(sima_a65_dequant_runs_here(best));
    ck_assert(
        sima_a65_dequant_runs_here(sima_a65_dequant_families[sima_a65_dequant_family_count - 1]));
}
END_TEST

Suite *stores_suite(void)
{
    Suite *const suite = suite_create("stores");
    TCase *const tests = new_case(suite, "stores");
    const int families = (int)sima_a65_dequant_family_count;
    tcase_add_loop_test(tests, preparation_chooses_by_the_bytes_of_the_output, 0, families);
    tcase_add_loop_test(tests, either_kind_can_be_asked_for, 0, families);
    tcase_add_test(tests, strided_tensors_are_not_streamed);
    tcase_add_test(tests, options_are_checked_and_default_to_nothing);
    tcase_add_loop_test(tests, no_bit_depends_on_the_way_to_store, 0, families);
    tcase_add_test(tests, the_best_family_that_runs_is_chosen);
    return suite;
}
