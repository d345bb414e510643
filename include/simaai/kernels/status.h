/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_STATUS_H
#define SIMAAI_KERNELS_STATUS_H

/**
 * @file status.h
 * What a call can answer, and the structured error that says where and why. Every other header
 * includes this one.
 */

#include <stdint.h>

/**
 * Stands before each public function: the shared library exports these and nothing else.
 */
#if defined(__GNUC__)
#define SIMA_API __attribute__((visibility("default")))
#else
#define SIMA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call. One value for each cause, so that a caller can act on it. */
typedef enum sima_status {
    /** The call did what it says. */
    SIMA_OK = 0,
    /** A pointer that the call needs is NULL, or a plan was never filled by a successful call. */
    SIMA_INVALID_ARGUMENT,
    /** The request names an operation other than the one this function admits. */
    SIMA_UNSUPPORTED_OPERATION,
    /** The number of inputs or of outputs differs from the operation's. */
    SIMA_INVALID_ARITY,
    /** An element type is unknown or not admitted on this port. */
    SIMA_UNSUPPORTED_DTYPE,
    /** The rank is outside 0..SIMA_MAX_RANK, or an extent is negative. */
    SIMA_INVALID_SHAPE,
    /** Input and output differ in rank or in an extent. */
    SIMA_SHAPE_MISMATCH,
    /** A stride is negative, not a multiple of the element width, zero where the axis moves, or
     *  elements could share bytes. Also: the layout kind is unknown. */
    SIMA_INVALID_LAYOUT,
    /** A numeric parameter is outside its domain (a scale that is not finite and positive). */
    SIMA_INVALID_PARAMETER,
    /** The number of elements, or a byte offset, does not fit the types that carry it. */
    SIMA_SIZE_OVERFLOW,
    /** A buffer's data pointer is NULL. */
    SIMA_NULL_BUFFER,
    /** A buffer's address is not a multiple of the element width. */
    SIMA_MISALIGNED_BUFFER,
    /** A buffer holds fewer bytes than the plan requires. */
    SIMA_BUFFER_TOO_SMALL,
    /** A buffer's address plus its size wraps around the address space. */
    SIMA_ADDRESS_OVERFLOW,
    /** The accessed ranges of input and output share a byte. */
    SIMA_OVERLAPPING_BUFFERS,
    /** The calling thread rounds other than to nearest, flushes subnormals, or traps. */
    SIMA_UNSUPPORTED_ENVIRONMENT
} sima_status;

/** Which tensor of an operation an error speaks of. */
typedef enum sima_port {
    /** Neither: the request as a whole, a parameter, or the thread. */
    SIMA_PORT_NONE = 0,
    /** The tensor that is read. */
    SIMA_PORT_INPUT,
    /** The tensor that is written. */
    SIMA_PORT_OUTPUT
} sima_port;

/**
 * Where and why a call ended.
 *
 * Functions that take a `sima_error *` accept NULL there. Otherwise they write all four fields
 * on every return, success included.
 */
typedef struct sima_error {
    /** The same value that the function returns. */
    sima_status status;
    /** The tensor concerned, or SIMA_PORT_NONE. */
    sima_port port;
    /** The logical axis concerned, counted from 0 at the outermost; -1 where none is. */
    int32_t axis;
    /** What was found, what is admitted and what to do: one English sentence or two in static
     *  storage, never NULL, never to be freed. Empty on success. */
    const char *message;
} sima_error;

/**
 * The name of a status as it is spelt in C, for logs. Any value may be passed; no other call is
 * needed before.
 *
 * @param status what a function returned.
 * @return static storage, never NULL; "SIMA_UNKNOWN_STATUS" for a value outside the enumeration.
 */
SIMA_API const char *sima_status_name(sima_status status);

#ifdef __cplusplus
}
#endif

/* The C++20 interface over these functions. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <simaai/kernels/status.hpp>
#endif

#endif /* SIMAAI_KERNELS_STATUS_H */
