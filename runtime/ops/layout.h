/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_OPS_LAYOUT_H
#define SIMAAI_KERNELS_RUNTIME_OPS_LAYOUT_H

/*
 * From a tensor's description to byte strides that are safe to walk. Whatever does not return
 * SIMA_OK has filled in `error`, unless that is NULL.
 */

#include <simaai/kernels/tensor.h>

/* Bytes of one element; 0 for an unknown type. */
int32_t sima_dtype_width(sima_dtype dtype);

/* Whether rank and extents are admitted. Nothing below may be asked before this, nor of an unknown
 * type. */
sima_status sima_check_shape(const sima_tensor_spec *spec, sima_port port, sima_error *error);

/*
 * Whether the layout is known, its strides keep the rules of sima_tensor_spec, and no two elements
 * share a byte. Sizes are not judged here. The strides of an empty tensor must keep the rules that
 * concern one stride alone; it has no elements that could overlap.
 */
sima_status sima_check_layout(const sima_tensor_spec *spec, sima_port port, sima_error *error);

/* The number of elements, refused where it does not fit int64_t, size_t or ptrdiff_t. */
sima_status sima_count_elements(const sima_tensor_spec *spec, int64_t *elements, sima_error *error);

/*
 * Byte strides and the bytes that the tensor needs, its last accessed one included. Axes of extent
 * 1 do not move and get stride 0. Refuses sizes that do not fit int64_t, size_t or ptrdiff_t.
 * `stride` and `required_bytes` come zeroed. Not to be asked before sima_check_layout(), nor of an
 * empty tensor.
 */
sima_status sima_resolve_layout(const sima_tensor_spec *spec, sima_port port,
                                int64_t stride[SIMA_MAX_RANK], size_t *required_bytes,
                                sima_error *error);

#endif /* SIMAAI_KERNELS_RUNTIME_OPS_LAYOUT_H */
