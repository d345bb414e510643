/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Tests of the check that the layout tests rely on: whoever executes wrongly must be caught, and
 * for the right reason.
 */

#include "suites.h"

#include "geometry.h"
#include "layout_check.h"

#include <string.h>

/* ---- wrong ways to execute ---- */

/* Does it right, then does what `spoil` does. */
typedef void (*spoil_fn)(const sima_a65_dequant_plan *plan, const volatile int8_t *input,
                         unsigned char *output);
static spoil_fn spoil;

static sima_status execute_and_spoil(const sima_a65_dequant_plan *const plan,
                                     const sima_const_host_buffer *const inputs,
                                     const size_t input_count,
                                     const sima_host_buffer *const outputs,
                                     const size_t output_count, sima_error *const error)
{
    const sima_status status =
        sima_a65_dequant_execute(plan, inputs, input_count, outputs, output_count, error);
    spoil(plan, inputs->data, outputs->data);
    return status;
}

static sima_status execute_nothing(const sima_a65_dequant_plan *const plan,
                                   const sima_const_host_buffer *const inputs,
                                   const size_t input_count, const sima_host_buffer *const outputs,
                                   const size_t output_count, sima_error *const error)
{
    (void)plan, (void)inputs, (void)input_count, (void)outputs, (void)output_count;
    memset(error, 0, sizeof *error);
    return SIMA_OK;
}

/* As if nobody had given any buffer. */
static sima_status execute_refused(const sima_a65_dequant_plan *const plan,
                                   const sima_const_host_buffer *const inputs,
                                   const size_t input_count, const sima_host_buffer *const outputs,
                                   const size_t output_count, sima_error *const error)
{
    (void)input_count;
    return sima_a65_dequant_execute(plan, inputs, 2, outputs, output_count, error);
}

static size_t input_bytes(const sima_a65_dequant_plan *const plan)
{
    return sima_dequant_required_bytes(sima_a65_dequant_shared_plan(plan), SIMA_PORT_INPUT);
}

static size_t output_bytes(const sima_a65_dequant_plan *const plan)
{
    return sima_dequant_required_bytes(sima_a65_dequant_shared_plan(plan), SIMA_PORT_OUTPUT);
}

static void change_nothing(const sima_a65_dequant_plan *const plan,
                           const volatile int8_t *const input, unsigned char *const output)
{
    (void)plan, (void)input, (void)output;
}

static void change_last_byte(const sima_a65_dequant_plan *const plan,
                             const volatile int8_t *const input, unsigned char *const output)
{
    (void)input;
    output[output_bytes(plan) - 1] ^= 1;
}

/* The byte after the first row: see `sample` below. */
static void change_hole(const sima_a65_dequant_plan *const plan, const volatile int8_t *const input,
                        unsigned char *const output)
{
    (void)input;
    output[plan->shared.output.stride[0] - 1] ^= 0x80;
}

static void change_margin_before(const sima_a65_dequant_plan *const plan,
                                 const volatile int8_t *const input, unsigned char *const output)
{
    (void)plan, (void)input;
    output[-1] ^= 1;
}

static void change_margin_after(const sima_a65_dequant_plan *const plan,
                                const volatile int8_t *const input, unsigned char *const output)
{
    (void)input;
    output[output_bytes(plan)] ^= 1;
}

static void read_before(const sima_a65_dequant_plan *const plan, const volatile int8_t *const input,
                        unsigned char *const output)
{
    (void)plan, (void)output;
    (void)input[-1];
}

static void read_after(const sima_a65_dequant_plan *const plan, const volatile int8_t *const input,
                       unsigned char *const output)
{
    (void)output;
    (void)input[input_bytes(plan)];
}

static void change_input(const sima_a65_dequant_plan *const plan,
                         const volatile int8_t *const input, unsigned char *const output)
{
    (void)plan, (void)output;
    *(volatile int8_t *)(uintptr_t)input ^= 1;
}

/* The page after the first row, where rows have pages of their own. */
static void read_hole_page(const sima_a65_dequant_plan *const plan,
                           const volatile int8_t *const input, unsigned char *const output)
{
    (void)output;
    (void)input[plan->shared.input.stride[0] / 2];
}

static void rewrite_hole_page(const sima_a65_dequant_plan *const plan,
                              const volatile int8_t *const input, unsigned char *const output)
{
    volatile unsigned char *const hole = output + plan->shared.output.stride[0] / 2;
    (void)input;
    *hole = *hole;
}

/* ---- what is said of them ---- */

/* Five rows of seven, an element free after each. */
static void make_rows(sample_request *const sample, const sima_dtype output)
{
    arrangement how = geometry_row_major(2);
    how.pad[1] = 1;
    sample_init(sample, 0, output, 0.1f, -3);
    sample->input.rank = sample->output.rank = 2;
    memcpy(sample->input.extent, (int64_t[]){5, 7}, 2 * sizeof(int64_t));
    memcpy(sample->output.extent, (int64_t[]){5, 7}, 2 * sizeof(int64_t));
    geometry_arrange(&sample->input, &how);
    geometry_arrange(&sample->output, &how);
}

typedef struct fault {
    layout_execute_fn execute;
    spoil_fn spoil;
    layout_position position;
    const char *complaint; /* contains this; NULL: there is none */
} fault;

static void check_complaint(const char *const complaint, const char *const wanted)
{
    if (wanted == NULL) {
        ck_assert_msg(complaint == NULL, "%s", complaint);
        return;
    }
    ck_assert_msg(complaint != NULL, "not caught; wanted: %s", wanted);
    ck_assert_msg(strstr(complaint, wanted) != NULL, "%s: wanted: %s", complaint, wanted);
}

START_TEST(whoever_executes_wrongly_is_caught)
{
    static const char page[] = "touched a protected page";
    static const char hole[] = "which is no element's";
    static const fault faults[] = {
        {execute_and_spoil, change_nothing, LAYOUT_AT_END, NULL},
        {execute_and_spoil, change_nothing, LAYOUT_AT_START, NULL},
        {execute_and_spoil, change_nothing, LAYOUT_IN_BETWEEN, NULL},
        {execute_nothing, NULL, LAYOUT_AT_END, "wrong result at coordinates {0, 0}"},
        {execute_refused, NULL, LAYOUT_AT_END, "input_count"},
        {execute_and_spoil, change_last_byte, LAYOUT_AT_END, "wrong result at coordinates {4, 6}"},
        {execute_and_spoil, change_hole, LAYOUT_AT_END, hole},
        {execute_and_spoil, change_hole, LAYOUT_AT_START, hole},
        {execute_and_spoil, change_margin_before, LAYOUT_IN_BETWEEN, "byte -1, which is no"},
        {execute_and_spoil, change_margin_after, LAYOUT_IN_BETWEEN, hole},
        {execute_and_spoil, change_margin_before, LAYOUT_AT_START, page},
        {execute_and_spoil, change_margin_after, LAYOUT_AT_END, page},
        {execute_and_spoil, read_before, LAYOUT_AT_START, page},
        {execute_and_spoil, read_after, LAYOUT_AT_END, page},
        {execute_and_spoil, change_input, LAYOUT_AT_END, "wrote to the input"},
    };
    const layout_memory input = layout_memory_open();
    const layout_memory output = layout_memory_open();
    for (size_t i = 0; i < 2 * sizeof faults / sizeof faults[0]; ++i) {
        const fault *const tried = &faults[i / 2];
        sample_request sample;
        make_rows(&sample, i % 2 == 0 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16);
        spoil = tried->spoil;
        check_complaint(layout_complaint(&sample, "five rows",
                                         layout_place_in(&input, &sample.input, tried->position),
                                         layout_place_in(&output, &sample.output, tried->position),
                                         (uint32_t)i, tried->execute),
                        tried->complaint);
    }
    layout_memory_close(input);
    layout_memory_close(output);
}
END_TEST

START_TEST(whoever_touches_a_large_hole_is_caught)
{
    static const struct {
        spoil_fn spoil;
        const char *complaint;
    } faults[] = {{change_nothing, NULL},
                  {read_hole_page, "touched a protected page"},
                  {rewrite_hole_page, "touched a protected page"}};
    const striped input = guard_map_stripes(5);
    const striped output = guard_map_stripes(5);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        sample_request sample;
        make_rows(&sample, SIMA_DTYPE_FLOAT32);
        sample.input.stride[0] = sample.output.stride[0] = 2 * (int64_t)input.page;
        const layout_place from = {input, 0, (size_t)geometry_bytes(&sample.input)};
        const layout_place to = {output, 0, (size_t)geometry_bytes(&sample.output)};
        spoil = faults[i].spoil;
        check_complaint(layout_complaint(&sample, "five rows, a page each", from, to, (uint32_t)i,
                                         execute_and_spoil),
                        faults[i].complaint);
    }
    guard_unmap_stripes(input);
    guard_unmap_stripes(output);
}
END_TEST

Suite *layout_check_suite(void)
{
    Suite *const suite = suite_create("layout_check");
    TCase *const tests = new_case(suite, "layout_check");
    tcase_add_test(tests, whoever_executes_wrongly_is_caught);
    tcase_add_test(tests, whoever_touches_a_large_hole_is_caught);
    return suite;
}
