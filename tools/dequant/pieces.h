/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_PIECES_H
#define DEQUANT_PIECES_H

/* An array that need not fit in memory, piece by piece: boxes that are read from one file order
 * and written in another. */

#include "npy.h"

/* Elements of the largest piece. In Fortran order PIECE_SIDE of them lie side by side in the input,
 * and so many in the output that 4 KiB or more are written at a time. */
enum { PIECE_ELEMENTS = 1 << 21, PIECE_SIDE = 1 << 10 };

/* Where a piece begins on each axis, and how far it goes. */
typedef struct piece {
    int64_t begin[SIMA_MAX_RANK];
    int64_t extent[SIMA_MAX_RANK];
    int64_t elements;
} piece;

/* The first piece of an array that has elements, and the largest. */
piece first_piece(const npy_array *array);

/* The piece after `last`, where pieces are as large as `first`; false after the last one. */
bool next_piece(const npy_array *array, const piece *first, piece *last);

/* A whole array in a file, or a piece of it that lies packed in memory. */
typedef struct file_order {
    const npy_array *array;
    bool fortran; /* the order in the file, and in memory */
    size_t width; /* bytes of an element */
} file_order;

/* Moves `size` bytes between memory and the offset, in bytes from the array's first element. */
typedef bool move_bytes(const void *file, unsigned char *memory, size_t size, size_t offset,
                        char *why);

/* Moves a piece, one call for each run of bytes without a gap. False where `move` is. */
bool move_piece(const file_order *order, const piece *which, unsigned char *memory,
                move_bytes *move, const void *file, char *why);

#endif /* DEQUANT_PIECES_H */
