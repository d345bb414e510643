/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clauses A6, A10, E2 and N6 on random layouts: admission against an oracle that marks every
 * byte, execution against the plainest possible loop, between guard pages.
 */

#include "suites.h"

#include "guard.h"
#include "harness.h"
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 14 };

/* ---- coordinates ---- */

static int64_t offset_of(const sima_tensor_spec *const spec, int64_t index)
{
    int64_t offset = 0;
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        offset += index % spec->extent[axis] * spec->stride[axis];
        index /= spec->extent[axis];
    }
    return offset;
}

static int64_t count_of(const sima_tensor_spec *const spec)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        count *= spec->extent[axis];
    }
    return count;
}

/* ---- random layouts ---- */

static void random_shape(random_state *const random, sima_tensor_spec *const spec)
{
    spec->rank = (int32_t)random_below(random, SIMA_MAX_RANK + 1);
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        const uint32_t kind = random_below(random, 16);
        spec->extent[axis] = kind == 0   ? 0
                             : kind < 5  ? 1
                             : kind == 5 ? 16 + random_below(random, 24)
                                         : 2 + random_below(random, 4);
    }
    if (spec->rank > 4) {
        spec->extent[0] = spec->extent[0] > 2 ? 2 : spec->extent[0];
        spec->extent[3] = spec->extent[3] > 2 ? 2 : spec->extent[3];
    }
}

/* A random order of the axes, faster ones first, each stride a little or nothing above what it
 * needs, so that permutations, padding and inner strides all come up. */
static void random_strides(random_state *const random, sima_tensor_spec *const spec,
                           const int64_t width)
{
    int32_t order[SIMA_MAX_RANK];
    int64_t spanned = width;
    const bool permute = random_below(random, 2) != 0;
    const bool pad = random_below(random, 2) != 0;
    spec->layout = SIMA_LAYOUT_STRIDED;
    for (int32_t i = 0; i < spec->rank; ++i) {
        order[i] = spec->rank - 1 - i;
    }
    for (int32_t i = spec->rank - 1; permute && i > 0; --i) {
        const int32_t other = (int32_t)random_below(random, (uint32_t)i + 1);
        const int32_t axis = order[i];
        order[i] = order[other];
        order[other] = axis;
    }
    for (int32_t i = 0; i < spec->rank; ++i) {
        const int32_t axis = order[i];
        const int64_t extent = spec->extent[axis];
        const int64_t gap = pad && random_below(random, 3) == 0 ? random_below(random, 5) : 0;
        const int64_t stride = (spanned + width - 1) / width * width + gap * width;
        spec->stride[axis] = stride;
        if (extent > 1) {
            spanned += (extent - 1) * stride;
        } else if (random_below(random, 2) != 0) {
            spec->stride[axis] = random_below(random, 9) * width;
        }
    }
}

static sima_dtype random_output(random_state *const random)
{
    return random_below(random, 2) != 0 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16;
}

static int64_t width_of(const sima_dtype output)
{
    return output == SIMA_DTYPE_FLOAT32 ? 4 : 2;
}

static void random_sample(random_state *const random, sample_request *const sample)
{
    static const float scales[] = {0.25f, 1.0f, 0.1f, 8.0f, 3.0f};
    static const int32_t zero_points[] = {0, -128, 5, 300, 16777217};
    const sima_dtype output = random_output(random);
    sample_init(sample, 0, output, scales[random_below(random, 5)],
                zero_points[random_below(random, 5)]);
    random_shape(random, &sample->input);
    sample->output.rank = sample->input.rank;
    memcpy(sample->output.extent, sample->input.extent, sizeof sample->input.extent);
    random_strides(random, &sample->input, 1);
    random_strides(random, &sample->output, width_of(output));
}

/* ---- execution against the plainest loop ---- */

static bool is_written(const sima_tensor_spec *const spec, const int64_t width,
                       unsigned char *const marks)
{
    const int64_t count = count_of(spec);
    for (int64_t i = 0; i < count; ++i) {
        memset(marks + offset_of(spec, i), 1, (size_t)width);
    }
    return count > 0;
}

static void check_results(const sample_request *const sample, const unsigned char *const input,
                          const unsigned char *const output)
{
    const int64_t count = count_of(&sample->input);
    uint32_t scale;
    memcpy(&scale, &sample->request.params.scale, sizeof scale);
    for (int64_t i = 0; i < count; ++i) {
        const int8_t value = (int8_t)input[offset_of(&sample->input, i)];
        const uint32_t want = reference_f32(value, sample->request.params.zero_point, scale);
        const uint16_t narrowed = reference_narrow(want);
        const bool is_f32 = sample->output.dtype == SIMA_DTYPE_FLOAT32;
        const void *const bytes = is_f32 ? (const void *)&want : (const void *)&narrowed;
        ck_assert_mem_eq(output + offset_of(&sample->output, i), bytes, is_f32 ? 4 : 2);
    }
}

static void check_holes(const sample_request *const sample, const guarded memory, const size_t base,
                        const size_t required)
{
    static unsigned char marks[MOST_BYTES];
    memset(marks, 0, sizeof marks);
    is_written(&sample->output, width_of(sample->output.dtype), marks);
    for (size_t i = 0; i < required; ++i) {
        if (!marks[i]) {
            ck_assert_uint_eq(memory.begin[base + i], guard_pattern(base + i));
        }
    }
}

/* Both buffers end, or both begin, at a guard page. */
static void check_execution(const sample_request *const sample, const guarded input_memory,
                            const guarded output_memory, const bool at_end)
{
    sima_a65_dequant_plan plan;
    sima_error error;
    const sima_status admitted = sima_a65_dequant_check_inference(&sample->request, &plan, &error);
    ck_assert_msg(admitted == SIMA_OK, "%s", error.message);
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(&plan);
    const size_t input_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_INPUT);
    const size_t output_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT);
    const size_t input_base = at_end ? input_memory.size - input_bytes : 0;
    const size_t output_base = at_end ? output_memory.size - output_bytes : 0;
    const sima_const_host_buffer from = {input_memory.begin + input_base, input_bytes};
    const sima_host_buffer to = {output_memory.begin + output_base, output_bytes};
    guard_fill(input_memory);
    guard_fill(output_memory);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, &error), SIMA_OK);
    check_results(sample, from.data, to.data);
    ck_assert(guard_is_untouched_outside(output_memory, to.data, output_bytes));
    ck_assert(guard_is_untouched_outside(input_memory, input_memory.begin, 0));
    check_holes(sample, output_memory, output_base, output_bytes);
}

static size_t spanned_bytes(const sima_tensor_spec *const spec, const int64_t width)
{
    int64_t last = 0;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] == 0) {
            return 0;
        }
        last += (spec->extent[axis] - 1) * spec->stride[axis];
    }
    return (size_t)(last + width);
}

START_TEST(e2_random_layouts_touch_their_elements_only)
{
    random_state random = {test_seed};
    const guarded input = guard_map(MOST_BYTES);
    const guarded output = guard_map(MOST_BYTES);
    int ran = 0;
    while (ran < SIMA_RANDOM_LAYOUTS) {
        sample_request sample;
        random_sample(&random, &sample);
        if (spanned_bytes(&sample.input, 1) > MOST_BYTES ||
            spanned_bytes(&sample.output, width_of(sample.output.dtype)) > MOST_BYTES) {
            continue;
        }
        check_execution(&sample, input, output, ran % 2 == 0);
        ++ran;
    }
    printf("random layouts executed: %d\n", ran);
    guard_unmap(input);
    guard_unmap(output);
}
END_TEST

/* ---- admission against an oracle ---- */

/* Strides without any care: many overlap. */
static void careless_strides(random_state *const random, sima_tensor_spec *const spec)
{
    spec->layout = SIMA_LAYOUT_STRIDED;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        spec->stride[axis] = 1 + random_below(random, random_below(random, 2) ? 6 : 40);
    }
}

static bool touches_a_byte_twice(const sima_tensor_spec *const spec)
{
    static unsigned char marks[MOST_BYTES];
    memset(marks, 0, sizeof marks);
    const int64_t count = count_of(spec);
    for (int64_t i = 0; i < count; ++i) {
        if (marks[offset_of(spec, i)]++ != 0) {
            return true;
        }
    }
    return false;
}

START_TEST(a6_no_admitted_layout_touches_a_byte_twice)
{
    random_state random = {test_seed + 1};
    int admitted = 0;
    int refused = 0;
    int refused_though_apart = 0;
    for (int i = 0; i < 20000; ++i) {
        sample_request sample;
        sima_dequant_plan plan;
        sample_init(&sample, 0, SIMA_DTYPE_FLOAT32, 1.0f, 0);
        random_shape(&random, &sample.input);
        sample.output.rank = sample.input.rank;
        memcpy(sample.output.extent, sample.input.extent, sizeof sample.input.extent);
        careless_strides(&random, &sample.input);
        sima_error error;
        if (spanned_bytes(&sample.input, 1) > MOST_BYTES) {
            continue;
        }
        const bool twice = touches_a_byte_twice(&sample.input);
        if (sima_dequant_check_inference(&sample.request, &plan, &error) == SIMA_OK) {
            ck_assert(!twice);
            ck_assert_uint_eq(sima_dequant_required_bytes(&plan, SIMA_PORT_INPUT),
                              spanned_bytes(&sample.input, 1));
            ++admitted;
        } else {
            ck_assert_int_eq(error.status, SIMA_INVALID_LAYOUT);
            ck_assert_int_eq(error.port, SIMA_PORT_INPUT);
            ++refused;
            refused_though_apart += !twice;
        }
    }
    printf("careless layouts: %d admitted, %d refused, %d of them apart but interleaved\n",
           admitted, refused, refused_though_apart);
    ck_assert_int_gt(admitted, 1000);
    ck_assert_int_gt(refused, 1000);
}
END_TEST

Suite *layout_suite(void)
{
    Suite *const suite = suite_create("layout");
    TCase *const tests = new_case(suite, "layout");
    tcase_add_test(tests, e2_random_layouts_touch_their_elements_only);
    tcase_add_test(tests, a6_no_admitted_layout_touches_a_byte_twice);
    return suite;
}
