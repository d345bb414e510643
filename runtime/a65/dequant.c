/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/a65/dequant.h>

#include "../error.h"
#include "cpu.h"
#include "dequant_kernel.h"
#include "fpenv.h"
#include "prepare.h"
#include "select.h"
#include "ties.h"
#include "traversal.h"

#include <stdbool.h>
#include <string.h>

static SIMA_COLD sima_status refuse(sima_error *const error, const sima_status status,
                                    const sima_port port, const char *const message)
{
    return sima_fail(error, status, port, SIMA_NO_AXIS, message);
}

/* What selection asks for besides the parameters: planes of a shape, or spans of a length. */
typedef struct plan_piece {
    sima_a65_dequant_shape shape; /* SIMA_A65_DEQUANT_SHAPES: spans */
    sima_a65_dequant_length length;
} plan_piece;

static const sima_a65_dequant_kernel *kernel_for(const sima_a65_dequant_family *const family,
                                                 const sima_a65_dequant_output output,
                                                 const sima_dequant_params *const params,
                                                 const plan_piece piece)
{
    return piece.shape == SIMA_A65_DEQUANT_SHAPES
               ? sima_a65_dequant_select_for(family, output, params, piece.length)
               : sima_a65_dequant_select_plane(family, output, params, piece.shape);
}

/* The kernel for BF16 without ties, if the family has one here, the tensor is long enough to repay
 * the proof, and the proof succeeds. */
static const sima_a65_dequant_kernel *tie_free_kernel(const sima_a65_dequant_family *const family,
                                                      const sima_dequant_plan *const shared,
                                                      const plan_piece piece,
                                                      uint32_t *const tie_addend)
{
    if (shared->elements < SIMA_A65_DEQUANT_PROOF_ELEMENTS) {
        return NULL;
    }
    const sima_a65_dequant_kernel *const kernel =
        kernel_for(family, SIMA_A65_DEQUANT_TO_BF16_TIEFREE, &shared->params, piece);
    if (kernel == NULL || kernel->result != SIMA_A65_DEQUANT_BF16_TIEFREE ||
        !sima_a65_dequant_prove_tie_free(&shared->params, tie_addend)) {
        return NULL;
    }
    return kernel;
}

/* NULL where the family has none for such a piece. */
static const sima_a65_dequant_kernel *choose_kernel(const sima_a65_dequant_family *const family,
                                                    const sima_dequant_plan *const shared,
                                                    const plan_piece piece,
                                                    uint32_t *const tie_addend)
{
    const bool bf16 = shared->output.dtype == SIMA_DTYPE_BFLOAT16;
    const sima_a65_dequant_kernel *const tie_free =
        bf16 ? tie_free_kernel(family, shared, piece, tie_addend) : NULL;
    if (tie_free != NULL) {
        return tie_free;
    }
    *tie_addend = 0;
    return kernel_for(family, bf16 ? SIMA_A65_DEQUANT_TO_BF16 : SIMA_A65_DEQUANT_TO_F32,
                      &shared->params, piece);
}

/* How a dense tensor is stored, and how long it is. */
static sima_a65_dequant_length dense_length(const sima_dequant_plan *const shared,
                                            const sima_a65_dequant_stores stores)
{
    const bool can_stream = shared->span >= SIMA_A65_DEQUANT_LONG_BLOCK;
    const bool long_enough = shared->output.required_bytes >= SIMA_A65_DEQUANT_STREAM_BYTES;
    if (can_stream && (stores == SIMA_A65_DEQUANT_STORES_STREAMED ||
                       (stores == SIMA_A65_DEQUANT_STORES_CHOSEN && long_enough))) {
        return SIMA_A65_DEQUANT_STREAM;
    }
    return sima_a65_dequant_length_of(shared->span);
}

/* Planes where the tensor has them and the family a kernel for them; else spans. */
static void choose_traversal(const sima_a65_dequant_family *const family,
                             const sima_a65_dequant_stores stores,
                             sima_a65_dequant_plan *const plan)
{
    const sima_dequant_plan *const shared = &plan->shared;
    sima_a65_dequant_traversal *const traversal = &plan->traversal;
    uint32_t *const tie_addend = &plan->operands.tie_addend;
    if (shared->dense) {
        const plan_piece whole = {SIMA_A65_DEQUANT_SHAPES, dense_length(shared, stores)};
        traversal->plane.rows = 1;
        traversal->plane.count = (size_t)shared->span;
        plan->kernel = choose_kernel(family, shared, whole, tie_addend);
        return;
    }
    const sima_axes axes = sima_a65_dequant_order_axes(shared);
    const sima_a65_dequant_shape shape = sima_a65_dequant_traverse_planes(shared, &axes, traversal);
    if (shape != SIMA_A65_DEQUANT_SHAPES) {
        const plan_piece plane = {shape, SIMA_A65_DEQUANT_LENGTHS};
        plan->kernel = choose_kernel(family, shared, plane, tie_addend);
    }
    if (plan->kernel == NULL) {
        memset(traversal, 0, sizeof *traversal);
        sima_a65_dequant_traverse_spans(shared, &axes, traversal);
        const plan_piece span = {SIMA_A65_DEQUANT_SHAPES,
                                 sima_a65_dequant_length_of((int64_t)traversal->plane.count)};
        plan->kernel = choose_kernel(family, shared, span, tie_addend);
    }
}

/* Fills what follows the shared plan. Its bytes are zeroed first, padding included, so that equal
 * requests give equal plans. */
static void complete_plan(sima_a65_dequant_plan *const plan,
                          const sima_a65_dequant_family *const family,
                          const sima_a65_dequant_stores stores)
{
    const size_t begin = offsetof(sima_a65_dequant_plan, operands);
    memset((unsigned char *)plan + begin, 0, sizeof *plan - begin);
    /* As bytes, so that the scale passes no floating-point register. */
    memcpy(&plan->operands.scale, &plan->shared.params.scale, sizeof plan->operands.scale);
    plan->operands.zero_point = plan->shared.params.zero_point;
    choose_traversal(family, stores, plan);
}

static bool is_way_to_store(const sima_a65_dequant_stores stores)
{
    return stores == SIMA_A65_DEQUANT_STORES_CHOSEN || stores == SIMA_A65_DEQUANT_STORES_CACHED ||
           stores == SIMA_A65_DEQUANT_STORES_STREAMED;
}

sima_status sima_a65_dequant_prepare_for(const sima_dequant_plan *const shared,
                                         const sima_a65_dequant_family *const family,
                                         const sima_a65_dequant_stores stores,
                                         sima_a65_dequant_plan *const plan, sima_error *const error)
{
    if (plan == NULL) {
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "plan is NULL; point it to the plan to be filled");
    }
    if (shared == NULL) {
        memset(plan, 0, sizeof *plan);
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "shared is NULL; point it to an admitted plan");
    }
    if (shared->op != SIMA_OP_DEQUANT) {
        memset(plan, 0, sizeof *plan);
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "the shared plan was never admitted; fill it with "
                      "sima_dequant_check_inference() and check its status");
    }
    if (shared != &plan->shared) {
        memmove(&plan->shared, shared, sizeof plan->shared);
    }
    complete_plan(plan, family, stores);
    return sima_succeed(error);
}

sima_status sima_a65_dequant_prepare(const sima_dequant_plan *const shared,
                                     sima_a65_dequant_plan *const plan, sima_error *const error)
{
    return sima_a65_dequant_prepare_for(shared, sima_a65_dequant_best_family(),
                                        SIMA_A65_DEQUANT_STORES_CHOSEN, plan, error);
}

sima_status sima_a65_dequant_prepare_with(const sima_dequant_plan *const shared,
                                          const sima_a65_dequant_options *const options,
                                          sima_a65_dequant_plan *const plan,
                                          sima_error *const error)
{
    const sima_a65_dequant_stores stores =
        options == NULL ? SIMA_A65_DEQUANT_STORES_CHOSEN : options->stores;
    if (plan != NULL && !is_way_to_store(stores)) {
        memset(plan, 0, sizeof *plan);
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "options->stores is none of the values of sima_a65_dequant_stores; zero the "
                      "options and set what is wanted");
    }
    return sima_a65_dequant_prepare_for(shared, sima_a65_dequant_best_family(), stores, plan,
                                        error);
}

sima_status sima_a65_dequant_check_inference(const sima_dequant_request *const request,
                                             sima_a65_dequant_plan *const plan,
                                             sima_error *const error)
{
    if (plan == NULL) {
        return sima_a65_dequant_prepare(NULL, NULL, error);
    }
    const sima_status status = sima_dequant_check_inference(request, &plan->shared, error);
    if (status != SIMA_OK) {
        memset(plan, 0, sizeof *plan);
        return status;
    }
    complete_plan(plan, sima_a65_dequant_best_family(), SIMA_A65_DEQUANT_STORES_CHOSEN);
    return SIMA_OK;
}

static bool is_prepared(const sima_a65_dequant_plan *const plan)
{
    return plan != NULL && plan->kernel != NULL;
}

static sima_status check_counts(const size_t input_count, const size_t output_count,
                                sima_error *const error)
{
    if (input_count != 1) {
        return refuse(error, SIMA_INVALID_ARITY, SIMA_PORT_INPUT,
                      "dequantization reads exactly one input buffer; pass input_count 1");
    }
    if (output_count != 1) {
        return refuse(error, SIMA_INVALID_ARITY, SIMA_PORT_OUTPUT,
                      "dequantization writes exactly one output buffer; pass output_count 1");
    }
    return SIMA_OK;
}

static sima_status check_arrays(const sima_const_host_buffer *const inputs,
                                const sima_host_buffer *const outputs, sima_error *const error)
{
    if (inputs == NULL) {
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_INPUT,
                      "inputs is NULL; point it to the input's buffer");
    }
    if (outputs == NULL) {
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_OUTPUT,
                      "outputs is NULL; point it to the output's buffer");
    }
    return SIMA_OK;
}

static SIMA_COLD sima_status refuse_null(const sima_port port, sima_error *const error)
{
    return refuse(error, SIMA_NULL_BUFFER, port,
                  "the buffer's data is NULL; only an empty tensor needs no storage");
}

static SIMA_COLD sima_status refuse_small(const sima_port port, sima_error *const error)
{
    return refuse(error, SIMA_BUFFER_TOO_SMALL, port,
                  "the buffer holds fewer bytes than the plan requires, gaps between elements "
                  "included; ask sima_dequant_required_bytes()");
}

static SIMA_COLD sima_status refuse_misaligned(const sima_port port, sima_error *const error)
{
    return refuse(error, SIMA_MISALIGNED_BUFFER, port,
                  "the buffer's address is not a multiple of the element width; ask "
                  "sima_dequant_required_alignment()");
}

static SIMA_COLD sima_status refuse_wrapping(const sima_port port, sima_error *const error)
{
    return refuse(error, SIMA_ADDRESS_OVERFLOW, port,
                  "the buffer's address plus its size wraps around the address space; pass the "
                  "real size of the storage");
}

static SIMA_COLD sima_status refuse_overlap(sima_error *const error)
{
    return refuse(error, SIMA_OVERLAPPING_BUFFERS, SIMA_PORT_OUTPUT,
                  "the output's bytes overlap the input's; give the output storage of its own: "
                  "the operation does not work in place");
}

static bool is_misaligned(const uintptr_t address, const int32_t width)
{
    return (address & ((uintptr_t)width - 1)) != 0;
}

static bool wraps(const uintptr_t address, const size_t size)
{
    return size > UINTPTR_MAX - address;
}

/* One cause after the other, each on both ports: the order that the header promises. */
static sima_status check_buffers(const sima_dequant_plan *const plan,
                                 const sima_const_host_buffer *const input,
                                 const sima_host_buffer *const output, sima_error *const error)
{
    const uintptr_t source = (uintptr_t)input->data;
    const uintptr_t target = (uintptr_t)output->data;
    const size_t source_bytes = plan->input.required_bytes;
    const size_t target_bytes = plan->output.required_bytes;
    if (input->data == NULL) {
        return refuse_null(SIMA_PORT_INPUT, error);
    }
    if (output->data == NULL) {
        return refuse_null(SIMA_PORT_OUTPUT, error);
    }
    if (input->size < source_bytes) {
        return refuse_small(SIMA_PORT_INPUT, error);
    }
    if (output->size < target_bytes) {
        return refuse_small(SIMA_PORT_OUTPUT, error);
    }
    if (is_misaligned(source, plan->input.width)) {
        return refuse_misaligned(SIMA_PORT_INPUT, error);
    }
    if (is_misaligned(target, plan->output.width)) {
        return refuse_misaligned(SIMA_PORT_OUTPUT, error);
    }
    if (wraps(source, input->size)) {
        return refuse_wrapping(SIMA_PORT_INPUT, error);
    }
    if (wraps(target, output->size)) {
        return refuse_wrapping(SIMA_PORT_OUTPUT, error);
    }
    /* No sum wraps: the accessed bytes are among those just looked at. */
    if (source < target + target_bytes && target < source + source_bytes) {
        return refuse_overlap(error);
    }
    return SIMA_OK;
}

static void run(const sima_a65_dequant_plan *const plan, const void *const input,
                void *const output)
{
    if (plan->shared.dense) {
        plan->kernel->run(input, output, (size_t)plan->shared.span, &plan->operands);
    } else {
        sima_a65_dequant_traverse(plan, input, output);
    }
}

sima_status sima_a65_dequant_execute(const sima_a65_dequant_plan *const plan,
                                     const sima_const_host_buffer *const inputs,
                                     const size_t input_count,
                                     const sima_host_buffer *const outputs,
                                     const size_t output_count, sima_error *const error)
{
    if (plan == NULL) {
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "plan is NULL; point it to a prepared plan");
    }
    if (plan->kernel == NULL) {
        return refuse(error, SIMA_INVALID_ARGUMENT, SIMA_PORT_NONE,
                      "the plan was never prepared; fill it with "
                      "sima_a65_dequant_check_inference() and check its status");
    }
    if (plan->shared.elements == 0) {
        const sima_status status = check_counts(input_count, output_count, error);
        return status == SIMA_OK ? sima_succeed(error) : status;
    }
    sima_status status = check_arrays(inputs, outputs, error);
    if (status == SIMA_OK) {
        status = check_counts(input_count, output_count, error);
    }
    if (status == SIMA_OK) {
        status = check_buffers(&plan->shared, inputs, outputs, error);
    }
    if (status != SIMA_OK) {
        return status;
    }
    if (!sima_fpenv_is_admitted()) {
        return refuse(error, SIMA_UNSUPPORTED_ENVIRONMENT, SIMA_PORT_NONE, sima_fpenv_complaint());
    }
    run(plan, inputs->data, outputs->data);
    return sima_succeed(error);
}

const sima_dequant_plan *sima_a65_dequant_shared_plan(const sima_a65_dequant_plan *const plan)
{
    return is_prepared(plan) ? &plan->shared : NULL;
}

const char *sima_a65_dequant_kernel_name(const sima_a65_dequant_plan *const plan)
{
    return is_prepared(plan) ? plan->kernel->name : NULL;
}

sima_a65_dequant_stores sima_a65_dequant_stores_of(const sima_a65_dequant_plan *const plan)
{
    if (!is_prepared(plan)) {
        return SIMA_A65_DEQUANT_STORES_CHOSEN;
    }
    return plan->kernel->streams ? SIMA_A65_DEQUANT_STORES_STREAMED
                                 : SIMA_A65_DEQUANT_STORES_CACHED;
}
