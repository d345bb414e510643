/* SPDX-License-Identifier: Apache-2.0 */

/* Execution on any admitted layout of a bounded size, in buffers of exactly the required bytes:
 * every byte of the output is what the definition or the gap before it says. */

#include "fuzz.h"

#include "reference.h"

#include <simaai/kernels/a65/dequant.h>

enum { MOST_BYTES = 1 << 13, GAP = 0x5a };

static void take_layout(bytes *const from, sima_tensor_spec *const spec, const int64_t width)
{
    spec->layout = (take_u8(from) & 3) != 0 ? SIMA_LAYOUT_STRIDED : SIMA_LAYOUT_CONTIGUOUS;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        spec->stride[axis] = width * (take_u8(from) + (take_u8(from) % 4 == 0 ? 256 : 0));
    }
}

static void take_request(bytes *const from, sima_tensor_spec *const input,
                         sima_tensor_spec *const output)
{
    const uint8_t choice = take_u8(from);
    input->dtype = SIMA_DTYPE_INT8;
    output->dtype = (choice & 1) != 0 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16;
    input->rank = output->rank = choice / 2 % (SIMA_MAX_RANK + 1);
    for (int32_t axis = 0; axis < input->rank; ++axis) {
        const uint8_t extent = take_u8(from);
        input->extent[axis] = output->extent[axis] = extent < 224 ? extent % 8 : extent;
    }
    take_layout(from, input, 1);
    take_layout(from, output, (choice & 1) != 0 ? 4 : 2);
}

/* Row-major strides, where a layout has none of its own. */
static void spell_out(sima_tensor_spec *const spec, const int64_t width)
{
    int64_t stride = width;
    if (spec->layout == SIMA_LAYOUT_STRIDED) {
        return;
    }
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        spec->stride[axis] = stride;
        stride *= spec->extent[axis];
    }
}

static int64_t offset_of(const sima_tensor_spec *const spec, int64_t index)
{
    int64_t offset = 0;
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        offset += index % spec->extent[axis] * spec->stride[axis];
        index /= spec->extent[axis];
    }
    return offset;
}

/* The plainest loop, into a buffer of gaps. */
static void fill_wanted(const sima_dequant_plan *const plan, const sima_tensor_spec *const input,
                        const sima_tensor_spec *const output, const int8_t *const values,
                        unsigned char *const wanted)
{
    uint32_t scale;
    memcpy(&scale, &plan->params.scale, sizeof scale);
    for (int64_t index = 0; index < plan->elements; ++index) {
        const int8_t value = values[offset_of(input, index)];
        const uint32_t f32 = reference_f32(value, plan->params.zero_point, scale);
        const uint16_t bf16 = reference_narrow(f32);
        unsigned char *const place = wanted + offset_of(output, index);
        if (output->dtype == SIMA_DTYPE_FLOAT32) {
            memcpy(place, &f32, sizeof f32);
        } else {
            memcpy(place, &bf16, sizeof bf16);
        }
    }
}

static void execute(const sima_a65_dequant_plan *const plan, sima_tensor_spec input,
                    sima_tensor_spec output, bytes *const from)
{
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(plan);
    const size_t input_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_INPUT);
    const size_t output_bytes = sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT);
    if (input_bytes > MOST_BYTES || output_bytes > MOST_BYTES) {
        return;
    }
    int8_t *const values = malloc(input_bytes + (input_bytes == 0));
    unsigned char *const results = malloc(output_bytes + (output_bytes == 0));
    unsigned char *const wanted = malloc(output_bytes + (output_bytes == 0));
    REQUIRE(values != NULL && results != NULL && wanted != NULL);
    for (size_t i = 0; i < input_bytes; ++i) {
        values[i] = (int8_t)(from->left > 0 ? take_u8(from) : (uint8_t)(i * 37));
    }
    memset(results, GAP, output_bytes);
    memset(wanted, GAP, output_bytes);
    spell_out(&input, 1);
    spell_out(&output, output.dtype == SIMA_DTYPE_FLOAT32 ? 4 : 2);
    fill_wanted(shared, &input, &output, values, wanted);
    const sima_const_host_buffer source = {values, input_bytes};
    const sima_host_buffer target = {results, output_bytes};
    REQUIRE(sima_a65_dequant_execute(plan, &source, 1, &target, 1, NULL) == SIMA_OK);
    REQUIRE(memcmp(results, wanted, output_bytes) == 0);
    free(values);
    free(results);
    free(wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    bytes from = {data, size};
    sima_tensor_spec input = {0};
    sima_tensor_spec output = {0};
    take_request(&from, &input, &output);
    sima_dequant_request request = {SIMA_OP_DEQUANT, &input, 1, &output, 1, {0}};
    const uint32_t scale = take_u32(&from);
    const uint32_t zero_point = take_u32(&from);
    const uint32_t shift = take_u8(&from) % 32;
    memcpy(&request.params.scale, &scale, sizeof scale);
    request.params.zero_point = (int32_t)zero_point >> shift;
    sima_a65_dequant_plan plan;
    if (sima_a65_dequant_check_inference(&request, &plan, NULL) == SIMA_OK) {
        execute(&plan, input, output, &from);
    }
    return 0;
}
