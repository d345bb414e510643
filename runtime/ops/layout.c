/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "../error.h"

#include <stdbool.h>

/* The most bytes a tensor may span: an offset passes through int64_t, size_t and ptrdiff_t. */
#define SIMA_LESSER(a, b) ((uint64_t)(a) < (uint64_t)(b) ? (int64_t)(a) : (int64_t)(b))
#define SIMA_MOST_BYTES SIMA_LESSER(SIMA_LESSER(PTRDIFF_MAX, SIZE_MAX), INT64_MAX)

int32_t sima_dtype_width(const sima_dtype dtype)
{
    static const uint8_t widths[] = {
        [SIMA_DTYPE_INT8] = 1,    [SIMA_DTYPE_UINT8] = 1,    [SIMA_DTYPE_INT16] = 2,
        [SIMA_DTYPE_FLOAT16] = 2, [SIMA_DTYPE_BFLOAT16] = 2, [SIMA_DTYPE_INT32] = 4,
        [SIMA_DTYPE_FLOAT32] = 4,
    };
    const size_t known = sizeof widths / sizeof widths[0];
    return (size_t)dtype < known ? widths[(size_t)dtype] : 0;
}

sima_status sima_check_shape(const sima_tensor_spec *const spec, const sima_port port,
                             sima_error *const error)
{
    if (spec->rank < 0 || spec->rank > SIMA_MAX_RANK) {
        return sima_fail(error, SIMA_INVALID_SHAPE, port, SIMA_NO_AXIS,
                         "the rank is negative or above 6; 0 to 6 axes are admitted: reshape "
                         "the tensor");
    }
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] < 0) {
            return sima_fail(error, SIMA_INVALID_SHAPE, port, axis,
                             "the extent is negative; give the number of elements along the "
                             "axis, 0 for an empty tensor");
        }
    }
    return SIMA_OK;
}

static bool is_empty(const sima_tensor_spec *const spec)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] == 0) {
            return true;
        }
    }
    return false;
}

sima_status sima_count_elements(const sima_tensor_spec *const spec, int64_t *const elements,
                                sima_error *const error)
{
    *elements = 0;
    if (is_empty(spec)) {
        return SIMA_OK;
    }
    int64_t product = 1;
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        if (spec->extent[axis] > SIMA_MOST_BYTES / product) {
            return sima_fail(error, SIMA_SIZE_OVERFLOW, SIMA_PORT_INPUT, axis,
                             "the number of elements exceeds what a size can hold; split the "
                             "tensor");
        }
        product *= spec->extent[axis];
    }
    *elements = product;
    return SIMA_OK;
}

/* The rules that concern one stride alone. They hold for axes of any extent. */
static sima_status check_stride(const int64_t stride, const int64_t extent, const int32_t width,
                                const sima_port port, const int32_t axis, sima_error *const error)
{
    if (stride < 0) {
        return sima_fail(error, SIMA_INVALID_LAYOUT, port, axis,
                         "the stride is negative; only strides of 0 or more bytes are "
                         "admitted: reverse the data or copy it first");
    }
    if ((stride & (width - 1)) != 0) {
        return sima_fail(error, SIMA_INVALID_LAYOUT, port, axis,
                         "the stride is not a multiple of the element width; strides are in "
                         "bytes: multiply an element stride by the width");
    }
    if (stride == 0 && extent > 1) {
        return sima_fail(error, SIMA_INVALID_LAYOUT, port, axis,
                         "the stride is 0 on an axis longer than 1; broadcasting is not "
                         "admitted: give each index its own element");
    }
    return SIMA_OK;
}

static sima_status check_strides(const sima_tensor_spec *const spec, const int32_t width,
                                 const sima_port port, sima_error *const error)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        const sima_status status =
            check_stride(spec->stride[axis], spec->extent[axis], width, port, axis, error);
        if (status != SIMA_OK) {
            return status;
        }
    }
    return SIMA_OK;
}

/* The axes that move, from the smallest stride to the largest; equal ones in logical order. */
static int32_t sort_moving_axes(const sima_tensor_spec *const spec,
                                const int64_t stride[SIMA_MAX_RANK], int32_t order[SIMA_MAX_RANK])
{
    int32_t count = 0;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] < 2) {
            continue;
        }
        int32_t place = count++;
        for (; place > 0 && stride[order[place - 1]] > stride[axis]; --place) {
            order[place] = order[place - 1];
        }
        order[place] = axis;
    }
    return count;
}

/*
 * Adds up what the axes span, fastest first. A stride at least as large as all that the faster
 * axes span keeps any two elements apart. The tensor is not empty and its strides are positive
 * where it moves.
 */
static sima_status prove_apart(const sima_tensor_spec *const spec, const int32_t width,
                               const sima_port port, sima_error *const error)
{
    int32_t order[SIMA_MAX_RANK];
    const int32_t count = sort_moving_axes(spec, spec->stride, order);
    uint64_t spanned = (uint64_t)width;
    for (int32_t place = 0; place < count; ++place) {
        const int32_t axis = order[place];
        const uint64_t stride = (uint64_t)spec->stride[axis];
        const uint64_t steps = (uint64_t)spec->extent[axis] - 1;
        if (stride < spanned) {
            return sima_fail(error, SIMA_INVALID_LAYOUT, port, axis,
                             "the stride is smaller than the bytes that the faster axes span, "
                             "so elements may overlap or interleave; use a larger stride or "
                             "copy the tensor");
        }
        /* Saturated, it exceeds every stride, as the true sum does. */
        spanned = steps > (UINT64_MAX - spanned) / stride ? UINT64_MAX : spanned + steps * stride;
    }
    return SIMA_OK;
}

sima_status sima_check_layout(const sima_tensor_spec *const spec, const sima_port port,
                              sima_error *const error)
{
    if (spec->layout == SIMA_LAYOUT_CONTIGUOUS) {
        return SIMA_OK;
    }
    if (spec->layout != SIMA_LAYOUT_STRIDED) {
        return sima_fail(error, SIMA_INVALID_LAYOUT, port, SIMA_NO_AXIS,
                         "the layout is unknown; use SIMA_LAYOUT_CONTIGUOUS or "
                         "SIMA_LAYOUT_STRIDED");
    }
    const int32_t width = sima_dtype_width(spec->dtype);
    const sima_status status = check_strides(spec, width, port, error);
    if (status != SIMA_OK || is_empty(spec)) {
        return status;
    }
    return prove_apart(spec, width, port, error);
}

static sima_status too_many_bytes(const sima_port port, const int32_t axis, sima_error *const error)
{
    return sima_fail(error, SIMA_SIZE_OVERFLOW, port, axis,
                     "the last element's offset in bytes exceeds what a size can hold; use "
                     "smaller extents or strides");
}

/* Row-major strides without gaps: the last accessed byte is the last of all. The tensor is not
 * empty. */
static sima_status fill_contiguous(const sima_tensor_spec *const spec, const int32_t width,
                                   const sima_port port, int64_t stride[SIMA_MAX_RANK],
                                   size_t *const required_bytes, sima_error *const error)
{
    int64_t bytes = width;
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        const int64_t extent = spec->extent[axis];
        stride[axis] = extent > 1 ? bytes : 0;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): admitted types have a width. */
        if (extent > SIMA_MOST_BYTES / bytes) {
            return too_many_bytes(port, axis, error);
        }
        bytes *= extent;
    }
    *required_bytes = (size_t)bytes;
    return SIMA_OK;
}

/* Adds what an axis spans to the bytes so far. False where a size cannot hold the sum. */
static bool add_axis(int64_t *const spanned, const int64_t extent, const int64_t stride)
{
    const int64_t steps = extent - 1;
    if (stride > 0 && steps > (SIMA_MOST_BYTES - *spanned) / stride) {
        return false;
    }
    *spanned += steps * stride;
    return true;
}

/* Names the axis, fastest first, at which the bytes become too many. */
static SIMA_COLD sima_status refuse_bytes(const sima_tensor_spec *const spec, const int32_t width,
                                          const sima_port port, const int64_t stride[SIMA_MAX_RANK],
                                          sima_error *const error)
{
    int32_t order[SIMA_MAX_RANK];
    const int32_t count = sort_moving_axes(spec, stride, order);
    int64_t spanned = width;
    int32_t place = 0;
    while (place + 1 < count &&
           add_axis(&spanned, spec->extent[order[place]], stride[order[place]])) {
        ++place;
    }
    return too_many_bytes(port, order[place], error);
}

/* The last accessed byte + 1. The tensor is not empty. */
static sima_status add_up_bytes(const sima_tensor_spec *const spec, const int32_t width,
                                const sima_port port, const int64_t stride[SIMA_MAX_RANK],
                                size_t *const required_bytes, sima_error *const error)
{
    int64_t spanned = width;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (!add_axis(&spanned, spec->extent[axis], stride[axis])) {
            return refuse_bytes(spec, width, port, stride, error);
        }
    }
    *required_bytes = (size_t)spanned;
    return SIMA_OK;
}

sima_status sima_resolve_layout(const sima_tensor_spec *const spec, const sima_port port,
                                int64_t stride[SIMA_MAX_RANK], size_t *const required_bytes,
                                sima_error *const error)
{
    const int32_t width = sima_dtype_width(spec->dtype);
    if (spec->layout == SIMA_LAYOUT_CONTIGUOUS) {
        return fill_contiguous(spec, width, port, stride, required_bytes, error);
    }
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        stride[axis] = spec->extent[axis] > 1 ? spec->stride[axis] : 0;
    }
    return add_up_bytes(spec, width, port, stride, required_bytes, error);
}
