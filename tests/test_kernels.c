/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clauses N1 to N6, E2, R1 to R5, R7 and R9 on every generated kernel: the dispatch tables are
 * walked, so a kernel that is added is tested without a line here.
 */

#include "suites.h"

#include "harness.h"
#include "select.h"
#include "ties.h"

#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 128, LONGEST = 80 };

typedef struct int_list {
    int32_t value[VALUES_MAX];
    size_t count;
} int_list;

static void add_within(int_list *const list, const int64_t value, const int32_t low,
                       const int32_t high)
{
    if (value >= low && value <= high && list->count < VALUES_MAX) {
        list->value[list->count++] = (int32_t)value;
    }
}

static void add_zero_point(int_list *const list, const int64_t value,
                           const sima_a65_dequant_kernel *const kernel)
{
    const int32_t low = kernel->zero_point_min;
    const int32_t high = kernel->zero_point_max;
    if (value >= low && value <= high &&
        (!kernel->biased || sima_a65_dequant_has_bias((int32_t)value))) {
        add_within(list, value, low, high);
    }
}

/* Borders and inside of a kernel's zero points, and where conversion and subtraction round. */
static int_list zero_points_of(const sima_a65_dequant_kernel *const kernel)
{
    static const int32_t wanted[] = {
        0,         1,          -1,        127,       -127,     -128,         128,
        -129,      1000,       -1000,     16777087,  16777088, 16777089,     -16777089,
        -16777090, 16777215,   16777216,  16777217,  16777219, -16777217,    -16777219,
        33554433,  33554431,   -33554435, 100000001, 8388480,  8388481,      8388607,
        -8388609,  2147483583, INT32_MAX, INT32_MIN, 8388608,  INT32_MIN + 1};
    const int64_t low = kernel->zero_point_min;
    const int64_t high = kernel->zero_point_max;
    random_state random = {test_seed};
    int_list list = {{0}, 0};
    add_zero_point(&list, low, kernel);
    add_zero_point(&list, low + 1, kernel);
    add_zero_point(&list, high - 1, kernel);
    add_zero_point(&list, high, kernel);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        add_zero_point(&list, wanted[i], kernel);
    }
    for (int i = 0; i < 8; ++i) {
        add_zero_point(&list, low + (int64_t)(random_next(&random) % (uint64_t)(high - low + 1)),
                       kernel);
    }
    return list;
}

/* A scale of a kernel's own domain. */
static void add_scale(int_list *const list, const int64_t bits,
                      const sima_a65_dequant_kernel *const kernel)
{
    if (bits >= (int64_t)kernel->scale_min && bits <= (int64_t)kernel->scale_max &&
        (!kernel->power_of_two || (bits & 0x7fffff) == 0)) {
        add_within(list, bits, 1, 0x7f7fffff);
    }
}

/* The scales to try, as bits. The fixed ones: the ends of the binary32 range; nine significant
 * bits, which times 1, 3, 5, ... give BF16 midpoints of both parities; and scales whose products
 * round to midpoints or lie beside them. */
static int_list scales_of(const sima_a65_dequant_kernel *const kernel)
{
    static const int32_t fixed[] = {
        0x00000001, 0x00000002, 0x007fffff, 0x00800000, 0x00800001, 0x7f7fffff, 0x7f7ffffe,
        0x7f000000, 0x00400000, 0x00008000, 0x00018000, 0x3f808000, 0x3f818000, 0x3faa8000,
        0x3fff8000, 0x3fd58000, 0x00808000, 0x3f888000, 0x4037ced9, 0x3f2aaaab, 0x737fffff,
        0x73800000, 0x6f800000, 0x6f000000, 0x3b000000, 0x7b000000, 0x01000000};
    random_state random = {test_seed ^ 0x5ca1e};
    int_list list = {{0}, 0};
    add_scale(&list, kernel->scale_min, kernel);
    add_scale(&list, kernel->scale_max, kernel);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) {
        add_scale(&list, fixed[i], kernel);
    }
    for (int exponent = -9; exponent <= 9; ++exponent) {
        const int64_t bits = (int64_t)(exponent + 127) << 23;
        add_scale(&list, bits - 1, kernel);
        add_scale(&list, bits, kernel);
        add_scale(&list, bits + 1, kernel);
    }
    for (int i = 0; i < 100 && !kernel->power_of_two; ++i) {
        add_scale(&list, (int64_t)random_below(&random, 0x7f800000), kernel);
    }
    return list;
}

static void check_verdict(const verdict outcome, const sima_a65_dequant_kernel *const kernel,
                          const sima_a65_dequant_operands *const operands, const size_t count,
                          const char *const where)
{
    if (outcome != VERDICT_OK) {
        uint32_t bits;
        memcpy(&bits, &operands->scale, sizeof bits);
        ck_abort_msg("%s: %s: zero point %d, scale 0x%08x, %zu elements, %s", kernel->name,
                     verdict_name(outcome), (int)operands->zero_point, (unsigned)bits, count,
                     where);
    }
}

/* The longest span of a kernel that fits one cycle of the 256 inputs. */
static size_t longest_cycle(const sima_a65_dequant_kernel *const kernel)
{
    const size_t most = kernel->count_max < 256 ? kernel->count_max : 256;
    return most / kernel->count_step * kernel->count_step;
}

/* All 256 inputs; for a kernel with a remainder, in each position of a block. */
static void check_values(const harness watch, const sima_a65_dequant_kernel *const kernel,
                         const sima_a65_dequant_operands *const operands,
                         const expected *const table)
{
    const size_t count = longest_cycle(kernel);
    for (size_t first = 0; first < 256; first += count) {
        check_verdict(harness_call(watch, kernel->run, kernel->result, operands, table, count,
                                   first, PLACE_AT_END, 0, 0),
                      kernel, operands, count, "values");
    }
    if (kernel->count_step == 1 && count == 256) {
        check_verdict(harness_call(watch, kernel->run, kernel->result, operands, table, 251, 5,
                                   PLACE_AT_START, 0, 0),
                      kernel, operands, 251, "values with a remainder");
    }
}

/* What preparation would hand to the kernel; false where it would not choose a tie-free one. */
static bool fill_operands(const sima_a65_dequant_kernel *const kernel, const int32_t zero_point,
                          const uint32_t scale_bits, sima_a65_dequant_operands *const operands)
{
    const sima_dequant_params params = {float_from_bits(scale_bits), zero_point};
    *operands = (sima_a65_dequant_operands){params.scale, zero_point, 0};
    return kernel->result != SIMA_A65_DEQUANT_BF16_TIEFREE ||
           sima_a65_dequant_prove_tie_free(&params, &operands->tie_addend);
}

static void check_all_values(const harness watch, const sima_a65_dequant_kernel *const kernel)
{
    const int_list zero_points = zero_points_of(kernel);
    const int_list scales = scales_of(kernel);
    expected table;
    size_t tried = 0;
    for (size_t z = 0; z < zero_points.count; ++z) {
        for (size_t s = 0; s < scales.count; ++s) {
            sima_a65_dequant_operands operands;
            if (fill_operands(kernel, zero_points.value[z], (uint32_t)scales.value[s], &operands)) {
                expected_fill(&table, operands.zero_point, (uint32_t)scales.value[s]);
                check_values(watch, kernel, &operands, &table);
                ++tried;
            }
        }
    }
    ck_assert_uint_gt(tried, 0);
}

static bool admits(const sima_a65_dequant_kernel *const kernel, const size_t count)
{
    return count >= kernel->count_min && count <= kernel->count_max &&
           count % kernel->count_step == 0;
}

/* One length at every alignment of both buffers, and against both guard pages. */
static void check_length(const harness watch, const sima_a65_dequant_kernel *const kernel,
                         const sima_a65_dequant_operands *const operands,
                         const expected *const table, const size_t count)
{
    const size_t width = output_width(kernel->result);
    const size_t first = count * 7; /* other values at each length */
    for (int place = PLACE_AT_END; place <= PLACE_AT_START; ++place) {
        check_verdict(harness_call(watch, kernel->run, kernel->result, operands, table, count,
                                   first, (placement)place, 0, 0),
                      kernel, operands, count, place == PLACE_AT_END ? "at end" : "at start");
    }
    for (size_t input = 0; input < 16; ++input) {
        for (size_t output = 0; output < 16; output += width) {
            check_verdict(harness_call(watch, kernel->run, kernel->result, operands, table, count,
                                       first, PLACE_AT_OFFSET, 64 + input, 64 + output),
                          kernel, operands, count, "at an offset");
        }
    }
}

static void check_all_lengths(const harness watch, const sima_a65_dequant_kernel *const kernel)
{
    const int_list zero_points = zero_points_of(kernel);
    const int_list scales = scales_of(kernel);
    sima_a65_dequant_operands operands;
    size_t z = zero_points.count - 1;
    size_t s = scales.count - 1;
    while (!fill_operands(kernel, zero_points.value[z], (uint32_t)scales.value[s], &operands)) {
        ck_assert_uint_gt(z + s, 0);
        z -= s == 0;
        s = s == 0 ? scales.count - 1 : s - 1;
    }
    expected table;
    expected_fill(&table, operands.zero_point, (uint32_t)scales.value[s]);
    for (size_t count = 0; count <= LONGEST; ++count) {
        if (admits(kernel, count)) {
            check_length(watch, kernel, &operands, &table, count);
        }
    }
}

/* Lines of the manifest that name a kernel of an instruction set. */
static size_t count_in_manifest(const char *const isa)
{
    char line[1024];
    char wanted[64];
    size_t count = 0;
    FILE *const manifest = fopen(SIMA_MANIFEST_PATH, "r");
    ck_assert_ptr_nonnull(manifest);
    snprintf(wanted, sizeof wanted, "{\"name\": \"sima_dequant_%s_", isa);
    while (fgets(line, sizeof line, manifest) != NULL) {
        count += strstr(line, wanted) != NULL;
    }
    fclose(manifest);
    return count;
}

typedef void kernel_check(harness watch, const sima_a65_dequant_kernel *kernel);

static void for_every_kernel(kernel_check *const check, const char *const what)
{
    const harness watch = harness_open();
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        size_t exercised = 0;
        for (size_t i = 0; i < family->kernel_count; ++i) {
            check(watch, &family->kernels[i]);
            ++exercised;
        }
        printf("%s: %zu %s kernels\n", what, exercised, family->isa);
        ck_assert_uint_gt(exercised, 0);
        ck_assert_uint_eq(exercised, count_in_manifest(family->isa));
    }
    harness_close(watch);
}

START_TEST(every_kernel_gives_the_reference_for_all_inputs)
{
    for_every_kernel(check_all_values, "values");
}
END_TEST

START_TEST(every_kernel_at_every_length_and_alignment)
{
    for_every_kernel(check_all_lengths, "lengths");
}
END_TEST

START_TEST(names_are_unique_and_spell_the_instruction_set)
{
    char prefix[64];
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        snprintf(prefix, sizeof prefix, "sima_dequant_%s_", family->isa);
        for (size_t i = 0; i < family->kernel_count; ++i) {
            const char *const name = family->kernels[i].name;
            ck_assert_int_eq(strncmp(name, prefix, strlen(prefix)), 0);
            for (size_t other = 0; other < i; ++other) {
                ck_assert_str_ne(name, family->kernels[other].name);
            }
        }
    }
}
END_TEST

Suite *kernels_suite(void)
{
    Suite *const suite = suite_create("kernels");
    TCase *const tests = new_case(suite, "kernels");
    tcase_add_test(tests, every_kernel_gives_the_reference_for_all_inputs);
    tcase_add_test(tests, every_kernel_at_every_length_and_alignment);
    tcase_add_test(tests, names_are_unique_and_spell_the_instruction_set);
    return suite;
}
