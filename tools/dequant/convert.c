/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "convert.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t width_of(const sima_dtype output)
{
    return output == SIMA_DTYPE_FLOAT32 ? 4 : 2;
}

/* The whole array as the library sees it: C order is contiguous, Fortran order is strides that
 * grow the other way. */
static sima_tensor_spec describe_input(const npy_array *const array)
{
    sima_tensor_spec spec = {.dtype = SIMA_DTYPE_INT8, .rank = array->rank};
    int64_t stride = 1;
    spec.layout = array->fortran_order ? SIMA_LAYOUT_STRIDED : SIMA_LAYOUT_CONTIGUOUS;
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        spec.extent[axis] = array->extent[axis];
        spec.stride[axis] = array->fortran_order ? stride : 0;
        stride = array->elements == 0 ? 1 : stride * array->extent[axis];
    }
    return spec;
}

/* One index of the first axis: the axes that remain, and their strides. */
static sima_tensor_spec without_first_axis(const sima_tensor_spec *const spec)
{
    sima_tensor_spec row = *spec;
    --row.rank;
    for (int32_t axis = 0; axis < row.rank; ++axis) {
        row.extent[axis] = spec->extent[axis + 1];
        row.stride[axis] = spec->stride[axis + 1];
    }
    return row;
}

static void note_kernel(explanation *const explained, const char *const kernel)
{
    int place = 0;
    while (place < explained->kernels && explained->kernel[place] != kernel) {
        ++place;
    }
    if (place == explained->kernels && place < CONVERT_KERNELS) {
        explained->kernel[explained->kernels++] = kernel;
    }
    ++*(place < explained->kernels ? &explained->kernel_plans[place] : &explained->other_plans);
}

/* Spans and density are private fields of the plan, read here for --explain and nowhere else. */
static void note_plan(explanation *const explained, const sima_a65_dequant_plan *const plan)
{
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(plan);
    explained->input_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_INPUT);
    explained->output_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT);
    explained->input_alignment = sima_dequant_required_alignment(shared, SIMA_PORT_INPUT);
    explained->output_alignment = sima_dequant_required_alignment(shared, SIMA_PORT_OUTPUT);
    explained->elements = shared->span;
    explained->dense = shared->dense != 0;
    explained->spans = shared->span == 0 ? 0 : shared->elements / shared->span;
    ++explained->plans;
    note_kernel(explained, sima_a65_dequant_kernel_name(plan));
}

static bool convert_one(const sima_tensor_spec *const input, const sima_dtype output,
                        const float scale, const int32_t zero_point, const int8_t *const from,
                        const size_t from_size, void *const to, const size_t to_size,
                        explanation *const explained, sima_error *const error)
{
    sima_tensor_spec result = {.dtype = output, .rank = input->rank};
    memcpy(result.extent, input->extent, sizeof result.extent);
    const sima_dequant_request request = {SIMA_OP_DEQUANT, input, 1,
                                          &result,         1,     {scale, zero_point}};
    sima_a65_dequant_plan plan;
    if (sima_a65_dequant_check_inference(&request, &plan, error) != SIMA_OK) {
        return false;
    }
    const sima_const_host_buffer source = {from, from_size};
    const sima_host_buffer target = {to, to_size};
    note_plan(explained, &plan);
    const double started = now();
    const sima_status status = sima_a65_dequant_execute(&plan, &source, 1, &target, 1, error);
    explained->seconds += now() - started;
    return status == SIMA_OK;
}

bool convert(const conversion *const wanted, void *const output, explanation *const explained,
             sima_error *const error)
{
    const npy_array *const array = wanted->array;
    const sima_tensor_spec whole = describe_input(array);
    const size_t input_size = (size_t)array->elements;
    const size_t output_size = input_size * (size_t)width_of(wanted->output);
    memset(explained, 0, sizeof *explained);
    if (!wanted->per_row) {
        return convert_one(&whole, wanted->output, wanted->scales[0], wanted->zero_point,
                           wanted->input, input_size, output, output_size, explained, error);
    }
    const sima_tensor_spec row = without_first_axis(&whole);
    const int64_t rows = array->extent[0];
    for (int64_t i = 0; i < rows; ++i) {
        const size_t row_elements = input_size / (size_t)rows;
        const size_t row_bytes = output_size / (size_t)rows;
        const size_t start = array->fortran_order ? (size_t)i : (size_t)i * row_elements;
        const size_t begin = array->elements == 0 ? 0 : start;
        unsigned char *const to = (unsigned char *)output + (size_t)i * row_bytes;
        if (!convert_one(&row, wanted->output, wanted->scales[i], wanted->zero_point,
                         wanted->input + begin, input_size - begin, to, row_bytes, explained,
                         error)) {
            error->axis = (int32_t)(i < INT32_MAX ? i : INT32_MAX);
            return false;
        }
    }
    return true;
}
