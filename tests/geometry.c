/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry.h"

int64_t geometry_width(const sima_dtype dtype)
{
    return dtype == SIMA_DTYPE_FLOAT32 ? 4 : dtype == SIMA_DTYPE_BFLOAT16 ? 2 : 1;
}

int64_t geometry_count(const sima_tensor_spec *const spec)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        count *= spec->extent[axis];
    }
    return count;
}

int64_t geometry_bytes(const sima_tensor_spec *const spec)
{
    int64_t last = 0;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] == 0) {
            return 0;
        }
        last += (spec->extent[axis] - 1) * spec->stride[axis];
    }
    return last + geometry_width(spec->dtype);
}

bool geometry_next(const sima_tensor_spec *const spec, coordinates *const at)
{
    for (int32_t axis = spec->rank - 1; axis >= 0; --axis) {
        if (++at->index[axis] < spec->extent[axis]) {
            return true;
        }
        at->index[axis] = 0;
    }
    return false;
}

int64_t geometry_offset(const sima_tensor_spec *const spec, const coordinates *const at)
{
    int64_t offset = 0;
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        offset += at->index[axis] * spec->stride[axis];
    }
    return offset;
}

arrangement geometry_row_major(const int32_t rank)
{
    arrangement how = {.step = 1};
    for (int32_t place = 0; place < rank; ++place) {
        how.axis[place] = rank - 1 - place;
    }
    return how;
}

void geometry_arrange(sima_tensor_spec *const spec, const arrangement *const how)
{
    const int64_t width = geometry_width(spec->dtype);
    int64_t next = how->step * width; /* where one more index of the axes so far would begin */
    int64_t end = width;              /* after the last byte of the axes so far */
    spec->layout = SIMA_LAYOUT_STRIDED;
    for (int32_t place = 0; place < spec->rank; ++place) {
        const int32_t axis = how->axis[place];
        const int64_t extent = spec->extent[axis];
        if (extent < 2) {
            spec->stride[axis] = 0;
            continue;
        }
        const int64_t pad = how->pad[place];
        const int64_t stride =
            pad == TIGHT && end > width ? end : next + (pad > 0 ? pad : 0) * width;
        spec->stride[axis] = stride;
        next = extent * stride;
        end += (extent - 1) * stride;
    }
}
