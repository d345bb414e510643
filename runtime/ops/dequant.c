/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/ops/dequant.h>

#include "../error.h"
#include "layout.h"

#include <stdbool.h>
#include <string.h>

/* binary32 fields. */
#define SIMA_SIGN_BIT 0x80000000u
#define SIMA_INFINITY_BITS 0x7f800000u

static sima_status check_counts(const sima_dequant_request *const request, sima_error *const error)
{
    if (request->input_count != 1) {
        return sima_fail(error, SIMA_INVALID_ARITY, SIMA_PORT_INPUT, SIMA_NO_AXIS,
                         "dequantization takes exactly one input; set input_count to 1");
    }
    if (request->output_count != 1) {
        return sima_fail(error, SIMA_INVALID_ARITY, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                         "dequantization gives exactly one output; set output_count to 1");
    }
    if (request->inputs == NULL) {
        return sima_fail(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_INPUT, SIMA_NO_AXIS,
                         "inputs is NULL; point it to the input's tensor spec");
    }
    if (request->outputs == NULL) {
        return sima_fail(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                         "outputs is NULL; point it to the output's tensor spec");
    }
    return SIMA_OK;
}

static sima_status check_dtypes(const sima_tensor_spec *const input,
                                const sima_tensor_spec *const output, sima_error *const error)
{
    if (input->dtype != SIMA_DTYPE_INT8) {
        return sima_fail(error, SIMA_UNSUPPORTED_DTYPE, SIMA_PORT_INPUT, SIMA_NO_AXIS,
                         "the input's type is not INT8, the only one admitted; for UINT8, "
                         "flip the top bit of the data and subtract 128 from the zero point");
    }
    if (output->dtype != SIMA_DTYPE_FLOAT32 && output->dtype != SIMA_DTYPE_BFLOAT16) {
        return sima_fail(error, SIMA_UNSUPPORTED_DTYPE, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                         "the output's type is neither FLOAT32 nor BFLOAT16; ask for one of "
                         "these");
    }
    return SIMA_OK;
}

static sima_status check_same_shape(const sima_tensor_spec *const input,
                                    const sima_tensor_spec *const output, sima_error *const error)
{
    if (input->rank != output->rank) {
        return sima_fail(error, SIMA_SHAPE_MISMATCH, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                         "the output's rank differs from the input's; both must have the same "
                         "axes, those of extent 1 included");
    }
    for (int32_t axis = 0; axis < input->rank; ++axis) {
        if (input->extent[axis] != output->extent[axis]) {
            return sima_fail(error, SIMA_SHAPE_MISMATCH, SIMA_PORT_OUTPUT, axis,
                             "the output's extent differs from the input's; both must have "
                             "the same shape");
        }
    }
    return SIMA_OK;
}

static sima_status bad_scale(const char *const message, sima_error *const error)
{
    return sima_fail(error, SIMA_INVALID_PARAMETER, SIMA_PORT_NONE, SIMA_NO_AXIS, message);
}

/* On the bits: a comparison would trap or raise a flag on a NaN, and call a subnormal zero where
 * the thread flushes. */
static sima_status check_scale(const float *const scale, sima_error *const error)
{
    uint32_t bits;
    memcpy(&bits, scale, sizeof bits);
    const uint32_t magnitude = bits & ~SIMA_SIGN_BIT;
    if (magnitude > SIMA_INFINITY_BITS) {
        return bad_scale("the scale is a NaN; give a finite number greater than zero", error);
    }
    if (magnitude == SIMA_INFINITY_BITS) {
        return bad_scale("the scale is infinite; give a finite number greater than zero", error);
    }
    if (magnitude == 0) {
        return bad_scale("the scale is zero; give a finite number greater than zero", error);
    }
    if (bits != magnitude) {
        return bad_scale("the scale is negative; give a finite number greater than zero", error);
    }
    return SIMA_OK;
}

static sima_status check_request(const sima_dequant_request *const request, sima_error *const error)
{
    if (request->op != SIMA_OP_DEQUANT) {
        return sima_fail(error, SIMA_UNSUPPORTED_OPERATION, SIMA_PORT_NONE, SIMA_NO_AXIS,
                         "the request's op is not SIMA_OP_DEQUANT; set it, or use the "
                         "operation's own function");
    }
    sima_status status = check_counts(request, error);
    if (status == SIMA_OK) {
        status = check_dtypes(request->inputs, request->outputs, error);
    }
    if (status == SIMA_OK) {
        status = sima_check_shape(request->inputs, SIMA_PORT_INPUT, error);
    }
    if (status == SIMA_OK) {
        status = sima_check_shape(request->outputs, SIMA_PORT_OUTPUT, error);
    }
    if (status == SIMA_OK) {
        status = check_same_shape(request->inputs, request->outputs, error);
    }
    if (status == SIMA_OK) {
        status = sima_check_layout(request->inputs, SIMA_PORT_INPUT, error);
    }
    if (status == SIMA_OK) {
        status = sima_check_layout(request->outputs, SIMA_PORT_OUTPUT, error);
    }
    if (status == SIMA_OK) {
        status = check_scale(&request->params.scale, error);
    }
    return status;
}

/* An empty tensor needs no bytes and has no strides. */
static sima_status fill_port(const sima_tensor_spec *const spec, const sima_port port,
                             const bool empty, sima_dequant_plan_port *const filled,
                             sima_error *const error)
{
    filled->dtype = spec->dtype;
    filled->width = sima_dtype_width(spec->dtype);
    return empty ? SIMA_OK
                 : sima_resolve_layout(spec, port, filled->stride, &filled->required_bytes, error);
}

/* Finds the innermost axes that are row-major without gaps on both ports. Axes of extent 1 do not
 * move and never stand in the way. */
static void fill_span(sima_dequant_plan *const plan)
{
    int32_t axis = plan->rank;
    int64_t span = 1;
    while (axis > 0) {
        const int64_t extent = plan->extent[axis - 1];
        const bool moves = extent > 1;
        if (moves && (plan->input.stride[axis - 1] != span * plan->input.width ||
                      plan->output.stride[axis - 1] != span * plan->output.width)) {
            break;
        }
        span *= extent;
        --axis;
    }
    plan->span_axes = plan->rank - axis;
    plan->span = span;
    plan->dense = span == plan->elements;
}

static sima_status fill_plan(const sima_dequant_request *const request,
                             sima_dequant_plan *const plan, sima_error *const error)
{
    const sima_tensor_spec *const input = request->inputs;
    sima_status status = sima_count_elements(input, &plan->elements, error);
    const bool empty = plan->elements == 0;
    if (status == SIMA_OK) {
        status = fill_port(input, SIMA_PORT_INPUT, empty, &plan->input, error);
    }
    if (status == SIMA_OK) {
        status = fill_port(request->outputs, SIMA_PORT_OUTPUT, empty, &plan->output, error);
    }
    if (status != SIMA_OK) {
        return status;
    }
    plan->op = request->op;
    plan->rank = input->rank;
    for (int32_t axis = 0; axis < input->rank; ++axis) {
        plan->extent[axis] = input->extent[axis];
    }
    memcpy(&plan->params, &request->params, sizeof plan->params);
    if (plan->elements > 0) {
        fill_span(plan);
    } else {
        plan->dense = 1;
        plan->span_axes = plan->rank;
    }
    return status;
}

sima_status sima_dequant_check_inference(const sima_dequant_request *const request,
                                         sima_dequant_plan *const plan, sima_error *const error)
{
    if (plan == NULL) {
        return sima_fail(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE, SIMA_NO_AXIS,
                         "plan is NULL; point it to the plan to be filled");
    }
    memset(plan, 0, sizeof *plan);
    if (request == NULL) {
        return sima_fail(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE, SIMA_NO_AXIS,
                         "request is NULL; point it to what is asked for");
    }
    sima_status status = check_request(request, error);
    if (status == SIMA_OK) {
        status = fill_plan(request, plan, error);
    }
    if (status != SIMA_OK) {
        memset(plan, 0, sizeof *plan);
        return status;
    }
    return sima_succeed(error);
}

/* The port of an admitted plan, or NULL. */
static const sima_dequant_plan_port *port_of(const sima_dequant_plan *const plan,
                                             const sima_port port)
{
    if (plan == NULL || plan->op != SIMA_OP_DEQUANT) {
        return NULL;
    }
    if (port == SIMA_PORT_INPUT) {
        return &plan->input;
    }
    return port == SIMA_PORT_OUTPUT ? &plan->output : NULL;
}

size_t sima_dequant_required_bytes(const sima_dequant_plan *const plan, const sima_port port)
{
    const sima_dequant_plan_port *const found = port_of(plan, port);
    return found == NULL ? 0 : found->required_bytes;
}

size_t sima_dequant_required_alignment(const sima_dequant_plan *const plan, const sima_port port)
{
    const sima_dequant_plan_port *const found = port_of(plan, port);
    return found == NULL ? 0 : (size_t)found->width;
}
