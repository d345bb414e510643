/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_A65_DEQUANT_H
#define SIMAAI_KERNELS_A65_DEQUANT_H

/**
 * @file a65/dequant.h
 * Dequantization on the CPU: Cortex-A65 class NEON first, AVX-512 and AVX2 where an x86-64 has
 * them, portable C elsewhere.
 *
 * Order of use: check_inference() once for each shape and parameter set, then execute() as often
 * as there are buffers. No call allocates, starts a thread, takes a lock or keeps global state.
 */

#include <simaai/kernels/ops/dequant.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a numerical kernel is handed besides pointers and a count. Private. */
typedef struct sima_a65_dequant_operands {
    /** As in the request. */
    float scale;
    /** As in the request. */
    int32_t zero_point;
    /** 0 or UINT32_MAX: added before BF16 narrowing where that is proved to stand for half-even. */
    uint32_t tie_addend;
} sima_a65_dequant_operands;

/** What a kernel takes in one call: rows of elements at constant distances. Private. */
typedef struct sima_a65_dequant_plane {
    /** Rows. */
    size_t rows;
    /** Elements in each row. */
    size_t count;
    /** Input bytes from one row to the next. */
    size_t input_row;
    /** Input bytes from one element of a row to the next. */
    size_t input_step;
    /** Output bytes from one row to the next. */
    size_t output_row;
    /** Output bytes from one element of a row to the next. */
    size_t output_step;
} sima_a65_dequant_plane;

/** How a tensor is taken apart into such calls: the axes around them, outermost first. Private. */
typedef struct sima_a65_dequant_traversal {
    /** What one call takes. */
    sima_a65_dequant_plane plane;
    /** Axes around the plane. */
    int32_t axes;
    /** Indices along each of these axes. */
    int64_t extent[SIMA_MAX_RANK];
    /** Input bytes from one index to the next. */
    int64_t input_stride[SIMA_MAX_RANK];
    /** Output bytes from one index to the next. */
    int64_t output_stride[SIMA_MAX_RANK];
} sima_a65_dequant_traversal;

/**
 * A plan that this backend can execute: the shared plan, and the kernel selected for it. Plain
 * data of fixed size; copy it with `=`, share it between threads. Fields are private.
 */
typedef struct sima_a65_dequant_plan {
    /** What was admitted, for any backend. */
    sima_dequant_plan shared;
    /** What the kernel is called with. */
    sima_a65_dequant_operands operands;
    /** How often and where the kernel is called. */
    sima_a65_dequant_traversal traversal;
    /** The selected entry of the generated dispatch table; NULL in a zeroed plan. */
    const struct sima_a65_dequant_kernel *kernel;
} sima_a65_dequant_plan;

/**
 * Selects the kernel for an admitted request. Only integers and the scale's bits are looked at:
 * the answer does not depend on the thread's floating-point mode.
 *
 * @param shared an admitted plan; copied, not kept. It may be the one inside `plan`.
 * @param plan   filled on success; zeroed on every error.
 * @param error  NULL, or filled with the cause.
 * @return SIMA_OK; SIMA_INVALID_ARGUMENT: a pointer is NULL, or `shared` was not filled by a
 *         successful sima_dequant_check_inference().
 */
SIMA_API sima_status sima_a65_dequant_prepare(const sima_dequant_plan *shared,
                                              sima_a65_dequant_plan *plan, sima_error *error);

/** How a plan stores results. No bit of them depends on it. */
typedef enum sima_a65_dequant_stores {
    /** Preparation chooses: streamed where that is faster for an output that is read once, next. */
    SIMA_A65_DEQUANT_STORES_CHOSEN = 0,
    /** Ordinary stores: the output is in the caches as far as it fits. */
    SIMA_A65_DEQUANT_STORES_CACHED = 1,
    /** Past the caches, where there are kernels that can (x86-64) and the tensor is dense, of 64
     * elements or more. For outputs that are not read soon, or by another device. */
    SIMA_A65_DEQUANT_STORES_STREAMED = 2
} sima_a65_dequant_stores;

/** What preparation may be told. Zeroed options, and none, leave every choice to it. */
typedef struct sima_a65_dequant_options {
    /** How results are to be stored. */
    sima_a65_dequant_stores stores;
} sima_a65_dequant_options;

/**
 * sima_a65_dequant_prepare() with options.
 *
 * @param shared  as there.
 * @param options NULL, or what to choose; copied, not kept.
 * @param plan    as there.
 * @param error   as there.
 * @return what sima_a65_dequant_prepare() returns; SIMA_INVALID_ARGUMENT also where an option has
 *         none of its values. What cannot be had where it runs is no error:
 *         sima_a65_dequant_stores_of() tells what was chosen.
 */
SIMA_API sima_status sima_a65_dequant_prepare_with(const sima_dequant_plan *shared,
                                                   const sima_a65_dequant_options *options,
                                                   sima_a65_dequant_plan *plan, sima_error *error);

/**
 * Admission and preparation in one call. No floating-point arithmetic is done, no flag is raised.
 *
 * @param request what is asked for; its arrays are not kept.
 * @param plan    filled on success; zeroed on every error.
 * @param error   NULL, or filled with the cause.
 * @return what sima_dequant_check_inference() returns, for the same causes. Preparation
 *         itself cannot fail once a request is admitted.
 */
SIMA_API sima_status sima_a65_dequant_check_inference(const sima_dequant_request *request,
                                                      sima_a65_dequant_plan *plan,
                                                      sima_error *error);

/**
 * Runs the operation on the caller's buffers and returns when the output is complete.
 *
 * Every check below is made, in this order, before the first write, so that after an error the
 * output is as it was. For an empty tensor only the plan and the two counts are checked: `inputs`
 * and `outputs` may be NULL, and neither a buffer nor the thread's mode is looked at. The
 * floating-point control register is read and never written.
 *
 * @param plan         prepared; not written, so one plan may serve many threads at once.
 * @param inputs       one buffer: at least sima_dequant_required_bytes() bytes at an address of
 *                     sima_dequant_required_alignment().
 * @param input_count  buffers in `inputs`: 1.
 * @param outputs      one buffer, likewise. Gaps between elements are not written.
 * @param output_count buffers in `outputs`: 1.
 * @param error        NULL, or filled with the cause.
 * @return the first that holds; in parentheses, what `error` says of the place:
 * - SIMA_INVALID_ARGUMENT: `plan` is NULL or was never prepared, or `inputs` or `outputs` is NULL
 *   (port);
 * - SIMA_INVALID_ARITY: a count is not 1 (port);
 * - SIMA_NULL_BUFFER: a data pointer is NULL (port);
 * - SIMA_BUFFER_TOO_SMALL: a size is below the required bytes (port);
 * - SIMA_MISALIGNED_BUFFER: an address is not a multiple of the element width (port);
 * - SIMA_ADDRESS_OVERFLOW: an address plus its size wraps (port);
 * - SIMA_OVERLAPPING_BUFFERS: the accessed ranges share a byte (output port);
 * - SIMA_UNSUPPORTED_ENVIRONMENT: the calling thread does not round to nearest, flushes
 *   subnormals, or traps on a floating-point exception; the message names what was found;
 * - SIMA_OK: every element of the output is written.
 */
SIMA_API sima_status sima_a65_dequant_execute(const sima_a65_dequant_plan *plan,
                                              const sima_const_host_buffer *inputs,
                                              size_t input_count, const sima_host_buffer *outputs,
                                              size_t output_count, sima_error *error);

/**
 * The shared half of a plan, for the accessors of ops/dequant.h.
 *
 * @param plan prepared.
 * @return a pointer into `plan`, valid as long as it is; NULL where `plan` is NULL or was never
 *         prepared.
 */
SIMA_API const sima_dequant_plan *sima_a65_dequant_shared_plan(const sima_a65_dequant_plan *plan);

/**
 * The name of the selected kernel, as in generated/manifest.json, for logs and tests. Which kernel
 * serves a request is not part of the interface and may change with any version.
 *
 * @param plan prepared.
 * @return static storage; NULL where `plan` is NULL or was never prepared.
 */
SIMA_API const char *sima_a65_dequant_kernel_name(const sima_a65_dequant_plan *plan);

/**
 * How the plan stores results.
 *
 * @param plan prepared.
 * @return SIMA_A65_DEQUANT_STORES_CACHED or _STREAMED; _CHOSEN, which is 0, where `plan` is NULL or
 *         was never prepared.
 */
SIMA_API sima_a65_dequant_stores sima_a65_dequant_stores_of(const sima_a65_dequant_plan *plan);

#ifdef __cplusplus
}
#endif

/* The C++20 interface over these functions. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <simaai/kernels/a65/dequant.hpp>
#endif

#endif /* SIMAAI_KERNELS_A65_DEQUANT_H */
