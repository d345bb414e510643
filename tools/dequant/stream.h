/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_STREAM_H
#define DEQUANT_STREAM_H

/* From file to file, a piece at a time: memory does not grow with the array. */

#include "convert.h"
#include "files.h"

/* A file and the array in it. */
typedef struct npy_file {
    const char *path;
    input_file file;
    npy_array array;
} npy_file;

typedef struct job {
    const npy_file *input;
    const npy_file *scales; /* NULL: `scale` for all */
    const char *out;
    float scale;
    int32_t zero_point;
    sima_dtype output;
} job;

/* Opens a file, reads and checks its header. False where that has been complained of. */
bool open_npy(const char *path, npy_role role, npy_file *what);

/* False where the reason has been complained of: nothing is left of the output then. */
bool stream(const job *work, explanation *explained);

#endif /* DEQUANT_STREAM_H */
