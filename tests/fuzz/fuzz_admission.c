/* SPDX-License-Identifier: Apache-2.0 */

/* Admission and preparation of any request: every field is any bits. */

#include "fuzz.h"

#include <simaai/kernels/a65/dequant.h>

#include <stdbool.h>

__extension__ typedef __int128 wide;

typedef struct request_bytes {
    sima_op op;
    sima_tensor_spec input;
    sima_tensor_spec output;
    size_t input_count;
    size_t output_count;
    sima_dequant_params params;
} request_bytes;

static wide elements_of(const sima_tensor_spec *const spec)
{
    wide elements = 1;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        elements *= spec->extent[axis];
        elements = elements > INT64_MAX ? (wide)INT64_MAX + 1 : elements;
    }
    return elements;
}

/* Bytes up to the last element's end, in a type that no admitted sum fills. */
static wide bytes_of(const sima_tensor_spec *const spec, const wide width)
{
    if (spec->layout == SIMA_LAYOUT_CONTIGUOUS) {
        return elements_of(spec) * width;
    }
    wide last = 0;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] == 0) {
            return 0;
        }
        last += (wide)(spec->extent[axis] - 1) * spec->stride[axis];
    }
    return last + width;
}

/* Whether each axis that moves steps over all that the smaller steps reach. Equal steps cannot. */
static bool is_apart(const sima_tensor_spec *const spec, const int32_t axis, const wide width)
{
    wide reached = width;
    for (int32_t other = 0; other < spec->rank; ++other) {
        const int64_t step = spec->stride[other];
        const bool smaller =
            step < spec->stride[axis] || (step == spec->stride[axis] && other < axis);
        if (smaller && spec->extent[other] > 1) {
            reached += (wide)(spec->extent[other] - 1) * step;
        }
    }
    return spec->extent[axis] <= 1 || spec->stride[axis] >= reached;
}

static void check_layout(const sima_tensor_spec *const spec, const wide width)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->layout == SIMA_LAYOUT_STRIDED) {
            REQUIRE(spec->stride[axis] >= 0 && spec->stride[axis] % width == 0);
            REQUIRE(elements_of(spec) == 0 || is_apart(spec, axis, width));
        }
    }
}

static void check_port(const sima_dequant_plan *const plan, const sima_port port,
                       const sima_tensor_spec *const spec, const wide width)
{
    check_layout(spec, width);
    REQUIRE((wide)sima_dequant_required_bytes(plan, port) == bytes_of(spec, width));
    REQUIRE((wide)sima_dequant_required_alignment(plan, port) == width);
}

static void check_admitted(const request_bytes *const request,
                           const sima_a65_dequant_plan *const plan)
{
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(plan);
    const wide width = request->output.dtype == SIMA_DTYPE_FLOAT32 ? 4 : 2;
    uint32_t scale;
    memcpy(&scale, &request->params.scale, sizeof scale);
    REQUIRE(scale > 0 && scale < 0x7f800000);
    REQUIRE(request->input_count == 1 && request->output_count == 1);
    REQUIRE(request->input.rank >= 0 && request->input.rank <= SIMA_MAX_RANK);
    REQUIRE(shared != NULL && sima_a65_dequant_kernel_name(plan) != NULL);
    REQUIRE((wide)shared->elements == elements_of(&request->input));
    REQUIRE(shared->span >= (shared->elements > 0) && shared->span <= shared->elements);
    check_port(shared, SIMA_PORT_INPUT, &request->input, 1);
    check_port(shared, SIMA_PORT_OUTPUT, &request->output, width);
}

static bool is_zeroed(const sima_a65_dequant_plan *const plan)
{
    const unsigned char *const byte = (const unsigned char *)plan;
    for (size_t i = 0; i < sizeof *plan; ++i) {
        if (byte[i] != 0) {
            return false;
        }
    }
    return true;
}

static void check_refused(const sima_error *const error, const sima_a65_dequant_plan *const plan)
{
    REQUIRE(is_zeroed(plan));
    REQUIRE(strlen(error->message) > 20 && strchr(error->message, '\n') == NULL);
    REQUIRE(error->axis >= -1 && error->axis < SIMA_MAX_RANK);
    REQUIRE(error->port >= SIMA_PORT_NONE && error->port <= SIMA_PORT_OUTPUT);
    REQUIRE(sima_a65_dequant_execute(plan, NULL, 1, NULL, 1, NULL) == SIMA_INVALID_ARGUMENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    bytes from = {data, size};
    request_bytes request;
    take(&from, &request, sizeof request);
    const sima_dequant_request asked = {request.op,      &request.input,       request.input_count,
                                        &request.output, request.output_count, request.params};
    sima_a65_dequant_plan plan;
    sima_error error;
    memset(&plan, 0xee, sizeof plan);
    const sima_status status = sima_a65_dequant_check_inference(&asked, &plan, &error);
    REQUIRE(error.status == status && sima_status_name(status) != NULL);
    if (status == SIMA_OK) {
        check_admitted(&request, &plan);
    } else {
        check_refused(&error, &plan);
    }
    return 0;
}
