/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clauses T1 to T4: which shape preparation finds in a layout, in how many calls it is executed,
 * and that every kernel for planes is reached. Numbers and bytes are compared on the way.
 */

#include "suites.h"

#include "cpu.h"
#include "layout_check.h"
#include "select.h"
#include "traversal.h"

#include <stdio.h>
#include <string.h>

enum { AXES = 3, SPANS = SIMA_A65_DEQUANT_SHAPES };

/* Strides in elements. */
typedef struct layout_case {
    const char *name;
    int64_t extent[AXES];
    int64_t input[AXES];
    int64_t output[AXES];
    int shape;
    int64_t spans;
} layout_case;

static const layout_case cases[] = {
    /* One span, whatever the logical order. */
    {"column-major twice", {8, 9, 10}, {1, 8, 72}, {1, 8, 72}, SPANS, 1},
    {"channels last twice", {16, 9, 10}, {1, 160, 16}, {1, 160, 16}, SPANS, 1},
    {"axes of extent 1", {1, 300, 1}, {7, 1, 9}, {3, 1, 5}, SPANS, 1},
    /* A longer span than in logical order, then the same one. */
    {"physical prefix", {300, 3, 7}, {1, 300, 1000}, {1, 300, 1200}, SPANS, 7},
    {"long rows", {3, 5, 256}, {4000, 700, 1}, {4000, 700, 1}, SPANS, 15},
    /* Planes. */
    {"rows of 16", {2, 9, 16}, {999, 20, 1}, {999, 30, 1}, SIMA_A65_DEQUANT_ROWS, 18},
    {"rows of 255", {2, 9, 255}, {9999, 256, 1}, {9999, 257, 1}, SIMA_A65_DEQUANT_ROWS, 18},
    {"rows of 15", {1, 9, 15}, {0, 20, 1}, {0, 30, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 9},
    {"rows of 9, one too few",
     {5, 3, 9},
     {0x100, 10, 1},
     {0x100, 11, 1},
     SIMA_A65_DEQUANT_FRAGMENTS,
     15},
    {"rows of 8", {1, 17, 8}, {0, 8, 1}, {0, 30, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 17},
    {"rows of 7", {1, 33, 7}, {0, 20, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 33},
    {"many rows of 7", {1, 701, 7}, {0, 20, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 701},
    {"many rows of 20", {1, 301, 20}, {0, 21, 1}, {0, 23, 1}, SIMA_A65_DEQUANT_ROWS, 301},
    {"91 x 50 turned", {1, 91, 50}, {0, 1, 91}, {0, 50, 1}, SIMA_A65_DEQUANT_TRANSPOSE, 91},
    {"many pixels", {1, 3, 1700}, {0, 1701, 1}, {0, 1, 3}, SIMA_A65_DEQUANT_INTERLEAVE, 3},
    {"many planes", {1, 3, 1700}, {0, 1, 3}, {0, 1701, 1}, SIMA_A65_DEQUANT_DEINTERLEAVE, 3},
    {"every second of many", {1, 1, 5001}, {0, 0, 2}, {0, 0, 1}, SIMA_A65_DEQUANT_THIN, 1},
    {"every ninth of many", {1, 1, 5001}, {0, 0, 9}, {0, 0, 1}, SIMA_A65_DEQUANT_GATHER, 1},
    {"many to every second", {1, 1, 5001}, {0, 0, 1}, {0, 0, 2}, SIMA_A65_DEQUANT_SCATTER, 1},
    {"many to and from", {1, 1, 5001}, {0, 0, 2}, {0, 0, 3}, SIMA_A65_DEQUANT_STRIDED, 1},
    {"rows of 5", {1, 33, 5}, {0, 20, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 33},
    {"rows of 4", {1, 33, 4}, {0, 5, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 33},
    {"rows of 3", {1, 65, 3}, {0, 5, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 65},
    {"rows of 2", {1, 70, 2}, {0, 5, 1}, {0, 8, 1}, SIMA_A65_DEQUANT_FRAGMENTS, 70},
    {"rows of 2, too few", {9, 13, 2}, {600, 40, 1}, {900, 60, 1}, SPANS, 117},
    {"16 x 16 turned", {1, 16, 16}, {0, 1, 16}, {0, 16, 1}, SIMA_A65_DEQUANT_TRANSPOSE, 16},
    {"17 x 41 turned", {2, 17, 41}, {2000, 1, 17}, {3000, 50, 1}, SIMA_A65_DEQUANT_TRANSPOSE, 34},
    {"3 planes to pixels", {1, 3, 50}, {0, 60, 1}, {0, 1, 3}, SIMA_A65_DEQUANT_INTERLEAVE, 3},
    {"2 planes to pairs", {2, 2, 33}, {200, 60, 1}, {100, 1, 2}, SIMA_A65_DEQUANT_INTERLEAVE, 4},
    {"4 planes to pixels", {1, 4, 33}, {0, 60, 1}, {0, 1, 4}, SIMA_A65_DEQUANT_INTERLEAVE, 4},
    {"pixels to 3 planes", {1, 3, 50}, {0, 1, 3}, {0, 60, 1}, SIMA_A65_DEQUANT_DEINTERLEAVE, 3},
    {"pairs to 2 planes", {2, 2, 33}, {100, 1, 2}, {200, 60, 1}, SIMA_A65_DEQUANT_DEINTERLEAVE, 4},
    {"pixels to 4 planes", {1, 4, 33}, {0, 1, 4}, {0, 60, 1}, SIMA_A65_DEQUANT_DEINTERLEAVE, 4},
    {"every second", {1, 1, 200}, {0, 0, 2}, {0, 0, 1}, SIMA_A65_DEQUANT_THIN, 1},
    {"every third, rows of 17", {1, 9, 17}, {0, 51, 3}, {0, 20, 1}, SIMA_A65_DEQUANT_THIN, 9},
    {"every fourth", {1, 3, 47}, {0, 200, 4}, {0, 50, 1}, SIMA_A65_DEQUANT_THIN, 3},
    {"every second, rows of 16", {1, 9, 16}, {0, 51, 2}, {0, 20, 1}, SIMA_A65_DEQUANT_GATHER, 9},
    {"every fifth", {1, 9, 47}, {0, 300, 5}, {0, 50, 1}, SIMA_A65_DEQUANT_GATHER, 9},
    {"to every second", {1, 9, 47}, {0, 50, 1}, {0, 100, 2}, SIMA_A65_DEQUANT_SCATTER, 9},
    {"third to second", {1, 9, 47}, {0, 150, 3}, {0, 100, 2}, SIMA_A65_DEQUANT_STRIDED, 9},
    /* Too few elements to repay it. */
    {"127 elements", {1, 1, 127}, {0, 0, 2}, {0, 0, 1}, SPANS, 127},
    {"128 elements", {1, 1, 128}, {0, 0, 2}, {0, 0, 1}, SIMA_A65_DEQUANT_THIN, 1},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void fill_request(sample_request *const sample, const layout_case *const layout,
                         const sima_dtype output, const sima_dequant_params params)
{
    const int64_t width = output == SIMA_DTYPE_FLOAT32 ? 4 : 2;
    sample_init(sample, 1, output, params.scale, params.zero_point);
    sample->input.rank = sample->output.rank = AXES;
    sample->input.layout = sample->output.layout = SIMA_LAYOUT_STRIDED;
    for (int axis = 0; axis < AXES; ++axis) {
        sample->input.extent[axis] = sample->output.extent[axis] = layout->extent[axis];
        sample->input.stride[axis] = layout->input[axis];
        sample->output.stride[axis] = layout->output[axis] * width;
    }
}

static sima_a65_dequant_plan admitted(const sample_request *const sample, const char *const name)
{
    sima_a65_dequant_plan plan;
    sima_error error;
    ck_assert_msg(sima_a65_dequant_check_inference(&sample->request, &plan, &error) == SIMA_OK,
                  "%s: %s", name, error.message);
    return plan;
}

START_TEST(t2_t3_every_layout_has_its_shape)
{
    for (size_t i = 0; i < CASES; ++i) {
        sample_request sample;
        sima_a65_dequant_traversal traversal = {.axes = 0};
        fill_request(&sample, &cases[i], SIMA_DTYPE_FLOAT32, (sima_dequant_params){0.1f, 3});
        const sima_a65_dequant_plan plan = admitted(&sample, cases[i].name);
        const sima_axes axes = sima_a65_dequant_order_axes(&plan.shared);
        const int shape = (int)sima_a65_dequant_traverse_planes(&plan.shared, &axes, &traversal);
        ck_assert_msg(shape == cases[i].shape, "%s: shape %d instead of %d", cases[i].name, shape,
                      cases[i].shape);
    }
}
END_TEST

START_TEST(t1_t2_calls_spans_and_elements_are_told)
{
    for (size_t i = 0; i < CASES; ++i) {
        sample_request sample;
        fill_request(&sample, &cases[i], SIMA_DTYPE_BFLOAT16, (sima_dequant_params){0.1f, 3});
        const sima_a65_dequant_plan plan = admitted(&sample, cases[i].name);
        const sima_a65_dequant_tally tally = sima_a65_dequant_tally_of(&plan);
        const bool by_spans = cases[i].shape == SPANS;
        ck_assert_int_eq(tally.elements, plan.shared.elements);
        ck_assert_int_eq(plan.kernel->run == NULL, plan.kernel->run_plane != NULL);
        if (by_spans || plan.kernel->run_plane != NULL) {
            ck_assert_msg(tally.spans == cases[i].spans, "%s: %lld spans", cases[i].name,
                          (long long)tally.spans);
        }
        if (plan.kernel->run_plane != NULL) {
            ck_assert(!by_spans);
            ck_assert_int_le(tally.calls, 5);
        } else {
            ck_assert_int_eq(tally.calls, tally.spans);
        }
    }
}
END_TEST

START_TEST(t1_nothing_is_called_for_nothing)
{
    sample_request sample;
    sample_init(&sample, 0, SIMA_DTYPE_FLOAT32, 1.0f, 0);
    const sima_a65_dequant_plan empty = admitted(&sample, "span");
    const sima_a65_dequant_plan none = {.kernel = NULL};
    ck_assert_int_eq(sima_a65_dequant_tally_of(&empty).calls, 0);
    ck_assert_int_eq(sima_a65_dequant_tally_of(&none).calls, 0);
    sample_init(&sample, 64, SIMA_DTYPE_FLOAT32, 1.0f, 0);
    const sima_a65_dequant_plan dense = admitted(&sample, "span");
    ck_assert_int_eq(sima_a65_dequant_tally_of(&dense).calls, 1);
    ck_assert_int_eq(sima_a65_dequant_tally_of(&dense).spans, 1);
}
END_TEST

/* Of each class and rounding: a scale with no ties, one with ties of both parities, powers of two,
 * subnormal results, overflow. */
static const sima_dequant_params parameters[] = {
    {0.1f, 3},       {0.1f, 0},       {0x1.01p0f, -7},   {0x1p-3f, 5},      {0x1p-140f, 1},
    {0x1p120f, -9},  {0.1f, -128},    {0.1f, 300},       {0x1p-3f, 300},    {0x1.01p0f, 16777217},
    {0.1f, 8388481}, {0x1p-149f, 77}, {0.3f, INT32_MIN}, {0.3f, INT32_MAX},
};
enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

START_TEST(t3_t4_every_kernel_for_planes_is_reached_and_exact)
{
    const sima_a65_dequant_family *const family = sima_a65_dequant_best_family();
    const sima_dtype types[] = {SIMA_DTYPE_FLOAT32, SIMA_DTYPE_BFLOAT16};
    bool reached[1024] = {false};
    const layout_memory from = layout_memory_open();
    const layout_memory to = layout_memory_open();
    ck_assert_uint_lt(family->plane_count, sizeof reached);
    for (size_t i = 0; i < CASES * PARAMETERS * 2 * 2; ++i) {
        const layout_case *const layout = &cases[i / (PARAMETERS * 4)];
        const layout_position position = i % 2 == 0 ? LAYOUT_AT_START : LAYOUT_AT_END;
        sample_request sample;
        fill_request(&sample, layout, types[i / 2 % 2], parameters[i / 4 % PARAMETERS]);
        layout_check(&sample, layout->name, layout_place_in(&from, &sample.input, position),
                     layout_place_in(&to, &sample.output, position), (uint32_t)i);
        const sima_a65_dequant_plan plan = admitted(&sample, layout->name);
        if (plan.kernel->run_plane != NULL) {
            reached[plan.kernel - family->planes] = true;
        }
    }
    layout_memory_close(from);
    layout_memory_close(to);
    size_t count = 0;
    for (size_t i = 0; i < family->plane_count; ++i) {
        ck_assert_msg(reached[i], "%s: never reached", family->planes[i].name);
        ++count;
    }
    printf("kernels for planes: %zu of %zu reached\n", count, family->plane_count);
}
END_TEST

Suite *traversal_suite(void)
{
    Suite *const suite = suite_create("traversal");
    TCase *const tests = new_case(suite, "traversal");
    tcase_add_test(tests, t2_t3_every_layout_has_its_shape);
    tcase_add_test(tests, t1_t2_calls_spans_and_elements_are_told);
    tcase_add_test(tests, t1_nothing_is_called_for_nothing);
    tcase_add_test(tests, t3_t4_every_kernel_for_planes_is_reached_and_exact);
    return suite;
}
