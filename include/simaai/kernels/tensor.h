/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_TENSOR_H
#define SIMAAI_KERNELS_TENSOR_H

/**
 * @file tensor.h
 * How a tensor is described before it has storage, and how storage is lent to a call.
 */

#include <simaai/kernels/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of axes that a tensor may have. */
#define SIMA_MAX_RANK 6

/** Element type. Zero is none of them, so a zeroed description is refused. */
typedef enum sima_dtype {
    /** No type. */
    SIMA_DTYPE_INVALID = 0,
    /** Two's complement, 8 bits. */
    SIMA_DTYPE_INT8,
    /** 8 bits without a sign. */
    SIMA_DTYPE_UINT8,
    /** Two's complement, 16 bits. */
    SIMA_DTYPE_INT16,
    /** Two's complement, 32 bits. */
    SIMA_DTYPE_INT32,
    /** IEEE 754 binary16. */
    SIMA_DTYPE_FLOAT16,
    /** The upper 16 bits of an IEEE 754 binary32, in the machine's byte order. */
    SIMA_DTYPE_BFLOAT16,
    /** IEEE 754 binary32. */
    SIMA_DTYPE_FLOAT32
} sima_dtype;

/** How the bytes of a tensor are found from its logical coordinates. */
typedef enum sima_layout {
    /** Row-major without gaps: the last axis moves by one element. `stride` is not read. */
    SIMA_LAYOUT_CONTIGUOUS = 0,
    /** Each axis moves by its own `stride`. */
    SIMA_LAYOUT_STRIDED
} sima_layout;

/**
 * A tensor's type, shape and layout. It owns nothing and points nowhere.
 *
 * Element (c[0], ..., c[rank-1]) lies sum(c[i] * stride[i]) bytes after the buffer's base.
 */
typedef struct sima_tensor_spec {
    /** Type of every element. */
    sima_dtype dtype;
    /** Number of axes, 0..SIMA_MAX_RANK. Rank 0 is a scalar: one element. */
    int32_t rank;
    /** Elements along each axis, outermost first; not negative. Entries from `rank` on are not
     *  read. An extent of zero makes the tensor empty. */
    int64_t extent[SIMA_MAX_RANK];
    /** Whether `stride` is read. */
    sima_layout layout;
    /** For SIMA_LAYOUT_STRIDED: bytes from one index to the next along each axis. Not negative,
     *  a multiple of the element width, and greater than zero where the extent exceeds one.
     *  In order of size, each stride of an axis that moves must be at least the bytes that the
     *  smaller ones together span, so that no two elements can share a byte; in an empty tensor
     *  there is nothing to share, and only each stride alone is judged. Entries from `rank` on are
     *  not read. */
    int64_t stride[SIMA_MAX_RANK];
} sima_tensor_spec;

/** Storage lent for reading. The caller owns it and keeps it alive until the call returns. */
typedef struct sima_const_host_buffer {
    /** Lowest address: that of the element whose coordinates are all 0. May be NULL for an empty
     *  tensor only. */
    const void *data;
    /** Bytes from `data` on that may be read. */
    size_t size;
} sima_const_host_buffer;

/** Storage lent for writing. The caller owns it and keeps it alive until the call returns. */
typedef struct sima_host_buffer {
    /** Lowest address: that of the element whose coordinates are all 0. May be NULL for an empty
     *  tensor only. */
    void *data;
    /** Bytes from `data` on that may be written. */
    size_t size;
} sima_host_buffer;

#ifdef __cplusplus
}
#endif

/* The C++20 interface over these functions. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <simaai/kernels/tensor.hpp>
#endif

#endif /* SIMAAI_KERNELS_TENSOR_H */
