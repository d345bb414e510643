/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_OPS_DEQUANT_H
#define SIMAAI_KERNELS_OPS_DEQUANT_H

/**
 * @file ops/dequant.h
 * The dequantization request and its admission, for any backend.
 *
 * The operation turns an INT8 tensor into FP32 or BF16, element by element:
 *
 *     float difference = (float)input - (float)zero_point;
 *     float result = difference * scale;
 *
 * The conversion of the zero point, the subtraction and the multiplication are IEEE 754 binary32,
 * each rounded to nearest, ties to even, on its own: none is fused with another. FP32 output has
 * these three roundings. BF16 output has a fourth: the product's bits are narrowed to nearest even.
 */

#include <simaai/kernels/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which operation a request asks for. Zero is none, so a zeroed request is refused. */
typedef enum sima_op {
    /** No operation. */
    SIMA_OP_INVALID = 0,
    /** INT8 to FP32 or BF16. */
    SIMA_OP_DEQUANT = 1
} sima_op;

/** Quantization parameters, the same for every element of the tensor. */
typedef struct sima_dequant_params {
    /** Finite and greater than zero; subnormal values are admitted. Judged from its bits. */
    float scale;
    /** Any int32. Converted to binary32 (and rounded there, beyond 2^24) before it is
     *  subtracted. 0 for symmetric quantization. */
    int32_t zero_point;
} sima_dequant_params;

/** What is asked for. The arrays are read during the call only. */
typedef struct sima_dequant_request {
    /** SIMA_OP_DEQUANT. */
    sima_op op;
    /** One tensor of SIMA_DTYPE_INT8. */
    const sima_tensor_spec *inputs;
    /** Tensors in `inputs`: 1. */
    size_t input_count;
    /** One tensor of SIMA_DTYPE_FLOAT32 or SIMA_DTYPE_BFLOAT16, with the input's shape. */
    const sima_tensor_spec *outputs;
    /** Tensors in `outputs`: 1. */
    size_t output_count;
    /** Scale and zero point. */
    sima_dequant_params params;
} sima_dequant_request;

/** One port of a plan. Private: read it through the accessors. */
typedef struct sima_dequant_plan_port {
    /** Type of every element. */
    sima_dtype dtype;
    /** Bytes per element. */
    int32_t width;
    /** Bytes; 0 on axes that do not move. */
    int64_t stride[SIMA_MAX_RANK];
    /** Last accessed byte + 1; 0 for an empty tensor. */
    size_t required_bytes;
} sima_dequant_plan_port;

/**
 * An admitted request: plain data of fixed size that owns itself, knows no hardware, and may be
 * copied with `=`, compared with memcmp() and shared between threads. Fields are private.
 */
typedef struct sima_dequant_plan {
    /** SIMA_OP_DEQUANT once admitted; 0 in a zeroed plan. */
    sima_op op;
    /** Number of axes. */
    int32_t rank;
    /** Logical shape, in elements. */
    int64_t extent[SIMA_MAX_RANK];
    /** The INT8 side. */
    sima_dequant_plan_port input;
    /** The FP32 or BF16 side. */
    sima_dequant_plan_port output;
    /** Scale and zero point, as requested. */
    sima_dequant_params params;
    /** 1 where both tensors are row-major without gaps, else 0. */
    int32_t dense;
    /** Innermost axes that are, on both ports, row-major without gaps. */
    int32_t span_axes;
    /** Elements in those axes together: 1 or more, 0 for an empty tensor. */
    int64_t span;
    /** Elements in all; 0 for an empty tensor. */
    int64_t elements;
} sima_dequant_plan;

/**
 * Admits a request and fills a plan with its metadata. No floating-point arithmetic is done, so
 * the answer does not depend on the thread's floating-point mode, and no flag is raised.
 *
 * @param request what is asked for; its arrays are not kept.
 * @param plan    filled on success; zeroed on every error.
 * @param error   NULL, or filled with the cause.
 * @return the first that holds; in parentheses, what `error` says of the place:
 * - SIMA_INVALID_ARGUMENT: `request` or `plan` is NULL, or `inputs` or `outputs` is NULL where its
 *   count is 1 (port);
 * - SIMA_UNSUPPORTED_OPERATION: `op` is not SIMA_OP_DEQUANT;
 * - SIMA_INVALID_ARITY: not one input, or not one output (port);
 * - SIMA_UNSUPPORTED_DTYPE: input not INT8, or output neither FP32 nor BF16 (port);
 * - SIMA_INVALID_SHAPE: rank outside 0..SIMA_MAX_RANK, or a negative extent (port, axis);
 * - SIMA_SHAPE_MISMATCH: rank or extents differ (output port, axis);
 * - SIMA_INVALID_LAYOUT: unknown layout; a stride negative, not a multiple of the element width,
 *   zero on an axis longer than 1, or smaller than what the faster axes span (port, axis unless the
 *   layout is unknown);
 * - SIMA_INVALID_PARAMETER: the scale is zero, negative, infinite or NaN;
 * - SIMA_SIZE_OVERFLOW: elements or bytes exceed what int64_t, size_t or ptrdiff_t holds (port,
 *   axis);
 * - SIMA_OK: the plan is filled.
 */
SIMA_API sima_status sima_dequant_check_inference(const sima_dequant_request *request,
                                                  sima_dequant_plan *plan, sima_error *error);

/**
 * Bytes that a port's buffer must hold: up to and including the last accessed element, gaps
 * counted; 0 for an empty tensor.
 *
 * @param plan admitted.
 * @param port SIMA_PORT_INPUT or SIMA_PORT_OUTPUT.
 * @return bytes; 0 also where `plan` is NULL or not admitted, or `port` is neither input nor
 *         output.
 */
SIMA_API size_t sima_dequant_required_bytes(const sima_dequant_plan *plan, sima_port port);

/**
 * What a port's buffer address must be a multiple of, in bytes: 1 for INT8, 2 for BF16, 4 for FP32.
 *
 * @param plan admitted.
 * @param port SIMA_PORT_INPUT or SIMA_PORT_OUTPUT.
 * @return bytes; 0 where `plan` is NULL or not admitted, or `port` is neither input nor output.
 */
SIMA_API size_t sima_dequant_required_alignment(const sima_dequant_plan *plan, sima_port port);

#ifdef __cplusplus
}
#endif

/* The C++20 interface over these functions. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <simaai/kernels/ops/dequant.hpp>
#endif

#endif /* SIMAAI_KERNELS_OPS_DEQUANT_H */
