/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/a65/dequant.h>

#include "../error.h"
#include "dequant_kernel.h"
#include "fpenv.h"
#include "select.h"
#include "walk.h"

#include <stdbool.h>
#include <string.h>

static sima_error bad_argument(const sima_port port, const char *const message)
{
    return sima_error_at(SIMA_INVALID_ARGUMENT, port, SIMA_NO_AXIS, message);
}

static sima_error select_kernel(const sima_dequant_plan *const shared,
                                sima_a65_dequant_plan *const plan)
{
    const sima_a65_dequant_output output =
        shared->output.dtype == SIMA_DTYPE_BFLOAT16 ? SIMA_A65_DEQUANT_BF16 : SIMA_A65_DEQUANT_F32;
    /* A copy first: shared may lie inside plan. */
    memmove(&plan->shared, shared, sizeof plan->shared);
    const sima_dequant_params *const params = &plan->shared.params;
    memcpy(&plan->operands.scale, &params->scale, sizeof params->scale);
    plan->operands.zero_point = params->zero_point;
    plan->kernel =
        sima_a65_dequant_select(sima_a65_dequant_families[0], output, params, plan->shared.span);
    return sima_no_error();
}

sima_status sima_a65_dequant_prepare(const sima_dequant_plan *const shared,
                                     sima_a65_dequant_plan *const plan, sima_error *const error)
{
    if (plan == NULL) {
        return sima_report(
            bad_argument(SIMA_PORT_NONE, "plan is NULL; point it to the plan to be filled"), error);
    }
    if (shared == NULL || shared->op != SIMA_OP_DEQUANT) {
        memset(plan, 0, sizeof *plan);
        return sima_report(bad_argument(SIMA_PORT_NONE,
                                        "shared is NULL or was never admitted; fill it with "
                                        "sima_dequant_check_inference() and check its status"),
                           error);
    }
    return sima_report(select_kernel(shared, plan), error);
}

sima_status sima_a65_dequant_check_inference(const sima_dequant_request *const request,
                                             sima_a65_dequant_plan *const plan,
                                             sima_error *const error)
{
    if (plan == NULL) {
        return sima_a65_dequant_prepare(NULL, NULL, error);
    }
    memset(plan, 0, sizeof *plan);
    const sima_status status = sima_dequant_check_inference(request, &plan->shared, error);
    if (status != SIMA_OK) {
        return status;
    }
    return sima_a65_dequant_prepare(&plan->shared, plan, error);
}

static bool is_prepared(const sima_a65_dequant_plan *const plan)
{
    return plan != NULL && plan->kernel != NULL;
}

static sima_error check_counts(const size_t input_count, const size_t output_count)
{
    if (input_count != 1) {
        return sima_error_at(SIMA_INVALID_ARITY, SIMA_PORT_INPUT, SIMA_NO_AXIS,
                             "dequantization reads exactly one input buffer; pass input_count 1");
    }
    if (output_count != 1) {
        return sima_error_at(SIMA_INVALID_ARITY, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                             "dequantization writes exactly one output buffer; pass output_count "
                             "1");
    }
    return sima_no_error();
}

/* The checks that concern one buffer alone. */
static sima_error check_buffer(const sima_dequant_plan_port *const required, const void *const data,
                               const size_t size, const sima_port port)
{
    const uintptr_t address = (uintptr_t)data;
    if (data == NULL) {
        return sima_error_at(SIMA_NULL_BUFFER, port, SIMA_NO_AXIS,
                             "the buffer's data is NULL; only an empty tensor needs no storage");
    }
    if (size < required->required_bytes) {
        return sima_error_at(SIMA_BUFFER_TOO_SMALL, port, SIMA_NO_AXIS,
                             "the buffer holds fewer bytes than the plan requires, gaps between "
                             "elements included; ask sima_dequant_required_bytes()");
    }
    if ((address & ((uintptr_t)required->width - 1)) != 0) {
        return sima_error_at(SIMA_MISALIGNED_BUFFER, port, SIMA_NO_AXIS,
                             "the buffer's address is not a multiple of the element width; ask "
                             "sima_dequant_required_alignment()");
    }
    if (size > UINTPTR_MAX - address) {
        return sima_error_at(SIMA_ADDRESS_OVERFLOW, port, SIMA_NO_AXIS,
                             "the buffer's address plus its size wraps around the address space; "
                             "pass the real size of the storage");
    }
    return sima_no_error();
}

static sima_error check_apart(const sima_dequant_plan *const plan, const void *const input,
                              const void *const output)
{
    const uintptr_t input_begin = (uintptr_t)input;
    const uintptr_t output_begin = (uintptr_t)output;
    if (input_begin < output_begin + plan->output.required_bytes &&
        output_begin < input_begin + plan->input.required_bytes) {
        return sima_error_at(SIMA_OVERLAPPING_BUFFERS, SIMA_PORT_OUTPUT, SIMA_NO_AXIS,
                             "the output's bytes overlap the input's; give the output storage of "
                             "its own: the operation does not work in place");
    }
    return sima_no_error();
}

static sima_error check_buffers(const sima_dequant_plan *const plan,
                                const sima_const_host_buffer *const inputs,
                                const sima_host_buffer *const outputs)
{
    if (inputs == NULL) {
        return bad_argument(SIMA_PORT_INPUT, "inputs is NULL; point it to the input's buffer");
    }
    if (outputs == NULL) {
        return bad_argument(SIMA_PORT_OUTPUT, "outputs is NULL; point it to the output's buffer");
    }
    sima_error outcome = check_buffer(&plan->input, inputs->data, inputs->size, SIMA_PORT_INPUT);
    if (outcome.status == SIMA_OK) {
        outcome = check_buffer(&plan->output, outputs->data, outputs->size, SIMA_PORT_OUTPUT);
    }
    if (outcome.status == SIMA_OK) {
        outcome = check_apart(plan, inputs->data, outputs->data);
    }
    return outcome;
}

static void run(const sima_a65_dequant_plan *const plan, const void *const input,
                void *const output)
{
    if (plan->shared.dense) {
        plan->kernel->run(input, output, (size_t)plan->shared.span, &plan->operands);
    } else {
        sima_a65_dequant_walk(plan, input, output);
    }
}

sima_status sima_a65_dequant_execute(const sima_a65_dequant_plan *const plan,
                                     const sima_const_host_buffer *const inputs,
                                     const size_t input_count,
                                     const sima_host_buffer *const outputs,
                                     const size_t output_count, sima_error *const error)
{
    if (!is_prepared(plan)) {
        return sima_report(bad_argument(SIMA_PORT_NONE,
                                        "plan is NULL or was never prepared; fill it with "
                                        "sima_a65_dequant_check_inference() and check its status"),
                           error);
    }
    sima_error outcome = check_counts(input_count, output_count);
    if (outcome.status != SIMA_OK || plan->shared.elements == 0) {
        return sima_report(outcome, error);
    }
    outcome = check_buffers(&plan->shared, inputs, outputs);
    if (outcome.status != SIMA_OK) {
        return sima_report(outcome, error);
    }
    if (!sima_fpenv_is_admitted()) {
        return sima_report(sima_error_at(SIMA_UNSUPPORTED_ENVIRONMENT, SIMA_PORT_NONE, SIMA_NO_AXIS,
                                         sima_fpenv_complaint()),
                           error);
    }
    run(plan, inputs->data, outputs->data);
    return sima_report(outcome, error);
}

const sima_dequant_plan *sima_a65_dequant_shared_plan(const sima_a65_dequant_plan *const plan)
{
    return is_prepared(plan) ? &plan->shared : NULL;
}

const char *sima_a65_dequant_kernel_name(const sima_a65_dequant_plan *const plan)
{
    return is_prepared(plan) ? plan->kernel->name : NULL;
}
