/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_GEOMETRY_H
#define SIMA_TESTS_GEOMETRY_H

/* Where the elements of a tensor lie, said in the plainest way, and how to lay one out. */

#include <simaai/kernels/tensor.h>

#include <stdbool.h>

/* Bytes of an element of the types that the tests use. */
int64_t geometry_width(sima_dtype dtype);

/* Elements of a tensor. */
int64_t geometry_count(const sima_tensor_spec *spec);

/* Last byte of the last element + 1; 0 where there is none. */
int64_t geometry_bytes(const sima_tensor_spec *spec);

/* Logical coordinates, counted like an odometer, and the byte at which their element begins. */
typedef struct coordinates {
    int64_t index[SIMA_MAX_RANK];
} coordinates;

/* False when all have been visited; they are zero again then. */
bool geometry_next(const sima_tensor_spec *spec, coordinates *at);
int64_t geometry_offset(const sima_tensor_spec *spec, const coordinates *at);

/* How one port lies in memory. */
typedef struct arrangement {
    int32_t axis[SIMA_MAX_RANK]; /* the axes, fastest first */
    int64_t step;                /* elements from one index of the fastest axis to the next */
    /* Elements left free before the next index of the axis at this place; TIGHT: the next begins
     * right after the last element, even where a constant step would leave a hole. */
    int64_t pad[SIMA_MAX_RANK];
} arrangement;

enum { TIGHT = -1 };

/* The last axis fastest, nothing left free. */
arrangement geometry_row_major(int32_t rank);

/* Gives a spec with dtype, rank and extents its strides. Axes that do not move get stride 0. */
void geometry_arrange(sima_tensor_spec *spec, const arrangement *how);

#endif /* SIMA_TESTS_GEOMETRY_H */
