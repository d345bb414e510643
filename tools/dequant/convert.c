/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"

#include "clock.h"

#include <string.h>

size_t result_width(const sima_dtype output)
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

static bool plan_for(const sima_tensor_spec *const input, const conversion *const wanted,
                     const float scale, sima_a65_dequant_plan *const plan, sima_error *const error)
{
    sima_tensor_spec result = {.dtype = wanted->output, .rank = input->rank};
    memcpy(result.extent, input->extent, sizeof result.extent);
    const sima_dequant_request request = {SIMA_OP_DEQUANT, input, 1,
                                          &result,         1,     {scale, wanted->zero_point}};
    return sima_a65_dequant_check_inference(&request, plan, error) == SIMA_OK;
}

bool admit_scale(const float scale, sima_error *const error)
{
    const sima_tensor_spec scalar = {.dtype = SIMA_DTYPE_INT8};
    const conversion any = {.output = SIMA_DTYPE_FLOAT32};
    sima_a65_dequant_plan plan;
    return plan_for(&scalar, &any, scale, &plan, error);
}

/* Spans and density are private fields of the plan, read here for --explain and nowhere else. */
bool admit_shape(const conversion *const wanted, explanation *const explained,
                 sima_error *const error)
{
    const sima_tensor_spec whole = describe_input(wanted->array);
    const sima_tensor_spec spec = wanted->per_row ? without_first_axis(&whole) : whole;
    sima_a65_dequant_plan plan;
    if (!plan_for(&spec, wanted, 1.0f, &plan, error)) {
        return false;
    }
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(&plan);
    explained->input_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_INPUT);
    explained->output_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT);
    explained->input_alignment = sima_dequant_required_alignment(shared, SIMA_PORT_INPUT);
    explained->output_alignment = sima_dequant_required_alignment(shared, SIMA_PORT_OUTPUT);
    explained->elements = shared->span;
    explained->dense = shared->dense != 0;
    explained->spans = shared->span == 0 ? 0 : shared->elements / shared->span;
    return true;
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
    ++*(place < explained->kernels ? &explained->kernel_calls[place] : &explained->other_calls);
}

static bool convert_one(const sima_tensor_spec *const input, const conversion *const wanted,
                        const float scale, const sima_const_host_buffer source,
                        const sima_host_buffer target, explanation *const explained,
                        sima_error *const error)
{
    sima_a65_dequant_plan plan;
    if (!plan_for(input, wanted, scale, &plan, error)) {
        return false;
    }
    const double started = clock_seconds();
    const sima_status status = sima_a65_dequant_execute(&plan, &source, 1, &target, 1, error);
    explained->numerical += clock_seconds() - started;
    note_kernel(explained, sima_a65_dequant_kernel_name(&plan));
    return status == SIMA_OK;
}

bool convert(const conversion *const wanted, void *const output, explanation *const explained,
             sima_error *const error)
{
    const npy_array *const array = wanted->array;
    const sima_tensor_spec whole = describe_input(array);
    const size_t input_size = (size_t)array->elements;
    const size_t output_size = input_size * result_width(wanted->output);
    if (!wanted->per_row) {
        return convert_one(&whole, wanted, wanted->scales[0],
                           (sima_const_host_buffer){wanted->input, input_size},
                           (sima_host_buffer){output, output_size}, explained, error);
    }
    const sima_tensor_spec row = without_first_axis(&whole);
    const size_t rows = (size_t)array->extent[0];
    for (size_t i = 0; i < rows; ++i) {
        const size_t begin = array->fortran_order ? i : i * (input_size / rows);
        const sima_const_host_buffer source = {wanted->input + begin, input_size - begin};
        const sima_host_buffer target = {(unsigned char *)output + i * (output_size / rows),
                                         output_size / rows};
        if (!convert_one(&row, wanted, wanted->scales[i], source, target, explained, error)) {
            return false;
        }
    }
    return true;
}
