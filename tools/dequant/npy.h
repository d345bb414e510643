/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_NPY_H
#define DEQUANT_NPY_H

/* NumPy's .npy format, versions 1 to 3: a header that is a Python dictionary, then the elements. */

#include "why.h"

#include <simaai/kernels/tensor.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a header may take: that of version 1 always fits. */
enum { NPY_DESCR_SIZE = 16, NPY_HEADER_SIZE = 256, NPY_LARGEST_HEADER = (1 << 16) + 16 };

/* What a header says. */
typedef struct npy_array {
    char descr[NPY_DESCR_SIZE]; /* the element type, like "|i1" or "<f4" */
    bool fortran_order;
    int32_t rank;
    int64_t extent[SIMA_MAX_RANK];
    int64_t elements;
    size_t data_offset; /* bytes from the start of the file to the first element */
} npy_array;

/* What a file is read for: it decides the element type, and the advice where that is another. */
typedef enum npy_role { NPY_INPUT, NPY_SCALES } npy_role;

/*
 * Reads the header at the beginning of a file of `size` bytes, of which NPY_LARGEST_HEADER or, if
 * it is shorter, all are in memory, and checks that exactly its elements follow. False with one
 * line in `why` (WHY_SIZE bytes) where anything is amiss.
 */
bool npy_parse(const unsigned char *file, size_t size, npy_role role, npy_array *array, char *why);

/* Writes a version 1.0 header for C order into `header` (NPY_HEADER_SIZE bytes), padded as NumPy
 * does; returns its length. */
size_t npy_format_header(const npy_array *array, char *header);

#endif /* DEQUANT_NPY_H */
