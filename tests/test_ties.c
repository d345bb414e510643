/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clause N4 where preparation proves that half-even is not needed: its verdict against the plain
 * definition over all 256 results.
 */

#include "suites.h"

#include "dequant_kernel.h"
#include "harness.h"
#include "prepare.h"
#include "reference.h"
#include "ties.h"

#include <stdio.h>
#include <string.h>

static bool addend_is_exact(const int32_t zero_point, const uint32_t scale, const uint32_t addend)
{
    for (int value = -128; value < 128; ++value) {
        const uint32_t bits = reference_f32((int8_t)value, zero_point, scale);
        if ((uint16_t)((bits + addend + 0x8000) >> 16) != reference_narrow(bits)) {
            return false;
        }
    }
    return true;
}

enum { NEAR_OVERFLOW = 0x73000000 };

enum { UP = 0, DOWN = 1, EVEN = 2, VERDICTS = 3 };

/* The verdict, after a check that it is right and not given up too early. */
static int check_proof(const int32_t zero_point, const uint32_t scale)
{
    const sima_dequant_params params = {float_from_bits(scale), zero_point};
    uint32_t addend = 7;
    if (!sima_a65_dequant_prove_tie_free(&params, &addend)) {
        /* A midpoint beyond the largest number counts although it overflows: not sharp there. */
        ck_assert_msg(scale >= NEAR_OVERFLOW || (!addend_is_exact(zero_point, scale, 0) &&
                                                 !addend_is_exact(zero_point, scale, UINT32_MAX)),
                      "given up too early: zero point %d, scale 0x%08x", (int)zero_point, scale);
        return EVEN;
    }
    ck_assert(addend == 0 || addend == UINT32_MAX);
    ck_assert_msg(addend_is_exact(zero_point, scale, addend),
                  "not exact: zero point %d, scale 0x%08x, addend %08x", (int)zero_point, scale,
                  addend);
    return addend == 0 ? UP : DOWN;
}

/* Scales from all 24 significant bits random down to 8 of them. */
START_TEST(n4_the_proof_agrees_with_the_definition)
{
    static const int32_t fixed[] = {0, -128, 127, 1, -1, 128, -129, 16777088, -16777088};
    random_state random = {test_seed};
    size_t verdicts[VERDICTS] = {0};
    for (int i = 0; i < SIMA_RANDOM_LAYOUTS; ++i) {
        const uint32_t keep = ~((UINT32_C(1) << random_below(&random, 17)) - 1);
        const uint32_t scale = (0x00800000 + random_below(&random, 0x7f000000)) & keep;
        const uint32_t choice = random_below(&random, 16);
        const int32_t zero_point =
            choice < 9 ? fixed[choice]
                       : (int32_t)random_next(&random) >> (7 + random_below(&random, 24));
        if (zero_point > -16777089 && zero_point < 16777089) {
            ++verdicts[check_proof(zero_point, scale)];
        }
    }
    printf("halves up %zu, down %zu, even %zu\n", verdicts[UP], verdicts[DOWN], verdicts[EVEN]);
    for (int kind = 0; kind < VERDICTS; ++kind) {
        ck_assert_uint_gt(verdicts[kind], 0);
    }
}
END_TEST

/* Scales made so that one difference's product is a midpoint of a chosen parity, or one binary32
 * step or half of one beside it. */
START_TEST(n4_planted_ties_are_found)
{
    random_state random = {test_seed};
    for (int i = 0; i < SIMA_RANDOM_LAYOUTS / 4; ++i) {
        const uint64_t difference = 1 + random_below(&random, 255);
        const uint64_t kept = 128 + random_below(&random, 128);
        const uint64_t midpoint = (2 * kept + 1) << 39;
        const uint64_t significand = midpoint / difference + random_below(&random, 3) - 1;
        int shift = 0;
        while (significand >> shift >= (UINT64_C(1) << 24)) {
            ++shift;
        }
        const uint32_t scale = 0x3f000000 | ((uint32_t)(significand >> shift) & 0x7fffff);
        const int32_t zero_point = (int32_t)(random_below(&random, 256)) - 128;
        check_proof(zero_point, scale);
        check_proof(0, scale + 1);
        check_proof(-128, scale - 1);
    }
}
END_TEST

START_TEST(n4_what_is_not_looked_into_is_refused)
{
    uint32_t addend;
    static const uint32_t subnormal[] = {1, 0x00010000, 0x007fffff};
    for (size_t i = 0; i < 3; ++i) {
        const sima_dequant_params params = {float_from_bits(subnormal[i]), 0};
        ck_assert(!sima_a65_dequant_prove_tie_free(&params, &addend));
    }
    static const int32_t far[] = {16777089, -16777089, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < 4; ++i) {
        const sima_dequant_params params = {0.1f, far[i]};
        ck_assert(!sima_a65_dequant_prove_tie_free(&params, &addend));
    }
}
END_TEST

/* The kernel that a family gets, and what is handed to it. */
static const char *name_for(const sima_a65_dequant_family *const family, const int64_t elements,
                            const float scale, const int32_t zero_point, uint32_t *const addend)
{
    sample_request sample;
    sima_dequant_plan shared;
    sima_a65_dequant_plan plan;
    sample_init(&sample, elements, SIMA_DTYPE_BFLOAT16, scale, zero_point);
    ck_assert_int_eq(sima_dequant_check_inference(&sample.request, &shared, NULL), SIMA_OK);
    ck_assert_int_eq(
        sima_a65_dequant_prepare_for(&shared, family, SIMA_A65_DEQUANT_STORES_CHOSEN, &plan, NULL),
        SIMA_OK);
    *addend = plan.operands.tie_addend;
    return sima_a65_dequant_kernel_name(&plan);
}

#define ck_assert_named(part, ...)                                                                 \
    ck_assert_ptr_nonnull(strstr(name_for(family, __VA_ARGS__, &addend), (part)))

/* Where kernels without ties serve a class of zero points, `class`. */
static void check_tie_free(const sima_a65_dequant_family *const family, const char *const class)
{
    uint32_t addend;
    char tie_free[64];
    char even[64];
    const int64_t enough = SIMA_A65_DEQUANT_PROOF_ELEMENTS;
    snprintf(tie_free, sizeof tie_free, "_bf16_tiefree_%s_any_", class);
    snprintf(even, sizeof even, "_bf16_even_%s_any_", class);
    ck_assert_named(tie_free, enough, 0.1f, 3);
    ck_assert_named(even, enough - 1, 0.1f, 3);
    ck_assert_uint_eq(addend, 0);
    ck_assert_named("_bf16_upper_int8_", enough, 0.125f, 3);
    ck_assert_named(even, enough, 1e-40f, 3);
    ck_assert_named("_bf16_even_", enough, 1.5f, 0);
}

static void check_without(const sima_a65_dequant_family *const family, const char *const part,
                          const char *const whole)
{
    uint32_t addend;
    ck_assert_named(part, 4096, 0.1f, 3);
    ck_assert_uint_eq(addend, 0);
    ck_assert_named(whole, 8192, 0.1f, 3);
    ck_assert_uint_eq(addend, 0);
}

START_TEST(the_plan_names_the_narrowing)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        if (strcmp(family->isa, "neon") == 0) {
            check_tie_free(family, "int8");
        } else if (strcmp(family->isa, "avx2") == 0) {
            check_tie_free(family, "bias");
        } else if (strcmp(family->isa, "avx512") == 0) {
            check_without(family, "_bf16_even_bias_normal_overlap", "_bf16_even_wide_any_long");
        } else {
            check_without(family, "_bf16_even_int8_any_", "_bf16_even_int8_any_");
        }
    }
}
END_TEST

Suite *ties_suite(void)
{
    Suite *const suite = suite_create("ties");
    TCase *const tests = new_case(suite, "ties");
    tcase_add_test(tests, n4_the_proof_agrees_with_the_definition);
    tcase_add_test(tests, n4_planted_ties_are_found);
    tcase_add_test(tests, n4_what_is_not_looked_into_is_refused);
    tcase_add_test(tests, the_plan_names_the_narrowing);
    return suite;
}
