/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_SUITES_H
#define SIMA_TESTS_SUITES_H

/* The suites of the contract program, and what several of them need. */

#include <check.h>

#include <simaai/kernels/a65/dequant.h>

Suite *admission_suite(void);
Suite *dispatch_suite(void);
Suite *execute_suite(void);
Suite *fpenv_suite(void);
Suite *harness_suite(void);
Suite *hostile_suite(void);
Suite *kernels_suite(void);
Suite *layout_check_suite(void);
Suite *layout_suite(void);
Suite *numbers_suite(void);
Suite *random_layouts_suite(void);
Suite *stores_suite(void);
Suite *ties_suite(void);
Suite *tile_suite(void);
Suite *traversal_suite(void);

/* A suite with one test case that may take its time under emulation. */
static inline TCase *new_case(Suite *const suite, const char *const name)
{
    TCase *const tests = tcase_create(name);
    tcase_set_timeout(tests, 600);
    suite_add_tcase(suite, tests);
    return tests;
}

/* A dense rank-1 request that a test then spoils or runs. */
typedef struct sample_request {
    sima_tensor_spec input;
    sima_tensor_spec output;
    sima_dequant_request request;
} sample_request;

static inline void sample_init(sample_request *const sample, const int64_t elements,
                               const sima_dtype output, const float scale, const int32_t zero_point)
{
    *sample = (sample_request){
        .input = {.dtype = SIMA_DTYPE_INT8, .rank = 1, .extent = {elements}},
        .output = {.dtype = output, .rank = 1, .extent = {elements}},
    };
    sample->request = (sima_dequant_request){
        .op = SIMA_OP_DEQUANT,
        .inputs = &sample->input,
        .input_count = 1,
        .outputs = &sample->output,
        .output_count = 1,
        .params = {scale, zero_point},
    };
}

/* A small repeatable generator; the seed is printed by the program. */
typedef struct random_state {
    uint64_t state;
} random_state;

static inline uint32_t random_next(random_state *const random)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 32);
}

static inline uint32_t random_below(random_state *const random, const uint32_t bound)
{
    return (uint32_t)(((uint64_t)random_next(random) * bound) >> 32);
}

#define SIMA_TEST_DEFAULT_SEED UINT64_C(20240607)
extern uint64_t test_seed;

#endif /* SIMA_TESTS_SUITES_H */
