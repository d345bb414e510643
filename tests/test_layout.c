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
    ck_assert_uint_eq(input_bytes, spanned_bytes(&sample->input, 1));
    ck_assert_uint_eq(output_bytes, spanned_bytes(&sample->output, width_of(sample->output.dtype)));
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
static void careless_strides(random_state *const random, sima_tensor_spec *const spec,
                             const int64_t width)
{
    spec->layout = SIMA_LAYOUT_STRIDED;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        spec->stride[axis] = width * (1 + random_below(random, random_below(random, 2) ? 6 : 40));
    }
}

static bool touches_a_byte_twice(const sima_tensor_spec *const spec, const int64_t width)
{
    static unsigned char marks[MOST_BYTES];
    memset(marks, 0, sizeof marks);
    const int64_t count = count_of(spec);
    for (int64_t i = 0; i < count; ++i) {
        for (int64_t byte = 0; byte < width; ++byte) {
            if (marks[offset_of(spec, i) + byte]++ != 0) {
                return true;
            }
        }
    }
    return false;
}

/* The proof that is asked for, said without sorting: no two axes that move have the same stride,
 * and each stride is at least what the axes with smaller ones span together. */
static bool is_provably_apart(const sima_tensor_spec *const spec, const int64_t width)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        int64_t spanned = width;
        for (int32_t other = 0; spec->extent[axis] > 1 && other < spec->rank; ++other) {
            if (other == axis || spec->extent[other] < 2) {
                continue;
            }
            if (spec->stride[other] == spec->stride[axis]) {
                return false;
            }
            if (spec->stride[other] < spec->stride[axis]) {
                spanned += (spec->extent[other] - 1) * spec->stride[other];
            }
        }
        if (spec->extent[axis] > 1 && spec->stride[axis] < spanned) {
            return false;
        }
    }
    return true;
}

/* What became of the careless layouts. */
typedef struct outcomes {
    int admitted;
    int refused;
    int refused_though_apart;
} outcomes;

static void check_admission(const sample_request *const sample, const sima_port port,
                            const sima_tensor_spec *const spec, const int64_t width,
                            outcomes *const seen)
{
    sima_dequant_plan plan;
    sima_error error;
    const bool empty = count_of(spec) == 0;
    const bool twice = !empty && touches_a_byte_twice(spec, width);
    const sima_status status = sima_dequant_check_inference(&sample->request, &plan, &error);
    ck_assert_int_eq(status == SIMA_OK, empty || is_provably_apart(spec, width));
    if (status == SIMA_OK) {
        ck_assert(!twice);
        ck_assert_uint_eq(sima_dequant_required_bytes(&plan, port), spanned_bytes(spec, width));
        ++seen->admitted;
    } else {
        ck_assert_int_eq(error.status, SIMA_INVALID_LAYOUT);
        ck_assert_int_eq(error.port, port);
        ck_assert_int_ge(error.axis, 0);
        ck_assert_int_lt(error.axis, spec->rank);
        ++seen->refused;
        seen->refused_though_apart += !twice;
    }
}

START_TEST(a6_what_is_admitted_is_just_what_the_proof_covers)
{
    random_state random = {test_seed + 1};
    outcomes seen = {0, 0, 0};
    for (int i = 0; i < 20000; ++i) {
        sample_request sample;
        const bool on_input = i % 2 == 0;
        sample_init(&sample, 0, random_output(&random), 1.0f, 0);
        sima_tensor_spec *const spec = on_input ? &sample.input : &sample.output;
        const int64_t width = on_input ? 1 : width_of(sample.output.dtype);
        random_shape(&random, spec);
        sample.input.rank = sample.output.rank = spec->rank;
        memcpy(sample.input.extent, spec->extent, sizeof spec->extent);
        memcpy(sample.output.extent, spec->extent, sizeof spec->extent);
        careless_strides(&random, spec, width);
        if (spanned_bytes(spec, width) <= MOST_BYTES) {
            check_admission(&sample, on_input ? SIMA_PORT_INPUT : SIMA_PORT_OUTPUT, spec, width,
                            &seen);
        }
    }
    printf("careless layouts: %d admitted, %d refused, %d of them apart but interleaved\n",
           seen.admitted, seen.refused, seen.refused_though_apart);
    ck_assert_int_gt(seen.admitted, 1000);
    ck_assert_int_gt(seen.refused, 1000);
    ck_assert_int_gt(seen.refused_though_apart, 100);
}
END_TEST

/* ---- holes that fault ---- */

enum { ROWS = 24, ROW_MAX = 80 };

/* Rows of `length` elements, one to a page, with a protected page between any two. Transposed, the
 * rows are the logical columns: the same bytes in another order. */
static void make_rows(sample_request *const sample, const sima_dtype output, const size_t length,
                      const bool transposed, const size_t page)
{
    static const sima_dequant_params params[] = {{0.25f, 0}, {0.1f, -128}, {0.3f, 5}, {2.0f, 300}};
    const int64_t width = width_of(output);
    const int row_axis = transposed ? 1 : 0;
    const sima_dequant_params chosen = params[length % 4];
    sample_init(sample, 0, output, chosen.scale, chosen.zero_point);
    for (int port = 0; port < 2; ++port) {
        sima_tensor_spec *const spec = port == 0 ? &sample->input : &sample->output;
        spec->rank = 2;
        spec->layout = SIMA_LAYOUT_STRIDED;
        spec->extent[row_axis] = ROWS;
        spec->extent[1 - row_axis] = (int64_t)length;
        spec->stride[row_axis] = 2 * (int64_t)page;
        spec->stride[1 - row_axis] = port == 0 ? 1 : width;
    }
}

/* The guard pattern in each page; row by row, so that the holes are not touched here either. */
static void fill_stripes(const striped memory)
{
    for (size_t i = 0; i < memory.count; ++i) {
        guard_fill((guarded){memory.begin + 2 * i * memory.page, memory.page});
    }
}

static void check_stripes(const striped memory, const unsigned char *const first, const size_t size)
{
    for (size_t i = 0; i < memory.count; ++i) {
        const guarded page = {memory.begin + 2 * i * memory.page, memory.page};
        ck_assert(guard_is_untouched_outside(page, first + 2 * i * memory.page, size));
    }
}

static void check_rows(const striped input, const striped output, const sima_dtype dtype,
                       const size_t length, const bool transposed, const bool at_end)
{
    sample_request sample;
    sima_a65_dequant_plan plan;
    make_rows(&sample, dtype, length, transposed, input.page);
    ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, NULL), SIMA_OK);
    const size_t output_size = length * (size_t)width_of(dtype);
    unsigned char *const source = input.begin + (at_end ? input.page - length : 0);
    unsigned char *const target = output.begin + (at_end ? output.page - output_size : 0);
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(&plan);
    const sima_const_host_buffer from = {source,
                                         sima_dequant_required_bytes(shared, SIMA_PORT_INPUT)};
    const sima_host_buffer to = {target, sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT)};
    fill_stripes(input);
    fill_stripes(output);
    ck_assert_int_eq(sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL), SIMA_OK);
    check_results(&sample, source, target);
    check_stripes(output, target, output_size);
    check_stripes(input, source, 0);
}

START_TEST(e2_holes_are_neither_read_nor_written)
{
    const striped input = guard_map_stripes(ROWS);
    const striped output = guard_map_stripes(ROWS);
    for (size_t length = 1; length <= ROW_MAX; ++length) {
        for (int way = 0; way < 8; ++way) {
            check_rows(input, output, way & 1 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16, length,
                       (way & 2) != 0, (way & 4) != 0);
        }
    }
    guard_unmap_stripes(input);
    guard_unmap_stripes(output);
}
END_TEST

Suite *layout_suite(void)
{
    Suite *const suite = suite_create("layout");
    TCase *const tests = new_case(suite, "layout");
    tcase_add_test(tests, e2_random_layouts_touch_their_elements_only);
    tcase_add_test(tests, e2_holes_are_neither_read_nor_written);
    tcase_add_test(tests, a6_what_is_admitted_is_just_what_the_proof_covers);
    return suite;
}
